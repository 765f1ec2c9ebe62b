"""Calling a learner's code: with a time limit, with copies, and with its own line in the message.

What can be stopped and what cannot: in the main thread a signal interrupts Python code, loops and
sleeping; in other threads (and where there are no such signals, as on Windows) an exception is
put into the thread, which takes effect at its next step of Python. A single long call into
compiled code, such as ``sum(itertools.count())`` or a huge product, runs to its end first, and a
loop around a bare ``except:`` goes on: then only the notebook's own stop or restart helps.
"""

from __future__ import annotations

import contextlib
import copy
import ctypes
import inspect
import io
import linecache
import re
import signal
import sys
import threading
import time
import traceback
import types
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .compare import Refused, plain

__all__ = ["Failure", "OutOfTime", "Outcome", "call", "is_blank", "time_limit"]

_MOST_PRINTED = 2_000


class OutOfTime(BaseException):
    """The time is up. Not an ``Exception``, so that a learner's own ``except`` lets it pass."""


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise :class:`OutOfTime` in the body if it takes longer.

    Examples
    --------
    >>> try:
    ...     with time_limit(0.05):
    ...         while True:
    ...             pass
    ... except OutOfTime:
    ...     print("stopped")
    stopped
    """
    main = threading.current_thread() is threading.main_thread()
    with _by_signal(seconds) if main and hasattr(signal, "setitimer") else _by_thread(seconds):
        yield


@contextlib.contextmanager
def _by_signal(seconds: float) -> Iterator[None]:
    running = True

    def ring(number: int, frame: types.FrameType | None) -> None:
        if running:
            raise OutOfTime

    before = signal.signal(signal.SIGALRM, ring)
    started = time.monotonic()
    # Again every second, should a bare `except:` have swallowed the first.
    left, again = signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-3), 1.0)
    try:
        yield
    finally:
        running = False
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
        if left:  # someone else's alarm goes on
            rest = max(left - (time.monotonic() - started), 1e-3)
            signal.setitimer(signal.ITIMER_REAL, rest, again)


@contextlib.contextmanager
def _by_thread(seconds: float) -> Iterator[None]:
    own = ctypes.c_ulong(threading.get_ident())
    lock = threading.Lock()
    running = True

    def ring() -> None:
        with lock:
            if running:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(own, ctypes.py_object(OutOfTime))

    timer = threading.Timer(seconds, ring)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        with lock:
            running = False
            ctypes.pythonapi.PyThreadState_SetAsyncExc(own, None)  # one on its way is called back
        timer.cancel()


@dataclass(frozen=True)
class Failure:
    """Why there is no answer: a sentence, the learner's own line, and a hint if there is one."""

    sentence: str
    line: str = ""
    hint: str = ""
    final: bool = False
    """Whether to stop at once: out of time, or an attempt to leave Python."""


@dataclass(frozen=True)
class Outcome:
    """What a call of the learner's function came to."""

    value: NDArray[Any] | None = None
    """The answer as a plain array, None if there is none."""
    failure: Failure | None = None
    nothing: bool = False
    """Whether None was returned."""
    changed: tuple[int, ...] = ()
    """Which arguments were changed in place, counting from 0."""
    warned: str = ""
    """The first warning, if there was one."""


class _Kept(io.StringIO):
    """Keeps the beginning of what is printed."""

    def write(self, text: str) -> int:
        room = _MOST_PRINTED - self.tell()
        if room > 0:
            super().write(text[:room])
        return len(text)


