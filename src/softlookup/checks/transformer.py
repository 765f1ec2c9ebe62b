"""Two sequences and the Transformer: a shape, a norm by hand, a block, a text that misleads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softlookup import transformer as library
from softlookup.attention import attention_weights, multi_head_attention
from softlookup.projections import Heads

from .answers import Known, check_numbers, check_shape
from .exercise import Case, FunctionExercise, Mistake, Stage, check_function, primes
from .result import CORRECT, NOT_STARTED, NOT_YET, Result

__all__ = ["encoder_block", "layer_norm", "score_shape", "tricky_date"]

Array = NDArray[Any]


def score_shape(score_shape: Any) -> Result:
    """Check the shape of the scores where 5 words ask 49 patches.

    Parameters
    ----------
    score_shape : tuple of int

    Returns
    -------
    Result

    Examples
    --------
    >>> score_shape((49, 5))
    Not yet. Here the patches would ask the words. What is being written asks, and rows of the \
score matrix are what asks.
    """
    words, patches, columns = 5, 49, 64
    right = attention_weights(np.zeros((words, columns)), np.zeros((patches, columns))).shape
    return check_shape(
        score_shape,
        name="score_shape",
        right=right,
        known=(
            Known(
                "patches ask",
                (49, 5),
                "Here the patches would ask the words. What is being written asks, and rows of "
                "the score matrix are what asks.",
            ),
            Known(
                "self-attention of the words",
                (5, 5),
                "Here the words would ask each other, which is the decoder's self-attention. "
                "In its cross-attention they ask what was read.",
            ),
            Known(
                "self-attention of the patches",
                (49, 49),
                "Here the patches would ask each other, which is the encoder's part. "
                "In cross-attention the words ask.",
            ),
            Known(
                "columns",
                (5, 64),
                "The 64 columns are used up by the dot product. "
                "One score is left for each pair of a word and a patch.",
            ),
            Known(
                "columns",
                (49, 64),
                "The 64 columns are used up by the dot product. "
                "One score is left for each pair of a word and a patch.",
            ),
        ),
        otherwise="There is one score for each pair of a query and a key.",
        praise="Words ask, patches answer.",
    )


def layer_norm(normed: Any) -> Result:
    """Check the row (1, 5, 3, 3), normalised by hand.

    Parameters
    ----------
    normed : row of four numbers

    Returns
    -------
    Result

    Examples
    --------
    >>> layer_norm([-2, 2, 0, 0])
    Not yet. The mean is gone, but the row has not been divided by its standard deviation. After \
