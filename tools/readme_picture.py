"""Take the picture of a page that README.md shows, and note in it the words that stand in it.

    make book && .venv/bin/python tools/readme_picture.py

Needs the packages of ``make test`` and a Chromium. The test of the picture asks whether its words
still stand on the page; where they do not, run this again.
"""

from __future__ import annotations

import io
import json
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from PIL import Image, PngImagePlugin
from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parent))

import find_chromium

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "web" / "static" / "readme-page.png"
PAGE, HEADING = "book/01-lookup.html", "hold-it-in-your-hand"
WIDTH, HEIGHT = 1200, 1000
WORDS = "words"  # the name of the note

# What stands wholly in the window and is no formula, code or number that moves.
IN_VIEW = """
[...document.querySelectorAll("h1, h2, h3, p, li > a, dt, label")]
  .filter((element) => {
    const box = element.getBoundingClientRect();
    return box.height > 0 && box.top >= 0 && box.bottom <= innerHeight && box.right > 0
      && box.left < innerWidth && !element.querySelector(".math, math, svg, output")
      && element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  })
  .map((element) => element.textContent.replace(/\\s+/g, " ").trim())
  .filter((words) => /\\w{3}/.test(words))
"""


def words_in(picture: Path = PICTURE) -> list[str]:
    """Return the words noted in a picture."""
    with Image.open(picture) as image:
        found: list[str] = json.loads(image.info[WORDS])
    return found


def take(page: Page) -> None:
    """Store what an opened page shows, and its words."""
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    page.locator(f"#{HEADING}").evaluate("heading => heading.scrollIntoView()")
    page.wait_for_timeout(1000)  # until everything is drawn and no colour is on its way
    note = PngImagePlugin.PngInfo()
    note.add_itxt(WORDS, json.dumps(page.evaluate(IN_VIEW), ensure_ascii=False))
    with Image.open(io.BytesIO(page.screenshot())) as shot:
        shot.convert("RGB").save(PICTURE, optimize=True, pnginfo=note)


def main() -> None:
    """Open the page of the last build, and take its picture."""
    site = ROOT / "_build" / "html"
    if not (site / PAGE).exists():
        raise SystemExit("The site has not been built: run `make book` first.")
    # Explorers move only where a server hands out their modules.
    handler = partial(SimpleHTTPRequestHandler, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, sync_playwright() as playwright:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = playwright.chromium.launch(executable_path=find_chromium.find())
        page = browser.new_page(color_scheme="light")
        page.goto(f"http://127.0.0.1:{server.server_port}/{PAGE}")
        take(page)
        browser.close()
        server.shutdown()
    print(f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size // 1000} kB")
    print(*words_in(), sep="\n")


if __name__ == "__main__":
    main()
