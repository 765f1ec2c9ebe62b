"""The scaled formula: shapes, attention from memory, a weight by hand, a masked softmax."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from softlookup import attention as library

from . import mistakes
from .exercise import Case, FunctionExercise, Stage, check_function, primes
from .result import Result

__all__ = ["attention"]


def _random_tables(rng: np.random.Generator) -> Iterator[Case]:
    for _ in range(3):
        n_q, n_k, d_k, d_v = primes(rng, 4)
        yield tuple(rng.standard_normal(s) for s in ((n_q, d_k), (n_k, d_k), (n_k, d_v)))
    # All sizes equal: here even a wrong product fits, and shows what it computes.
    yield tuple(rng.standard_normal((3, 3, 3)))


def _tiny_tables() -> Iterator[Case]:
    def tables(*rows: Any) -> Case:
        return tuple(np.array(table, dtype=float) for table in rows)

    yield tables([[1]], [[1], [0]], [[1], [0]])
    yield tables([[1, 1]], [[1, 1], [0, 0]], [[1], [0]])
    yield tables([[1, 0]], [[1, 0], [0, 0]], [[1], [0]])
    yield tables([[1, 0], [0, 0]], [[1, 0], [0, 1]], [[1, 0], [0, 1]])
    yield tables([[1, 2], [0, 1]], [[1, 0], [2, 1]], [[1, 0], [3, 2]])
    yield tables([[1, 0], [0, 2]], [[1, 0], [2, 1], [0, 1]], [[1], [0], [2]])


def _large_scores(rng: np.random.Generator) -> Iterator[Case]:
    query, key, value = next(_random_tables(rng))
    yield 1000 * query, key, value
    yield -1000 * query, key, value
    # One row far below the other: each needs a maximum of its own.
    yield np.array([[1000.0], [-1000.0]]), np.array([[1.0], [2.0]]), np.array([[1.0], [0.0]])


def _large_tiny() -> Iterator[Case]:
    yield np.array([[1000.0]]), np.array([[1.0], [0.0]]), np.array([[1.0], [0.0]])
    yield np.array([[-1000.0]]), np.array([[1.0], [2.0]]), np.array([[1.0], [0.0]])
    yield np.array([[1000.0], [-1000.0]]), np.array([[1.0], [2.0]]), np.array([[1.0], [0.0]])


_ATTENTION = FunctionExercise(
    asks="my_attention",
    parameters=("query", "key", "value"),
    right=library.scaled_dot_product_attention,
    family=mistakes.attention,
    mistakes=mistakes.ATTENTION,
    stages=(
        Stage(_random_tables, _tiny_tables),
        Stage(_large_scores, _large_tiny, "Right for small scores, wrong for large ones."),
    ),
    praise="The same as the course's own function, also for scores in the thousands.",
    needs="one row per query, as wide as a value",
)


def attention(my_attention: Callable[..., Any]) -> Result:
    """Check a function of query, key and value that computes the scaled formula.

    Parameters
    ----------
    my_attention
        The function, of tables ``(n_queries, d_k)``, ``(n_keys, d_k)``, ``(n_keys, d_v)``.

    Returns
    -------
    Result

    Examples
    --------
    >>> from softlookup import attention_weights
    >>> attention(lambda query, key, value: attention_weights(query, key) @ value).correct
    True
    >>> attention(lambda query, key, value: attention_weights(query, key, scale=1) @ value)
    Not yet. The scores reach the softmax as they are: nothing divides them. Which factor does \
the formula put between the product and the softmax?
    <BLANKLINE>
        query     [[1, 1]]
        key       [[1, 1], [0, 0]]
        value     [[1], [0]]
        expected  [[0.804]]
        got       [[0.881]]
    """
    return check_function(my_attention, _ATTENTION)
