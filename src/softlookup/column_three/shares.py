"""How often something holds, and how well that many seeds can tell."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["Share", "share", "share_largest"]


class Share(NamedTuple):
    """A share of seeds with its confidence interval; prints as a percentage."""

    value: float
    """Hits over trials."""
    low: float
    """Lower end of the interval."""
    high: float
    """Upper end."""
    hits: int
    """How many seeds."""
    trials: int
    """Of how many."""

    def __str__(self) -> str:
        """Return for example ``84.0 % [81.6, 86.1]``."""
        return f"{self.value:.1%} [{100 * self.low:.1f}, {100 * self.high:.1f}]".replace("%", " %")


def share(hits: ArrayLike, confidence: float = 0.95) -> Share:
    r"""Return the share of seeds for which something holds, with Wilson's interval.

    With share :math:`p` of :math:`n` and the normal quantile :math:`z` of the confidence:

    .. math::

        \frac{p + z^2/2n \pm z \sqrt{p (1 - p) / n + z^2 / 4 n^2}}{1 + z^2/n}

    Unlike the usual :math:`p \pm z \sqrt{p(1-p)/n}` it stays within 0 and 1, and says something
    sensible when all seeds agree.

    Parameters
    ----------
    hits : array_like of bool, shape (seeds,)
        For each seed, whether it holds.
    confidence
        How often such intervals hold the true share.

    Returns
    -------
    Share
        Value, interval, counts.

    Raises
    ------
    ValueError
        For an empty or not boolean array, or a confidence that is not between 0 and 1.

    Notes
    -----
    Source: Wilson (1927).

    Examples
    --------
    >>> print(share([True] * 840 + [False] * 160))
    84.0 % [81.6, 86.1]
    >>> print(share([True] * 1000))
    100.0 % [99.6, 100.0]
    """
    hits = np.asarray(hits)
    if hits.ndim != 1 or not len(hits) or hits.dtype != bool:
        raise ValueError(
            "hits: needed a row of true and false, one for each seed, "
            f"got shape {hits.shape} of {hits.dtype}."
        )
    if not 0 < confidence < 1:
        raise ValueError(f"confidence: needed a number between 0 and 1, got {confidence!r}.")
    n, k = len(hits), int(hits.sum())
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    p = k / n
    centre = p + z * z / (2 * n)
    half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    # Where all seeds agree one end is p itself; rounding would leave it a hair beside.
    low = (centre - half) / scale if k else 0.0
    high = (centre + half) / scale if k < n else 1.0
    return Share(p, low, high, k, n)


def share_largest(readout: ArrayLike, column: int = 3, *, confidence: float = 0.95) -> Share:
    """Return the share of seeds in which the largest entry is at ``column``.

    Parameters
    ----------
    readout : array_like, shape (seeds, columns)
        One number for each column.
    column
        Where the largest should be.
    confidence
        As in `share`.

    Returns
    -------
    Share
        Value, interval, counts.

    Raises
    ------
    ValueError
        For another shape.

    Examples
    --------
    >>> share_largest([[0, 0, 0, 1, 0], [5, 0, 0, 1, 0]]).value
    0.5
    """
    readout = np.asarray(readout)
    if readout.ndim != 2 or not 0 <= column < readout.shape[1]:
        raise ValueError(
            f"readout: needed shape (seeds, columns) with a column {column}, got {readout.shape}."
        )
    return share(readout.argmax(axis=1) == column, confidence)
