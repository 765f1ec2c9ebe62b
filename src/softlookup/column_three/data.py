"""The data of the experiment: noise, and one column that gives the answer away."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .randomness import generator, seed_list

__all__ = ["COLUMNS", "Data", "Task", "draw", "float_type", "whole"]

COLUMNS = 5
"""How many columns a row has."""


class Data(NamedTuple):
    """Rows and their labels; the leading axis is the seed."""

    x: NDArray[Any]
    """Shape (seeds, rows, 5)."""
    y: NDArray[Any]
    """Shape (seeds, rows): 0 or 1."""


@dataclass(frozen=True)
class Task:
    """Where the label is written, and what else is written over the noise.

    Every column starts as a standard normal and every label as a fair coin. Then the columns
    named here are overwritten.

    Parameters
    ----------
    label_column
        The column that carries the label; None means that no column does, and then nothing can
        be learnt.
    coding
        ``"01"`` writes the label itself, 0 or 1 (mean ½). ``"pm1"`` writes -1 for label 0 and 1
        for label 1 (mean 0, as in the noise columns).
    coin_column
        A column filled with a second coin, in the same coding, that has nothing to do with the
        label: it looks like the label's column and tells nothing.

    Raises
    ------
    TypeError
        For a column that is not a whole number.
    ValueError
        For a column that does not exist, one column asked to hold both, or an unknown coding.

    Examples
    --------
    As published, the label is in column 3:

    >>> Task()
    Task(label_column=3, coding='01', coin_column=None)

    The control that the published experiment lacked, a column 3 of zeros and ones that is not
    the label; and the same with the label in column 1:

    >>> Task(label_column=None, coin_column=3)
    Task(label_column=None, coding='01', coin_column=3)
    >>> Task(label_column=1, coin_column=3)
    Task(label_column=1, coding='01', coin_column=3)
    """

    label_column: int | None = 3
    coding: Literal["01", "pm1"] = "01"
    coin_column: int | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be drawn."""
        for name in ("label_column", "coin_column"):
            column = getattr(self, name)
            if column is None:
                continue
            if not isinstance(column, int) or isinstance(column, bool):
                raise TypeError(f"{name}: needed a whole number or None, got {column!r}.")
            if not 0 <= column < COLUMNS:
                raise ValueError(
                    f"{name}: needed a column from 0 to {COLUMNS - 1}, or None, got {column}."
                )
        if self.coding not in ("01", "pm1"):
            raise ValueError(f'coding: needed "01" or "pm1", got {self.coding!r}.')
        if self.label_column is not None and self.label_column == self.coin_column:
            raise ValueError(
                f"coin_column: column {self.coin_column} already carries the label; "
                "name another, or set label_column=None."
            )

    def draw(
        self, rng: np.random.Generator, rows: int = 1_000
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Draw one data set.

        Parameters
        ----------
        rng
            Where the numbers come from.
        rows
            How many rows.

        Returns
        -------
        x : ndarray, shape (rows, 5)
            The rows.
        y : ndarray, shape (rows,)
            Their labels, 0 or 1.

        Raises
        ------
        TypeError, ValueError
            If ``rows`` is not a whole number above 0.

        Examples
        --------
        >>> x, y = Task().draw(np.random.default_rng(0), rows=4)
        >>> x.shape, bool((x[:, 3] == y).all())
        ((4, 5), True)
        """
        rows = whole("rows", rows)
        x = rng.standard_normal((rows, COLUMNS))
        y = rng.integers(0, 2, rows).astype(np.float64)
        # Drawn whether it is used or not, so that tasks differ in nothing but what they write.
        coin = rng.integers(0, 2, rows).astype(np.float64)
        for column, bit in ((self.label_column, y), (self.coin_column, coin)):
            if column is not None:
                x[:, column] = bit if self.coding == "01" else 2 * bit - 1
        return x, y


def draw(
    seeds: int | Iterable[int],
    task: Task | None = None,
    *,
    rows: int = 1_000,
    purpose: str = "data",
    dtype: DTypeLike = np.float32,
) -> Data:
    """Draw one data set for each seed.

    Parameters
    ----------
    seeds
        One seed, or several.
    task
        What is written where; None is the published task.
    rows
        Rows in each data set.
    purpose
        ``"data"`` is what `train` trains on; any other word, such as ``"fresh"``, gives other
        rows of the same kind.
    dtype
        float32 or float64.

    Returns
    -------
    Data
        ``x`` of shape (seeds, rows, 5) and ``y`` of shape (seeds, rows).

    Raises
    ------
    TypeError, ValueError
        For seeds, rows or a type that cannot be used, with what was needed.

    Examples
    --------
    >>> x, y = draw(range(3), rows=10)
    >>> x.shape, y.shape, str(x.dtype)
    ((3, 10, 5), (3, 10), 'float32')
    """
    seeds = seed_list(seeds)
    task = Task() if task is None else task
    if not isinstance(task, Task):
        raise TypeError(f"task: needed a Task, got {type(task).__name__}.")
    rows = whole("rows", rows)
    dtype = float_type(dtype)
    x = np.empty((len(seeds), rows, COLUMNS), dtype)
    y = np.empty((len(seeds), rows), dtype)
    for i, seed in enumerate(seeds):
        x[i], y[i] = task.draw(generator(seed, purpose), rows)
    return Data(x, y)


def whole(name: str, number: object, *, least: int = 1) -> int:
    """Return a whole number from ``least`` up, or say why it is none.

    Examples
    --------
    >>> whole("rows", 0)
    Traceback (most recent call last):
    ...
    ValueError: rows: needed a whole number from 1 up, got 0.
    """
    if not isinstance(number, Integral) or isinstance(number, bool):
        raise TypeError(f"{name}: needed a whole number, got {number!r}.")
    if number < least:
        raise ValueError(f"{name}: needed a whole number from {least} up, got {number}.")
    return int(number)


def float_type(dtype: DTypeLike) -> np.dtype[Any]:
    """Return float32 or float64 as a NumPy type, or say that nothing else is supported.

    Examples
    --------
    >>> float_type("float64")
    dtype('float64')
    """
    kind: np.dtype[Any] | str = "not a type"
    # np.dtype(None) is float64: a default nobody asked for.
    with contextlib.suppress(TypeError):
        kind = np.dtype(dtype) if dtype is not None else kind
    if not isinstance(kind, np.dtype) or kind not in (np.float32, np.float64):
        raise ValueError(f"dtype: needed float32 or float64, got {dtype!r}.")
    return kind
