"""The alignment figure: every glyph drawn on any machine, areas that are the weights."""

from __future__ import annotations

import io
import warnings
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from fontTools.ttLib import TTFont
from matplotlib import pyplot as plt
from matplotlib.font_manager import FontProperties, findfont, get_font

from softlookup import dates, plots
from softlookup.dates.formats import characters

FONT = Path(plots.__file__).parent / "fonts" / "dates.ttf"


@pytest.fixture(autouse=True)
def course_style():
    with mpl.rc_context():
        mpl.use("agg")
        plots.use_course_style()
        yield
        plt.close("all")


def even(text, rows=10):
    return np.full((rows, len(text)), 1 / len(text))


@pytest.mark.parametrize("row", dates.examples(), ids=lambda row: f"{row['locale']} {row['form']}")
def test_no_glyph_is_missing(row):
    text = row["written"]
    ax = plots.alignment(even(text), text, row["iso"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # Matplotlib warns of each glyph that it draws as a box
        ax.figure.savefig(io.BytesIO(), format="svg")


def test_the_small_font_and_the_usual_one_have_all_characters_of_dates():
    usual = get_font(findfont(FontProperties(family="DejaVu Sans"))).get_charmap()
    with TTFont(FONT) as font:
        own = font.getBestCmap()
    assert {ord(c) for c in characters()} <= set(usual) | set(own)
    # And nothing that is not needed: it holds what the usual font lacks.
    assert set(own) == {ord(c) for c in characters()} - set(usual)


def test_the_font_says_whose_it_is_and_lies_beside_its_licence():
    with TTFont(FONT) as font:
        names = font["name"]
        assert "Adobe" in names.getDebugName(0)
        # Its family is not a name that the licence reserves.
        assert names.getDebugName(1) == "Softlookup Dates"
    assert "SIL Open Font License" in FONT.with_name("dates-OFL.txt").read_text(encoding="utf-8")
    assert FONT.stat().st_size < 10_000


def test_areas_are_the_weights():
    weights = np.array([[0.25, 0.75, 0.0], [0.0, 0.001, 0.999]])
    ax = plots.alignment(weights, "3월 ", "03")
    (patch,) = ax.patches
    corners = patch.get_path().vertices.reshape(-1, 5, 2)
    places = {
        (int(square[:, 1].mean()), int(square[0, 0])): np.ptp(square, axis=0).prod().round(3)
        for square in corners
    }
    assert places == {(0, 0): 0.25, (0, 1): 0.75, (1, 2): 1.0}
    assert [label.get_text() for label in ax.get_xticklabels()] == ["3", "월", "\N{OPEN BOX}"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["0", "3"]


def test_the_last_digits_of_the_weights_do_not_matter():
    def svg(weights):
        ax = plots.alignment(weights, "2026년", "2026")
        file = io.BytesIO()
        ax.figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
        return file.getvalue()

    weights = np.full((4, 5), 0.2)
    weights[0, :2] = 0.3, 0.1
    nearly = weights + np.random.default_rng(1).normal(scale=1e-6, size=weights.shape)
    assert svg(weights) == svg(nearly)
    assert svg(weights) != svg(weights[::-1])


@pytest.mark.parametrize(("text", "least"), [("2026년 11월 29일", 13.0), ("W" * 29, 8.0)])
def test_characters_are_readable_on_a_phone(text, least):
    """Sizes in pixels where the figure is shown 350 pixels wide."""
    ax = plots.alignment(even(text), text, "2026-11-29", axes=("writes", "reads"))
    shrink = 350 / (ax.figure.get_size_inches()[0] * 72)
    for label in (*ax.get_xticklabels(), *ax.get_yticklabels()):
        assert label.get_fontsize() * shrink >= least


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.5, 0.5], "ab", "c"), "needed a matrix"),
        (([[0.5, 0.5]], "abc", "d"), "source_characters: needed 2 characters, got 3"),
        (([[0.5, 0.5]], "ab", "cd"), "target_characters: needed 1 characters, got 2"),
        (([[-0.5, 1.5]], "ab", "c"), "needed numbers from 0 to 1"),
        (([[np.nan, 1.0]], "ab", "c"), "needed numbers from 0 to 1"),
        (([[0.5, 0.5]], "a龍", "c"), "'龍': needed a character that a font here can draw"),
    ],
)
def test_errors_say_what_was_needed(arguments, message):
    with pytest.raises(ValueError, match=message):
        plots.alignment(*arguments)
