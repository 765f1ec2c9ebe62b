"""The explorers move: what their modules show equals what Python draws of the same state."""

from __future__ import annotations

import importlib
import pkgutil
import shutil
from itertools import product
from pathlib import Path
from typing import Any

import explorer_cases
import pytest
from explorer_page import DRAWN, MODULES, NORMAL, SET, awake, write_page
from looks import SCHEMES, axe
from playwright.sync_api import Browser
from watched import serve, watch

from softlookup import explorers

CASES = {
    found.name: importlib.import_module(f"explorer_cases.{found.name}").case
    for found in pkgutil.iter_modules(explorer_cases.__path__)
}


#: One of usual width if there is one, and one that is wider than what most readers have.
FONTS = ("system-ui, 'Liberation Sans', Arial, sans-serif", "'DejaVu Sans', sans-serif")


def test_every_explorer_is_looked_at_here() -> None:
    assert {type(case()[0]).__name__ for case in CASES.values()} == set(explorers.__all__)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_a_module_shows_what_python_draws(browser: Browser, tmp_path: Path, case: Any) -> None:
    explorer, states = case()
    with awake(browser, tmp_path, explorer, width=320) as (page, found):
        assert found.evaluate(NORMAL) == page.evaluate(DRAWN, explorer.frame())
        for state in states:
            for name, value in state.items():
                setattr(explorer, name, value)
            found.evaluate(SET, state)
            shown, drawn = found.evaluate(NORMAL), page.evaluate(DRAWN, explorer.frame())
            assert shown == drawn, f"in state {state}"
            assert found.locator("[role=status]").inner_text() == explorer.sentence()
        for width, font in product((320, 390, 1280), FONTS):
            page.set_viewport_size({"width": width, "height": 900})
            page.evaluate("font => { document.body.style.fontFamily = font; }", font)
            heights = set()
            for state in states:
                found.evaluate(SET, state)
                heights.add(found.evaluate("el => el.offsetHeight"))
                assert page.evaluate("document.documentElement.scrollWidth") <= width, state
            assert len(heights) == 1, f"in {font} the figure grows and shrinks as it is moved"


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_nothing_moves_when_an_explorer_wakes(browser: Browser, tmp_path: Path, case: Any) -> None:
    # Without scripts the controls are gone; here only the place of the rest counts.
    write_page(tmp_path, case()[0], styles="fieldset, .try { display: none !important }")
    boxes = []
    with serve(tmp_path) as address:
        for script in (False, True):
            with watch(browser, address, width=390, script=script) as watched:
                page = watched.page
                page.goto(f"{address}page.html")
                if script:
                    page.wait_for_selector("[data-awake]")
                boxes.append(page.locator("[data-explorer]").bounding_box())
    assert boxes[0] == boxes[1]


def test_the_comparison_finds_a_module_that_computes_something_else(
    browser: Browser, tmp_path: Path
) -> None:
    explorer, _ = CASES["soft_lookup"]()
    with awake(browser, tmp_path, explorer) as (page, _):
        assert page.locator("[data-explorer]").evaluate(NORMAL) == page.evaluate(
            DRAWN, explorer.frame()
        )
    core = tmp_path / "core.mjs"
    for broken in (tmp_path / "soft_lookup.mjs", core):
        broken.unlink()
    wrong = MODULES.joinpath("core.mjs").read_text(encoding="utf-8")
    assert "(s - largest) / temperature" in wrong
    (tmp_path / "modules").mkdir()
    for module in MODULES.glob("*.mjs"):
        shutil.copy(module, tmp_path / "modules")
    (tmp_path / "modules/core.mjs").write_text(
        wrong.replace("(s - largest) / temperature", "(s - largest) / temperature * 1.1"),
        encoding="utf-8",
    )
    write_page(tmp_path, explorer, modules=tmp_path / "modules")
    with serve(tmp_path) as address, watch(browser, address) as watched:
        page = watched.open("page.html")
        page.wait_for_selector("[data-awake]")
        shown = page.locator("[data-explorer]").evaluate(NORMAL)
        assert shown != page.evaluate(DRAWN, explorer.frame())


# On the site


#: What reaches beyond its explorer: the site leaves it less room, and other rules for tables.
BEYOND = """
    (el) => [...el.querySelectorAll("td, th, p, label, input, button, select")]
        .filter((x) => x.getBoundingClientRect().right > el.getBoundingClientRect().right)
        .map((x) => x.outerHTML.slice(0, 80))
"""


#: Take away the sections without an explorer.
SECTIONS_ALONE = """
() => document.querySelectorAll("article section").forEach(
  (section) => section.querySelector("[data-explorer]") || section.remove())
"""


def test_the_explorers_of_the_site_wake_and_show_what_was_drawn(
    browser: Browser, served: str, site: Path
) -> None:
    pages = [
        page
        for page in sorted(site.glob("book/*.html"))
        if "data-explorer=" in page.read_text(encoding="utf-8")
    ]
    assert pages
    for page_file in pages:
        with watch(browser, served, width=390) as watched:
            page = watched.open(page_file.relative_to(site).as_posix())
            for found in page.locator("[data-explorer]").all():
                before = found.evaluate(NORMAL), found.evaluate("el => el.offsetHeight")
                # Again and again: what lies above may still be laid out, and push it away.
                woken = "el => { el.scrollIntoView(); return 'awake' in el.dataset; }"
                page.wait_for_function(woken, arg=found.element_handle())
                assert (found.evaluate(NORMAL), found.evaluate("el => el.offsetHeight")) == before
            page.evaluate(SECTIONS_ALONE)  # axe reads the whole page, whatever it is asked about
            for scheme in SCHEMES:
                page.emulate_media(color_scheme=scheme)
                page.wait_for_function(f"document.documentElement.dataset.theme === '{scheme}'")
                here = {"include": [["[data-explorer]"]]}
                # A theme changes nothing but colours.
                rules = {} if scheme == "light" else {"runOnly": ["color-contrast"]}
                assert axe(page, context=here, **rules) == [], scheme
            page.set_viewport_size({"width": 320, "height": 700})
            for found in page.locator("[data-explorer]").all():
                assert found.evaluate(BEYOND) == [], page_file.name
            assert watched.faults == []


def test_from_disk_an_explorer_is_a_finished_figure(browser: Browser, site: Path) -> None:
    with watch(browser, site.as_uri() + "/") as watched:
        page = watched.open("book/01-lookup.html")
        explorer = page.locator("[data-explorer]")
        assert explorer.locator("[role=status]").is_visible()
        assert not explorer.locator("fieldset").is_visible()
        assert not explorer.locator(".try").is_visible()
        assert watched.faults == []
