"""What many runs did: intervals beside a mark, and two runs against one another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from . import style

__all__ = ["against", "intervals"]


def intervals(
    rows: Mapping[str, Sequence[float]],
    *,
    axis: str = "",
    marks: Mapping[str, float] | None = None,
    line: float | None = None,
    limits: tuple[float, float] | None = None,
) -> Axes:
    """Draw, for each name, an interval with a dot in it, one below the other.

    Parameters
    ----------
    rows
        For each name: lower end, middle, upper end.
    axis
        The name of the common axis.
    marks
        For some of the names, a number to be marked with a star.
    line
        Where to draw a dashed line through all rows.
    limits
        The range of the axis; chosen to fit if not given.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        For an interval that is not three finite numbers in rising order, or no interval at all.

    Examples
    --------
    >>> ax = intervals({"loss": (0.2, 0.4, 0.6)}, marks={"loss": 0.16}, axis="after 20 epochs")
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['loss']
    """
    if not rows:
        raise ValueError("rows: needed at least one interval, got none.")
    ax = style.new_axes(5.2, 0.8 + 0.34 * len(rows))
    if line is not None:
        ax.axvline(line, color=style.MUTED, lw=1.2, ls=(0, (4, 3)))
    colour = style.colours(4)[3]
    for height, (name, ends) in enumerate(rows.items()):
        three = np.asarray(ends, dtype=float)
        if three.shape != (3,) or not np.isfinite(three).all() or (np.diff(three) < 0).any():
            raise ValueError(f"{name}: needed three finite numbers in rising order, got {ends}.")
        low, middle, high = three
        ax.plot([low, high], [height, height], color=colour, lw=5, alpha=0.45)
        ax.plot(middle, height, "o", color=colour, markersize=7)
        if marks is not None and name in marks:
            ax.plot(marks[name], height, "*", color=style.QUERY, markersize=15)
    ax.set(yticks=range(len(rows)), xlabel=axis, ylim=(len(rows) - 0.4, -0.6))
    ax.set_yticklabels(list(rows))
    ax.tick_params(axis="y", length=0)
    ax.grid(True, axis="x")
    if limits is not None:
        ax.set(xlim=limits)
    return ax


def against(x: ArrayLike, y: ArrayLike, *, axes: tuple[str, str]) -> Axes:
    """Draw one number against another, point by point, with the line where they are equal.

    Parameters
    ----------
    x, y : array_like, shape (n,)
        What is compared.
    axes
        The names of the two axes.

    Returns
    -------
    Axes

    Examples
    --------
    >>> ax = against([0, 1], [0, 1], axes=("with", "without"))
    >>> ax.get_xlabel()
    'with'
    """
    a, b = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    ends = [min(a.min(), b.min()), max(a.max(), b.max())]
    ax = style.new_axes(4.0, 4.0)
    ax.plot(ends, ends, color=style.MUTED, lw=1.2, ls=(0, (4, 3)))
    ax.plot(a, b, "o", color=style.colours(4)[3], markersize=4, alpha=0.6)
    ax.set(xlabel=axes[0], ylabel=axes[1], aspect="equal")
    ax.grid(True)
    return ax
