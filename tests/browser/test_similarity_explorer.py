"""The query and the keys in the hand: dragged, pushed with keys, chosen and slid."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from explorer_cases.similarity import case
from explorer_page import SET, assert_fits, awake
from playwright.sync_api import Browser, Locator, Page

from softlookup import explorers, menu


def state_of(found: Locator, name: str) -> Any:
    return found.evaluate("(el, name) => el.model.get(name)", name)


def numbers_in(found: Locator, part: str) -> list[list[float]]:
    texts = found.locator(f"[data-part={part}]").all_inner_texts()
    return [
        [float(x) for x in re.findall(r"-?[0-9.]+", text.replace("\N{MINUS SIGN}", "-"))]
        for text in texts
    ]


def drag(page: Page, found: Locator, handle: Locator, to: tuple[float, float]) -> None:
    """Take a handle's middle to a point of the data."""
    handle.scroll_into_view_if_needed()
    plane, box = found.locator("svg.plane").first.bounding_box(), handle.bounding_box()
    assert plane is not None
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    unit = plane["width"] / 300 * 120
    middle = plane["x"] + plane["width"] / 2, plane["y"] + plane["height"] / 2
    page.mouse.move(middle[0] + unit * to[0], middle[1] - unit * to[1], steps=4)
    page.mouse.up()


def test_query_and_keys_are_dragged_and_the_sum_follows(browser: Browser, tmp_path: Path) -> None:
    keys = menu.keys("spicy", "soupy")
    explorer = explorers.Similarity(keys, menu.DISHES, query=[0.6, 0.3])
    with awake(browser, tmp_path, explorer) as (page, found):
        drag(page, found, found.locator("[data-part=tip]").nth(4), (0.5, -1.0))
        drag(page, found, found.locator("[data-part=query]"), (-0.5, 0.75))
        query, moved = np.array(state_of(found, "query")), np.array(state_of(found, "key"))
        np.testing.assert_allclose(query, [-0.5, 0.75], rtol=0, atol=0.02)
        np.testing.assert_allclose(moved[4], [0.5, -1.0], rtol=0, atol=0.02)
        np.testing.assert_array_equal(moved[:4], keys[:4])
        scores = moved @ query
        shown = np.ravel(numbers_in(found, "score"))
        np.testing.assert_allclose(shown, scores, rtol=0, atol=0.0051)
        np.testing.assert_allclose(
            numbers_in(found, "total"), [scores @ moved], rtol=0, atol=0.0051
        )
        pulls = scores[:, None] * moved @ query / np.linalg.norm(query)
        np.testing.assert_allclose(np.ravel(numbers_in(found, "pull")), pulls, rtol=0, atol=0.0051)
        turned = found.locator("[data-part=step]").evaluate_all(
            "steps => steps.map(step => step.classList.contains('turned'))"
        )
        assert turned == (scores < 0).tolist()


def test_a_drawn_step_is_a_scaled_key(browser: Browser, tmp_path: Path) -> None:
    explorer, states = case()
    with awake(browser, tmp_path, explorer) as (_, found):
        found.evaluate(SET, states[6])
        reach = float(found.locator("[data-part=tick-high]").first.text_content() or "")
        keys, query = np.array(states[6]["key"]), np.array(states[6]["query"])
        paths = found.locator("[data-part=step]").evaluate_all(
            "steps => steps.map(step => step.getAttribute('d'))"
        )
        for path, scaled in zip(paths, (keys @ query)[:, None] * keys, strict=True):
            found_numbers = [float(x) for x in re.findall(r"-?[0-9.]+", path)]
            tail, tip = np.reshape(found_numbers, (-1, 2))[[0, 2]]
            drawn = (tip - tail) / 120 * reach * [1, -1]
            np.testing.assert_allclose(drawn, scaled, rtol=0, atol=0.11 / 120 * reach)


