"""The alignment in the hand: characters and dates chosen with mouse, finger and keys."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from explorer_cases.alignment import case
from explorer_page import awake, write_page
from playwright.sync_api import Browser, Locator
from watched import serve, watch

from softlookup.explorers import Alignment

#: How large the bars are drawn: their height is the last length.
BARS = "xs => xs.map((x) => getComputedStyle(x).backgroundSize)"
HEIGHT = re.compile(r"([0-9.]+)px")


def signs_of(text: str) -> list[str]:
    return list(text.replace(" ", "\N{OPEN BOX}"))


def state_of(found: Locator) -> tuple[int, int]:
    date, character = found.evaluate("el => [el.model.get('date'), el.model.get('character')]")
    return date, character


def letter(found: Locator, i: int) -> Locator:
    return found.locator(".written label").nth(i)


def assert_shows(found: Locator, explorer: Alignment, date: int, character: int) -> None:
    """Compare what is read off the page, numbers and heights of bars, with the weights."""
    weights, text = explorer.weights[date][character], explorer.texts[date]
    cells = found.locator("[data-part=read]:visible")
    assert cells.locator("[data-part=sign]").all_inner_texts() == signs_of(text)
    numbers = [float(x) for x in cells.locator("[data-part=weight]").all_text_contents()]
    assert numbers == weights
    heights = [float(HEIGHT.findall(x)[0]) for x in cells.evaluate_all(BARS)]
    np.testing.assert_allclose(heights, np.asarray(weights) * 3.4 * 16, atol=0.05)
    best = int(np.argmax(weights))
    assert found.locator(".best [data-part=sign]").inner_text() == signs_of(text)[best]
    explorer.date, explorer.character = date, character
    assert found.locator("[role=status]").inner_text() == explorer.sentence()


def test_pointing_at_a_written_character_shows_where_it_looked(
    browser: Browser, tmp_path: Path
) -> None:
    explorer, _ = case()
    with awake(browser, tmp_path, explorer) as (page, found):
        letter(found, 5).hover()
        assert_shows(found, explorer, 0, 5)
        letter(found, 9).click()
        page.mouse.move(0, 0)
        assert state_of(found) == (0, 9), "it stays when the mouse goes away"
        found.locator("select").select_option("2: <b>29 & 11</b>")
        assert_shows(found, explorer, 2, 9)
        assert found.locator("[data-part=verdict]").inner_text() == (
            "\N{MULTIPLICATION SIGN} wrong: it should be 2026-11-29"
        )
        found.locator("select").select_option("3: 日曜日, 29 Nov 26")
        assert found.locator("ol").get_attribute("lang") == "ja"
        assert found.locator("[data-part=verdict]").inner_text() == "\N{CHECK MARK} right"


def test_the_keys_walk_along_what_was_written(browser: Browser, tmp_path: Path) -> None:
    explorer, _ = case()
    with awake(browser, tmp_path, explorer) as (page, found):
        found.locator("select").focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Tab")
        assert state_of(found) == (1, 3)
        for key in ("ArrowRight", "ArrowRight", "ArrowLeft"):
            page.keyboard.press(key)
        assert state_of(found) == (1, 4)
        focused = page.locator(":focus")
        assert focused.get_attribute("aria-label") == "-, character 5"
        assert letter(found, 4).evaluate("x => getComputedStyle(x).outlineStyle") == "solid"


def test_a_finger_finds_every_character(browser: Browser, tmp_path: Path) -> None:
    explorer, _ = case()
    with awake(browser, tmp_path, explorer, width=320) as (_, found):
        for target in [found.locator("select"), *(letter(found, i) for i in range(10))]:
            box = target.bounding_box()
            assert box is not None
            assert min(box["width"], box["height"]) >= 44
        letter(found, 8).tap()
        assert_shows(found, explorer, 0, 8)


def test_without_scripts_it_is_a_finished_figure(browser: Browser, tmp_path: Path) -> None:
    explorer, _ = case()
    write_page(tmp_path, explorer)
    with serve(tmp_path) as address, watch(browser, address, script=False) as watched:
        watched.page.goto(f"{address}page.html")
        found = watched.page.locator("[data-explorer]")
        assert_shows(found, explorer, 0, 3)
        for gone in found.locator("input, select, .try").all():
            assert not gone.is_visible()
