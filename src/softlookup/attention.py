r"""Attention: many queries look up many keys at once.

.. math:: \operatorname{Attention}(Q, K, V)
    = \operatorname{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import shapes
from .projections import Heads, check_source, project, rounded
from .scores import blend, default_scale, scaled_scores
from .softmax import softmax_in_place

__all__ = [
    "attention_weights",
    "multi_head_attention",
    "scaled_dot_product_attention",
    "self_attention",
]


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
    that no row matches. PyTorch's function of the same name gave NaN before version 2.5 and
    gives 0 since. Keras differs by layer and type: ``keras.layers.Attention`` subtracts
    :math:`10^9` from hidden scores, which in float32 leaves the plain average of the values
    (unless the scores differ by tens), and in float64 the answer without any mask.

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


def self_attention(
    x: ArrayLike,
    w_query: ArrayLike | None = None,
    w_key: ArrayLike | None = None,
    w_value: ArrayLike | None = None,
    *,
    mask: ArrayLike | None = None,
    scale: float | None = None,
) -> NDArray[Any]:
    r"""Return, for each row of one table, a blend of what the table's rows hand over.

    .. math:: \operatorname{Attention}(x W^Q,\; x W^K,\; x W^V)

    In SQL: a self-join, or a join of three views of one table.

    Parameters
    ----------
    x : array_like, shape (..., n, d_model)
        The table :math:`x`, one item per row.
    w_query : array_like, shape (d_model, d_k), optional
        The view :math:`W^Q`, what a row asks; ``x`` itself if not given.
    w_key : array_like, shape (d_model, d_k), optional
        The view :math:`W^K`, what a row answers to; ``x`` itself if not given.
    w_value : array_like, shape (d_model, d_v), optional
        The view :math:`W^V`, what a row hands over; ``x`` itself if not given.
    mask : array_like of bool, broadcastable to (..., n, n), optional
        True = may attend. Masks combine by ``&``:
        ``causal_mask(n) & padding_mask(lengths, n)``.
    scale
        The factor on the dot products; :math:`1/\sqrt{d_k}` if not given, where :math:`d_k`
        is the number of columns of a query.

    Returns
    -------
    ndarray, shape (..., n, d_v)
        In the floating-point type of the inputs, as in :func:`scaled_dot_product_attention`. A
        row that may attend to nothing comes back as 0.

    Raises
    ------
    TypeError, ValueError
        As :func:`scaled_dot_product_attention`; also for a product too large for its type.

    Notes
    -----
    Source: Vaswani et al., *Attention Is All You Need* (2017), section 3.2.3.

    Examples
    --------
    >>> x = [[1.0, 0.0], [0.0, 1.0]]
    >>> self_attention(x, scale=0)
    array([[0.5, 0.5],
           [0.5, 0.5]])
    >>> self_attention(x, w_value=[[10], [20]], mask=[[True, False], [True, True]], scale=0)
    array([[10.],
           [15.]])

    Two sequences in one batch, the second of length 1; neither sees its future or its padding:

    >>> from softlookup import causal_mask, padding_mask
    >>> batch = [[[10.0], [20.0]], [[30.0], [0.0]]]
    >>> self_attention(batch, mask=causal_mask(2) & padding_mask([2, 1], 2), scale=0)[..., 0]
    array([[10., 15.],
           [30., 30.]])
    """
    rows = shapes.floats("x", x)
    shapes.check_matrix("x", rows, needs="(..., n, d_model)")
    given = {"w_query": w_query, "w_key": w_key, "w_value": w_value}
    matrices = {
        name: shapes.floats(name, matrix) for name, matrix in given.items() if matrix is not None
    }
    _, answer = shapes.same_float(x=rows, **matrices)
    computing = np.result_type(answer, np.float32)
    rows = rows.astype(computing, copy=False)
    views = []
    for name in given:
        if name not in matrices:
            views.append(rows)
            continue
        matrix = matrices[name]
        shapes.check_matrix(name, matrix, needs="(d_model, d)", exactly=True)
        check_source(rows, matrix, names=("x", name))
        views.append(project(rows, matrix.astype(computing, copy=False), names=("x", name)))
    q, k, v = views
    if q.shape[-1] != k.shape[-1]:
        asks, answers = (name if name in matrices else "x itself" for name in ("w_query", "w_key"))
        raise ValueError(
            "queries and keys: needed as many columns in both, d_k, to compare them; "
            f"got {q.shape[-1]} from {asks} and {k.shape[-1]} from {answers}."
        )
    result = scaled_dot_product_attention(q, k, v, mask=mask, scale=scale)
    return rounded("output", result, answer)


def multi_head_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    heads: Heads,
    *,
    mask: ArrayLike | None = None,
    scale: float | None = None,
) -> NDArray[Any]:
    r"""Return attention under several sets of views at once, put together into one answer.

    .. math:: \sum_h \operatorname{Attention}(Q W^Q_h,\; K W^K_h,\; V W^V_h)\, W^O_h

    With ``query``, ``key`` and ``value`` the same table this is multi-head self-attention. In
    SQL: the same join once per head, ``PARTITION BY head``.

    Parameters
    ----------
    query : array_like, shape (..., n_queries, d_model)
    key : array_like, shape (..., n_keys, d_model)
    value : array_like, shape (..., n_keys, d_model)
        One item per row, before any view is taken. The three may differ in ``d_model``; leading
        axes broadcast.
    heads
        The views of each head, and the matrix that puts their answers together.
    mask : array_like of bool, broadcastable to (..., n_queries, n_keys), optional
        True = may attend; the same for every head.
    scale
        The factor on the dot products; :math:`1/\sqrt{d_k}` if not given.

    Returns
    -------
    ndarray, shape (..., n_queries, d_out)
        In the floating-point type of the inputs and the heads together, as in
        :func:`scaled_dot_product_attention`.

    Raises
    ------
    TypeError, ValueError
        As :func:`scaled_dot_product_attention`; also if ``heads`` is not a
        :class:`~softlookup.Heads`, or for a product too large for its type.

    Notes
    -----
    A query that may attend to nothing gets the answer 0 from each head *before*
    :math:`W^O`, and so ``b_output`` (or 0) in the end. ``keras.layers.MultiHeadAttention`` agrees
    from Keras 3.10 on if it is called with ``return_attention_scores=True``; without it, its
    heads answer with the plain average of all values, hidden ones included.

    The weights of each head are ``attention_weights(q, k, mask=mask)`` with
    ``q, k, v = heads.views(query, key, value)``; a mask for one sequence broadcasts, a batch of
    masks needs an axis for the heads there, ``mask[..., None, :, :]``.

    Source: Vaswani et al., *Attention Is All You Need* (2017), section 3.2.2.

    Examples
    --------
    Two heads over one table. The first hands over column 0, the second column 1, and both look
    at all rows alike.

    >>> heads = Heads(
    ...     w_query=[[[0], [0]], [[0], [0]]],
    ...     w_key=[[[1], [0]], [[0], [1]]],
    ...     w_value=[[[1], [0]], [[0], [1]]],
    ...     w_output=[[[1, 0]], [[0, 1]]],
    ... )
    >>> x = [[1.0, 4.0], [3.0, 8.0]]
    >>> multi_head_attention(x, x, x, heads)
    array([[2., 6.],
           [2., 6.]])
    """
    if not isinstance(heads, Heads):
        raise TypeError(f"heads: needed softlookup.Heads, got {type(heads).__name__}.")
    given = {
        name: shapes.floats(name, array)
        for name, array in (("query", query), ("key", key), ("value", value))
    }
    own = heads.arrays()
    _, answer = shapes.same_float(**given, **own)
    q, k, v = heads.views(**given)
    shapes.check_keys_match_values(given["key"], given["value"])
    leading = shapes.broadcast_leading(**given)
    allowed = None
    if mask is not None:
        shape = (*leading, q.shape[-2], k.shape[-2])
        allowed = shapes.check_mask(mask, shape, needs="(..., n_queries, n_keys)")
        if allowed.ndim > 2:
            allowed = allowed[..., None, :, :]  # the same for every head
    answers = scaled_dot_product_attention(q, k, v, mask=allowed, scale=scale)
    w_output = own["w_output"].astype(answers.dtype, copy=False)
    result = project(answers, w_output, names=("answers", "w_output")).sum(axis=-3)
    if "b_output" in own:
        result += own["b_output"]
    return rounded("output", result, answer)


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
