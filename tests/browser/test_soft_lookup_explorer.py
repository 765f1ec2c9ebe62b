"""The soft lookup in the hand: dragged by mouse and finger, and moved with the keys."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from explorer_cases.soft_lookup import case
from explorer_page import awake
from playwright.sync_api import Browser, Locator

from softlookup import softmax


def star_of(found: Locator) -> Locator:
    return found.locator("[data-part=query]")


def query_of(found: Locator) -> list[float]:
    query: list[float] = found.evaluate("el => el.model.get('query')")
    return query


def test_the_star_is_dragged_by_mouse_and_the_answer_follows(
    browser: Browser, tmp_path: Path
) -> None:
    explorer, _ = case()
    with awake(browser, tmp_path, explorer) as (page, found):
        star_of(found).scroll_into_view_if_needed()
        plane = found.locator("svg.plane").bounding_box()
        box = star_of(found).bounding_box()
        assert plane is not None
        assert box is not None
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.down()
        to = plane["x"] + 0.9 * plane["width"], plane["y"] + 0.1 * plane["height"]
        page.mouse.move(*to, steps=5)
        page.mouse.up()
        page.mouse.move(plane["x"], plane["y"])  # let go: it stays
        assert query_of(found) == [1.0, 1.0]
        explorer.query = [1.0, 1.0]
        expected = softmax(np.asarray(explorer.key) @ [1.0, 1.0], temperature=1.0)
        shown = [float(x) for x in found.locator("[data-part=weight]").all_inner_texts()]
        np.testing.assert_allclose(shown, expected, rtol=0, atol=0.005)
        assert found.locator("[role=status]").inner_text() == explorer.sentence()


def test_the_star_is_moved_with_the_arrow_keys(browser: Browser, tmp_path: Path) -> None:
    explorer, _ = case()
    with awake(browser, tmp_path, explorer) as (page, found):
        star_of(found).focus()
        for key in ("ArrowRight", "ArrowRight", "ArrowUp", "Shift+ArrowLeft", "Shift+ArrowDown"):
            page.keyboard.press(key)
        assert query_of(found) == [0.34, -0.46]
        assert star_of(found).get_attribute("aria-valuetext") == "0.34, \N{MINUS SIGN}0.46"
        for _ in range(40):
            page.keyboard.press("ArrowLeft")
        assert query_of(found) == [-1, -0.46], "it stays within the plane"
        page.keyboard.press("Tab")
        page.keyboard.press("Home")
        assert query_of(found)[0] == -1
        page.keyboard.press("End")
        assert query_of(found) == [1, -0.46], "the sliders move it too"


def test_the_star_follows_a_finger(browser: Browser, tmp_path: Path) -> None:
    explorer, _ = case()
    with awake(browser, tmp_path, explorer, width=390) as (page, found):
        box, plane = star_of(found).bounding_box(), found.locator("svg.plane").bounding_box()
        assert box is not None
        assert plane is not None
        assert min(box["width"], box["height"]) >= 44, "large enough for a finger"
        touch, before = page.context.new_cdp_session(page), page.evaluate("scrollY")

        def finger(kind: str, *at: tuple[float, float]) -> None:
            points = [{"x": x, "y": y} for x, y in at]
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

        start = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        middle = (plane["x"] + plane["width"] / 2, plane["y"] + plane["height"] / 2)
        finger("touchStart", start)
        for part in (0.25, 0.5, 0.75, 1):
            finger(
                "touchMove", tuple(a + part * (b - a) for a, b in zip(start, middle, strict=True))
            )
            page.evaluate("() => new Promise(requestAnimationFrame)")  # as fast as a screen
        finger("touchEnd")
        assert query_of(found) == [0, 0]
        assert page.evaluate("scrollY") == before, "the page does not scroll away under the finger"
