"""A page with explorers and nothing else, and how what is seen compares with what Python draws."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page
from watched import serve, watch

from softlookup import explorers
from softlookup.explorers.explorer import Explorer

MODULES = Path(explorers.__file__).parent

#: What a module adds to a frame that only moves with it, and is not looked at.
NORMAL = """
    (el) => {
        const copy = el.cloneNode(true);
        for (const x of copy.querySelectorAll("fieldset")) x.removeAttribute("disabled");
        for (const x of copy.querySelectorAll("g[tabindex]")) x.removeAttribute("tabindex");
        return copy.innerHTML;
    }
"""
DRAWN = f"""
    (html) => {{
        const el = document.createElement("div");
        el.innerHTML = html;
        return ({NORMAL})(el);
    }}
"""


def write_page(folder: Path, *shown: Explorer, modules: Path = MODULES, styles: str = "") -> None:
    """Write a page with some explorers and nothing else, and their modules beside it."""
    for module in modules.glob("*.mjs"):
        shutil.copy(module, folder)
    folder.joinpath("page.html").write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Explorers</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="data:,"><body><style>{styles}</style>'
        + "".join(explorer.html() for explorer in shown)
        + '<script type="module" src="mount.mjs"></script>',
        encoding="utf-8",
    )


@contextmanager
def awake(
    browser: Browser, folder: Path, *shown: Explorer, width: int = 390
) -> Iterator[tuple[Page, Locator]]:
    """Return a page and its explorers, all of them awake; fail if anything complained."""
    write_page(folder, *shown)
    with serve(folder) as address, watch(browser, address, width=width) as watched:
        page = watched.open("page.html")
        found = page.locator("[data-explorer]")
        for i in range(found.count()):
            found.nth(i).scroll_into_view_if_needed()
            page.wait_for_function(
                "i => document.querySelectorAll('[data-awake]').length > i", arg=i
            )
        yield page, found
        assert watched.faults == []


#: Set a state, as a reader's hand would.
SET = "(el, state) => Object.entries(state).forEach((x) => el.model.set(...x))"


def assert_fits(browser: Browser, folder: Path, explorer: Explorer) -> None:
    """Ask that an explorer fits where a page leaves little room, in a wide font."""
    with awake(browser, folder, explorer, width=275) as (page, found):  # of 320, less a margin
        page.add_style_tag(content="body { font-family: 'DejaVu Sans', sans-serif }")
        right = found.evaluate("el => el.getBoundingClientRect().right")
        ends = found.evaluate(
            "el => [...el.querySelectorAll('table, p, label')]"
            ".map(x => x.getBoundingClientRect().left + x.scrollWidth)"
        )
        assert max(ends) < right
