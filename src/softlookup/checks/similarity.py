"""Similarity: a dot product by hand, cosines, who can win, the weighted key sum."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softlookup import menu
from softlookup.softmax import softmax

from .answers import Known, check_numbers, check_yes_or_no
from .exercise import Case, FunctionExercise, Mistake, Stage, check_function, primes
from .result import Result

__all__ = ["cosine_similarity", "dal_can_win", "dot_by_hand", "weighted_key_sum"]

Array = NDArray[Any]


def dot_by_hand(dot: Any) -> Result:
    """Check the dot product of gazpacho and ramen.

    Parameters
    ----------
    dot : number

    Returns
    -------
    Result

    Examples
    --------
    >>> dot_by_hand(0.78)
    Not yet. The minus of the gazpacho got lost: it is mild, -0.3, and the ramen is spicy, 0.2. \
Unequal signs make a product below 0.
    """
    keys = menu.keys("spicy", "soupy")
    gazpacho, ramen = keys[menu.index("gazpacho")], keys[menu.index("ramen")]
    first, second = gazpacho * ramen
    lengths = np.linalg.norm(gazpacho) * np.linalg.norm(ramen)
    return check_numbers(
        dot,
        name="dot",
        right=first + second,
        tolerance=0.004,
        known=(
            Known(
                "sign lost",
                second - first,
                "The minus of the gazpacho got lost: it is mild, -0.3, and the ramen is spicy, "
                "0.2. Unequal signs make a product below 0.",
            ),
            Known(
                "not added",
                (first, second),
                "These are the two products, and they are right. A dot product is one number.",
            ),
            Known(
                "columns crossed",
                gazpacho[0] * ramen[1] + gazpacho[1] * ramen[0],
                "The columns are crossed: spicy meets soupy. Each column meets its own kind.",
            ),
            Known(
                "cosine",
                (first + second) / lengths,
                "This is the cosine: it has been divided by the two lengths. "
                "The dot product comes before that.",
            ),
            Known(
                "products multiplied",
                first * second,
                "The two products are multiplied with each other. A dot product adds them up.",
            ),
        ),
        otherwise="Column by column, minding the minus, then add.",
        praise="-0.06 + 0.72. Both are soupy, and that settles it.",
    )


# ------------------------------------------------------------------ cosines


def _cosine(query: Array, keys: Array, *, divide: str = "both", then: str = "nothing") -> Array:
    dots = keys @ query
    by_key, by_query = np.linalg.norm(keys, axis=1), np.linalg.norm(query)
    divisor: dict[str, Callable[[], Any]] = {
        "both": lambda: by_key * by_query,
        "nothing": lambda: 1.0,
        "keys": lambda: by_key,
        "query": lambda: by_query,
        "squares": lambda: (by_key * by_query) ** 2,
        "sum": lambda: by_key + by_query,
        "table": lambda: np.linalg.norm(keys) * by_query,
        "columns": lambda: np.linalg.norm(keys, axis=0) * by_query,
        "sizes": lambda: np.abs(keys).sum(axis=1) * np.abs(query).sum(),
    }
    cosines: Array = dots / divisor[divide]()
    if then == "angle":
        return np.arccos(cosines)
    if then == "degrees":
        return np.degrees(np.arccos(cosines))
    if then == "distance":
        return 1 - cosines
    if then == "absolute":
        return np.abs(cosines)
    return np.asarray(cosines.mean()) if then == "mean" else cosines


def _right_cosine(query: Array, keys: Array) -> Array:
    # Rows of length 1 have their dot product as cosine.
    units = keys / np.linalg.norm(keys, axis=1, keepdims=True)
    return np.asarray(units @ (query / np.linalg.norm(query)))


def _query_and_keys(rng: np.random.Generator) -> Iterator[Case]:
    for n, d, _ in primes(rng, 3, cases=3):
        yield 2 * rng.standard_normal(d), 2 * rng.standard_normal((n, d))
    yield rng.standard_normal(4), rng.standard_normal((4, 4))


def _tiny_query_and_keys() -> Iterator[Case]:
    yield np.array([2.0, 0.0]), np.array([[2.0, 0.0]])
    yield np.array([1.0, 0.0]), np.array([[2.0, 0.0], [0.0, 1.0]])
    yield np.array([0.0, 2.0]), np.array([[3.0, 4.0], [-3.0, -4.0]])
    yield np.array([1.0, 2.0]), np.array([[1.0, 0.0], [2.0, 1.0]])


_COSINE = FunctionExercise(
    asks="cosine_similarity",
    parameters=("query", "keys"),
    right=_right_cosine,
    family=_cosine,
    mistakes=(
        Mistake(
            "lengths left in",
            "These are the dot products, lengths and all. "
            "A cosine does not change when an arrow is stretched.",
            {"divide": "nothing"},
        ),
        Mistake(
            "query's length left in",
            "Only the keys' lengths are divided out. "
            "A query twice as long would give cosines twice as large.",
            {"divide": "keys"},
        ),
        Mistake(
            "keys' lengths left in",
            "Only the query's length is divided out. A key twice as long would still get a cosine "
            "twice as large.",
            {"divide": "query"},
        ),
        Mistake(
            "squared lengths",
            "The divisor has the squares of the lengths. A length is the root of the sum of "
            "squares, and the root is missing.",
            {"divide": "squares"},
        ),
        Mistake(
            "lengths added",
            "The two lengths are added in the divisor. They belong multiplied.",
            {"divide": "sum"},
        ),
        Mistake(
            "one length for all keys",
            "All keys are divided by one number, the length of the whole table. "
            "Each key has a length of its own: along which axis do its columns lie?",
            {"divide": "table"},
        ),
        Mistake(
            "lengths of columns",
            "The lengths run down the columns of the table. A key is a row.",
            {"divide": "columns"},
        ),
        Mistake(
            "sums for lengths",
            "The lengths are sums of the columns' sizes. "
            "By Pythagoras a length is the root of the sum of their squares.",
            {"divide": "sizes"},
        ),
        Mistake("angle", "These are angles. The cosine is wanted itself.", {"then": "angle"}),
        Mistake(
            "angle",
            "These are angles in degrees. The cosine is wanted itself.",
            {"then": "degrees"},
        ),
        Mistake(
            "distance",
            "This is 1 minus the cosine, a distance. "
            "A similarity is largest where two arrows point the same way.",
            {"then": "distance"},
        ),
        Mistake(
            "sign lost",
            "The signs are gone. An arrow that points the other way has a cosine below 0.",
            {"then": "absolute"},
        ),
        Mistake("mean", "This is the mean of all cosines. One per key is asked for.",
                {"then": "mean"}),
    ),
    stages=(Stage(_query_and_keys, _tiny_query_and_keys),),
    praise="The same direction gives 1, right angles give 0, whatever the lengths.",
    needs="one cosine per key",
)  # fmt: skip


def cosine_similarity(cosine_similarity: Callable[..., Any]) -> Result:
    """Check a function of a query and a table of keys that returns one cosine per key.

    Parameters
    ----------
    cosine_similarity
        The function, of a query ``(d_k,)`` and keys ``(n_keys, d_k)``.

    Returns
    -------
    Result

    Examples
    --------
    >>> print(cosine_similarity(lambda query, keys: keys @ query).mistakes)
    ('lengths left in',)
    """
    return check_function(cosine_similarity, _COSINE)


def dal_can_win(dal_can_win: Any) -> Result:
    """Check whether there is a craving for which the dal scores highest.

    Parameters
    ----------
    dal_can_win : bool

    Returns
    -------
    Result

    Examples
    --------
    >>> dal_can_win(True).status
    'not yet'
    """
    angles = np.radians(np.arange(0, 360, 0.25))
    cravings = np.column_stack([np.cos(angles), np.sin(angles)])
    winners = (cravings @ menu.keys("spicy", "soupy").T).argmax(axis=1)
    return check_yes_or_no(
        dal_can_win,
        name="dal_can_win",
        right=bool((winners == menu.index("dal")).any()),
        mistake="the dal wins",
        hint="Then there should be a direction in which no other dish reaches further than the "
        "dal. Score all five dishes for the cravings in `turned`, all around the circle.",
        praise="In whichever direction you ask, some longer key scores higher.",
    )


# ------------------------------------------------------------------ the weighted key sum


def _key_sum(query: Array, keys: Array, *, weigh: str = "scores", add: str = "keys") -> Array:
    scores = keys @ query
    ways: dict[str, Callable[[], Array]] = {
        "scores": lambda: scores,
        "softmax": lambda: softmax(scores),
        "nothing": lambda: np.ones(len(keys)),
        "shares": lambda: scores / scores.sum(),
        "average": lambda: scores / len(keys),
        "squares": lambda: scores**2,
        "root": lambda: scores / np.sqrt(keys.shape[1]),
        "cosines": lambda: _right_cosine(query, keys),
    }
    w = ways[weigh]()
    sums: dict[str, Callable[[], Array]] = {
        "keys": lambda: w @ keys,
        "query": lambda: w.sum() * query,
        "not added": lambda: w[:, None] * keys,
        "along rows": lambda: (w[:, None] * keys).sum(axis=1),
        "everything": lambda: np.asarray((w[:, None] * keys).sum()),
        "columns": lambda: keys @ w,
        "scores only": lambda: w,
        "mean": lambda: (w[:, None] * keys).mean(axis=0),
    }
    return sums[add]()


_KEY_SUM = FunctionExercise(
    asks="weighted_key_sum",
    parameters=("query", "keys"),
    right=lambda query, keys: np.einsum("nd,d,ne->e", keys, query, keys),
    family=_key_sum,
    mistakes=(
        Mistake(
            "softmax weights",
            "The keys are weighted by softmax weights. "
            "Equation (2.6) takes the scores as they are.",
            {"weigh": "softmax"},
        ),
        Mistake(
            "plain sum",
            "All keys are added up alike. Each should be multiplied by its score first.",
            {"weigh": "nothing"},
        ),
        Mistake(
            "shares of scores",
            "The scores are divided by their sum first. "
            "Equation (2.6) takes them as they are.",
            {"weigh": "shares"},
        ),
        Mistake(
            "average",
            "The sum is divided by the number of keys. Equation (2.6) only adds.",
            {"weigh": "average"},
        ),
        Mistake(
            "squared scores",
            "The scores are squared. The square of the score is the pull along the query, "
            "and it comes about by itself.",
            {"weigh": "squares"},
        ),
        Mistake(
            "cosines",
            "The keys are weighted by cosines. Equation (2.6) takes the dot products.",
            {"weigh": "cosines"},
        ),
        Mistake(
            "root",
            "The scores are divided by a root. Equation (2.6) takes them as they are.",
            {"weigh": "root"},
        ),
        Mistake(
            "query added",
            "It is the query that is multiplied by the scores and added up. "
            "What is added up are the keys.",
            {"add": "query"},
        ),
        Mistake(
            "not added",
            "These are the scaled keys, one per row, and they are right. "
            "They still have to be added up.",
            {"add": "not added"},
        ),
        Mistake(
            "scores",
            "These are the scores, and they are right. Now each key is multiplied by its own.",
            {"add": "scores only"},
        ),
        Mistake(
            "added along rows",
            "The numbers of each key are added up among themselves. "
            "Keys are added to keys, column by column.",
            {"add": "along rows"},
        ),
        Mistake(
            "everything added",
            "Everything is added up to one number. A sum of arrows is an arrow.",
            {"add": "everything"},
        ),
        Mistake(
            "table turned",
            "In the last product the table is turned the wrong way, and the scores meet columns. "
            "Each score belongs to a row of the table.",
            {"add": "columns"},
        ),
    ),
    stages=(
        Stage(
            _query_and_keys,
            lambda: [
                (np.array([1.0, 2.0]), np.array([[1.0, 0.0]])),
                *_tiny_query_and_keys(),
            ],
        ),
    ),
    needs="one arrow with as many columns as a key",
)  # fmt: skip


def weighted_key_sum(weighted_key_sum: Callable[..., Any]) -> Result:
    """Check a function of a query and a table of keys that adds up the keys by their scores.

    Parameters
    ----------
    weighted_key_sum
        The function, of a query ``(d_k,)`` and keys ``(n_keys, d_k)``.

    Returns
    -------
    Result

    Examples
    --------
    >>> print(weighted_key_sum(lambda query, keys: keys.sum(axis=0)).mistakes)
    ('plain sum',)
    """
    return check_function(weighted_key_sum, _KEY_SUM)
