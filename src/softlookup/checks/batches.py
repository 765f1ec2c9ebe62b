"""Many queries at once: a shape, batched attention, a padding mask, how much a dish is wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softlookup import attention as library
from softlookup import masks

from . import mistakes
from .answers import Known, check_numbers, check_shape
from .exercise import Case, FunctionExercise, Mistake, Stage, check_function, primes
from .result import Result

__all__ = ["attention", "output_shape", "padding_mask", "portions"]

Array = NDArray[Any]


def output_shape(output_shape: Any) -> Result:
    """Check the shape of the output for queries (4, 1, 6, 8), keys (3, 9, 8), values (3, 9, 2).

    Parameters
    ----------
    output_shape : tuple of int

    Returns
    -------
    Result

    Examples
    --------
    >>> output_shape((4, 3, 6, 9))
    Not yet. That is the shape of the scores. The output is one step further: the keys' axis is \
used up, and a value's width takes its place.
    """
    sizes = (4, 1, 6, 8), (3, 9, 8), (3, 9, 2)
    return check_shape(
        output_shape,
        name="output_shape",
        right=library.scaled_dot_product_attention(*map(np.zeros, sizes)).shape,
        known=(
            Known(
                "not broadcast",
                (4, 1, 6, 2),
                "The last two axes are right. In front stand (4, 1) and (3,), and an axis of "
                "size 1 is repeated as often as the other one asks.",
            ),
            Known(
                "shape of the scores",
                (4, 3, 6, 9),
                "That is the shape of the scores. The output is one step further: the keys' axis "
                "is used up, and a value's width takes its place.",
            ),
            Known(
                "as wide as a key",
                (4, 3, 6, 8),
                "The axes in front and the number of rows are right. "
                "The output is a blend of values, so it is not as wide as a key.",
            ),
            Known(
                "one row per key",
                (4, 3, 9, 2),
                "The axes in front and the width are right. "
                "The output has one row per query, not one per key.",
            ),
            Known(
                "axis lost",
                (3, 6, 2),
                "The last two axes are right. The 4 in front of the queries is still there: "
                "what one side lacks is repeated.",
            ),
            Known(
                "axis lost",
                (4, 6, 2),
                "The last two axes are right. Between them and the 4 stands the 3 of the keys, "
                "which repeats the 1.",
            ),
            Known(
                "axes joined",
                (4, 1, 3, 6, 2),
                "The last two axes are right. The axes in front are matched from the right, "
                "not set beside each other.",
            ),
            Known(
                "front axes swapped",
                (3, 4, 6, 2),
                "The last two axes are right. In front, shapes are matched from the right: "
                "over the 3 of the keys stands the 1 of the queries.",
            ),
        ),
        otherwise="Broadcast the axes in front, then put n_q and d_v behind them.",
        praise="(4, 1) and (3,) broadcast to (4, 3); then n_q and d_v.",
    )


# ------------------------------------------------------------------ without a loop


def _random_batches(rng: np.random.Generator) -> Iterator[Case]:
    for b, n_q, n_k, d_k, d_v in primes(rng, 5, cases=3):
        yield tuple(rng.standard_normal((b, *s)) for s in ((n_q, d_k), (n_k, d_k), (n_k, d_v)))
    yield tuple(rng.standard_normal((3, 3, 3, 3)))


def _tiny_batches() -> Iterator[Case]:
    def tables(*batches: Any) -> Case:
        return tuple(np.array(batch, dtype=float) for batch in batches)

    yield tables([[[1]]], [[[1], [0]]], [[[1], [0]]])
    yield tables([[[1, 1]]], [[[1, 1], [0, 0]]], [[[1], [0]]])
    yield tables([[[1]], [[2]]], [[[1], [0]], [[1], [0]]], [[[1], [0]], [[1], [0]]])
    yield tables([[[1, 0], [0, 0]]], [[[1, 0], [0, 1]]], [[[1, 0], [0, 1]]])
    yield tables(
        [[[1, 0], [0, 1]], [[2, 0], [0, 0]]],
        [[[1, 2], [0, 1]], [[0, 1], [1, 0]]],
        [[[1, 0], [0, 1]], [[1, 0], [0, 2]]],
    )


def _large_batches(rng: np.random.Generator) -> Iterator[Case]:
    query, key, value = next(_random_batches(rng))
    yield 1000 * query, key, value
    yield np.array([[[1000.0], [-1000.0]]]), 1 + _ONE_ZERO, _ONE_ZERO


_ONE_ZERO = np.array([[[1.0], [0.0]]])

_BATCHED = FunctionExercise(
    asks="batched_attention",
    parameters=("query", "key", "value"),
    right=library.scaled_dot_product_attention,
    family=mistakes.attention,
    mistakes=(
        Mistake(
            "all axes turned",
            ".T turns all axes around, the batch included, and fits only where all sizes are "
            "equal. Only the last two axes of the keys should change places.",
            {"transpose": "all axes"},
        ),
        Mistake(
            "root of the batch",
            "The scores are divided by the root of the number of tables in the batch. "
            "What counts is how many columns a key has: the last axis.",
            {"scale": "root batch"},
        ),
        Mistake(
            "softmax over the batch",
            "The softmax runs over the batch, so tables share out attention among each other. "
            "It runs along the last axis: each query among its own keys.",
            {"over": "batch"},
        ),
        Mistake(
            "softmax over the batch too",
            "The softmax runs over everything, the batch included. "
            "Each query's weights add up to 1, along the last axis.",
            {"over": "everything"},
        ),
        *mistakes.ATTENTION,
    ),
    stages=(
        Stage(_random_batches, _tiny_batches),
        Stage(
            _large_batches,
            lambda: [
                (np.array([[[1000.0]]]), _ONE_ZERO, _ONE_ZERO),
                (np.array([[[1000.0], [-1000.0]]]), 1 + _ONE_ZERO, _ONE_ZERO),
            ],
            "Right for small scores, wrong for large ones.",
        ),
    ),
    praise="One product for the whole batch.",
    needs="(b, n_q, d_v)",
)  # fmt: skip


def attention(batched_attention: Callable[..., Any]) -> Result:
    """Check attention over a batch of tables.

    Parameters
    ----------
    batched_attention
        The function, of ``(b, n_q, d_k)``, ``(b, n_k, d_k)``, ``(b, n_k, d_v)``.

    Returns
    -------
    Result

    Examples
    --------
    >>> from softlookup import softmax
    >>> def batched_attention(query, key, value):
    ...     scores = query @ key.swapaxes(1, 2) / np.sqrt(key.shape[1])
    ...     return softmax(scores, axis=-1) @ value
    >>> attention(batched_attention).mistakes
    ('root of the number of keys',)
    """
    return check_function(batched_attention, _BATCHED)


# ------------------------------------------------------------------ a padding mask


def _padding(
    lengths: list[int], n_keys: int, *, compare: str = "below", axes: str = "queries", of: str = ""
) -> Array:
    n, position = np.array(lengths)[:, None], np.arange(n_keys)
    ways: dict[str, Callable[[], Array]] = {
        "below": lambda: position < n,
        "flipped": lambda: position >= n,
        "or equal": lambda: position <= n,
        "one less": lambda: position < n - 1,
        "from the end": lambda: position >= n_keys - n,
        "first missing": lambda: (position >= 1) & (position <= n),
        "only the last": lambda: position == n - 1,
    }
    table = ways[compare]()
    if of:
        table = table.astype(of)
    shapes: dict[str, Callable[[], Array]] = {
        "queries": lambda: table[:, None],
        "none": lambda: table,
        "last": lambda: table[:, :, None],
        "first": lambda: table[None],
        "turned": lambda: table.T,
        "square": lambda: np.repeat(table[:, None], n_keys, axis=1),
    }
    return shapes[axes]()


_PADDING = FunctionExercise(
    asks="my_padding_mask",
    parameters=("lengths", "n_keys"),
    right=masks.padding_mask,
    family=_padding,
    mistakes=(
        Mistake(
            "mask flipped",
            "The mask is the wrong way round: it lets the padding through and hides the rest. "
            "True = may attend.",
            {"compare": "flipped"},
        ),
        Mistake(
            "one too many",
            "One entry too many is visible. Positions count from 0, so a list of length 2 has "
            "entries at positions 0 and 1.",
            {"compare": "or equal"},
        ),
        Mistake(
            "one too few",
            "One entry too few is visible. A list of length 2 has entries at positions 0 and 1.",
            {"compare": "one less"},
        ),
        Mistake(
            "first one missing",
            "The positions are counted from 1, so position 0 is hidden. It is the first entry.",
            {"compare": "first missing"},
        ),
        Mistake(
            "padding in front",
            "The end of each row is visible. The padding stands there, behind the entries.",
            {"compare": "from the end"},
        ),
        Mistake(
            "only the last",
            "Only the last entry of each list is visible. All its entries should be.",
            {"compare": "only the last"},
        ),
        Mistake(
            "axis for the queries missing",
            "The numbers are right, the axis in the middle is missing. "
            "With it, (b, 1, n_keys), each list's row holds for all of its queries.",
            {"axes": "none"},
        ),
        Mistake(
            "axis in the wrong place",
            "The axis of size 1 stands behind the keys. It stands for the queries, before them.",
            {"axes": "last"},
        ),
        Mistake(
            "axis in the wrong place",
            "The axis of size 1 stands before the lists. It stands for the queries, behind them.",
            {"axes": "first"},
        ),
        Mistake(
            "turned",
            "The table is turned: its rows are positions. Each list should be a row.",
            {"axes": "turned"},
        ),
        Mistake(
            "square",
            "Each list's row is repeated for every key. One is enough: an axis of size 1, which "
            "broadcasts to any number of queries.",
            {"axes": "square"},
        ),
        *(
            Mistake(
                "numbers for true and false",
                "The mask holds numbers. A mask is true or false, which is what a comparison "
                "yields; ~ and & work properly on those alone.",
                {"of": kind},
            )
            for kind in ("int64", "float64")
        ),
    ),
    stages=(
        Stage(
            lambda rng: [
                ([int(n) for n in rng.permutation([0, 2, 5, 1, 3])[:3]] + [4], 7),
                ([2, 0, 5], 5),
                ([int(rng.integers(1, 4))], 3),
            ],
            lambda: [([1], 2), ([1, 2], 3), ([2, 1], 3)],
        ),
    ),
    praise="True where there is something to attend to.",
    needs="(b, 1, n_keys)",
)


def padding_mask(my_padding_mask: Callable[..., Any]) -> Result:
    """Check a function of lengths and the padded length that returns a mask.

    Parameters
    ----------
    my_padding_mask
        The function, of a list of lengths and a whole number.

    Returns
    -------
    Result

    Examples
    --------
    >>> def my_padding_mask(lengths, n_keys):
    ...     return np.arange(n_keys) <= np.asarray(lengths)[:, None, None]
    >>> padding_mask(my_padding_mask)
    Not yet. One entry too many is visible. Positions count from 0, so a list of length 2 has \
