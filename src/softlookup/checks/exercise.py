"""How a learner's function is checked: fresh cases, the library's answers, and known mistakes.

A mistake is known by what it computes. Each exercise has a *family*: one function that computes the
right answer and, with other settings, the wrong answers that people really write. A mistake is
named only if its numbers equal the learner's on every case; a guess is never made.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import EllipsisType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import guard
from .compare import largest_difference, plain, same, shown
from .guard import Failure, Outcome
from .result import CORRECT, NOT_STARTED, NOT_YET, Result

__all__ = ["Case", "FunctionExercise", "Mistake", "Stage", "check_function", "primes"]

Case = tuple[Any, ...]
Array = NDArray[Any]

# How many tiny cases are tried until one shows a difference.
_MOST_SMALL = 60


@dataclass(frozen=True)
class Mistake:
    """A wrong way to compute an answer, and what to say about it.

    Parameters
    ----------
    name
        Short, for tests and for the instructor's pages.
    hint
        Two sentences about the mistake. Never the solution.
    changes
        The settings under which the exercise's family computes it.
    """

    name: str
    hint: str
    changes: Mapping[str, Any]


@dataclass(frozen=True)
class Stage:
    """Cases of one kind. A later stage is reached only by what is right on all earlier ones.

    Parameters
    ----------
    cases
        Draws fresh cases.
    small
        Tiny cases, the smallest first, in which to look for one that shows a mistake.
    reached
        What was right until here, said before a hint of this stage.
    """

    cases: Callable[[np.random.Generator], Iterable[Case]]
    small: Callable[[], Iterable[Case]]
    reached: str = ""


@dataclass(frozen=True)
class FunctionExercise:
    """An exercise whose answer is a function.

    Parameters
    ----------
    asks
        The function's name.
    parameters
        Its parameters' names, in order.
    right
        The library's answer.
    family
        ``family(*case)`` is right as well; ``family(*case, **changes)`` is a mistake.
    mistakes
        The known ones. Where two explain an answer, the first is named.
    stages
        The cases.
    praise
        What is said about a right answer.
    needs
        What the answer is, in words, for one of another shape.
    quiet
        Whether a warning of NumPy is a mistake too.
    extra
        Asked last, of a function that is right on all cases: a `Result` if something is left.
    seconds
        For all cases together.
    """

    asks: str
    parameters: tuple[str, ...]
    right: Callable[..., Any]
    family: Callable[..., Any]
    mistakes: tuple[Mistake, ...]
    stages: tuple[Stage, ...]
    praise: str = ""
    needs: str = ""
    quiet: bool = False
    extra: Callable[[Callable[..., Any], float], Result | None] | None = None
    seconds: float = 5.0


@dataclass
class _Record:
    case: Case
    right: Array
    got: Outcome

    @property
    def fine(self) -> bool:
        return self.got.value is not None and same(self.got.value, self.right)


@dataclass
class _Run:
    """One function on its way through the stages of one exercise."""

    function: Callable[..., Any]
    exercise: FunctionExercise
    until: float
    records: list[_Record] = field(default_factory=list)

    def call(self, case: Case, *, loud: bool = False) -> Outcome:
        left = self.until - time.monotonic()
        outcome = guard.call(
            self.function,
            case,
            names=self.exercise.parameters,
            seconds=max(left, 0.05),
            loud=loud,
        )
        if outcome.failure and outcome.failure.final and "Stopped" in outcome.failure.sentence:
            said = f"Stopped after {self.exercise.seconds:.0f} seconds."
            outcome = Outcome(failure=Failure(said, hint=outcome.failure.hint, final=True))
        return outcome

    def record(self, case: Case) -> _Record:
        made = _Record(
            case,
            plain(self.exercise.right(*case)),
            self.call(case, loud=not self.records),
        )
        self.records.append(made)
        return made


def check_function(
    function: Callable[..., Any] | EllipsisType | None, exercise: FunctionExercise
) -> Result:
    """Return what there is to say about a learner's function.

    Examples
    --------
    >>> doubling = FunctionExercise(
    ...     asks="double",
    ...     parameters=("x",),
    ...     right=lambda x: 2 * x,
    ...     family=lambda x, factor=2.0: factor * x,
    ...     mistakes=(Mistake("half", "This halves. Twice is more.", {"factor": 0.5}),),
    ...     stages=(Stage(lambda rng: [(rng.normal(size=3),)], lambda: [(np.array([1.0]),)]),),
    ... )
    >>> check_function(lambda x: x + x, doubling)
    Correct.
    >>> check_function(lambda x: x / 2, doubling)
    Not yet. This halves. Twice is more.
    <BLANKLINE>
        x         [1]
        expected  [2]
        got       [0.5]
    >>> def double(x): ...
    >>> check_function(double, doubling)
    not started: double returns nothing yet
    """
    asks = exercise.asks
    if function is None or function is ...:
        return Result(NOT_STARTED, f"{asks} is not written yet")
    if not callable(function):
        return Result(
            NOT_YET,
            f"Needed the function {asks} itself, got {shown(function)}. "
            "Hand over its name, without parentheses behind it.",
        )
    run = _Run(function, exercise, time.monotonic() + exercise.seconds)
    rng = np.random.default_rng()
    for stage in exercise.stages:
        if (result := _at(stage, run, rng)) is not None:
            return result
    if exercise.extra:
        left = exercise.extra(function, max(run.until - time.monotonic(), 1.0))
        if left is not None:
            return left
    return Result(CORRECT, exercise.praise)


def _at(stage: Stage, run: _Run, rng: np.random.Generator) -> Result | None:
    """Return what is wrong at one stage, None if nothing is."""
    exercise = run.exercise
    for case in stage.cases(rng):
        made = run.record(case)
        if made.got.nothing and len(run.records) == 1 and guard.is_blank(run.function):
            return Result(NOT_STARTED, f"{exercise.asks} returns nothing yet")
        if made.got.failure and made.got.failure.final:
            return _failed(made.got.failure, made.case, exercise, stage)
    if not all(made.fine for made in run.records):
        return _explained(run, stage)
    warned = next((m.got.warned for m in run.records if m.got.warned), "")
    if exercise.quiet and warned:
        say = f"The numbers are right, but NumPy warns: {warned}. "
        say += "Something is computed on the way that should not be."
        return Result(NOT_YET, _joined(stage.reached, say), mistakes=("warns",))
    return _changed(run)


def _explained(run: _Run, stage: Stage) -> Result:
    """Find the known mistake that yields exactly these answers, or show where they differ."""
    exercise = run.exercise
    # A known mistake needs numbers to be known by.
    known = exercise.mistakes if any(made.got.value is not None for made in run.records) else ()
    for mistakes in _alone_and_in_pairs(known):
        changes = {key: value for m in mistakes for key, value in m.changes.items()}
        if _yields(exercise, changes, run.records):
            hints = list(dict.fromkeys(m.hint for m in mistakes))
            if len(hints) > 1:
                hints = ["Two things at once.", *hints]
            stops = next((r.got.failure for r in run.records if r.got.failure), None)
            if stops and stops.line:
                hints.append(f"Where other sizes stop it: {stops.line}")
            return Result(
                NOT_YET,
                _joined(stage.reached, *hints),
                _smallest(run, stage),
                tuple(dict.fromkeys(m.name for m in mistakes)),
            )
    if changed := _changed(run):
        return changed
    if digits := _rounded_to(run.records):
        say = f"The numbers are right, but rounded to {digits} digits behind the point. Round "
        say += "what is printed, not what is computed with."
        return Result(NOT_YET, _joined(stage.reached, say), mistakes=("rounded",))
    return _differs(run, stage)


def _differs(run: _Run, stage: Stage) -> Result:
    """Show the first answer that differs, where nothing known explains it."""
    exercise = run.exercise
    first = next(made for made in run.records if not made.fine)
    if first.got.failure:
        return _failed(first.got.failure, first.case, exercise, stage)
    if first.got.nothing:
        return Result(
            NOT_YET,
            _joined(
                stage.reached,
                f"{exercise.asks} computes, but what it returns is None. Is a return missing?",
            ),
            mistakes=("no return",),
        )
    assert first.got.value is not None
    if first.got.value.shape != first.right.shape:
        say = f"Needed shape {first.right.shape}"
        say += f", {exercise.needs}; " if exercise.needs else "; "
        say += f"got shape {first.got.value.shape}."
        return Result(
            NOT_YET,
            _joined(stage.reached, say),
            _smallest(run, stage) or _lines(exercise, first.case, first.right, first.got.value),
        )
    if first.right.dtype.kind == "b" != first.got.value.dtype.kind:
        say = f"Needed true and false, got {first.got.value.dtype} numbers."
    elif not np.isfinite(first.got.value.astype(float)).all():
        say = "Some of the numbers are nan or infinite, which no answer should be."
    else:
        say = "The shape is right, the numbers differ."
    return Result(
        NOT_YET,
        _joined(stage.reached, say),
        _smallest(run, stage, difference=True)
        or _lines(exercise, first.case, first.right, first.got.value, difference=True),
    )


def _alone_and_in_pairs(mistakes: Sequence[Mistake]) -> Iterator[tuple[Mistake, ...]]:
    for mistake in mistakes:
        yield (mistake,)
    for one, other in itertools.combinations(mistakes, 2):
        if one.name != other.name and not set(one.changes) & set(other.changes):
            yield one, other


def _yields(
    exercise: FunctionExercise, changes: Mapping[str, Any], records: Sequence[_Record]
) -> bool:
    """Return whether a mistake gives the learner's answer on every case, errors included."""
    seen = False
    for made in records:
        try:
            with np.errstate(all="ignore"):
                wrong = plain(exercise.family(*made.case, **changes))
        except Exception:  # a mistake that cannot be computed for these sizes
            if made.got.failure is None:
                return False
            continue
        if made.got.value is None or not same(made.got.value, wrong):
            return False
        seen = seen or not made.fine
    return seen


