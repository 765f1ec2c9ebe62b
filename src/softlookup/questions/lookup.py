"""Questions on chapter 1: query, key and value; hard and soft; temperature."""

from __future__ import annotations

import numpy as np

from softlookup import menu
from softlookup.lookup import hard_lookup, soft_lookup
from softlookup.softmax import softmax

from .quiz import Question, choice, number

__all__ = ["QUESTIONS"]

CRAVING = np.array([0.6, 0.3])  # spicy, soupy


def _tastes_and_prices() -> tuple[np.ndarray, np.ndarray]:
    return menu.keys("spicy", "soupy"), menu.values("price").ravel()


def which_are_the_keys() -> Question:
    found_by, handed_over = ("spicy", "soupy"), "price"
    return Question(
        "A guest wants something fairly spicy and a little soupy, and asks what that costs. Which "
        "part of the menu holds the *keys* of this lookup?",
        (
            choice(
                f"The columns {' and '.join(found_by)}",
                True,
                "Keys are what the query is compared with, and her query is made of these two.",
            ),
            choice(
                "The column dish",
                False,
                "It was the key when somebody asked for the ramen by name. This guest names no "
                "dish, so there is nothing to compare it with.",
            ),
            choice(
                f"The column {handed_over}",
                False,
                "That is the value, what is handed back. Nobody compares a taste with a price.",
            ),
        ),
    )


def why_not_follow_the_winner() -> Question:
    keys, prices = _tastes_and_prices()
    nudged = CRAVING + np.array([1e-6, 0])
    hard_moves = hard_lookup(nudged, keys, prices) != hard_lookup(CRAVING, keys, prices)
    soft_moves = soft_lookup(nudged, keys, prices) != soft_lookup(CRAVING, keys, prices)
    return Question(
        "A machine wants to improve a craving in small steps, and looks at the price that a *hard* "
        "lookup answers. Why does that not help?",
        (
            choice(
                "Its slope is 0 nearly everywhere",
                not hard_moves and soft_moves,
                "A small step changes nothing at all, so no direction looks better than another. "
                "A soft lookup's answer moves a little with every step.",
            ),
            choice(
                "It answers with one dish only",
                hard_moves,
                "So it does, but one answer could still be followed if it changed a little with "
                "the question. It does not: it stays as it is, and then jumps.",
            ),
            choice(
                "It takes too long to compute",
                False,
                "A hard lookup scores the same five dishes, and then has less to do than a soft "
                "one.",
            ),
        ),
    )


def all_scores_rise() -> Question:
    scores = menu.keys("spicy", "soupy") @ CRAVING
    before, after = softmax(scores), softmax(scores + 10)
    return Question(
        "Every score rises by 10. What happens to the weights that softmax makes?",
        (
            choice(
                "All of them grow",
                (after > before + 1e-9).all(),
                "They cannot: they add up to 1 before and after.",
            ),
            choice(
                "The best dish takes nearly everything",
                after.max() > 0.9,
                "*Multiplying* the scores by a large number would bring that about. Adding the "
                "same number to all leaves their differences as they were.",
            ),
            choice(
                "They come closer together",
                np.ptp(after) < np.ptp(before) - 1e-9,
                "They would if the scores were *divided* by 10, as a higher temperature does.",
            ),
            choice(
                "They stay as they are",
                np.allclose(before, after),
                "Each exponential becomes $e^{10}$ times as large, and so does the total they are "
                "divided by. Softmax sees differences between scores only.",
            ),
        ),
    )


