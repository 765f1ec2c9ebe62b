"""Serve the built site on this machine alone: ``python tools/serve.py 8000``."""

from __future__ import annotations

import errno
import functools
import sys
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

SITE = Path(__file__).resolve().parent.parent / "_build" / "html"


def main(port: str) -> None:
    """Serve until interrupted, or say why not."""
    if not (SITE / "index.html").exists():
        sys.exit("There is no site to serve yet: run `make book` first.")
    if not port.isdecimal() or not 0 <= int(port) <= 65535:
        sys.exit(f"PORT={port} is not a port: name a number from 1 to 65535.")
    # Browsers refuse a module script that comes under another type, and not every system's
    # table knows this ending.
    SimpleHTTPRequestHandler.extensions_map[".mjs"] = "text/javascript"
    handler = functools.partial(SimpleHTTPRequestHandler, directory=str(SITE))
    try:
        server = ThreadingHTTPServer(("127.0.0.1", int(port)), handler)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            sys.exit(f"Port {port} is taken: try another, as in `make serve PORT=8001`.")
        if error.errno == errno.EACCES:
            sys.exit(f"Port {port} needs special rights: try `make serve PORT=8001`.")
        raise
    print(f"The course is at http://127.0.0.1:{server.server_port}/ (stop with Ctrl-C)", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        print()
    finally:
        server.server_close()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "8000")
