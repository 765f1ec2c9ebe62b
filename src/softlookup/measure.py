"""Time, memory, and how they grow: what chapter 8 measures on the machine it runs on.

Seconds differ between machines and between runs, so they come as one reading per round, to be
shown as a range. Memory counted by allocation hardly differs at all.
"""

from __future__ import annotations

import json
import math
import time
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Slope",
    "allocated_mebibytes",
    "random_inputs",
    "resident_mebibytes",
    "seconds",
    "slope",
    "stored",
]

MEBIBYTE = 2**20
Functions = Mapping[str, Callable[..., object]]
Inputs = Mapping[int, Sequence[Any]]


class Slope(NamedTuple):
    """The power of n with which something grows, and the range it may as well lie in."""

    middle: float
    low: float
    high: float

    def __str__(self) -> str:
        """Return the range in words.

        >>> print(Slope(1.98, 1.91, 2.04))
        1.98 (1.91 to 2.04)
        """
        return f"{self.middle:.2f} ({self.low:.2f} to {self.high:.2f})"


def random_inputs(
    sizes: Sequence[int], d: int = 64, *, seed: int = 0
) -> dict[int, list[NDArray[np.float32]]]:
    """Return queries, keys and values for each size n, three arrays of shape (n, d), float32.

    Parameters
    ----------
    sizes
        How many queries and keys, each n in turn.
    d
        The number of columns.
    seed
        Decides the standard normal entries.

    Returns
    -------
    dict of int to list of ndarray

    Examples
    --------
    >>> [array.shape for array in random_inputs([5], d=3)[5]]
    [(5, 3), (5, 3), (5, 3)]
    """
    numbers = np.random.default_rng(seed)
    return {n: list(numbers.standard_normal((3, n, d), dtype=np.float32)) for n in sizes}


def seconds(
    functions: Functions,
    inputs: Inputs,
    *,
    rounds: int = 5,
    idle: float = 0.05,
    least: float = 0.005,
) -> dict[str, NDArray[np.float64]]:
    """Time functions on inputs of several sizes, taking turns.

    Before each reading the process rests: the threads of one library spin for a while after its
    work is done, and would slow down the next. Taking turns shares out whatever else the machine
    is doing. Each function is called once beforehand, unmeasured.

    Parameters
    ----------
    functions
        What to time, by name; called as ``function(*inputs[n])``.
    inputs
        For each size n, the arguments.
    rounds
        How many readings of each.
    idle
        Seconds of rest before each.
    least
        A reading is the mean over as many calls as take about this many seconds, one at least.

    Returns
    -------
    dict of str to ndarray, shape (rounds, sizes)
        Seconds for one call. ``np.median(..., axis=0)`` is the typical reading at each size.

    Examples
    --------
    >>> readings = seconds({"sum": np.sum}, {10: [np.ones(10)]}, rounds=3, idle=0, least=0)
    >>> readings["sum"].shape
    (3, 1)
    """
    calls: dict[tuple[str, int], int] = {}
    for name, function in functions.items():
        for n, arguments in inputs.items():
            function(*arguments)
            calls[name, n] = max(1, math.ceil(least / _seconds(function, arguments, 1)))
    readings = {name: np.empty((rounds, len(inputs))) for name in functions}
    names = list(functions)
    for turn in range(rounds):
        for column, (n, arguments) in enumerate(inputs.items()):
            for name in names:
                time.sleep(idle)
                readings[name][turn, column] = _seconds(functions[name], arguments, calls[name, n])
        names = [*names[1:], names[0]]  # nobody always follows the same other
    return readings


def allocated_mebibytes(functions: Functions, inputs: Inputs) -> dict[str, NDArray[np.float64]]:
    """Count the memory each function holds at its peak, what it returns included.

    What NumPy and Python allocate is counted, byte by byte. So the numbers do not depend on what
    else a machine does; those of a function with threads depend on how many it starts. What other
    libraries allocate is not seen: for these there is :func:`resident_mebibytes`.

    Parameters
    ----------
    functions, inputs
        As in :func:`seconds`.

    Returns
    -------
    dict of str to ndarray, shape (sizes,)
        Mebibytes beyond the inputs.

    Examples
    --------
    >>> peaks = allocated_mebibytes({"ones": np.ones}, {1: [2**17], 4: [2**19]})
    >>> peaks["ones"].round(2)
    array([1., 4.])
    """

    def peak(function: Callable[..., object], arguments: Sequence[Any]) -> float:
        running = tracemalloc.is_tracing()
        if not running:
            tracemalloc.start()
        try:
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            function(*arguments)
            return tracemalloc.get_traced_memory()[1] - before
        finally:
            if not running:
                tracemalloc.stop()

    return _each(peak, functions, inputs)


