"""Questions on chapter 2: the dot product, direction and length, the weighted key sum."""

from __future__ import annotations

from typing import Any

import numpy as np

from softlookup import menu
from softlookup.softmax import softmax

from .quiz import Question, choice, number

__all__ = ["QUESTIONS"]

CRAVING = np.array([0.6, 0.3])  # spicy, soupy


def _cosine(query: Any, key: Any) -> float:
    return float(query @ key / (np.linalg.norm(query) * np.linalg.norm(key)))


def how_many_numbers() -> Question:
    query, key = menu.keys()[:2]
    comes_out = np.size(query @ key)
    return Question(
        "Two vectors with five columns each: how many numbers is their dot product?",
        (
            number(
                comes_out,
                True,
                "The five products are added up, and one number is left. That is what makes it a "
                "score.",
                digits=0,
            ),
            number(
                np.size(query * key),
                np.size(query * key) == comes_out,
                "Those are the products before they are added up. Stopping there keeps the columns "
                "apart, and compares nothing.",
                digits=0,
            ),
            number(
                np.size(np.outer(query, key)),
                np.size(np.outer(query, key)) == comes_out,
                "A dot product does not multiply every column with every other, only each with "
                "its own counterpart.",
                digits=0,
            ),
        ),
    )


def a_key_twice_as_long() -> Question:
    query, key = np.array([0.5, 0.0]), np.array([0.8, 0.6])
    dot, cosine = float(query @ key), _cosine(query, key)
    now = (round(float(query @ (2 * key)), 9), round(_cosine(query, 2 * key), 9))

    def offered(new_dot: float, new_cosine: float, why: str) -> Any:
        return choice(
            f"dot product {new_dot:.1f}, cosine {new_cosine:.1f}",
            np.allclose(now, (new_dot, new_cosine)),
            why,
        )

    return Question(
        f"A key has dot product {dot:.1f} and cosine {cosine:.1f} with the query. It is made twice "
        "as long, in the same direction. What are they now?",
        (
            offered(
                2 * dot,
                cosine,
                "The dot product contains the key's length and doubles with it; the cosine has it "
                "divided out.",
            ),
            offered(
                2 * dot,
                2 * cosine,
                "A cosine never exceeds 1. It compares directions, and the direction is the same.",
            ),
            offered(
                dot,
                cosine,
                "That holds for the cosine alone. The dot product rewards length.",
            ),
            offered(
                dot,
                cosine / 2,
                "Just the other way round: dividing by the length is what *keeps* the cosine where "
                "it was while the dot product doubles.",
            ),
        ),
    )


def which_key_wins() -> Question:
    query = np.array([1.0, 0.0])
    whys = {
        (1, 0): "It points exactly the query's way and its cosine is 1, the best there is. But a "
        "dot product also counts length, and a longer key passes it.",
        (2, 2): "It is 45° off, but its shadow on the query is 2, longer than the whole of (1, 0). "
        "A long key can outscore a better-aligned one.",
        (0, 3): "It is the longest, but at right angles to the query: its shadow has length 0, and "
        "so has its score.",
    }
    best = max(whys, key=lambda key: float(query @ key))
    return Question(
        "The query is (1, 0). Which key has the highest score by dot product?",
        tuple(choice(key, key == best, why) for key, why in whys.items()),
    )


def asked_twice_as_strongly() -> Question:
    keys = menu.keys("spicy", "soupy")
    before, after = softmax(keys @ CRAVING), softmax(keys @ (2 * CRAVING))
    best = before.argmax()
    return Question(
        "A guest asks for the same mix twice as strongly, (1.2, 0.6) instead of (0.6, 0.3). What "
        "happens to the softmax weights?",
        (
            choice(
                "The same dish is best, with a larger weight",
                after.argmax() == best and after[best] > before[best] and after.min() < 1 / 5,
                "All scores double, which keeps their order and widens the gaps between them. A "
                "longer query is a colder lookup.",
            ),
            choice(
                "Another dish may become the best",
                after.argmax() != best,
                "Doubling every score cannot change their order.",
            ),
            choice(
                "All weights double",
                np.allclose(after, 2 * before),
                "The *scores* double. Weights add up to 1, before and after.",
            ),
            choice(
                "Nothing: the direction is the same",
                np.allclose(after, before),
                "By cosine nothing would happen. The dot product contains the query's length.",
            ),
        ),
    )


