"""The column-three explorer in the hand: epochs and seeds by mouse, key and finger."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from explorer_cases.column_three import case
from explorer_page import awake
from playwright.sync_api import Browser, Locator

from softlookup import column_three as c3
from softlookup.explorers import ColumnThree

SEEDS, EPOCHS = [2, 50], 4
NUMBER = r"\N{MINUS SIGN}?\d\.\d\d"
NEAR = 0.0051  # rounded when it is stored, and again when it is shown


@pytest.fixture(scope="module")
def trained() -> tuple[ColumnThree, list[c3.Reading]]:
    """Return an explorer of real runs, and what was read off them, epoch by epoch."""
    run = c3.train(SEEDS, epochs=EPOCHS, snapshots=range(EPOCHS + 1))
    readings = [c3.read(run, epoch, shuffle=False) for epoch in range(EPOCHS + 1)]

    def over(name: str) -> Any:
        return np.stack([getattr(reading, name) for reading in readings], axis=1)

    explorer = ColumnThree(
        SEEDS,
        {"key 1": over("key_1"), "mean |W|": over("weight")},
        loss=over("loss"),
        accuracy=over("accuracy"),
        pull=over("effective")[..., 3],
    )
    return explorer, readings


def seen(found: Locator) -> list[float]:
    return [float(x) for x in found.locator("[data-part=cell]").all_inner_texts()]


def state(found: Locator) -> list[int]:
    now: list[int] = found.evaluate("el => [el.model.get('seed'), el.model.get('epoch')]")
    return now


def seed_button(found: Locator, seed: int) -> Locator:
    return found.get_by_role("button", name=f"seed {seed}", exact=True)


def test_what_is_shown_was_measured(
    browser: Browser, tmp_path: Path, trained: tuple[ColumnThree, list[c3.Reading]]
) -> None:
    explorer, readings = trained
    with awake(browser, tmp_path, explorer) as (page, found):
        for i, seed in enumerate(SEEDS):
            seed_button(found, seed).click()
            found.locator("[data-part=epoch]").focus()
            page.keyboard.press("Home")
            for epoch, reading in enumerate(readings):
                if epoch:
                    page.keyboard.press("ArrowRight")
                assert state(found) == [seed, epoch]
                rows = [reading.key_1[i], reading.weight[i]]
                np.testing.assert_allclose(seen(found), np.ravel(rows), rtol=0, atol=NEAR)
                marked = found.locator("td.largest").all_inner_texts()
                assert [float(x) for x in marked] == pytest.approx(
                    [float(row.max()) for row in rows], abs=NEAR
                )
                said = found.locator("[role=status]").inner_text()
                numbers = [
                    float(x.replace("\N{MINUS SIGN}", "-")) for x in re.findall(NUMBER, said)
                ]
                told = [reading.loss[i], reading.accuracy[i], reading.effective[i, 3]]
                np.testing.assert_allclose(numbers, told, rtol=0, atol=NEAR)
                three = [row.argmax() == 3 for row in rows]
                assert ("largest in every picture" in said) == all(three)
                assert ("largest in no picture" in said) == (not any(three))


def test_bars_are_as_long_as_their_numbers_say(browser: Browser, tmp_path: Path) -> None:
    explorer, _ = case()
    with awake(browser, tmp_path, explorer) as (_, found):
        shares = found.locator("[data-part=cell]").evaluate_all(
            "cells => cells.map(c => Number(c.style.getPropertyValue('--share')))"
        )
        pictures = np.asarray(explorer.pictures)
        keys = pictures[:2].max()  # they share a height
        heights = [[keys], [keys], [pictures[2].max()], [pictures[3].max()]]
        expected = np.asarray(explorer.rows) / heights
        np.testing.assert_allclose(shares, expected.ravel(), rtol=0, atol=1e-4)
        assert max(shares) == 1, "a picture reaches its top here"


def test_all_of_it_works_by_keyboard_and_the_button_pressed_says_so(
    browser: Browser, tmp_path: Path
) -> None:
    explorer, _ = case()
    with awake(browser, tmp_path, explorer) as (page, found):
        page.keyboard.press("Tab")
        for _ in range(3):
            page.keyboard.press("ArrowLeft")
        assert state(found) == [3, 2]
        assert found.locator("[data-part=epoch]").get_attribute("aria-valuetext") == "2"
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        assert state(found) == [12, 2]
        for key in ("Tab", "Tab", "Space"):
            page.keyboard.press(key)
        assert state(found) == [128, 2]
        pressed = found.locator("button[aria-pressed=true]")
        assert pressed.all_inner_texts() == ["128"]


def test_a_finger_finds_slider_and_buttons(browser: Browser, tmp_path: Path) -> None:
    explorer, _ = case()
    with awake(browser, tmp_path, explorer, width=320) as (_, found):
        for target in found.locator("button, input").all():
            box = target.bounding_box()
            assert box is not None
            assert min(box["width"], box["height"]) >= 44
        seed_button(found, 128).tap()
        assert state(found) == [128, 5]
        found.locator("[data-part=epoch]").tap(position={"x": 3, "y": 20})
        assert state(found) == [128, 0]
        explorer.seed, explorer.epoch = 128, 0
        assert found.locator("[role=status]").inner_text() == explorer.sentence()


# In Python alone


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seeds": []}, "seeds: needed at least one, each once, got []"),
        ({"seeds": [4, 4]}, "each once, got [4, 4]"),
        ({"pictures": {}}, "pictures: needed at least one, got none"),
        ({"pictures": {"key": np.ones((1, 2, 5))}}, "key: needed shape (2, epochs + 1, columns)"),
        ({"pictures": {"key": -np.ones((2, 3, 5))}}, "key: needed numbers from 0 up, got -1"),
        ({"pictures": {"key": np.ones((2, 3, 3))}}, "a column 3, got shape (2, 3, 3)"),
        ({"loss": np.ones((2, 2))}, "loss: needed shape (2, 3), got (2, 2)"),
        ({"pull": np.full((2, 3), np.nan)}, "pull"),
        ({"seed": 6}, "seed: needed one of 4, 5, got 6"),
        ({"epoch": 3}, "epoch: needed a whole number from 0 to 2, got 3"),
        ({"epoch": -1}, "from 0 to 2, got -1"),
    ],
)
def test_what_cannot_be_shown_is_said(change: dict[str, Any], message: str) -> None:
    flat = np.ones((2, 3))
    given: dict[str, Any] = {"seeds": [4, 5], "pictures": {"key": np.ones((2, 3, 5))}}
    given |= {"loss": flat, "accuracy": flat, "pull": flat} | change
    with pytest.raises(ValueError, match=re.escape(message)):
        ColumnThree(given.pop("seeds"), given.pop("pictures"), **given)


def test_a_state_out_of_range_is_refused_later_too() -> None:
    explorer, _ = case()
    with pytest.raises(ValueError, match="from 0 to 7, got 8"):
        explorer.epoch = 8
    with pytest.raises(ValueError, match="needed one of 12, 3, 128, got 4"):
        explorer.seed = 4
    assert (explorer.seed, explorer.epoch) == (3, 5)


def test_a_picture_of_nothing_but_zeros_has_no_bars_and_no_largest() -> None:
    flat, zeros = np.ones((1, 2)), np.zeros((1, 2, 5))
    explorer = ColumnThree([1], {"key": zeros}, loss=flat, accuracy=flat, pull=flat)
    assert explorer.frame().count("--share: 0.0000;") == 5
    assert explorer.largest == [False]
