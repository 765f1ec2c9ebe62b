"""The student edition holds no solution, the answer sheet holds all of them."""

from __future__ import annotations

import copy
import functools
import re
from pathlib import Path
from typing import Any

import pytest
from test_notebooks import _write, good

import classroom
import notebooks

# Reading the chapters, figures and all, takes most of this file's time.
read = functools.cache(notebooks.read)
CHAPTERS = notebooks.chapter_paths()
by_name = pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)


def solution_lines(notebook: dict[str, Any]) -> list[str]:
    """Return every line of every solution, code and words, that is more than a few characters.

    Lines that the chapter shows outside its solutions are left out: the ``def`` of a blank, a line
    of the lesson that a solution repeats.
    """
    lines, elsewhere = [], []
    for cell in notebook["cells"]:
        text = cell["source"]
        if cell["cell_type"] == "markdown":
            for block in classroom.SOLUTION.findall(text):
                lines += [line.strip() for line in block.splitlines()]
            text = classroom.SOLUTION.sub("", text)
        elsewhere.append(text)
    given = "\n".join(elsewhere)
    return [line for line in lines if len(line) > 9 and line not in given]


def solutions_left(original: dict[str, Any], student: dict[str, Any]) -> list[str]:
    """Return the lines of solutions that a student edition still holds."""
    texts = [cell["source"] for cell in student["cells"]]
    texts += [text for cell in student["cells"] for text in notebooks.output_texts(cell)]
    return [line for line in solution_lines(original) if any(line in text for text in texts)]


