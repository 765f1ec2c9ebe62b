"""The running data of the course: a menu of five dishes.

Each dish has five *features*, scored from -1 to 1 so that tastes can oppose, and two stored
columns, price (in coins) and kcal. The numbers are made up, chosen once, and short enough to
redo by hand; every chapter reads them from here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["DISHES", "FEATURES", "STORED", "index", "keys", "rows", "values"]

#: The five dishes, in the order of all rows.
DISHES: tuple[str, ...] = ("ramen", "dal", "tacos", "gazpacho", "sorbet")
#: The columns that say what a dish is like, from -1 to 1.
FEATURES: tuple[str, ...] = ("spicy", "soupy", "sweet", "rich", "cold")
#: The columns that a lookup hands back.
STORED: tuple[str, ...] = ("price", "kcal")

#           spicy soupy sweet rich  cold   price kcal
_TABLE = (
    ("ramen", 0.2, 0.9, -0.4, 0.7, -0.8, 12, 600),
    ("dal", 0.4, 0.2, -0.2, 0.3, -0.6, 8, 350),
    ("tacos", 0.9, -0.3, -0.3, 0.5, -0.4, 10, 500),
    ("gazpacho", -0.3, 0.8, -0.1, -0.7, 0.9, 9, 150),
    ("sorbet", -0.8, -0.5, 0.9, -0.2, 1.0, 5, 200),
)


def keys(*features: str) -> NDArray[np.float64]:
    """Return the chosen feature columns, one dish per row: the keys of the course.

    Parameters
    ----------
    *features
        Names from ``FEATURES``, in the order wanted; none means all five.

    Returns
    -------
    ndarray of float64, shape (5, number of features)
        A new array at each call.

    Raises
    ------
    KeyError
        For a name that is not a feature.

    Examples
    --------
    >>> keys("spicy", "soupy")[0]
    array([0.2, 0.9])
    """
    return _columns(features or FEATURES, FEATURES)


def values(*columns: str) -> NDArray[np.float64]:
    """Return the chosen stored columns, one dish per row: what a lookup hands back.

    Parameters
    ----------
    *columns
        Names from ``STORED``, in the order wanted; none means both.

    Returns
    -------
    ndarray of float64, shape (5, number of columns)
        A new array at each call.

    Raises
    ------
    KeyError
        For a name that is not a stored column.

    Examples
    --------
    >>> values("price").ravel()
    array([12.,  8., 10.,  9.,  5.])
    """
    return _columns(columns or STORED, STORED)


def index(dish: str) -> int:
    """Return the row number of a dish, counting from 0.

    Parameters
    ----------
    dish
        A name from ``DISHES``.

    Returns
    -------
    int
        Its row in what :func:`keys` and :func:`values` return.

    Raises
    ------
    KeyError
        For a dish that is not on the menu.

    Examples
    --------
    >>> index("tacos")
    2
    """
    return _position(dish, DISHES)


def rows() -> list[dict[str, Any]]:
    """Return the whole menu as one dictionary per dish, as a database would store it.

    Returns
    -------
    list of dict
        Column name to entry: the dish, its features, its stored columns, in that order.

    Examples
    --------
    >>> rows()[1]["dish"], rows()[1]["price"]
    ('dal', 8)
    """
    names = ("dish", *FEATURES, *STORED)
    return [dict(zip(names, row, strict=True)) for row in _TABLE]


def _columns(chosen: tuple[str, ...], allowed: tuple[str, ...]) -> NDArray[np.float64]:
    names = ("dish", *FEATURES, *STORED)
    for name in chosen:
        _position(name, allowed)
    where = [names.index(name) for name in chosen]
    return np.array([[row[i] for i in where] for row in _TABLE], dtype=np.float64)


def _position(name: str, allowed: tuple[str, ...]) -> int:
    if name not in allowed:
        raise KeyError(f"needed one of {', '.join(allowed)}; got {name!r}")
    return allowed.index(name)
