"""From lookup to soft lookup: a score by hand, softmax, a blend from the database, a tie."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softlookup import lookup as library
from softlookup import menu
from softlookup.softmax import softmax as softmax_library

from .answers import Known, check_numbers, is_open
from .exercise import FunctionExercise, Mistake, Stage, check_function
from .mistakes import weights
from .result import NOT_STARTED, Result

__all__ = ["blended_kcal", "score_by_hand", "softmax", "tie"]


def score_by_hand(gazpacho_score: Any) -> Result:
    """Check the score of the gazpacho for a guest who wants it mild and soupy.

    Parameters
    ----------
    gazpacho_score : number

    Returns
    -------
    Result

    Examples
    --------
    >>> score_by_hand(0.17)
    Not yet. The first product has lost a sign: minus times minus is plus. Guest and dish agree \
there, and an agreement adds to the score.
    """
    guest, dish = (-0.5, 0.4), menu.keys("spicy", "soupy")[menu.index("gazpacho")]
    first, second = np.multiply(guest, dish)
    return check_numbers(
        gazpacho_score,
        name="gazpacho_score",
        right=first + second,
        tolerance=0.004,
        known=(
            Known(
                "sign lost",
                second - first,
                "The first product has lost a sign: minus times minus is plus. "
                "Guest and dish agree there, and an agreement adds to the score.",
            ),
            Known(
                "sign lost",
                first - second,
                "The second product has a sign too many: both numbers are above 0. "
                "Guest and dish agree there, and an agreement adds to the score.",
            ),
            Known(
                "both signs",
                -first - second,
                "Both products have the wrong sign. Equal signs make a product above 0.",
            ),
            Known(
                "products multiplied",
                first * second,
                "The two products are multiplied with each other. A score adds them up.",
            ),
            Known(
                "not added",
                (first, second),
                "These are the two products, and they are right. The score is one number.",
            ),
            Known(
                "columns crossed",
                guest[0] * dish[1] + guest[1] * dish[0],
                "The columns are crossed: spicy meets soupy. Each column meets its own kind.",
            ),
            Known(
                "sum of everything",
                sum(guest) + sum(dish),
                "All four numbers are added. Column by column, the guest's number and the dish's "
                "are multiplied first.",
            ),
        ),
        otherwise="Column by column: multiply, minding the signs, then add. "
        "Which two products did you get?",
        praise="Two agreements, 0.15 and 0.32.",
    )


# ------------------------------------------------------------------ softmax from its definition


def _softmax(
    scores: NDArray[Any],
    temperature: float = 1.0,
    *,
    where: str = "scores",
    base: float = np.e,
    weigh: str = "softmax",
) -> NDArray[Any]:
    t = temperature
    if where == "above only":
        return np.asarray(np.exp(scores / t) / np.exp(scores).sum())
    by = {
        "scores": 1 / t,
        "nowhere": 1.0,
        "multiplied": t,
        "negative": -1 / t,
        "weights": 1.0,
        "squared": 1 / t**2,
    }
    w: NDArray[Any] = weights(
        (scores * (by[where] * np.log(base)))[None], weigh=weigh, stable="nothing"
    )[0]
    return w / t if where == "weights" else w


_SOFTMAX = FunctionExercise(
    asks="my_softmax",
    parameters=("scores", "temperature"),
    right=lambda scores, temperature=1.0: softmax_library(scores, temperature=temperature),
    family=_softmax,
    mistakes=(
        Mistake(
            "temperature ignored",
            "These are the weights for T = 1, whatever the temperature. "
            "Either T is not used, or it stands where it cancels: it has to act on the scores.",
            {"where": "nowhere"},
        ),
        Mistake(
            "temperature multiplied",
            "The scores are multiplied by the temperature, so that heat makes the weights sharper. "
            "It is cold that should make them sharper.",
            {"where": "multiplied"},
        ),
        Mistake(
            "temperature above only",
            "The temperature acts above the fraction line and not below, so the weights do not add "
            "up to 1. Below stands the sum of the very numbers above.",
            {"where": "above only"},
        ),
        Mistake(
            "temperature on the weights",
            "The temperature divides the weights, at the very end, so they no longer add up to 1. "
            "It belongs to the scores.",
            {"where": "weights"},
        ),
        Mistake(
            "sign turned",
            "The weights fall where the scores rise. Is there a minus too many in the exponent?",
            {"where": "negative"},
        ),
        Mistake(
            "temperature twice",
            "The scores are divided by the temperature twice. Once is enough.",
            {"where": "squared"},
        ),
        Mistake(
            "not normalised",
            "These are the exponentials, which do not add up to 1 yet. One division is left.",
            {"weigh": "exponentials"},
        ),
        Mistake(
            "no exponential",
            "The scores are divided by their sum, without the exponential. "
            "A score below 0 becomes a weight below 0 in this way.",
            {"weigh": "shares of scores"},
        ),
        Mistake(
            "over the largest",
            "The exponentials are divided by the largest of them. "
            "To add up to 1 they need another divisor.",
            {"weigh": "over the largest"},
        ),
        Mistake(
            "hard",
            "The best score gets all the weight: this is the hard lookup. "
            "In the soft one every score has a share.",
            {"weigh": "largest"},
        ),
        Mistake(
            "sigmoid",
            "Each score is squeezed between 0 and 1 by itself. "
            "The weights know of each other: they add up to 1.",
            {"weigh": "sigmoid"},
        ),
        Mistake(
            "logarithm",
            "These are the logarithms of the weights. The weights are wanted themselves.",
            {"weigh": "logarithm"},
        ),
        Mistake(
            "softmax twice",
            "The softmax is taken twice, which makes the weights much too equal. Once is enough.",
            {"weigh": "twice"},
        ),
        Mistake(
            "base 2",
            "The base of the powers is 2. Equation (1.4) has e, about 2.718.",
            {"base": 2.0},
        ),
        Mistake(
            "base 10",
            "The base of the powers is 10. Equation (1.4) has e, about 2.718.",
            {"base": 10.0},
        ),
    ),
    stages=(
        Stage(
            lambda rng: [
                *(
                    (rng.standard_normal(n), t)
                    for n, t in zip((7, 2, 5), (0.5, 3.0, 0.7), strict=True)
                ),
                (rng.standard_normal(5),),
            ],
            lambda: [
                (np.array([1.0, 0.0]), 0.5),
                (np.array([2.0, 1.0]), 2.0),
                (np.array([2.0, 1.0, 0.0]),),
            ],
        ),
    ),
    praise="The definition, as it stands.",
    needs="one weight per score",
)


def softmax(my_softmax: Callable[..., Any]) -> Result:
    """Check a function of scores and a temperature that computes the weights.

    Parameters
    ----------
    my_softmax
        The function, of a row of scores and a temperature (1 if it is not given).

    Returns
    -------
    Result

    Examples
    --------
    >>> softmax(lambda scores, temperature=1.0: scores / temperature).status
    'not yet'
    """
    return check_function(my_softmax, _SOFTMAX)


# ------------------------------------------------------------------ values


def blended_kcal(kcal: Any) -> Result:
    """Check the kcal of the soft lookup for the craving (0.6, 0.3) at temperature 0.1.

    Parameters
    ----------
    kcal : number
        What the database answers.

    Returns
    -------
    Result

    Examples
    --------
    >>> blended_kcal(500)
    Not yet. That is the hard lookup's answer, the tacos alone. Here the ramen has a share as well.
    """
    craving, keys = [0.6, 0.3], menu.keys("spicy", "soupy")
    values, price = menu.values("kcal").ravel(), menu.values("price").ravel()

    def at(temperature: float, column: NDArray[Any] = values) -> Any:
        return library.soft_lookup(craving, keys, column, temperature=temperature)

    other = "The statement runs at {}. The exercise asks for 0.1."
    return check_numbers(
        kcal,
        name="kcal",
        right=at(0.1),
        tolerance=0.6,
        known=(
            Known("the chapter's temperature", at(0.2), other.format("the temperature 0.2")),
            Known("temperature 1", at(1.0), other.format("the temperature 1")),
            Known("temperature 10", at(10.0), other.format("1 / 0.1, which is 10,")),
            Known(
                "price",
                at(0.1, price),
                "This is the blended price. The statement still has price in its last SELECT.",
            ),
            Known(
                "hard",
                library.hard_lookup(craving, keys, values),
                "That is the hard lookup's answer, the tacos alone. "
                "Here the ramen has a share as well.",
            ),
            Known(
                "average",
                values.mean(),
                "That is the plain average of the menu, as for a very hot lookup. "
                "At 0.1 the good matches count more.",
            ),
            Known(
                "sum",
                values.sum(),
                "That is the sum of all kcal. Each has to be multiplied by its weight.",
            ),
        ),
        otherwise="Is the temperature 0.1, the craving (0.6, 0.3), and price gone from the SELECT?",
        praise="The tacos (500) and the ramen (600) share most of the weight.",
        text_hint="The number is in the result's rows: answer.rows[0][0].",
    )


def tie(x: Any, cold_price: Any) -> Result:
    """Check where ramen and tacos tie, and what a very cold soft lookup answers there.

    Parameters
    ----------
    x : number
        The craving's spicy column.
    cold_price : number

    Returns
    -------
    Result

    Examples
    --------
    >>> tie(0.514, 12)
    Not yet. The x is right. With 12 the ramen would get everything, but two dishes tie: how do \
