"""Rows of two numbers, drawn where they are: in the plane."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from . import style

__all__ = ["arrows", "blend_path", "plane", "projection", "tip_to_tail"]

_LIMIT = 1.12


def plane(
    points: ArrayLike,
    labels: Sequence[str],
    *,
    axes: tuple[str, str],
    query: ArrayLike | None = None,
    query_label: str = "",
) -> Axes:
    """Draw labelled rows as points, and a query as a star.

    Parameters
    ----------
    points : array_like, shape (n, 2)
        One row per item, entries from -1 to 1.
    labels
        One name per row.
    axes
        The names of the two columns.
    query : array_like, shape (2,), optional
        Where to draw the star.
    query_label
        Its name.

    Returns
    -------
    Axes

    Examples
    --------
    >>> ax = plane([[0.2, 0.9]], ["ramen"], axes=("spicy", "soupy"), query=[0.6, 0.3])
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('spicy', 'soupy')
    """
    ax = _square(axes)
    rows = np.asarray(points, dtype=float)
    for (x, y), label, colour, marker in zip(
        rows, labels, style.colours(len(rows)), style.markers(len(rows)), strict=True
    ):
        ax.plot(x, y, marker, color=colour, markersize=9)
        _beside(ax, x, y, label, colour)
    if query is not None:
        x, y = np.asarray(query, dtype=float)
        ax.plot(x, y, "*", color=style.QUERY, markersize=17)
        _beside(ax, x, y, query_label, style.QUERY)
    return ax


def arrows(
    keys: ArrayLike,
    labels: Sequence[str],
    *,
    axes: tuple[str, str],
    query: ArrayLike,
    query_label: str = "q",
    numbers: ArrayLike | None = None,
    faint: ArrayLike | None = None,
    zero_line: bool = False,
) -> Axes:
    """Draw rows as arrows from the origin, beside a query.

    Parameters
    ----------
    keys : array_like, shape (n, 2)
        The arrows.
    labels
        One name per arrow.
    axes
        The names of the two columns.
    query : array_like, shape (2,)
        The query's arrow, thicker.
    query_label
        Its name.
    numbers : array_like, shape (n,), optional
        Written behind each name, with sign and two decimals.
    faint : array_like, shape (n, 2), optional
        Drawn thin behind the arrows, for what they were before.
    zero_line
        Draw the line at right angles to the query, where dot products with it are 0.

    Returns
    -------
    Axes

    Examples
    --------
    >>> ax = arrows([[0.2, 0.9]], ["ramen"], axes=("x", "y"), query=[0.6, 0.3])
    >>> [text.get_text() for text in ax.texts if text.get_text()]
    ['ramen', 'q']
    """
    ax = _square(axes)
    rows, q = np.asarray(keys, dtype=float), np.asarray(query, dtype=float)
    if zero_line:
        across = np.array([-q[1], q[0]]) / np.hypot(*q) * 3
        ax.plot(*np.stack([-across, across]).T, color=style.MUTED, lw=1.2, ls=(0, (4, 3)))
    colours = style.colours(len(rows))
    if faint is not None:
        for row, colour in zip(np.asarray(faint, dtype=float), colours, strict=True):
            _arrow(ax, (0, 0), row, colour, width=1.1, alpha=0.45)
    notes = [""] * len(rows) if numbers is None else [_signed(x) for x in np.asarray(numbers)]
    for row, label, note, colour in zip(rows, labels, notes, colours, strict=True):
        _arrow(ax, (0, 0), row, colour)
        _beyond(ax, row, f"{label} {note}".strip(), colour)
    _arrow(ax, (0, 0), q, style.QUERY, width=3.2)
    _beyond(ax, q, query_label, style.QUERY)
    return ax


def projection(query: ArrayLike, key: ArrayLike, *, labels: tuple[str, str] = ("q", "k")) -> Axes:
    r"""Draw the shadow that a key casts on the line of the query.

    The shadow's signed length is :math:`q \cdot k / \lVert q \rVert`.

    Parameters
    ----------
    query, key : array_like, shape (2,)
        The two arrows.
    labels
        Their names.

    Returns
    -------
    Axes

    Examples
    --------
    >>> ax = projection([1.0, 0.0], [0.6, 0.8])
    >>> [text.get_text() for text in ax.texts if text.get_text()]
    ['q', 'k', '0.60']
    """
    ax = _square(("", ""))
    q, k = np.asarray(query, dtype=float), np.asarray(key, dtype=float)
    along = q / np.hypot(*q)
    shadow = along * (along @ k)
    ax.plot(*np.stack([-3 * along, 3 * along]).T, color=style.GRID, lw=1.2)
    ax.plot(*np.stack([k, shadow]).T, color=style.MUTED, lw=1.2, ls=(0, (4, 3)))
    ax.plot(
        *np.stack([0 * along, shadow]).T, color=style.INK, lw=7, alpha=0.35, solid_capstyle="butt"
    )
    colour = style.colours(1)[0]
    _arrow(ax, (0, 0), q, style.QUERY, width=3.2)
    _arrow(ax, (0, 0), k, colour)
    _beyond(ax, q, labels[0], style.QUERY)
    _beyond(ax, k, labels[1], colour)
    below = np.array([along[1], -along[0]]) * 0.13
    x, y = shadow / 2 + below
    ax.text(x, y, f"{along @ k:.2f}", ha="center", va="center", color=style.INK)
    return ax


def tip_to_tail(
    steps: ArrayLike,
    labels: Sequence[str],
    *,
    axes: tuple[str, str],
    query: ArrayLike,
    query_label: str = "q",
    total_label: str = "",
) -> Axes:
    """Draw arrows added up, each starting where the one before it ends, and their sum.

    Parameters
    ----------
    steps : array_like, shape (n, 2)
        The arrows, in the order of adding.
    labels
        One name per arrow.
    axes
        The names of the two columns.
    query : array_like, shape (2,)
        Drawn for comparison.
    query_label, total_label
        Names for the query and for the sum.

    Returns
    -------
    Axes

    Examples
    --------
    >>> ax = tip_to_tail([[1, 0], [0, 1]], ["a", "b"], axes=("x", "y"), query=[1, 0])
    >>> [text.get_text() for text in ax.texts if text.get_text()][:2]
    ['a', 'b']
    """
    rows, q = np.asarray(steps, dtype=float), np.asarray(query, dtype=float)
    corners = np.vstack([np.zeros(2), np.cumsum(rows, axis=0)])
    seen = np.vstack([corners, q])
    ax = style.new_axes(5.0, 4.2)
    low, high = seen.min(axis=0), seen.max(axis=0)
    pad = 0.18 * (high - low).max()
    ax.set(xlim=(low[0] - pad, high[0] + pad), ylim=(low[1] - pad, high[1] + pad))
    ax.set(xlabel=axes[0], ylabel=axes[1], aspect="equal")
    ax.grid(True)
    for start, step, label, colour in zip(
        corners, rows, labels, style.colours(len(rows)), strict=False
    ):
        _arrow(ax, start, start + step, colour)
        side = np.array([step[1], -step[0]])
        side = side / max(float(np.hypot(*side)), 1e-9) * 0.06 * (high - low).max()
        x, y = start + step / 2 + side
        ax.text(
            x,
            y,
            label,
            ha="left" if side[0] > 0 else "right",
            va="center",
            color=colour,
        )
    _arrow(ax, (0, 0), corners[-1], style.INK, width=3.2)
    ax.annotate(
        total_label,
        tuple(corners[-1]),
        (6, 4),
        textcoords="offset points",
        color=style.INK,
        weight="bold",
    )
    _arrow(ax, (0, 0), q, style.QUERY, width=3.2)
    ax.annotate(query_label, (q[0], q[1]), (6, -12), textcoords="offset points", color=style.QUERY)
    return ax


def blend_path(
    points: ArrayLike,
    labels: Sequence[str],
    path: ArrayLike,
    path_labels: Sequence[str],
    *,
    axes: tuple[str, str],
    query: ArrayLike | None = None,
    query_label: str = "",
) -> Axes:
    """Draw labelled rows, and blends of them as a path of named stops.

    Parameters
    ----------
    points : array_like, shape (n, 2)
        The rows.
    labels
        One name per row.
    path : array_like, shape (m, 2)
        The stops, in order.
    path_labels
        One name per stop; an empty name draws a bare stop.
    axes
        The names of the two columns.
    query, query_label
        As in :func:`plane`.

    Returns
    -------
    Axes

    Examples
    --------
    >>> ax = blend_path([[0, 1]], ["a"], [[0, 0], [0, 1]], ["T=9", ""], axes=("x", "y"))
    >>> [text.get_text() for text in ax.texts if text.get_text()]
    ['a', 'T=9']
    """
    ax = plane(points, labels, axes=axes, query=query, query_label=query_label)
    stops = np.asarray(path, dtype=float)
    ax.plot(*stops.T, "-o", color=style.INK, lw=1.6, markersize=4.5, zorder=1)
    for stop, label in zip(stops, path_labels, strict=True):
        ax.annotate(
            label,
            stop,
            (0, -7),
            textcoords="offset points",
            ha="center",
            va="top",
            fontsize=9.5,
            color=style.INK,
        )
    return ax


def _square(axes: tuple[str, str]) -> Axes:
    """Return axes from -1 to 1 with one unit equally long both ways."""
    ax = style.new_axes(4.6, 4.6)
    ax.set(xlim=(-_LIMIT, _LIMIT), ylim=(-_LIMIT, _LIMIT), aspect="equal")
    ax.set(xticks=[-1, -0.5, 0, 0.5, 1], yticks=[-1, -0.5, 0, 0.5, 1])
    ax.set(xlabel=axes[0], ylabel=axes[1])
    ax.grid(True)
    ax.axhline(0, color=style.MUTED, lw=0.9, zorder=0)
    ax.axvline(0, color=style.MUTED, lw=0.9, zorder=0)
    return ax


def _arrow(
    ax: Axes,
    start: ArrayLike,
    end: ArrayLike,
    colour: str,
    *,
    width: float = 2.2,
    alpha: float = 1.0,
) -> None:
    ax.annotate(
        "",
        xy=tuple(np.asarray(end, dtype=float)),
        xytext=tuple(np.asarray(start, dtype=float)),
        arrowprops={
            "arrowstyle": "-|>,head_width=0.32,head_length=0.7",
            "color": colour,
            "lw": width,
            "alpha": alpha,
            "shrinkA": 0,
            "shrinkB": 0,
        },
    )


def _beside(ax: Axes, x: float, y: float, text: str, colour: str) -> None:
    """Write a name on the side of a point where there is room for it."""
    left = x > 0.55
    ax.annotate(
        text,
        (x, y),
        (-9 if left else 9, 0),
        textcoords="offset points",
        ha="right" if left else "left",
        va="center",
        color=colour,
    )


def _beyond(ax: Axes, tip: ArrayLike, text: str, colour: str) -> None:
    """Write a name just past the tip of an arrow that starts at the origin."""
    x, y = np.asarray(tip, dtype=float)
    length = max(float(np.hypot(x, y)), 1e-9)
    left = x > 0.55
    dx = -4 if left else 7 * x / length
    ax.annotate(
        text,
        (x, y),
        (dx, 10 if y >= 0 else -10),
        textcoords="offset points",
        ha="right" if left else "left" if x > 0.1 else "center",
        va="center",
        color=colour,
    )


def _signed(x: float) -> str:
    return f"{x:+.2f}".replace("-", "\u2212")
