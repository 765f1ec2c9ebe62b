"""Weigh the built pages as a phone would fetch them, and let Lighthouse judge them.

make book
python benchmarks/pages.py                          every page, Lighthouse five times each
python benchmarks/pages.py --runs 1 book/index      one page, once
python benchmarks/pages.py --runs 0                 weights alone
python benchmarks/pages.py --site SOME/html PAGE    another site, to compare with

Pages come from a server on this machine that compresses as static hosts do (gzip, level 6). The
weight is what Chromium asks for until a page has been scrolled to its end, headers left out; the
pictures that the page shows in its text are weighed apart from all else.

Lighthouse (``npm install -g lighthouse``) is no part of the course; it is found as ``lighthouse``
or by ``--lighthouse``, and if it is missing the table says so. It plays a phone on a slow
connection. Medians of the runs are shown. Close what else is running.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import statistics
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from find_chromium import find  # noqa: E402  found by the line above

SITE = ROOT / "_build" / "html"
COMPRESSED = (".html", ".css", ".js", ".mjs", ".svg", ".json", ".xml", ".txt", ".ttf", ".otf")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # A window that nobody sees is drawn once a second, if these are missing.
    "--disable-renderer-backgrounding",
    "--disable-backgrounding-occluded-windows",
    "--disable-background-timer-throttling",
    "--disable-features=CalculateNativeWinOcclusion",
)
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
#: What a chapter may weigh without its figures and with them, in kB.
LIMITS = (150, 400)

SCROLL = """
async () => {
  for (let y = 0; y < document.body.scrollHeight; y += innerHeight / 2) {
    scrollTo(0, y);
    await new Promise((done) => setTimeout(done, 15));
  }
}
"""


@cache
def packed(path: Path) -> tuple[bytes, bool]:
    """Return a file as it is sent, and whether that is compressed."""
    content = path.read_bytes()
    if path.suffix not in COMPRESSED:
        return content, False
    return gzip.compress(content, 6, mtime=0), True


class Handler(SimpleHTTPRequestHandler):
    """Send files compressed, and let the browser keep them."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer."""
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        found = path.is_file()
        if not found:
            path = Path(self.directory, "404.html")
        content, compressed = packed(path) if path.is_file() else (b"", False)
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "max-age=600")
        if compressed:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """Serve a folder on loopback."""
    Handler.extensions_map |= {".mjs": "text/javascript", ".woff": "font/woff"}
    handler = partial(Handler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def pages(site: Path) -> list[str]:
    """Return the pages that a reader can open."""
    found = [p for p in site.rglob("*.html") if "_static" not in p.relative_to(site).parts]
    return sorted(p.relative_to(site).as_posix() for p in found)


def weigh(browser: Any, address: str, name: str, site: Path) -> tuple[int, float, float]:
    """Return how much a page asks for: requests, kB without its figures, kB of figures."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, device_scale_factor=2)
    page = context.new_page()
    asked: dict[str, None] = {}
    page.on("request", lambda request: asked.setdefault(request.url.split("#")[0]))
    page.goto(address + name, wait_until="networkidle")
    page.evaluate(SCROLL)
    page.wait_for_load_state("networkidle")
    context.close()
    sizes = {"figures": 0, "rest": 0}
    for url in asked:
        path = site / unquote(urlsplit(url).path).lstrip("/")
        path = path / "index.html" if path.is_dir() else path
        if not url.startswith(address):
            print(f"{name} asks another host: {url}")
        elif path.is_file():
            part = "figures" if "_images" in path.parts else "rest"
            sizes[part] += len(packed(path)[0])
    return len(asked), sizes["rest"] / 1000, sizes["figures"] / 1000


def judge(command: str, chromium: str, url: str, runs: int) -> dict[str, float]:
    """Return Lighthouse's scores, largest paint (s), shift and blocked time (ms)."""
    readings: list[dict[str, float]] = []
    for _ in range(runs):
        done = subprocess.run(
            [
                command,
                url,
                "--quiet",
                "--output=json",
                f"--only-categories={','.join(CATEGORIES)}",
                f"--chrome-flags=--headless=new {' '.join(FLAGS)}",
            ],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "CHROME_PATH": chromium},
        )
        if done.returncode:
            sys.exit(f"Lighthouse failed on {url}:\n{done.stderr[-2000:]}")
        report = json.loads(done.stdout)
        reading = {c: 100 * (report["categories"][c]["score"] or 0) for c in CATEGORIES}
        audits = report["audits"]
        reading["paint"] = audits["largest-contentful-paint"]["numericValue"] / 1000
        reading["shift"] = audits["cumulative-layout-shift"]["numericValue"]
        reading["blocked"] = audits["total-blocking-time"]["numericValue"]
        for category in CATEGORIES[1:]:
            for entry in report["categories"][category]["auditRefs"]:
                audit = audits[entry["id"]]
                if entry["weight"] and audit["score"] is not None and audit["score"] < 1:
                    print(f"  {url}: {category}: {audit['title']}")
        readings.append(reading)
    return {key: statistics.median(r[key] for r in readings) for key in readings[0]}


def main() -> None:
    """Print one line for each page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("page", nargs="*", help="such as book/01-lookup; all pages without")
    parser.add_argument("--runs", type=int, default=5, help="of Lighthouse, for each page")
    parser.add_argument("--site", type=Path, default=SITE)
    parser.add_argument("--lighthouse", default="lighthouse", metavar="COMMAND")
    options = parser.parse_args()
    if not options.site.joinpath("index.html").exists():
        sys.exit(f"There is no site in {options.site}: run `make book` first.")
    chromium, lighthouse = find(), shutil.which(options.lighthouse)
    if chromium is None:
        sys.exit("No Chromium found. Install one, or name it: CHROMIUM=/path/to/chromium")
    if lighthouse is None and options.runs:
        print("Lighthouse was not found, so pages are only weighed (npm install -g lighthouse).")
    names = [f"{p.removesuffix('.html')}.html" for p in options.page] or pages(options.site)
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  after the messages above

    print("| page | requests | kB without figures | with | perf / a11y / best pr. / SEO |", end="")
    print(" largest paint s | shift | blocked ms |\n|---|---|---|---|---|---|---|---|")
    with serve(options.site) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        weights = {name: weigh(browser, address, name, options.site) for name in names}
        browser.close()
        for name, (requests, rest, figures) in weights.items():
            over = " !" if rest > LIMITS[0] or rest + figures > LIMITS[1] else ""
            line = f"| {name} | {requests} | {rest:.0f} | {rest + figures:.0f}{over} |"
            if lighthouse and options.runs and name != "404.html":
                found = judge(lighthouse, chromium, address + name, options.runs)
                line += " " + " / ".join(f"{found[c]:.0f}" for c in CATEGORIES)
                line += f" | {found['paint']:.2f} | {found['shift']:.3f} | {found['blocked']:.0f} |"
            print(line, flush=True)


if __name__ == "__main__":
    main()
