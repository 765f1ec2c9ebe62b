"""Self-attention: a query by hand, the formula, a stricter past, counting, splitting heads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softlookup import attention as library
from softlookup.masks import causal_mask
from softlookup.projections import Heads

from . import guard, mistakes
from .answers import Known, check_numbers, is_open
from .exercise import Case, FunctionExercise, Mistake, Stage, check_function, primes
from .result import CORRECT, NOT_STARTED, NOT_YET, Result

__all__ = ["formula", "numbers_to_learn", "query_by_hand", "split_heads", "strict_past"]

Array = NDArray[Any]


def query_by_hand(ramen_asks: Any, x: ArrayLike, w_query: ArrayLike) -> Result:
    """Check what the ramen asks for: its query.

    Parameters
    ----------
    ramen_asks : row of two numbers
    x : array_like, shape (5, 4)
        The chapter's table ``X``.
    w_query : array_like, shape (4, 2)
        The chapter's view ``W_query``.

    Returns
    -------
    Result

    Examples
    --------
    >>> x = np.array([[0.2, -0.4, 0.7, -0.8]])
    >>> w_query = np.array([[0, 2], [0, 0], [2, 0], [0, 0]])
    >>> query_by_hand((0.4, 1.4), x, w_query)
    Not yet. The two numbers are right and in the wrong order. The first column of W_query asks \