@pytest.fixture(scope="module")
def student(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("class") / "book"
    chapters, exercises = classroom.write_student_edition(folder, notebooks.BOOK)
    assert chapters == len(CHAPTERS)
    assert exercises >= 4 * chapters
    return folder


@pytest.fixture(scope="module")
def sheet() -> str:
    return classroom.answer_sheet(notebooks.BOOK)


@by_name
def test_the_student_edition_holds_no_solution(path: Path, student: Path) -> None:
    original, handed_out = read(path), read(student / path.name)
    lines = solution_lines(original)
    for exercise in notebooks.exercises(original):
        own = [line for line in lines if line in exercise.prose]
        assert own, f"{exercise.name}: nothing to look for"
    assert solutions_left(original, handed_out) == []
    assert "Solution</summary>" not in (student / path.name).read_text("utf-8")


@by_name
def test_the_student_edition_changes_nothing_else(path: Path, student: Path) -> None:
    original, handed_out = read(path), read(student / path.name)
    assert original["metadata"] == handed_out["metadata"]
    touched = 0
    for before, after in zip(original["cells"], handed_out["cells"], strict=True):
        if before != after:
            touched += 1
            assert {**before, "source": ""} == {**after, "source": ""}
            kept = after["source"].split(classroom.WITHHELD)
            # What is left stands in the original, in this order, and only folds are gone.
            pattern = "(<details>.*?</details>)".join(map(re.escape, kept))
            folds = re.fullmatch(pattern, before["source"], re.DOTALL)
            assert folds
            assert all("<summary>Solution</summary>" in fold for fold in folds.groups())
    assert touched == len(notebooks.exercises(original))


@by_name
def test_links_of_the_student_edition_lead_somewhere(path: Path, student: Path) -> None:
    handed_out = read(student / path.name)
    assert notebooks.check_links(handed_out, student / path.name) == []


def test_what_is_for_instructors_stays_with_them(student: Path) -> None:
    pages = {path.name: path.read_text("utf-8") for path in student.glob("*.md")}
    assert {"index.md", "running.md", "glossary.md"} <= pages.keys()
    for name, text in pages.items():
        assert "teaching.md" not in name + text, name
        # Commands of the whole course, which this folder does not have.
        assert not re.search(r"\bmake (lab|book|test|serve)\b", text), name
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", text):
            assert (student / target).exists(), (name, target)


def test_the_licences_come_along(student: Path) -> None:
    assert {"LICENSE", "LICENSE-TEXT"} <= {path.name for path in student.iterdir()}


@by_name
def test_the_answer_sheet_holds_every_solution(path: Path, sheet: str) -> None:
    original = read(path)
    for line in solution_lines(original):
        assert line in sheet or "](" in line
    for exercise in notebooks.exercises(original):
        assert f"\n### {exercise.name}\n" in sheet
        assert exercise.blanks[0]["source"] in sheet
        assert exercise.solutions[0] in sheet


def test_links_of_the_answer_sheet_lead_somewhere(sheet: str) -> None:
    assert "<details>" not in sheet
    for target in re.findall(r"\]\((?!https?:)([^)#]+)[^)]*\)", sheet):
        assert (classroom.CLASS / target).resolve().exists(), target
    moved = classroom._from_the_sheet("[a](b.md#c) [d](#e) [f](https://g.org/#h)", "01-x.ipynb")
    assert moved == (
        "[a](../../book/b.md#c) [d](../../book/01-x.ipynb#e) [f](https://g.org/#h)"
    )  # fmt: skip


# --- the nets can say no


@pytest.mark.parametrize(
    "left",
    ["answer = 2", "It is **two**."],
)
def test_a_solution_that_is_left_is_found(left: str) -> None:
    original = good()
    student = classroom.without_solutions(original)
    assert solutions_left(original, student) == []
    student["cells"][7]["source"] += f"\n\n{left}"
    assert solutions_left(original, student) == [left]


def test_a_solution_printed_by_a_cell_is_found() -> None:
    original = good()
    student = classroom.without_solutions(original)
    student["cells"][4]["outputs"][0]["text"] = "answer = 2\n"
    assert solutions_left(original, student) == ["answer = 2"]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("It is **two**.", "<details>\n<summary>Why</summary>\n\nSo.\n\n</details>", "fold inside"),
        ("<summary>Solution</summary>", "<summary>Solution 1</summary>", "another form"),
        ("<details>\n<summary>Solution", "<details>\n\n<summary>Solution", "another form"),
    ],
)
def test_a_solution_that_cannot_be_taken_out_stops_it(old: str, new: str, fault: str) -> None:
    notebook = copy.deepcopy(good())
    (cell,) = [cell for cell in notebook["cells"] if cell["id"] == "ex1-solution"]
    assert old in cell["source"]
    cell["source"] = cell["source"].replace(old, new)
    with pytest.raises(classroom.ClassroomError, match=fault):
        classroom.without_solutions(notebook)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("<summary>Solution<", "<summary>Lösung<", "0 python block under"),
        ("## Exercises", "## Übungen", "there is no exercise"),
    ],
)
@pytest.mark.parametrize("what", ["student", "answers"])
def test_solutions_under_another_name_are_not_handed_out(
    tmp_path: Path, old: str, new: str, fault: str, what: str
) -> None:
    notebook = copy.deepcopy(good())
    for part in notebook["cells"]:
        part["source"] = part["source"].replace(old, new)
    assert notebook != good()
    book = _write(tmp_path, notebook).parent
    folder = tmp_path / "handed-out"
    make = {
        "student": lambda: classroom.write_student_edition(folder, book),
        "answers": lambda: classroom.answer_sheet(book),
    }[what]
    with pytest.raises(classroom.ClassroomError, match=rf"01-title\.ipynb: .*{fault}"):
        make()
    assert not folder.exists()


# --- the commands


def test_the_commands_write_where_they_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    book = _write(tmp_path, good()).parent
    monkeypatch.setattr(notebooks, "BOOK", book)
    monkeypatch.setattr(classroom, "ROOT", tmp_path)
    monkeypatch.setattr(classroom, "CLASS", tmp_path / "_build" / "class")
    stale = tmp_path / "_build/class/student/old.ipynb"
    stale.parent.mkdir(parents=True)
    stale.touch()
    assert classroom.main(["student"]) == 0
    said = capsys.readouterr().out
    assert said.endswith("in _build/class/student: 1 chapters, 1 exercises, no solutions.\n")
    assert sorted(p.name for p in stale.parent.iterdir()) == [
        "01-title.ipynb",
        "other.md",
        "running.md",
    ]
    assert classroom.main(["answers"]) == 0
    assert "_build/class/answers.md" in capsys.readouterr().out
    text = (tmp_path / "_build/class/answers.md").read_text("utf-8")
    assert text.endswith(
        "## 1. A title\n\n### One and one\n\n*★ easy · 5 minutes*\n\n"
        "Add them, and put the sum into `answer`.\n\n```python\nanswer = ...\n```\n\n"
        "**Solution**\n\nIt is **two**.\n\n```python\nanswer = 2\n```\n"
    )
