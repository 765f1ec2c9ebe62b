"""Each chapter is what its four homes need, and each check that says so can say no."""

from __future__ import annotations

import copy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import psutil
import pytest

import execute
import notebooks

CHAPTERS = notebooks.chapter_paths()
by_name = pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)


def test_there_are_chapters() -> None:
    assert CHAPTERS
    assert set(CHAPTERS) == set(notebooks.BOOK.glob("*.ipynb")), "a chapter is not in _toc.yml"


@by_name
@pytest.mark.parametrize("check", notebooks.CHECKS, ids=lambda check: check.__name__)
def test_chapter(path: Path, check: Callable[..., list[str]]) -> None:
    problems = check(notebooks.read(path), path)
    assert not problems, "\n".join(problems)


def test_no_two_chapters_share_a_title() -> None:
    titles = [notebooks.headings(notebooks.read(path)["cells"][0]["source"]) for path in CHAPTERS]
    assert len({title[0] for title in titles}) == len(CHAPTERS)


# ------------------------------------------------------------------ a notebook that is right

SVG = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M 0 0"/></svg>\n'
ALT = "Five dots in a plane, one of them close to a star that stands for the question."

PARTS = """\
## Before you start

You will be able to blend. It takes 20 minutes, 5 more for the exercises, and builds on nothing.

Inline $w_i$, a picture of words, `code`, [another page](other.md#a-heading-of-its-own):

$$a = b \\tag{1.1}$$

| a | b |
|:--|--:|
| 1 | 2 |
"""
EXERCISES = """\
## Exercises

### One and one

*★ easy · 5 minutes*

Add them, and put the sum into `answer`.

<details>
<summary>Hint 1</summary>

Use your fingers.

</details>
"""
QUESTIONS = "\n\n".join(f"**Question {n}.** Which?" for n in range(1, 6))
SOLUTION = """\
<details>
<summary>Solution</summary>

It is **two**.

```python
answer = 2
```

</details>

## Three languages, one answer
"""
CLOSING = """\
## What to take away

- A blend answers where a lookup has nothing to say, and that is all.

## Code in this chapter

The helper `soft_lookup` of this course did the arithmetic above.

## Sources

- Vaswani et al. (2017), *Attention Is All You Need*, [page](https://arxiv.org/abs/1706.03762).
"""
CHECK = "if answer is ...:\n    print('not started')\nelse:\n    print('Correct.')"
PROOF = "from_sql, from_keras = 2, 2  # sql, numpy, keras\nassert from_sql == from_keras"