for sweet, the second for cold.
    """
    row, view = np.asarray(x, float)[0], np.asarray(w_query, float)
    right = row @ view
    return check_numbers(
        ramen_asks,
        name="ramen_asks",
        right=right,
        tolerance=0.01,
        known=(
            Known(
                "wrong order",
                right[::-1],
                "The two numbers are right and in the wrong order. "
                "The first column of W_query asks for sweet, the second for cold.",
            ),
            Known(
                "without the factors",
                row @ (view > 0),
                "The right columns of the ramen were picked, but W_query has 2 there, not 1. "
                "Each entry is multiplied.",
            ),
            Known(
                "same name",
                (2 * row[1], 2 * row[3]),
                "These are the ramen's own sweet and cold. What it asks for depends on other "
                "columns: in W_query, look which rows are not 0.",
            ),
            Known(
                "one table",
                (right,),
                "The numbers are right. A row of two is enough, without the outer brackets.",
            ),
            Known(
                "one number",
                right.sum(),
                "The two numbers are added up. Each column of W_query asks for itself.",
            ),
        ),
        otherwise="Each number is a dot product of the ramen's row with one column of W_query.",
        praise="Rich asks for sweet, a little spice for a little cold.",
    )


# ------------------------------------------------------------------ the formula


def _self_attention(
    x: Array, w_query: Array, w_key: Array, w_value: Array, *, views: str = "qkv", **changes: Any
) -> Array:
    made = {"q": x @ w_query, "k": x @ w_key, "v": x @ w_value, "x": x}
    query, key, value = (made[view] for view in views)
    return mistakes.attention(query, key, value, d_model=x.shape[1], **changes)


def _random_views(rng: np.random.Generator) -> Iterator[Case]:
    for n, d_model, d_k, d_v in primes(rng, 4, cases=3):
        sizes = ((n, d_model), (d_model, d_k), (d_model, d_k), (d_model, d_v))
        yield tuple(rng.standard_normal(s) for s in sizes)
    yield tuple(rng.standard_normal((4, 3, 3)))


def _tiny_views() -> Iterator[Case]:
    def tables(*rows: Any) -> Case:
        return tuple(np.array(table, dtype=float) for table in rows)

    yield tables([[1], [0]], [[1]], [[1]], [[1]])
    yield tables([[1], [0]], [[1]], [[2]], [[1]])
    yield tables([[1], [0]], [[1, 1]], [[1, 0]], [[3]])
    yield tables([[1, 0], [0, 1]], [[1], [0]], [[0], [1]], [[1], [2]])
    yield tables([[1, 0], [0, 1]], [[1, 0], [0, 2]], [[0, 1], [1, 0]], [[1, 0], [2, 1]])
    yield tables([[1, 0], [0, 1]], [[1, 0], [0, 2]], [[0, 1], [2, 0]], [[1, 0], [2, 1]])


def _large_views(rng: np.random.Generator) -> Iterator[Case]:
    x, w_query, w_key, w_value = next(_random_views(rng))
    yield x, 1000 * w_query, w_key, w_value
    # One row far below the other: each needs a maximum of its own.
    yield np.array([[1.0], [2.0]]), 1000 * _ONE, _ONE, _ONE


_ONE = np.array([[1.0]])

_FORMULA = FunctionExercise(
    asks="my_self_attention",
    parameters=("x", "w_query", "w_key", "w_value"),
    right=library.self_attention,
    family=_self_attention,
    mistakes=(
        Mistake(
            "views of query and key swapped",
            "The views of queries and keys have changed places. "
            "Rows of the score matrix ask, columns answer.",
            {"views": "kqv"},
        ),
        Mistake(
            "one view for query and key",
            "Queries and keys are seen through the same view, W_query, so the scores are "
            "symmetric. What a row answers to has a view of its own.",
            {"views": "qqv"},
        ),
        Mistake(
            "one view for query and key",
            "Queries and keys are seen through the same view, W_key, so the scores are "
            "symmetric. What a row asks has a view of its own.",
            {"views": "kkv"},
        ),
        Mistake(
            "values without their view",
            "The rows of x are blended as they are. "
            "What a row hands over is seen through W_value.",
            {"views": "qkx"},
        ),
        Mistake(
            "keys handed over",
            "What is blended are the keys. What a row hands over is seen through W_value.",
            {"views": "qkk"},
        ),
        Mistake(
            "no views",
            "This is the self-attention of the table itself, without any view. "
            "Queries, keys and values are three views of it.",
            {"views": "xxx"},
        ),
        Mistake(
            "values' view alone",
            "The rows are compared as they are, and only the values are seen through their view. "
            "Queries and keys have views too.",
            {"views": "xxv"},
        ),
        Mistake(
            "views of key and value swapped",
            "The views of keys and values have changed places. "
            "W_key is what a row answers to, W_value what it hands over.",
            {"views": "qvk"},
        ),
        Mistake(
            "root of d_model",
            "The scores are divided by the root of the number of columns of x. "
            "Queries are compared with keys, and those have as many columns as the views make.",
            {"scale": "root d_model"},
        ),
        *(
            mistake
            for mistake in mistakes.ATTENTION
            # the same said above in the words of views, or as keys and queries are equally many
            if mistake.name
            not in (
                "key and value swapped",
                "query and key swapped",
                "keys blended",
                "root of the number of queries",
            )
        ),
    ),
    stages=(
        Stage(_random_views, _tiny_views),
        Stage(
            _large_views,
            lambda: [
                (np.array([[1.0], [0.0]]), 1000 * _ONE, _ONE, _ONE),
                (np.array([[1.0], [2.0]]), 1000 * _ONE, _ONE, _ONE),
            ],
            "Right for small scores, wrong for large ones.",
        ),
    ),
    praise="Three views of one table, and attention between them.",
    needs="one row per row of x, as wide as W_value makes it",
)  # fmt: skip


def formula(my_self_attention: Callable[..., Any]) -> Result:
    """Check self-attention under three views.

    Parameters
    ----------
    my_self_attention
        The function, of a table ``(n, d_model)`` and views ``(d_model, d_k)``, ``(d_model, d_k)``,
        ``(d_model, d_v)``.

    Returns
    -------
    Result

    Examples
    --------
    >>> from softlookup import self_attention
    >>> formula(lambda x, w_query, w_key, w_value: self_attention(x, w_key, w_query, w_value))
    Not yet. The views of queries and keys have changed places. Rows of the score matrix ask, \
columns answer.
    <BLANKLINE>
        x         [[1, 0], [0, 1]]
        w_query   [[1], [0]]
        w_key     [[0], [1]]
        w_value   [[1], [2]]
        expected  [[1.731], [1.5]]
        got       [[1.5], [1.269]]
    """
    return check_function(my_self_attention, _FORMULA)


# ------------------------------------------------------------------ a stricter past


def strict_past(strict_past: Any) -> Result:
    """Check a mask under which each of five courses sees those before it, but not itself.

    Parameters
    ----------
    strict_past : array_like of bool, shape (5, 5)

    Returns
    -------
    Result

    Examples
    --------
    >>> strict_past(causal_mask(5))
    Not yet. Under this mask a course still sees itself. The exercise wants the courses before \
