"""What a chapter's notebook must be, in one place: its canonical form, its Colab cell, its checks.

The chapters are read in four homes (the site, JupyterLab and Binder, Colab, GitHub and VS Code)
and are committed executed. Each ``check_*`` function takes a notebook and returns the problems it
found, in words; ``tests/test_notebooks.py`` asks for none on the chapters and proves on broken
copies that each check can find something.

    python tools/notebooks.py check                        every problem of every chapter
    python tools/notebooks.py add-setup-cell book/*.ipynb  insert or update the Colab cell
"""

from __future__ import annotations

import argparse
import copy
import functools
import importlib
import itertools
import json
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import nbformat
import yaml
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "book"

Notebook = dict[str, Any]
Cell = dict[str, Any]

# ---------------------------------------------------------------------------- the Colab cell

COLAB_SETUP_ID = "colab-setup"
# Plain Python rather than a %pip line, so that the cell also runs outside IPython. Colab names
# its own server in two environment variables; that server lists the open notebooks, each with
# the page it was opened from. `--no-deps`: NumPy and Matplotlib stay the versions Colab ships.
COLAB_SETUP_CELL = r"""# @title On Colab, install this course's package { display-mode: "form" }
# fmt: off
import importlib.util
import os
import re
import subprocess
import sys
from urllib.parse import unquote
from urllib.request import urlopen

repository = ""  # @param {type: "string"}
if importlib.util.find_spec("softlookup") is None:
    try:  # Colab's own server knows which page this notebook was opened from
        server = "http://{COLAB_JUPYTER_IP}:{KMP_TARGET_PORT}/api/sessions".format(**os.environ)
        sessions = unquote(unquote(urlopen(server, timeout=9).read().decode()))
        found = "@".join(re.search(r'fileId=([^"]+?)/blob/([^"]+)/book/', sessions).groups())
    except Exception:  # not on Colab, or opened from a copy
        found = os.environ.get("SOFTLOOKUP_REPOSITORY")
    if not (repository or found):
        raise ModuleNotFoundError(
            "softlookup is missing. On Colab, type the course's address (https://...) into the "
            "field above and run this again; elsewhere, run `make lab` in the course's folder."
        )
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "anywidget", "psygnal"]
    subprocess.run([*pip, f"git+{repository or found}"], check=True)"""


def colab_setup_cell() -> Cell:
    """Return the setup cell every chapter starts its code with."""
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": COLAB_SETUP_ID,
        "metadata": {
            "cellView": "form",  # Colab
            "jupyter": {"source_hidden": True},  # JupyterLab
            "tags": ["remove-cell"],  # the site
        },
        "outputs": [],
        "source": COLAB_SETUP_CELL,
    }


def with_setup_cell(notebook: Notebook) -> Notebook:
    """Return a copy whose first code cell is the setup cell, right below the title."""
    result = copy.deepcopy(notebook)
    cells = [cell for cell in result["cells"] if cell.get("id") != COLAB_SETUP_ID]
    has_title = bool(cells) and cells[0]["cell_type"] == "markdown"
    cells.insert(1 if has_title else 0, nbformat.from_dict(colab_setup_cell()))
    result["cells"] = cells
    return result


# ---------------------------------------------------------------------------- reading, writing


def chapter_paths(book: Path = BOOK) -> list[Path]:
    """Return the notebooks the table of contents lists, in its order; without one, all."""
    contents = book.parent / "_toc.yml"
    everything = sorted(book.glob("*.ipynb"))
    if not contents.exists():
        return everything
    listed = [
        (book.parent / name).with_suffix("").with_name(Path(name).name.removesuffix(".ipynb"))
        for name in _files_in(yaml.safe_load(contents.read_text("utf-8")))
    ]
    by_stem = {path.with_suffix(""): path for path in everything}
    return [by_stem[stem] for stem in listed if stem in by_stem]


def _files_in(contents: Any) -> Iterator[str]:
    if isinstance(contents, dict):
        for key, value in contents.items():
            if key in ("file", "root"):
                yield value
            else:
                yield from _files_in(value)
    elif isinstance(contents, list):
        for value in contents:
            yield from _files_in(value)


def read(path: Path) -> Notebook:
    """Read a notebook as it stands: nothing repaired, its multi-line strings joined."""
    notebook: Notebook = nbformat.v4.reads(path.read_text("utf-8"))
    return notebook


def text_of(notebook: Notebook) -> str:
    """Return the text of a notebook file: one-space indent, sorted keys, a newline at the end."""
    text: str = nbformat.writes(nbformat.from_dict(notebook), version=nbformat.NO_CONVERT)
    return text if text.endswith("\n") else text + "\n"


def code_cells(notebook: Notebook) -> list[Cell]:
    """Return the code cells, in order."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def markdown_cells(notebook: Notebook) -> list[Cell]:
    """Return the Markdown cells, in order."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "markdown"]


