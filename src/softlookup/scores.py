r"""Dot-product scores that cannot overflow.

The textbook line is ``query @ key.T * scale``. It is right unless a product exceeds the largest
number of its type; then it yields infinity, and the softmax behind it NaN. Here such inputs are
shrunk by powers of two (which loses no digits), no further than needed, and the factor is handed
to the softmax as its temperature, so that extreme but finite inputs still get the right weights.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import shapes

__all__ = ["blend", "default_scale", "safe_factors", "scaled_scores"]


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
    after. Ordinary inputs come back as they are; float32 inputs whose products could overflow
    come back as float64.

    Examples
    --------
    >>> q, k, scale, temperature = safe_factors(np.array([[1e300]]), np.array([[1e300]]), 1.0)
    >>> bool(np.isfinite(q[0, 0] * k[0, 0] * scale) and 0 < temperature < 1)
    True
    """
    numbers = np.finfo(query.dtype)
    # |score| <= |query| |key| |scale|. Under a quarter of the type's largest number, with no
    # factor counted as less than 1, every step towards a score and every difference of two
    # scores is finite.
    norms = (shapes.norm(query), shapes.norm(key), abs(scale))
    if math.prod(max(1.0, norm) for norm in norms) < float(numbers.max) / 4:
        return query, key, scale, 1.0
    if query.dtype == np.float32:
        return safe_factors(query.astype(np.float64), key.astype(np.float64), scale)
    sizes = (shapes.largest(query), shapes.largest(key), abs(scale))
    e_query, e_key, e_scale = exponents = [int(np.frexp(size)[1]) for size in sizes]
    # |score| < d_k * 2 ** (sum of exponents): keep as much of it as the type can hold.
    limit = numbers.maxexp - 1 - query.shape[-1].bit_length()
    total = sum(exponents)
    kept = min(total, limit)
    # query and key get half of the kept exponent each: neither overflows, and what underflows
    # in one is too small to matter beside the other.
    query = np.ldexp(query, kept // 2 - e_query)
    key = np.ldexp(key, kept - kept // 2 - e_key)
    # A temperature must stay above 0; e ** (-huge) is 0 long before.
    temperature = max(np.ldexp(query.dtype.type(1), kept - total), numbers.smallest_subnormal)
    return query, key, math.ldexp(scale, -e_scale), temperature


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
    # Scaled after the product, not before: keys whose dot products tie stay tied.
    scores = query @ np.swapaxes(key, -1, -2)
    scores *= scale
    return scores, temperature


def blend(weights: NDArray[Any], value: NDArray[Any]) -> NDArray[Any]:
    """Return ``weights @ value``, finite.

    Weights sum to 1 only up to rounding, which may carry a blend of the type's largest numbers
    past the largest number.

    Examples
    --------
    >>> most = np.finfo(np.float32).max
    >>> blend(np.float32([[0.5, 0.5000001]]), np.array([[most], [most]])) == most
    array([[ True]])
    """
    most = np.finfo(value.dtype).max
    if shapes.norm(value) < most / 2:  # no entry is larger: nothing can overflow
        ordinary: NDArray[Any] = weights @ value
        return ordinary
    with np.errstate(over="ignore"):
        result = weights @ value
    finite: NDArray[Any] = np.clip(result, -most, most)
    return finite