it alone.
    <BLANKLINE>
        1 0 0 0 0
        1 1 0 0 0
        1 1 1 0 0
        1 1 1 1 0
        1 1 1 1 1
    """
    if is_open(strict_past):
        return Result(NOT_STARTED, "strict_past is still open")
    got = guard.call(lambda: strict_past, ()).value
    if got is None or got.shape != (5, 5):
        what = f"shape {got.shape}" if got is not None and got.ndim else "something else"
        say = "Needed true and false in shape (5, 5), one row per course that asks; got "
        return Result(NOT_YET, f"{say}{what}.")
    see = np.asarray(causal_mask(5))
    strict = see & ~np.eye(5, dtype=bool)
    if got.dtype == bool:
        return _seen(got, see, strict)
    if np.isin(got, (0, 1)).all():
        say = "The mask holds numbers. A mask is true or false, which is what a comparison "
        say += "yields; ~ and & work properly on those alone."
        return Result(NOT_YET, say, mistakes=("numbers for true and false",))
    say = "Needed true and false. Numbers to add to the scores are another kind of mask."
    return Result(NOT_YET, say, mistakes=("added to the scores",))


def _seen(got: Array, see: Array, strict: Array) -> Result:
    if np.array_equal(got, strict):
        say = "The first course has nothing to look at, and our policy answers with zeros."
        return Result(CORRECT, say)
    step = np.subtract.outer(np.arange(5), np.arange(5))  # how long ago
    known = (
        Known(
            "sees itself",
            see,
            "Under this mask a course still sees itself. "
            "The exercise wants the courses before it alone.",
        ),
        Known(
            "the future",
            strict.T,
            "Under this mask a course sees those that come after it. "
            "Rows ask and columns answer; here they have changed places.",
        ),
        Known(
            "mask flipped",
            ~strict,
            "The mask is the wrong way round. True = may attend.",
        ),
        Known(
            "mask flipped",
            ~see,
            "Under this mask a course sees those that come after it: it hides the past instead "
            "of showing it. True = may attend.",
        ),
        Known(
            "all but itself",
            step != 0,
            "Under this mask a course sees all the others, later ones too. "
            "Only those before it should be seen.",
        ),
        Known(
            "one step back",
            step == 1,
            "Under this mask a course sees the one right before it and no other. "
            "All earlier ones should be seen.",
        ),
        Known(
            "one too strict",
            step >= 2,
            "Under this mask a course misses the one right before it. "
            "It should only miss itself and what follows.",
        ),
        Known("only itself", step == 0, "Under this mask a course sees itself alone. "
              "The exercise wants the courses before it."),
        Known("everything", step > -9, "This mask hides nothing. "
              "A course should not see itself, nor what follows."),
        Known("nothing", step > 9, "This mask hides everything. "
              "The courses before it should be seen."),
    )  # fmt: skip
    picture = tuple(" ".join("10"[not seen] for seen in row) for row in got)
    for wrong in known:
        if np.array_equal(got, wrong.value):
            return Result(NOT_YET, wrong.hint, picture, (wrong.name,))
    i, j = np.argwhere(got != strict)[0]
    word = "sees" if got[i, j] else "does not see"
    return Result(
        NOT_YET,
        f"Under this mask the course at position {i} {word} the one at position {j}. "
        "Row i (asking) may see column j (answering) where j is the smaller.",
        picture,
    )


# ------------------------------------------------------------------ counting


def numbers_to_learn(numbers: Any) -> Result:
    """Check how many numbers 8 heads with 512 columns and 64 per head have.

    Parameters
    ----------
    numbers : number

    Returns
    -------
    Result

    Examples
    --------
    >>> numbers_to_learn(131_072)
    Not yet. That is one head. There are eight.
    """
    columns, heads, d = 512, 8, 64
    view, back = columns * d, d * columns
    right = heads * (3 * view + back)
    return check_numbers(
        numbers,
        name="numbers",
        right=right,
        tolerance=0.5,
        known=(
            Known("one head", right // heads, "That is one head. There are eight."),
            Known(
                "W_O missing",
                heads * 3 * view,
                "These are the views alone. "
                "The matrices that put the heads' answers together are missing.",
            ),
            Known(
                "one view",
                heads * view,
                "That is one view in all heads. A head has three, and its part of W_O.",
            ),
            Known(
                "one W_O too small",
                heads * 3 * view + back,
                "The views are right. W_O was counted for one head only.",
            ),
            Known(
                "full width for every head",
                heads * 4 * columns * columns,
                "Each head was given the full 512 columns. A head's views have 64.",
            ),
            Known(
                "with biases",
                right + heads * 3 * d + columns,
                "Biases were counted as well. Here there are none.",
            ),
            Known(
                "two views",
                heads * (2 * view + back),
                "One view is missing: a row asks, answers, and hands over.",
            ),
            Known("in millions", right / 1e6, "That is in millions. Hand in the number itself."),
        ),
        otherwise="Per head there are three views of 512 x 64, and something that leads back.",
        praise="1,048,576: as many as four matrices of 512 x 512.",
    )


# ------------------------------------------------------------------ splitting heads


def _split(x: Array, heads: int, *, how: str = "right") -> Array:
    n, width = x.shape
    d = width // heads
    ways: dict[str, Callable[[], Array]] = {
        "right": lambda: x.reshape(n, heads, d).swapaxes(0, 1),
        "rows mixed": lambda: x.reshape(heads, n, d),
        "columns interleaved": lambda: x.reshape(n, d, heads).transpose(2, 0, 1),
        "not turned": lambda: x.reshape(n, heads, d),
        "columns first": lambda: x.reshape(n, heads, d).transpose(1, 2, 0),
        "heads last": lambda: x.reshape(n, d, heads),
        "turned first": lambda: x.T.reshape(heads, d, n),
        "turned and mixed": lambda: x.T.reshape(heads, n, d),
    }
    return ways[how]()


def _split_by_views(x: Array, heads: int) -> Array:
    """Let the library's views pick the columns: head h sees columns h d to (h + 1) d."""
    width = x.shape[1]
    picks = np.stack(np.split(np.eye(width), heads, axis=1))
    back = np.zeros((heads, width // heads, 1))
    return Heads(picks, picks, picks, back).views(x, x, x)[0]


_SPLIT = FunctionExercise(
    asks="split_heads",
    parameters=("x", "heads"),
    right=_split_by_views,
    family=_split,
    mistakes=(
        Mistake(
            "rows mixed",
            "The numbers of different rows end up in one: reshape reads them off row by row and "
            "knows nothing of heads. First cut each row into its pieces, then bring the heads to "
            "the front.",
            {"how": "rows mixed"},
        ),
        Mistake(
            "columns interleaved",
            "Each head gets every so many-th column. It should get neighbouring columns, "
            "as many as belong to one head.",
            {"how": "columns interleaved"},
        ),
        Mistake(
            "heads not in front",
            "The pieces are right, but the rows still stand in front. "
            "The axis of the heads comes first.",
            {"how": "not turned"},
        ),
        Mistake(
            "rows and columns swapped",
            "The heads are right, but within each head rows and columns have changed places. "
            "Each head holds a table with one row per row of x.",
            {"how": "columns first"},
        ),
        Mistake(
            "rows and columns swapped",
            "The heads are right, but within each head rows and columns have changed places. "
            "Each head holds a table with one row per row of x.",
            {"how": "turned first"},
        ),
        Mistake(
            "heads last",
            "The heads stand last. They come first, and then rows and columns.",
            {"how": "heads last"},
        ),
        Mistake(
            "turned and mixed",
            "The table is turned first, and then cut as if it were not. "
            "Rows stay rows; only the columns are cut into pieces.",
            {"how": "turned and mixed"},
        ),
    ),
    stages=(
        Stage(
            lambda rng: [
                (rng.standard_normal((n, heads * d)), heads)
                for n, heads, d in (*primes(rng, 3, cases=2), (2, 2, 2))
            ],
            lambda: [
                (np.array([[1.0, 2.0], [3.0, 4.0]]), 2),
                (np.array([[1.0, 2.0, 3.0, 4.0]]), 2),
                (np.array([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]), 2),
            ],
        ),
    ),
    praise="Each head has its own columns of every row.",
    needs="(heads, rows, columns of one head)",
)


def split_heads(split_heads: Callable[..., Any]) -> Result:
    """Check a function that cuts a table's columns into equal pieces, one per head.

    Parameters
    ----------
    split_heads
        The function, of a table ``(n, heads * d)`` and the number of heads; it returns
        ``(heads, n, d)``.

    Returns
    -------
    Result

    Examples
    --------
    >>> split_heads(lambda x, heads: x.reshape(heads, len(x), -1)).mistakes
    ('rows mixed',)
    """
    return check_function(split_heads, _SPLIT)
