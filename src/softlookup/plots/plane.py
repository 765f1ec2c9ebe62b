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
    limits: tuple[tuple[float, float], tuple[float, float]] | None = None,
) -> Axes:
    """Draw labelled rows as points, and a query as a star.

    Parameters
    ----------
    points : array_like, shape (n, 2)
        One row per item.
    labels
        One name per row.
    axes
        The names of the two columns.
    query : array_like, shape (2,), optional
        Where to draw the star.
    query_label
        Its name.
    limits
        The ranges of the two axes; without them both run from -1 to 1, equally long.

    Returns
    -------
    Axes

    Examples
    --------
    >>> ax = plane([[0.2, 0.9]], ["ramen"], axes=("spicy", "soupy"), query=[0.6, 0.3])
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('spicy', 'soupy')
    """
    return _plane(
        points,
        labels,
        axes=axes,
        query=query,
        query_label=query_label,
        path=np.empty((0, 2)),
        path_labels=[],
        limits=limits,
    )


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
    limit: float = _LIMIT,
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
    limit
        How far the axes reach from 0.

    Returns
    -------
    Axes

    Examples
    --------
    >>> ax = arrows([[0.2, 0.9]], ["ramen"], axes=("x", "y"), query=[0.6, 0.3])
    >>> [text.get_text() for text in ax.texts if text.get_text()]
    ['ramen', 'q']
    """
    ax = _square(axes, limit)
    rows, q = np.asarray(keys, dtype=float), np.asarray(query, dtype=float)
    lines = []
    if zero_line:
        across = np.array([-q[1], q[0]]) / np.hypot(*q) * 3
        ax.plot(*np.stack([-across, across]).T, color=style.MUTED, lw=1.2, ls=(0, (4, 3)))
        lines.append(_between([-across], [across]))
    colours = style.colours(len(rows))
    if faint is not None:
        for row, colour in zip(np.asarray(faint, dtype=float), colours, strict=True):
            ax.plot([0, row[0]], [0, row[1]], color=colour, lw=1.2, alpha=0.5)
    notes = [""] * len(rows) if numbers is None else [_signed(x) for x in np.asarray(numbers)]
    _arrow(ax, (0, 0), q, style.QUERY, width=4.5, alpha=0.8)
    for row, colour in zip(rows, colours, strict=True):
        _arrow(ax, (0, 0), row, colour)
    names = [f"{label} {note}".strip() for label, note in zip(labels, notes, strict=True)]
    tips = np.vstack([rows, q])
    lines.append(_between(0 * tips, tips))
    _name_all(ax, tips, [*names, query_label], [*colours, style.QUERY], avoid=np.vstack(lines))
    return ax


def projection(
    query: ArrayLike,
    key: ArrayLike,
    *,
    axes: tuple[str, str],
    labels: tuple[str, str] = ("q", "k"),
) -> Axes:
    r"""Draw the shadow that a key casts on the line of the query.

    The shadow's signed length is :math:`q \cdot k / \lVert q \rVert`.

    Parameters
    ----------
    query, key : array_like, shape (2,)
        The two arrows.
    axes
        The names of the two columns.
    labels
        Their names.

    Returns
    -------
    Axes

    Examples
    --------
    >>> ax = projection([1.0, 0.0], [0.6, 0.8], axes=("x", "y"))
    >>> [text.get_text() for text in ax.texts if text.get_text()]
    ['q', 'k', '0.60']
    """
    ax = _square(axes)
    q, k = np.asarray(query, dtype=float), np.asarray(key, dtype=float)
    along = q / np.hypot(*q)
    shadow = along * (along @ k)
    ax.plot(*np.stack([-3 * along, 3 * along]).T, color=style.GRID, lw=1.2)
    ax.plot(*np.stack([k, shadow]).T, color=style.MUTED, lw=1.2, ls=(0, (4, 3)))
    # The shadow lies on the line; it is drawn beside it, where no arrow covers it.
    beside = np.array([along[1], -along[0]]) * 0.055
    ax.plot(*np.stack([beside, shadow + beside]).T, color=style.MUTED, lw=5, solid_capstyle="butt")
    colour = style.colours(1)[0]
    _arrow(ax, (0, 0), q, style.QUERY, width=3.2)
    _arrow(ax, (0, 0), k, colour)
    tips = np.stack([q, k])
    _name_all(ax, tips, labels, [style.QUERY, colour], avoid=_between(0 * tips, tips))
    x, y = shadow / 2 + 3.2 * beside
    ax.text(x, y, _signed(along @ k).lstrip("+"), ha="center", va="center", color=style.INK)
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
    colours = style.colours(len(rows))
    _arrow(ax, (0, 0), q, style.QUERY, width=4.5, alpha=0.8)
    _arrow(ax, (0, 0), corners[-1], style.INK, width=3.2)
    for start, step, colour in zip(corners[:-1], rows, colours, strict=True):
        _arrow(ax, start, start + step, colour)
    middles = corners[:-1] + rows / 2
    _name_all(
        ax,
        np.vstack([middles, corners[-1], q]),
        [*labels, total_label, query_label],
        [*colours, style.INK, style.QUERY],
        avoid=_between(
            np.vstack([corners[:-1], [[0, 0], [0, 0]]]), np.vstack([corners[1:], corners[-1], q])
        ),
    )
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
    return _plane(
        points,
        labels,
        axes=axes,
        query=query,
        query_label=query_label,
        path=path,
        path_labels=path_labels,
    )


def _plane(
    points: ArrayLike,
    labels: Sequence[str],
    *,
    axes: tuple[str, str],
    query: ArrayLike | None,
    query_label: str,
    path: ArrayLike,
    path_labels: Sequence[str],
    limits: tuple[tuple[float, float], tuple[float, float]] | None = None,
) -> Axes:
    """Draw points, query and path together, so that their names make room for one another."""
    if limits is None:
        ax = _square(axes)
    else:
        ax = style.new_axes(4.6, 3.8)
        ax.set(xlim=limits[0], ylim=limits[1], xlabel=axes[0], ylabel=axes[1])
        ax.grid(True)
    rows, stops = np.asarray(points, dtype=float), np.asarray(path, dtype=float)
    colours = style.colours(len(rows))
    for (x, y), colour, marker in zip(rows, colours, style.markers(len(rows)), strict=True):
        ax.plot(x, y, marker, color=colour, markersize=9)
    named, names = [*rows, *stops], [*labels, *path_labels]
    colours += [style.INK] * len(stops)
    if query is not None:
        x, y = np.asarray(query, dtype=float)
        ax.plot(x, y, "*", color=style.QUERY, markersize=17)
        named, names, colours = [*named, [x, y]], [*names, query_label], [*colours, style.QUERY]
    if len(stops):
        ax.plot(*stops.T, "-o", color=style.INK, lw=1.6, markersize=4.5, zorder=1)
    busy = _between(stops[:-1], stops[1:])
    if query is not None:  # the star is larger than a point
        reach = 0.03 * np.array([np.ptp(ax.get_xlim()), np.ptp(ax.get_ylim())])
        busy = np.vstack([busy, named[-1] + reach * [[1, 0], [-1, 0], [0, 1], [0, -1], [-1, -1]]])
    _name_all(ax, named, names, colours, avoid=busy)
    return ax


def _square(axes: tuple[str, str], limit: float = _LIMIT) -> Axes:
    """Return axes centred on 0 with one unit equally long both ways."""
    ax = style.new_axes(4.6, 4.6)
    ax.set(xlim=(-limit, limit), ylim=(-limit, limit), aspect="equal")
    ticks = [-1, -0.5, 0, 0.5, 1]
    ax.set(xticks=[t for t in ticks if abs(t) <= limit])
    ax.set(yticks=[t for t in ticks if abs(t) <= limit])
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
            "clip_on": True,
        },
        annotation_clip=False,
    )


def _between(starts: ArrayLike, ends: ArrayLike) -> ArrayLike:
    """Return points along each segment, for names to keep clear of."""
    a, b = np.asarray(starts, dtype=float), np.asarray(ends, dtype=float)
    along = np.linspace(0, 1, 41)[:, None, None]
    return np.reshape(a + along * (b - a), (-1, 2))


def _name_all(
    ax: Axes,
    points: ArrayLike,
    names: Sequence[str],
    colours: Sequence[str],
    *,
    avoid: ArrayLike = (),
) -> None:
    """Write each name beside its point, on the side that collides least.

    Sides are tried in a fixed order, so the same figure always comes out the same. A name's
    size is estimated, which is enough here and does not depend on a renderer. ``avoid`` holds
    further points, shape (m, 2), that a name should not cover.
    """
    rows = np.asarray(points, dtype=float)
    # Lengths in units of each axis: an axis may run from -1 to 1 or from 0 to 700.
    ux, uy = float(np.ptp(ax.get_xlim())), float(np.ptp(ax.get_ylim()))
    tall = 0.046 * uy
    dots = np.vstack([rows, np.reshape(np.asarray(avoid, dtype=float), (-1, 2))])
    size = np.array([ux, uy, ux, uy])
    taken: list[tuple[float, ...]] = [
        tuple(np.array([x, y, x, y]) + 0.018 * size * [-1, -1, 1, 1]) for x, y in dots
    ]
    frame = (*ax.get_xlim(), *ax.get_ylim())
    for (x, y), name, colour in zip(rows, names, colours, strict=True):
        wide = 0.0275 * ux * len(name)
        best: tuple[float, tuple[float, ...]] | None = None
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)):
            middle = (x + dx * (0.03 * ux + wide / 2), y + dy * (0.03 * uy + tall / 2))
            box: tuple[float, ...] = (
                middle[0] - wide / 2,
                middle[1] - tall / 2,
                middle[0] + wide / 2,
                middle[1] + tall / 2,
            )
            outside = max(0.0, frame[0] - box[0], box[2] - frame[1])
            cost = 100 * outside / ux + sum(_overlap(box, other) for other in taken) / (ux * uy)
            if best is None or cost < best[0] - 1e-12:
                best = cost, box
        assert best is not None
        box = best[1]
        taken.append(box)
        ax.text(
            (box[0] + box[2]) / 2,
            (box[1] + box[3]) / 2,
            name,
            ha="center",
            va="center",
            color=colour,
        )


def _overlap(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    wide = min(a[2], b[2]) - max(a[0], b[0])
    high = min(a[3], b[3]) - max(a[1], b[1])
    return wide * high if wide > 0 and high > 0 else 0.0


def _signed(x: float) -> str:
    return f"{x:+.2f}".replace("-", "\u2212")
