"""The net holds: strict nbval fails when a number, a figure or a helper changes.

Chapter 1 is copied beside a copy of the package, without the cell that needs TensorFlow. nbval
must fail exactly the cells that were changed, each for the right reason, and pass all others.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import notebooks

CHAPTER = "01-lookup.ipynb"
# Appended to the copy's softmax.py: every temperature counts double.
DOUBLED_TEMPERATURE = '''

_softmax = softmax


def softmax(scores, *, temperature=1.0, **options):
    """Return softmax at twice the temperature."""
    return _softmax(scores, temperature=2 * temperature, **options)
'''


@dataclass
class Copy:
    """A copy of chapter 1 and of the package, to be changed."""

    path: Path
    package: Path

    def read(self) -> dict[str, Any]:
        return notebooks.read(self.path)

    def write(self, notebook: dict[str, Any]) -> None:
        self.path.write_text(notebooks.text_of(notebook), "utf-8")

    def nbval(self) -> tuple[int, str]:
        """Run strict nbval on the copy; return its exit code and what it said."""
        # fmt: off
        command = [
            sys.executable, "-m", "pytest", "--nbval", "--nbval-current-env", "--color=no",
            "-p", "no:cacheprovider", "-p", "no:xdist", "-c", os.devnull,
            "--rootdir", str(self.path.parent), "-rf", str(self.path),
        ]
        # fmt: on
        # Where CI is set, pytest says every fault a second time, in its summary.
        environment = {k: v for k, v in os.environ.items() if k not in ("CI", "BUILD_NUMBER")}
        done = subprocess.run(
            command,
            env=environment | {"PYTHONPATH": str(self.package.parent)},  # shadows the installed
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    def number_of(self, name: str) -> int:
        """Return nbval's number of the code cell called ``name``."""
        return [cell["id"] for cell in notebooks.code_cells(self.read())].index(name)


@pytest.fixture
def copied(tmp_path: Path) -> Copy:
    shutil.copytree(notebooks.ROOT / "src" / "softlookup", tmp_path / "src" / "softlookup")
    notebook = notebooks.read(notebooks.BOOK / CHAPTER)
    notebook["cells"] = [
        cell
        for cell in notebook["cells"]
        if cell["cell_type"] != "code" or "load_keras" not in cell["source"]
    ]
    (tmp_path / "book").mkdir()
    copied = Copy(tmp_path / "book" / CHAPTER, tmp_path / "src" / "softlookup")
    copied.write(notebooks.canonical(notebook))
    return copied


def _failed_cells(said: str) -> list[int]:
    return [int(number) for number in re.findall(r"^FAILED .*::Cell (\d+)", said, re.MULTILINE)]


def _first(notebook: dict[str, Any], kind: str) -> tuple[str, dict[str, Any]]:
    """Return the id and the first output of a cell that prints or draws."""
    for cell in notebooks.code_cells(notebook):
        for output in cell["outputs"]:
            if kind == "number" and re.search(r"\d", output.get("text", "")):
                return cell["id"], output
            if kind == "figure" and "image/svg+xml" in output.get("data", {}):
                return cell["id"], output
    raise AssertionError(f"chapter 1 has no {kind}")


def test_a_changed_number_and_a_changed_figure_fail_and_nothing_else_does(copied: Copy) -> None:
    notebook = copied.read()
    printing, printed = _first(notebook, "number")
    digit = re.search(r"\d", printed["text"])
    assert digit
    other = str((int(digit[0]) + 1) % 10)
    printed["text"] = printed["text"][: digit.start()] + other + printed["text"][digit.end() :]

    drawing, drawn = _first(notebook, "figure")
    svg = drawn["data"]["image/svg+xml"]
    point = list(re.finditer(r' x="(\d+)\.\d+"', svg))[-1]
    moved = str(int(point[1]) + 1)
    drawn["data"]["image/svg+xml"] = svg[: point.start(1)] + moved + svg[point.end(1) :]

    copied.write(notebook)
    code, said = copied.nbval()
    assert code == 1, said
    wrong = {copied.number_of(printing), copied.number_of(drawing)}
    assert _failed_cells(said) == sorted(wrong)
    assert f"2 failed, {len(notebooks.code_cells(notebook)) - 2} passed" in said
    assert said.count("Cell outputs differ") == 2
    assert said.count("mismatch 'stdout'") == 1
    assert said.count("mismatch 'image/svg+xml'") == 1


def test_a_changed_helper_fails(copied: Copy) -> None:
    with (copied.package / "softmax.py").open("a", encoding="utf-8") as file:
        file.write(DOUBLED_TEMPERATURE)
    code, said = copied.nbval()
    assert code == 1, said
    assert "Cell outputs differ" in said
    assert "execution failed" in said
    # What uses softmax shows it; what comes before, the exact and the hard lookups, still holds.
    cells = notebooks.code_cells(copied.read())
    failed = {cells[number]["id"] for number in _failed_cells(said)}
    users = [cell["id"] for cell in cells if re.search(r"\bsoft(max|_lookup)\(", cell["source"])]
    shown = [name for name in users if name in failed]
    assert shown
    before = [cell["id"] for cell in cells][: copied.number_of(users[0])]
    assert not failed & set(before)
