"""Questions on chapter 7: two sequences, what weights show, the parts of a block."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from softlookup.attention import scaled_dot_product_attention, self_attention
from softlookup.transformer import FeedForward, LayerNorm

from .quiz import Question, choice, number

__all__ = ["QUESTIONS"]


def _some(*shape: int) -> np.ndarray:
    return np.random.default_rng(7).normal(size=shape)


def who_asks() -> Question:
    return Question(
        "A model reads a French sentence and writes a Korean one. In the attention between them, "
        "which is the query, and which are the keys and values?",
        (
            choice(
                "Query: a row of what is read; keys and values: what is written",
                False,
                "Then the finished French sentence would be asking, and the answer would be one "
                "blend per *French* word. It is the writer that needs to know.",
            ),
            choice(
                "Query: a row of what is written; keys and values: what is read",
                True,
                "The decoder is about to write and looks something up in what has been read.",
            ),
            choice(
                "Query and keys: what is written; values: what is read",
                False,
                "Keys and values come in pairs, one of each per row. A weight found by comparing "
                "two Korean rows says nothing about a French one.",
            ),
        ),
    )


def three_ask_five() -> Question:
    written, read = _some(3, 8), _some(5, 8)
    answers = scaled_dot_product_attention(written, read, read)
    return Question(
        "Three rows have been written and five have been read. How many rows does cross-attention "
        "hand back?",
        (
            number(
                len(answers),
                True,
                "One per query, and what is written asks.",
                digits=0,
            ),
            number(
                len(read),
                len(answers) == len(read),
                "That many rows *answer*. Each query gets one blend of all of them.",
                digits=0,
            ),
            number(
                len(written) + len(read),
                len(answers) == len(written) + len(read),
                "The two tables are not put together: one asks, the other answers.",
                digits=0,
            ),
            number(
                len(written) * len(read),
                len(answers) == len(written) * len(read),
                "That is the number of *scores*, one per pair. The blend adds up over the keys.",
                digits=0,
            ),
        ),
    )


def other_days() -> Question:
    return Question(
        "The dates held out for testing fall on *days* that never occur in the data learned from. "
        "Other spellings of the same days would not do. Why?",
        (
            choice(
                "A reader that had learned its days by heart would pass",
                True,
                "It could recognise a day it knows from a part of the spelling, and recall the "
                "rest. With new days it has to read all of it.",
            ),
            choice(
                "Other spellings would be too hard to read",
                False,
                "A test may be hard. It must not be passed for the wrong reason, and that is the "
                "danger here.",
            ),
            choice(
                "There would be too few dates left to learn from",
                False,
                "How many dates there are is a matter of how many one draws, with either way of "
                "splitting.",
            ),
        ),
    )


def what_the_picture_shows() -> Question:
    return Question(
        "While the reader writes the last character of the month, its largest weight lies on the "
        "*v* of *novembre*. What may you conclude?",
        (
            choice(
                "That character alone decided the answer",
                False,
                "The encoder's row there has read the characters around it as well, so it stands "
                "for more than its own letter.",
            ),
            choice(
                "Of all rows, the one at that place has the largest share in the decoder's blend",
                True,
                "That is what a weight says. It is a good hint at what was used, and chapter 3 has "
                "shown how to test such a hint.",
            ),
            choice(
                "The model understands French",
                False,
                "Given its parts in an order it has never seen, it may write a wrong date. A "
                "picture of weights shows where, not why.",
            ),
            choice(
                "Without attention the month could not be found",
                False,
                "The twin without attention finds the month in many dates too, and given time in "
                "nearly all.",
            ),
        ),
    )


def the_twin_catches_up() -> Question:
    return Question(
        "With as many numbers to learn and the same data, the reader with attention has 98 % of "
        "the held-out dates right after 3 epochs, and its twin without attention after more than "
        "twice as many. What does this comparison show?",
        (
            choice(
                "Attention can do what is impossible without it",
                False,
                "The twin gets there too. A date is short, and one vector can hold it.",
            ),
            choice(
                "Attention makes every model better",
                False,
                "One task and one pair of models say nothing about every other. Chapter 3 had a "
                "task that did not need it.",
            ),
            choice(
                "Attention merely adds numbers to learn",
                False,
                "Both have equally many: dot products and softmax contain nothing to learn.",
            ),
            choice(
                "On this task, a lookup lets it learn sooner",
                True,
                "That much was measured. How tight the bottleneck of one vector is depends on the "
                "task.",
            ),
        ),
    )


def which_part_mixes_rows() -> Question:
    rows = _some(4, 3)
    changed = rows.copy()
    changed[3] += 1.0
    wide = _some(3, 6)
    parts: dict[str, Callable[[Any], Any]] = {
        "attention": self_attention,
        "feed-forward": FeedForward(wide, np.zeros(6), wide.T, np.zeros(3)),
        "norm": LayerNorm(np.ones(3), np.zeros(3)),
    }
    spreads = {
        name: not np.allclose(part(rows)[:3], part(changed)[:3]) for name, part in parts.items()
    }
    return Question(
        "Change the last of four rows. In which part of an encoder block does this change what "
        "comes out for the *first* row?",
        (
            choice(
                "Feed-forward",
                spreads["feed-forward"],
                "Each row goes through the two layers by itself.",
            ),
            choice(
                "Layer norm",
                spreads["norm"],
                "It uses the mean and the spread *of one row*, over its columns.",
            ),
            choice(
                "Self-attention",
                spreads["attention"],
                "It is the one part in which rows look at one another.",
            ),
            choice(
                "The addition of what went in",
                False,
                "Row 1 is added to row 1, and to nothing else.",
            ),
        ),
    )


def layer_norm_of_a_larger_row() -> Question:
    norm = LayerNorm([1.0, 1.0], [0.0, 0.0], epsilon=1e-9)
    small, large = np.array([[1.0, 3.0]]), np.array([[10.0, 30.0]])

    def row(numbers: np.ndarray) -> str:
        return (
            "("
            + ", ".join(f"{x:.2f}" for x in np.ravel(numbers)).replace("-", "\N{MINUS SIGN}")
            + ")"
        )

    right = norm(large)
    offers = {
        "right": right,
        "centred": large - large.mean(),
        "shares": large / large.sum(),
    }
    whys = {
        "right": "The row is shifted to mean 0 and divided by its own spread, and the spread is "
        "ten times as large as well. That is how rows stay of similar size through many blocks.",
        "centred": "That is the row shifted to mean 0, but not yet divided by its spread, which "
        "has become ten times as large too.",
        "shares": "Those are shares that add up to 1. A layer norm makes the *mean* 0 and the "
        "variance 1.",
    }
    return Question(
        f"A layer norm (nothing stretched, nothing shifted) turns (1, 3) into {row(norm(small))}. "
        "Into what does it turn (10, 30)?",
        tuple(
            choice(row(numbers), np.allclose(numbers, right), whys[name])
            for name, numbers in offers.items()
        ),
    )


QUESTIONS = (
    who_asks,
    three_ask_five,
    other_days,
    the_twin_catches_up,
    what_the_picture_shows,
    which_part_mixes_rows,
    layer_norm_of_a_larger_row,
)
