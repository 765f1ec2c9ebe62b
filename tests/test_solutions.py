"""The exercises of each chapter: every solution passes its check, and all runs again after it."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

import execute
import notebooks

by_name = pytest.mark.parametrize("path", notebooks.chapter_paths(), ids=lambda path: path.stem)


def _said(notebook: dict[str, Any], name: str) -> str:
    """Return what a check said, as a terminal shows it."""
    (cell,) = [cell for cell in notebook["cells"] if cell["id"] == name]
    (output,) = cell["outputs"]
    return str(output["data"]["text/plain"])


# What chapter 3 does with a thousand seeds, and chapter 7 with all dates, nbval repeats in full.
# That their cells run in any state and that their solutions are right shows with a few as well, in
# a tenth of the time.
FEWER = {
    "03-column-three": {
        "range(1000)": "range(20)",
        "range(200), range(500)": "range(12), range(14)",
        "range(200)": "range(12)",
    },
    "07-transformer": {
        "dates.draw(seed=0)": "dates.draw(seed=0, train=640, held_out=200)",
    },
}


# `make test` gives each worker one thread. Readers have as many as their machine.
MAKEFILE = (notebooks.ROOT / "Makefile").read_text("utf-8")
THREADS = re.findall(r"(\w+_THREADS)=1", MAKEFILE)
assert THREADS


# Cells on which no other depends but one of them, and which take seconds. nbval runs them.
ALONE = ("three-languages", "disagree-cell", "explorer")


# Seconds that no claim about time would survive: everything takes as long, and less as n grows.
OTHER_SECONDS = """
measure.seconds = lambda functions, inputs, *, rounds=5: {
    name: np.tile(1 / np.array(list(inputs)), (rounds, 1)) for name in functions
}
"""


@by_name
def test_solutions_and_run_all_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run every cell with the solutions filled in, then all as stored, in the same kernel.

    In the first round every check says "Correct"; in the second, which starts in whatever state
    the first left behind, every cell says what is stored. So it does on a machine with another
    clock: what depends on seconds is neither compared nor claimed.
    """
    stored = notebooks.read(path)
    stored["cells"] = [cell for cell in stored["cells"] if cell["id"] not in ALONE]
    found = notebooks.exercises(stored)
    solved = copy.deepcopy(stored)
    for exercise in found:
        for cell in notebooks.code_cells(solved):
            if cell["id"] == exercise.blanks[0]["id"]:
                cell["source"] = exercise.solutions[0]
    fewer = FEWER.get(path.stem, {})
    tags = ("exercise", "check")
    again = [
        copy.deepcopy(cell)
        for cell in stored["cells"]
        # Of the two long chapters the exercises alone, which their solutions have changed.
        if not fewer or any(tag in cell["metadata"].get("tags", ()) for tag in tags)
    ]
    for cell in again:
        cell["id"] += "-again"
    if any("measure.seconds(" in cell["source"] for cell in notebooks.code_cells(stored)):
        solved["cells"].append(nbformat.v4.new_code_cell(OTHER_SECONDS, id="other-seconds"))
    solved["cells"] += again
    if not fewer:
        for name in THREADS:
            monkeypatch.delenv(name, raising=False)
    for many, few in fewer.items():
        assert any(many in cell["source"] for cell in stored["cells"]), f"{many} is gone"
        for cell in solved["cells"]:
            cell["source"] = cell["source"].replace(many, few)

    done = execute.run(solved, folder=path.parent, name=path.name)
    assert found
    for exercise in found:
        said = _said(done, exercise.checks[0]["id"])
        assert said.startswith("Correct"), f"{exercise.name}: the check says {said!r}"
    wanted = dict(_bare(cell) for cell in notebooks.code_cells(stored))
    made = [_bare(cell) for cell in notebooks.code_cells(done) if cell["id"].endswith("-again")]
    assert len(made) == (2 * len(found) if fewer else len(wanted))
    changed = [name for name, said in made if said != wanted[name]]
    assert not changed, f"these cells do not repeat their stored outputs: {changed}"


def _bare(cell: dict[str, Any]) -> tuple[str, list[str]]:
    return cell["id"].removesuffix("-again"), list(notebooks.output_texts(cell))
