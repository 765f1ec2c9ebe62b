"""The score matrix in the hand: rows and masks chosen with mouse, finger and keys."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from explorer_cases.score_matrix import case
from explorer_page import awake, write_page
from playwright.sync_api import Browser, Locator
from watched import serve, watch

from softlookup import causal_mask, padding_mask, scaled_dot_product_attention, softmax
from softlookup.explorers import ScoreMatrix

#: As wide as a chapter's column on a phone of 320 px, in letters that are wide themselves.
NARROW = """el => Object.assign(el.style, {
    boxSizing: "border-box", width: "259px", fontFamily: "DejaVu Sans, Verdana, sans-serif",
})"""


def shown(found: Locator, part: str) -> list[float]:
    texts = found.locator(f"[data-part={part}]").all_inner_texts()
    return [float(x.replace("\N{MINUS SIGN}", "-").removesuffix(" coins")) for x in texts]


def state_of(found: Locator) -> tuple[int, str]:
    row, mask = found.evaluate("el => [el.model.get('row'), el.model.get('mask')]")
    return row, mask


def assert_shows(found: Locator, explorer: ScoreMatrix, row: int, mask: np.ndarray) -> None:
    q, k = np.asarray(explorer.query), np.asarray(explorer.key)
    v = np.asarray(explorer.value)[:, None]
    weights = softmax(q[row] @ k.T / np.sqrt(3), mask=mask[row])
    np.testing.assert_allclose(shown(found, "weight"), weights, rtol=0, atol=0.0051)
    output = scaled_dot_product_attention(q, k, v, mask=mask)[row]
    np.testing.assert_allclose(shown(found, "output"), output, rtol=0, atol=0.0051)


def test_rows_and_masks_are_chosen_by_a_click(browser: Browser, tmp_path: Path) -> None:
    explorer, _ = case()
    causal, padding = causal_mask(4, 5), padding_mask(3, 5) & np.ones((4, 5), bool)
    with awake(browser, tmp_path, explorer) as (_, found):
        found.get_by_label("gazpacho").click()
        assert_shows(found, explorer, 3, np.ones((4, 5), bool))
        found.get_by_label("padding").click()
        assert_shows(found, explorer, 3, padding)
        assert found.locator(".scores .hidden").count() == 8
        assert set(found.locator(".scores .hidden").all_inner_texts()) == {
            "\N{MULTIPLICATION SIGN}"
        }
        found.get_by_label("causal").click()
        found.get_by_label("guest A").click()
        assert_shows(found, explorer, 0, causal)
        assert shown(found, "weight") == [1, 0, 0, 0, 0]
        found.get_by_label("both").click()
        found.get_by_label("gazpacho").click()
        assert_shows(found, explorer, 3, causal & padding)
        found.get_by_label("nothing left").click()
        assert state_of(found) == (3, "nothing")
        assert shown(found, "weight") == [0] * 5
        assert shown(found, "output") == [0]
        assert "may attend to nothing" in found.locator("[role=status]").inner_text()


def test_rows_and_masks_are_chosen_with_the_arrow_keys(browser: Browser, tmp_path: Path) -> None:
    explorer, _ = case()
    with awake(browser, tmp_path, explorer, explorer) as (page, both):
        found, other = both.nth(0), both.nth(1)
        found.locator("[data-part=row]").nth(1).focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        assert state_of(found) == (3, "none")
        page.keyboard.press("ArrowDown")
        assert state_of(found) == (0, "none"), "after the last comes the first"
        page.keyboard.press("Enter")  # the form is never sent
        page.keyboard.press("Tab")
        page.keyboard.press("ArrowRight")
        assert state_of(found) == (0, "causal")
        assert found.locator("[data-part=followed]").inner_text() == "guest A"
        assert page.url.endswith("page.html")
        assert state_of(other) == (1, "none"), "two figures on one page are two"
        assert other.locator("[data-part=row]:checked").get_attribute("value") == "1"


def test_a_finger_finds_rows_and_masks(browser: Browser, tmp_path: Path) -> None:
    explorer, _ = case()
    with awake(browser, tmp_path, explorer, width=320) as (_, found):
        for label in found.locator("label").all():
            box = label.bounding_box()
            assert box is not None
            assert box["height"] >= 44
            assert box["width"] >= 44
        found.locator("label", has_text="gazpacho").tap()
        found.locator("label", has_text="causal").tap()
        assert state_of(found) == (3, "causal")


def test_five_columns_fit_beside_the_margins_of_a_page_on_a_small_phone(
    browser: Browser, tmp_path: Path
) -> None:
    explorer, _ = case()
    with awake(browser, tmp_path, explorer, width=320) as (_, found):
        found.evaluate(NARROW)
        too_wide = "xs => xs.filter((x) => x.scrollWidth > x.clientWidth).map((x) => x.innerText)"
        assert found.locator("td, .scores label, .scores label span").evaluate_all(too_wide) == []
        table, around = found.locator("table").bounding_box(), found.bounding_box()
        assert table is not None
        assert around is not None
        assert table["x"] > around["x"]
        assert table["x"] + table["width"] < around["x"] + around["width"]


def test_without_scripts_there_is_nothing_to_choose(browser: Browser, tmp_path: Path) -> None:
    explorer, _ = case()
    write_page(tmp_path, explorer)
    with serve(tmp_path) as address, watch(browser, address, script=False) as watched:
        watched.page.goto(f"{address}page.html")
        found = watched.page.locator("[data-explorer]")
        assert found.locator("table").is_visible()
        assert [x.is_visible() for x in found.locator("input, fieldset, .try").all()] == [
            False
        ] * 11