def the_sorbet_turns() -> Question:
    key = menu.keys("spicy", "soupy")[menu.index("sorbet")]
    score = float(key @ CRAVING)
    towards = float(score * key @ CRAVING)
    return Question(
        f"The sorbet's key points away from the craving, and its score is ${score:.2f}$. Its "
        "key is multiplied by this score. Where does the scaled key point?",
        (
            choice(
                "At right angles to the craving",
                np.isclose(towards, 0),
                "A number times an arrow stays on the arrow's own line; it cannot turn it by 90°.",
            ),
            choice(
                "Away from the craving, only less far",
                towards < 0,
                "It is shorter than before, but the minus sign also turns it around.",
            ),
            choice(
                "Towards the craving",
                towards > 0,
                "A negative number flips the arrow. Its dot product with the query becomes the "
                "score times the score, and a square is never negative.",
            ),
        ),
    )


def how_hard_it_pulls() -> Question:
    query = np.array([1.0, 0.0])
    keys = np.array([[0.2, 0.5], [0.6, -0.1]])
    scores = keys @ query
    weak, strong = (scores[:, None] * keys) @ query / np.linalg.norm(query)
    ratio = scores[1] / scores[0]
    return Question(
        "In the weighted key sum, with the bare scores as factors, one key has score "
        f"{scores[0]:.1f} and another {scores[1]:.1f}. How many times as hard does the second pull "
        "the sum the query's way?",
        (
            number(
                ratio,
                np.isclose(ratio, strong / weak),
                "It is scaled up that many times as much, but its shadow was that many times as "
                "long to begin with.",
                digits=0,
            ),
            number(
                2 * ratio,
                np.isclose(2 * ratio, strong / weak),
                "The two reasons, a larger factor and a longer shadow, multiply; they do not add.",
                digits=0,
            ),
            number(
                strong / weak,
                True,
                "Once for the larger factor, once for the longer shadow: a key pulls with the "
                "square of its score.",
                digits=0,
            ),
        ),
    )


def a_score_of_zero() -> Question:
    scores = np.array([1.0, 0.0, -1.0])
    weight = softmax(scores)[1]
    return Question(
        "Three keys have the scores 1, 0 and $-1$. The second is at right angles to the query. "
        "What is its softmax weight?",
        (
            number(
                scores[1],
                np.isclose(weight, scores[1]),
                "A score of 0 is a middling score. Its exponential is $e^0 = 1$, and no weight is "
                "ever exactly 0.",
            ),
            number(
                weight,
                True,
                "It is $1 / (e + 1 + 1/e)$: less than a third, since the first key takes more than "
                "the last one leaves.",
            ),
            number(
                1 / len(scores),
                np.isclose(weight, 1 / len(scores)),
                "An equal share is for equal scores, and these are not equal. That this one lies "
                "halfway between the others does not put its *weight* there.",
            ),
            number(
                (scores[1] - scores.min()) / np.ptp(scores),
                np.isclose(weight, (scores[1] - scores.min()) / np.ptp(scores)),
                "That squeezes each score to between 0 and 1, but then the three do not add up to "
                "1.",
            ),
        ),
    )


QUESTIONS = (
    how_many_numbers,
    a_key_twice_as_long,
    which_key_wins,
    asked_twice_as_strongly,
    the_sorbet_turns,
    how_hard_it_pulls,
    a_score_of_zero,
)
