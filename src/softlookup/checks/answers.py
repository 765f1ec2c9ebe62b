"""How an answer that is a value is checked: numbers, shapes, true or false."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import guard
from .compare import shown
from .result import CORRECT, NOT_STARTED, NOT_YET, Result

__all__ = ["Known", "check_numbers", "check_shape", "check_yes_or_no", "is_open"]


class Known(NamedTuple):
    """A wrong answer that people really give, and what to say about it in two sentences."""

    name: str
    value: Any
    hint: str
    within: float | None = None
    """How far off it may be; as far as a right answer if not given."""


def is_open(*answers: Any) -> bool:
    """Return whether any of the answers is still ``...``.

    >>> is_open(1, ...), is_open(np.zeros(2))
    (True, False)
    """
    return any(answer is ... for answer in answers)


def check_numbers(
    answer: Any,
    *,
    name: str,
    right: ArrayLike,
    tolerance: float,
    known: Sequence[Known] = (),
    otherwise: str = "",
    praise: str = "",
    text_hint: str = "",
) -> Result:
    """Return what there is to say about a number, or a row of them.

    Parameters
    ----------
    answer
        An int, float, fraction, NumPy number, list, tuple or array.
    name
        What the exercise calls it.
    right
        The right answer; its shape is the shape needed.
    tolerance
        How far off an answer may be.
    known
        Known wrong answers, the likeliest first.
    otherwise
        Said of any other wrong answer.
    praise
        Said of a right one.
    text_hint
        Said of an answer that is no number.

    Examples
    --------
    >>> known = [Known("sum", 5, "This adds. A product is asked for.")]
    >>> check_numbers(5, name="six", right=6, tolerance=0.1, known=known)
    Not yet. This adds. A product is asked for.
    >>> check_numbers([6.02], name="six", right=6, tolerance=0.1)
    Correct.
    >>> check_numbers(7, name="six", right=6, tolerance=0.1, otherwise="Count again.")
    Not yet. Got 7. Count again.
    """
    if is_open(answer):
        return Result(NOT_STARTED, f"{name} is still open")
    wanted = np.asarray(right)
    what = "one number" if not wanted.ndim else f"{_WORDS.get(len(wanted), len(wanted))} numbers"
    outcome = guard.call(lambda: answer, ())
    got = outcome.value
    say = ""
    if outcome.nothing:
        say = f"Needed {what}, got None."
    elif got is None:
        assert outcome.failure
        said = outcome.failure.sentence.removeprefix("Not an answer that can be compared: ")
        say = said[0].upper() + said[1:]
    elif got.dtype.kind == "b":
        say = f"Needed {what}, got true or false."
    if say or got is None:
        return Result(NOT_YET, _joined(say, text_hint))
    if wanted.ndim == 0 and got.shape == (1,):
        got = got[0]
    if _near(got, wanted, tolerance):
        return Result(CORRECT, praise)
    for wrong in known:
        if _near(got, wrong.value, tolerance if wrong.within is None else wrong.within):
            return Result(NOT_YET, wrong.hint, mistakes=(wrong.name,))
    if got.shape != wanted.shape:
        say = f"Needed {what}, got "
        say += f"an array of shape {got.shape}." if got.ndim else "one."
        return Result(NOT_YET, _joined(say, text_hint))
    return Result(NOT_YET, _joined(f"Got {shown(got)}.", otherwise))


_WORDS = {2: "two", 3: "three", 4: "four", 5: "five"}


def check_shape(
    answer: Any,
    *,
    name: str,
    right: tuple[int, ...],
    known: Sequence[Known] = (),
    otherwise: str = "",
    praise: str = "",
) -> Result:
    """Return what there is to say about a shape, given as a tuple or a list of whole numbers.

    Examples
    --------
    >>> check_shape([2, 3], name="s", right=(2, 3))
    Correct.
    >>> check_shape((2,), name="s", right=(2, 3), otherwise="One size per axis.")
    Not yet. Got (2,), which has 1 axis where 2 are needed. One size per axis.
    """
    if is_open(answer):
        return Result(NOT_STARTED, f"{name} is still open")
    outcome = guard.call(lambda: answer, ())
    got = outcome.value
    if got is None or got.dtype.kind not in "iuf" or got.ndim != 1:
        return Result(
            NOT_YET, f"{name} should be a shape, a tuple of whole numbers such as (2, 3)."
        )
    sizes = tuple(int(size) if size == int(size) else float(size) for size in _finite(got))
    if sizes == tuple(right):
        return Result(CORRECT, praise)
    for wrong in known:
        if sizes == tuple(wrong.value):
            return Result(NOT_YET, wrong.hint, mistakes=(wrong.name,))
    if len(sizes) != len(right):
        axes = "axis" if len(sizes) == 1 else "axes"
        say = f"Got {sizes}, which has {len(sizes)} {axes} where {len(right)} are needed."
    else:
        say = f"Got {sizes}."
    return Result(NOT_YET, _joined(say, otherwise))


def check_yes_or_no(
    answer: Any, *, name: str, right: bool, hint: str, mistake: str, praise: str = ""
) -> Result:
    """Return what there is to say about True or False.

    Examples
    --------
    >>> check_yes_or_no(np.False_, name="x", right=False, hint="Look again.", mistake="yes")
    Correct.
    >>> check_yes_or_no("False", name="x", right=False, hint="Look again.", mistake="yes")
    Not yet. x should be True or False, without quotation marks.
    """
    if is_open(answer):
        return Result(NOT_STARTED, f"{name} is still open")
    got = guard.call(lambda: answer, ()).value
    if got is None or got.size != 1 or got.reshape(-1)[0] not in (0, 1):
        return Result(NOT_YET, f"{name} should be True or False, without quotation marks.")
    if bool(got.reshape(-1)[0]) == right:
        return Result(CORRECT, praise)
    return Result(NOT_YET, hint, mistakes=(mistake,))


def _near(got: NDArray[Any], wanted: ArrayLike, tolerance: float) -> bool:
    other = np.asarray(wanted, float)
    same_shape = np.shape(got) == other.shape
    return same_shape and np.allclose(got.astype(float), other, rtol=0, atol=tolerance)


def _finite(numbers: NDArray[Any]) -> list[float]:
    return [float(n) if np.isfinite(n) else -1.0 for n in numbers[:20]]


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)
