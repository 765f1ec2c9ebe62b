"""What a bad input is told.

Every public function sends its inputs through here first. What comes back is ready to compute
with; what is refused is refused with a sentence that says what was needed and what arrived.
Errors are made at this one edge, so the code behind it can be read as the mathematics it is.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "broadcast_leading",
    "check_columns",
    "check_keys_match_values",
    "check_mask",
    "check_matrix",
    "check_vector",
    "count",
    "finite_number",
    "floats",
    "largest",
    "mask_array",
    "norm",
    "same_float",
    "whole_numbers",
]

Floats = NDArray[Any]
Booleans = NDArray[np.bool_]


def floats(name: str, array: ArrayLike) -> Floats:
    """Return ``array`` as finite floating-point numbers, or say why it cannot be.

    Floating-point arrays keep their type; integers and lists of numbers become float64. The
    input is never written to, but where its type already fits it is returned without a copy.

    Parameters
    ----------
    name
        What the caller calls this input; it opens every message.
    array
        Anything NumPy can read as an array of real numbers.

    Returns
    -------
    ndarray
        The same numbers, float16 or wider.

    Raises
    ------
    TypeError
        For text, complex numbers, booleans, objects, or an array that hides entries
        (``numpy.ma``).
    ValueError
        For rows of unequal length, NaN or infinity.

    Examples
    --------
    >>> floats("query", [1, 2]).dtype
    dtype('float64')
    >>> floats("query", "ramen")
    Traceback (most recent call last):
    ...
    TypeError: query: needed real numbers, got text, such as 'ramen' (str).
    """
    numbers = _array(name, array)
    kind = numbers.dtype.kind
    if kind == "f":
        result = numbers
    elif kind in "iu":
        result = numbers.astype(np.float64)
    else:
        raise TypeError(f"{name}: needed real numbers, got {_kind(numbers)}.")
    if not (math.isfinite(norm(result)) or np.isfinite(result).all()):
        where = tuple(np.argwhere(~np.isfinite(result))[0].tolist())
        place = f" at index {list(where)}" if where else ""
        raise ValueError(
            f"{name}: needed finite numbers, got {result[where]}{place}. "
            "To hide an entry, use mask= rather than NaN or infinity."
        )
    return result


def same_float(**arrays: Floats) -> tuple[list[Floats], np.dtype[Any]]:
    """Return the arrays in the one type to compute in, and the type to answer in.

    float32 in, float32 out; mixed inputs follow NumPy's promotion. float16 is computed in
    float32 and answered in float16, because its largest number is only 65504.

    Examples
    --------
    >>> half = np.ones(3, np.float16)
    >>> (computing,), answer = same_float(query=half)
    >>> computing.dtype, answer
    (dtype('float32'), dtype('float16'))
    """
    answer = np.result_type(*arrays.values())
    computing = np.result_type(answer, np.float32)
    return [array.astype(computing, copy=False) for array in arrays.values()], answer


def norm(array: Floats) -> float:
    r"""Return the root of the sum of all squares, :math:`\|X\|`, in one fast pass.

    No entry is larger, and no dot product of rows of X and Y is larger than
    :math:`\|X\| \|Y\|`. It may be infinite for finite entries whose squares are not.

    >>> norm(np.array([[3.0], [4.0]]))
    5.0
    """
    return math.sqrt(np.vdot(array, array))


def largest(array: Floats) -> Any:
    """Return the largest magnitude in ``array``; 0 if it is empty.

    >>> print(largest(np.array([1.0, -3.0])))
    3.0
    """
    return max(array.max(initial=0), -array.min(initial=0))  # np.abs would be a copy


def check_vector(name: str, array: Floats, *, needs: str) -> None:
    """Refuse anything but one row of numbers.

    >>> check_vector("query", np.ones((1, 2)), needs="(d_k,)")
    Traceback (most recent call last):
    ...
    ValueError: query: needed one axis, shape (d_k,), got shape (1, 2).
    """
    if array.ndim != 1:
        raise ValueError(f"{name}: needed one axis, shape {needs}, got shape {array.shape}.")


def check_matrix(name: str, array: Floats, *, needs: str, exactly: bool = False) -> None:
    """Refuse an array with fewer than two axes (or, if ``exactly``, with any other number).

    >>> check_matrix("query", np.ones(2), needs="(..., n_queries, d_k)")
    Traceback (most recent call last):
    ...
    ValueError: query: needed at least two axes, shape (..., n_queries, d_k), got shape (2,). \