def test_without_dragging_all_can_be_moved(browser: Browser, tmp_path: Path) -> None:
    explorer, _ = case()
    with awake(browser, tmp_path, explorer) as (page, found):
        tip = found.locator("[data-part=tip]").nth(1)
        tip.focus()
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Shift+ArrowRight")
        x, y = explorer.key[1]
        assert state_of(found, "key")[1] == pytest.approx([x + 0.01, y + 0.05])
        choice = found.locator("[data-part=chosen]")
        assert choice.input_value() == "2", "the sliders follow what is moved"
        choice.select_option(label="a <b> & 5")
        found.locator("[data-part=at-0]").focus()
        page.keyboard.press("Home")
        assert state_of(found, "key")[5] == [-1, explorer.key[5][1]]
        choice.select_option(label="query")
        found.locator("[data-part=at-1]").focus()
        page.keyboard.press("End")
        assert state_of(found, "query") == [0.25, 1]
        found.locator("[data-part=added]").focus()
        page.keyboard.press("Home")
        page.keyboard.press("ArrowRight")
        assert state_of(found, "added") == 1
        first = np.array(state_of(found, "key")[0])
        expected = [first @ [0.25, 1] * first]
        np.testing.assert_allclose(numbers_in(found, "total"), expected, rtol=0, atol=0.0051)
        assert "Sum of 1:" in found.locator("[role=status]").inner_text()


def test_a_key_follows_a_finger(browser: Browser, tmp_path: Path) -> None:
    explorer, _ = case()
    with awake(browser, tmp_path, explorer, width=390) as (page, found):
        tip = found.locator("[data-part=tip]").nth(0)
        box = tip.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44, "large enough for a finger"
        select = found.locator("select").bounding_box()
        assert select is not None
        assert select["height"] >= 44
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        touch, before = page.context.new_cdp_session(page), page.evaluate("scrollY")
        for kind, points in (
            ("touchStart", [{"x": x, "y": y}]),
            ("touchMove", [{"x": x - 20, "y": y + 15}]),
            ("touchMove", [{"x": x - 40, "y": y + 30}]),
            ("touchEnd", []),
        ):
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
            page.evaluate("() => new Promise(requestAnimationFrame)")
        moved = np.subtract(state_of(found, "key")[0], explorer.key[0])
        unit = page.locator("svg.plane").first.evaluate("el => el.clientWidth") / 300 * 120
        np.testing.assert_allclose(moved, [-40 / unit, -30 / unit], rtol=0, atol=0.011)
        assert page.evaluate("scrollY") == before


def test_all_of_it_fits_where_a_page_leaves_little_room(browser: Browser, tmp_path: Path) -> None:
    explorer = explorers.Similarity(menu.keys("spicy", "soupy"), menu.DISHES, query=[0.6, 0.3])
    assert_fits(browser, tmp_path, explorer)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"query": [0.5, 2.0]}, "query: needed coordinates from -1 to 1"),
        ({"query": [0.5]}, "query: needed 2 numbers"),
        ({"key": [[0.5, 0.5]]}, "keys: needed 6 rows"),
        ({"key": [[0.5, 1.5]] * 6}, "numbers up to 1.5"),
        ({"added": 7}, "added: needed a whole number from 0 to 6, got 7"),
        ({"chosen": -1}, "chosen: needed a whole number of at least 0, got -1"),
    ],
)
def test_a_state_that_cannot_be_drawn_is_refused(change: dict[str, Any], message: str) -> None:
    explorer, _ = case()
    before = explorer.state()
    with pytest.raises(ValueError, match=re.escape(message)):
        setattr(explorer, *next(iter(change.items())))
    assert explorer.state() == before


def test_what_cannot_be_an_explorer_is_refused() -> None:
    with pytest.raises(ValueError, match="keys: needed from 1 to 8 rows, got 9"):
        explorers.Similarity(np.ones((9, 2)), list("abcdefghi"), query=[0, 0])
    with pytest.raises(ValueError, match="names: needed 2 names, one per row, got 1"):
        explorers.Similarity(np.ones((2, 2)), ["a"], query=[0, 0])
