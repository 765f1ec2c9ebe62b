"""The column-three experiment: a slope, a control, an interval, networks that look away.

What is trained here is trained when a check is called; importing this module loads NumPy alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .answers import Known, check_numbers, is_open
from .exercise import Case, FunctionExercise, Mistake, Stage, check_function
from .result import CORRECT, NOT_STARTED, NOT_YET, Result

__all__ = ["control", "interval", "look_away", "slope"]

Array = NDArray[Any]


# ------------------------------------------------------------------ a slope


def _loss(q: Array, k1: Array, k2: Array, u: Array, *by: float) -> float:
    b, y = by
    o = u @ (q * (k1**2 + k2**2)) + b
    return float(np.logaddexp(0, o) - y * o)


def _measured(q: Array, k1: Array, k2: Array, u: Array, *by: float) -> Array:
    """Return the slopes by small actual changes of the key."""
    size = 1e-5
    slopes = []
    for step in np.eye(len(k1)) * size:
        up, down = (_loss(q, k, k2, u, *by) for k in (k1 + step, k1 - step))
        slopes.append((up - down) / (2 * size))
    return np.array(slopes)


def _slope(
    q: Array,
    k1: Array,
    k2: Array,
    u: Array,
    *by: float,
    outer: str = "error",
    middle: str = "uq",
    inner: str = "2k1",
    sign: float = 1.0,
) -> Array:
    b, y = by
    o = u @ (q * (k1**2 + k2**2)) + b
    p = 1 / (1 + np.exp(-o))
    of_loss = {
        "error": p - y,
        "guess": p,
        "turned sigmoid": 1 / (1 + np.exp(o)) - y,
        "nothing": 1.0,
        "logit": o - y,
        "sigmoid's slope": (p - y) * p * (1 - p),
    }[outer]
    of_sum = {"uq": u * q, "u": u, "q": q}[middle]
    of_key = {
        "2k1": 2 * k1,
        "k1": k1,
        "k1 squared": k1**2,
        "2k2": 2 * k2,
        "both": 2 * (k1 + k2),
        "nothing": np.ones_like(k1),
        "2": np.full_like(k1, 2.0),
    }[inner]
    return np.asarray(sign * of_loss * of_sum * of_key)


def _rows(rng: np.random.Generator) -> Iterator[Case]:
    for y in (1.0, 0.0, 1.0):
        q, k1, k2, u = rng.standard_normal((4, 5))
        # A guess that is all but certain has slopes too small to be measured.
        o = rng.uniform(-2, 2)
        yield q, k1, k2, u, float(o - u @ (q * (k1**2 + k2**2))), y


def _tiny_rows() -> Iterator[Case]:
    def row(*numbers: Any) -> Case:
        *arrays, b, y = numbers
        return (*(np.array(a, dtype=float) for a in arrays), b, y)

    for y in (0.0, 1.0):
        yield row([1], [1], [0], [1], 0.0, y)
        yield row([2], [1], [0], [1], 0.0, y)
        yield row([1], [1], [0], [2], 0.0, y)
        yield row([1], [3], [1], [1], -1.0, y)
        yield row([2, 1], [1, 3], [2, 0], [3, -1], 1.0, y)


_SLOPE = FunctionExercise(
    asks="slope_of_key_1",
    parameters=("q", "k1", "k2", "u", "b", "y"),
    right=_measured,
    family=_slope,
    mistakes=(
        Mistake(
            "factor 2 missing",
            "A factor of 2 is missing. The key enters squared: what is the slope of a square?",
            {"inner": "k1"},
        ),
        Mistake(
            "sign turned",
            "All slopes have the wrong sign. The error is the guess minus the label, so a guess "
            "that is too high has a slope above 0.",
            {"sign": -1.0},
        ),
        Mistake(
            "label missing",
            "The label is missing: the slope is as if it were always 0. "
            "Its part of the loss, y times o, has a slope as well.",
            {"outer": "guess"},
        ),
        Mistake(
            "error missing",
            "The first link of the chain is missing. How does the loss change with o?",
            {"outer": "nothing"},
        ),
        Mistake(
            "sigmoid turned",
            "The sigmoid has a sign turned, so that a larger o makes a smaller guess. "
            "It should make a larger one.",
            {"outer": "turned sigmoid"},
        ),
        Mistake(
            "guess without sigmoid",
            "The error is taken from o itself. The guess is o squeezed between 0 and 1.",
            {"outer": "logit"},
        ),
        Mistake(
            "slope of the sigmoid as well",
            "The slope of the sigmoid appears once more. In this loss it has cancelled already: "
            "take the slope of log(1 + e^o) as it stands.",
            {"outer": "sigmoid's slope"},
        ),
        Mistake(
            "q missing",
            "The query is missing. In z the squared keys are multiplied by it.",
            {"middle": "u"},
        ),
        Mistake(
            "u missing",
            "The weights u are missing. How does o change with z?",
            {"middle": "q"},
        ),
        Mistake(
            "slope of key 2",
            "These are the slopes with respect to the second key. The first is asked for.",
            {"inner": "2k2"},
        ),
        Mistake(
            "slopes of both keys",
            "The slopes of both keys are added up. Only the first key moves; the second stays.",
            {"inner": "both"},
        ),
        Mistake(
            "key still squared",
            "The key is still squared. The slope of a square is not the square.",
            {"inner": "k1 squared"},
        ),
        Mistake(
            "key missing",
            "The last link is missing. How does the square of the key change with the key?",
            {"inner": "nothing"},
        ),
        Mistake(
            "key missing",
            "The last link has the 2 but not the key. How does the square of the key change with "
            "the key?",
            {"inner": "2"},
        ),
    ),
    stages=(Stage(_rows, _tiny_rows),),
    praise="Equal to the measured slopes.",
    needs="one slope per column",
)


def slope(slope_of_key_1: Callable[..., Any]) -> Result:
    """Check the slopes of the loss with respect to key 1 against small actual changes.

    Parameters
    ----------
    slope_of_key_1
        The function, of ``q``, ``k1``, ``k2``, ``u``, each ``(5,)``, and the numbers ``b``, ``y``.

    Returns
    -------
    Result

    Examples
    --------
    >>> def slope_of_key_1(q, k1, k2, u, b, y):
    ...     o = u @ (q * (k1**2 + k2**2)) + b
    ...     return (1 / (1 + np.exp(-o)) - y) * u * q * k1
    >>> slope(slope_of_key_1)
    Not yet. A factor of 2 is missing. The key enters squared: what is the slope of a square?
    <BLANKLINE>
        q         [1]
        k1        [1]
        k2        [0]
        u         [1]
        b         0
        y         0
        expected  [1.462]
        got       [0.731]
    """
    return check_function(slope_of_key_1, _SLOPE)


# ------------------------------------------------------------------ a control of one's own


def control(my_task: Any, my_prediction: Any, *, seeds: Collection[int] = range(200)) -> Result:
    """Train networks on a control of the learner's and say whether the prediction came true.

    Parameters
    ----------
    my_task : softlookup.column_three.Task
    my_prediction : int or None
        The column at which the gates will most often be largest; None for nowhere in particular.
    seeds
        Which networks to train.

    Returns
    -------
    Result

    Examples
    --------
    >>> control(..., ...)
    not started: my_task or my_prediction is still open
    >>> control("coin", 3)
    Not yet. my_task should be a c3.Task, got text.
    """
    from softlookup import column_three as c3  # noqa: PLC0415  only when it is trained

    if is_open(my_task, my_prediction):
        return Result(NOT_STARTED, "my_task or my_prediction is still open")
    if not isinstance(my_task, c3.Task):
        what = "text" if isinstance(my_task, str) else f"a {type(my_task).__name__}"
        return Result(NOT_YET, f"my_task should be a c3.Task, got {what}.")
    seen = [c3.Task(label_column=column) for column in range(5)]
    seen += [c3.Task(coding="pm1"), c3.Task(label_column=None, coin_column=3)]
    if my_task in seen:
        say = "The chapter has this control already. Change the label's column, the coin's or the "
        say += "coding, so that nobody knows the answer yet."
        return Result(NOT_YET, say, mistakes=("not a new control",))
    column = _column(my_prediction)
    if my_prediction is not None and column is None:
        return Result(NOT_YET, "my_prediction should be a column from 0 to 4, or None.")
    gates = c3.read(c3.train(seeds, "published", my_task)).gate
    assert gates is not None  # the published network has them
    shares = [c3.share_largest(gates, place) for place in range(5)]
    best = max(range(5), key=lambda place: shares[place].value)
    found = f"Most often largest: column {best}, in {shares[best]} of the networks."
    came_true = shares[best].value < 0.4 if column is None else shares[column].value > 0.6
    if came_true:
        return Result(CORRECT, f"The prediction came true. {found}")
    say = f"The prediction did not come true, which is a result as well. {found} "
    say += "Why? Think again, and predict for another control."
    return Result(NOT_YET, say, mistakes=("prediction failed",))


def _column(prediction: Any) -> int | None:
    whole = isinstance(prediction, (int, float, np.integer, np.floating))
    if whole and not isinstance(prediction, bool) and prediction in range(5):
        return int(prediction)
    return None


# ------------------------------------------------------------------ values


def interval(lowest: Any) -> Result:
    """Check the lower end of the interval for ten networks out of ten.

    Parameters
    ----------
    lowest : number

    Returns
    -------
    Result

    Examples
    --------
    >>> interval(1.0)
    Not yet. That is the share itself, ten of ten, or the upper end. How low may the true share \
