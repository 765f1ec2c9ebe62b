"""Questions on chapter 8: the table of n by n, one pass, and what saves what."""

from __future__ import annotations

import numpy as np

from softlookup.attention import attention_weights, scaled_dot_product_attention
from softlookup.masks import causal_mask
from softlookup.softmax import softmax
from softlookup.streaming import streaming_attention

from .quiz import Question, choice, number

__all__ = ["QUESTIONS"]


def _some(*shape: int) -> np.ndarray:
    return np.random.default_rng(8).normal(size=shape)


def twice_the_rows() -> Question:
    def size(n: int) -> int:
        rows = np.zeros((n, 2))
        return int(attention_weights(rows, rows).size)

    mebibytes = 64
    return Question(
        f"The score matrix of some text takes {mebibytes} MiB. How much does it take for a text "
        "twice as long?",
        (
            number(
                mebibytes,
                size(8) == size(4),
                "The *number of learned numbers* stays the same. The scores do not: there is one "
                "for each pair of rows.",
                digits=0,
                unit="MiB",
            ),
            number(
                2 * mebibytes,
                size(8) == 2 * size(4),
                "That is how the queries, keys, values and the output grow. The score matrix grows "
                "both downwards and sideways.",
                digits=0,
                unit="MiB",
            ),
            number(
                mebibytes * size(8) / size(4),
                size(8) == 4 * size(4),
                "Twice as many rows and twice as many columns.",
                digits=0,
                unit="MiB",
            ),
            number(
                8 * mebibytes,
                size(8) == 8 * size(4),
                "Doubling three sizes would do that. The score matrix has two, queries and keys.",
                digits=0,
                unit="MiB",
            ),
        ),
    )


def a_larger_score_arrives() -> Question:
    old, new = 1.0, 3.0
    factor = float(np.exp(old - max(old, new)))
    return Question(
        f"The largest score so far is $m = {old:.0f}$, and a key with score {new:.0f} arrives. By "
        "what are $l$ and $o$ multiplied before the new key is added?",
        (
            number(
                factor,
                True,
                "Everything kept so far had too little subtracted in its exponent, by 2. So it is "
                "too large by $e^2$ and is multiplied by $e^{-2}$.",
            ),
            number(
                old / new,
                np.isclose(factor, old / new),
                "Scores stand in exponents: changing $m$ by 2 changes each term by a factor of "
                "$e^2$, not by a ratio of scores.",
            ),
            number(
                1,
                np.isclose(factor, 1),
                "That is right when the new score is *smaller*: then $m$ stays, and nothing has to "
                "be mended.",
            ),
            number(
                np.exp(new - old),
                np.isclose(factor, np.exp(new - old)),
                "That is the wrong way round. More is subtracted from now on, so what was kept "
                "has to shrink.",
            ),
        ),
    )


def another_order() -> Question:
    query, key, value = _some(3, 4), _some(40, 4), _some(40, 2)
    before = streaming_attention(query, key, value)
    after = streaming_attention(query, key[::-1], value[::-1])
    return Question(
        "The same keys, each with its value, pass by in the opposite order. What becomes of the "
        "streaming softmax's answer?",
        (
            choice(
                "Keys that come late count for more",
                not np.allclose(before, after),
                "Earlier keys are shrunk when a larger score arrives, but by just as much as they "
                "would have been smaller from the start.",
            ),
            choice(
                "It is the same, up to rounding",
                np.allclose(before, after),
                "At every moment $o / l$ is the right blend of the keys seen so far, whatever "
                "their order was. In the end that is all of them.",
            ),
            choice(
                "It is right only if the largest score comes first",
                not np.allclose(before, after),
                "Then nothing would ever have to be mended. But mending is exact, so it does no "
                "harm.",
            ),
        ),
    )


def what_streaming_saves() -> Question:
    query, key, value = _some(6, 4), _some(9, 4), _some(9, 2)
    same = np.allclose(
        streaming_attention(query, key, value), scaled_dot_product_attention(query, key, value)
    )
    return Question(
        "Compared with writing down the whole score matrix, what does streaming attention save "
        "(without a mask)?",
        (
            choice(
                "Time, at the cost of accuracy",
                not same,
                "It computes the same function, and the answers agree but for rounding.",
            ),
            choice(
                "Memory, but no multiplications",
                same,
                "Every query still meets every key. What is never kept is the table of all scores.",
            ),
            choice(
                "Memory, and most multiplications",
                False,
                "To save those, some pairs would have to be left out, and then it would be another "
                "function.",
            ),
            choice(
                "Multiplications, but no memory",
                False,
                "It is the other way round: each score is computed, used, and forgotten.",
            ),
        ),
    )


