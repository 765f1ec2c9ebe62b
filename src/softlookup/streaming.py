r"""Attention whose memory does not grow with the table of scores: the streaming softmax.

The plain line writes down every score before it blends: n_queries times n_keys numbers, each used
once. Here the keys pass by in blocks. Three things are kept for each query, and each block brings
them up to date:

.. math::
    m' &= \max(m, \max_j s_j) && \text{the largest score so far} \\
    c &= e^{m - m'} && \text{what the past is worth now} \\
    l' &= c\, l + \sum_j e^{s_j - m'} && \text{the sum of the exponentials} \\
    o' &= c\, o + \sum_j e^{s_j - m'}\, v_j && \text{the blend, not yet divided} \\
    \text{answer} &= o / l && \text{once, behind the last block}

Over all keys seen so far, :math:`l = \sum_j e^{s_j - m}` and :math:`o = \sum_j e^{s_j - m} v_j`:
it is so at the start, with no keys, and stays so, because :math:`c` turns each
:math:`e^{s_j - m}` into :math:`e^{s_j - m'}`. So :math:`o / l` is the softmax blend of the keys
seen, and behind the last block it is the answer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import shapes
from .scores import default_scale, safe_factors

__all__ = ["streaming_attention"]

# A block of scores: this many queries against as many keys as make up so many numbers. Half a
# mebibyte of float32 stays in a processor's cache from one step to the next.
ROWS = 256
NUMBERS = 256 * 512


def streaming_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    scale: float | None = None,
) -> NDArray[Any]:
    r"""Return what ``scaled_dot_product_attention`` returns, in memory that stays flat.

    .. math:: \operatorname{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V

    The table of scores is never written down: keys pass by in blocks, as :mod:`the derivation
    <softlookup.streaming>` says.

    Parameters
    ----------
    query : array_like, shape (..., n_queries, d_k)
        The queries :math:`Q`, one per row.
    key : array_like, shape (..., n_keys, d_k)
        The keys :math:`K`, one per row.
    value : array_like, shape (..., n_keys, d_v)
        The values :math:`V`, one per key. Leading axes broadcast.
    mask : array_like of bool, broadcastable to (..., n_queries, n_keys), optional
        True = may attend. Blocks that nobody may see are not computed, so that a causal mask
        saves about half of the work.
    scale
        The factor on the dot products; :math:`1/\sqrt{d_k}` if not given.

    Returns
    -------
    ndarray, shape (..., n_queries, d_v)
        float32 in, float32 out; float16 is computed in float32 and returned as float16;
        integers and lists become float64. No input is changed. A query that may attend to
        nothing gets 0.

    Raises
    ------
    TypeError
        For inputs that are not real numbers or a mask that is not boolean.
    ValueError
        For NaN, infinity, no keys, or shapes that do not fit.

    Notes
    -----
    Beyond inputs and output it needs a few mebibytes, and a copy of one head's inputs if they
    are float16, or so large that their products could overflow. A full mask is the caller's
    memory: one byte per query and key.

    Sources: Milakov and Gimelshein, *Online normalizer calculation for softmax* (2018); Rabe and
    Staats, *Self-attention does not need O(n²) memory* (2021); Dao et al., *FlashAttention*
    (2022).

    Examples
    --------
    >>> guests = [[1.0, 0.0], [0.0, 1.0]]
    >>> dishes = [[0.0, 1.0], [1.0, 0.0]]
    >>> prices = [[10.0], [20.0]]
    >>> streaming_attention(guests, dishes, prices, scale=1.0).round(2)
    array([[17.31],
           [12.69]])
    """
    q, k = shapes.floats("query", query), shapes.floats("key", key)
    v = shapes.floats("value", value)
    shapes.check_matrix("value", v, needs="(..., n_keys, d_v)")
    shapes.check_matrix("query", q, needs="(..., n_queries, d_k)")
    shapes.check_matrix("key", k, needs="(..., n_keys, d_k)")
    shapes.check_columns(q, k)
    shapes.check_keys_match_values(k, v)
    leading = shapes.broadcast_leading(query=q, key=k, value=v)
    n_queries, n_keys = q.shape[-2], k.shape[-2]
    allowed = None
    if mask is not None:
        full = (*leading, n_queries, n_keys)
        allowed = shapes.check_mask(mask, full, needs="(..., n_queries, n_keys)")
        allowed = np.broadcast_to(allowed, full)
    factor = default_scale(q, scale)
    answer = np.result_type(q, k, v)
    output = np.empty((*leading, n_queries, v.shape[-1]), answer)
    q, k, v = (np.broadcast_to(x, (*leading, *x.shape[-2:])) for x in (q, k, v))
    computing = np.result_type(answer, np.float32)
    for some in _pieces(
        leading, NUMBERS // (n_keys * max(min(n_queries, ROWS), *v.shape[-1:], *k.shape[-1:]))
    ):
        one, two, three = (x[some].astype(computing, copy=False) for x in (q, k, v))
        may = None if allowed is None else allowed[some]
        _stream(one, two, three, output[some], mask=may, scale=factor)
    return output


def _pieces(leading: tuple[int, ...], most: int) -> Iterator[tuple[slice, ...]]:
    """Cut the leading axes into pieces of at most ``most`` heads, but of one head at least.

    >>> list(_pieces((2, 4), 3))[:2]
    [(slice(0, 1, None), slice(0, 3, None)), (slice(0, 1, None), slice(3, 6, None))]
    """
    if not leading:
        yield ()
        return
    step = max(1, most // max(1, math.prod(leading[1:])))
    for start in range(0, leading[0], step):
        for rest in _pieces(leading[1:], most // step):
            yield (slice(start, start + step), *rest)


def _stream(
    query: NDArray[Any],
    key: NDArray[Any],
    value: NDArray[Any],
    output: NDArray[Any],
    *,
    mask: NDArray[np.bool_] | None,
    scale: float,
) -> None:
    """Write the answers of a few heads into ``output``, one block of queries after another."""
    query, key, scale, temperature = safe_factors(query, key, scale)
    value = value.astype(query.dtype, copy=False)
    # Undivided, a blend may be as large as n_keys values. The largest values are shrunk for the
    # time being, by a power of two, which loses no digits.
    shrink = 0
    if shapes.norm(value) * key.shape[-2] > float(np.finfo(value.dtype).max) / 4:
        shrink = key.shape[-2].bit_length() + 2
        value = np.ldexp(value, -shrink)
    most = np.finfo(output.dtype).max
    for start in range(0, query.shape[-2], ROWS):
        rows = slice(start, start + ROWS)
        blend = _block(
            query[..., rows, :],
            key,
            value,
            mask=None if mask is None else mask[..., rows, :],
            scale=scale,
            temperature=temperature,
        )
        if shrink:
            with np.errstate(over="ignore"):
                blend = np.ldexp(blend, shrink)
        # Rounding may carry a blend of the largest numbers past the largest number.
        np.clip(blend, -most, most, out=output[..., rows, :], casting="same_kind")


def _block(
    query: NDArray[Any],
    key: NDArray[Any],
    value: NDArray[Any],
    *,
    mask: NDArray[np.bool_] | None,
    scale: float,
    temperature: float,
) -> NDArray[Any]:
    """Return the answers to one block of queries: the five lines at the top of this file."""
    rows = query.shape[:-1]
    columns = max(1, NUMBERS // max(1, math.prod(rows)))
    buffer = np.empty(math.prod(rows) * min(columns, key.shape[-2]), query.dtype)
    largest = np.full((*rows, 1), -np.inf, query.dtype)
    total = np.zeros((*rows, 1), query.dtype)
    blend = np.zeros((*rows, value.shape[-1]), query.dtype)
    # Scores far below the largest are worth 0: that is meant.
    with np.errstate(over="ignore", under="ignore"):
        for start in range(0, key.shape[-2], columns):
            some = slice(start, start + columns)
            k, v = key[..., some, :], value[..., some, :]
            hidden = None
            if mask is not None:
                may = mask[..., some]
                # Along an axis of stride 0, where a mask is broadcast, one entry speaks for all.
                may = may[tuple(slice(None if stride else 1) for stride in may.strides)]
                if not may.any():
                    continue
                if not may.all():
                    hidden = ~may
            shape = (*rows, k.shape[-2])
            s = buffer[: math.prod(shape)].reshape(shape)
            np.matmul(query, np.swapaxes(k, -1, -2), out=s)
            s *= scale
            if hidden is not None:
                np.copyto(s, -np.inf, where=hidden)

            before, largest = largest, np.maximum(largest, s.max(axis=-1, keepdims=True))
            # While nothing has been allowed the largest score is -inf; with any finite number
            # in its place, exp(-inf) = 0 follows.
            shift = np.where(np.isneginf(largest), 0, largest)
            past = np.exp((before - shift) / temperature)
            s -= shift
            if temperature != 1:
                s /= temperature
            np.exp(s, out=s)
            total = past * total + s.sum(axis=-1, keepdims=True)
            blend = past * blend + s @ v
    return np.divide(blend, total, out=blend, where=total > 0)
