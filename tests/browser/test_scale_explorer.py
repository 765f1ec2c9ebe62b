"""The number of columns and the root in the hand: slid, ticked and drawn again."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from explorer_cases.scale import case
from explorer_page import SET, assert_fits, awake
from numpy.typing import NDArray
from playwright.sync_api import Browser, Locator

from softlookup import explorers, softmax


def state_of(found: Locator) -> list[Any]:
    state: list[Any] = found.evaluate(
        "el => ['size', 'root', 'draw'].map(name => el.model.get(name))"
    )
    return state


def numbers_in(found: Locator, part: str) -> NDArray[np.float64]:
    texts = found.locator(f"[data-part={part}]").all_inner_texts()
    return np.array([float(text.replace("\N{MINUS SIGN}", "-")) for text in texts])


def real_draws() -> explorers.Scale:
    """Return what the chapter has, with other luck: dot products of vectors of normal numbers."""
    rng = np.random.default_rng(11)
    sizes = 4 ** np.arange(6)
    q, k = rng.standard_normal((3, 1, 1024)), rng.standard_normal((3, 8, 1024))
    return explorers.Scale((q * k).cumsum(axis=2)[:, :, sizes - 1], sizes, size=64)


def test_slider_tick_and_button_change_what_softmax_is_given(
    browser: Browser, tmp_path: Path
) -> None:
    explorer = real_draws()
    with awake(browser, tmp_path, explorer) as (page, found):
        found.locator("[data-part=size]").focus()
        page.keyboard.press("ArrowRight")
        assert state_of(found) == [256, False, 0]
        found.locator("[data-part=root]").focus()
        page.keyboard.press("Space")
        assert state_of(found) == [256, True, 0]
        found.locator("[data-part=draw]").focus()
        for draw in (1, 2, 0, 1):
            page.keyboard.press("Enter")
            assert state_of(found) == [256, True, draw]
        scaled = np.array(explorer.scores)[1, :, 4] / 16
        np.testing.assert_allclose(numbers_in(found, "score"), scaled, rtol=0, atol=0.0051)
        weights = softmax(scaled)
        np.testing.assert_allclose(numbers_in(found, "weight"), weights, rtol=0, atol=0.0051)
        found.get_by_text("divide by \N{SQUARE ROOT}d", exact=True).click()
        assert state_of(found) == [256, False, 1]
        weights = softmax(scaled * 16)
        np.testing.assert_allclose(numbers_in(found, "weight"), weights, rtol=0, atol=0.0051)
        for target in (found.locator(".tick-box"), found.locator("button")):
            box = target.bounding_box()
            assert box is not None
            assert box["height"] >= 44, "large enough for a finger"


def test_the_slope_is_that_of_a_small_actual_change(browser: Browser, tmp_path: Path) -> None:
    explorer = real_draws()
    step = 1e-6
    with awake(browser, tmp_path, explorer) as (_, found):
        for root in (False, True):
            for size in (4, 64):
                found.evaluate(SET, {"size": size, "root": root})
                dots = np.array(explorer.scores)[0, :, explorer.sizes.index(size)]
                scores = dots * size**-0.5 if root else dots
                nudges = step * np.eye(len(dots))
                slopes = (softmax(scores + nudges) - softmax(scores)) / step
                np.testing.assert_allclose(
                    numbers_in(found, "slope"), [slopes.diagonal().max()], rtol=0, atol=6e-5
                )


def test_small_slopes_keep_two_digits_and_vanishing_ones_say_so() -> None:
    slopes = {}
    for gap in (2.0, 9.0, 15.0, 30.0, 900.0):
        explorer = explorers.Scale([[[gap], [0.0]]], [1], size=1)
        slopes[gap] = explorer.sentence().rpartition("slope ")[2]
    assert slopes == {
        2.0: "0.1050.",
        9.0: "0.00012.",
        15.0: "0.00000031.",
        30.0: "< 0.00000001.",
        900.0: "< 0.00000001.",
    }


def test_all_of_it_fits_where_a_page_leaves_little_room(browser: Browser, tmp_path: Path) -> None:
    explorer = real_draws()
    assert_fits(browser, tmp_path, explorer)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"size": 10}, "size: needed one of [1, 2, 9, 100, 1024], got 10"),
        ({"draw": 4}, "draw: needed a whole number from 0 to 3, got 4"),
        ({"draw": -1}, "draw: needed a whole number of at least 0, got -1"),
    ],
)
def test_a_state_that_is_not_there_is_refused(change: dict[str, Any], message: str) -> None:
    explorer, _ = case()
    before = explorer.state()
    with pytest.raises(ValueError, match=re.escape(message)):
        setattr(explorer, *next(iter(change.items())))
    assert explorer.state() == before


@pytest.mark.parametrize(
    ("scores", "sizes", "message"),
    [
        (np.zeros((2, 3, 4)), [1, 2, 3], "scores: needed shape"),
        (np.zeros((2, 1, 3)), [1, 2, 3], "from 2 to 12 keys"),
        (np.zeros((0, 2, 3)), [1, 2, 3], "scores: needed shape"),
        (np.zeros((2, 3)), [1, 2, 3], "scores: needed shape"),
        (np.zeros((2, 2, 3)), [1, 3, 3], "sizes: needed whole numbers of at least 1, each larger"),
        (np.zeros((2, 2, 3)), [0, 1, 3], "sizes: needed whole numbers of at least 1, each larger"),
        (np.full((2, 2, 3), np.nan), [1, 2, 3], "scores: needed finite numbers"),
    ],
)
def test_what_cannot_be_an_explorer_is_refused(scores: Any, sizes: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        explorers.Scale(scores, sizes, size=1)