A single row still needs its axis: array[None, :].
    """
    if array.ndim < 2:
        hint = " A single row still needs its axis: array[None, :]." if array.ndim == 1 else ""
        least = "two axes" if exactly else "at least two axes"
        raise ValueError(f"{name}: needed {least}, shape {needs}, got shape {array.shape}.{hint}")
    if exactly and array.ndim != 2:
        raise ValueError(f"{name}: needed two axes, shape {needs}, got shape {array.shape}.")


def check_columns(query: Floats, key: Floats, *, name: str = "key") -> None:
    """Refuse a query and a key whose last axes differ, or that have no columns or no keys.

    The keys go by the ``name`` that the caller calls them.

    >>> check_columns(np.ones((2, 3)), np.ones((5, 4)))
    Traceback (most recent call last):
    ...
    ValueError: query and key: needed the same last axis, d_k, to compare them; got query \
shape (2, 3) and key shape (5, 4).
    """
    if query.shape[-1] != key.shape[-1]:
        hint = ""
        if key.ndim >= 2 and key.shape[-2] == query.shape[-1]:
            hint = f" Is {name} transposed? One key per row is needed."
        raise ValueError(
            f"query and {name}: needed the same last axis, d_k, to compare them; "
            f"got query shape {query.shape} and {name} shape {key.shape}.{hint}"
        )
    if key.shape[-2] == 0:
        raise ValueError(f"{name}: needed at least one key to attend to, got shape {key.shape}.")
    if key.shape[-1] == 0:
        raise ValueError(f"{name}: needed at least one column to compare, got shape {key.shape}.")


def check_keys_match_values(
    key: Floats, value: Floats, *, axis: int = -2, names: tuple[str, str] = ("key", "value")
) -> None:
    """Refuse a value array that does not hold one value per key along ``axis``.

    >>> check_keys_match_values(np.ones((5, 2)), np.ones((3, 1)))
    Traceback (most recent call last):
    ...
    ValueError: key and value: needed one value per key; got 5 keys (key shape (5, 2)) and \
3 values (value shape (3, 1)).
    """
    if key.shape[-2] != value.shape[axis]:
        raise ValueError(
            f"{names[0]} and {names[1]}: needed one value per key; got {key.shape[-2]} keys "
            f"({names[0]} shape {key.shape}) and {value.shape[axis]} values "
            f"({names[1]} shape {value.shape})."
        )


def broadcast_leading(**arrays: Floats) -> tuple[int, ...]:
    """Return the common shape of all axes before the last two, or refuse.

    >>> broadcast_leading(query=np.ones((7, 1, 2, 3)), key=np.ones((5, 4, 3)))
    (7, 5)
    >>> broadcast_leading(query=np.ones((7, 2, 3)), key=np.ones((5, 4, 3)))
    Traceback (most recent call last):
    ...
    ValueError: leading axes: needed shapes that broadcast, got query (7,), key (5,).
    """
    leading = [array.shape[:-2] for array in arrays.values()]
    if leading.count(leading[0]) == len(leading):
        return leading[0]
    try:
        return np.broadcast_shapes(*leading)
    except ValueError:
        got = ", ".join(f"{name} {array.shape[:-2]}" for name, array in arrays.items())
        raise ValueError(f"leading axes: needed shapes that broadcast, got {got}.") from None


def mask_array(mask: ArrayLike) -> Booleans:
    """Return ``mask`` as a boolean array, or refuse it.

    >>> mask_array([0, 1])
    Traceback (most recent call last):
    ...
    TypeError: mask: needed booleans, True = may attend, got int64 numbers. If 1 means \
