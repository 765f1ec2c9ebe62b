"""The picture in README.md shows a page as it is."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser
from watched import watch

import readme_picture


def test_what_stands_in_the_picture_stands_on_the_page(browser: Browser, served: str) -> None:
    words = readme_picture.words_in()
    assert len(words) > 20
    with watch(browser, served) as watched:
        page = watched.open(readme_picture.PAGE)
        text = " ".join((page.locator("body").text_content() or "").split())
    gone = [line for line in words if line not in text]
    assert gone == [], "run `make book` and tools/readme_picture.py"


def test_readme_shows_it() -> None:
    readme = (readme_picture.ROOT / "README.md").read_text(encoding="utf-8")
    assert Path(readme_picture.PICTURE).relative_to(readme_picture.ROOT).as_posix() in readme
