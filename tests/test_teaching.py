"""What the page for instructors says of chapters, questions, exercises and links holds."""

from __future__ import annotations

import re
import urllib.parse
from pathlib import Path

import pytest

import notebooks
from softlookup import attention_weights, questions

PAGE = notebooks.BOOK / "teaching.md"
TEXT = PAGE.read_text("utf-8")
CHAPTERS = notebooks.chapter_paths()
by_name = pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)


def minutes_of(path: Path) -> tuple[int, int]:
    """Return the minutes of reading and of exercises that a chapter itself states."""
    cells = notebooks.section_cells(notebooks.read(path), notebooks.FIRST_PART)
    opening = " ".join(cell["source"] for cell in cells)
    found = re.search(r"about (\d+) minutes to read, (\d+) more for the exercises", opening)
    assert found, path.name
    return int(found[1]), int(found[2])


def section_of(path: Path) -> str:
    """Return what the page says of a chapter."""
    (found,) = re.findall(rf"^### {int(path.name[:2])}\. .*?(?=^##)", TEXT, re.S | re.M)
    return found


@by_name
def test_the_minutes_are_the_chapters_own(path: Path) -> None:
    reading, working = minutes_of(path)
    said = f"takes {reading} minutes to read and {working} for the exercises"
    assert said in " ".join(section_of(path).split())
    index = (notebooks.BOOK / "index.md").read_text("utf-8")
    (listed,) = re.findall(rf"\({path.name}\)\..*?\*(\d+) minutes\.\*", index, re.DOTALL)
    assert int(listed) == reading


@by_name
def test_a_chapter_builds_on_the_same_chapters_here_and_there(path: Path) -> None:
    opening = " ".join(
        cell["source"]
        for cell in notebooks.section_cells(notebooks.read(path), notebooks.FIRST_PART)
    )
    own = {int(n) for n in re.findall(r"\[chapter (\d)\]", opening.split("**Builds on:**")[1])}
    said = re.search(r"builds on (.*?)\.", " ".join(section_of(path).split()))
    assert said, path.name
    here = {int(n) for n in re.findall(r"\b(\d)\b", said[1])}
    if ends := re.search(r"(\d) to (\d)", said[1]):
        here |= set(range(int(ends[1]), int(ends[2]) + 1))
    assert here == own


def test_the_sums_are_right() -> None:
    minutes = [minutes_of(path) for path in CHAPTERS]
    exercises = sum(len(notebooks.exercises(notebooks.read(path))) for path in CHAPTERS)
    reading, working = (sum(column) for column in zip(*minutes, strict=True))
    assert f"{reading} minutes of reading and {working} of exercises" in " ".join(TEXT.split())
    assert f"**Exercises**, {exercises} in all" in TEXT


@by_name
def test_every_misconception_is_caught_by_a_question_or_check_that_exists(path: Path) -> None:
    section = section_of(path)
    _, _, *rows = [line for line in section.splitlines() if line.startswith("|")]
    asked = questions.show(path.stem[3:].replace("-", "_")).questions
    exercises = notebooks.exercises(notebooks.read(path))
    assert len(rows) >= 4
    for row in rows:
        caught = re.findall(r"\[(question|exercise) (\d)\]\(([\w-]+\.ipynb)([^)]*)\)", row)
        assert caught, row
        for kind, number, file, anchor in caught:
            assert file == path.name
            if kind == "question":
                assert 1 <= int(number) <= len(asked), row
                assert anchor == f"#{notebooks.slug(notebooks.QUESTIONS)}"
            else:
                assert anchor == f"#{notebooks.slug(exercises[int(number) - 1].name)}"


def test_every_link_leads_somewhere() -> None:
    page = {"cells": [{"cell_type": "markdown", "id": "page", "metadata": {}, "source": TEXT}]}
    assert notebooks.check_links(page, PAGE) == []


def test_every_exercise_is_listed() -> None:
    told = re.findall(r"^\| \[(\d\.\d [^]]+)\]\((\S+)\) \| (★+) \| (\d+) \|$", TEXT, re.MULTILINE)
    own = [
        (f"{int(path.name[:2])}.{exercise.name[9:].replace(':', '', 1)}", *marks)
        for path in CHAPTERS
        for exercise in notebooks.exercises(notebooks.read(path))
        for marks in re.findall(r"^\*(★+) \w+ · (\d+) minutes\*$", exercise.prose, re.MULTILINE)
    ]
    assert [(name, stars, minutes) for name, _, stars, minutes in told] == own
    assert f"{len(own)} exercises;" in TEXT
    assert sum(int(minutes) for *_, minutes in own) == sum(minutes_of(p)[1] for p in CHAPTERS)


def test_a_session_of_90_minutes_has_90() -> None:
    plans = (
        TEXT.split("## Two sessions of 90 minutes")[1].split("\n## ")[0].split("| minutes |")[1:]
    )
    assert [sum(map(int, re.findall(r"^\| (\d+) \|", p, re.MULTILINE))) for p in plans] == [90, 90]


@pytest.mark.parametrize(
    ("chapter", "quoted"),
    [
        (chapter, quoted)
        for words in re.split(r"[|;]|\.\s|, and of", TEXT.split("## Two sessions of 90 minutes")[1])
        for chapter in re.findall(r"chapter\s(\d)\b", words)[:1]
        for quoted in re.findall(r"\"([^\"]+)\"", words)
    ],
)
def test_the_plans_quote_headings_that_exist(chapter: str, quoted: str) -> None:
    (path,) = [path for path in CHAPTERS if int(path.name[:2]) == int(chapter)]
    titles = [text for _, text, _ in notebooks.sections(notebooks.read(path))]
    assert " ".join(quoted.split()) in titles


def test_the_plans_quote_some() -> None:
    (mark,) = test_the_plans_quote_headings_that_exist.pytestmark  # type: ignore[attr-defined]
    assert len(mark.args[1]) > 8


def test_the_pulling_link_is_well_made() -> None:
    (link,) = re.findall(r"^https://HUB/\S+$", TEXT, re.MULTILINE)
    parts = urllib.parse.urlsplit(link)
    asked = urllib.parse.parse_qs(parts.query, strict_parsing=True)
    assert parts.path == "/hub/user-redirect/git-pull"
    assert asked == {
        "repo": ["https://github.com/YOU/attention-class"],
        "branch": ["main"],
        "urlpath": ["lab/tree/attention-class/01-lookup.ipynb"],
    }
    assert asked["repo"][0] in TEXT.split("git remote add origin ")[1]
    assert CHAPTERS[0].name in asked["urlpath"][0]


def test_the_grading_example_runs() -> None:
    (block,) = re.findall(r"^```python\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)

    def my_attention(query, key, value):
        return attention_weights(query, key) @ value

    names = {"my_attention": my_attention}
    exec(block, names)
    assert names["result"].correct is True


def test_the_commands_exist() -> None:
    makefile = (notebooks.ROOT / "Makefile").read_text("utf-8")
    told = set(re.findall(r"^make (\w+)", TEXT, re.MULTILINE))
    assert told == {"student", "answers"}
    for target in told:
        assert re.search(rf"^{target}: ##", makefile, re.MULTILINE)