"may attend", pass mask.astype(bool); if your mask is added to the scores, pass mask == 0.
    """
    array = _array("mask", mask)
    if array.dtype != np.bool_:
        hint = (
            '. If 1 means "may attend", pass mask.astype(bool); if your mask is added to the '
            "scores, pass mask == 0."
            if array.dtype.kind in "iuf"
            else "."
        )
        raise TypeError(f"mask: needed booleans, True = may attend, got {_kind(array)}{hint}")
    return array


def check_mask(mask: ArrayLike, shape: tuple[int, ...], *, needs: str) -> Booleans:
    """Return ``mask`` as booleans that broadcast to ``shape``, or refuse it.

    >>> check_mask([[True, False]], (3, 2), needs="(n_queries, n_keys)").shape
    (1, 2)
    >>> check_mask([True, False, True], (3, 2), needs="(n_queries, n_keys)")
    Traceback (most recent call last):
    ...
    ValueError: mask: needed a shape that broadcasts to (n_queries, n_keys) = (3, 2), got (3,).
    """
    array = mask_array(mask)
    try:
        fits = np.broadcast_shapes(array.shape, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(
            f"mask: needed a shape that broadcasts to {needs} = {shape}, got {array.shape}."
        )
    return array


def finite_number(name: str, number: Any, *, positive: bool = False) -> float:
    """Return one finite real number (above zero, if ``positive``), or refuse it.

    >>> finite_number("temperature", 0, positive=True)
    Traceback (most recent call last):
    ...
    ValueError: temperature: needed a finite number above 0, got 0.
    """
    needed = "a finite number above 0" if positive else "a finite number"
    if isinstance(number, np.ndarray) and number.ndim == 0:
        number = number[()]
    if isinstance(number, (bool, np.bool_)) or not isinstance(number, Real):
        raise TypeError(f"{name}: needed {needed}, got {_describe(number)}.")
    try:
        value = float(number)
    except OverflowError:
        number = value = float("inf")
    if not np.isfinite(value) or (positive and value <= 0):
        raise ValueError(f"{name}: needed {needed}, got {number}.")
    return value


def count(name: str, number: Any, *, least: int = 1) -> int:
    """Return a whole number of at least ``least``, or refuse it.

    >>> count("n_queries", 0)
    Traceback (most recent call last):
    ...
    ValueError: n_queries: needed a whole number of at least 1, got 0.
    """
    if isinstance(number, (bool, np.bool_)) or not isinstance(number, Integral):
        raise TypeError(
            f"{name}: needed a whole number of at least {least}, got {_describe(number)}."
        )
    if int(number) < least:
        raise ValueError(f"{name}: needed a whole number of at least {least}, got {number}.")
    return int(number)


def whole_numbers(name: str, array: ArrayLike) -> NDArray[np.integer[Any]]:
    """Return ``array`` as an array of integers, or refuse it.

    >>> whole_numbers("lengths", [1.5])
    Traceback (most recent call last):
    ...
    TypeError: lengths: needed whole numbers, got float64 numbers.
    """
    numbers = _array(name, array)
    if numbers.dtype.kind not in "iu":
        raise TypeError(f"{name}: needed whole numbers, got {_kind(numbers)}.")
    return numbers


def _array(name: str, given: ArrayLike) -> NDArray[Any]:
    """Return what NumPy makes of an input, without a copy where it is an array already."""
    if isinstance(given, np.ma.MaskedArray):
        raise TypeError(
            f"{name}: needed a plain array, got a numpy.ma masked array, whose hidden entries "
            "would be used as if they were visible. Pass array.data and give mask= instead."
        )
    try:
        return np.asarray(given)
    except Exception as error:  # whatever the input's own conversion raises
        if isinstance(given, (list, tuple)):
            raise ValueError(
                f"{name}: needed rows of equal length, got rows that do not line up ({error})."
            ) from None
        raise TypeError(
            f"{name}: needed an array, got {type(given).__name__}, which NumPy cannot read "
            f"({error})."
        ) from None


def _kind(array: NDArray[Any]) -> str:
    """Name what an array holds, in words for a message."""
    words: Mapping[str, str] = {
        "b": "booleans",
        "c": "complex numbers",
        "U": "text",
        "S": "bytes",
        "M": "dates",
        "m": "time differences",
        "O": "Python objects",
        "V": f"{array.dtype} entries",
    }
    kind = words.get(array.dtype.kind, f"{array.dtype} numbers")
    if array.dtype.kind in "USO" and array.size:
        kind += f", such as {_describe(array.flat[0])}"
    return kind


def _describe(thing: Any) -> str:
    if isinstance(thing, np.ndarray):
        return f"an array of shape {thing.shape}"
    if isinstance(thing, np.generic):
        thing = thing.item()
    return f"{_short(thing)} ({type(thing).__name__})"


def _short(thing: Any, most: int = 60) -> str:
    text = reprlib.repr(thing)
    return text if len(text) <= most else text[: most - 3] + "..."
