"""Questions on chapter 4: the root, the mask, the safe softmax."""

from __future__ import annotations

from typing import Any

import numpy as np

from softlookup import menu
from softlookup.attention import attention_weights, scaled_dot_product_attention
from softlookup.scores import default_scale
from softlookup.softmax import softmax

from .quiz import Question, choice, number

__all__ = ["QUESTIONS"]


def _row(numbers: Any) -> str:
    return "(" + ", ".join(f"{x:.2f}" for x in np.ravel(numbers)) + ")"


def how_widely_they_spread() -> Question:
    d_k = 100
    deviation = 1 / default_scale(np.zeros((1, d_k)), None)
    return Question(
        f"Queries and keys have {d_k} columns of independent numbers, mean 0 and variance 1. What "
        "is the *standard deviation* of their dot products?",
        (
            number(
                1,
                np.isclose(deviation, 1),
                "That is what it becomes after the division by the root. Before it, a hundred "
                "products have been added up.",
                digits=0,
            ),
            number(
                deviation,
                np.isclose(deviation**2, d_k),
                "Variances of independent numbers add up, to 100; the standard deviation is the "
                "root of that. Dividing by it brings the variance back to 1.",
                digits=0,
            ),
            number(
                d_k,
                np.isclose(deviation, d_k),
                "That is the *variance*. Dividing the scores by it would make them ten times too "
                "small.",
                digits=0,
            ),
        ),
    )


def a_weight_by_hand() -> Question:
    d_k = 16
    query = np.zeros((1, d_k))
    query[0, 0] = 8.0
    key = np.zeros((2, d_k))
    key[0, 0] = 1.0
    scores = (query @ key.T)[0]
    right = attention_weights(query, key)[0, 0]

    def first(scale: float) -> float:
        return float(attention_weights(query, key, scale=scale)[0, 0])

    return Question(
        f"Two dot products, {scores[0]:.0f} and {scores[1]:.0f}, with $d_k = {d_k}$. What is the "
        "first weight?",
        (
            number(
                first(1 / d_k),
                np.isclose(first(1 / d_k), right),
                "That comes from dividing by $d_k$ itself. The formula has its root.",
            ),
            number(
                right,
                True,
                "Divided by the root of 16 the scores are 2 and 0, and the weight is "
                "$1 / (1 + e^{-2})$.",
            ),
            number(
                first(1),
                np.isclose(first(1), right),
                "That is the softmax of 8 and 0, without any division: a lookup that is nearly "
                "hard.",
            ),
        ),
    )


def one_of_three_is_masked() -> Question:
    scores = np.zeros(3)
    mask = np.array([True, True, False])
    right = softmax(scores, mask=mask)
    offers = {
        "right": right,
        "score set to 0": softmax(np.where(mask, scores, 0)),
        "weight set to 0": np.where(mask, softmax(scores), 0),
        "flipped": softmax(scores, mask=~mask),
    }
    whys = {
        "right": "The third key takes no part, and the two that are left share one whole unit of "
        "weight.",
        "score set to 0": "A score of 0 is not *no score*: $e^0 = 1$, and the third key takes part "
        "like the others. A mask has to lower the score to minus infinity.",
        "weight set to 0": "These do not add up to 1. The mask has to come before the softmax, so "
        "that the others share what the hidden key would have got.",
        "flipped": "Here the mask is the wrong way round. In this course True means *may attend*.",
    }
    return Question(
        "Three keys have the same score, and the mask is (True, True, False). What are the "
        "weights?",
        tuple(
            choice(_row(weights), np.allclose(weights, right), whys[name])
            for name, weights in offers.items()
        ),
    )