def _rounded_to(records: Sequence[_Record]) -> int:
    """Return to how many digits all right answers were rounded, 0 if they were not."""
    if any(made.right.dtype.kind != "f" for made in records):
        return 0
    for digits in (1, 2, 3, 4):
        if all(
            made.got.value is not None and same(made.got.value, np.round(made.right, digits))
            for made in records
        ):
            return digits
    return 0


def _changed(run: _Run) -> Result | None:
    for made in run.records:
        if made.got.changed:
            names = run.exercise.parameters
            which = " and ".join(names[i] for i in made.got.changed)
            return Result(
                NOT_YET,
                f"{run.exercise.asks} changes {which} in place, so whoever calls it finds other "
                "numbers there afterwards. Operators such as += and assignments to x[...] write "
                "into the array that came in; compute new arrays instead.",
                mistakes=("in place",),
            )
    return None


def _failed(failure: Failure, case: Case, exercise: FunctionExercise, stage: Stage) -> Result:
    lines = (failure.line, *_inputs(exercise, case)) if failure.line else ()
    return Result(NOT_YET, _joined(stage.reached, failure.sentence, failure.hint), lines)


def _smallest(run: _Run, stage: Stage, *, difference: bool = False) -> tuple[str, ...]:
    """Return the first tiny case on which the learner's answer is wrong, as lines."""
    for case in itertools.islice(stage.small(), _MOST_SMALL):
        if time.monotonic() > run.until:
            break
        right, got = plain(run.exercise.right(*case)), run.call(case).value
        if got is not None and not same(got, right, tolerance=1e-3):
            return _lines(run.exercise, case, right, got, difference=difference)
    return ()


