"""Questions to test yourself with: choose, and see why.

>>> from softlookup import questions
>>> len(questions.show("formula"))
7

In a notebook and on the site the choices are folded: open one to see whether it is right, and why.
There is one module per chapter. What is right, and every number, is computed by this package when
a question is made; wrong numbers come from the mistake that leads to them. Importing this package
loads NumPy alone.
"""

from . import (
    batches,
    column_three,
    cost,
    formula,
    lookup,
    self_attention,
    similarity,
    transformer,
)
from .quiz import Choice, Question, Quiz, lettered

__all__ = ["CHAPTERS", "Choice", "Question", "Quiz", "show", "why"]

_CHAPTERS = {
    "lookup": lookup,
    "similarity": similarity,
    "column_three": column_three,
    "formula": formula,
    "batches": batches,
    "self_attention": self_attention,
    "transformer": transformer,
    "cost": cost,
}
#: The names that :func:`show` knows, in the order of the chapters.
CHAPTERS: tuple[str, ...] = tuple(_CHAPTERS)


def show(chapter: str) -> Quiz:
    """Return the questions of a chapter, which show themselves.

    Parameters
    ----------
    chapter
        One of ``CHAPTERS``.

    Returns
    -------
    Quiz
        Its questions, made afresh.

    Raises
    ------
    ValueError
        For another name.

    Examples
    --------
    >>> [len(show(chapter)) for chapter in CHAPTERS]
    [7, 7, 7, 7, 7, 8, 7, 7]
    """
    if chapter not in _CHAPTERS:
        raise ValueError(f"chapter: needed one of {', '.join(CHAPTERS)}; got {chapter!r}.")
    return Quiz(chapter, tuple(make() for make in _CHAPTERS[chapter].QUESTIONS))


def why(chapter: str, question: int, letter: str) -> Choice:
    """Return a choice with its why, for a terminal in which nothing unfolds.

    Parameters
    ----------
    chapter
        One of ``CHAPTERS``.
    question
        Its number, counting from 1.
    letter
        The letter of the choice.

    Returns
    -------
    Choice
        It says whether it is right, and why.

    Raises
    ------
    ValueError
        For a question or a letter that is not there.

    Examples
    --------
    >>> why("batches", 1, "C")
    0.33
    No. That is softmax down the columns: every *dish* would share itself out over three guests.
    """
    asked = show(chapter).questions
    if not 1 <= question <= len(asked):
        raise ValueError(f"question: needed 1 to {len(asked)}, got {question!r}.")
    choices = dict(lettered(asked[question - 1].choices))
    if letter not in choices:
        raise ValueError(f"letter: needed one of {', '.join(choices)}; got {letter!r}.")
    return choices[letter]