def nothing_left() -> Question:
    query = np.array([[0.6, 0.3, -0.2]])
    keys, prices = menu.keys("spicy", "soupy", "sweet"), menu.values("price")
    scores = query @ keys.T * default_scale(query, None)
    added = float((softmax(scores + -1e9) @ prices)[0, 0])
    in_single = float((softmax((scores - 1e9).astype(np.float32)) @ prices)[0, 0])
    policy = scaled_dot_product_attention(query, keys, prices, mask=np.zeros((1, 5), dtype=bool))
    unmasked = scaled_dot_product_attention(query, keys, prices)[0, 0]
    return Question(
        "A library masks by adding $-10^9$ to hidden scores, in *float64*. For one guest all five "
        "dishes are hidden. Which price comes out?",
        (
            number(
                policy[0, 0],
                np.isclose(added, policy[0, 0]),
                "That is this course's policy for a row with nothing left. It needs a test of its "
                "own; adding a number does not bring it about.",
            ),
            number(
                in_single,
                np.isclose(added, in_single),
                "That is the plain average, which *float32* gives: it rounds all five scores to "
                "the same number. float64 keeps their small differences.",
            ),
            number(
                added,
                np.isclose(added, unmasked),
                "All scores fall by the same amount, and softmax sees only their differences. The "
                "answer is the one without a mask.",
            ),
            choice(
                "nan",
                np.isnan(added),
                "That comes from *selecting* $-\\infty$ for every score. A large but finite number "
                "can be subtracted from itself.",
            ),
        ),
    )


def scores_in_the_thousands() -> Question:
    scores = np.array([1000.0, 1001.0])
    right = softmax(scores)[1]
    return Question(
        "Two scores, 1000 and 1001. What is the second weight, if softmax is done safely?",
        (
            number(
                scores[1] / scores.sum(),
                np.isclose(scores[1] / scores.sum(), right),
                "That divides the scores themselves by their sum. Softmax divides exponentials.",
            ),
            number(
                right,
                True,
                "Only the difference counts: it is the weight of 1 beside 0, $1 / (1 + e^{-1})$.",
            ),
            number(
                softmax([0.0, scores[1]])[1],
                np.isclose(1, right),
                "Large scores need not mean a hard lookup. What would is a large *difference* "
                "between them.",
            ),
            choice(
                "nan",
                np.isnan(right),
                "That happens when the exponentials are taken at once. Subtracting the largest "
                "score first leaves $-1$ and 0, which do no harm.",
            ),
        ),
    )


def a_saturated_slope() -> Question:
    weight = float(softmax(np.log([999.0, 1.0]))[0])
    slope = weight * (1 - weight)
    steepest = 0.5 * (1 - 0.5)
    return Question(
        f"The largest weight of a query is {weight:.3f}. How much does it change per small change "
        "of its own score?",
        (
            number(
                0,
                slope == 0,
                "Nearly, and for learning that is the trouble. But a hard lookup's slope is 0 "
                "exactly; a softmax of several scores only comes close, until rounding takes over.",
                digits=3,
            ),
            number(
                slope,
                True,
                "The slope is $w (1 - w)$. Near a weight of 1 the second factor is almost gone: "
                "saturation.",
                digits=3,
            ),
            number(
                steepest,
                np.isclose(slope, steepest),
                "That is the steepest a softmax weight can get, at $w = 0.5$.",
                digits=3,
            ),
            number(
                weight,
                np.isclose(slope, weight),
                "That is the weight itself. Its slope has a second factor, $1 - w$.",
                digits=3,
            ),
        ),
    )


def wider_keys() -> Question:
    def shapes(d_k: int) -> dict[str, tuple[int, ...]]:
        query, key, value = np.zeros((4, d_k)), np.zeros((6, d_k)), np.zeros((6, 2))
        return {
            "scores": (query @ key.T).shape,
            "weights": attention_weights(query, key).shape,
            "output": scaled_dot_product_attention(query, key, value).shape,
        }

    changed = {name for name in shapes(64) if shapes(64)[name] != shapes(128)[name]}
    return Question(
        "$d_k$ is raised from 64 to 128, and everything else stays. Which of these changes its "
        "shape: the scores, the weights, the output?",
        (
            choice(
                "All of them",
                len(changed) == 3,
                "$d_k$ is the size that is summed over when a query meets a key. It appears in "
                "none of the three.",
            ),
            choice(
                "None of them",
                not changed,
                "$d_k$ is only there to compare with. Scores and weights have the size (queries, "
                "keys), the output (queries, $d_v$).",
            ),
            choice(
                "The output only",
                changed == {"output"},
                "The output is as wide as a *value*: its width is $d_v$, not $d_k$.",
            ),
            choice(
                "The scores and the weights",
                changed == {"scores", "weights"},
                "These have one number for each pair of a query and a key, however wide the two "
                "are.",
            ),
        ),
    )


QUESTIONS = (
    how_widely_they_spread,
    a_weight_by_hand,
    a_saturated_slope,
    scores_in_the_thousands,
    one_of_three_is_masked,
    nothing_left,
    wider_keys,
)