def _inputs(exercise: FunctionExercise, case: Case) -> list[str]:
    lines = []
    for name, argument in zip(exercise.parameters, case, strict=False):
        text = shown(argument)
        if isinstance(argument, np.ndarray) and argument.size > 9:
            text = f"shape {argument.shape}"
        lines.append(f"{name:9} {text}")
    return lines


def _lines(
    exercise: FunctionExercise,
    case: Case,
    right: Array,
    got: Array,
    *,
    difference: bool = False,
) -> tuple[str, ...]:
    # More digits where three would show two different answers alike.
    digits = next((d for d in (3, 5) if shown(right, digits=d) != shown(got, digits=d)), 8)
    lines = _inputs(exercise, case)
    lines.append(f"expected  {shown(right, digits=digits)}")
    lines.append(f"got       {shown(got, digits=digits)}")
    if difference and right.shape == got.shape and right.dtype.kind != "b":
        size, where = largest_difference(got, right)
        place = f" at {where}" if where else ""
        lines.append(f"the largest difference is {shown(size)}{place}")
    width = max(len(line.split(" ", 1)[0]) for line in lines)
    return tuple(_aligned(line, width) for line in lines)


def _aligned(line: str, width: int) -> str:
    name, _, rest = line.partition(" ")
    return line if line.startswith("the largest") else f"{name:{max(width, 8)}}  {rest.strip()}"


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def primes(rng: np.random.Generator, number: int, *, cases: int) -> list[list[int]]:
    """Return different prime sizes in random order, so that no two axes fit by accident.

    From case to case they move on by one axis: no axis has the same size in two cases (of which
    there may be as many as there are sizes), so no fixed number can be taken for it.

    Examples
    --------
    >>> first, second = primes(np.random.default_rng(), 4, cases=2)
    >>> sorted(first), second == first[1:] + first[:1]
    ([2, 3, 5, 7], True)
    """
    sizes = [int(size) for size in rng.permutation([2, 3, 5, 7, 11, 13][:number])]
    return [sizes[i:] + sizes[:i] for i in range(cases)]
