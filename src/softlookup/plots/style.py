"""One look for every figure: colours, sizes, and bytes that do not change between runs."""

from __future__ import annotations

from itertools import cycle, islice
from typing import Any

import matplotlib as mpl
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

__all__ = ["new_axes", "new_row", "use_course_style"]

INK = "#1f2a33"
MUTED = "#5d6b78"
GRID = "#d5dbe1"
QUERY = "#b0145c"

# Each item keeps one colour and one marker, so that no figure relies on colour alone.
_COLOURS = ("#b5480f", "#8a6500", "#0a6c4f", "#0b63a5", "#7a459c")
# Answers to one question at several settings: one hue, from light to dark.
_SHADES = ("#cc5f92", "#a3175a", "#5c0d33")
_MARKERS = ("o", "s", "^", "D", "v")
_DASHES = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (6, 1.5, 1, 1.5)), (0, (3, 1)))

# Fonts are sized for a figure shown 350 pixels wide, as on a phone.
_RC: Any = {
    "svg.hashsalt": "softlookup",
    "svg.fonttype": "path",
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "savefig.transparent": True,
    "font.family": "DejaVu Sans",
    "font.size": 11.5,
    "axes.titlesize": 11.5,
    "axes.labelsize": 11.5,
    "xtick.labelsize": 10.5,
    "ytick.labelsize": 10.5,
    "legend.fontsize": 10.5,
    "legend.frameon": False,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": MUTED,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "lines.linewidth": 2.0,
    "axes.unicode_minus": True,
}


def use_course_style() -> None:
    """Draw all further figures in the course's style, as SVG that is equal on every run.

    Returns
    -------
    None
        Called for its effect. Outside a notebook only the style is set.

    Examples
    --------
    >>> use_course_style()
    >>> mpl.rcParams["svg.hashsalt"]
    'softlookup'
    """
    mpl.rcParams.update(_RC)
    try:
        from IPython.core.getipython import get_ipython  # noqa: PLC0415  notebooks only
        from matplotlib_inline.backend_inline import (  # noqa: PLC0415
            set_matplotlib_formats,
        )
    except ImportError:
        return
    if get_ipython() is not None:
        set_matplotlib_formats(  # type: ignore[no-untyped-call]
            "svg", metadata={"Date": None, "Creator": None}
        )


def new_axes(width: float = 5.0, height: float = 3.6) -> Axes:
    """Return one set of axes on a new figure of the given size in inches.

    Examples
    --------
    >>> new_axes(4, 3).figure.get_size_inches().tolist()
    [4.0, 3.0]
    """
    fig = plt.figure(figsize=(width, height), layout="constrained")
    return fig.add_subplot()


def new_row(columns: int, width: float = 5.4, height: float = 2.4) -> list[Axes]:
    """Return axes side by side on a new figure, sharing their vertical axis.

    Examples
    --------
    >>> len(new_row(3))
    3
    """
    fig = plt.figure(figsize=(width, height), layout="constrained")
    axes = fig.subplots(1, columns, sharey=True, squeeze=False)
    return list(axes[0])


def colours(n: int) -> list[str]:
    """Return ``n`` colours, the same for the same item in every figure."""
    return list(islice(cycle(_COLOURS), n))


def shades(n: int) -> list[str]:
    """Return ``n`` shades of the query's colour, for one question at several settings."""
    return list(islice(cycle(_SHADES), n))


def markers(n: int) -> list[str]:
    """Return ``n`` marker shapes, so that items differ by more than colour."""
    return list(islice(cycle(_MARKERS), n))


def dashes(n: int) -> list[Any]:
    """Return ``n`` line styles, so that lines differ by more than colour."""
    return list(islice(cycle(_DASHES), n))