def call(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    *,
    names: Sequence[str] = (),
    seconds: float = 5.0,
    loud: bool = False,
) -> Outcome:
    """Call a learner's function with copies of the arguments and return what it came to.

    Parameters
    ----------
    function
        Anything callable.
    arguments
        Arrays, numbers, or objects with arrays in them; each is copied.
    names
        What the exercise calls the arguments, for messages.
    seconds
        The time limit.
    loud
        Whether what the function prints is shown (its first two thousand characters).

    Returns
    -------
    Outcome

    Examples
    --------
    >>> call(lambda x: x + 1, [np.array([1.0])]).value
    array([2.])
    >>> call(lambda x: x.sort(), [np.array([2.0, 1.0])]).changed
    (0,)
    >>> call(lambda x: 1 / 0, [2.0]).failure.sentence
    'ZeroDivisionError: division by zero.'
    """
    given = [_copied(argument) for argument in arguments]
    printed = _Kept()
    answer: Any = None
    value: NDArray[Any] | None = None
    failure: Failure | None = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with (
                contextlib.redirect_stdout(printed),
                contextlib.redirect_stderr(_Kept()),
                np.errstate(all="warn", under="ignore"),
                time_limit(seconds),
            ):
                answer = function(*given)
                if answer is not None:
                    value = plain(answer)  # reading an answer may run a learner's code as well
        except OutOfTime:
            failure = Failure(
                f"Stopped after {seconds:.0f} seconds." if seconds >= 1 else "Stopped: too slow.",
                hint="Is there a loop that never ends, or a function that waits for something?",
                final=True,
            )
        except Refused as refused:
            failure = Failure(f"Not an answer that can be compared: {refused}")
        except SystemExit:
            failure = Failure("The function tries to leave Python (exit).", final=True)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            failure = _explained(error, function, arguments, names)
    if loud and printed.tell():
        sys.stdout.write(printed.getvalue())
    changed = tuple(
        number
        for number, (before, after) in enumerate(zip(arguments, given, strict=True))
        if not _unchanged(before, after)
    )
    spoken = [str(w.message) for w in caught if issubclass(w.category, (RuntimeWarning,))]
    return Outcome(
        value=value,
        failure=failure,
        nothing=answer is None and failure is None,
        changed=changed,
        warned=spoken[0] if spoken else "",
    )


def is_blank(function: Callable[..., Any]) -> bool:
    """Return whether a function's body does nothing at all: ``...``, ``pass``, a docstring.

    Examples
    --------
    >>> def blank(query, key):
    ...     '''Not written yet.'''
    ...     ...
    >>> def forgot(query, key):
    ...     scores = query + key
    >>> is_blank(blank), is_blank(forgot)
    (True, False)
    """
    code = getattr(inspect.unwrap(function), "__code__", None)
    if not isinstance(code, types.CodeType):
        return False
    parameters = code.co_argcount + code.co_kwonlyargcount
    parameters += bool(code.co_flags & inspect.CO_VARARGS)
    parameters += bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return not code.co_names and len(code.co_varnames) == parameters and _only_none(code)


def _only_none(code: types.CodeType) -> bool:
    simple = (str, type(None), type(...))
    # More than the dozen bytes of "return None" would be some computing with the parameters.
    return len(code.co_code) <= 12 and all(isinstance(c, simple) for c in code.co_consts)


def _copied(argument: Any) -> Any:
    return argument.copy() if isinstance(argument, np.ndarray) else copy.deepcopy(argument)


def _unchanged(before: Any, after: Any) -> bool:
    if isinstance(before, np.ndarray):
        return bool(before.shape == after.shape and before.tobytes() == after.tobytes())
    if isinstance(before, (list, tuple)):
        return bool(list(before) == list(after))
    return True


# ------------------------------------------------------------------ what an exception is told


def _explained(
    error: BaseException,
    function: Callable[..., Any],
    arguments: Sequence[Any],
    names: Sequence[str],
) -> Failure:
    text = str(error).strip().splitlines()
    said = f"{type(error).__name__}: {text[0][:200]}" if text else type(error).__name__
    line = _own_line(error, function)
    return Failure(
        sentence=said if said.endswith((".", "!", "?")) else said + ".",
        line=line,
        # Without a line of its own the function could not even be called.
        hint=_hint(error) if line else _call_hint(error, arguments, names),
    )