def very_hot() -> Question:
    keys, prices = _tastes_and_prices()
    average = soft_lookup(CRAVING, keys, prices, temperature=1e9)
    best = soft_lookup(CRAVING, keys, prices, temperature=1e-6)
    weights = softmax(keys @ CRAVING, temperature=1e9)
    listed = ", ".join(f"{price:.0f}" for price in prices)
    return Question(
        f"The prices are {listed}, and the temperature is raised and raised. Which price does the "
        "soft lookup approach?",
        (
            number(
                0,
                np.isclose(weights.sum(), 0),
                "The weights become alike, not small: they still add up to 1.",
                digits=1,
            ),
            number(
                average,
                np.isclose(average, prices.mean()),
                "All weights approach 1/5, whoever asks, and the blend becomes the plain average.",
                digits=1,
            ),
            number(
                best,
                np.isclose(average, best),
                "That is the best dish's price, where the lookup goes when it gets *colder*.",
                digits=1,
            ),
            number(
                prices.max(),
                np.isclose(average, prices.max()),
                "That is the dearest dish. Weights come from scores, and no temperature makes them "
                "look at the values.",
                digits=1,
            ),
        ),
    )


def how_many_weights() -> Question:
    keys, values = menu.keys("spicy", "soupy"), menu.values("price", "kcal")
    weights = softmax(keys @ CRAVING)
    handed_back = soft_lookup(CRAVING, keys, values)
    return Question(
        "A soft lookup over five dishes hands back (price, kcal). How many weights does it "
        "compute?",
        (
            number(
                handed_back.size,
                weights.size == handed_back.size,
                "Weights belong to rows, not to columns: they say how much each *dish* counts.",
                digits=0,
            ),
            number(
                weights.size,
                True,
                "One per dish. The same five are used for the prices and for the kcal, which is "
                "why a value may as well be a vector.",
                digits=0,
            ),
            number(
                values.size,
                weights.size == values.size,
                "That would be one per stored number. But a row is handed over as a whole: its "
                "columns share one weight.",
                digits=0,
            ),
        ),
    )


def value_is_the_key() -> Question:
    keys, prices = _tastes_and_prices()
    answer = soft_lookup(CRAVING, keys, keys, temperature=0.2)
    return Question(
        "The keys are the columns (spicy, soupy), and the values are *the same two columns*. What "
        "does a soft lookup hand back?",
        (
            choice(
                "A blend of the dishes' tastes",
                answer.shape == CRAVING.shape and not np.allclose(answer, CRAVING),
                "What is handed back is always a blend of the values, and here these are tastes.",
            ),
            choice(
                "A price",
                answer.shape == prices[0].shape,
                "The price is not among the values any more. Whatever the values are is what "
                "comes back.",
            ),
            choice(
                "The craving itself",
                np.allclose(answer, CRAVING),
                "The answer is put together from rows of the menu. It may come near the craving, "
                "but nothing copies the query.",
            ),
            choice(
                "The weights",
                answer.shape == keys[:, 0].shape,
                "The weights are used up on the way: each multiplies its row, and the rows are "
                "added.",
            ),
        ),
    )


def a_little_colder() -> Question:
    menus = (menu.keys("spicy", "soupy") @ CRAVING, np.array([1.0, 0.9, -9.0]))

    def certain(*places: int) -> bool:
        """Whether the weights at these places, best first, grow for both menus."""
        return all(
            softmax(scores, temperature=0.1)[np.argsort(-scores)[place]]
            > softmax(scores, temperature=0.2)[np.argsort(-scores)[place]]
            for scores in menus
            for place in places
        )

    return Question(
        "The temperature falls from 0.2 to 0.1. Which weight is *certain* to grow, whatever the "
        "scores, as long as no two are equal?",
        (
            choice(
                "That of the best dish",
                certain(0),
                "Compared with it every other dish falls back, so its share of the whole grows.",
            ),
            choice(
                "That of the worst dish",
                certain(-1),
                "Everybody gains on the worst dish: its share shrinks whenever it gets colder.",
            ),
            choice(
                "Those of the best two dishes",
                certain(0, 1),
                "The second may grow at the cost of those below it, or shrink because of the one "
                "above. That depends on the scores.",
            ),
            choice(
                "None: only their order changes",
                not certain(0),
                "It is the other way round. Dividing all scores by one number keeps their order, "
                "and changes the weights.",
            ),
        ),
    )


QUESTIONS = (
    which_are_the_keys,
    why_not_follow_the_winner,
    all_scores_rise,
    very_hot,
    how_many_weights,
    value_is_the_key,
    a_little_colder,
)
