"""Where a reader of dates looked: each character that it wrote, and its weights over the date."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
import traitlets
from numpy.typing import ArrayLike

from .. import shapes
from .explorer import Explorer, made_with, matrix, names_for
from .html import fixed, invitation, place, radio, select, status, tag

__all__ = ["Alignment"]

#: A blank is seen as this.
SPACE = "\N{OPEN BOX}"


class Alignment(Explorer):
    r"""Choose a character that was written, and see where its weights lie in what was read.

    .. math:: A_{ij} = \frac{e^{q_i \cdot k_j / \sqrt{d_k}}}{\sum_l e^{q_i \cdot k_l / \sqrt{d_k}}}

    with a query :math:`q_i` for each character written and a key :math:`k_j` for each one read.

    Parameters
    ----------
    texts
        What was read, for each date.
    answers
        What was written, for each date; all equally long.
    weights
        For each date an array_like of shape (len(answer), len(text)), from 0 to 1. Two decimals are
        kept, so that what a page stores does not hang on the last digits of a machine.
    truths
        What should have been written; the answers themselves if not given.
    names
        What each date is called where it is chosen; its text if not given.
    languages
        The code of each date's language, such as "ko": it decides how a character is drawn and
        spoken. None, if not given.
    date, character
        The date and the written character to start with, counted from 0.

    Attributes
    ----------
    date : int
        The date that is looked at; setting it looks at another.
    character : int
        The written character that is followed; setting it follows another.

    Raises
    ------
    TypeError, ValueError
        For weights that are not numbers from 0 to 1, lengths that do not fit, or a date or
        character that is not there.

    Examples
    --------
    >>> explorer = Alignment(["1 May"], ["05-01"], [np.full((5, 5), 0.2)], truths=["05-01"])
    >>> explorer.character = 4
    >>> print(explorer.sentence().split(", ")[2])
    the largest weights are 0.20 on “1” (character 1) and 0.20 on a space (character 2).
    """

    MODULE = "alignment"
    STATE = ("date", "character", "texts", "answers", "truths", "weights", "languages")

    date = traitlets.Int(0).tag(sync=True)
    character = traitlets.Int(0).tag(sync=True)
    texts = traitlets.List(traitlets.Unicode()).tag(sync=True)
    answers = traitlets.List(traitlets.Unicode()).tag(sync=True)
    truths = traitlets.List(traitlets.Unicode()).tag(sync=True)
    weights = traitlets.List(traitlets.List(traitlets.List(traitlets.Float()))).tag(sync=True)
    languages = traitlets.List(traitlets.Unicode()).tag(sync=True)

    def __init__(
        self,
        texts: Sequence[str],
        answers: Sequence[str],
        weights: Sequence[ArrayLike],
        *,
        truths: Sequence[str] | None = None,
        names: Sequence[str] | None = None,
        languages: Sequence[str] | None = None,
        date: int = 0,
        character: int = 0,
    ) -> None:
        if isinstance(texts, str) or not texts or not all(texts):
            raise ValueError(f"texts: needed at least one text, and none empty, got {texts!r}.")
        answers = names_for("answers", answers, len(texts))
        if len({len(x) for x in answers}) != 1 or not answers[0]:
            raise ValueError(f"answers: needed equally many characters in each, got {answers}.")
        if len(weights) != len(texts):
            raise ValueError(f"weights: needed {len(texts)} arrays, got {len(weights)}.")
        self._names = names_for("names", texts if names is None else names, len(texts))
        super().__init__(
            date=date,
            character=character,
            texts=list(texts),
            answers=answers,
            truths=names_for("truths", answers if truths is None else truths, len(texts)),
            weights=[
                _rounded(looked, len(answer), len(text))
                for looked, answer, text in zip(weights, answers, texts, strict=True)
            ],
            languages=names_for("languages", languages or [""] * len(texts), len(texts)),
        )

    @traitlets.validate("texts", "answers", "truths", "weights", "languages")
    def _check_data(self, proposal: dict[str, Any]) -> Any:
        return made_with(proposal)

    @traitlets.validate("date")
    def _check_date(self, proposal: dict[str, Any]) -> int:
        return _index("date", proposal["value"], len(self.texts))

    @traitlets.validate("character")
    def _check_character(self, proposal: dict[str, Any]) -> int:
        return _index("character", proposal["value"], len(self.answers[0]))

    def sentence(self) -> str:
        """Return in words where the chosen character's largest weights lie."""
        text, answer = self.texts[self.date], self.answers[self.date]
        weights = self.weights[self.date][self.character]
        # Of equal weights the first; so does JavaScript.
        largest = sorted(range(len(text)), key=lambda j: -weights[j])[:2]
        where = " and ".join(
            f"{fixed(weights[j], 2)} on {_quoted(text[j])} (character {j + 1})" for j in largest
        )
        verb = "weights are" if len(largest) > 1 else "weight is"
        return (
            f"For {_quoted(answer[self.character])}, character {self.character + 1} of {answer}, "
            f"the largest {verb} {where}."
        )

    def frame(self) -> str:
        """Return what was read with its weights, what was written, and the choice of a date."""
        hint = (
            "Point at a character that was written, or walk along them with the arrow keys: the "
            "bars show where it looked. Then choose the same day in another language."
        )
        dates = select("date", "Date", self._names, self.date)
        return tag(
            "form",
            invitation(hint)
            + dates
            + tag("p", "reads", class_="caption", aria_hidden="true")
            + self._read()
            + tag("p", "writes", class_="caption", aria_hidden="true")
            + self._written()
            + tag("p", self._verdict(), data_part="verdict")
            + status(self.sentence()),
            data_part="form",
            class_="alignment",
        )

    def _read(self) -> str:
        text, weights = self.texts[self.date], self.weights[self.date][self.character]
        best = weights.index(max(weights))
        cells = ""
        for j in range(max(map(len, self.texts))):
            there = j < len(text)
            sign = _sign(text[j]) if there else ""
            heard = fixed(weights[j], 2) if there else ""
            cells += tag(
                "li",
                tag("span", escape(sign), data_part="sign")
                + tag("span", heard, data_part="weight"),
                data_part="read",
                style=f"--share: {place(weights[j] if there else 0, 4)};",
                class_=_look(weights[j], best=j == best) if there else "none",
            )
        return tag(
            "ol",
            cells,
            data_part="line",
            lang=self.languages[self.date],
            aria_label="What was read, with the weight of each character",
        )

    def _written(self) -> str:
        knobs = "".join(
            radio(
                "character",
                str(i),
                sign,
                chosen=i == self.character,
                spoken=f"{sign}, character {i + 1}",
            )
            for i, sign in enumerate(self.answers[self.date])
        )
        return tag("div", knobs, class_="written", role="radiogroup", aria_label="What was written")

    def _verdict(self) -> str:
        truth = self.truths[self.date]
        if self.answers[self.date] == truth:
            return "\N{CHECK MARK} right"
        return f"\N{MULTIPLICATION SIGN} wrong: it should be {escape(truth)}"


def _rounded(weights: ArrayLike, rows: int, columns: int) -> list[list[float]]:
    array = np.asarray(matrix("weights", weights, needs="(len(answer), len(text))"))
    if array.shape != (rows, columns) or array.min() < 0 or array.max() > 1:
        raise ValueError(
            f"weights: needed numbers from 0 to 1 in the shape ({rows}, {columns}), one row per "
            f"character written and one column per character read, got shape {array.shape} with "
            f"numbers from {array.min():g} to {array.max():g}."
        )
    rounded: list[list[float]] = array.round(2).tolist()
    return rounded


def _index(name: str, given: Any, length: int) -> int:
    index = shapes.count(name, given, least=0)
    if index >= length:
        raise ValueError(f"{name}: needed a number from 0 to {length - 1}, got {index}.")
    return index


def _look(weight: float, *, best: bool) -> str:
    return "best" if best else "some" if weight >= 0.1 else "little"


def _sign(character: str) -> str:
    return SPACE if character == " " else character


def _quoted(character: str) -> str:
    return "a space" if character == " " else f"“{character}”"
