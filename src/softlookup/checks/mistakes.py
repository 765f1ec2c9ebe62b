"""The known mistakes of attention, as computations.

`attention` and `masked_softmax` compute the right answer by default; each setting is one place
where people go wrong. They are slow, plain and unsafe on purpose: what they yield must be what a
learner's code yields, overflow included.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .exercise import Mistake

__all__ = ["ATTENTION", "attention", "factor", "weights"]

Array = NDArray[Any]


def attention(
    query: Array,
    key: Array,
    value: Array,
    *,
    scale: str = "root d_k",
    transpose: str = "keys",
    roles: str = "qkv",
    over: str = "keys",
    weigh: str = "softmax",
    stable: str = "row",
    back: str = "blend",
    d_model: int = 0,
) -> Array:
    r"""Return :math:`\operatorname{softmax}(QK^\top/\sqrt{d_k})V`, or one of its wrong readings.

    Parameters
    ----------
    query, key, value : ndarray, shape (..., n, d)
    scale
        What the scores are divided by.
    transpose
        What is turned: the keys' last two axes, nothing, or all axes of the keys.
    roles
        Which input plays query, key and value.
    over
        The axis along which weights add up to 1.
    weigh
        How scores become weights.
    stable
        Which maximum is subtracted.
    back
        What is returned.
    d_model
        For ``scale="root d_model"``.

    Examples
    --------
    >>> q, k, v = np.array([[1.0]]), np.array([[0.0], [2.0]]), np.array([[10.0], [20.0]])
    >>> attention(q, k, v).round(2)
    array([[18.81]])
    >>> attention(q, k, v, weigh="scores")
    array([[40.]])
    """
    inputs = {"q": query, "k": key, "v": value}
    q, k, v = (inputs[role] for role in roles)
    turned = {"keys": k.swapaxes(-1, -2), "nothing": k, "all axes": k.T}[transpose]
    scores: Array = q @ turned
    scores = scores * factor(scale, q, k, v, d_model)
    if back == "softmax last":
        return weights(scores @ v, over=over, stable=stable)
    w = weights(scores, over=over, weigh=weigh, stable=stable)
    if scale == "weights":
        w = w / k.shape[-1] ** 0.5
    answers: dict[str, Callable[[], Array]] = {
        "blend": lambda: w @ v,
        "scores": lambda: scores,
        "weights": lambda: w,
        "keys": lambda: w @ k,
        "columns": lambda: w.swapaxes(-1, -2) @ v,
    }
    return answers[back]()


def factor(scale: str, query: Array, key: Array, value: Array, d_model: int = 0) -> float:
    """Return what the scores are multiplied by.

    Examples
    --------
    >>> factor("root d_k", np.ones((2, 4)), np.ones((3, 4)), np.ones((3, 1)))
    0.5
    """
    d_k = key.shape[-1]
    factors: dict[str, Callable[[], float]] = {
        "root d_k": lambda: d_k**-0.5,
        "nothing": lambda: 1.0,
        "d_k": lambda: 1 / d_k,
        "root d_v": lambda: value.shape[-1] ** -0.5,
        "root n_keys": lambda: key.shape[-2] ** -0.5,
        "root n_queries": lambda: query.shape[-2] ** -0.5,
        "root batch": lambda: query.shape[0] ** -0.5,
        "root d_model": lambda: float(d_model) ** -0.5,
        "root 2": lambda: 2**-0.5,
        "root 3": lambda: 3**-0.5,
        "2": lambda: 1 / 2,
        "8": lambda: 1 / 8,
        "multiplied": lambda: d_k**0.5,
        "weights": lambda: 1.0,
    }
    return factors[scale]()


def weights(
    scores: Array, *, over: str = "keys", weigh: str = "softmax", stable: str = "row"
) -> Array:
    """Return scores as weights, in the right way or in one of the wrong ones.

    Parameters
    ----------
    scores : ndarray, shape (..., n_queries, n_keys)
    over, weigh, stable
        As in `attention`.

    Examples
    --------
    >>> weights(np.array([[0.0, 0.0], [1.0, 1.0]]), over="all").sum()
    np.float64(1.0)
    """
    axis: Any = {"keys": -1, "queries": -2, "all": (-2, -1), "batch": 0, "everything": None}[over]
    largest: dict[str, Callable[[], Any]] = {
        "row": lambda: scores.max(axis=axis, keepdims=True),
        "nothing": lambda: 0.0,
        "table": lambda: np.max(scores),
        "columns": lambda: scores.max(axis=-2, keepdims=True),
        "lost axis": lambda: scores.max(axis=-1),
    }
    e: Array = np.exp(scores - largest[stable]())
    ways: dict[str, Callable[[], Array]] = {
        "softmax": lambda: e / e.sum(axis=axis, keepdims=True),
        "scores": lambda: scores,
        "shares of scores": lambda: scores / scores.sum(axis=axis, keepdims=True),
        "largest": lambda: np.where(scores == scores.max(axis=axis, keepdims=True), 1.0, 0.0),
        "sigmoid": lambda: 1 / (1 + np.exp(-scores)),
        "exponentials": lambda: e,
        "lost axis": lambda: e / e.sum(axis=-1),
        "over the largest": lambda: e / e.max(axis=axis, keepdims=True),
        "twice": lambda: weights(weights(scores, over=over), over=over),
        "logarithm": lambda: np.log(e / e.sum(axis=axis, keepdims=True)),
    }
    return ways[weigh]()


def _mistake(name: str, hint: str, **changes: Any) -> Mistake:
    settings: Mapping[str, Any] = changes
    return Mistake(name, hint, settings)


_NOT_NORMALISED = (
    "The exponentials are not divided by their sum. "
    "Each query's weights should add up to 1, and here they do not."
)

#: What goes wrong in attention, the likeliest first.
ATTENTION: tuple[Mistake, ...] = (
    _mistake(
        "no root",
        "The scores reach the softmax as they are: nothing divides them. "
        "Which factor does the formula put between the product and the softmax?",
        scale="nothing",
    ),
    _mistake(
        "d_k, not its root",
        "The scores are divided by d_k, which is too much. "
        "Dot products grow like the root of d_k, and the formula undoes just that.",
        scale="d_k",
    ),
    _mistake(
        "root of d_v",
        "The scores are divided by the root of the number of columns of a value. "
        "It is queries and keys that are multiplied, so their number of columns counts.",
        scale="root d_v",
    ),
    _mistake(
        "root of the number of keys",
        "The scores are divided by the root of the number of keys. "
        "What counts is how many columns a key has, not how many keys there are.",
        scale="root n_keys",
    ),
    _mistake(
        "root of the number of queries",
        "The scores are divided by the root of the number of queries. "
        "What counts is how many columns a query has, not how many queries there are.",
        scale="root n_queries",
    ),
    *(
        _mistake(
            "a fixed number",
            "The scores are divided by the same number whatever comes in. "
            "It should follow from the tables, whose number of columns varies.",
            scale=number,
        )
        for number in ("root 2", "root 3", "2", "8")
    ),
    _mistake(
        "multiplied by the root",
        "The scores are multiplied by the root of d_k, so the softmax becomes sharper. "
        "It should become softer.",
        scale="multiplied",
    ),
    _mistake(
        "scaled after softmax",
        "The root of d_k divides the weights, after the softmax, so they no longer add up to 1. "
        "It belongs to the scores, before.",
        scale="weights",
    ),
    _mistake(
        "softmax over queries",
        "The softmax runs down the columns, so each key's weights add up to 1. "
        "It is each query that shares out its attention, along its row.",
        over="queries",
    ),
    _mistake(
        "softmax over everything",
        "The softmax runs over the whole table, so all weights together add up to 1. "
        "Each query's weights should, row by row.",
        over="all",
    ),
    *(
        _mistake(
            "sum with a lost axis",
            "The row sums stand in a row, where they should stand in a column, so entries are "
            "divided by the sum of another row. keepdims keeps a sum beside its own row.",
            weigh="lost axis",
            stable=stable,
        )
        for stable in ("row", "nothing", "table", "lost axis")
    ),
    _mistake(
        "maximum with a lost axis",
        "The largest scores of the rows stand in a row, where they should stand in a column, so "
        "entries lose the maximum of another row. keepdims keeps a maximum beside its own row.",
        stable="lost axis",
    ),
    _mistake(
        "maximum of the columns",
        "What is subtracted before the exponential is each column's largest score, and that "
        "changes the weights. Subtracting changes nothing only if a whole row loses the same.",
        stable="columns",
    ),
    _mistake("not normalised", _NOT_NORMALISED, weigh="exponentials"),
    _mistake("not normalised", _NOT_NORMALISED, weigh="exponentials", stable="nothing"),
    _mistake(
        "no softmax",
        "The values are weighted by the scores themselves. "
        "The box between scores and blend is missing: weights are positive and add up to 1.",
        weigh="scores",
    ),
    _mistake(
        "shares of the scores",
        "The scores are divided by their sum, without the exponential. "
        "Scores can be negative or cancel, and then this yields no weights.",
        weigh="shares of scores",
    ),
    _mistake(
        "hard",
        "The best key gets all the weight: this is the hard lookup. "
        "In the soft one every key has a share.",
        weigh="largest",
    ),
    _mistake(
        "sigmoid",
        "Each score is squeezed between 0 and 1 by itself. "
        "The weights of a query know of each other: they add up to 1.",
        weigh="sigmoid",
    ),
    _mistake(
        "softmax twice",
        "The softmax is taken twice, which makes the weights much too equal. Once is enough.",
        weigh="twice",
    ),
    _mistake(
        "softmax last",
        "The values are blended by the scores, and the softmax comes after that. "
        "It should turn scores into weights before anything is blended.",
        back="softmax last",
    ),
    _mistake(
        "keys not transposed",
        "The queries are multiplied by the table of keys as it stands, so its columns are "
        "compared instead of its rows. It fits only where there are as many keys as columns.",
        transpose="nothing",
    ),
    _mistake(
        "key and value swapped",
        "Keys and values have changed places: the values are compared and the keys are blended. "
        "Keys are what a query is compared with, values are what is handed back.",
        roles="qvk",
    ),
    _mistake(
        "query and key swapped",
        "Queries and keys have changed places, so each key asks the queries. "
        "Rows of the score matrix are queries, columns are keys.",
        roles="kqv",
    ),
    _mistake(
        "keys blended",
        "The weights are right, but it is the keys that are blended. "
        "What is handed back are the values.",
        back="keys",
    ),
    _mistake(
        "weights transposed",
        "The weights are turned before they meet the values. "
        "Each row of weights should meet all values.",
        back="columns",
    ),
    _mistake(
        "weights returned",
        "These are the weights, and they are right. "
        "One step is left: they have to meet the values.",
        back="weights",
    ),
    _mistake(
        "scores returned",
        "These are the scores, and they are right. "
        "They have to become weights, and the weights a blend of the values.",
        back="scores",
    ),
    _mistake(
        "unstable softmax",
        "The exponential of a large score overflows, and infinity divided by infinity is nan. "
        "Only differences between the scores of a row matter, so they can be made small first.",
        stable="nothing",
    ),
    _mistake(
        "one maximum for all rows",
        "The largest score of the whole table is subtracted from every row, so a row far below it "
        "has only zeros left, and 0 divided by 0 is nan. Each row has a largest score of its own.",
        stable="table",
    ),
)
