"""One stream of random numbers for each seed and each purpose.

Data, starting weights, shuffling and fresh rows draw from streams of their own, so that changing
one of them (another network, longer training) leaves the others as they were: two networks are
then compared on the same rows in the same order.
"""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral

import numpy as np

__all__ = ["generator", "seed_list"]


def generator(seed: int, purpose: str) -> np.random.Generator:
    """Return the random stream that belongs to one seed and one purpose.

    Parameters
    ----------
    seed
        Zero or above.
    purpose
        A word such as ``"data"``; another word is another, independent stream.

    Returns
    -------
    numpy.random.Generator
        At the start of its stream.

    Examples
    --------
    >>> first, again = generator(7, "data"), generator(7, "data")
    >>> bool(first.random() == again.random())
    True
    >>> bool(generator(7, "data").random() == generator(7, "start").random())
    False
    """
    return np.random.default_rng([seed, *purpose.encode()])


def seed_list(seeds: int | Iterable[int]) -> tuple[int, ...]:
    """Return the seeds as a tuple; one seed counts as a list of one.

    Parameters
    ----------
    seeds
        A whole number, or several, none below zero.

    Returns
    -------
    tuple of int
        At least one seed.

    Raises
    ------
    TypeError
        For anything that is not a whole number.
    ValueError
        For no seed at all, or one below zero.

    Examples
    --------
    >>> seed_list(3), seed_list(range(3))
    ((3,), (0, 1, 2))
    """
    if isinstance(seeds, Integral):
        candidates: list[object] = [seeds]
    elif isinstance(seeds, Iterable) and not isinstance(seeds, (str, bytes)):
        candidates = list(seeds)
    else:
        raise TypeError(f"seeds: needed a whole number or several, got {seeds!r}.")
    if not candidates:
        raise ValueError("seeds: needed at least one, got none.")
    for seed in candidates:
        if not isinstance(seed, Integral) or isinstance(seed, bool):
            raise TypeError(f"seeds: needed whole numbers, got {seed!r}.")
        if seed < 0:
            raise ValueError(f"seeds: needed numbers from 0 up, got {seed}.")
    return tuple(int(seed) for seed in candidates)  # type: ignore[call-overload]