def _markdown(name: str, text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": text.strip("\n")}


def _code(
    name: str, source: str, *outputs: dict[str, Any], alt: str = "", tags: tuple[str, ...] = ()
) -> dict[str, Any]:
    metadata: dict[str, Any] = {}
    if alt:
        metadata["mystnb"] = {"image": {"alt": alt}}
    if tags:
        metadata["tags"] = list(tags)
    return {
        "cell_type": "code",
        "execution_count": 1,
        "id": name,
        "metadata": metadata,
        "outputs": list(outputs),
        "source": source,
    }


def _said(text: str, name: str = "stdout") -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": text}


def _shown(**data: str) -> dict[str, Any]:
    mime = {"svg": "image/svg+xml", "png": "image/png", "md": "text/markdown"}
    return {
        "output_type": "display_data",
        "data": {mime.get(kind, "text/plain"): value for kind, value in data.items()},
        "metadata": {},
    }


def good() -> dict[str, Any]:
    """Return a small chapter that passes every check."""
    cells = [
        _markdown("title", "# 1. A title"),
        notebooks.colab_setup_cell(),
        _markdown("start", PARTS),
        _code("figure", "draw()", _shown(svg=SVG, text="<Figure size 1x1 with 1 Axes>"), alt=ALT),
        _code("number", "print(0.5)", _said("0.5\n")),
        _markdown("test-yourself", "## Test yourself\n\nChoose, and see why."),
        _code("questions", "ask()", _shown(md=QUESTIONS, text="1. Which?")),
        _markdown("exercises", EXERCISES),
        _code("ex1", "answer = ...", tags=("exercise",)),
        _code("ex1-check", CHECK, _said("not started\n"), tags=("check",)),
        _markdown("ex1-solution", SOLUTION),
        _code("three", PROOF),
        _markdown("closing", CLOSING),
    ]
    for cell in cells:
        if cell["cell_type"] == "code":
            cell["execution_count"] = 1
    return notebooks.canonical({"cells": cells, "metadata": {}})


def _write(folder: Path, notebook: dict[str, Any]) -> Path:
    book = folder / "book"
    book.mkdir(exist_ok=True)
    (book / "other.md").write_text("# Other\n\n## A heading, of its own!\n", "utf-8")
    path = book / "01-title.ipynb"
    path.write_text(notebooks.text_of(notebook), "utf-8")
    return path


def _raw(notebook: dict[str, Any]) -> str:
    """Return the file of a notebook that may be wrong: nbformat would repair or refuse it."""
    writer = nbformat.v4.nbjson.JSONWriter()
    return str(writer.writes(nbformat.from_dict(copy.deepcopy(notebook)))) + "\n"


def _problems(notebook: dict[str, Any], path: Path) -> list[str]:
    return [f"{check.__name__}: {p}" for check in notebooks.CHECKS for p in check(notebook, path)]


def test_a_right_notebook_passes_every_check(tmp_path: Path) -> None:
    path = _write(tmp_path, good())
    assert _problems(notebooks.read(path), path) == []


# ------------------------------------------------------------------ and each way to go wrong

Change = Callable[[dict[str, dict[str, Any]], dict[str, Any]], object]


def _add(name: str, text: str) -> Change:
    def change(cells: dict[str, dict[str, Any]], notebook: dict[str, Any]) -> None:
        cells[name]["source"] += "\n\n" + text

    return change


def _put(name: str, key: str, value: Any) -> Change:
    def change(cells: dict[str, dict[str, Any]], notebook: dict[str, Any]) -> None:
        cells[name][key] = value

    return change


def _swap(name: str, old: str, new: str) -> Change:
    def change(cells: dict[str, dict[str, Any]], notebook: dict[str, Any]) -> None:
        assert old in cells[name]["source"]
        cells[name]["source"] = cells[name]["source"].replace(old, new)

    return change


ERROR = {"output_type": "error", "ename": "NameError", "evalue": "x", "traceback": []}
RESULT = {"output_type": "execute_result", "data": {}, "metadata": {}, "execution_count": 7}

RED: dict[str, tuple[str, Change]] = {
    # the file
    "another format": ("format is not 4.5", lambda c, n: n.update(nbformat_minor=4)),
    "not a notebook": ("breaks the notebook format", _put("title", "outputs", [])),
    "no id": ("check_ids: cell 2 has no id", lambda c, n: c["start"].pop("id")),
    "an id twice": ("check_ids: the id 'ex1' is used twice", _put("number", "id", "ex1")),
    "a random id": ("check_ids: the id '3f2a9c1e' is not", _put("number", "id", "3f2a9c1e")),
    "an unreadable id": ("check_ids: the id 'Cell_1' is not", _put("number", "id", "Cell_1")),
    "never run": ("check_executed: code cell 'number'", _put("number", "execution_count", None)),
    "a wrong count": ("check_executed: code cell 'number'", _put("number", "execution_count", 7)),
    "an output's count": (
        "check_executed: an output of code cell 'number'",
        _put("number", "outputs", [RESULT]),
    ),
    "an error": ("stores an error: NameError", _put("number", "outputs", [ERROR])),
    "stderr": ("message on stderr", _put("number", "outputs", [_said("W\n", "stderr")])),
    "split streams": (
        "check_canonical",
        _put("number", "outputs", [_said("0."), _said("5\n")]),
    ),
    "stray metadata": ("check_canonical", _put("number", "metadata", {"collapsed": True})),
    "an output's metadata": (
        "check_canonical",
        lambda c, n: c["figure"]["outputs"][0].update(metadata={"needs_background": "light"}),
    ),
    "another kernel": (
        "the kernelspec is not python3",
        lambda c, n: n["metadata"]["kernelspec"].update(name="conda-env"),
    ),
    "errors allowed": (
        "allows errors",
        # Put into a broken copy on purpose: the check must refuse it. No chapter allows errors.
        lambda c, n: n["metadata"].update(execution={"allow_errors": True}),
    ),
    "a cell that may fail": (
        "escapes the comparison",
        _put("number", "metadata", {"tags": ["raises-exception"]}),
    ),
    "a cell nbval skips": (
        "escapes the comparison",
        _put("number", "metadata", {"tags": ["nbval-ignore-output"]}),
    ),
    "a comment for nbval": (
        "escapes the comparison: a comment",
        # Likewise: a copy whose cell asks nbval to look away, which the check must refuse.
        _put("number", "source", "# NBVAL_IGNORE_OUTPUT\nprint(0.5)"),
    ),
    "no Colab cell": (
        "the first code cell is not the Colab cell",
        lambda c, n: n["cells"].pop(1),
    ),
    "another Colab cell": (
        "the first code cell is not the Colab cell",
        _add("colab-setup", "print('hi')"),
    ),
    "a Colab cell that printed": (
        "the first code cell is not the Colab cell",
        _put("colab-setup", "outputs", [_said("installing\n")]),
    ),
    # traces
    "a machine path": (
        "a path of some machine",
        _put("number", "outputs", [_said("/home/ann/x.py\n")]),
    ),
    "a path in a source": ("a path of some machine", _put("number", "source", "open('/tmp/x')")),
    "a Windows path": ("a path of some machine", _put("number", "source", "p = r'C:\\Users'")),
    "a colour code": ("a terminal colour", _put("number", "outputs", [_said("\x1b[31m0.5\n")])),
    "an address": (
        "a memory address",
        _put("number", "outputs", [_said("<function f at 0x7f3a5c0de0>\n")]),
    ),
    "a time": ("a date and time", _put("number", "outputs", [_said("2026-01-02 03:04:05\n")])),
    # figures
    "a dated figure": (
        "the date a figure was drawn",
        _put("figure", "outputs", [_shown(svg=SVG + "<dc:date>2026-01-02</dc:date>")]),
    ),
    "no alt text": ("alt text has 0 characters", _put("figure", "metadata", {})),
    "a short alt text": (
        "alt text has 9 characters",
        lambda c, n: c["figure"]["metadata"]["mystnb"]["image"].update(alt="Five dots"),
    ),
    "one alt text twice": (
        "share one alt text",
        lambda c, n: c["number"].update(
            metadata=copy.deepcopy(c["figure"]["metadata"]), outputs=[_shown(svg=SVG)]
        ),
    ),
    "an alt text for nothing": ("draws nothing", _put("figure", "outputs", [])),
    "PNG only": ("figures are SVG", _put("figure", "outputs", [_shown(png="iVBORw0KGgo=")])),
    "two figures": ("draws 2 figures", _put("figure", "outputs", [_shown(svg=SVG)] * 2)),
    "a bare Text": (
        "a bare plotting object",
        _put("number", "outputs", [_shown(text="Text(0.5, 1.0, 'a title')")]),
    ),
    "a bare Line2D": (
        "a bare plotting object",
        _put("number", "outputs", [_shown(text="[<matplotlib.lines.Line2D>]")]),
    ),
    # Markdown
    "a directive": ("shows a directive", _add("start", "```{note}\nHear, hear.\n```")),
    "a colon fence": ("shows a colon fence", _add("start", "::: note\nHear, hear.\n:::")),
    "a role": ("shows a role", _add("start", "See {ref}`sources` below.")),
    "a role, rendered": ("renders differently", _add("start", "See {ref}`sources` below.")),
    "a target": ("shows a target", _add("start", "(here)=\n\nWords.")),
    "a substitution": ("shows a substitution", _add("start", "It costs {{ price }}.")),
    "a comment line": ("renders differently", _add("start", "% a line that vanishes on the site")),
    "a block break": ("renders differently", _add("start", "+++")),
    "a labelled equation": ("renders differently", _add("start", "$$a = b$$ (eq:one)")),
    "a footnote": ("renders differently", _add("start", "Words[^1].\n\n[^1]: More words.")),
    "a price in $": ("renders differently", _add("start", "Between $ 5 and 6 $ a piece.")),
    "one $": ("has a $ that is no math", _add("start", "It costs 5 $ or so.")),
    "a bare address": ("a bare address", _add("start", "See https://example.org for more.")),
    "bare TeX": ("TeX outside", _add("start", "\\begin{align}a &= b\\end{align}")),
    "a directive in an output": (
        "the output of cell 'number' shows a directive",
        _put("number", "outputs", [_shown(md="```{note}\nHear, hear.\n```")]),
    ),
    "details without blank lines": (
        "without a blank line",
        _add("start", "<details>\n<summary>Hint</summary>\nIt is **bold**.\n\n</details>"),
    ),
    "Markdown in a summary": (
        "Markdown inside <summary>",
        _add("start", "<details>\n<summary>**Hint**</summary>\n\nWords.\n\n</details>"),
    ),
    "details left open": (
        "unequally often",
        _add("start", "<details>\n<summary>Hint</summary>\n\nWords."),
    ),
    "a div": ("the HTML tag <div>", _add("start", '<div class="note">\n\nWords.\n\n</div>')),
    "an attachment": ("has an attachment", _put("start", "attachments", {"a.png": {}})),
    # the form of an exercise
    "no level": ("does not begin with a line such as", _swap("exercises", "*★ easy", "*easy")),
    "stars that say another word": (
        "does not begin with a line such as",
        _swap("exercises", "★ easy", "★★ easy"),
    ),
    "a level without minutes": (
        "does not begin with a line such as",
        _swap("exercises", " · 5 minutes", ""),
    ),
    "minutes that do not add up": (
        "the exercises take 7 minutes, and 'Before you start' says 5",
        _swap("exercises", "5 minutes", "7 minutes"),
    ),
    "minutes that are not promised": (
        "does not say how many minutes the exercises take",
        _swap("start", ", 5 more for the exercises,", ""),
    ),
    "no statement": (
        "no statement",
        _swap("exercises", "Add them, and put the sum into `answer`.", ""),
    ),
    "no hint": ("has the hints []", _swap("exercises", "Hint 1", "Help")),
    "a second hint without a first": (
        "has the hints ['Hint 2']",
        _swap("exercises", "Hint 1", "Hint 2"),
    ),
    "four hints": (
        "has the hints",
        lambda c, n: [
            _add("exercises", f"<details>\n<summary>Hint {i}</summary>\n\nSo.\n\n</details>")(c, n)
            for i in (2, 3, 4)
        ],
    ),
    "a hint that gives it away": (
        "Hint 1 gives the solution away: 'answer = 2'",
        _swap("exercises", "Use your fingers.", "Try `answer = 2`."),
    ),
    "a solution without a why": (
        "the solution does not say why",
        _swap("ex1-solution", "It is **two**.\n\n", ""),
    ),
    # the questions
    "no questions": (
        "no part 'Test yourself' right before 'Exercises'",
        _swap("test-yourself", "## Test yourself", "## Something else"),
    ),
    "questions in another place": (
        "no part 'Test yourself' right before 'Exercises'",
        _swap("exercises", "## Exercises", "## Another part\n\nWords.\n\n## Exercises"),
    ),
    "four questions": (
        "shows [4] questions, not five to eight",
        _put("questions", "outputs", [_shown(md=QUESTIONS.replace("**Question 5.**", ""))]),
    ),
    "questions never shown": ("shows [] questions", _put("questions", "outputs", [])),
    "a fold without its name": (
        "cell 'number' is folded behind None, not behind 'Reveal'",
        _put("number", "metadata", {"tags": ["hide-output"]}),
    ),
    "an explorer in mid-sentence": (
        "shares its section with other cells",
        _put("figure", "source", "explorers.SoftLookup(\n)"),
    ),
    # links
    "a link to nowhere": ("a file that is not there", _add("start", "[A page](missing.md).")),
    "an anchor to nowhere": (
        "a heading that is not there",
        _add("start", "[A page](other.md#no-such-heading)."),
    ),
    "an own anchor to nowhere": (
        "a heading that is not there",
        _add("start", "[Below](#no-such-heading)."),
    ),
    "a link out of the house": ("a file that is not there", _add("start", "[Up](../../x.md).")),
    "an absolute link": ("is not relative", _add("start", "[A page](/book/other.md).")),
    "an http link": ("neither relative nor https", _add("start", "[A page](http://example.org).")),
    "an empty link": ("is empty", _add("start", "[A page]().")),
    "a remote picture": (
        "a picture of another host",
        _add("start", "![Five dots](https://example.org/dots.svg)"),
    ),
    "a picture without words": ("no alt text", _add("start", "![](other.md)")),
    # the parts
    "two titles": ("2 H1 headings", _add("start", "# Another title")),
    "no title": ("0 H1 headings", _put("title", "source", "Words.")),
    "a level skipped": ("skips a level", _swap("exercises", "### One", "#### One")),
    "a heading twice": ("occurs twice", _add("start", "## Exercises")),
    "no start": ("the first part is not", _swap("start", "## Before you start", "## Hello")),
    "no aims": ("what the reader will be able to do", _swap("start", "be able to", "")),
    "no minutes": ("how many minutes", _swap("start", "20 minutes", "a while")),
    "no ground": ("what it builds on", _swap("start", "builds on nothing", "is easy")),
    "no sources": ("does not end with the parts", _swap("closing", "## Sources", "")),
    "an empty part": (
        "'Code in this chapter' is empty",
        _swap("closing", "The helper `soft_lookup` of this course did the arithmetic above.", ""),
    ),
    "no Keras": ("lacks Keras", _swap("three", "keras", "torch")),
    "no assertion": ("lacks an assertion", _swap("three", "assert", "print")),
    # exercises
    "no exercise": ("there is no exercise", _swap("exercises", "### One and one", "")),
    "no blank cell": ("has 0 blank cell", _put("ex1", "metadata", {})),
    "no check": ("has 0 cell tagged check", _put("ex1-check", "metadata", {})),
    "no solution": ("has 0 python block", _swap("ex1-solution", "```python", "```")),
    "a check that is not shy": (
        "lacks not started",
        _put("ex1-check", "outputs", [_said("Correct.\n")]),
    ),
    "a blank cell that speaks": ("blank cell has an output", _put("ex1", "outputs", [_said("1")])),
    "an exercise outside": (
        "tagged but in no exercise",
        _put("number", "metadata", {"tags": ["exercise"]}),
    ),
}


@pytest.mark.parametrize("case", RED)
def test_what_is_wrong_is_found(case: str, tmp_path: Path) -> None:
    wanted, change = RED[case]
    notebook = good()
    change({cell["id"]: cell for cell in notebook["cells"]}, notebook)
    path = _write(tmp_path, good())
    path.write_text(_raw(notebook), "utf-8")
    found = _problems(notebook, path)
    assert any(wanted in problem for problem in found), found


# ------------------------------------------------------------------ tools/execute.py

SCRIPT = notebooks.ROOT / "tools" / "execute.py"


def _run_script(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT), *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def _unexecuted(*sources: str) -> dict[str, Any]:
    cells = [_code(f"cell-{number}", source) for number, source in enumerate(sources)]
    for cell in cells:
        cell["execution_count"] = None
    return {
        "cells": [nbformat.from_dict(cell) for cell in cells],
        "metadata": {"kernelspec": {"name": "other", "display_name": "Other"}, "toc": {}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def test_execute_twice_changes_nothing(tmp_path: Path) -> None:
    source = "import os, sys\nprint(os.path.basename(os.getcwd()), sys.prefix == PREFIX)"
    path = _write(
        tmp_path,
        _unexecuted(f"PREFIX = {sys.prefix!r}", source, "", "print(1, flush=True); print(2)\n3"),
    )
    first = _run_script(path, cwd=Path("/"))
    assert (first.returncode, first.stderr) == (0, "")
    assert first.stdout.count("\n") == 1
    assert first.stdout.endswith("s, changed\n")
    written = path.read_bytes()
    made = notebooks.read(path)
    assert [cell["execution_count"] for cell in notebooks.code_cells(made)] == [1, 2, 3, 4]
    assert list(notebooks.output_texts(made["cells"][1])) == ["book True\n"]
    assert list(notebooks.output_texts(made["cells"][3])) == ["1\n2\n", "3"]
    assert written.endswith(b"}\n")
    assert notebooks.check_canonical(made, path) == []

    modified = path.stat().st_mtime_ns
    second = _run_script("01-title.ipynb", cwd=path.parent)
    assert second.stdout.endswith("s, unchanged\n")
    assert path.stat().st_mtime_ns == modified
    assert execute.main(["--check", str(path)]) == 0


def test_execute_uses_this_python_and_none_of_the_users_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = tmp_path / "data" / "kernels" / "python3"
    kernel.mkdir(parents=True)
    (kernel / "kernel.json").write_text(
        '{"argv": ["false"], "display_name": "Another", "language": "python"}', "utf-8"
    )
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "profile"))
    startup = tmp_path / "profile" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "noise.py").write_text("x = 'mine'", "utf-8")
    drawing = "import matplotlib.pyplot as plt\nfigure = plt.figure()"
    path = _write(tmp_path, _unexecuted("print('x' in globals())", drawing))
    assert execute.main([str(path)]) == 0
    printed, drawn = notebooks.read(path)["cells"]
    assert list(notebooks.output_texts(printed)) == ["False\n"]
    assert "<Figure size 640x480 with 0 Axes>" in list(notebooks.output_texts(drawn))


