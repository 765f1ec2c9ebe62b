"""What the tests of the checks share: every function exercise, and the chapters' solutions."""

import ast
import functools
from pathlib import Path
from typing import Any

import numpy as np

import notebooks
import softlookup
from softlookup import checks, column_three, menu, transformer
from softlookup.checks.exercise import FunctionExercise

BOOK = Path(__file__).parent.parent / "book"
SUBJECTS = [name for name in checks.__all__ if name != "Result"]

EXERCISES: dict[str, FunctionExercise] = {
    f"{subject}.{thing.asks}": thing
    for subject in SUBJECTS
    for thing in list(vars(getattr(checks, subject)).values())
    if isinstance(thing, FunctionExercise)
}

# The cells whose names a chapter's solutions and checks use.
NEEDED = {
    "01-lookup": ("the-menu", "one-statement"),
    "05-batches": ("cravings",),
    "06-self-attention": ("views",),
}
# What stands in for cells that draw or train.
GIVEN: dict[str, Any] = {
    "05-batches": lambda names: {"A": softlookup.attention_weights(names["Q"], names["K"])},
    "06-self-attention": lambda names: {"X": menu.keys("spicy", "sweet", "rich", "cold")},
}

# Chapter 3's checks train networks, here fewer than in the chapter.
FEWER = {"SOME": "range(4)", "range(200)": "range(4)"}


@functools.cache
def chapter(stem: str) -> Any:
    return notebooks.read(BOOK / f"{stem}.ipynb")


def check_cells() -> dict[tuple[str, str], str]:
    """Return, for each chapter and exercise, the source of its check cell."""
    return {
        (path.stem, exercise.blanks[0]["id"]): exercise.checks[0]["source"]
        for path in notebooks.chapter_paths()
        for exercise in notebooks.exercises(chapter(path.stem))
    }


def blank_and_solution(stem: str, exercise: str) -> tuple[str, str]:
    """Return the source of an exercise's blank cell and its solution."""
    (found,) = [e for e in notebooks.exercises(chapter(stem)) if e.blanks[0]["id"] == exercise]
    return found.blanks[0]["source"], found.solutions[0]


def names_of(stem: str) -> dict[str, Any]:
    """Return what stands ready when a chapter's exercises begin, as far as they need it."""
    names: dict[str, Any] = {name: getattr(softlookup, name) for name in softlookup.__all__}
    names |= {
        "reader": "a reader",
        "np": np,
        "c3": column_three,
        "cue": column_three.cue,
        "transformer": transformer,
    }
    cells = {cell["id"]: cell["source"] for cell in notebooks.code_cells(chapter(stem))}
    for name in NEEDED.get(stem, ()):
        source = ast.parse(cells[name])
        # Only what gives names: no figure, no table.
        source.body = [node for node in source.body if isinstance(node, ast.Assign)]
        exec(compile(source, name, "exec"), names)
    if stem in GIVEN:
        names |= GIVEN[stem](names)
    return names


def checked(stem: str, exercise: str, names: dict[str, Any]) -> checks.Result:
    """Return what a chapter's check says where these names stand."""
    source = CHECKS[stem, exercise]
    if stem == "03-column-three":
        for many, few in FEWER.items():
            source = source.replace(many, few)
    result = eval(source, {**names, "checks": checks})
    assert isinstance(result, checks.Result)
    return result


CHECKS = check_cells()
