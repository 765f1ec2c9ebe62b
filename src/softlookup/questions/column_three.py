"""Questions on chapter 3: gates and dot products, one run and many, what weights explain."""

from __future__ import annotations

import numpy as np

from softlookup import column_three as c3

from .quiz import Question, choice, number

__all__ = ["QUESTIONS"]


def gate_or_score() -> Question:
    query, key = np.array([1.0, 2.0]), np.array([0.5, 0.5])
    kept_apart = query * key

    def row(numbers: np.ndarray) -> str:
        return "(" + ", ".join(f"{x:.1f}" for x in numbers) + ")"

    return Question(
        "In the published network a query (1, 2) meets a key (0.5, 0.5). What comes out of the "
        'layer called "dot 1"?',
        (
            choice(
                row(kept_apart),
                True,
                "The columns are multiplied and kept apart, so each key entry decides how much of "
                "its own column gets through. That is a gate.",
            ),
            choice(
                row(query + key),
                np.allclose(query + key, kept_apart),
                "Query and key are multiplied here, not added.",
            ),
            choice(
                f"{query @ key:.1f}",
                np.size(query @ key) == np.size(kept_apart),
                "That is the dot product, which the layer's name promises. The published network "
                "never adds the columns up.",
            ),
        ),
    )


def five_networks() -> Question:
    seen = c3.share([True] * 5)
    return Question(
        "You train five networks, and in all five column 3 stands out. How small may the share of "
        "*all* such networks in which it stands out still be, by the chapter's 95 % interval, "
        "`c3.share`?",
        (
            number(
                100 * seen.low,
                True,
                "Five runs rule out rather little: four networks in ten might still fail. That is "
                "why the chapter asks a thousand.",
                digits=0,
                unit="%",
            ),
            number(
                20,
                np.isclose(seen.low, 0.2),
                "That is chance, with five columns. From so small a share five in a row would come "
                "about once in three thousand tries.",
                digits=0,
                unit="%",
            ),
            number(
                95,
                np.isclose(seen.low, 0.95),
                "That says how often such intervals hold the true share, not where this one "
                "begins.",
                digits=0,
                unit="%",
            ),
            number(
                100 * seen.value,
                np.isclose(seen.low, seen.value),
                "That is the share among the networks you looked at, all five of them.",
                digits=0,
                unit="%",
            ),
        ),
    )


def the_swap() -> Question:
    return Question(
        "Key 2's layer gets the row with columns 0 and 3 swapped, and starts from random weights. "
        "Over many networks, where is key 2 (its output) largest *before* training?",
        (
            choice(
                "At column 0, where the label was put",
                False,
                "There the layer's *input* is large. What comes out depends on its weights, and "
                "these are still random.",
            ),
            choice(
                "At column 3, where the label belongs",
                False,
                "The layer does not know about the label yet. Nothing has been learned.",
            ),
            choice(
                "At no column more often than at another",
                True,
                "Random weights favour no output. The swap only renames inputs, and a network "
                "without it, its weights renamed too, is the same network.",
            ),
        ),
    )


def the_coin() -> Question:
    return Question(
        "Column 3 is filled with coin tosses that have nothing to do with the label. After "
        "training, one of the pictures still points at column 3 in most networks. What follows?",
        (
            choice(
                "The coins do predict the label a little",
                False,
                "They were tossed independently of it, and accuracy on fresh rows stays at one in "
                "two.",
            ),
            choice(
                "The networks need more epochs",
                False,
                "There is nothing to learn, so no amount of training will teach it.",
            ),
            choice(
                "The picture shows something other than what was learned",
                True,
                "It survives a control in which the effect should vanish: an artefact. Here it is "
                "the column's mean of one half that shows.",
            ),
            choice(
                "This happened by chance",
                False,
                "One network might do it by chance. Most of several hundred do not.",
            ),
        ),
    )


def two_pictures() -> Question:
    return Question(
        "Two networks give the same answer on every row. The mean |W| of one is largest at column "
        "3, that of the other at column 1. What follows?",
        (
            choice(
                "One of them has not learned the task",
                False,
                "They answer alike, so either both have learned it or neither.",
            ),
            choice(
                "The size of W alone does not tell which column is used",
                True,
                "Different weights can make the same function; they are not identifiable. What a "
                "network *does* is what shuffling a column tests.",
            ),
            choice(
                "They use different columns",
                False,
                "Shuffle any column, and both lose exactly the same: their answers are the same on "
                "shuffled rows too.",
            ),
        ),
    )


def the_pull_on_a_noise_column() -> Question:
    noise = c3.draw(0).x[0, :, 1]
    positive = float((noise > 0).mean())
    return Question(
        "By (3.2) a row's pull at a gate contains the row's own entry in that column. "
        "What do the pulls on the gate of a *noise* column amount to, over many rows?",
        (
            choice(
                "Each single one is 0",
                (noise == 0).all(),
                "A noise entry is hardly ever 0, so each row does pull. It is their sum that is "
                "small.",
            ),
            choice(
                "They nearly cancel",
                0.4 < positive < 0.6,
                "The entry is positive about as often as negative, whatever the label, so the rows "
                "pull both ways.",
            ),
            choice(
                "They open it, more slowly than gate 3",
                positive > 0.9,
                "To open it they would have to agree on a direction. About half of the entries are "
                "negative.",
            ),
            choice(
                "They shut it firmly, since noise does harm",
                positive < 0.1,
                "Listening to noise does cost a little, so a small push towards shut remains. Next "
                "to the pull on gate 3 it hardly counts: what shuts these gates is that softmax "
                "gives their share to column 3.",
            ),
        ),
    )


def which_task_asks_for_a_lookup() -> Question:
    fixed, moving = c3.Task(), c3.cue
    assert fixed.label_column is not None
    return Question(
        "Which of these tasks asks for a lookup, rather than for one fixed weighted sum of the "
        "columns?",
        (
            choice(
                f"The label always stands in column {fixed.label_column}",
                False,
                "Fixed weights read a fixed column: one large weight there, small ones elsewhere.",
            ),
            choice(
                "A cue in each row says which drawer holds the answer",
                moving.best_without_looking() < 1,
                f"Without the cue the best one can do is {moving.best_without_looking():.2f}. The "
                "query decides where to look, anew for every row.",
            ),
            choice(
                "The label is the sign of the sum of all columns",
                False,
                "That *is* a fixed weighted sum, all weights equal.",
            ),
            choice(
                "There are many noise columns",
                False,
                "Noise columns get small weights, however many there are. Where to look still does "
                "not depend on the row.",
            ),
        ),
    )


QUESTIONS = (
    gate_or_score,
    the_pull_on_a_noise_column,
    five_networks,
    the_swap,
    the_coin,
    two_pictures,
    which_task_asks_for_a_lookup,
)