def resident_mebibytes(
    functions: Functions, inputs: Inputs, *, warm_up: bool = True
) -> dict[str, NDArray[np.float64]]:
    """Ask the operating system how much memory the process grew by while each function ran.

    It sees every library, but only what was not at hand already: the numbers differ between runs,
    and are too small where freed memory is used again. Only Linux can be asked; elsewhere the
    answer is NaN throughout.

    Parameters
    ----------
    functions, inputs
        As in :func:`seconds`.
    warm_up
        Call each function once beforehand, at the first size, so that what a library keeps from
        its first call on is not counted.

    Returns
    -------
    dict of str to ndarray, shape (sizes,)
        Mebibytes beyond what the process held before the call.

    Examples
    --------
    >>> peaks = resident_mebibytes({"ones": np.ones}, {1: [2**23]})["ones"]
    >>> bool(np.isnan(peaks).all() or 32 < peaks[0] < 96)
    True
    """

    def peak(function: Callable[..., object], arguments: Sequence[Any]) -> float:
        try:
            # Five: forget the peak so far.
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
            before = _status("VmRSS")
            function(*arguments)
            return _status("VmHWM") - before
        except OSError:
            return math.nan

    return _each(peak, functions, inputs, warm_up)


def slope(sizes: ArrayLike, readings: ArrayLike, *, draws: int = 1000) -> Slope:
    r"""Return the power :math:`p` for which the readings grow as :math:`n^p`.

    It is the slope of the straight line that fits best (least squares) where both axes are
    logarithmic: :math:`\log r \approx p \log n + \text{constant}`.

    Parameters
    ----------
    sizes : array_like, shape (sizes,)
        The sizes :math:`n`, two at least.
    readings : array_like, shape (rounds, sizes) or (sizes,)
        The readings :math:`r`, above 0. Of several rounds the medians are fitted.
    draws
        The range is where 90 % of the slopes lie if as many rounds are drawn again, with
        repetition, so many times (the bootstrap). For one round it is the slope itself.

    Returns
    -------
    Slope

    Raises
    ------
    ValueError
        For readings or sizes that are not above 0, or fewer than two sizes.

    Examples
    --------
    >>> print(slope([10, 100, 1000], [3, 300, 30000]))
    2.00 (2.00 to 2.00)
    """
    n = np.asarray(sizes, dtype=float)
    rounds = np.atleast_2d(np.asarray(readings, dtype=float))
    if n.ndim != 1 or n.size < 2 or rounds.shape[1:] != n.shape:
        raise ValueError(
            "sizes and readings: needed two sizes at least and one reading of each per round, "
            f"got shapes {n.shape} and {np.shape(readings)}."
        )
    if not ((n > 0).all() and (rounds > 0).all()):
        raise ValueError("sizes and readings: needed numbers above 0.")
    centred = np.log(n) - np.log(n).mean()

    def fit(r: NDArray[np.float64]) -> NDArray[np.float64]:
        powers: NDArray[np.float64] = np.log(r) @ centred / (centred @ centred)
        return powers

    chosen = np.random.default_rng(0).integers(len(rounds), size=(draws, len(rounds)))
    again = fit(np.median(rounds[chosen], axis=1))
    low, high = np.quantile(again, [0.05, 0.95])
    return Slope(float(fit(np.median(rounds, axis=0))), float(low), float(high))


def stored() -> dict[str, Any]:
    """Return the readings behind chapter 8's picture, with the machine they were taken on.

    Returns
    -------
    dict
        ``sizes``; ``seconds``, by name of function, shape (rounds, sizes); ``guests``, seconds of
        the loop and of the product, shape (rounds,); ``memory_sizes`` and ``mebibytes``, by name;
        ``allocated_sizes`` and ``allocated``, by name; ``machine``, ``versions`` and ``columns``
        in words and numbers. ``benchmarks/cost_readings.py`` takes them.

    Examples
    --------
    >>> sorted(stored()["seconds"])
    ['Keras', 'plain', 'streaming']
    """
    text = (files("softlookup") / "readings" / "cost.json").read_text(encoding="utf-8")
    record: dict[str, Any] = json.loads(text)
    return record


def _seconds(function: Callable[..., object], arguments: Sequence[Any], calls: int) -> float:
    """Return the mean time of some calls in a row."""
    start = time.perf_counter()
    for _ in range(calls):
        function(*arguments)
    return (time.perf_counter() - start) / calls


def _each(
    peak: Callable[[Callable[..., object], Sequence[Any]], float],
    functions: Functions,
    inputs: Inputs,
    warm_up: bool = True,
) -> dict[str, NDArray[np.float64]]:
    """Return the peaks of each function at each size, in mebibytes."""
    peaks = {}
    for name, function in functions.items():
        if warm_up:
            function(*next(iter(inputs.values())))
        peaks[name] = np.array([peak(function, some) / MEBIBYTE for some in inputs.values()])
    return peaks


def _status(field: str) -> int:
    """Return a field of this process's status, in bytes."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    raise OSError(f"{field}: not in this system's status")
