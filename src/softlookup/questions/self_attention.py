"""Questions on chapter 6: three views of one table, order, the causal mask, several heads."""

from __future__ import annotations

import numpy as np

from softlookup import menu
from softlookup.attention import multi_head_attention, self_attention
from softlookup.masks import causal_mask
from softlookup.positions import sinusoidal_positions
from softlookup.projections import Heads

from .quiz import Question, choice, number

__all__ = ["QUESTIONS"]

FEATURES = ("spicy", "sweet", "rich", "cold")


def _views() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return three views of four columns; the numbers do not matter, so long as they differ."""
    some = np.random.default_rng(6)
    return some.normal(size=(4, 2)), some.normal(size=(4, 2)), some.normal(size=(4, 3))


def why_a_view_of_its_own() -> Question:
    return Question(
        "Suppose one view serves for answering *and* for handing over ($W^K = W^V$), and another "
        "for asking. What is lost?",
        (
            choice(
                "A row can no longer hand over what it is not found by",
                True,
                "Keys say what a row answers to, values what it gives. With one view for both, a "
                "menu searched by taste can only answer with taste.",
            ),
            choice(
                "The score matrix becomes symmetric",
                False,
                "That happens when *asking* and *answering* share a view, $W^Q = W^K$.",
            ),
            choice(
                "The weights of a row no longer add up to 1",
                False,
                "Softmax sees to that, whatever the views are.",
            ),
            choice(
                "The rows lose their order",
                False,
                "Self-attention sees no order with any views; positions have to be added.",
            ),
        ),
    )


def one_view_for_asking_and_answering() -> Question:
    rows = menu.keys(*FEATURES)
    scores = rows @ rows.T
    always = {
        "symmetric": np.allclose(scores, scores.T),
        "self": (scores.argmax(axis=1) == np.arange(5)).all(),
        "sums": np.allclose(scores.sum(axis=1), 1),
        "positive": (scores > 0).all(),
    }
    return Question(
        "All rows ask with the same columns with which they answer, $W^Q = W^K$. What holds for "
        "the score matrix, whatever the rows are?",
        (
            choice(
                "Each row adds up to 1",
                always["sums"],
                "That holds for the weights, after the softmax. These are the scores.",
            ),
            choice(
                "Each row scores highest with itself",
                always["self"],
                "The dal does not: a longer row that resembles it outscores it. A dot product "
                "rewards length.",
            ),
            choice(
                "It is symmetric",
                always["symmetric"],
                "$x_i \\cdot x_j = x_j \\cdot x_i$: no row can score another higher than that one "
                "scores it. To allow that, there are two views.",
            ),
            choice(
                "No score is negative",
                always["positive"],
                "Two rows that point opposite ways have a negative dot product, in any view that "
                "keeps them opposed.",
            ),
        ),
    )


def rows_turned_around() -> Question:
    rows, views = menu.keys(*FEATURES), _views()
    before, after = self_attention(rows, *views), self_attention(rows[::-1], *views)
    return Question(
        "Five rows go into self-attention in reverse order, without positions and without a mask. "
        "What comes out?",
        (
            choice(
                "Other rows than before",
                not any(np.allclose(after, x) for x in (before, before[::-1])),
                "Each row compares itself with all rows and adds up the same values. A sum does "
                "not care about the order of what is added.",
            ),
            choice(
                "The same rows, in reverse order",
                np.allclose(after, before[::-1]),
                "Each row takes its answer along to its new place: permutation equivariance.",
            ),
            choice(
                "The same rows, where they were before",
                np.allclose(after, before),
                "The answer belongs to the row, not to the place. The first row in is now the one "
                "that used to be last.",
            ),
        ),
    )


def count_the_weights() -> Question:
    n = 4
    mask = causal_mask(n)
    seen = int(mask.sum())
    strict = int(np.tril(np.ones((n, n)), -1).sum())
    return Question(
        f"Under the causal mask {n} rows attend to one another. How many of the {n * n} weights "
        "are above 0?",
        (
            number(
                n,
                seen == n,
                "That would let each row see itself alone. It also sees everything before it.",
                digits=0,
            ),
            number(
                strict,
                seen == strict,
                "That leaves out the diagonal. Under the causal mask a row sees what came before "
                "*and itself*.",
                digits=0,
            ),
            number(
                seen,
                True,
                "The first row sees one row, the second two, and so on: 1 + 2 + 3 + 4.",
                digits=0,
            ),
            number(
                n * n,
                seen == n * n,
                "That is what happens without a mask, when everybody sees the future too.",
                digits=0,
            ),
        ),
    )


def the_first_row() -> Question:
    rows, (w_query, w_key, w_value) = menu.keys(*FEATURES), _views()
    values = rows @ w_value
    first = self_attention(rows, w_query, w_key, w_value, mask=causal_mask(5))[0]
    return Question(
        "What does the *first* row get back under the causal mask?",
        (
            choice(
                "Its own value",
                np.allclose(first, values[0]),
                "It may look at itself only, so its one weight is 1.",
            ),
            choice(
                "Nothing: a row of zeros",
                np.allclose(first, 0),
                "That would be so if it could not see itself either. The causal mask keeps the "
                "diagonal.",
            ),
            choice(
                "The average of all values",
                np.allclose(first, values.mean(axis=0)),
                "The other rows all come later, and later rows have weight 0.",
            ),
            choice(
                "The value of the row most like it",
                not np.allclose(first, values[0]) and any(np.allclose(first, v) for v in values),
                "It may not look at any other row, however alike, and even then it would get a "
                "blend.",
            ),
        ),
    )


def five_thousand_rows() -> Question:
    w_query, w_key, w_value = _views()
    layer = Heads([w_query] * 2, [w_key] * 2, [w_value] * 2, [w_value.T] * 2)
    return Question(
        f"A self-attention layer for five rows holds {layer.parameters} learned numbers. How many "
        "does it need for five thousand?",
        (
            number(
                layer.parameters,
                True,
                "The matrices turn the columns of *one* row into views, the same for every row. "
                "How many rows there are does not matter to them.",
                digits=0,
            ),
            number(
                layer.parameters * 1000,
                False,
                "No row has numbers of its own. All rows pass through the same views.",
                digits=0,
            ),
            number(
                5000**2,
                False,
                "That is the size of the score matrix. It is computed anew for every table, and "
                "nothing in it is learned.",
                digits=0,
            ),
        ),
    )


def how_wide_is_the_answer() -> Question:
    rows, (w_query, w_key, w_value) = menu.keys(*FEATURES), _views()
    heads = Heads([w_query] * 2, [w_key] * 2, [w_value] * 2, [w_value.T] * 2)
    width = multi_head_attention(rows, rows, rows, heads).shape[1]
    d_v = w_value.shape[1]
    return Question(
        f"Rows of 4 columns go through two attention heads with $d_k = 2$, $d_v = {d_v}$, and a "
        "$W^O$ that leads back to 4 columns. How wide are the rows that come out?",
        (
            number(
                d_v,
                width == d_v,
                "That is the width of one head's blend, before $W^O$.",
                digits=0,
            ),
            number(
                width,
                True,
                "Each head's $W^O$ turns its answer into 4 columns, and the heads are *added up*.",
                digits=0,
            ),
            number(
                2 * d_v,
                width == 2 * d_v,
                "That wide are the heads' answers laid side by side, before one tall $W^O$.",
                digits=0,
            ),
            number(
                2 * width,
                False,
                "Heads are added, not put side by side, once each has come back to 4 columns.",
                digits=0,
            ),
        ),
    )


def positions_two_apart() -> Question:
    rows = sinusoidal_positions(12, 8)
    near, far = float(rows[0] @ rows[2]), float(rows[7] @ rows[9])
    return Question(
        "Compare two dot products of sinusoidal positions: position 0 with 2, and position 7 with "
        "9. Which is larger?",
        (
            choice(
                "Neither",
                np.isclose(near, far),
                "The product depends on how far apart two positions are, two steps here, and not "
                "on where they stand.",
            ),
            choice(
                "That of 0 and 2",
                near > far + 1e-9,
                "Being near the beginning counts for nothing: the waves have no beginning.",
            ),
            choice(
                "That of 7 and 9",
                far > near + 1e-9,
                "That would be so with a column that simply holds 0, 1, 2, …, where 7 times 9 is "
                "far more than 0 times 2.",
            ),
        ),
    )


QUESTIONS = (
    why_a_view_of_its_own,
    one_view_for_asking_and_answering,
    rows_turned_around,
    positions_two_apart,
    count_the_weights,
    the_first_row,
    how_wide_is_the_answer,
    five_thousand_rows,
)
