"""Serve the built site on this machine alone: ``python tools/serve.py 8000``."""

from __future__ import annotations

import errno
import functools
import sys
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

SITE = Path(__file__).resolve().parent.parent / "_build" / "html"


class Handler(SimpleHTTPRequestHandler):
    """Answer as a host of pages does: what is not there is said by a page of the course."""

    # Browsers refuse a module script that comes under another type, and not every system's
    # table knows this ending.
    extensions_map: ClassVar = SimpleHTTPRequestHandler.extensions_map | {".mjs": "text/javascript"}

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Send 404.html for what is not there."""
        page = SITE / "404.html"
        if code != HTTPStatus.NOT_FOUND or not page.is_file():
            super().send_error(code, message, explain)
            return
        content = page.read_bytes()
        self.send_response(code, message)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)


def main(port: str) -> None:
    """Serve until interrupted, or say why not."""
    if not (SITE / "index.html").exists():
        sys.exit("There is no site to serve yet: run `make book` first.")
    if not port.isdecimal() or not 0 <= int(port) <= 65535:
        sys.exit(f"PORT={port} is not a port: name a number from 1 to 65535.")
    handler = functools.partial(Handler, directory=str(SITE))
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
