"""Questions on chapter 5: many queries, axes in front, padding, and checks."""

from __future__ import annotations

import numpy as np

from softlookup import menu
from softlookup.attention import attention_weights, scaled_dot_product_attention
from softlookup.softmax import softmax

from .quiz import Question, choice, number

__all__ = ["QUESTIONS"]

GUESTS = np.array([[0.6, 0.3], [-0.5, 0.4], [-0.4, -0.7]])  # spicy, soupy


def _menu() -> tuple[np.ndarray, np.ndarray]:
    return menu.keys("spicy", "soupy"), menu.values("price", "kcal")


def which_axis() -> Question:
    scores = np.zeros((3, 5))
    along_rows, down_columns = softmax(scores, axis=-1), softmax(scores, axis=0)
    over_all = softmax(scores.ravel())
    return Question(
        "Three guests ask about five dishes, and all fifteen scores are equal. What is each weight "
        "in attention?",
        (
            number(
                over_all[0],
                np.isclose(over_all[0], along_rows[0, 0]),
                "That is softmax over all fifteen numbers: the guests *together* would have one "
                "unit to share.",
            ),
            number(
                along_rows[0, 0],
                np.allclose(along_rows.sum(axis=1), 1),
                "Each guest shares out one whole unit over the five dishes: softmax runs along the "
                "rows.",
            ),
            number(
                down_columns[0, 0],
                np.isclose(down_columns[0, 0], along_rows[0, 0]),
                "That is softmax down the columns: every *dish* would share itself out over three "
                "guests.",
            ),
        ),
    )


def one_guest_changes_her_mind() -> Question:
    keys, values = _menu()
    changed_mind = GUESTS.copy()
    changed_mind[1] = [0.9, 0.9]
    before = scaled_dot_product_attention(GUESTS, keys, values)
    after = scaled_dot_product_attention(changed_mind, keys, values)
    rows = [i + 1 for i in range(3) if not np.allclose(before[i], after[i])]
    return Question(
        "The second of three guests changes her mind. Which rows of the output change?",
        (
            choice(
                "All three",
                rows == [1, 2, 3],
                "Softmax runs along each row by itself, so what one guest gets takes nothing from "
                "the others.",
            ),
            choice(
                "Row 2 alone",
                rows == [2],
                "Of all the queries, row $i$ of the output depends on query $i$ alone. Queries "
                "never mix.",
            ),
            choice(
                "Row 2 and those after it",
                rows == [2, 3],
                "Nothing is passed on from one row to the next. The rows could be computed in any "
                "order.",
            ),
        ),
    )


def a_longer_menu() -> Question:
    keys, values = _menu()
    longer = scaled_dot_product_attention(GUESTS, np.tile(keys, (10, 1)), np.tile(values, (10, 1)))
    weights = attention_weights(GUESTS, np.tile(keys, (10, 1)))
    return Question(
        "Three guests get (price, kcal) from a menu that has grown from 5 to 50 dishes. What is "
        "the shape of the output?",
        (
            choice(
                longer.shape,
                True,
                "One row per query, as wide as a value. The number of keys is summed over and "
                "does not show.",
            ),
            choice(
                weights.shape,
                weights.shape == longer.shape,
                "That is the shape of the weights: one for each pair of a guest and a dish. They "
                "are used up by the blend.",
            ),
            choice(
                (50, 2),
                longer.shape == (50, 2),
                "That is the table of values. Attention hands back one blend per *query*, not one "
                "per dish.",
            ),
            choice(
                (30, 2),
                longer.shape == (30, 2),
                "A longer menu does not make the answer longer: three guests, three rows.",
            ),
        ),
    )


def filling_takes_part() -> Question:
    price, filled = np.array([[12.0]]), np.array([[12.0], [0.0], [0.0]])
    query, keys = np.zeros((1, 2)), np.zeros((3, 2))
    mask = np.array([[True, False, False]])
    masked = scaled_dot_product_attention(query, keys, filled, mask=mask)[0, 0]
    unmasked = scaled_dot_product_attention(query, keys, filled)[0, 0]
    flipped = scaled_dot_product_attention(query, keys, filled, mask=~mask)[0, 0]
    return Question(
        f"A menu of one dish, price {price[0, 0]:.0f}, is filled up to three rows with zeros. A "
        "guest whose scores are all 0 asks for the price, and the mask is *forgotten*. What comes "
        "out?",
        (
            number(
                flipped,
                np.isclose(unmasked, flipped),
                "That is what a mask the wrong way round gives: only the filling would count. "
                "Without a mask the dish takes part as well.",
                digits=0,
            ),
            number(
                unmasked,
                True,
                "Three equal scores make three equal weights, so two phantom dishes of price 0 "
                "dilute the blend.",
                digits=0,
            ),
            number(
                price[0, 0] / 2,
                np.isclose(unmasked, price[0, 0] / 2),
                "The filling has two rows, and each of them takes a share of its own.",
                digits=0,
            ),
            number(
                masked,
                np.isclose(unmasked, masked),
                "That is the answer with the mask. Zeros look harmless, but $e^0 = 1$.",
                digits=0,
            ),
        ),
    )


