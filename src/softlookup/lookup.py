"""One query looks up one answer: hard (the nearest key) or soft (a blend of all values)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import scores, shapes
from .softmax import softmax_in_place

__all__ = ["hard_lookup", "soft_lookup"]


def hard_lookup(query: ArrayLike, keys: ArrayLike, values: ArrayLike) -> Any:
    r"""Return the value whose key has the largest dot product with the query.

    .. math:: v_{i^*} \quad\text{with}\quad i^* = \arg\max_i \; q \cdot k_i

    In SQL: ``ORDER BY score DESC LIMIT 1``. If several keys tie, the first one answers.

    Parameters
    ----------
    query : array_like, shape (d_k,)
        The query :math:`q`.
    keys : array_like, shape (n_keys, d_k)
        The keys :math:`k_i`, one per row.
    values : array_like, shape (n_keys,) or (n_keys, d_v)
        One value per key: a number or a vector.

    Returns
    -------
    float or ndarray, shape () or (d_v,)
        A copy of one value, in the floating-point type of the inputs (a single number in
        float64 is Python's ``float``).

    Raises
    ------
    TypeError, ValueError
        For inputs that are not finite real numbers or shapes that do not fit.

    Examples
    --------
    >>> hard_lookup([1.0, 0.0], keys=[[0.9, 0.1], [0.2, 0.8]], values=[10, 20])
    10.0
    """
    q, k, v, answer = _one_query(query, keys, values)
    row, _ = scores.scaled_scores(q[None, :], k, 1.0)
    return _unwrap(v[np.argmax(row)].astype(answer))


def soft_lookup(
    query: ArrayLike, keys: ArrayLike, values: ArrayLike, *, temperature: float = 1.0
) -> Any:
    r"""Return a blend of all values, weighted by how well each key matches the query.

    .. math:: \sum_i w_i v_i \quad\text{with}\quad
        w_i = \frac{e^{q \cdot k_i / T}}{\sum_j e^{q \cdot k_j / T}}

    In SQL: ``SUM(w * v)``. Towards :math:`T \to 0` this becomes :func:`hard_lookup` (keys that
    tie share the answer equally); towards :math:`T \to \infty` the plain average of all values.

    Parameters
    ----------
    query : array_like, shape (d_k,)
        The query :math:`q`.
    keys : array_like, shape (n_keys, d_k)
        The keys :math:`k_i`, one per row.
    values : array_like, shape (n_keys,) or (n_keys, d_v)
        The values :math:`v_i`, one per key: numbers or vectors.
    temperature
        The temperature :math:`T`, above 0. The scores are not scaled otherwise:
        ``temperature=sqrt(d_k)`` is the scaled dot product of the attention formula.

    Returns
    -------
    float or ndarray, shape () or (d_v,)
        The blend, in the floating-point type of the inputs (a single number in float64 is
        Python's ``float``).

    Raises
    ------
    TypeError, ValueError
        For inputs that are not finite real numbers, shapes that do not fit, or a temperature
        that is not above 0.

    Notes
    -----
    Source: Bahdanau, Cho and Bengio, *Neural Machine Translation by Jointly Learning to Align
    and Translate* (2015), section 3.1, for the softmax-weighted sum; the dot product as its
    score is from Luong, Pham and Manning (2015), section 3.1.

    Examples
    --------
    >>> soft_lookup([1.0, 1.0], keys=[[1, 0], [0, 1]], values=[10, 20])
    15.0
    """
    q, k, v, answer = _one_query(query, keys, values)
    temperature = shapes.finite_number("temperature", temperature, positive=True)
    weights, shrunk = scores.scaled_scores(q[None, :], k, 1.0)
    # A product of two tiny temperatures must not become 0.
    softmax_in_place(weights, temperature=max(temperature * shrunk, math.ulp(0.0)))
    return _unwrap(scores.blend(weights[0], v).astype(answer, copy=False))


def _one_query(
    query: ArrayLike, keys: ArrayLike, values: ArrayLike
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], np.dtype[Any]]:
    q = shapes.floats("query", query)
    k = shapes.floats("keys", keys)
    v = shapes.floats("values", values)
    shapes.check_vector("query", q, needs="(d_k,)")
    shapes.check_matrix("keys", k, needs="(n_keys, d_k)", exactly=True)
    if v.ndim not in (1, 2):
        raise ValueError(f"values: needed shape (n_keys,) or (n_keys, d_v), got shape {v.shape}.")
    shapes.check_columns(q, k, name="keys")
    shapes.check_keys_match_values(k, v, axis=0, names=("keys", "values"))
    (q, k, v), answer = shapes.same_float(query=q, key=k, value=v)
    return q, k, v, answer


def _unwrap(value: NDArray[Any]) -> Any:
    """Return a vector as it is, a single number as a number: float64 is Python's own float."""
    if value.ndim == 0:
        return float(value) if value.dtype == np.float64 else value[()]
    return value
