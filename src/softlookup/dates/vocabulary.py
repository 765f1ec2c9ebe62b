"""Characters as whole numbers, there and back."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import shapes
from .formats import characters

__all__ = ["ISO_CHARACTERS", "ISO_LENGTH", "NOTHING", "Vocabulary", "iso", "written"]

NOTHING = 0
"""The number that stands for no character: padding after a text, or the start of an answer."""

ISO_CHARACTERS = "-0123456789"
ISO_LENGTH = 10


@dataclass(frozen=True)
class Vocabulary:
    """A set of characters, numbered from 1; 0 stands for no character.

    Parameters
    ----------
    characters
        Each once.

    Examples
    --------
    >>> letters = Vocabulary("abc")
    >>> letters.encode(["cab", "b"])
    array([[3, 1, 2],
           [2, 0, 0]], dtype=int32)
    >>> letters.decode(letters.encode(["cab", "b"]))
    ['cab', 'b']
    """

    characters: str

    def __post_init__(self) -> None:
        if not self.characters:
            raise ValueError("characters: needed at least one, got none.")
        if len(set(self.characters)) != len(self.characters):
            raise ValueError("characters: needed each of them once.")

    @property
    def size(self) -> int:
        """How many numbers there are, the 0 included."""
        return len(self.characters) + 1

    def encode(self, texts: Sequence[str], length: int | None = None) -> NDArray[np.int32]:
        """Return texts as rows of numbers, filled up with 0 at the end.

        Parameters
        ----------
        texts
            Brought to NFC first, so that a character typed as several parts counts as one.
        length
            How long the rows are; as long as the longest text if not given.

        Returns
        -------
        ndarray of int32, shape (len(texts), length)

        Raises
        ------
        TypeError
            For one text instead of a sequence of them, or anything that is not text.
        ValueError
            For a text that is empty or longer than ``length``, or a character that is not in the
            vocabulary, which is named.

        Examples
        --------
        >>> Vocabulary("é").encode(["e" + chr(0x301)], length=2)
        array([[1, 0]], dtype=int32)
        """
        if isinstance(texts, str):
            raise TypeError("texts: needed a sequence of texts, got one text; put it in a list.")
        number = {character: n for n, character in enumerate(self.characters, start=1)}
        rows = []
        for text in texts:
            if not isinstance(text, str):
                raise TypeError(f"texts: needed text, got {type(text).__name__}.")
            composed = unicodedata.normalize("NFC", text)
            if not composed:
                raise ValueError("texts: needed at least one character in each, got an empty one.")
            for character in composed:
                if character not in number:
                    raise ValueError(
                        f"{text!r}: {_named(character)} is not among the {len(number)} characters "
                        "known here, and what was never seen cannot be read."
                    )
            rows.append([number[character] for character in composed])
        longest = max(map(len, rows), default=0)
        width = longest if length is None else shapes.count("length", length)
        if longest > width:
            text = texts[[len(row) for row in rows].index(longest)]
            raise ValueError(f"{text!r}: needed at most {width} characters, got {longest}.")
        encoded = np.full((len(rows), width), NOTHING, dtype=np.int32)
        for row, numbers in zip(encoded, rows, strict=True):
            row[: len(numbers)] = numbers
        return encoded

    def decode(self, rows: ArrayLike) -> list[str]:
        """Return the texts that rows of numbers stand for; 0 stands for nothing.

        Parameters
        ----------
        rows : array_like of int, shape (n, length)
            As :meth:`encode` returns them.

        Returns
        -------
        list of str

        Raises
        ------
        TypeError, ValueError
            For anything but rows of whole numbers that the vocabulary has.

        Examples
        --------
        >>> Vocabulary("abc").decode([[2, 1, 0]])
        ['ba']
        """
        numbers = shapes.whole_numbers("rows", rows)
        if numbers.ndim != 2:
            raise ValueError(f"rows: needed two axes, (n, length), got shape {numbers.shape}.")
        if numbers.size and not 0 <= numbers.min() <= numbers.max() < self.size:
            raise ValueError(f"rows: needed numbers from 0 to {self.size - 1}.")
        symbols = ["", *self.characters]
        return ["".join(symbols[n] for n in row) for row in numbers]


def written() -> Vocabulary:
    """Return the vocabulary of the dates as people write them.

    Returns
    -------
    Vocabulary

    Examples
    --------
    >>> written().decode(written().encode(["2026년 11월 29일"]))
    ['2026년 11월 29일']
    """
    return Vocabulary(characters())


def iso() -> Vocabulary:
    """Return the vocabulary of the answers: the digits and the hyphen.

    Returns
    -------
    Vocabulary

    Examples
    --------
    >>> iso().encode(["2026-11-29"])
    array([[ 4,  2,  4,  8,  1,  3,  3,  1,  4, 11]], dtype=int32)
    """
    return Vocabulary(ISO_CHARACTERS)


def _named(character: str) -> str:
    name = unicodedata.name(character, "a character without a name")
    return f"{character!r} (U+{ord(character):04X}, {name})"
