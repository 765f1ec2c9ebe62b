"""The self-check questions: one right choice each, found by computing, and a true why for all."""

from __future__ import annotations

import ast
import inspect
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_import import third_party_loaded_by
from test_term_order import glossary, used_too_early

import notebooks
from softlookup import menu, questions
from softlookup.questions import quiz
from softlookup.questions.quiz import Choice, Question, choice, number

FOLDER = Path(inspect.getfile(questions)).parent
by_chapter = pytest.mark.parametrize("chapter", questions.CHAPTERS)

# Worked out by hand, or argued in the chapter: what the computed answers must come to.
RIGHT = {
    "lookup": [
        "The columns spicy and soupy",
        "Its slope is 0 nearly everywhere",
        "They stay as they are",
        "8.8",  # (12 + 8 + 10 + 9 + 5) / 5
        "5",
        "A blend of the dishes' tastes",
        "That of the best dish",
    ],
    "similarity": [
        "1",
        "dot product 0.8, cosine 0.8",
        "(2, 2)",
        "The same dish is best, with a larger weight",
        "Towards the craving",
        "9",  # (0.6 / 0.2) squared
        "0.24",  # 1 / (2.718 + 1 + 0.368)
    ],
    "column_three": [
        "(0.5, 1.0)",
        "They nearly cancel",
        "57 %",  # Wilson: 5 / (5 + 1.96 squared)
        "At no column more often than at another",
        "The picture shows something other than what was learned",
        "The size of W alone does not tell which column is used",
        "A cue in each row says which drawer holds the answer",
    ],
    "formula": [
        "10",
        "0.88",  # 1 / (1 + e^-2)
        "0.001",  # 0.999 times 0.001
        "0.73",  # 1 / (1 + e^-1)
        "(0.50, 0.50, 0.00)",
        "9.28",  # chapter 4 prints it
        "None of them",
    ],
    "batches": [
        "0.20",
        "Row 2 alone",
        "(3, 2)",
        "(7, 3, 5)",
        "Most weights go to the value of another dish",
        "4",
        "Softmax over the wrong axis",
    ],
    "self_attention": [
        "A row can no longer hand over what it is not found by",
        "It is symmetric",
        "The same rows, in reverse order",
        "Neither",
        "10",
        "Its own value",
        "4",
        "80",  # 2 (4 * 2 + 4 * 2 + 4 * 3 + 3 * 4)
    ],
    "transformer": [
        "Query: a row of what is written; keys and values: what is read",
        "3",
        "A reader that had learned its days by heart would pass",
        "On this task, a lookup lets it learn sooner",
        "Of all rows, the one at that place has the largest share in the decoder's blend",
        "Self-attention",
        "(\N{MINUS SIGN}1.00, 1.00)",
    ],
    "cost": [
        "256 MiB",
        "Memory, but no multiplications",
        "0.14",  # e^-2
        "It is the same, up to rounding",
        "7",  # (4 + 3 * 8) / 4
        "1,001",
        "Let each row see its nearest neighbours only",
    ],
}


def _right(question: Question) -> Choice:
    (found,) = [choice for choice in question.choices if choice.right]
    return found


def _as_output(chapter: str) -> dict[str, Any]:
    """Return a notebook whose one cell shows the questions, as Jupyter stores it."""
    shown = questions.show(chapter)
    data = {"text/markdown": shown._repr_markdown_(), "text/plain": repr(shown)}
    output = {"output_type": "display_data", "data": data, "metadata": {}}
    cell = {"cell_type": "code", "id": "questions", "metadata": {}, "source": ""}
    return {"cells": [{**cell, "outputs": [output]}]}


# --- the questions


def test_there_is_a_quiz_for_every_chapter():
    stems = [path.stem[3:].replace("-", "_") for path in notebooks.chapter_paths()]
    assert list(questions.CHAPTERS) == stems == list(RIGHT)


@by_chapter
def test_the_computed_answers_are_those_worked_out_by_hand(chapter):
    found = questions.show(chapter).questions
    assert 5 <= len(found) <= 8
    assert [_right(question).text for question in found] == RIGHT[chapter]


@by_chapter
def test_every_choice_has_a_why_of_its_own_of_one_or_two_sentences(chapter):
    for question in questions.show(chapter).questions:
        whys = [choice.why for choice in question.choices]
        assert len({*whys}) == len(whys), question.asks
        for why in whys:
            ends = re.findall(r"[.?!](?=\*?(?:\s|$))", re.sub(r"\$[^$]*\$", "x", why))
            assert 1 <= len(ends) <= 2, why
            assert why.rstrip("*").endswith("."), why


@by_chapter
def test_no_question_uses_a_term_of_a_later_chapter(chapter):
    place = questions.CHAPTERS.index(chapter) + 1
    assert used_too_early(_as_output(chapter), place, glossary()) == []


@by_chapter
@pytest.mark.parametrize("check", [notebooks.check_renders_alike, notebooks.check_plain_markdown])
def test_the_questions_render_alike_in_every_home(chapter, check):
    assert check(_as_output(chapter), notebooks.BOOK / "01-lookup.ipynb") == []


@by_chapter
def test_the_same_questions_come_every_time(chapter):
    assert questions.show(chapter) == questions.show(chapter)


