"""How an answer changes while one number is turned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike, NDArray

from . import style

__all__ = ["answers", "lines", "weights_by_temperature"]


def answers(
    x: ArrayLike,
    curves: Mapping[str, ArrayLike],
    *,
    steps: ArrayLike | None = None,
    step_labels: Sequence[str] = (),
    axes: tuple[str, str],
    here: float | None = None,
) -> Axes:
    """Draw smooth answers as lines, and an answer that jumps as separate steps.

    Parameters
    ----------
    x : array_like, shape (n,)
        What is turned.
    curves
        For each name, the answers, array_like of shape (n,).
    steps : array_like, shape (n,), optional
        An answer that jumps; drawn in pieces, with no line where it jumps.
    step_labels : sequence of str, length n, optional
        The name of the answer at each x, written once above each piece.
    axes
        The names of the two axes.
    here
        Mark this x with a thin line.

    Returns
    -------
    Axes

    Examples
    --------
    >>> ax = answers([0, 1, 2], {"soft": [1, 2, 3]}, steps=[1, 1, 3], axes=("x", "answer"))
    >>> len(ax.lines)
    3
    """
    ax = style.new_axes(5.2, 3.5)
    across = np.asarray(x, dtype=float)
    if here is not None:
        ax.axvline(here, color=style.QUERY, lw=1.2, ls=(0, (4, 3)))
    if steps is not None:
        levels = np.asarray(steps, dtype=float)
        cuts = np.flatnonzero(np.diff(levels)) + 1
        for piece in np.split(np.arange(len(levels)), cuts):
            ax.plot(
                across[piece],
                levels[piece],
                color=style.INK,
                lw=3.5,
                solid_capstyle="butt",
                label="_",
            )
            if len(step_labels):
                ax.annotate(
                    step_labels[piece[0]],
                    (across[piece].mean(), levels[piece[0]]),
                    (0, 5),
                    textcoords="offset points",
                    ha="center",
                    va="bottom",
                )
    for (name, y), colour, dash in zip(
        curves.items(), style.shades(len(curves)), style.dashes(len(curves)), strict=True
    ):
        ax.plot(across, np.asarray(y, dtype=float), color=colour, ls=dash, label=name)
    ax.set(xlabel=axes[0], ylabel=axes[1], xlim=(across[0], across[-1]))
    ax.set(xticks=np.linspace(across[0], across[-1], 5))
    ax.margins(y=0.14)
    ax.grid(True)
    if curves:
        ax.legend(loc="lower right")
    return ax


def weights_by_temperature(
    temperatures: ArrayLike, weights: ArrayLike, labels: Sequence[str]
) -> Axes:
    """Draw the weight of each item against temperature, on a logarithmic axis.

    Parameters
    ----------
    temperatures : array_like, shape (m,)
        Rising, above 0.
    weights : array_like, shape (m, n)
        One row per temperature, one column per item.
    labels
        The items' names.

    Returns
    -------
    Axes

    Examples
    --------
    >>> ax = weights_by_temperature([0.1, 10], [[1, 0], [0.5, 0.5]], ["a", "b"])
    >>> ax.get_xscale()
    'log'
    """
    ax = style.new_axes(5.2, 3.6)
    t, w = np.asarray(temperatures, dtype=float), np.asarray(weights, dtype=float)
    n = w.shape[1]
    ax.axhline(1 / n, color=style.MUTED, lw=1.0, ls=(0, (4, 3)))
    for column, label, colour, dash in zip(
        w.T, labels, style.colours(n), style.dashes(n), strict=True
    ):
        ax.plot(t, column, color=colour, ls=dash, label=label)
    ax.set(xscale="log", xlim=(t[0], t[-1]), ylim=(-0.02, 1.02))
    ax.set(xlabel="T", ylabel="w")
    ax.grid(True)
    ax.legend(loc="upper right")
    return ax


def _check_drawable(given: Iterable[tuple[str, NDArray[Any]]], *, log: bool) -> None:
    for name, numbers in given:
        if not np.isfinite(numbers).all() or (log and (numbers <= 0).any()):
            above = " above 0 for a logarithmic axis" if log else ""
            raise ValueError(f"{name}: needed finite numbers{above}.")


def lines(
    x: ArrayLike,
    curves: Mapping[str, ArrayLike],
    *,
    axes: tuple[str, str],
    log: str = "",
    points: bool = False,
    here: float | None = None,
    stars: Mapping[str, tuple[ArrayLike, ArrayLike]] | None = None,
    bands: Mapping[str, tuple[ArrayLike, ArrayLike]] | None = None,
) -> Axes:
    """Draw one or more curves over the same x, each with its name.

    Parameters
    ----------
    x : array_like, shape (n,)
        What is turned, rising.
    curves
        For each name, the answers, array_like of shape (n,).
    axes
        The names of the two axes.
    log
        Which axes are logarithmic: ``""``, ``"x"``, ``"y"`` or ``"xy"``.
    points
        Mark and name each x, for curves that were measured there and nowhere else.
    here
        Mark this x with a thin line.
    stars
        For each name, x and y of single points to compare the curves with.
    bands
        For the name of a curve, the lower and the upper edge of a band drawn behind it, such as
        quartiles; array_like of shape (n,) each.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        For numbers that are not finite, or that are not above 0 on a logarithmic axis; for a
        band of a curve that is not drawn.

    Examples
    --------
    >>> ax = lines([4, 16], {"scaled": [0.4, 0.4]}, axes=("d", "w"), log="x", points=True)
    >>> ax.get_xscale(), [label.get_text() for label in ax.get_xticklabels()]
    ('log', ['4', '16'])
    """
    ax = style.new_axes(5.2, 3.5)
    across = np.asarray(x, dtype=float)
    rows = {name: np.asarray(y, dtype=float) for name, y in curves.items()}
    points_apart = {name: np.asarray(point, dtype=float) for name, point in (stars or {}).items()}
    edges = {name: np.asarray(pair, dtype=float) for name, pair in (bands or {}).items()}
    for name in edges:
        if name not in rows:
            raise ValueError(f"bands: needed names among {list(rows)}, got {name!r}.")
    places = [(axes[0], across), *((n, point[0]) for n, point in points_apart.items())]
    heights = [*rows.items(), *edges.items(), *((n, p[1]) for n, p in points_apart.items())]
    _check_drawable(places, log="x" in log)
    _check_drawable(heights, log="y" in log)
    if here is not None:
        ax.axvline(here, color=style.QUERY, lw=1.2, ls=(0, (4, 3)))
    n = len(rows)
    for (name, row), colour, dash, marker in zip(
        rows.items(), style.colours(n), style.dashes(n), style.markers(n), strict=True
    ):
        ax.plot(
            across, row, color=colour, ls=dash, marker=marker if points else "", ms=7, label=name
        )
        if name in edges:
            ax.fill_between(across, *edges[name], color=colour, alpha=0.22, lw=0)
    for name, point in points_apart.items():
        ax.plot(*point, "*", color=style.QUERY, ms=15, label=name, clip_on=False, zorder=5)
    ax.set(xlabel=axes[0], ylabel=axes[1])
    if "x" in log:
        ax.set_xscale("log")
    if "y" in log:
        ax.set_yscale("log")
    if points:
        ax.set_xticks(across, [f"{place:g}" for place in across])
        ax.set_xticks([], minor=True)
    else:
        ax.set_xlim(across[0], across[-1])
        if "x" not in log and (across == across.round()).all():  # epochs come in whole numbers
            ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.margins(y=0.14)
    ax.grid(True)
    if n > 1 or stars:
        ax.legend(loc="best")
    return ax
