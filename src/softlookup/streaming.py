r"""Attention whose memory does not grow with the table of scores: the streaming softmax.

The plain line writes down every score before it blends: n_queries times n_keys numbers, each used
once. Here the keys pass by in blocks. Three things are kept for each query, and each block brings
them up to date::

    m' = max(m, max_j s_j)               the largest score so far
    c  = exp(m - m')                     what the past is worth now
    l' = c l + sum_j exp(s_j - m')       the sum of the exponentials
    o' = c o + sum_j exp(s_j - m') v_j   the blend, not yet divided
    answer = o / l                       once, behind the last block

Over all keys seen so far, l is the sum of exp(s_j - m), and o the sum of exp(s_j - m) v_j. That is
so at the start, with no keys, and stays so, because c turns each exp(s_j - m) into exp(s_j - m').
So o / l is the softmax blend of the keys seen, and behind the last block it is the answer.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import shapes
from .blas import one_blas_thread
from .scores import default_scale, safe_factors

__all__ = ["streaming_attention"]

# A block of scores: so many queries, fewer where threads would have too few blocks to share,
# against as many keys as make up so many numbers. Half a mebibyte of float32 stays in a
# processor's cache from one step to the next.
ROWS = 512
ROWS_AT_LEAST = 128
NUMBERS = 512 * 256
# Each thread works on a block of its own, so that more of them need more memory.
THREADS = 8
# So few scores are computed before other threads have woken up.
FEW = 512 * 512
# exp(-22) to exp(22) are far from both ends of every type, and so are sums of millions of them.
CALM = 22


def streaming_attention(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    scale: float | None = None,
) -> NDArray[Any]:
    r"""Return what ``scaled_dot_product_attention`` returns, without holding its table.

    .. math:: \operatorname{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V

    The table of scores is never written down: keys pass by in blocks. The five lines at the top
    of the module :mod:`softlookup.streaming` say how.

    Parameters
    ----------
    query : array_like, shape (..., n_queries, d_k)
        The queries :math:`Q`, one per row.
    key : array_like, shape (..., n_keys, d_k)
        The keys :math:`K`, one per row.
    value : array_like, shape (..., n_keys, d_v)
        The values :math:`V`, one per key. Leading axes broadcast.
    mask : array_like of bool, broadcastable to (..., n_queries, n_keys), optional
        True = may attend. Blocks that nobody may see are not computed: a causal mask of a long
        table saves nearly half of the work, of a short one less, or nothing.
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
    Beyond inputs and output it needs one block of scores for each thread, half a mebibyte of
    float32, and some rows beside it; at most eight threads are at work. A head's keys and values
    are copied only if they are of a narrower type than is computed in, as float16 always is; also
    its queries and keys if their products could overflow, and values near either end of their
    type. Such copies grow like n. While threads pass from one head to the next there are copies
    of two, seldom of three. A full mask is the caller's memory: one byte per query and key.

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
    q, k, v = (
        x if x.shape[:-2] == leading else np.broadcast_to(x, (*leading, *x.shape[-2:]))
        for x in (q, k, v)
    )
    blocks = partial(_blocks, q, k, v, output, mask=allowed, scale=factor)
    if math.prod(leading) * n_queries * n_keys <= FEW:
        for block in blocks(ROWS):
            block()
        return output
    with one_blas_thread() as threads:
        workers = min(threads, THREADS)
        shares = math.prod(leading) * n_queries // (2 * workers)
        _share(blocks(max(ROWS_AT_LEAST, min(ROWS, shares))), workers)
    return output


def _share(blocks: Iterator[Callable[[], None]], workers: int) -> None:
    """Have all blocks computed by so many threads.

    They do not depend on one another, and NumPy lets other threads run while it computes.
    """
    one_at_a_time = threading.Lock()

    def work() -> None:
        while True:
            with one_at_a_time:  # only one thread may ask what is next
                block = next(blocks, None)
            if block is None:
                return
            block()
            del block  # and the copies it holds

    if workers < 2:
        work()
        return
    with ThreadPoolExecutor(workers) as pool:
        # All begin together, when this thread has nothing left to do: the system then finds a
        # processor for each, instead of putting one behind another that is already at work.
        with one_at_a_time:
            begun = [pool.submit(work) for _ in range(workers)]
        for done in begun:
            done.result()


def _pieces(leading: tuple[int, ...], most: int) -> Iterator[tuple[slice, ...]]:
    """Cut the leading axes into pieces of at most ``most`` heads, but of one head at least.

    >>> list(_pieces((2, 4), 3))[:2]
    [(slice(0, 1, None), slice(0, 3, None)), (slice(0, 1, None), slice(3, 6, None))]
    >>> list(_pieces((2, 4), 8))
    [()]
    """
    if math.prod(leading) <= max(1, most):
        yield ()
        return
    step = max(1, most // max(1, math.prod(leading[1:])))
    for start in range(0, leading[0], step):
        for rest in _pieces(leading[1:], most // step):
            yield (slice(start, start + step), *rest)


def _blocks(
    query: NDArray[Any],
    key: NDArray[Any],
    value: NDArray[Any],
    output: NDArray[Any],
    rows: int,
    *,
    mask: NDArray[np.bool_] | None,
    scale: float,
) -> Iterator[Callable[[], None]]:
    """Cut the work into blocks of queries: each, when called, writes its answers to ``output``."""
    computing = np.promote_types(output.dtype, np.float32)
    sizes = min(query.shape[-2], rows), key.shape[-1], value.shape[-1]
    largest_head = key.shape[-2] * max(sizes)
    scores = _Scores()
    for some in _pieces(output.shape[:-2], NUMBERS // largest_head):
        # Not under names of their own, which would hold the copies longer than needed.
        answer = _prepared(
            query[some],
            key[some].astype(computing, copy=False),
            value[some],
            output[some],
            mask=None if mask is None else mask[some],
            scale=scale,
            scores=scores,
        )
        # The last first: behind a causal mask they are the longest, and who takes the short ones
        # at the end is done when the others are.
        for start in reversed(range(0, query.shape[-2], rows)):
            yield partial(answer, slice(start, start + rows))
        del answer  # before the next heads are copied


def _prepared(
    query: NDArray[Any],
    key: NDArray[Any],
    value: NDArray[Any],
    output: NDArray[Any],
    *,
    mask: NDArray[np.bool_] | None,
    scale: float,
    scores: _Scores,
) -> Callable[[slice], None]:
    """Return what writes the answers to some of the queries of a few heads."""
    wide = query.astype(key.dtype, copy=False)
    longest = _longest(wide) * abs(scale)
    # If calm, queries take the scale before they meet the keys: they have fewer entries than
    # there are scores. None of them comes near either end of its type.
    calm = 2.0**-64 < longest < 2.0**64 and longest * _longest(key) <= CALM
    factor, temperature = scale if calm else 1.0, 1.0
    if not calm:
        safe, key, scale, temperature = safe_factors(wide, key, scale)
        if safe is not wide:
            query = safe
        del safe
    del wide  # float16 is widened block by block: no copy of all queries stays
    key = key.swapaxes(-1, -2)
    # Undivided, a blend may be as large as exp(CALM) times n_keys values, or as small as
    # exp(-CALM) times one. Where values near either end of their type leave no room for that,
    # float32 is blended in float64; float64 is moved away from the end for the time being, by a
    # power of two no larger than needed, for what is small beside it must not be lost.
    shrink = 0
    dtype = key.dtype
    if not 2.0**-64 < shapes.norm(value) < 2.0**64:
        exponent = int(np.frexp(shapes.largest(value))[1])
        room = np.finfo(dtype).maxexp - 1 - 2 * CALM - value.shape[-2].bit_length()
        shrink = exponent if exponent < -64 else max(0, exponent - room)
        if shrink and dtype == np.float32:
            shrink, dtype = 0, np.dtype(np.float64)
    value = value.astype(dtype, copy=False)
    if shrink:
        value = np.ldexp(value, -shrink)
    most = np.finfo(output.dtype).max

    def answer(rows: slice) -> None:
        may = None if mask is None else mask[..., rows, :]
        some = np.multiply(query[..., rows, :], factor, dtype=key.dtype)
        answers = output[..., rows, :]
        blend, total = _block(
            some, key, value, scores, mask=may, scale=scale, temperature=temperature, calm=calm
        )
        if not shrink and answers.dtype == blend.dtype:
            np.divide(blend, total, out=answers)
            return
        blend /= total
        # Rounding may carry a blend of the largest numbers past the largest number.
        with np.errstate(over="ignore"):
            np.clip(np.ldexp(blend, shrink), -most, most, out=answers, casting="same_kind")

    return answer


class _Scores(threading.local):
    """Room for one block of scores, for each thread its own, used again by its next block."""

    room: NDArray[Any] = np.empty(0)

    def shaped(self, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
        size = math.prod(shape)
        if self.room.dtype != dtype or self.room.size < size:
            self.room = np.empty(size, dtype)
        return self.room[:size].reshape(shape)


def _longest(rows: NDArray[Any]) -> float:
    """Return the length of the longest row, or slightly more.

    By Cauchy and Schwarz no dot product is larger than the lengths of its two rows multiplied.
    """
    squares = np.einsum("...i,...i->...", rows, rows)
    # Squares may have been lost at the lower end of the type, but no more than this.
    lost = rows.shape[-1] * float(np.finfo(rows.dtype).tiny)
    return math.sqrt(float(squares.max(initial=0)) + lost)


def _block(
    query: NDArray[Any],
    key: NDArray[Any],
    value: NDArray[Any],
    scores: _Scores,
    *,
    mask: NDArray[np.bool_] | None,
    scale: float,
    temperature: float,
    calm: bool,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return o and l for one block of queries: the five lines at the top of this file.

    Keys come as columns. If ``calm``, queries have their scale already, and no score can be so
    large that its exponential overflows: then m may stay at 0.
    """
    rows = query.shape[:-1]
    columns = max(1, NUMBERS // max(1, math.prod(rows)))
    ones = np.ones((min(columns, key.shape[-1]), 1), query.dtype)
    largest: Any = -np.inf
    blend: Any = None
    total: Any = None
    for start in range(0, key.shape[-1], columns):
        some = slice(start, start + columns)
        k, v = key[..., some], value[..., some, :]
        hidden = None
        if mask is not None:
            may = mask[..., some]
            # Along an axis of stride 0, where a mask is broadcast, one entry speaks for all.
            may = may[tuple(slice(None if stride else 1) for stride in may.strides)]
            if not may.any():
                continue
            if not may.all():
                hidden = ~may
        s = np.matmul(query, k, out=scores.shaped((*rows, k.shape[-1]), query.dtype))
        if not calm:
            s *= scale
        if hidden is not None:
            np.copyto(s, -np.inf, where=hidden)

        if calm:
            np.exp(s, out=s)
        else:
            largest = _exp_below_largest(s, largest, blend, total, temperature=temperature)
        seen, sums = s @ v, s @ ones[: s.shape[-1]]  # quicker than sum(axis=-1)
        if blend is None:
            blend, total = seen, sums
        else:
            blend += seen
            total += sums
    if blend is None:  # nobody may see anything
        return np.zeros((*rows, value.shape[-1]), query.dtype), np.ones((*rows, 1), query.dtype)
    if mask is not None:
        total[total == 0] = 1  # a query that may attend to nothing: its blend is 0 already
    return blend, total


def _exp_below_largest(
    s: NDArray[Any], before: Any, blend: Any, total: Any, *, temperature: float
) -> Any:
    """Return m', having overwritten s with ``exp(s - m')``, o with ``c o`` and l with ``c l``."""
    largest = np.maximum(before, s.max(axis=-1, keepdims=True))
    # While nothing has been allowed the largest score is -inf; with any finite number in its
    # place, exp(-inf) = 0 follows.
    shift = np.where(np.isneginf(largest), 0, largest)
    # Scores far below the largest are worth 0: that is meant.
    with np.errstate(over="ignore", under="ignore"):
        if blend is not None:
            past = np.exp((before - shift) / temperature)
            blend *= past
            total *= past
        s -= shift
        if temperature != 1:
            s /= temperature
        np.exp(s, out=s)
    return largest
