"""Let a reader read: one character after the other, and show where it looked."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .keras_model import Reader, predict
from .vocabulary import ISO_LENGTH, NOTHING, iso, written

__all__ = ["Alignment", "align", "best", "translate", "translate_all"]

# Shorter texts are filled up to this, so that Keras prepares itself for one length only; the
# mask makes sure that it changes no answer.
_USUAL_LENGTH = 30


@dataclass(frozen=True)
class Alignment:
    """Where a reader looked while it wrote.

    Parameters
    ----------
    text
        The date as written, in NFC.
    answer
        What the reader made of it.
    weights : ndarray, shape (10, len(text))
        One row for each character of the answer, summing to 1.
    """

    text: str
    answer: str
    weights: NDArray[np.float32]


def best(scores: NDArray[np.float32]) -> NDArray[np.int32]:
    """Return the number of the best character by its scores; "nothing" is never an answer.

    >>> best(np.array([[9.0, 1.0, 2.0]]))
    array([2], dtype=int32)
    """
    return np.asarray(scores[..., NOTHING + 1 :].argmax(axis=-1) + NOTHING + 1, dtype=np.int32)


def translate(reader: Reader, text: str) -> str:
    """Return what a reader makes of a date that someone wrote.

    Parameters
    ----------
    reader
        From :func:`build` and trained, or :func:`stored`.
    text
        The date, in any format whose characters the reader knows. Blanks around it are ignored.

    Returns
    -------
    str
        Ten characters, hopefully an ISO date: nothing but practice keeps the reader from
        writing ``2026-13-41``.

    Raises
    ------
    TypeError
        For anything but one text.
    ValueError
        For an empty text, or a character that the reader has never seen, which is named.

    Examples
    --------
    >>> from softlookup.dates import stored
    >>> translate(stored(), "29. Nov. 2026")
    '2026-11-29'
    """
    if not isinstance(text, str):
        raise TypeError(f"text: needed one text, got {type(text).__name__}.")
    return translate_all(reader, [text])[0]


def translate_all(reader: Reader, texts: Sequence[str]) -> list[str]:
    """Return what a reader makes of several dates, each read greedily.

    At each of ten steps the likeliest character is taken and stands before the next.

    Parameters
    ----------
    reader
        As in :func:`translate`.
    texts
        The dates.

    Returns
    -------
    list of str

    Raises
    ------
    TypeError, ValueError
        As :func:`translate`.

    Examples
    --------
    >>> from softlookup.dates import stored
    >>> translate_all(stored(), ["2026/11/29", "2026. 2. 1."])
    ['2026-11-29', '2026-02-01']
    """
    source = _encoded(texts)
    before = np.full((len(source), ISO_LENGTH), NOTHING, dtype=np.int32)
    answer = before.copy()
    for step in range(ISO_LENGTH if len(source) else 0):
        # What stands in the later places is still 0; a decoder that reads from left to right
        # has not come to them yet.
        answer[:, step] = best(predict(reader.model, source, before)[:, step])
        if step + 1 < ISO_LENGTH:
            before[:, step + 1] = answer[:, step]
    return iso().decode(answer)


def align(reader: Reader, text: str) -> Alignment:
    """Return where a reader with attention looks while it reads a date.

    Parameters
    ----------
    reader
        With attention.
    text
        The date.

    Returns
    -------
    Alignment

    Raises
    ------
    TypeError, ValueError
        As :func:`translate`, and for a reader without attention.

    Examples
    --------
    >>> from softlookup.dates import stored
    >>> seen = align(stored(), "2026/11/29")
    >>> seen.answer, seen.weights.shape
    ('2026-11-29', (10, 10))
    """
    if not reader.attention:
        raise ValueError("reader: needed one with attention; this one looks at a summary only.")
    answer = translate(reader, text)
    source = _encoded([text])
    before = np.roll(iso().encode([answer]), 1, axis=1)
    before[:, 0] = NOTHING
    weights = predict(reader.inside, source, before)["weights"][0]
    plain = unicodedata.normalize("NFC", text.strip())
    return Alignment(plain, answer, weights[:, : len(plain)])


def _encoded(texts: Sequence[str]) -> NDArray[np.int32]:
    if isinstance(texts, str):
        raise TypeError("texts: needed a sequence of texts, got one text; use translate.")
    plain = [text.strip() if isinstance(text, str) else text for text in texts]
    encoded = written().encode(plain)
    width = max(_USUAL_LENGTH, encoded.shape[1])
    return np.pad(encoded, ((0, 0), (0, width - encoded.shape[1])), constant_values=NOTHING)
