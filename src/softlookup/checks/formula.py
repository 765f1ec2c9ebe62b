"""The scaled formula: shapes, attention from memory, a weight by hand, a masked softmax."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softlookup import attention as library
from softlookup.softmax import softmax

from . import mistakes
from .answers import Known, check_numbers, check_shape, is_open
from .exercise import Case, FunctionExercise, Mistake, Stage, check_function, primes
from .guard import call
from .noted import noted
from .result import CORRECT, NOT_STARTED, NOT_YET, Result

__all__ = ["attention", "attention_in_its_type", "masked_softmax", "shapes", "weight_by_hand"]

Array = NDArray[Any]


def shapes(scores_shape: Any, output_shape: Any) -> Result:
    """Check the shapes of scores and output for 7 queries and 11 keys.

    Parameters
    ----------
    scores_shape, output_shape : tuple of int

    Returns
    -------
    Result

    Examples
    --------
    >>> shapes((11, 7), (7, 3))
    Not yet. The scores are turned around. Rows of the score matrix are queries, columns are keys.
    """
    if is_open(scores_shape, output_shape):
        return Result(NOT_STARTED, "scores_shape or output_shape is still open")
    query, key, value = np.zeros((7, 4)), np.zeros((11, 4)), np.zeros((11, 3))
    of_scores = check_shape(
        scores_shape,
        name="scores_shape",
        right=library.attention_weights(query, key).shape,
        known=(
            Known(
                "scores turned",
                (11, 7),
                "The scores are turned around. "
                "Rows of the score matrix are queries, columns are keys.",
            ),
            Known(
                "shape of the query",
                (7, 4),
                "That is the shape of the queries. A dot product uses up the columns: "
                "one score is left for each pair of a query and a key.",
            ),
            Known(
                "shape of the key",
                (11, 4),
                "That is the shape of the keys. A dot product uses up the columns: "
                "one score is left for each pair of a query and a key.",
            ),
            Known(
                "shape of the output",
                (7, 3),
                "That is the shape of the output. The scores do not know the values yet.",
            ),
        ),
        otherwise="There is one score for each pair of a query and a key.",
    )
    if not of_scores.correct:
        return of_scores
    return check_shape(
        output_shape,
        name="output_shape",
        right=library.scaled_dot_product_attention(query, key, value).shape,
        known=(
            Known(
                "as wide as a key",
                (7, 4),
                "The scores are right. The output is a blend of values, "
                "so it is not as wide as a key.",
            ),
            Known(
                "one row per key",
                (11, 3),
                "The scores are right. The output has one row per question that was asked.",
            ),
            Known(
                "shape of the scores",
                (7, 11),
                "The scores are right. The output is one step further: there the weights "
                "have met the values.",
            ),
            Known(
                "output turned",
                (3, 7),
                "The scores are right. The output is turned around: one row per query.",
            ),
        ),
        otherwise="The scores are right. The output has one row per query; "
        "how wide is a blend of values?",
        praise="The columns of queries and keys are used up; the columns of the values stay.",
    )


def _random_tables(rng: np.random.Generator) -> Iterator[Case]:
    for n_q, n_k, d_k, d_v in primes(rng, 4, cases=3):
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


# ------------------------------------------------------------------ float32 in, float32 out


def attention_in_its_type(attention_in_its_type: Callable[..., Any]) -> Result:
    """Check the scaled formula for tables in float32, which should stay float32 all the way.

    Parameters
    ----------
    attention_in_its_type
        The function, as in `attention`.

    Returns
    -------
    Result

    Examples
    --------
    >>> def my_attention(query, key, value):
    ...     scores = query @ key.T / np.sqrt(key.shape[1])
    ...     e = np.exp(scores - scores.max(axis=1, keepdims=True))
    ...     return e / e.sum(axis=1, keepdims=True) @ value
    >>> attention_in_its_type(my_attention).mistakes
    ('float64 leaks',)
    """
    first = check_function(attention_in_its_type, replace(_ATTENTION, asks="attention_in_its_type"))
    if not first.correct:
        return first
    wide = next(_random_tables(np.random.default_rng()))
    case = noted(*(np.asarray(table, np.float32) for table in wide))
    outcome = call(attention_in_its_type, case, names=_ATTENTION.parameters)
    if outcome.value is None:
        assert outcome.failure
        return Result(NOT_YET, f"{outcome.failure.sentence} {outcome.failure.hint}".rstrip())
    got = outcome.value.dtype
    wider = [(name, shape) for name, dtype, shape in case[0].made if dtype == np.float64]
    if got == np.float64:
        return Result(
            NOT_YET,
            "The numbers are right, but float32 went in and float64 came out. Somewhere a number "
            "of NumPy's own float64 type joins in, such as what np.sqrt makes of an int, and "
            "the whole table follows.",
            (
                f"query     float32, shape {case[0].shape}",
                "expected  float32",
                f"got       {got}",
            ),
            ("float64 leaks",),
        )
    if got != np.float32:
        return Result(NOT_YET, f"float32 went in and {got} came out. It should stay float32.")
    if wider:
        name, shape = wider[0]
        return Result(
            NOT_YET,
            "float32 in and float32 out, but on the way a table was float64. Turning it back "
            "afterwards comes too late: by then it has taken twice the memory.",
            (
                f"query     float32, shape {case[0].shape}",
                f"float64   the table of shape {shape} that {name} made",
            ),
            ("float64 on the way",),
        )
    return Result(CORRECT, "float32 in, float32 out, and no table of float64 was seen between.")


# ------------------------------------------------------------------ a weight by hand


def weight_by_hand(first_weight: Any) -> Result:
    """Check the first weight for the scores 112 and 96 and 64 columns.

    Parameters
    ----------
    first_weight : number

    Returns
    -------
    Result

    Examples
    --------
    >>> weight_by_hand(0.12)
    Not yet. That is the second weight. The first belongs to the larger score.
    """
    scores = np.array([112.0, 96.0])

    def first(divisor: float) -> float:
        return float(softmax(scores / divisor)[0])

    return check_numbers(
        first_weight,
        name="first_weight",
        right=first(8),
        tolerance=0.006,
        known=(
            Known(
                "second weight",
                softmax(scores / 8)[1],
                "That is the second weight. The first belongs to the larger score.",
            ),
            Known(
                "d_k, not its root",
                first(64),
                "The scores were divided by 64. The formula divides by its root.",
            ),
            Known(
                "no root",
                first(1),
                "That comes out without dividing by the root of 64. "
                "Scaled, the difference of the scores is much smaller.",
            ),
            Known(
                "share of the scores",
                112 / 208,
                "That is the score's share in the sum of scores. "
                "The softmax takes e to the power of the scaled scores first.",
            ),
            Known(
                "both weights",
                softmax(scores / 8),
                "Both weights are right. Hand in the first alone.",
            ),
            Known(
                "percent", 100 * first(8), "That is in percent. A weight lies between 0 and 1.", 0.6
            ),
            Known("scaled score", 14, "That is the first scaled score. The softmax is still open."),
            Known(
                "ratio of the weights",
                np.exp(2),
                "That says how many times larger the first weight is than the second. "
                "Together they are 1.",
            ),
        ),
        otherwise="Only the difference of the two scaled scores matters.",
        praise="Scaled scores 14 and 12, and 1 / (1 + e^-2).",
    )


# ------------------------------------------------------------------ masked softmax


def _masked(
    scores: Array,
    mask: Array,
    *,
    true: str = "visible",
    hide: str = "before",
    weigh: str = "softmax",
    stable: str = "visible",
    empty: str = "zeros",
) -> Array:
    visible = mask if true == "visible" else ~mask
    if not mask.any() and empty != "as it comes":
        answers: dict[str, Callable[[], Array]] = {
            "zeros": lambda: np.zeros(len(scores)),
            "uniform": lambda: np.full(len(scores), 1 / len(scores)),
            "ones": lambda: np.ones(len(scores)),
            "unmasked": lambda: softmax(scores),
            "nan": lambda: np.full(len(scores), np.nan),
        }
        return answers[empty]()
    if hide in ("after", "after, renewed"):
        shifted = scores - scores.max() if stable != "nothing" else scores
        e: Array = np.exp(shifted)
        w = np.where(visible, e / e.sum(), 0.0)
        return w / w.sum() if hide == "after, renewed" else w
    hidden: dict[str, Callable[[], Array]] = {
        "before": lambda: np.where(visible, scores, -np.inf),
        "zero scores": lambda: scores * visible,
        "-1e9": lambda: np.where(visible, scores, -1e9),
        "minus one": lambda: scores - ~visible,
        "not": lambda: scores,
    }
    if hide == "dropped":
        return softmax(scores[visible])
    s = hidden[hide]()
    largest = 0.0 if stable == "nothing" else s.max()
    e = np.exp(s - largest)
    if weigh != "exponentials":
        e = e / e.sum()
    return e


def _random_masks(rng: np.random.Generator) -> Iterator[Case]:
    for n in primes(rng, 4, cases=1)[0][:3]:
        mask = rng.permutation(np.arange(n + 2) < 1 + (n + 1) // 2)
        yield rng.standard_normal(n + 2), mask


def _huge_hidden(rng: np.random.Generator) -> Iterator[Case]:
    scores = rng.standard_normal(5)
    scores[1] = 2000.0
    yield scores, np.array([True, False, True, True, False])


_TINY_MASK = np.array([True, False])

_MASKED = FunctionExercise(
    asks="masked_softmax",
    parameters=("scores", "mask"),
    right=lambda scores, mask: softmax(scores, mask=mask),
    family=_masked,
    mistakes=(
        Mistake(
            "mask flipped",
            "The mask is the wrong way round: what should be hidden is all that counts. "
            "True = may attend.",
            {"true": "hidden"},
        ),
        Mistake(
            "mask ignored",
            "The hidden scores still have weight, as if there were no mask. "
            "Hidden entries should get the weight 0.",
            {"hide": "not"},
        ),
        Mistake(
            "masked after softmax",
            "The hidden weights are taken away after the softmax, and the rest add up to less "
            "than 1. Hide before the division.",
            {"hide": "after"},
        ),
        Mistake(
            "masked after softmax, renewed",
            "Hidden scores still take part in the largest score or in the sum, before they are "
            "taken away. Beside a huge hidden one nothing is left of the others to divide.",
            {"hide": "after, renewed"},
        ),
        Mistake(
            "zero scores",
            "Hidden scores become 0, but e to the power of 0 is 1, so they still have weight. "
            "Which score has the weight 0?",
            {"hide": "zero scores"},
        ),
        Mistake(
            "mask subtracted",
            "Hidden scores become smaller by 1 only. They still have weight.",
            {"hide": "minus one"},
        ),
        Mistake(
            "hidden entries dropped",
            "The hidden entries are gone altogether. "
            "As many weights as scores are needed, with 0 for the hidden ones.",
            {"hide": "dropped"},
        ),
        Mistake(
            "not normalised",
            "The exponentials are not divided by their sum. The visible weights add up to 1.",
            {"weigh": "exponentials"},
        ),
        Mistake(
            "not normalised",
            "The exponentials are not divided by their sum. The visible weights add up to 1.",
            {"weigh": "exponentials", "stable": "nothing"},
        ),
        Mistake(
            "nan with nothing left",
            "With nothing left 0 is divided by 0, which is nan. "
            "Then all weights should be 0, without any division.",
            {"empty": "nan"},
        ),
        Mistake(
            "uniform with nothing left",
            "With nothing left all weights come out equal, so hidden entries count again. "
            "This exercise asks for zeros.",
            {"empty": "uniform"},
        ),
        Mistake(
            "unmasked with nothing left",
            "With nothing left the weights come out as if there were no mask. "
            "This exercise asks for zeros.",
            {"empty": "unmasked"},
        ),
        Mistake(
            "ones with nothing left",
            "With nothing left all weights come out as 1. This exercise asks for zeros.",
            {"empty": "ones"},
        ),
        Mistake(
            "unstable softmax",
            "The exponential of a large score overflows. "
            "Only differences between visible scores matter, so they can be made small first.",
            {"stable": "nothing"},
        ),
    ),
    stages=(
        Stage(
            _random_masks,
            lambda: [
                (np.array([0.0, 0.0]), _TINY_MASK),
                (np.array([1.0, 0.0]), _TINY_MASK),
                (np.array([1.0, 0.0, 2.0]), np.array([True, True, False])),
            ],
        ),
        Stage(
            lambda rng: [
                (rng.standard_normal(5), np.zeros(5, dtype=bool)),
                (rng.standard_normal(4), np.ones(4, dtype=bool)),
            ],
            lambda: [(np.array([1.0, 0.0]), np.zeros(2, dtype=bool))],
            "Right while something is left.",
        ),
        Stage(
            _huge_hidden,
            lambda: [(np.array([0.0, 2000.0]), _TINY_MASK)],
            "Right for scores of ordinary size, but not beside a huge hidden one.",
        ),
        Stage(
            lambda rng: [
                (1000 * (3 + rng.random(5)), np.array([True, True, True, True, False])),
                (-1000 * (3 + rng.random(5)), np.array([True, True, True, True, False])),
            ],
            lambda: [
                (np.array([1000.0, 0.0]), _TINY_MASK),
                (np.array([-1000.0, 0.0]), _TINY_MASK),
            ],
            "Right for small scores, wrong for large ones.",
        ),
    ),
    praise="Also with nothing left, and beside a huge hidden score.",
    needs="one weight per score",
    quiet=True,
)


def masked_softmax(masked_softmax: Callable[..., Any]) -> Result:
    """Check a softmax of one row of scores that honours a mask.

    Parameters
    ----------
    masked_softmax
        The function, of scores ``(n,)`` and a mask ``(n,)``, True = may attend.

    Returns
    -------
    Result

    Examples
    --------
    >>> masked_softmax(lambda scores, mask: softmax(scores, mask=~mask)).mistakes
    ('mask flipped',)
    """
    return check_function(masked_softmax, _MASKED)
