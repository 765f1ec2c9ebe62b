r"""Positions: rows of numbers that tell a row where it stands.

Attention treats its keys as a set: rows in another order give the same answer. Added to the rows,
these numbers give order a say.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from . import shapes

__all__ = ["sinusoidal_positions"]


def sinusoidal_positions(
    n_positions: int, d_model: int, *, base: float = 10000.0
) -> NDArray[np.float64]:
    r"""Return one row per position: sines and cosines of ever slower waves.

    .. math::
        P_{p,\,2i} = \sin\!\left(p \,/\, b^{2i/d}\right) \qquad
        P_{p,\,2i+1} = \cos\!\left(p \,/\, b^{2i/d}\right)

    Parameters
    ----------
    n_positions
        Number of positions :math:`p = 0, 1, \dots`
    d_model
        Number of columns :math:`d`. Sines stand in the even columns, each with the cosine of the
        same wave at its right; if ``d_model`` is odd, the last sine stands without a cosine.
    base
        The base :math:`b`, at least 1. The first wave is :math:`2\pi` positions long, the slowest
        :math:`b^{(d-2)/d}` times as long (for even :math:`d`), which nears :math:`b` as :math:`d`
        grows.

    Returns
    -------
    ndarray of float64, shape (n_positions, d_model)
        Entries from -1 to 1, to be added to rows of ``d_model`` columns.

    Raises
    ------
    TypeError, ValueError
        For sizes that are not whole numbers of at least 1, or a base below 1.

    Notes
    -----
    A step of k positions turns each pair (sine, cosine) by the angle :math:`k / b^{2i/d}`,
    wherever it starts. So, if ``d_model`` is even, the dot product of two rows depends on the
    distance between their positions only. Source: Vaswani et al., *Attention Is All You Need*
    (2017), section 3.5.

    Examples
    --------
    >>> sinusoidal_positions(3, 2).round(2)
    array([[ 0.  ,  1.  ],
           [ 0.84,  0.54],
           [ 0.91, -0.42]])
    """
    rows = shapes.count("n_positions", n_positions)
    columns = shapes.count("d_model", d_model)
    if shapes.finite_number("base", base) < 1:
        raise ValueError(f"base: needed a finite number of at least 1, got {base}.")
    pair = np.arange(columns) // 2
    angles = np.arange(rows)[:, None] / float(base) ** (2 * pair / columns)
    return np.where(np.arange(columns) % 2 == 0, np.sin(angles), np.cos(angles))