# ---------------------------------------------------------------------------- canonical form

KERNELSPEC = {"display_name": "Python 3", "language": "python", "name": "python3"}
# A widget's model id is new in every run and no stored state stands behind it.
PASSING_MIME_TYPES = {"application/vnd.jupyter.widget-view+json"}


def canonical(notebook: Notebook) -> Notebook:
    """Return a copy in canonical form: what two runs of the same code write alike.

    Code cells are numbered 1, 2, ... in order; neighbouring stream outputs are merged; metadata
    is reduced to what some home reads. Cell ids, sources and outputs stay.
    """
    cells = []
    count = 0
    for cell in notebook["cells"]:
        kept: Cell = {
            "cell_type": cell["cell_type"],
            "id": cell.get("id"),
            "metadata": _canonical_metadata(cell.get("metadata", {})),
            "source": cell["source"].rstrip("\n"),
        }
        if cell["cell_type"] == "code":
            count += 1
            executed = cell.get("execution_count") is not None
            kept["execution_count"] = count if executed else None
            kept["outputs"] = _canonical_outputs(cell.get("outputs", []), count)
        cells.append(kept)
    return nbformat.from_dict(
        {
            "cells": cells,
            "metadata": {"kernelspec": KERNELSPEC, "language_info": {"name": "python"}},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    )


def _canonical_metadata(metadata: dict[str, Any]) -> dict[str, Any]:
    kept = {key: metadata[key] for key in ("cellView", "mystnb", "tags") if metadata.get(key)}
    if metadata.get("jupyter", {}).get("source_hidden"):
        kept["jupyter"] = {"source_hidden": True}
    return kept


def _canonical_outputs(outputs: list[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    kept: list[dict[str, Any]] = []
    for output in outputs:
        kind = output["output_type"]
        if kind == "stream":
            if kept and kept[-1].get("name") == output["name"]:
                kept[-1]["text"] += output["text"]
            else:
                kept.append({"output_type": kind, "name": output["name"], "text": output["text"]})
        elif kind == "error":
            kept.append(dict(output))
        else:
            data = {k: v for k, v in output["data"].items() if k not in PASSING_MIME_TYPES}
            if not data:
                continue
            shown = {"output_type": kind, "data": data, "metadata": {}}
            if kind == "execute_result":
                shown["execution_count"] = count
            kept.append(shown)
    return kept


# ---------------------------------------------------------------------------- checks: the file


def check_ids(notebook: Notebook, path: Path = BOOK) -> list[str]:
    """Ask for ids that are unique and readable: lower-case words joined by hyphens."""
    problems = []
    seen = set()
    for number, cell in enumerate(notebook["cells"]):
        name = cell.get("id")
        if not name:
            problems.append(f"cell {number} has no id")
        elif name in seen:
            problems.append(f"the id {name!r} is used twice")
        elif not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name) or _looks_random(name):
            problems.append(f"the id {name!r} is not readable words joined by hyphens")
        seen.add(name)
    return problems


def _looks_random(name: str) -> bool:
    return bool(re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]+)*", name)) and bool(re.search(r"\d", name))


def check_schema(notebook: Notebook, path: Path = BOOK) -> list[str]:
    """Ask that the file is a notebook by the format's own schema, version 4.5."""
    if (notebook.get("nbformat"), notebook.get("nbformat_minor")) != (4, 5):
        return ["the notebook's format is not 4.5"]
    copied = nbformat.from_dict(copy.deepcopy(notebook))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about ids, which check_ids looks at
        try:
            nbformat.validate(copied)
        except nbformat.ValidationError as error:
            return [f"the file breaks the notebook format: {str(error).splitlines()[0]}"]
    return []


def check_canonical(notebook: Notebook, path: Path) -> list[str]:
    """Ask that the file is byte for byte what ``tools/execute.py`` would write."""
    if check_ids(notebook):
        return []  # said by check_ids; the form is undefined without ids
    if path.read_text("utf-8") == text_of(canonical(notebook)):
        return []
    return ["the file is not in canonical form; `make execute` rewrites it"]


def check_executed(notebook: Notebook, path: Path = BOOK) -> list[str]:
    """Ask that every code cell was run, in order, without an error or a word on stderr."""
    problems = []
    for number, cell in enumerate(code_cells(notebook), start=1):
        name = cell.get("id")
        if cell.get("execution_count") != number:
            problems.append(
                f"code cell {name!r} should have been run as number {number}, "
                f"it says {cell.get('execution_count')}"
            )
        for output in cell["outputs"]:
            if output["output_type"] == "error":
                problems.append(f"code cell {name!r} stores an error: {output['ename']}")
            elif output.get("name") == "stderr":
                problems.append(f"code cell {name!r} stores a message on stderr")
            elif output.get("execution_count", number) != number:
                problems.append(f"an output of code cell {name!r} has another number")
    return problems


def check_metadata(notebook: Notebook, path: Path = BOOK) -> list[str]:
    """Ask for the kernel ``python3`` and no tag by which a cell escapes the comparison."""
    problems = []
    if notebook["metadata"].get("kernelspec", {}).get("name") != "python3":
        problems.append("the kernelspec is not python3")
    # Refused, not used: with it a cell could fail and the chapter still count as executed.
    if notebook["metadata"].get("execution", {}).get("allow_errors"):
        problems.append("the notebook allows errors")
    for cell in notebook["cells"]:
        for tag in cell["metadata"].get("tags", []):
            if tag == "raises-exception" or tag.lower().startswith(("nbval", "pytest")):
                problems.append(f"cell {cell.get('id')!r} escapes the comparison: tag {tag}")
        if re.search(r"^\s*#\s*(NBVAL|PYTEST)_[A-Z_]+\s*$", cell["source"], re.MULTILINE):
            problems.append(f"cell {cell.get('id')!r} escapes the comparison: a comment")
        if cell.get("attachments"):
            problems.append(f"cell {cell.get('id')!r} has an attachment")
        problems += _prompt_problems(cell)
    return problems


def _prompt_problems(cell: Cell) -> Iterator[str]:
    """Ask that what is folded away is named alike everywhere."""
    tags = cell["metadata"].get("tags", [])
    prompts = {"hide-output": "Reveal", "hide-input": "Show the code"}
    wanted = next((prompt for tag, prompt in prompts.items() if tag in tags), None)
    prompt = cell["metadata"].get("mystnb", {}).get("code_prompt_show")
    if prompt != wanted:
        yield f"cell {cell.get('id')!r} is folded behind {prompt!r}, not behind {wanted!r}"


def check_setup_cell(notebook: Notebook, path: Path = BOOK) -> list[str]:
    """Ask that the first code cell, below the title, is the Colab cell and printed nothing."""
    cells = code_cells(notebook)
    first = cells[0] if cells else {}
    wanted = colab_setup_cell()
    if {**first, "execution_count": None} == wanted and notebook["cells"][1] is first:
        return []
    return ["the first code cell is not the Colab cell; `tools/notebooks.py add-setup-cell`"]


# ---------------------------------------------------------------------------- checks: outputs

_TRACES = {
    "a path of some machine": (
        r"(?<![\w.])/(?:home|root|Users|tmp|work|mnt|opt|usr|var|private|content)/[\w.]"
        r"|\b[A-Z]:\\\w|site-packages|ipykernel_\d"
    ),
    "a terminal colour code": r"\x1b\[",
    "a memory address": r"\b0x[0-9a-fA-F]{6,}\b",
    "a date and time": r"\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d",
    "the date a figure was drawn": r"<dc:date>",
}
_BARE_MATPLOTLIB = re.compile(
    r"<matplotlib\.|<mpl_toolkits|\[?<(?:Line2D|Axes|BarContainer)|^\[?(?:Text|Line2D)\(|"
    r"^<Axes\w*:|^<(?:BarContainer|ErrorbarContainer) ",
    re.MULTILINE,
)


def check_no_traces(notebook: Notebook, path: Path = BOOK) -> list[str]:
    """Ask that no machine, moment or terminal left a trace in a source or an output."""
    problems = []
    for cell in notebook["cells"]:
        places = {"source": "" if cell.get("id") == COLAB_SETUP_ID else cell["source"]}
        for number, text in enumerate(output_texts(cell)):
            places[f"output {number}"] = text
        for place, text in places.items():
            for what, pattern in _TRACES.items():
                if found := re.search(pattern, text):
                    problems.append(f"cell {cell.get('id')!r}, {place}: {what}: {found[0]!r}")
    return problems


def output_texts(cell: Cell) -> Iterator[str]:
    for output in cell.get("outputs", []):
        if "text" in output:
            yield output["text"]
        for _, value in sorted(output.get("data", {}).items()):
            yield value if isinstance(value, str) else json.dumps(value)


def check_figures(notebook: Notebook, path: Path = BOOK) -> list[str]:
    """Ask for SVG figures, each with its own alt text, and no bare plotting object."""
    problems = []
    seen: dict[str, str] = {}
    for cell in code_cells(notebook):
        name = cell.get("id")
        kinds = [kind for output in cell["outputs"] for kind in output.get("data", {})]
        drawn = [kind for kind in kinds if kind.startswith("image/")]
        for kind in sorted(set(drawn) - {"image/svg+xml"}):
            problems.append(f"cell {name!r} stores {kind}; figures are SVG")
        alt = cell["metadata"].get("mystnb", {}).get("image", {}).get("alt", "")
        if drawn and len(alt) < 40:
            problems.append(f"cell {name!r} draws and its alt text has {len(alt)} characters")
        if len(drawn) > 1:
            problems.append(f"cell {name!r} draws {len(drawn)} figures; one alt text serves one")
        if alt and not drawn:
            problems.append(f"cell {name!r} has an alt text and draws nothing")
        if alt and alt in seen:
            problems.append(f"cells {seen[alt]!r} and {name!r} share one alt text")
        seen[alt] = name
        for output in cell["outputs"]:
            plain = output.get("data", {}).get("text/plain", "")
            if _BARE_MATPLOTLIB.search(plain):
                problems.append(f"cell {name!r} shows a bare plotting object: {plain[:40]!r}")
    return problems


# ---------------------------------------------------------------------------- checks: Markdown


def _site_config() -> dict[str, Any]:
    """Return what ``_config.yml`` tells the site's Markdown parser."""
    file = ROOT / "_config.yml"
    settings = yaml.safe_load(file.read_text("utf-8")) if file.exists() else {}
    parse = (settings or {}).get("parse") or {}
    sphinx = ((settings or {}).get("sphinx") or {}).get("config") or {}
    given = {**parse, **sphinx}
    extensions = given.get(
        "myst_enable_extensions",
        ["colon_fence", "dollarmath", "linkify", "substitution", "tasklist"],  # Jupyter Book's
    )
    allowed = {
        "dmath_allow_labels",
        "dmath_allow_space",
        "dmath_allow_digits",
        "dmath_double_inline",
    }
    options = {name: given[f"myst_{name}"] for name in allowed if f"myst_{name}" in given}
    return {"enable_extensions": set(extensions), **options}


@functools.cache
def site_parser() -> MarkdownIt:
    """Return the site's Markdown parser."""
    return create_md_parser(MdParserConfig(**_site_config()), RendererHTML)


@functools.cache
def plain_parser() -> MarkdownIt:
    """Return a parser that knows what every home knows: CommonMark, tables and ``$`` math.

    The rules for ``$`` are the narrowest any home applies, so that what they leave in doubt
    shows up as a difference from the site.
    """
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    return parser.use(
        dollarmath_plugin,
        allow_labels=False,
        allow_space=False,
        allow_digits=False,
        allow_blank_lines=False,
    )


_WRAPPERS = {"inline", "text", "softbreak", "hardbreak"}


def meaning(tokens: list[Token]) -> list[tuple[str, ...]]:
    """Return what a reader gets from parsed Markdown: its words and what each of them is."""
    found: list[tuple[str, ...]] = []
    for token in tokens:
        if token.type == "inline":
            found += meaning(token.children or [])
        elif token.type == "text":
            words = token.content.split()
            if found and found[-1][0] == "text":
                found[-1] = ("text", " ".join([found[-1][1], *words]).strip())
            elif words:
                found.append(("text", " ".join(words)))
        elif token.type in ("softbreak", "hardbreak"):
            continue
        elif token.type in ("fence", "code_block", "code_inline", "html_block", "html_inline"):
            found.append((token.type, token.info.strip(), token.content.strip()))
        elif token.type.startswith("math"):
            found.append((token.type, " ".join(token.content.split())))
        else:
            address = token.attrGet("href") or token.attrGet("src") or ""
            found.append((token.type, token.tag, str(address)))
    return found


def check_renders_alike(notebook: Notebook, path: Path = BOOK) -> list[str]:
    """Ask that each Markdown text means the same on the site and in plain Jupyter."""
    problems = []
    site, plain = site_parser(), plain_parser()
    for name, text in _markdown_texts(notebook):
        there, here = meaning(site.parse(text)), meaning(plain.parse(text))
        for on_site, in_jupyter in _pairs(there, here):
            if on_site != in_jupyter:
                problems.append(
                    f"{name} renders differently: {on_site!r} on the site, "
                    f"{in_jupyter!r} in plain Jupyter"
                )
                break
    return problems


def _pairs(first: list[Any], second: list[Any]) -> list[tuple[Any, Any]]:
    longest = max(len(first), len(second))
    return list(
        zip(
            first + [None] * (longest - len(first)),
            second + [None] * (longest - len(second)),
            strict=True,
        )
    )


def _markdown_texts(notebook: Notebook) -> Iterator[tuple[str, str]]:
    """Yield every text some home renders as Markdown, with the name of where it stands."""
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            yield f"cell {cell.get('id')!r}", cell["source"]
        for output in cell.get("outputs", []):
            if "text/markdown" in output.get("data", {}):
                yield f"the output of cell {cell.get('id')!r}", output["data"]["text/markdown"]


_RAW_MYST = {
    "a directive": r"^\s*(?:```+|~~~+|:::+)\s*\{[^}]*\}",
    "a colon fence": r"^\s*:::+",
    "a role": r"\{[a-zA-Z][\w:+-]*\}`",
    "a target": r"^\s*\([\w .:-]+\)=\s*$",
    "a substitution": r"\{\{.*?\}\}",
    "a block break": r"^\s*\+\+\+",
    "a line that the site takes for a comment": r"^\s*%",
}
_ALLOWED_TAGS = {"details", "summary", "br", "sub", "sup", "kbd"}


def check_plain_markdown(notebook: Notebook, path: Path = BOOK) -> list[str]:
    """Ask for no visible directive or role, and for ``<details>`` whose Markdown renders."""
    problems = []
    for name, text in _markdown_texts(notebook):
        prose = _without_math(_without_code(text, keep_fence_lines=True))
        for what, pattern in _RAW_MYST.items():
            if found := re.search(pattern, prose, re.MULTILINE):
                problems.append(f"{name} shows {what}: {found[0].strip()!r}")
        linked = 0
        for token in _flat(plain_parser().parse(text)):
            linked += token.nesting if token.type in ("link_open", "link_close") else 0
            if token.type == "text" and not linked and re.search(r"https?://|www\.", token.content):
                problems.append(f"{name} has a bare address, a link in some homes only")
            if token.type == "text" and "$" in token.content:
                problems.append(f"{name} has a $ that is no math in some home: {token.content!r}")
            if token.type == "text" and re.search(r"\\(?:begin|end)\{", token.content):
                problems.append(f"{name} has TeX outside $ or $$")
            if token.type in ("html_block", "html_inline"):
                problems += [f"{name} {what}" for what in _html_problems(token)]
        if text.count("<details>") != text.count("</details>"):
            problems.append(f"{name} opens and closes <details> unequally often")
    return problems


def _html_problems(token: Token) -> Iterator[str]:
    for tag in re.findall(r"</?\s*([a-zA-Z][\w-]*)", token.content):
        if tag.lower() not in _ALLOWED_TAGS:
            yield f"uses the HTML tag <{tag}>, which some home drops"
    summaries = re.findall(r"<summary>(.*?)</summary>", token.content, re.DOTALL)
    if any(re.search(r"[`*_$]", summary) for summary in summaries):
        yield "has Markdown inside <summary>, where it does not render"
    if token.type == "html_block":
        rest = re.sub(r"<summary>.*?</summary>", "", token.content, flags=re.DOTALL)
        rest = re.sub(r"<!--.*?-->|<[^>]+>", "", rest, flags=re.DOTALL).strip()
        if rest:
            yield f"has text inside HTML without a blank line before it: {rest[:40]!r}"


def _without_code(text: str, *, keep_fence_lines: bool = False) -> str:
    """Blank out fenced blocks and code spans; a directive's or role's own marks stay."""
    lines, fence = [], ""
    for line in text.splitlines():
        mark = re.match(r"\s*(`{3,}|~{3,})", line)
        if mark and not fence:
            fence = mark[1]
            lines.append(line if keep_fence_lines else "")
        elif mark and mark[1].startswith(fence) and line.strip() == mark[1]:
            fence = ""
            lines.append("")
        else:
            lines.append("" if fence else line)
    without_fences = "\n".join(lines)
    return re.sub(r"(?<!\})(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", "", without_fences)


def _without_math(text: str) -> str:
    return re.sub(r"\$\$.*?\$\$|\$[^$\n]+\$", "", text, flags=re.DOTALL)


def _flat(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _flat(token.children or [])


# ---------------------------------------------------------------------------- checks: links


def slug(heading: str) -> str:
    """Return the anchor of a heading, by the rule GitHub and MyST share."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def headings(markdown: str) -> list[tuple[int, str]]:
    """Return the level and text of each heading."""
    tokens = plain_parser().parse(markdown)
    return [
        (int(opening.tag[1]), _plain_text(inline))
        for opening, inline in itertools.pairwise(tokens)
        if opening.type == "heading_open"
    ]


def _plain_text(inline: Token) -> str:
    return "".join(
        child.content
        for child in inline.children or []
        if child.type in ("text", "code_inline") or child.type.startswith("math")
    )


def _markdown_of(path: Path) -> str:
    if path.suffix == ".ipynb":
        return "\n\n".join(cell["source"] for cell in markdown_cells(read(path)))
    return path.read_text("utf-8")


def anchors(markdown: str) -> set[str]:
    """Return the anchors a text offers: its headings', and the targets of MyST pages."""
    found: set[str] = set()
    for _, heading in headings(markdown):
        name, count = slug(heading), 0
        while (candidate := f"{name}-{count}" if count else name) in found:
            count += 1
        found.add(candidate)
    return found | set(re.findall(r"^\(([\w.:-]+)\)=\s*$", markdown, re.MULTILINE))


def check_links(notebook: Notebook, path: Path) -> list[str]:
    """Ask that links lead to existing files and headings, and that pictures are local."""
    problems = []
    parser = plain_parser()
    own = "\n\n".join(cell["source"] for cell in markdown_cells(notebook))
    for name, text in _markdown_texts(notebook):
        for token in _flat(parser.parse(text)):
            address = str(token.attrGet("href") or token.attrGet("src") or "")
            if token.type not in ("link_open", "image"):
                continue
            if token.type == "image" and not (token.content or "").strip():
                problems.append(f"{name}: the picture {address!r} has no alt text")
            problem = _link_problem(address, path, own, picture=token.type == "image")
            if problem:
                problems.append(f"{name}: the link {address!r} {problem}")
    return problems


def _link_problem(address: str, path: Path, own: str, *, picture: bool) -> str:
    problem = _address_problem(address, picture=picture)
    if problem or address.startswith("https://"):
        return problem
    file, _, anchor = address.partition("#")
    target = (path.parent / unquote(file)).resolve() if file else path
    if not target.is_relative_to(path.parent.parent.resolve()) or not target.exists():
        return "leads to a file that is not there"
    if not anchor:
        return problem
    if target.suffix not in (".md", ".ipynb"):
        return "has an anchor into a file without headings"
    markdown = own if target == path else _markdown_of(target)
    # A reference page makes its anchors from the docstrings.
    generated = "auto" in markdown and anchor.startswith("softlookup") and _is_public(anchor)
    known = generated or unquote(anchor) in anchors(markdown)
    return "" if known else "leads to a heading that is not there"


def _address_problem(address: str, *, picture: bool) -> str:
    if re.match(r"[a-zA-Z][\w+.-]*:", address):
        if picture:
            return "shows a picture of another host"
        if not re.match(r"https://[\w-]+(\.[\w-]+)+", address):
            return "is neither relative nor https"
    if address.startswith("/"):
        return "is not relative"
    return "" if address.strip("#") else "is empty"


def _is_public(dotted: str) -> bool:
    """Say whether a dotted name such as ``softlookup.sql.attention`` exists."""
    parts = dotted.split(".")
    for length in range(len(parts), 0, -1):
        try:
            value: Any = importlib.import_module(".".join(parts[:length]))
        except ImportError:
            continue
        for part in parts[length:]:
            value = getattr(value, part, None)
        return value is not None
    return False


# ---------------------------------------------------------------------------- checks: the parts

FIRST_PART = "Before you start"
EXERCISES = "Exercises"
LAST_PARTS = [
    EXERCISES,
    "Three languages, one answer",
    "What to take away",
    "Code in this chapter",
    "Sources",
]


def check_headings(notebook: Notebook, path: Path = BOOK) -> list[str]:
    """Ask for one H1, in the first cell, no level skipped and no heading twice."""
    found = [item for cell in markdown_cells(notebook) for item in headings(cell["source"])]
    problems = []
    if [level for level, _ in found].count(1) != 1:
        problems.append(f"there are {[level for level, _ in found].count(1)} H1 headings, not one")
    first = notebook["cells"][0] if notebook["cells"] else {"cell_type": "", "source": ""}
    if first["cell_type"] != "markdown" or not first["source"].startswith("# "):
        problems.append("the first cell does not begin with the title")
    for (before, _), (after, text) in itertools.pairwise(found):
        if after > before + 1:
            problems.append(f"the heading {text!r} skips a level: H{before} to H{after}")
    names = [text for _, text in found]
    problems += [f"the heading {n!r} occurs twice" for n in sorted({*names}) if names.count(n) > 1]
    return problems


def sections(notebook: Notebook) -> list[tuple[int, str, list[Cell]]]:
    """Return level, heading and cells of each section; a Markdown cell is cut at its headings."""
    found: list[tuple[int, str, list[Cell]]] = [(0, "", [])]
    for cell in notebook["cells"]:
        if cell["cell_type"] != "markdown":
            found[-1][2].append(cell)
            continue
        lines = cell["source"].splitlines()
        starts = [
            token.map[0]
            for token in plain_parser().parse(cell["source"])
            if token.type == "heading_open" and token.map
        ]
        cuts = [0, *starts, len(lines)]
        names = [(0, ""), *headings(cell["source"])]
        for (start, end), (level, text) in zip(itertools.pairwise(cuts), names, strict=True):
            if level:
                found.append((level, text, []))
            if start < end:
                found[-1][2].append({**cell, "source": "\n".join(lines[start:end])})
    return found


def section_cells(notebook: Notebook, name: str) -> list[Cell]:
    """Return the cells under the H2 ``name``, those under its H3s included."""
    cells: list[Cell] = []
    inside = False
    for level, text, members in sections(notebook):
        if level <= 2:
            inside = level == 2 and text == name
        if inside:
            cells += members
    return cells


def check_parts(notebook: Notebook, path: Path = BOOK) -> list[str]:
    """Ask for the chapter's parts: what, how long, upon what first; the closing parts last."""
    level_2 = [text for level, text, _ in sections(notebook) if level == 2]
    problems = []
    if level_2[:1] != [FIRST_PART]:
        problems.append(f"the first part is not {FIRST_PART!r}")
    if level_2[-len(LAST_PARTS) :] != LAST_PARTS:
        problems.append(f"the chapter does not end with the parts {LAST_PARTS}")
    opening = " ".join(cell["source"] for cell in section_cells(notebook, FIRST_PART)).lower()
    for what, pattern in {
        "what the reader will be able to do": r"\bable to\b",
        "how many minutes it takes": r"\d\D{0,20}\bminutes\b",
        "what it builds on": r"\bbuil(?:ds?|t)\b[^.]{0,40}\bon\b|\bneeds?\b",
    }.items():
        if not re.search(pattern, opening):
            problems.append(f"{FIRST_PART!r} does not say {what}")
    proof = "\n".join(
        cell["source"]
        for cell in section_cells(notebook, LAST_PARTS[1])
        if cell["cell_type"] == "code"
    )
    for what, pattern in {
        "SQL": r"\bsql\b",
        "NumPy": r"\bnp\.|numpy|soft_lookup|attention",
        "Keras": r"\bkeras\b",
        "an assertion": r"\bassert\b|assert_allclose",
    }.items():
        if not re.search(pattern, proof):
            problems.append(f"{LAST_PARTS[1]!r} lacks {what}")
    for name in LAST_PARTS[2:]:
        prose = [c["source"] for c in section_cells(notebook, name) if c["cell_type"] == "markdown"]
        if len(" ".join(prose)) < len(name) + 40:
            problems.append(f"{name!r} is empty")
    return problems


class Exercise:
    """One exercise: its heading, its blank cell, its check cell, and the solution's code."""

    def __init__(self, name: str, cells: list[Cell]) -> None:
        self.name = name
        self.blanks = [c for c in cells if "exercise" in c["metadata"].get("tags", [])]
        self.checks = [c for c in cells if "check" in c["metadata"].get("tags", [])]
        self.prose = "\n\n".join(c["source"] for c in cells if c["cell_type"] == "markdown")
        self.solutions = [
            code
            for block in re.findall(r"<details>.*?</details>", self.prose, re.DOTALL)
            if "<summary>Solution</summary>" in block
            for code in re.findall(r"^```python\n(.*?)^```\s*$", block, re.DOTALL | re.MULTILINE)
        ]


def exercises(notebook: Notebook) -> list[Exercise]:
    """Return the exercises: the H3 sections of the part named "Exercises"."""
    found = []
    inside = False
    for level, text, cells in sections(notebook):
        if level <= 2:
            inside = level == 2 and text == EXERCISES
        elif inside and level == 3:
            found.append(Exercise(text, cells))
    return found


def check_exercises(notebook: Notebook, path: Path = BOOK) -> list[str]:
    """Ask that each exercise has one blank cell, one check ("not started"), one solution."""
    problems = []
    found = exercises(notebook)
    if not found:
        problems.append("there is no exercise")
    for exercise in found:
        for what, parts in {
            "blank cell tagged exercise": exercise.blanks,
            "cell tagged check": exercise.checks,
            "python block under <summary>Solution</summary>": exercise.solutions,
        }.items():
            if len(parts) != 1:
                problems.append(f"exercise {exercise.name!r} has {len(parts)} {what}, not one")
        for cell in exercise.checks:
            if "not started" not in "".join(output_texts(cell)).lower():
                problems.append(f"exercise {exercise.name!r}: the check's output lacks not started")
        for cell in exercise.blanks:
            if cell["outputs"]:
                problems.append(f"exercise {exercise.name!r}: the blank cell has an output")
    tagged = [
        cell["id"]
        for cell in code_cells(notebook)
        if {"exercise", "check"} & set(cell["metadata"].get("tags", []))
    ]
    known = [cell["id"] for e in found for cell in [*e.blanks, *e.checks]]
    problems += [f"cell {name!r} is tagged but in no exercise" for name in {*tagged} - {*known}]
    return problems


DIFFICULTY = {1: "easy", 2: "medium", 3: "hard"}
_LEVEL = re.compile(r"\*(★{1,3}) (easy|medium|hard) · (\d{1,2}) minutes\*")
_HINT = re.compile(r"<details>\n<summary>(Hint \d)</summary>\n\n(.*?)\n\n</details>", re.DOTALL)


def check_exercise_form(notebook: Notebook, path: Path = BOOK) -> list[str]:
    """Ask of each exercise for the same form: level and minutes, statement, hints, why.

    Below the heading stands one line such as ``*★★ medium · 8 minutes*``, the stars said in words
    too; then the statement; then one to three hints, each in a fold of its own, none of which gives
    a line of the solution's code. The solution says why. The minutes add up to what the chapter
    promises at its top.
    """
    problems = []
    minutes = 0
    for exercise in exercises(notebook):
        where = f"exercise {exercise.name!r}"
        _, _, body = exercise.prose.partition("\n")
        first, _, rest = body.strip().partition("\n")
        level = _LEVEL.fullmatch(first)
        if not level or DIFFICULTY[len(level[1])] != level[2]:
            problems.append(f"{where} does not begin with a line such as *★ easy · 5 minutes*")
        else:
            minutes += int(level[3])
        statement, folded, _ = rest.partition("<details>")
        if len(statement.strip()) < 10:
            problems.append(f"{where} has no statement between its level and its hints")
        hints = _HINT.findall(rest)
        names = [name for name, _ in hints]
        if not folded or names not in ([f"Hint {i + 1}" for i in range(n)] for n in (1, 2, 3)):
            problems.append(f"{where} has the hints {names}, not Hint 1 and so on, at most 3")
        lines = [line.strip() for code in exercise.solutions for line in code.splitlines()]
        for name, text in hints:
            given = [line for line in lines if len(line) > 9 and line in text]
            problems += [f"{where}: {name} gives the solution away: {line!r}" for line in given]
        for block in re.findall(r"<summary>Solution</summary>(.*?)</details>", rest, re.DOTALL):
            if len(_without_code(block).strip()) < 10:
                problems.append(f"{where}: the solution does not say why")
    opening = " ".join(cell["source"] for cell in section_cells(notebook, FIRST_PART))
    told = re.search(r"(\d+)\D{0,20}\bfor the exercises\b", opening)
    if told and minutes != int(told[1]) and not problems:
        problems.append(f"the exercises take {minutes} minutes, and {FIRST_PART!r} says {told[1]}")
    if not told:
        problems.append(f"{FIRST_PART!r} does not say how many minutes the exercises take")
    return problems


QUESTIONS = "Test yourself"


def check_questions(notebook: Notebook, path: Path = BOOK) -> list[str]:
    """Ask for a part right before the exercises that shows five to eight questions."""
    level_2 = [text for level, text, _ in sections(notebook) if level == 2]
    if QUESTIONS not in level_2 or level_2.index(QUESTIONS) + 1 != level_2.index(EXERCISES):
        return [f"there is no part {QUESTIONS!r} right before {EXERCISES!r}"]
    shown = [
        output["data"]["text/markdown"]
        for cell in section_cells(notebook, QUESTIONS)
        for output in cell.get("outputs", [])
        if "text/markdown" in output.get("data", {})
    ]
    asked = [text.count("**Question ") for text in shown]
    if len(asked) != 1 or not 5 <= asked[0] <= 8:
        return [f"{QUESTIONS!r} shows {asked} questions, not five to eight in one cell"]
    return []


def check_explorers(notebook: Notebook, path: Path = BOOK) -> list[str]:
    """Ask that an explorer stands by itself: a heading before it, and a heading behind it.

    Readers stay with a figure that moves, and must not lose a sentence that was begun before it.
    """
    problems = []
    for _, text, cells in sections(notebook):
        places = [n for n, cell in enumerate(cells) if _shows_explorer(cell)]
        if places and (places != [1] or len(cells) != 2):
            problems.append(f"the explorer under {text!r} shares its section with other cells")
    return problems


def _shows_explorer(cell: Cell) -> bool:
    code = cell["source"] if cell["cell_type"] == "code" else ""
    return re.search(r"^explorers\.\w+\(", code, re.MULTILINE) is not None


CHECKS: list[Callable[[Notebook, Path], list[str]]] = [
    check_schema,
    check_ids,
    check_canonical,
    check_executed,
    check_metadata,
    check_setup_cell,
    check_no_traces,
    check_figures,
    check_renders_alike,
    check_plain_markdown,
    check_links,
    check_headings,
    check_parts,
    check_exercises,
    check_exercise_form,
    check_questions,
    check_explorers,
]


def main(arguments: list[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Check the chapters' notebooks.")
    parser.add_argument("action", choices=["check", "add-setup-cell"])
    parser.add_argument("paths", nargs="*", type=Path, help="notebooks (default: all chapters)")
    options = parser.parse_args(arguments)
    failed = False
    for path in [path.resolve() for path in options.paths] or chapter_paths():
        notebook = read(path)
        if options.action == "add-setup-cell":
            text = text_of(with_setup_cell(notebook))
            if text != path.read_text("utf-8"):
                path.write_text(text, "utf-8", newline="\n")
                print(f"{path.name}: Colab cell written; now run tools/execute.py")
            continue
        for check in CHECKS:
            for problem in check(notebook, path):
                print(f"{path.name}: {problem}")
                failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
