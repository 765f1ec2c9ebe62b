r"""Attention: many queries look up many keys at once.

.. math:: \operatorname{Attention}(Q, K, V)
    = \operatorname{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import shapes
from .scores import blend, default_scale, scaled_scores
from .softmax import softmax_in_place

__all__ = ["attention_weights", "scaled_dot_product_attention"]


def attention_weights(
    query: ArrayLike,
    key: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    scale: float | None = None,
) -> NDArray[Any]:
    r"""Return how much each query attends to each key.

    .. math:: A_{ij} = \frac{M_{ij}\, e^{c\, q_i \cdot k_j}}{\sum_l M_{il}\, e^{c\, q_i \cdot k_l}}

    Parameters
    ----------
    query : array_like, shape (..., n_queries, d_k)
        The queries :math:`q_i`, one per row.
    key : array_like, shape (..., n_keys, d_k)
        The keys :math:`k_j`, one per row. Leading axes broadcast.
    mask : array_like of bool, broadcastable to (..., n_queries, n_keys), optional
        The mask :math:`M`: True = may attend.
    scale
        The factor :math:`c` on the dot products; :math:`1/\sqrt{d_k}` if not given.

    Returns
    -------
    ndarray, shape (..., n_queries, n_keys)
        Rows that sum to 1; a row that may attend to nothing is 0 throughout.

    Raises
    ------
    TypeError
        For inputs that are not real numbers or a mask that is not boolean.
    ValueError
        For NaN, infinity, no keys, or shapes that do not fit.

    Notes
    -----
    Source: Vaswani et al., *Attention Is All You Need* (2017), equation 1. See
    :func:`scaled_dot_product_attention` for the row that may attend to nothing.

    Examples
    --------
    >>> attention_weights([[1.0, 0.0]], [[2.0, 0.0], [2.0, 5.0]])
    array([[0.5, 0.5]])
    """
    q, k = shapes.floats("query", query), shapes.floats("key", key)
    (q, k), answer = shapes.same_float(query=q, key=k)
    return _weights(q, k, None, mask, scale).astype(answer, copy=False)


def scaled_dot_product_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    scale: float | None = None,
) -> NDArray[Any]:
    r"""Return, for each query, the blend of the values that its keys' weights ask for.

    .. math:: \operatorname{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V

    Parameters
    ----------
    query : array_like, shape (..., n_queries, d_k)
        The queries :math:`Q`, one per row.
    key : array_like, shape (..., n_keys, d_k)
        The keys :math:`K`, one per row.
    value : array_like, shape (..., n_keys, d_v)
        The values :math:`V`, one per key. Leading axes broadcast.
    mask : array_like of bool, broadcastable to (..., n_queries, n_keys), optional
        True = may attend.
    scale
        The factor on the dot products; :math:`1/\sqrt{d_k}` if not given.

    Returns
    -------
    ndarray, shape (..., n_queries, d_v)
        float32 in, float32 out; float16 is computed in float32 and returned as float16;
        integers and lists become float64. No input is changed.

    Raises
    ------
    TypeError
        For inputs that are not real numbers or a mask that is not boolean.
    ValueError
        For NaN, infinity, no keys, or shapes that do not fit.

    Notes
    -----
    A query that may attend to nothing gets weights 0 and output 0. SQL says NULL for a query
    that no row matches, PyTorch's function of the same name documents NaN before version 2.5
    and 0 after it, and Keras differs by layer and type: ``keras.layers.Attention`` answers with
    the plain average of the values in float32.

    Source: Vaswani et al., *Attention Is All You Need* (2017), equation 1.

    Examples
    --------
    >>> guests = [[1.0, 0.0], [0.0, 1.0]]
    >>> dishes = [[0.0, 1.0], [1.0, 0.0]]
    >>> prices = [[10.0], [20.0]]
    >>> scaled_dot_product_attention(guests, dishes, prices, scale=1.0).round(2)
    array([[17.31],
           [12.69]])
    >>> scaled_dot_product_attention(guests, dishes, prices, mask=[[True, False], [False, False]])
    array([[10.],
           [ 0.]])
    """
    q, k = shapes.floats("query", query), shapes.floats("key", key)
    v = shapes.floats("value", value)
    shapes.check_matrix("value", v, needs="(..., n_keys, d_v)")
    (q, k, v), answer = shapes.same_float(query=q, key=k, value=v)
    return blend(_weights(q, k, v, mask, scale), v).astype(answer, copy=False)


def _weights(
    query: NDArray[Any],
    key: NDArray[Any],
    value: NDArray[Any] | None,
    mask: ArrayLike | None,
    scale: float | None,
) -> NDArray[Any]:
    """Check the shapes and return new weights, the one computation behind both functions."""
    shapes.check_matrix("query", query, needs="(..., n_queries, d_k)")
    shapes.check_matrix("key", key, needs="(..., n_keys, d_k)")
    shapes.check_columns(query, key)
    arrays = {"query": query, "key": key}
    if value is not None:
        shapes.check_keys_match_values(key, value)
        arrays["value"] = value
    leading = shapes.broadcast_leading(**arrays)
    allowed = None
    if mask is not None:
        shape = (*leading, query.shape[-2], key.shape[-2])
        allowed = shapes.check_mask(mask, shape, needs="(..., n_queries, n_keys)")
    weights, temperature = scaled_scores(query, key, default_scale(query, scale))
    if allowed is not None:
        # One set of weights may meet several masks, where only the values are a batch.
        shape = np.broadcast_shapes(weights.shape, allowed.shape)
        if shape != weights.shape:
            weights = np.array(np.broadcast_to(weights, shape))
    softmax_in_place(weights, allowed, temperature=temperature)
    return weights