def seven_parties() -> Question:
    queries, keys = np.zeros((7, 3, 4)), np.zeros((5, 4))
    scores = attention_weights(queries, keys).shape
    return Question(
        "Seven parties of three guests, queries of shape (7, 3, 4), share one menu, keys of shape "
        "(5, 4). What is the shape of the scores?",
        (
            choice(
                scores,
                True,
                "The product looks at the last two axes, (3, 4) and (5, 4) on its side. The axis "
                "in front stays, and the one menu is repeated for it.",
            ),
            choice(
                (7, 3, 4),
                scores == (7, 3, 4),
                "The 4 is summed over when a query meets a key. In its place comes the number of "
                "keys.",
            ),
            choice(
                (7, 5),
                scores == (7, 5),
                "Then a whole party would have one score per dish. Every guest has scores of her "
                "own.",
            ),
            choice(
                (7, 7, 3, 5),
                scores == (7, 7, 3, 5),
                "The menu has no axis for parties. Broadcasting repeats what is missing; it does "
                "not add a further axis.",
            ),
        ),
    )


def keys_upside_down() -> Question:
    keys, values = _menu()
    before = scaled_dot_product_attention(GUESTS, keys, values)
    after = scaled_dot_product_attention(GUESTS, keys[::-1], values)
    same = np.allclose(before, after)
    return Question(
        "By mistake the *keys* are listed upside down, and the values are not. What happens?",
        (
            choice(
                "An error: the shapes no longer fit",
                after.shape != before.shape,
                "The table has the same shape upside down, so nothing complains. This is a mistake "
                "that runs.",
            ),
            choice(
                "Most weights go to the value of another dish",
                not same,
                "Key $j$ and value $j$ belong together. The weights are right for the dishes, but "
                "all except the middle one multiply the wrong row.",
            ),
            choice(
                "Nothing: the order of a menu does not matter",
                same,
                "It does not matter as long as keys and values are listed in the *same* order.",
            ),
        ),
    )


def what_row_sums_catch() -> Question:
    keys, _ = _menu()
    mask = np.array([[True, True, True, False, False]])
    two_guests, two_dishes = GUESTS[:2], keys[:2]
    caught = {
        "axis": softmax(GUESTS @ keys.T, axis=0),
        "mask": attention_weights(GUESTS, keys, mask=~mask),
        "transpose": softmax(two_guests @ two_dishes),
        "root": attention_weights(GUESTS, keys, scale=1),
    }
    alarm = {name: not np.allclose(w.sum(axis=-1), 1) for name, w in caught.items()}
    return Question(
        "You test that *the weights of each query add up to 1*. Which mistake does that catch?",
        (
            choice(
                "A forgotten root",
                alarm["root"],
                "Softmax makes every row add up to 1, whatever the scores were divided by.",
            ),
            choice(
                "A mask the wrong way round, where each menu has some filling",
                alarm["mask"],
                "The weights of the filling add up to 1 just as well. (Only a menu without "
                "filling would give it away: nothing is left there, and the row adds up to 0.) "
                "Absurd numbers in the filling would tell.",
            ),
            choice(
                "A missing transpose, with as many dishes as columns",
                alarm["transpose"],
                "The scores are wrong, but softmax turns any scores into rows that add up to 1. "
                "Sizes that are all different would tell.",
            ),
            choice(
                "Softmax over the wrong axis",
                alarm["axis"],
                "Then it is the columns that add up to 1, and the rows to something else.",
            ),
        ),
    )


QUESTIONS = (
    which_axis,
    one_guest_changes_her_mind,
    a_longer_menu,
    seven_parties,
    keys_upside_down,
    filling_takes_part,
    what_row_sums_catch,
)
