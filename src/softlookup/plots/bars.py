"""One number per item, as bars with the number written at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from . import style

__all__ = ["bars"]


def bars(columns: Mapping[str, ArrayLike], labels: Sequence[str]) -> list[Axes]:
    """Draw each named column of numbers as horizontal bars, side by side, one row per item.

    Parameters
    ----------
    columns
        For each title, one number per item, array_like of shape (n,).
    labels
        The items' names.

    Returns
    -------
    list of Axes
        One per column.

    Examples
    --------
    >>> left, right = bars({"score": [1, -1], "weight": [0.9, 0.1]}, ["ramen", "dal"])
    >>> left.get_title()
    'score'
    """
    axes = style.new_row(len(columns), height=0.6 + 0.36 * len(labels))
    rows = np.arange(len(labels))
    for ax, (title, numbers) in zip(axes, columns.items(), strict=True):
        x = np.asarray(numbers, dtype=float)
        ax.barh(rows, x, color=style.colours(len(labels)), height=0.62)
        ax.axvline(0, color=style.MUTED, lw=0.9)
        widest = float(np.abs(x).max()) or 1.0
        ax.set(xlim=(min(-0.02 * widest, 1.1 * x.min()), max(0.0, x.max()) + 0.75 * widest))
        for row, number in zip(rows, x, strict=True):
            ax.annotate(
                f"{round(number, 2) + 0.0:.2f}".replace("-", "\u2212"),  # + 0.0: no "-0.00"
                (max(number, 0.0), row),  # a negative bar's number stands right of 0
                (4, 0),
                textcoords="offset points",
                ha="left",
                va="center",
                fontsize=10,
            )
        ax.set(title=title, xticks=[], yticks=rows)
        ax.set_yticklabels(labels)
        ax.spines[["left", "bottom"]].set_visible(False)
        ax.tick_params(length=0)
    axes[0].invert_yaxis()
    return axes