that the mean of the squares is 1.
    """
    row = np.array([1.0, 5.0, 3.0, 3.0])
    centred = row - row.mean()
    return check_numbers(
        normed,
        name="normed",
        right=library.LayerNorm(np.ones(4), np.zeros(4), epsilon=1e-12)(row[None])[0],
        tolerance=0.01,
        known=(
            Known(
                "only centred",
                centred,
                "The mean is gone, but the row has not been divided by its standard deviation. "
                "After that the mean of the squares is 1.",
            ),
            Known(
                "divided by the variance",
                centred / row.var(),
                "The row was divided by its variance. "
                "The standard deviation is the root of the variance.",
            ),
            Known(
                "n - 1",
                centred / row.std(ddof=1),
                "The variance was taken with n - 1 = 3 below. "
                "Here it is the plain mean of the four squared distances.",
            ),
            Known(
                "mean left in",
                row / row.std(),
                "The row was divided, but its mean is still there. Subtract it first.",
            ),
            Known(
                "length 1",
                centred / np.linalg.norm(centred),
                "The row now has length 1. Its standard deviation should be 1: "
                "the mean of the squares, not their sum.",
            ),
            Known(
                "sign turned",
                -centred / row.std(),
                "All signs are turned. Subtract the mean from the numbers, "
                "not the numbers from the mean.",
            ),
            Known(
                "softmax",
                np.exp(row) / np.exp(row).sum(),
                "This is a softmax. A norm has numbers on both sides of 0.",
            ),
        ),
        otherwise="The mean is 3, and the squared distances from it are 4, 4, 0 and 0.",
        praise="Mean 0, variance 1.",
    )


# ------------------------------------------------------------------ a block


def _block(
    x: Array,
    block: library.EncoderBlock,
    *,
    first: str = "x",
    second: str = "a",
    norms: str = "both",
    order: str = "post",
    feeds: str = "a",
) -> Array:
    def attend(rows: Array) -> Array:
        answer: Array = multi_head_attention(rows, rows, rows, block.attention)
        return answer

    norm_1: Callable[[Array], Array] = block.norm_1
    norm_2: Callable[[Array], Array] = block.norm_2
    if norms == "swapped":
        norm_1, norm_2 = norm_2, norm_1
    if norms == "second only":
        norm_1 = np.asarray
    if norms == "first only":
        norm_2 = np.asarray
    if norms == "none":
        norm_1 = norm_2 = np.asarray
    if norms == "first twice":
        norm_2 = norm_1
    zero = np.zeros_like(x)
    a: Array
    if order == "pre":
        a = x + attend(norm_1(x))
        return np.asarray(a + block.feed_forward(norm_2(a)))
    if order == "norm inside":
        a = x + norm_1(attend(x))
        return a + norm_2(block.feed_forward(a))
    if order == "feed first":
        a = norm_1(x + np.asarray(block.feed_forward(x)))
        return norm_2(a + attend(a))
    a = norm_1({"x": x, "nothing": zero}[first] + attend(x))
    fed: Array = zero if feeds == "nothing" else block.feed_forward({"a": a, "x": x}[feeds])
    if second == "stop":
        return a
    answer: Array = norm_2({"a": a, "x": x, "nothing": zero}[second] + fed)
    return answer


def _random_block(
    rng: np.random.Generator, d_model: int, d_k: int, d_v: int
) -> library.EncoderBlock:
    def norm() -> library.LayerNorm:
        gamma, beta = 0.3 * rng.standard_normal((2, d_model))
        return library.LayerNorm(1 + gamma, beta)

    sizes = ((2, d_model, d_k), (2, d_model, d_k), (2, d_model, d_v), (2, d_v, d_model))
    wide = 11
    feed = ((d_model, wide), (wide,), (wide, d_model), (d_model,))
    return library.EncoderBlock(
        Heads(*(0.5 * rng.standard_normal(s) for s in sizes)),
        norm(),
        library.FeedForward(*(0.5 * rng.standard_normal(s) for s in feed)),
        norm(),
    )


def _random_blocks(rng: np.random.Generator) -> Iterator[Case]:
    for n, d_model, d_k, d_v in primes(rng, 4, cases=3):
        yield rng.standard_normal((n, d_model + 1)), _random_block(rng, d_model + 1, d_k, d_v)


def _tiny_blocks() -> Iterator[Case]:
    plain = library.LayerNorm([1, 1], [0, 0])
    heads = Heads([[[1], [0]]], [[[1], [0]]], [[[1], [0]]], [[[1, 0]]])
    other = Heads([[[1], [0]]], [[[1], [0]]], [[[0], [3]]], [[[3, 0]]])
    feed = library.FeedForward(np.eye(2), [0, 0], [[0, 3], [0, 0]], [0, 0])
    stretch = library.LayerNorm([2, 1], [0, 1])
    for parts in (
        (heads, plain, feed, plain),
        (other, plain, feed, plain),
        (other, stretch, feed, plain),
        (other, plain, feed, stretch),
    ):
        yield np.array([[2.0, 1.0]]), library.EncoderBlock(*parts)
        yield np.array([[1.0, 3.0], [2.0, 0.0]]), library.EncoderBlock(*parts)


_BLOCK = FunctionExercise(
    asks="my_encoder_block",
    parameters=("x", "block"),
    right=library.encoder_block,
    family=_block,
    mistakes=(
        Mistake(
            "first residual missing",
            "What the attention answers is not added to what went in. "
            "In (7.2) each part only changes its rows.",
            {"first": "nothing"},
        ),
        Mistake(
            "second residual missing",
            "What the feed-forward part answers is not added to what went into it. "
            "In (7.2) each part only changes its rows.",
            {"second": "nothing"},
        ),
        Mistake(
            "second residual from x",
            "The feed-forward part's answer is added to x, from before the attention. "
            "It is added to what went into this part.",
            {"second": "x"},
        ),
        Mistake(
            "feed-forward of x",
            "The feed-forward part is given x, from before the attention. "
            "It is given what the first norm made.",
            {"feeds": "x"},
        ),
        Mistake(
            "no feed-forward",
            "The feed-forward part is missing. It stands between the two norms.",
            {"feeds": "nothing"},
        ),
        Mistake(
            "half a block",
            "This is the first half, and it is right. "
            "The feed-forward part, an addition and a norm are left.",
            {"second": "stop"},
        ),
        Mistake(
            "norms swapped",
            "The two norms have changed places. norm_1 follows the attention.",
            {"norms": "swapped"},
        ),
        Mistake(
            "first norm twice",
            "norm_1 is used at both places. The second place has a norm of its own.",
            {"norms": "first twice"},
        ),
        Mistake(
            "first norm missing",
            "There is no norm after the attention. Each addition is followed by one.",
            {"norms": "second only"},
        ),
        Mistake(
            "second norm missing",
            "There is no norm at the end. Each addition is followed by one.",
            {"norms": "first only"},
        ),
        Mistake(
            "no norms",
            "There are no norms. Each addition is followed by one.",
            {"norms": "none"},
        ),
        Mistake(
            "norms before the parts",
            "The norms stand before the parts, as many later models have it. "
            "In (7.2) they stand after each addition.",
            {"order": "pre"},
        ),
        Mistake(
            "norm before the addition",
            "Each part's answer is normalised before it is added. "
            "In (7.2) the sum is normalised.",
            {"order": "norm inside"},
        ),
        Mistake(
            "feed-forward first",
            "The feed-forward part comes first. In (7.2) the rows look at one another before "
            "each is changed by itself.",
            {"order": "feed first"},
        ),
    ),
    stages=(Stage(_random_blocks, _tiny_blocks),),
    praise="Attention, add, norm; feed-forward, add, norm.",
    needs="as x",
)  # fmt: skip


def encoder_block(my_encoder_block: Callable[..., Any]) -> Result:
    """Check an encoder block put together from its parts.

    Parameters
    ----------
    my_encoder_block
        The function, of a table and a `softlookup.transformer.EncoderBlock`.

    Returns
    -------
    Result

    Examples
    --------
    >>> def my_encoder_block(x, block):
    ...     a = block.norm_1(multi_head_attention(x, x, x, block.attention))
    ...     return block.norm_2(a + block.feed_forward(a))
    >>> encoder_block(my_encoder_block).mistakes
    ('first residual missing',)
    """
    return check_function(my_encoder_block, _BLOCK)


# ------------------------------------------------------------------ a text that misleads


_SEEN_FAILING = ("2026 Nov 29", "11.29.2026")
"""What the chapter's reader got wrong in front of everybody."""