def test_neither_place_nor_length_gives_the_answer_away():
    asked = [q for chapter in questions.CHAPTERS for q in questions.show(chapter).questions]
    for size in (3, 4):
        places = Counter(q.answer for q in asked if len(q.choices) == size)
        total = sum(places.values())
        assert total > 20
        for letter in "ABCD"[:size]:
            assert 0.1 < places[letter] / total < 0.5, (size, places)
    for extreme in (min, max):
        told = [
            q for q in asked
            if [len(c.text) for c in q.choices].count(extreme(len(c.text) for c in q.choices)) == 1
            and _right(q).text == extreme((c.text for c in q.choices), key=len)
        ]  # fmt: skip
        assert len(told) < len(asked) / 3


def test_no_right_number_is_typed():
    found = 0
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "number":
                value, right = node.args[:2]
                if path.name != "quiz.py" and not (
                    isinstance(right, ast.Constant) and right.value is False
                ):
                    computed = not isinstance(value, ast.Constant)
                    assert computed or not isinstance(right, ast.Constant), ast.unparse(node)
                    found += 1
    assert found > 50


def test_the_answers_follow_the_menu(monkeypatch):
    dearer = tuple((*row[:-2], 2 * row[-2], row[-1]) for row in menu._TABLE)
    monkeypatch.setattr(menu, "_TABLE", dearer)
    texts = [_right(question).text for question in questions.show("lookup").questions]
    assert texts[3] == "17.6"
    assert [text for i, text in enumerate(texts) if i != 3] == [
        text for i, text in enumerate(RIGHT["lookup"]) if i != 3
    ]


def test_a_question_whose_answer_changed_is_refused(monkeypatch):
    """If attention no longer did what a question says, its chapter's tests would stop here."""
    monkeypatch.setattr(questions.batches, "softmax", lambda x, axis=-1: np.full(x.shape, 0.5))
    with pytest.raises(ValueError, match="read alike"):
        questions.show("batches")


# --- how they show themselves


def test_every_choice_is_folded_and_says_yes_or_no():
    shown = questions.show("formula")
    text = shown._repr_markdown_()
    choices = [choice for question in shown.questions for choice in question.choices]
    assert text.count("<details>\n<summary>") == text.count("</details>") == len(choices)
    assert text.count("\n\n**Yes.** ") == len(shown)
    assert text.count("\n\n**No.** ") == len(choices) - len(shown)
    assert "open" not in re.findall(r"<details[^>]*>", text)
    before_any_choice = text.split("<details>")[0]
    assert before_any_choice.startswith("**Question 1.** ")


def test_a_terminal_shows_questions_and_no_answers():
    text = repr(questions.show("lookup"))
    assert "   B. The column price\n" in text
    assert "Yes." not in text
    assert "<" not in text
    assert repr(questions.why("lookup", 1, "B")).startswith("The column price\nNo. That is the")


def test_tags_become_plain_in_a_terminal():
    assert quiz.plain("\N{SQUARE ROOT}d<sub>k</sub> x<sup>2</sup>") == "\N{SQUARE ROOT}d_k x^2"


def test_words_come_in_alphabetical_and_numbers_in_numerical_order():
    def order(*choices: Choice) -> list[str]:
        return [choice.text for choice in Question("?", choices).choices]

    whole = {"why": "It is.", "digits": 0}
    assert order(
        number(10, True, **whole), number(9, False, **whole), number(-1, False, **whole)
    ) == ["\N{MINUS SIGN}1", "9", "10"]
    assert order(
        choice("b", True, "Yes."), choice("C", False, "No."), choice("a", False, "No.")
    ) == ["a", "b", "C"]
    assert order(
        choice("nan", False, "No."), number(2, True, **whole), number(1, False, **whole)
    ) == ["1", "2", "nan"]


def test_numbers_are_shown_rounded_with_a_real_minus_and_thousands():
    shown = [number(x, False, "No.", digits=1).text for x in (-0.04, -0.06, 12345.67)]
    assert shown == ["0.0", "\N{MINUS SIGN}0.1", "12,345.7"]


@pytest.mark.parametrize(
    ("choices", "fault"),
    [
        ([("a", True), ("b", False)], "3 to 5"),
        ([(letter, letter == "a") for letter in "abcdef"], "3 to 5"),
        ([("a", False), ("b", False), ("c", False)], "one right"),
        ([("a", True), ("b", True), ("c", False)], "one right"),
        ([("a", True), ("A", False), ("c", False)], "read alike"),
    ],
)
def test_a_faulty_question_is_refused(choices, fault):
    with pytest.raises(ValueError, match=fault):
        Question("?", tuple(choice(text, right, "So it is.") for text, right in choices))


@pytest.mark.parametrize("text", ["", "a *b*", "x_1", "$x$", "`x`", "<b>x</b>", "a & b", "a | b"])
def test_a_choice_that_is_not_plain_words_is_refused(text):
    with pytest.raises(ValueError, match=r"plain words|needs a text"):
        choice(text, True, "So it is.")


def test_a_choice_without_a_why_is_refused():
    with pytest.raises(ValueError, match="a why"):
        choice("a", True, " ")


@pytest.mark.parametrize(
    ("call", "fault"),
    [
        (lambda: questions.show("chapter 4"), "one of lookup, similarity"),
        (lambda: questions.why("formula", 0, "A"), "question: needed 1 to 7"),
        (lambda: questions.why("formula", 1, "D"), "letter: needed one of A, B, C"),
    ],
)
def test_what_is_not_there_is_refused(call, fault):
    with pytest.raises(ValueError, match=fault):
        call()


def test_importing_the_questions_loads_numpy_alone():
    assert third_party_loaded_by("softlookup.questions") == {"numpy", "softlookup"}
