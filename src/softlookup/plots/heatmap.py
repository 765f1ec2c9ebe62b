"""A matrix as coloured cells, with its numbers in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path
from numpy.typing import ArrayLike, NDArray

from . import style

__all__ = ["heatmap", "heatmaps"]

# Tints no darker than this keep black numbers readable (contrast above 4.5) as drawn, and white
# numbers where a dark page inverts the picture.
_POSITIVE, _ZERO, _NEGATIVE = "#74aee8", "#ffffff", "#ee9a5d"
_STEPS = 32
_NUMBER = "#000000"
LARGEST, SMALLEST = 11.0, 7.5  # points, for numbers in cells


def heatmap(
    matrix: ArrayLike,
    row_labels: Sequence[str],
    column_labels: Sequence[str],
    *,
    title: str = "",
    hidden: ArrayLike | None = None,
    axes: tuple[str, str] = ("", ""),
    decimals: int = 2,
    strongest: float | None = None,
) -> Axes:
    """Draw a matrix as cells: blue above 0, orange below, the number written in each.

    Parameters
    ----------
    matrix : array_like, shape (n_rows, n_columns)
        The numbers.
    row_labels, column_labels
        One name per row and per column; an empty sequence draws none.
    title
        Written above.
    hidden : array_like of bool, shape (n_rows, n_columns), optional
        True = hatched, with neither colour nor number. For a mask, where True = may attend, pass
        ``~mask``.
    axes
        What the rows are, and what the columns are.
    decimals
        How many are written. Where cells are too small for numbers, none are.
    strongest
        The magnitude that gets the strongest colour, above 0; the matrix's own largest if not
        given.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        For anything but one matrix of finite numbers, or labels or ``hidden`` that do not fit it.

    Examples
    --------
    >>> ax = heatmap([[0.7, 0.3], [0.0, 1.0]], ["a", "b"], ["c", "d"], hidden=[[0, 0], [1, 0]])
    >>> [text.get_text() for text in ax.texts]
    ['0.70', '0.30', '1.00']
    """
    (ax,) = heatmaps(
        {title: matrix},
        row_labels,
        column_labels,
        hidden=None if hidden is None else {title: hidden},
        axes=axes,
        decimals=decimals,
        strongest=strongest,
    )
    return ax


def heatmaps(
    matrices: Mapping[str, ArrayLike],
    row_labels: Sequence[str],
    column_labels: Sequence[str],
    *,
    hidden: Mapping[str, ArrayLike] | None = None,
    axes: tuple[str, str] = ("", ""),
    decimals: int = 2,
    strongest: float | None = None,
    across: int = 2,
) -> list[Axes]:
    """Draw several matrices of one shape beside one another.

    Parameters
    ----------
    matrices
        For each title, an array_like of shape (n_rows, n_columns).
    row_labels, column_labels
        As in :func:`heatmap`.
    hidden
        For each title that has hidden cells, an array_like of bool, as in :func:`heatmap`.
    axes, decimals, strongest
        As in :func:`heatmap`.
    across
        How many stand side by side before the next line begins.

    Returns
    -------
    list of Axes
        One per matrix.

    Raises
    ------
    ValueError
        As :func:`heatmap`, or for matrices of different shapes.

    Examples
    --------
    >>> left, right = heatmaps({"S": [[1, -1]], "W": [[0.9, 0.1]]}, ["a"], ["b", "c"])
    >>> left.get_title(), right.get_title()
    ('S', 'W')
    """
    tables = {title: _matrix(title, matrix) for title, matrix in matrices.items()}
    shapes = {table.shape for table in tables.values()}
    if len(shapes) != 1:
        raise ValueError(f"matrices: needed at least one, all of one shape, got {sorted(shapes)}.")
    (shape,) = shapes
    for name, labels, length in (
        ("row_labels", row_labels, shape[0]),
        ("column_labels", column_labels, shape[1]),
    ):
        if len(labels) not in (0, length):
            raise ValueError(f"{name}: needed {length} names, got {len(labels)}.")
    covers = {title: np.zeros(shape, dtype=bool) for title in tables}
    for title, given in (hidden or {}).items():
        cover = np.asarray(given).astype(bool)
        if title not in covers or cover.shape != shape:
            raise ValueError(f"hidden: needed a matrix of shape {shape} for a title, got {title!r}")
        covers[title] = cover
    shown = np.concatenate([table[~covers[title]] for title, table in tables.items()])
    width, across = 5.2, min(across, len(tables))
    lines = -(-len(tables) // across)
    room = _cell_width(shape[1], row_labels, across, width * 72)
    widest = max((em(written(number, decimals)) for number in shown), default=1.0)
    size = min(LARGEST, 0.92 * room / widest)
    if size < SMALLEST:
        size = 0.0
    turned = _written_width(column_labels) > room
    cell = 0.34 if size else min(0.34, 3.0 / shape[0])
    head = 0.35 + (0.085 * max(map(len, column_labels), default=0) if turned else 0.2)
    height = lines * (head + cell * shape[0] + (0.3 if axes[1] else 0) + 0.1)
    fig = plt.figure(figsize=(width, height), layout="constrained")
    grid = fig.subplots(lines, across, squeeze=False, sharey=True).ravel()
    for spare in grid[len(tables) :]:
        spare.remove()
    drawn = list(grid[: len(tables)])
    for ax, (title, table) in zip(drawn, tables.items(), strict=True):
        own = strongest or float(np.abs(table[~covers[title]]).max(initial=0)) or 1.0
        _draw(ax, table, covers[title], strongest=own, size=size, decimals=decimals)
        ax.set_title(title, pad=8)
        ax.set(xlim=(0, shape[1]), ylim=(shape[0], 0))
        ax.set_xticks(np.arange(len(column_labels)) + 0.5, column_labels)
        ax.set_yticks(np.arange(len(row_labels)) + 0.5, row_labels)
        ax.xaxis.tick_top()
        ax.xaxis.set_label_position("top")
        ax.tick_params(length=0, pad=3)
        if turned:
            ax.tick_params(axis="x", labelrotation=90)
        if axes[1]:
            ax.set_xlabel(f"{axes[1]} \N{RIGHTWARDS ARROW}", style="italic", labelpad=6)
        ax.spines[:].set_visible(False)
    for ax in drawn[::across]:
        if axes[0]:
            # Turned with its text, the arrow points down.
            ax.set_ylabel(f"\N{LEFTWARDS ARROW} {axes[0]}", style="italic", labelpad=6)
    return drawn


def _draw(
    ax: Axes,
    table: NDArray[np.float64],
    cover: NDArray[np.bool_],
    *,
    strongest: float,
    size: float,
    decimals: int,
) -> None:
    colours = np.array([[_tint(number / strongest) for number in row] for row in table])
    if not size:
        # Many small cells: one shape per colour, rather than one per cell, keeps the file small.
        for colour in dict.fromkeys(colours[~cover].tolist()):
            cells = [_square(*where) for where in np.argwhere((colours == colour) & ~cover)]
            path = Path.make_compound_path(*cells)
            ax.add_patch(PathPatch(path, facecolor=colour, edgecolor=colour, linewidth=0.2))
    for row, column in np.argwhere(cover | bool(size)):
        ax.add_patch(
            Rectangle(
                (column, row),
                1,
                1,
                facecolor="none" if cover[row, column] else colours[row, column],
                edgecolor=style.MUTED,
                hatch="////" if cover[row, column] else None,
                linewidth=0.6 if size else 0,
            )
        )
        if size and not cover[row, column]:
            ax.text(
                column + 0.5,
                row + 0.5,
                written(table[row, column], decimals),
                ha="center",
                va="center",
                fontsize=size,
                color=_NUMBER,
            )


def _square(row: int, column: int) -> Path:
    x, y = float(column), float(row)
    return Path([(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1), (x, y)], closed=True)


def _matrix(title: str, matrix: ArrayLike) -> NDArray[np.float64]:
    table = np.asarray(matrix, dtype=float)
    if table.ndim != 2 or 0 in table.shape:
        raise ValueError(f"{title}: needed a matrix, rows and columns, got shape {table.shape}.")
    if not np.isfinite(table).all():
        raise ValueError(f"{title}: needed finite numbers; what is masked goes into hidden=.")
    return table


def _tint(share: float) -> str:
    """Return the colour, in steps, of a number given as a share of the strongest, -1 to 1."""
    share = max(-1.0, min(1.0, round(share * _STEPS) / _STEPS))
    end = np.array(to_rgb(_POSITIVE if share > 0 else _NEGATIVE))
    start = np.array(to_rgb(_ZERO))
    return to_hex(tuple(start + abs(share) * (end - start)))


def written(number: float, decimals: int) -> str:
    """Return a number with a true minus sign, and no sign where all shown digits are 0."""
    text = f"{number:.{decimals}f}"
    if float(text) == 0:
        text = text.removeprefix("-")
    return text.replace("-", "\N{MINUS SIGN}")


def _cell_width(columns: int, row_labels: Sequence[str], across: int, width: float) -> float:
    """Return the width of a cell in points: what the names of the rows leave, shared out."""
    return (width - _written_width(row_labels) - 14 * across - 10) / (columns * across)


def _written_width(labels: Sequence[str]) -> float:
    """Return about how wide the longest name is in points."""
    return 6.5 * max(map(len, labels), default=0)


def em(text: str) -> float:
    """Return the width of a number in DejaVu Sans, as a multiple of its size."""
    return sum(0.84 if c == "\N{MINUS SIGN}" else 0.32 if c == "." else 0.64 for c in text)
