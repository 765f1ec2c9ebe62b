"""What a class needs: the chapters without their solutions, and a sheet of all answers.

    python tools/classroom.py student   _build/class/student/, a folder to hand out
    python tools/classroom.py answers   _build/class/answers.md, for whoever teaches

Both are made from the chapters as they stand. The student edition differs from them in the
solutions alone: cells keep their ids, outputs and checks, and links lead where they led.
"""

from __future__ import annotations

import argparse
import copy
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import notebooks

ROOT = notebooks.ROOT
CLASS = ROOT / "_build" / "class"
SOLUTION = re.compile(r"^<details>\n<summary>Solution</summary>\n(.*?)^</details>$", re.S | re.M)
HINT = re.compile(r"^<details>\n<summary>Hint \d</summary>\n.*?^</details>\n*", re.S | re.M)
WITHHELD = "*The solution is with your instructor.*"
NOT_HANDED_OUT = {"teaching.md"}  # what learners get wrong, and what catches it
RUNNING = """# How to run these chapters

If your instructor gave you a link to a server, open it: there is nothing to install.

**On Colab**, open a chapter, type the address of the course's repository (your instructor knows it)
into the field of the first, folded cell, and run that cell before the others.

**On your own machine** you need Python 3.11, 3.12 or 3.13. Put the same address in place of
`ADDRESS`:

```bash
python -m pip install "softlookup[lab] @ git+ADDRESS"
jupyter lab
```

The first line downloads TensorFlow, some 400 MB, and takes a few minutes. If a chapter then says
`No module named 'softlookup'`, it runs in another Python than the one that line installed into.
"""


class ClassroomError(Exception):
    """A chapter from which the solutions cannot be taken out cleanly."""


def without_solutions(notebook: notebooks.Notebook) -> notebooks.Notebook:
    """Return a copy in which each solution has become one line that says where it is."""
    result = copy.deepcopy(notebook)
    for cell in notebooks.markdown_cells(result):
        for match in SOLUTION.finditer(cell["source"]):
            if "<details>" in match[1]:
                raise ClassroomError(f"cell {cell['id']!r}: a solution with a fold inside it")
        cell["source"] = SOLUTION.sub(WITHHELD, cell["source"])
        if "<summary>Solution" in cell["source"]:
            raise ClassroomError(f"cell {cell['id']!r}: a solution in another form than the others")
    return result


def read_chapters(book: Path) -> dict[str, notebooks.Notebook]:
    """Return the chapters by the names of their files, or say whose solutions cannot be found."""
    chapters = {path.name: notebooks.read(path) for path in notebooks.chapter_paths(book)}
    for name, notebook in chapters.items():
        if problems := notebooks.check_exercises(notebook):
            raise ClassroomError(f"{name}: " + "; ".join(problems))
    return chapters


def write_student_edition(folder: Path, book: Path) -> tuple[int, int]:
    """Write the chapters without solutions, and the pages they link to; return two counts."""
    chapters = read_chapters(book)
    texts = {name: notebooks.text_of(without_solutions(n)) for name, n in chapters.items()}
    count = sum(len(notebooks.exercises(notebook)) for notebook in chapters.values())
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8", newline="\n")
    for path in [*book.glob("*.md"), *(book.parent / name for name in ("LICENSE", "LICENSE-TEXT"))]:
        if path.exists() and path.name not in NOT_HANDED_OUT:
            shutil.copyfile(path, folder / path.name)
    (folder / "running.md").write_text(RUNNING, "utf-8", newline="\n")
    return len(chapters), count


def answer_sheet(book: Path) -> str:
    """Return all exercises with their statement, blank and solution, as one Markdown text."""
    parts = [
        "# Answers",
        "Every exercise of the course with its solution, for whoever teaches. It is made from the "
        "chapters, where each solution stands below its check.",
    ]
    for name, notebook in read_chapters(book).items():
        title = notebooks.headings(notebook["cells"][0]["source"])[0][1]
        parts.append(f"## {title}")
        for exercise in notebooks.exercises(notebook):
            (solution,) = SOLUTION.findall(exercise.prose)
            # What is left of the text is the statement, below the heading.
            statement = HINT.sub("", SOLUTION.sub("", exercise.prose)).partition("\n")[2].strip()
            blank = "\n\n".join(cell["source"] for cell in exercise.blanks)
            parts += [
                f"### {exercise.name}",
                _from_the_sheet(statement, name),
                f"```python\n{blank}\n```",
                "**Solution**",
                _from_the_sheet(solution.strip(), name),
            ]
    return "\n\n".join(parts) + "\n"


def _from_the_sheet(markdown: str, chapter: str) -> str:
    """Make a chapter's links lead from the answer sheet to the same places."""
    to_book = "../../book/"
    return re.sub(
        r"\]\((?!https?:)([^)#]*)(#[^)]*)?\)",
        lambda match: f"]({to_book}{match[1] or chapter}{match[2] or ''})",
        markdown,
    )


def main(arguments: list[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Make what a class needs.")
    parser.add_argument("what", choices=["student", "answers"])
    options = parser.parse_args(arguments)
    if options.what == "student":
        folder = CLASS / "student"
        chapters, exercises = write_student_edition(folder, notebooks.BOOK)
        print(
            f"The student edition is in {folder.relative_to(ROOT)}: {chapters} chapters, "
            f"{exercises} exercises, no solutions."
        )
        return 0
    sheet = CLASS / "answers.md"
    sheet.parent.mkdir(parents=True, exist_ok=True)
    sheet.write_text(answer_sheet(notebooks.BOOK), "utf-8", newline="\n")
    print(f"The answer sheet is {sheet.relative_to(ROOT)}.")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ClassroomError as error:
        sys.exit(f"Nothing was written. {error}")