entries at positions 0 and 1.
    <BLANKLINE>
        lengths   [1]
        n_keys    2
        expected  [[[True, False]]]
        got       [[[True, True]]]
    """
    return check_function(my_padding_mask, _PADDING)


# Guest A comes with three friends who have her tastes; B and C come alone.
_EATERS = np.array([4, 1, 1])


def portions(portions: Any, weights: Any) -> Result:
    """Check how many portions of each dish six people want, four of whom have guest A's tastes.

    Parameters
    ----------
    portions : row of five numbers
    weights : array_like, shape (3, 5)
        The chapter's weights ``A``, one row per guest.

    Returns
    -------
    Result

    Examples
    --------
    >>> A = np.array([[0.4, 0.3, 0.1, 0.1, 0.1], [0.1, 0.2, 0.4, 0.2, 0.1], [0.1, 0, 0, 0.2, 0.7]])
    >>> portions(A.sum(axis=0), A)
    Not yet. That is for the three guests alone. Guest A's three friends eat as well.
    """
    a = np.asarray(weights, dtype=float)
    wanted = _EATERS @ a
    return check_numbers(
        portions,
        name="portions",
        right=wanted,
        tolerance=0.01,
        known=(
            Known(
                "friends forgotten",
                a.sum(axis=0),
                "That is for the three guests alone. Guest A's three friends eat as well.",
            ),
            Known(
                "guest A forgotten",
                (_EATERS - [1, 0, 0]) @ a,
                "Guest A eats as well: with her three friends her tastes count four times.",
            ),
            Known(
                "guest A alone",
                _EATERS[0] * a[0],
                "That is what guest A and her friends want. The other two eat as well.",
            ),
            Known(
                "rows",
                _EATERS * a.sum(axis=1),
                "These are three numbers, how much each guest's party eats. "
                "The columns of A say how much each dish is wanted.",
            ),
            Known(
                "average",
                wanted / _EATERS.sum(),
                "These are averages and add up to 1 portion. Six people eat.",
            ),
            *(
                Known(
                    "one guest",
                    row,
                    "That is what one guest wants. All six people eat.",
                )
                for row in a
            ),
            Known(
                "winners counted",
                np.bincount(a.argmax(axis=1), weights=_EATERS, minlength=a.shape[1]),
                "That counts everybody's favourite alone. In a soft lookup everybody wants a "
                "little of everything.",
            ),
            Known("all", wanted.sum(), "That is the total. It is wanted for each dish by itself."),
            Known(
                "not added",
                _EATERS[:, None] * a,
                "That is how much of each dish each guest's party wants. Which axis has to be "
                "added up?",
            ),
            Known("weights", a, "That is A itself. Which axis has to be added up?"),
        ),
        otherwise="Six portions are eaten in all, and who wants what stands in the columns of A.",
        praise="They add up to 6, one portion per person.",
    )