@pytest.mark.parametrize("source", ["print(1)", "1 / 0"])
def test_execute_leaves_no_kernel_behind(tmp_path: Path, source: str) -> None:
    path = _write(tmp_path, _unexecuted(source))
    before = set(psutil.Process().children(recursive=True))
    execute.main([str(path)])
    assert set(psutil.Process().children(recursive=True)) - before == set()


def test_execute_names_the_cell_that_failed_and_leaves_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _write(tmp_path, _unexecuted("x = 1", "print(y)", "x"))
    before = path.read_bytes()
    assert execute.main([str(path)]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == (
        "01-title.ipynb: code cell 2 of 3, id 'cell-1', raised NameError: name 'y' is not defined\n"
    )
    assert path.read_bytes() == before


def test_execute_refuses_missing_and_double_ids(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notebook = _unexecuted("1", "2")
    notebook["cells"][1]["id"] = "cell-0"
    path = _write(tmp_path, good())
    path.write_text(_raw(notebook), "utf-8")
    assert execute.main([str(path)]) == 1
    assert "the id 'cell-0' is used twice" in capsys.readouterr().err


def test_check_reports_what_is_not_canonical(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _write(tmp_path, good())
    path.write_text(path.read_text("utf-8").replace("\n ", "\n  "), "utf-8")
    assert execute.main(["--check", str(path)]) == 1
    assert "not in canonical form" in capsys.readouterr().err


def test_add_setup_cell_is_idempotent() -> None:
    bare = good()
    del bare["cells"][1]
    once = notebooks.with_setup_cell(bare)
    assert [cell["id"] for cell in once["cells"]][:3] == ["title", "colab-setup", "start"]
    assert notebooks.with_setup_cell(once) == once


def test_only_listed_chapters_count_in_their_order(tmp_path: Path) -> None:
    book = tmp_path / "book"
    book.mkdir()
    for name in ("01-a", "02-b", "03-c"):
        (book / f"{name}.ipynb").touch()
    assert [p.stem for p in notebooks.chapter_paths(book)] == ["01-a", "02-b", "03-c"]
    (tmp_path / "_toc.yml").write_text(
        "format: jb-book\nroot: book/index\nparts:\n- chapters:\n"
        "  - file: book/02-b\n  - file: book/01-a.ipynb\n",
        "utf-8",
    )
    assert [p.stem for p in notebooks.chapter_paths(book)] == ["02-b", "01-a"]
