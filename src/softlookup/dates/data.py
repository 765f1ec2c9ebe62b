"""Pairs of a written date and its ISO form, drawn with a seed, split by calendar day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import date

import numpy as np
from numpy.typing import NDArray

from .. import shapes
from .formats import FORMATS, LANGUAGES, days, write
from .vocabulary import NOTHING, iso, written

__all__ = ["Dates", "draw", "split"]


@dataclass(frozen=True)
class Dates:
    """Written dates, one entry per date in each column.

    Parameters
    ----------
    text
        As people write it.
    iso
        What it means, such as ``"2026-11-29"``.
    language
        One of `LANGUAGES`.
    form
        Locale and form, such as ``"ko_KR full"``.
    """

    text: tuple[str, ...]
    iso: tuple[str, ...]
    language: tuple[str, ...]
    form: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.text)

    def __getitem__(self, part: slice) -> Dates:
        """Return a part of the dates: ``dates[:5]`` has the first five."""
        return Dates(*(getattr(self, f.name)[part] for f in fields(self)))

    def arrays(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        """Return what a model that is taught with the right answers reads and should say.

        Returns
        -------
        source : ndarray of int32, shape (n, longest)
            The written dates, filled up with 0.
        before : ndarray of int32, shape (n, 10)
            The answers moved one place to the right, a 0 in front: at each step, the character
            that stands before the one to be said (*teacher forcing*).
        target : ndarray of int32, shape (n, 10)
            The answers.

        Examples
        --------
        >>> train, _ = draw(train=3, held_out=1)
        >>> source, before, target = train.arrays()
        >>> before[:, 0].tolist(), bool((before[:, 1:] == target[:, :-1]).all())
        ([0, 0, 0], True)
        """
        target = iso().encode(self.iso)
        before = np.roll(target, 1, axis=1)
        before[:, 0] = NOTHING
        return written().encode(self.text), before, target


def split(seed: int = 0, *, share: float = 0.1) -> tuple[list[date], list[date]]:
    """Return the calendar days to learn from, and those held out, each day on one side only.

    A date held out has not been seen in *any* language or format.

    Parameters
    ----------
    seed
        Decides which days are held out.
    share
        How many are held out, between 0 and 1.

    Returns
    -------
    train, held_out : list of datetime.date
        In the order in which they are to be drawn.

    Raises
    ------
    TypeError, ValueError
        For a seed that is not a whole number from 0, or a share that is not between 0 and 1.

    Examples
    --------
    >>> train, held_out = split()
    >>> len(train), len(held_out), set(train) & set(held_out)
    (32873, 3652, set())
    """
    rng = np.random.default_rng(shapes.count("seed", seed, least=0))
    if not 0 < shapes.finite_number("share", share) < 1:
        raise ValueError(f"share: needed a number between 0 and 1, got {share}.")
    every = days()
    shuffled = [every[i] for i in rng.permutation(len(every))]
    cut = round(share * len(every))
    return shuffled[cut:], shuffled[:cut]


def draw(
    *,
    train: int = 20_000,
    held_out: int = 2_000,
    seed: int = 0,
    languages: Sequence[str] = LANGUAGES,
) -> tuple[Dates, Dates]:
    """Return dates to learn from and dates held out, on different calendar days.

    Each row is another day until the days run out; the languages take turns, and each row's
    format is drawn from its language's.

    Parameters
    ----------
    train, held_out
        How many rows.
    seed
        Decides the split and the order; with the numbers of rows, the formats too.
    languages
        Some of `LANGUAGES`.

    Returns
    -------
    train, held_out : Dates

    Raises
    ------
    ImportError
        If Babel is not installed, with the command that installs it.
    TypeError, ValueError
        For numbers of rows below 1, more held-out rows than held-out days, a bad seed, or an
        unknown language.

    Examples
    --------
    >>> train, held_out = draw(train=100, held_out=10)
    >>> held_out.language[:5]
    ('English', 'Korean', 'German', 'French', 'Japanese')
    >>> set(train.iso) & set(held_out.iso)
    set()
    """
    unknown = [language for language in languages if language not in FORMATS]
    if unknown or not languages:
        raise ValueError(
            f"languages: needed some of {', '.join(LANGUAGES)}, got {list(languages)}."
        )
    learn, hold = split(seed)
    if shapes.count("held_out", held_out) > len(hold):
        raise ValueError(f"held_out: needed at most {len(hold)}, one per day, got {held_out}.")
    rng = np.random.default_rng([seed, 1])
    return (
        _rows(learn, shapes.count("train", train), languages, rng),
        _rows(hold, held_out, languages, rng),
    )


def _rows(
    order: list[date], rows: int, languages: Sequence[str], rng: np.random.Generator
) -> Dates:
    shares = rng.random(rows)  # which of its language's formats each row takes
    columns = []
    for row, share in enumerate(shares):
        day, language = order[row % len(order)], languages[row % len(languages)]
        forms = FORMATS[language]
        locale, form = forms[int(share * len(forms))]
        columns.append((write(day, locale, form), day.isoformat(), language, f"{locale} {form}"))
    return Dates(*zip(*columns, strict=True))
