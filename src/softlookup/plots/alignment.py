"""Where a reader looked while it wrote: one text down the side, another along the top."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path as FilePath

import numpy as np
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from numpy.typing import ArrayLike

from . import style

__all__ = ["alignment"]

# Hangul and Kanji of dates, which Matplotlib's own font lacks; tools/make_date_font.py makes it.
_DATES = FilePath(__file__).parent / "fonts" / "dates.ttf"
_BLANK = "\N{OPEN BOX}"
_WIDTH, _SIDE, _LARGEST = 5.2, 0.42, 14.0
_FILL = "#0b63a5"


def alignment(
    weights: ArrayLike,
    source_characters: Sequence[str],
    target_characters: Sequence[str],
    *,
    axes: tuple[str, str] = ("", ""),
) -> Axes:
    """Draw attention weights between two texts as squares, their area the weight.

    Each row is a character that was written, and shows where in the source the reader looked.
    The areas of a row's squares add up to one full cell. Blanks are drawn as an open box.

    Parameters
    ----------
    weights : array_like, shape (n_target, n_source)
        From 0 to 1, such as rows of a softmax; drawn to two decimals.
    source_characters, target_characters
        Texts, or sequences of single characters. Of Hangul and Kanji, those of dates are there.
    axes
        What the rows are, and what the columns are.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        For anything but one matrix of numbers from 0 to 1, texts that do not fit it, or a
        character that no font here can draw.

    Examples
    --------
    >>> ax = alignment([[0.9, 0.1], [0.25, 0.75]], "3월", "03")
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['3', '월']
    """
    table = np.asarray(weights, dtype=float)
    if table.ndim != 2 or 0 in table.shape:
        raise ValueError(f"weights: needed a matrix, rows and columns, got shape {table.shape}.")
    if not ((table >= 0) & (table <= 1 + 1e-6)).all():
        raise ValueError("weights: needed numbers from 0 to 1.")
    for name, text, length in (
        ("target_characters", target_characters, table.shape[0]),
        ("source_characters", source_characters, table.shape[1]),
    ):
        if len(text) != length:
            raise ValueError(f"{name}: needed {length} characters, got {len(text)}.")
    rows, columns = table.shape
    cell = min(0.34, (_WIDTH - _SIDE - (0.25 if axes[0] else 0)) / columns)
    size = min(_LARGEST, 0.9 * 72 * cell)
    height = rows * max(cell, 0.22) + 0.5 + (0.3 if axes[1] else 0)
    width = columns * cell + _SIDE + (0.25 if axes[0] else 0)
    ax = style.new_axes(max(width, 2.4), height)
    ax.set(xlim=(0, columns), ylim=(rows, 0))
    ax.hlines(range(rows + 1), 0, columns, color=style.GRID, lw=0.6)
    ax.vlines(range(columns + 1), 0, rows, color=style.GRID, lw=0.6)
    # Two decimals, and one shape for all squares: equal bytes on every machine, and few of them.
    shown = table.round(2)
    squares = [_square(row, column, shown[row, column]) for row, column in np.argwhere(shown > 0)]
    if squares:
        whole = Path.make_compound_path(*squares)
        ax.add_patch(PathPatch(whole, facecolor=_FILL, edgecolor="none", lw=0))
    ax.set_xticks(np.arange(columns) + 0.5, [_visible(c) for c in source_characters])
    ax.set_yticks(np.arange(rows) + 0.5, [_visible(c) for c in target_characters])
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.tick_params(length=0, pad=3)
    for label in (*ax.get_xticklabels(), *ax.get_yticklabels()):
        label.set_fontproperties(_font(label.get_text()))
        label.set_fontsize(size)
    ax.spines[:].set_visible(False)
    if axes[1]:
        ax.set_xlabel(f"{axes[1]} \N{RIGHTWARDS ARROW}", style="italic", labelpad=6)
    if axes[0]:
        # Turned with its text, the arrow points down.
        ax.set_ylabel(f"\N{LEFTWARDS ARROW} {axes[0]}", style="italic", labelpad=6)
    return ax


def _square(row: int, column: int, weight: float) -> Path:
    """Return a square in the middle of a cell, with the weight as its share of the cell."""
    half = 0.5 * min(1.0, weight) ** 0.5
    x, y = column + 0.5, row + 0.5
    corners = [
        (x - half, y - half),
        (x + half, y - half),
        (x + half, y + half),
        (x - half, y + half),
    ]
    return Path([*corners, corners[0]], closed=True)


def _visible(character: str) -> str:
    return _BLANK if character.isspace() else character


@cache
def _font(character: str) -> FontProperties:
    """Return the first font that can draw a character."""
    for font in (FontProperties(family="DejaVu Sans"), FontProperties(fname=str(_DATES))):
        known = get_font(findfont(font)).get_charmap()
        if all(ord(part) in known for part in character):
            return font
    raise ValueError(
        f"{character!r}: needed a character that a font here can draw; of Hangul and Kanji, "
        "those of dates are there."
    )