the weights of two equal scores compare?
    """
    if is_open(x, cold_price):
        return Result(NOT_STARTED, "x or cold_price is still open")
    keys, price = menu.keys("spicy", "soupy"), menu.values("price").ravel()
    ramen, tacos = keys[menu.index("ramen")], keys[menu.index("tacos")]
    right = 0.3 * (ramen[1] - tacos[1]) / (tacos[0] - ramen[0])
    first = check_numbers(
        x,
        name="x",
        right=right,
        tolerance=1.5e-3,
        known=(
            Known(
                "sign of the tacos",
                0.3 * (ramen[1] + tacos[1]) / (tacos[0] - ramen[0]),
                "A minus got lost on the way: the tacos are not soupy, -0.3. "
                "Taken to the other side of the equation it becomes a plus.",
            ),
            Known(
                "not divided",
                0.3 * (ramen[1] - tacos[1]),
                "This is the difference of the soupy parts. "
                "It still has to be divided by what stands before x.",
            ),
            Known(
                "added before x",
                0.3 * (ramen[1] - tacos[1]) / (tacos[0] + ramen[0]),
                "The numbers before x were added. On opposite sides of an equation they subtract.",
            ),
        ),
        otherwise=_scores_at(x),
    )
    if not first.correct:
        return first
    tied = library.soft_lookup([right, 0.3], keys, price, temperature=1e-3)
    says = "The x is right. "
    second = check_numbers(
        cold_price,
        name="cold_price",
        right=tied,
        tolerance=0.05,
        known=(
            *(
                Known(
                    "one of two",
                    price[menu.index(dish)],
                    f"{says}With {price[menu.index(dish)]:.0f} the {dish} would get everything, "
                    "but two dishes tie: how do the weights of two equal scores compare?",
                )
                for dish in ("ramen", "tacos")
            ),
            Known(
                "average of all",
                price.mean(),
                f"{says}That is the average of all five, which a very hot lookup gives. "
                "In the cold only the best have weight.",
            ),
            Known(
                "sum",
                price[0] + price[2],
                f"{says}That is the sum of both prices. Weights add up to 1.",
            ),
        ),
        otherwise="The x is right. Two dishes tie, so how do their weights compare?",
        praise="Halfway between 12 and 10.",
    )
    return second


def _scores_at(x: Any) -> str:
    try:
        scores = menu.keys("spicy", "soupy") @ [float(x), 0.3]
    except (TypeError, ValueError):
        return ""
    return f"There the ramen scores {scores[0]:.3f} and the tacos {scores[2]:.3f}."
