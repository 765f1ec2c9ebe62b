"""How widely numbers spread."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from . import style

__all__ = ["histograms"]


def histograms(
    samples: Mapping[str, ArrayLike], *, x_label: str = "", bins: int = 61
) -> list[Axes]:
    """Draw one histogram below the other, on one axis, so that their widths can be compared.

    Parameters
    ----------
    samples
        For each name, the numbers, array_like of shape (n,). The name is written beside its
        histogram.
    x_label
        The name of the axis.
    bins
        Into how many equal steps the axis is cut, the same for all.

    Returns
    -------
    list of Axes
        One per sample.

    Raises
    ------
    ValueError
        For no samples, an empty one, or numbers that are not finite.

    Examples
    --------
    >>> narrow, wide = histograms({"d = 1": [0, 1, 1], "d = 4": [-4, 0, 4]}, x_label="q·k")
    >>> narrow.get_xlim() == wide.get_xlim()
    True
    """
    numbers = {name: np.asarray(given, dtype=float).ravel() for name, given in samples.items()}
    if not numbers:
        raise ValueError("samples: needed at least one, got none.")
    for name, sample in numbers.items():
        if not sample.size or not np.isfinite(sample).all():
            raise ValueError(f"{name}: needed finite numbers, at least one.")
    reach = max(float(np.abs(sample).max()) for sample in numbers.values()) or 1.0
    steps = np.linspace(-reach, reach, bins + 1)
    fig = plt.figure(figsize=(5.2, 0.6 + 0.72 * len(numbers)), layout="constrained")
    axes = list(fig.subplots(len(numbers), 1, squeeze=False, sharex=True)[:, 0])
    colours = style.colours(len(numbers))
    for ax, (name, sample), colour in zip(axes, numbers.items(), colours, strict=True):
        counts, _ = np.histogram(sample, steps)
        ax.stairs(counts, steps, fill=True, color=colour, alpha=0.35)
        ax.stairs(counts, steps, color=colour, lw=1.4)
        ax.text(0.01, 0.95, name, transform=ax.transAxes, ha="left", va="top")
        ax.set(xlim=(-reach, reach), ylim=(0, 1.05 * counts.max()), yticks=[])
        ax.spines["left"].set_visible(False)
        ax.tick_params(axis="x", length=0)
    axes[-1].tick_params(axis="x", length=3.5)
    axes[-1].set_xlabel(x_label)
    return axes