def one_more_row() -> Question:
    n = 1001
    mask = causal_mask(n)
    new, all_pairs = int(mask[-1].sum()), int(mask.sum())
    return Question(
        f"A text has {n - 1:,} rows, and a model writes the next one under the causal mask, with a "
        "KV cache. How many new scores does one attention head compute?",
        (
            number(
                1,
                new == 1,
                "There is one new query, but it has to meet every key, the old ones too.",
                digits=0,
            ),
            number(
                new,
                True,
                "One query against all keys so far, its own among them. The scores of earlier rows "
                "are not needed again.",
                digits=0,
            ),
            number(
                all_pairs,
                new == all_pairs,
                "That is how many scores the causal mask leaves in all. Old rows never see the new "
                "one, so theirs need not be computed again.",
                digits=0,
            ),
            number(
                n * n,
                new == n * n,
                "That is the whole score matrix, the future included. Nearly all of it is old or "
                "hidden.",
                digits=0,
            ),
        ),
    )


def halves_of_unequal_weight() -> Question:
    scores, values = np.zeros(4), np.array([4.0, 8.0, 8.0, 8.0])
    whole = float(softmax(scores) @ values)
    halves = [float(softmax(scores[part]) @ values[part]) for part in (slice(1), slice(1, 4))]
    return Question(
        "Four keys have equal scores. One machine has seen the first, and answers "
        f"{halves[0]:.0f}; another has seen the other three, and answers {halves[1]:.0f}. What is "
        "the answer over all four?",
        (
            number(
                halves[0],
                np.isclose(whole, halves[0]),
                "That is what the first machine says. It holds a quarter of the weight.",
                digits=0,
            ),
            number(
                float(np.mean(halves)),
                np.isclose(whole, np.mean(halves)),
                "That gives both machines the same say. Each counts by its $l$, the sum of its "
                "exponentials: 1 and 3.",
                digits=0,
            ),
            number(
                whole,
                True,
                "Each machine counts by its $l$: $(1 \\cdot 4 + 3 \\cdot 8) / (1 + 3)$. That is "
                "why $l$ has to be kept along with the blend.",
                digits=0,
            ),
            number(
                sum(halves),
                np.isclose(whole, sum(halves)),
                "Blends are not added up. A blend of 4 and 8 lies between 4 and 8.",
                digits=0,
            ),
        ),
    )


def which_changes_the_function() -> Question:
    rows = _some(12, 4)
    mask = causal_mask(12)
    plain = scaled_dot_product_attention(rows, rows, rows, mask=mask)
    in_blocks = streaming_attention(rows, rows, rows, mask=mask)
    cached = scaled_dot_product_attention(rows[-1:], rows, rows)
    near = np.abs(np.subtract.outer(np.arange(12), np.arange(12))) < 3
    windowed = scaled_dot_product_attention(rows, rows, rows, mask=mask & near)
    return Question(
        "Three ways to save something, in a model that writes a text row by row. Which of them "
        "changes *what is computed*?",
        (
            choice(
                "Keep the keys and values of earlier rows",
                not np.allclose(cached[0], plain[-1]),
                "Under the causal mask those keys and values do not change any more. A KV cache "
                "saves computing them again.",
            ),
            choice(
                "Let each row see its nearest neighbours only",
                not np.allclose(windowed, plain),
                "Whoever is outside the window gets weight 0, however high the score would have "
                "been. That is another function.",
            ),
            choice(
                "Take the keys block by block",
                not np.allclose(in_blocks, plain),
                "That is the streaming softmax, and its answer is the same.",
            ),
        ),
    )


QUESTIONS = (
    twice_the_rows,
    what_streaming_saves,
    a_larger_score_arrives,
    another_order,
    halves_of_unequal_weight,
    one_more_row,
    which_changes_the_function,
)
