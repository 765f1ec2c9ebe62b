"""Whether an answer equals what was expected.

Whatever a learner hands in becomes a plain array of numbers first, so that its own ideas of
equality are never asked.
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping, Set
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Refused", "largest_difference", "plain", "same", "shown"]

# An answer may be off by this part of the largest expected number: float32 passes, slips do not.
TOLERANCE = 1e-5
_BIG = 1_000_000


class Refused(Exception):  # noqa: N818  a refusal is an answer here, not a fault
    """An answer that is no array of numbers; the message says what it is."""


def plain(answer: Any) -> NDArray[Any]:
    """Return an answer as an array of its own: numbers or booleans, no subclass, no object.

    Lists, tuples, numbers of any kind, fractions, and whatever NumPy can read (such as the
    tensors of other libraries) are taken.

    Examples
    --------
    >>> from fractions import Fraction
    >>> plain([1, Fraction(1, 2)])
    array([1. , 0.5])
    >>> plain("0.5")
    Traceback (most recent call last):
    ...
    softlookup.checks.compare.Refused: needed numbers, got text, '0.5'.
    """
    if isinstance(answer, (str, bytes)):
        raise Refused(f"needed numbers, got text, {_brief(answer)}.")
    if answer is None:
        raise Refused("needed numbers, got None.")
    if answer is ...:
        raise Refused("needed numbers, got the ... that stands for an open answer.")
    if isinstance(answer, Iterator):
        raise Refused(
            f"needed numbers, got a {type(answer).__name__}, which has not computed any yet. "
            "list(...) around it would."
        )
    if isinstance(answer, (Mapping, Set, type, types.FunctionType, types.ModuleType)):
        raise Refused(f"needed numbers, got a {type(answer).__name__}.")
    if isinstance(answer, np.ma.MaskedArray):
        raise Refused("needed a plain array, got a masked array of numpy.ma.")
    try:
        array = np.asarray(answer)
    except ValueError:
        if isinstance(answer, tuple):
            raise Refused(
                f"needed one array, got {len(answer)} things of different shapes, separated by "
                "commas."
            ) from None
        raise Refused("needed rows of equal length, got rows that do not line up.") from None
    if array.dtype.kind == "O":
        entries = [_number(entry, answer) for entry in array.flat]
        array = np.array(entries, dtype=float).reshape(array.shape)
    if array.dtype.kind not in "biuf":
        raise Refused(f"needed real numbers, got a {type(answer).__name__} of {array.dtype}.")
    # A copy, so that a function that hands out one array again and again is held to each answer;
    # what is huge has the wrong shape anyway.
    return array.copy() if array.size <= _BIG else array


def _number(entry: Any, answer: Any) -> float:
    if isinstance(entry, (Real, Decimal)) or (isinstance(entry, np.ndarray) and entry.ndim == 0):
        return float(entry)
    what = f"a {type(answer).__name__}"
    if entry is not answer:
        what += f" with an entry of type {type(entry).__name__}"
    raise Refused(f"needed numbers, got {what}.")


def same(got: NDArray[Any], wanted: NDArray[Any], *, tolerance: float = TOLERANCE) -> bool:
    """Return whether two plain arrays agree in shape, in kind, and in value up to rounding.

    NaN equals NaN here, because a known mistake may yield it; what is right never does.

    Examples
    --------
    >>> same(np.float32([1 / 3]), np.array([1 / 3]))
    True
    >>> same(np.array([1.0, 1.0]), np.array([[1.0, 1.0]]))
    False
    >>> same(np.array([1, 0]), np.array([True, False]))
    False
    """
    if got.shape != wanted.shape or (got.dtype.kind == "b") != (wanted.dtype.kind == "b"):
        return False
    if wanted.dtype.kind == "b":
        return bool(np.array_equal(got, wanted))
    finite = np.abs(wanted[np.isfinite(wanted)]).max(initial=0.0)
    allowed = tolerance * float(finite) or tolerance
    # np.allclose does the same in four times the time; a search makes thousands of comparisons.
    x, y = got.astype(float), wanted.astype(float)
    with np.errstate(invalid="ignore"):
        near = (np.abs(x - y) <= allowed) | (x == y) | (np.isnan(x) & np.isnan(y))
    return bool(near.all())


def largest_difference(got: NDArray[Any], wanted: NDArray[Any]) -> tuple[float, list[int]]:
    """Return the largest difference and where it is; NaN counts as the largest of all.

    Examples
    --------
    >>> largest_difference(np.array([1.0, 5.0]), np.array([1.0, 2.0]))
    (3.0, [1])
    """
    with np.errstate(invalid="ignore"):
        difference = np.abs(got.astype(float) - wanted.astype(float))
    order = np.where(np.isnan(difference), np.inf, difference)
    where = np.unravel_index(order.argmax(), order.shape)
    return float(difference[where]), [int(i) for i in where]


def shown(array: Any, *, digits: int = 3) -> str:
    """Return an array as short text: rounded, on few lines, large ones by their shape.

    Examples
    --------
    >>> print(shown(np.array([[1.0, 0.5], [1 / 3, 2.0]])))
    [[1, 0.5], [0.333, 2]]
    >>> print(shown(np.zeros((30, 40))))
    shape (30, 40)
    """
    if isinstance(array, (list, tuple)):
        array = np.asarray(array)
    if not isinstance(array, (np.ndarray, np.generic)):
        return _number_text(array, digits) if isinstance(array, Real) else _brief(array)
    if array.size > 24:
        return f"shape {array.shape}"
    return _nested(np.asarray(array).tolist(), digits)


def _nested(entry: Any, digits: int) -> str:
    if isinstance(entry, list):
        return "[" + ", ".join(_nested(part, digits) for part in entry) + "]"
    return _number_text(entry, digits)


def _number_text(number: Any, digits: int) -> str:
    if isinstance(number, (bool, int)):
        return str(number)
    number = float(number)
    if number and abs(number) < 10.0 ** (-digits):
        return f"{number:.1e}"
    text = f"{number:.{digits}f}" if abs(number) < 1e7 else f"{number:.4g}"
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def _brief(thing: Any, most: int = 40) -> str:
    try:
        text = repr(thing)
    except Exception:
        text = f"a {type(thing).__name__}"
    return text if len(text) <= most else text[: most - 3] + "..."