def _own_line(error: BaseException, function: Callable[..., Any]) -> str:
    """Return the deepest line of the learner's own code that the exception went through."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None:
        code = getattr(getattr(function, "__call__", None), "__code__", None)  # noqa: B004
    line = ""
    for frame, number in traceback.walk_tb(error.__traceback__):
        if code is not None and frame.f_code.co_filename == code.co_filename:
            text = linecache.getline(code.co_filename, number).strip()
            line = f"line {number}: {text}" if text else ""
    return line


# For each kind of exception: its type, a pattern of its message, and what helps.
_HINTS: tuple[tuple[type[BaseException], str, str], ...] = (
    (
        ValueError,
        r"matmul|not aligned|inner dimension|einstein sum|einsum",
        "A product of two tables needs as many columns on the left as rows on the right. "
        "Print both .shape just before this line: does each key stand in a column?",
    ),
    (
        ValueError,
        r"broadcast",
        "Shapes are matched from their last axis; sizes must be equal, or 1, which is repeated. "
        "Did a sum or a maximum lose its axis? keepdims=True keeps it, with size 1.",
    ),
    (
        ValueError,
        r"truth value",
        "An if, and, or, min or max got a whole array where it can use one true or false. "
        "NumPy's own functions work entry by entry.",
    ),
    (ValueError, r"reshape", "The new shape must hold exactly as many numbers as the old one."),
    (
        TypeError,
        r"positional argument|unexpected keyword|required keyword|missing \d+ required",
        "What this line calls takes other arguments. help(...) with its name inside lists them.",
    ),
    (
        TypeError,
        r"NoneType",
        "Something that this line uses is None. Did a function that you wrote forget to return?",
    ),
    (
        TypeError,
        r"only (length-1|0-dim|size-1|scalar)|can only convert an array of size 1",
        "Functions of the module math take one number. NumPy's take whole arrays.",
    ),
    (TypeError, r"not callable", "Parentheses call what stands before them; a list needs [ ]."),
    (
        TypeError,
        r"unsupported operand",
        "A list is not a row of numbers yet. np.asarray makes one of it.",
    ),
    (
        AttributeError,
        r"'(list|tuple|float|int)' object",
        "This has no such attribute because it is no array. np.asarray makes one of it.",
    ),
    (AttributeError, r"", "Check the spelling, and what kind of thing stands before the dot."),
    (
        UnboundLocalError,
        r"",
        "The name gets its value inside the function, but later than it is used.",
    ),
    (
        NameError,
        r"",
        "Is the name spelt as where it was given? A restart forgets it: run the cells above again.",
    ),
    (
        IndexError,
        r"",
        "Python counts from 0, so the last index is one less than the size. Print the .shape.",
    ),
    (
        AssertionError,
        r"",
        "An assert of your own does not hold for these inputs. Their sizes differ on purpose.",
    ),
    (NotImplementedError, r"", "Your answer goes where the raise stands."),
    (ZeroDivisionError, r"", "Print what you divide by."),
    (
        OverflowError,
        r"",
        "The exponential of a large number is too large for the computer. "
        "Softmax needs differences only.",
    ),
    (RecursionError, r"", "The function calls itself and never stops doing so."),
    (MemoryError, r"", "Somewhere an array becomes far larger than the inputs."),
    (ImportError, r"", "Only what this course uses is sure to be installed."),
)


def _hint(error: BaseException) -> str:
    message = str(error)
    fitting = (
        hint
        for kind, pattern, hint in _HINTS
        if isinstance(error, kind) and re.search(pattern, message)
    )
    return next(fitting, "")


def _call_hint(error: BaseException, arguments: Sequence[Any], names: Sequence[str]) -> str:
    if not (isinstance(error, TypeError) and "argument" in str(error)):
        return _hint(error)
    number = len(arguments)
    count = f"{number} argument" + ("s" if number != 1 else "")
    given = f"It is called with {count}: {', '.join(names[:number])}." if names else ""
    return f"{given} Keep the parameters as the exercise gives them.".strip()
