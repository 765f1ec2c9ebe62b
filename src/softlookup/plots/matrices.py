"""Matrix products as rectangles drawn to scale, with the shape under each."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike, NDArray

from . import style
from .heatmap import LARGEST, SMALLEST, em, written

__all__ = ["matrix_products"]

_GAP = 1.15  # between matrices, in cells: room for the sign
_HEAD, _FOOT = 1.0, 1.0  # room for a name above and a shape below


def matrix_products(*products: Mapping[str, ArrayLike], decimals: int = 1) -> Axes:
    r"""Draw products of matrices, one below the other, all in one scale.

    Parameters
    ----------
    *products
        Each with three entries, name to array_like of two axes: left, right, and what comes of
        them. The third is drawn as given; a shape that the product cannot have is refused.
    decimals
        How many are written. Where cells are too small for numbers, none are.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        For anything but three matrices of finite numbers whose shapes fit one another.

    Examples
    --------
    >>> q, k = np.ones((3, 2)), np.ones((5, 2))
    >>> ax = matrix_products({"$Q$": q, r"$K^\top$": k.T, "$S$": q @ k.T})
    >>> [text.get_text()[0] + text.get_text()[-1] for text in ax.texts[-3:]]
    ['32', '25', '35']
    """
    lines = [
        {name: _matrix(name, given) for name, given in product.items()} for product in products
    ]
    if not lines:
        raise ValueError("products: needed at least one, got none.")
    for line in lines:
        _check(line)
    columns = max(sum(table.shape[1] for table in line.values()) for line in lines) + 2 * _GAP
    heights = [max(len(table) for table in line.values()) for line in lines]
    tall = sum(heights) + len(lines) * (_HEAD + _FOOT)
    width = 5.2
    # Cells are square, and no larger than they need to be.
    cell = min(0.46, (width - 0.1) / columns)
    size = _fitting_size([table for line in lines for table in line.values()], cell, decimals)
    unit = cell * 72 / 11.5  # how many letters high a cell is: names need room in small ones too
    ax = style.new_axes(width, cell * (tall + 2 * len(lines) * max(0.0, 1 / unit - 0.4)) + 0.1)
    edge = ((width - 0.1) / cell - columns) / 2
    ax.set(xlim=(-edge, columns + edge), xticks=[], yticks=[], aspect="equal")
    ax.spines[:].set_visible(False)
    letter = max(1.0, 1.6 / unit)
    top = 0.0
    shapes = []
    for line, height in zip(lines, heights, strict=True):
        wide = sum(table.shape[1] for table in line.values()) + 2 * _GAP
        x, middle = (columns - wide) / 2, top + letter + height / 2
        for (name, table), sign in zip(
            line.items(), ("\N{MULTIPLICATION SIGN}", "=", ""), strict=True
        ):
            rows, across = table.shape
            _draw(ax, table, (x, middle - rows / 2), size, decimals)
            centre = x + across / 2
            ax.text(centre, middle - rows / 2 - 0.15, name, ha="center", va="bottom", fontsize=13)
            shape = f"{rows} \N{MULTIPLICATION SIGN} {across}"
            shapes.append((centre, middle + rows / 2 + 0.15, shape))
            x += across
            ax.text(
                x + _GAP / 2, middle, sign, ha="center", va="center", fontsize=16, weight="bold"
            )
            x += _GAP
        top += height + 2 * letter
    for x, y, shape in shapes:
        ax.text(x, y, shape, ha="center", va="top", color=style.INK)
    ax.set_ylim(top, 0)
    return ax


def _draw(
    ax: Axes, table: NDArray[np.float64], corner: tuple[float, float], size: float, decimals: int
) -> None:
    left, top = corner
    rows, across = table.shape
    for (row, column), number in np.ndenumerate(table):
        x, y = left + column, top + row
        ax.add_patch(Rectangle((x, y), 1, 1, fc="none", ec=style.MUTED, lw=0.5))
        if size:
            text = written(number, decimals)
            ax.text(x + 0.5, y + 0.5, text, ha="center", va="center", fontsize=size)
    ax.add_patch(Rectangle((left, top), across, rows, fc="none", ec=style.INK, lw=1.6))


def _matrix(name: str, given: ArrayLike) -> NDArray[np.float64]:
    table = np.asarray(given, dtype=float)
    if table.ndim != 2 or 0 in table.shape:
        raise ValueError(f"{name}: needed a matrix, rows and columns, got shape {table.shape}.")
    if not np.isfinite(table).all():
        raise ValueError(f"{name}: needed finite numbers.")
    return table


def _check(line: Mapping[str, NDArray[np.float64]]) -> None:
    if len(line) != 3:
        raise ValueError(f"products: needed left, right and product in each, got {list(line)}.")
    left, right, product = (table.shape for table in line.values())
    if left[1] != right[0] or product != (left[0], right[1]):
        raise ValueError(f"{', '.join(line)}: {left} times {right} cannot be {product}.")


def _fitting_size(tables: list[NDArray[np.float64]], cell: float, decimals: int) -> float:
    widest = max(em(written(number, decimals)) for table in tables for number in table.flat)
    size = min(LARGEST, 72 * cell * 0.88 / widest)
    return size if size >= SMALLEST else 0.0