still be?
    """
    from softlookup import column_three as c3  # noqa: PLC0415  only when it is asked

    ten = c3.share([True] * 10)
    return check_numbers(
        lowest,
        name="lowest",
        right=ten.low,
        tolerance=0.005,
        known=(
            Known(
                "share itself",
                ten.value,
                "That is the share itself, ten of ten, or the upper end. "
                "How low may the true share still be?",
            ),
            Known(
                "another confidence",
                c3.share([True] * 10, confidence=0.99).low,
                "That is the end of a 99 % interval. The exercise asks for 95 %.",
            ),
            Known(
                "another confidence",
                c3.share([True] * 10, confidence=0.9).low,
                "That is the end of a 90 % interval. The exercise asks for 95 %.",
            ),
            *(
                Known(
                    "another interval",
                    bound,
                    "That is the end of another kind of interval. The chapter's, from c3.share, "
                    "is Wilson's.",
                )
                for bound in (0.025**0.1, 0.05**0.1, 0.7)
            ),
            Known(
                "percent",
                100 * ten.low,
                "That is in percent. c3.share answers with a number between 0 and 1.",
                0.6,
            ),
            Known(
                "no network",
                0.0,
                "So low it cannot be: with a share near 0, ten out of ten would be a miracle. "
                "c3.share takes a row of ten times True.",
            ),
            Known(
                "everything at once",
                tuple(ten),
                "These are the share, its two ends and the counts. The lower end is asked for.",
            ),
        ),
        otherwise="c3.share takes a row of ten times True, and has a .low.",
        praise="Ten out of ten may still mean three out of four.",
        text_hint="A share has a .low.",
    )


def look_away(made_it: Any, *, seeds: Collection[int] = range(200)) -> Result:
    """Check which share of networks solves the cue task from an output weight of -1.

    Parameters
    ----------
    made_it : number
    seeds
        Which networks were trained.

    Returns
    -------
    Result

    Examples
    --------
    >>> look_away(...)
    not started: made_it is still open
    """
    from softlookup.column_three import cue  # noqa: PLC0415  only when it is trained

    if is_open(made_it):
        return Result(NOT_STARTED, "made_it is still open")
    network = cue.CueAttention(8)
    start = network.start(seeds)
    start.kernel("output")[...] *= -1
    run = cue.train_cues(seeds, network, epochs=60, start=start)
    accuracy = cue.cue_accuracy(run)
    right = float(np.mean(accuracy >= 0.99))
    return check_numbers(
        made_it,
        name="made_it",
        right=right,
        tolerance=0.02,
        known=(
            Known(
                "start of +1",
                1.0,
                "That is what happens from a start of +1. "
                "Is the start with -1 really handed to cue.train_cues, as start=start?",
            ),
            Known(
                "share that did not",
                1 - right,
                "That is the share of networks that did not make it. The others are asked for.",
            ),
            Known("percent", 100 * right, "That is in percent. A share lies between 0 and 1.", 2.0),
            Known(
                "count",
                right * len(seeds),
                "That is how many made it. Divide by how many there are.",
            ),
            Known(
                "mean accuracy",
                float(accuracy.mean()),
                "That is the networks' mean accuracy. "
                "The share of networks that reach 0.99 is asked for.",
            ),
        ),
        otherwise=f"Expected {right:.3f}: {len(seeds)} networks, 60 epochs, from -1.",
        praise="Most are still lost after 60 epochs.",
        text_hint="It should be a share between 0 and 1.",
    )
