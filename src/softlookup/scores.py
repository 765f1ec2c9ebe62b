r"""Dot-product scores that cannot overflow.

The textbook line is ``query @ key.T * scale``. It is right unless a product exceeds the largest
number of its type; then it yields infinity, and the softmax behind it NaN. Here such inputs are
shrunk by powers of two (which loses no digits) and the factor is handed to the softmax as its
temperature, so that extreme but finite inputs still get the right weights.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import shapes

__all__ = ["default_scale", "safe_factors", "scaled_scores"]


def default_scale(query: NDArray[Any], scale: float | None) -> float:
    r"""Return ``scale``, or :math:`1/\sqrt{d_k}` if it is None.

    Examples
    --------
    >>> default_scale(np.ones((1, 4)), None)
    0.5
    """
    if scale is None:
        return 1 / math.sqrt(query.shape[-1])
    return shapes.finite_number("scale", scale)


def safe_factors(
    query: NDArray[Any], key: NDArray[Any], scale: float
) -> tuple[NDArray[Any], NDArray[Any], float, float]:
    """Return query, key, scale and temperature whose products and sums stay finite.

    ``softmax(query @ key.T * scale / temperature)`` is the same before (with temperature 1) and
    after. Ordinary inputs come back as they are.

    Examples
    --------
    >>> q, k, scale, temperature = safe_factors(np.array([[1e300]]), np.array([[1e300]]), 1.0)
    >>> bool(q[0, 0] * k[0, 0] * scale <= 1 and temperature < 1)
    True
    """
    sizes = (shapes.largest(query), shapes.largest(key), abs(scale))
    exponents = [max(0, math.frexp(size)[1]) for size in sizes]
    # |score| < 2 ** (sum of exponents) * d_k; keep it under half the type's largest number.
    limit = np.finfo(query.dtype).maxexp - 1 - query.shape[-1].bit_length()
    if sum(exponents) <= limit:
        return query, key, scale, 1.0
    if query.dtype == np.float32:
        return safe_factors(query.astype(np.float64), key.astype(np.float64), scale)
    query, key = np.ldexp(query, -exponents[0]), np.ldexp(key, -exponents[1])
    # 2.0 ** -2000 is 0, and a temperature must stay above it; e ** (-huge) is 0 long before.
    return query, key, math.ldexp(scale, -exponents[2]), 2.0 ** -min(sum(exponents), 1000)


def scaled_scores(
    query: NDArray[Any], key: NDArray[Any], scale: float
) -> tuple[NDArray[Any], float]:
    r"""Return the scores :math:`s_{ij} = \text{scale} \cdot q_i \cdot k_j` and a temperature.

    Parameters
    ----------
    query : ndarray, shape (..., n_queries, d_k)
    key : ndarray, shape (..., n_keys, d_k)
        In the same floating-point type as the query, float32 or wider.
    scale
        The number the dot products are multiplied by.

    Returns
    -------
    scores : ndarray, shape (..., n_queries, n_keys)
        A new array, finite.
    temperature : float
        1, or less for extreme inputs: the scores stand for ``scores / temperature``.

    Examples
    --------
    >>> scaled_scores(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]]), 0.5)
    (array([[5.5]]), 1.0)
    """
    query, key, scale, temperature = safe_factors(query, key, scale)
    # Scaling the query is the same product with n_queries x d_k multiplications
    # instead of n_queries x n_keys.
    return (query * query.dtype.type(scale)) @ np.swapaxes(key, -1, -2), temperature
