"""A page that writes down everything that goes wrong while it is looked at."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, ConsoleMessage, Page, Request


@contextmanager
def serve(folder: Path, *, pause_before: str = "") -> Iterator[str]:
    """Serve a folder on loopback; a page with the text ``pause_before`` rests there."""
    handler = partial(_QuietHandler, directory=str(folder), pause_before=pause_before.encode())
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


class _QuietHandler(SimpleHTTPRequestHandler):
    def __init__(self, *connection: Any, directory: str, pause_before: bytes) -> None:
        self._pause_before = pause_before
        super().__init__(*connection, directory=directory)

    def copyfile(self, source: Any, outputfile: Any) -> None:
        """Send a file, in two parts if it is to rest within."""
        if not self._pause_before:
            super().copyfile(source, outputfile)
            return
        first, found, rest = source.read().partition(self._pause_before)
        outputfile.write(first)
        if found:
            outputfile.flush()
            time.sleep(1)
        outputfile.write(found + rest)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


#: Which fonts are needed shows in laying out.
FONTS_THERE = "document.body.offsetHeight, document.fonts.ready.then(() => true)"


class Watched:
    """A page, and what it complained about."""

    def __init__(self, page: Page, origin: str) -> None:
        self.page = page
        self.origin = origin
        self.faults: list[str] = []
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("request", self._request)
        page.on("requestfailed", self._failed)
        page.on("response", lambda r: r.status < 400 or self.faults.append(f"{r.status}: {r.url}"))

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.faults.append(f"console {message.type}: {message.text}")

    def _request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in ("data", "blob") and not request.url.startswith(self.origin):
            self.faults.append(f"another host: {request.url}")

    def _failed(self, request: Request) -> None:
        # An icon still on its way when the page is left is given up, and no fault.
        if request.failure != "net::ERR_ABORTED":
            self.faults.append(f"failed: {request.url}")

    def open(self, path: str, *, at_once: bool = True) -> Page:
        """Open a page, wait until it has been loaded, and have the whole of it laid out."""
        self.page.goto(self.origin + path)
        if at_once:  # as for who follows a link within; else what is far away comes a little later
            self.page.evaluate("dispatchEvent(new HashChangeEvent('hashchange'))")
        self.page.evaluate(FONTS_THERE)
        return self.page


@contextmanager
def watch(
    browser: Browser, origin: str, *, width: int = 1280, scheme: str = "light", script: bool = True
) -> Iterator[Watched]:
    """Return a page of its own, with nothing stored."""
    context = browser.new_context(
        viewport={"width": width, "height": 844 if width < 600 else 900},
        color_scheme=scheme,  # type: ignore[arg-type]
        java_script_enabled=script,
        has_touch=width < 600,
    )
    yield Watched(context.new_page(), origin)
    context.close()
