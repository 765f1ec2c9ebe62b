"""What a question is, and how a quiz shows itself: folded choices, each with its why."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Choice", "Question", "Quiz", "choice", "number"]

# What may stand in a choice, which browsers read as HTML and never as Markdown.
_TAG = re.compile(r"</?(?:sub|sup)>")
_NOT_PLAIN = re.compile(r"[<>&`*_$|]")


@dataclass(frozen=True)
class Choice:
    """One answer to choose: what it says, whether it is right, and why or why not.

    Parameters
    ----------
    text
        A few words without Markdown; ``<sub>`` and ``<sup>`` are allowed.
    right
        Whether it is the right one, best computed where the question is made.
    why
        One or two sentences, in Markdown, that are true of this choice.
    value
        The number behind the text, if it is one; numbers are put in order by it.

    Raises
    ------
    ValueError
        For a text that Markdown or HTML would read as more than words, and for an empty text or
        why.
    """

    text: str
    right: bool
    why: str
    value: float | None = None

    def __post_init__(self) -> None:
        if not self.text.strip() or not self.why.strip():
            raise ValueError(f"A choice needs a text and a why, got {self.text!r}, {self.why!r}.")
        if found := _NOT_PLAIN.search(_TAG.sub("", self.text)):
            raise ValueError(f"{self.text!r}: a choice is plain words, and {found[0]!r} is not.")

    def __repr__(self) -> str:
        """Return the choice and its why, for a terminal."""
        return f"{plain(self.text)}\n{self._verdict} {self.why}"

    def _repr_markdown_(self) -> str:
        return f"{self.text}\n\n**{self._verdict}** {self.why}"

    @property
    def _verdict(self) -> str:
        return "Yes." if self.right else "No."


def choice(text: str | tuple[int, ...], right: object, why: str) -> Choice:
    """Return a choice of words, or of a shape such as ``(3, 2)``.

    Examples
    --------
    >>> choice((3, 2), True, "One row per query, as wide as a value.")
    (3, 2)
    Yes. One row per query, as wide as a value.
    """
    return Choice(str(text), bool(right), why)


def number(value: float, right: object, why: str, *, digits: int = 2, unit: str = "") -> Choice:
    """Return a choice of a number, rounded for show.

    Examples
    --------
    >>> number(1 / 3, False, "That is an equal share.", unit="coins").text
    '0.33 coins'
    """
    shown = f"{round(float(value), digits) + 0.0:,.{digits}f}".replace("-", "\N{MINUS SIGN}")
    return Choice(f"{shown} {unit}".strip(), bool(right), why, float(value))


@dataclass(frozen=True)
class Question:
    """A question and its choices, in an order that gives nothing away: numeric or alphabetical.

    Parameters
    ----------
    asks
        The question, in Markdown.
    choices
        Three to five, exactly one of them right, no two alike.

    Raises
    ------
    ValueError
        For choices that are too few or too many, read alike, or are not right exactly once.

    Examples
    --------
    >>> question = Question(
    ...     "What is 2 + 2?",
    ...     (
    ...         number(4, True, "Two and two.", digits=0),
    ...         number(22, False, "Numbers are added, not put side by side.", digits=0),
    ...         number(0, False, "That is two less two.", digits=0),
    ...     ),
    ... )
    >>> [choice.text for choice in question.choices]
    ['0', '4', '22']
    """

    asks: str
    choices: tuple[Choice, ...]

    def __post_init__(self) -> None:
        if not 3 <= len(self.choices) <= 5:
            raise ValueError(f"{self.asks!r}: needed 3 to 5 choices, got {len(self.choices)}.")
        texts = [plain(choice.text).casefold() for choice in self.choices]
        if len({*texts}) < len(texts):
            raise ValueError(f"{self.asks!r}: two choices read alike: {sorted(texts)}.")
        right = [choice.text for choice in self.choices if choice.right]
        if len(right) != 1:
            raise ValueError(f"{self.asks!r}: needed one right choice, got {right}.")
        object.__setattr__(self, "choices", tuple(sorted(self.choices, key=_place)))

    @property
    def answer(self) -> str:
        """The letter of the right choice."""
        return next(letter for letter, choice in lettered(self.choices) if choice.right)


def _place(choice: Choice) -> tuple[bool, float, str]:
    value = choice.value
    return (value is None, 0.0 if value is None else value, plain(choice.text).casefold())


@dataclass(frozen=True)
class Quiz:
    """The questions of one chapter, which a notebook and the site show with folded answers.

    Each choice is a native ``<details>``: a click, or Enter on it, says whether it is right and
    why. That needs no JavaScript, and works wherever Markdown is shown.
    """

    name: str
    questions: tuple[Question, ...]

    def __len__(self) -> int:
        return len(self.questions)

    def _repr_markdown_(self) -> str:
        return "\n\n".join(
            f"**Question {n}.** {question.asks}\n\n" + "\n\n".join(_folded(question.choices))
            for n, question in enumerate(self.questions, start=1)
        )

    def __repr__(self) -> str:
        """Return the questions and choices; :func:`softlookup.questions.why` has the answers."""
        blocks = [
            "\n".join(
                [
                    f"{n}. {question.asks}",
                    *(
                        f"   {letter}. {plain(choice.text)}"
                        for letter, choice in lettered(question.choices)
                    ),
                ]
            )
            for n, question in enumerate(self.questions, start=1)
        ]
        return "\n\n".join([*blocks, f'questions.why("{self.name}", 1, "A") says why.'])


def lettered(choices: Iterable[Choice]) -> list[tuple[str, Choice]]:
    """Return each choice with its letter, A for the first."""
    return [(chr(ord("A") + place), choice) for place, choice in enumerate(choices)]


def _folded(choices: Iterable[Choice]) -> list[str]:
    return [
        f"<details>\n<summary>{letter}. {choice.text}</summary>\n\n"
        f"**{choice._verdict}** {choice.why}\n\n</details>"
        for letter, choice in lettered(choices)
    ]


def plain(text: str) -> str:
    """Return the text of a choice for a terminal: ``d<sub>k</sub>`` becomes ``d_k``."""
    return _TAG.sub("", text.replace("<sub>", "_").replace("<sup>", "^"))