_DAY = date(2026, 11, 29)


def tricky_date(tricky: Any, *, reader: Any = None) -> Result:
    """Check a text that means 29 November 2026 and that the stored reader gets wrong.

    Parameters
    ----------
    tricky : str
    reader : softlookup.dates.Reader, optional
        Who reads it; the stored reader if not given, which loads Keras.

    Returns
    -------
    Result

    Examples
    --------
    >>> tricky_date("29 May")
    Not yet. A person has to read 29 November 2026 in it, so the day, 29, and the year, 2026, \
should stand there in digits.
    """
    if tricky is ...:
        return Result(NOT_STARTED, "tricky is still open")
    if not isinstance(tricky, str):
        return Result(NOT_YET, f"tricky should be a text, got {type(tricky).__name__}.")
    if (problem := _does_not_count(tricky)) is not None:
        return problem
    from softlookup import dates  # noqa: PLC0415  loads Keras

    try:
        answer = dates.translate(dates.stored() if reader is None else reader, tricky)
    except (TypeError, ValueError) as error:
        return Result(NOT_YET, str(error))
    if answer == "2026-11-29":
        say = "The reader gets this one right. What has it never seen: another order, another "
        say += "separator, words between?"
        return Result(NOT_YET, say, mistakes=("read rightly",))
    # Whether a person would read that day in it, no program can tell.
    say = f"The reader says {answer}. That a person reads 29 November 2026, "
    return Result(CORRECT, say + "we take your word for.")


def _does_not_count(text: str) -> Result | None:
    """Return what a person misses who should read 29 November 2026, or where it stands already."""
    if " ".join(text.split()).lower() in (shown.lower() for shown in _SEEN_FAILING):
        say = "The lesson has shown that the reader gets this one wrong. Find one of your own."
        return Result(NOT_YET, say, mistakes=("shown in the lesson",))
    rest = text
    for digits in ("2026", "29"):
        if digits not in rest:
            say = (
                "A person has to read 29 November 2026 in it, so the day, 29, and the year, 2026, "
            )
            say += "should stand there in digits."
            return Result(NOT_YET, say, mistakes=("not that day",))
        rest = rest.replace(digits, " ", 1)
    numbers = re.findall(r"\d+", rest)
    words = re.findall(r"[^\W\d_]+", rest.lower())
    months = _other_months()
    for word in [*numbers, *words]:
        if (word.isdigit() and int(word) != _DAY.month) or word in months:
            say = f"{word!r} does not say November, so a person reads another day in it."
            return Result(NOT_YET, say, mistakes=("another month",))
    if not numbers and not words:
        say = "Nothing in it says November. The month is missing, as a word or as 11."
        return Result(NOT_YET, say, mistakes=("no month",))
    return None


@cache
def _other_months() -> frozenset[str]:
    """Return how the dates call the other months, from three letters on: dec, dece, decem, ..."""
    from softlookup.dates import examples  # noqa: PLC0415  needs Babel

    def words(day: date) -> set[str]:
        written = " ".join(row["written"].lower() for row in examples(day))
        found = set(re.findall(r"[^\W\d_]{3,}", written))
        return {word[:end] for word in found for end in range(3, len(word) + 1)}

    # Every four weeks no month is left out, and the day of the week stays: the month differs.
    days = [_DAY - timedelta(weeks=4 * step) for step in range(13)]
    others = [words(day) for day in days if day.month != _DAY.month]
    return frozenset(set().union(*others) - words(_DAY))
