"""A term is used only after the chapter that introduces it.

The glossary names that chapter. A term counts as used where a reader meets it as a word: in
prose, alt texts, comments and strings of the code, printed results and the words of figures. Not
in names of variables, SQL, addresses of links, code spans, mathematics, or the titles under
"Sources".
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import notebooks

GLOSSARY = notebooks.BOOK / "glossary.md"
# The lines below the title and "Before you start" promise what the chapter will introduce;
# "Sources" names papers, and papers have titles.
PROMISES, TITLES = ("", notebooks.FIRST_PART), "Sources"


@dataclass(frozen=True)
class Term:
    """A glossary entry: its name and variants, and the chapter that introduces it."""

    names: tuple[str, ...]
    chapter: int

    def __str__(self) -> str:
        return self.names[0]


@dataclass(frozen=True)
class Words:
    """Some words a reader meets, where, and whether they are set off as new."""

    text: str
    cell: str
    section: str
    emphasis: str = ""  # "bold", "heading" or neither


# ------------------------------------------------------------------ the glossary


def parse_glossary(text: str) -> list[Term]:
    """Read ``### term / variant, variant`` headings, each with its "Introduced in" line."""
    terms = []
    for entry in re.split(r"^### ", text, flags=re.MULTILINE)[1:]:
        heading, _, body = entry.partition("\n")
        first = body.strip().split("\n", 1)[0]
        introduced = re.fullmatch(
            r"\*Introduced in \[chapter (\d+)\]\((\d\d)-[\w-]+\.ipynb(?:#[\w-]+)?\)\.\*", first
        )
        if not introduced or int(introduced[1]) != int(introduced[2]):
            raise ValueError(f"glossary, {heading!r}: no line that says where it is introduced")
        name, _, variants = heading.partition(" / ")
        names = [name, *variants.split(",")] if variants else [name]
        terms.append(Term(tuple(n.strip().lower() for n in names), int(introduced[1])))
    return terms


def _pattern(name: str) -> str:
    """Return a pattern for a name: any spacing or hyphen between its words, its plural too."""
    words = re.split(r"[\s-]+", name)
    last = re.escape(words[-1])
    if re.search(r"[^aeiou]y$", words[-1]):
        last = f"(?:{last}|{re.escape(words[-1][:-1])}ies)"
    else:
        last += "(?:s|es)?"
    spaced = r"[\s\u2010\u2011-]+".join([*map(re.escape, words[:-1]), last])
    return rf"(?<![\w]){spaced}(?![\w])"


def uses(text: str, terms: list[Term]) -> list[tuple[int, Term]]:
    """Return where each term stands in a text; a longer term hides the shorter ones within."""
    named = sorted(
        ((name, term) for term in terms for name in term.names), key=lambda item: -len(item[0])
    )
    found = []
    for name, term in named:
        for match in re.finditer(_pattern(name), text, re.IGNORECASE):
            found.append((match.start(), term))
            text = text[: match.start()] + "\0" * len(match[0]) + text[match.end() :]
    return sorted(found, key=lambda item: item[0])


# ------------------------------------------------------------------ what a reader meets


def words_of(notebook: dict[str, Any]) -> Iterator[Words]:
    """Yield the words of a chapter in reading order."""
    section = ""
    for level, heading, cells in notebooks.sections(notebook):
        section = {0: "", 1: ""}.get(level, heading if level == 2 else section)
        for cell in cells:
            name = cell["id"]
            if name == notebooks.COLAB_SETUP_ID:
                continue
            if cell["cell_type"] == "markdown":
                for text, emphasis in _prose(cell["source"]):
                    yield Words(text, name, section, emphasis)
                continue
            alt = cell["metadata"].get("mystnb", {}).get("image", {}).get("alt", "")
            for text in [*_comments_and_strings(cell["source"]), alt]:
                yield Words(text, name, section)
            for output in cell["outputs"]:
                for text in _printed(output):
                    yield Words(text, name, section)


def _prose(markdown: str) -> Iterator[tuple[str, str]]:
    heading = False
    for token in notebooks.plain_parser().parse(markdown):
        if token.type in ("heading_open", "heading_close"):
            heading = token.type == "heading_open"
        elif token.type == "inline":
            for text, bold in _inline(token.children or []):
                yield text, "heading" if heading else "bold" if bold else ""
        elif token.type == "fence":
            comments = _sql_comments if token.info.strip() == "sql" else _comments_and_strings
            for text in comments(token.content):
                yield text, ""
        elif token.type == "html_block":
            yield re.sub(r"<[^>]+>", "\n", token.content), ""


def _inline(children: list[Any]) -> Iterator[tuple[str, bool]]:
    """Yield the runs of plain and of bold words; a run may span a link or italics."""
    run, bold = "", 0
    for child in children:
        if child.type in ("strong_open", "strong_close"):
            yield run, bold > 0
            run, bold = "", bold + child.nesting
        elif child.type == "text":
            run += child.content
        elif child.type in ("softbreak", "hardbreak"):
            run += " "
        elif child.type in ("code_inline", "image") or child.type.startswith("math"):
            run += " \0 "
    yield run, bold > 0


def _comments_and_strings(source: str) -> Iterator[str]:
    """Yield the comments of Python code and its strings; of a string of SQL, its comments."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            is_sql = re.match(r"\s*(?:SELECT|WITH|CREATE|INSERT)\b", node.value)
            yield from _sql_comments(node.value) if is_sql else [node.value]


def _sql_comments(source: str) -> list[str]:
    return re.findall(r"--(.*)", source)


def _printed(output: dict[str, Any]) -> Iterator[str]:
    yield output.get("text", "")
    for kind, value in output.get("data", {}).items():
        if kind == "image/svg+xml":
            yield "\n".join(re.findall(r"<!--(.*?)-->", value, re.DOTALL))
        elif kind == "text/markdown":
            yield "\n".join(text for text, _ in _prose(value))
        elif kind == "text/html":
            seen = re.sub(r"<style>.*?</style>", "", value, flags=re.DOTALL)
            yield re.sub(r"<[^>]+>", "\n", seen)
        elif kind == "text/plain":
            yield value


# ------------------------------------------------------------------ the two rules


def number_of(path: Path) -> int:
    """Return the chapter's number, from its file's name."""
    return int(path.name[:2])


def used_too_early(notebook: dict[str, Any], chapter: int, terms: list[Term]) -> list[str]:
    """Return each use of a term that a later chapter introduces."""
    problems = []
    for words in words_of(notebook):
        if words.section == TITLES:
            continue
        for place, term in uses(words.text, terms):
            if term.chapter > chapter:
                around = words.text[max(place - 30, 0) : place + 50].replace("\n", " ")
                problems.append(
                    f"cell {words.cell!r} uses {term} of chapter {term.chapter}: {around!r}"
                )
    return problems


def not_introduced(notebook: dict[str, Any], chapter: int, terms: list[Term]) -> list[str]:
    """Return the chapter's own terms whose first use is neither bold nor a heading."""
    own = [term for term in terms if term.chapter == chapter]
    first: dict[Term, Words] = {}
    for words in words_of(notebook):
        promised = words.section in PROMISES and words.emphasis != "heading"
        if promised or words.section == TITLES:
            continue
        for _, term in uses(words.text, terms):
            first.setdefault(term, words)
    problems = [f"{term} is not used" for term in own if term not in first]
    for term in own:
        if term in first and not first[term].emphasis:
            words = first[term]
            problems.append(
                f"the first use of {term}, cell {words.cell!r}, is neither bold nor a heading: "
                f"{words.text.strip()[:80]!r}"
            )
    return problems


# ------------------------------------------------------------------ the chapters

CHAPTERS = notebooks.chapter_paths()
by_name = pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)


def glossary() -> list[Term]:
    return parse_glossary(GLOSSARY.read_text("utf-8"))


def test_the_glossary_has_terms_each_once() -> None:
    terms = glossary()
    names = [name for term in terms for name in term.names]
    assert terms
    assert sorted({*names}) == sorted(names)
    assert {term.chapter for term in terms} >= {number_of(path) for path in CHAPTERS}


def test_the_glossary_is_in_alphabetical_order() -> None:
    names = [re.sub(r"[\s-]", "", term.names[0]) for term in glossary()]
    assert names == sorted(names)


@by_name
def test_no_term_is_used_before_its_chapter(path: Path) -> None:
    problems = used_too_early(notebooks.read(path), number_of(path), glossary())
    assert not problems, "\n".join(problems)


@by_name
def test_each_term_is_introduced_where_the_glossary_says(path: Path) -> None:
    problems = not_introduced(notebooks.read(path), number_of(path), glossary())
    assert not problems, "\n".join(problems)


# ------------------------------------------------------------------ both rules can say no

SAMPLE = """# Glossary

### attention head / head

*Introduced in [chapter 6](06-self.ipynb).*

One of several.

### query

*Introduced in [chapter 1](01-lookup.ipynb).*

What is asked.

### self-attention

*Introduced in [chapter 6](06-self.ipynb).*

Asking oneself.

### similarity

*Introduced in [chapter 2](02-similarity.ipynb#likeness).*

Likeness.
"""
TERMS = parse_glossary(SAMPLE)


def _cell(source: str, **more: Any) -> dict[str, Any]:
    kind = "code" if more else "markdown"
    return {"cell_type": kind, "id": "cell", "metadata": {}, "source": source, "outputs": []} | more


def _said(text: str) -> list[dict[str, Any]]:
    return [{"output_type": "stream", "name": "stdout", "text": text}]


def _drawn(svg: str) -> list[dict[str, Any]]:
    return [{"output_type": "display_data", "data": {"image/svg+xml": svg}, "metadata": {}}]


def _html(html: str) -> list[dict[str, Any]]:
    return [{"output_type": "display_data", "data": {"text/html": html}, "metadata": {}}]


def test_the_sample_is_parsed() -> None:
    assert [(term.names, term.chapter) for term in TERMS] == [
        (("attention head", "head"), 6),
        (("query",), 1),
        (("self-attention",), 6),
        (("similarity",), 2),
    ]


@pytest.mark.parametrize(
    "broken",
    [
        SAMPLE.replace("*Introduced in [chapter 2](02-similarity.ipynb#likeness).*\n\n", ""),
        SAMPLE.replace("[chapter 2]", "[chapter 3]"),
    ],
)
def test_an_entry_without_its_chapter_is_an_error(broken: str) -> None:
    with pytest.raises(ValueError, match="similarity"):
        parse_glossary(broken)


@pytest.mark.parametrize(
    ("term", "cell"),
    [
        ("similarity", _cell("The similarity is high.")),
        ("similarity", _cell("Two *Similarities* of many.")),
        ("similarity", _cell("A list:\n\n- of similarity\n")),
        ("similarity", _cell("| a | similarity |\n|:--|:--|\n| b | c |")),
        (
            "similarity",
            _cell("<details>\n<summary>Similarity</summary>\n\nHm.\n\n</details>"),
        ),
        ("similarity", _cell("The [similarity](other.md) is high.")),
        ("attention head", _cell("Several heads are better.")),
        ("attention head", _cell("Several attention\nheads are better.")),
        ("self-attention", _cell("A word on self attention.")),
        ("similarity", _cell("x = 1  # the similarity", outputs=[])),
        ("similarity", _cell("print('similarity', x)", outputs=[])),
        ("similarity", _cell("print(f'so\\nsimilarity is {x}')", outputs=[])),
        ("similarity", _cell("run('SELECT a -- similarity')", outputs=[])),
        ("similarity", _cell("x", outputs=_said("similarity: 3\n"))),
        ("similarity", _cell("x", outputs=_drawn("<svg><!-- similarity --></svg>"))),
        ("similarity", _cell("x", outputs=_html("<style>x</style><p>A similarity.</p>"))),
        (
            "similarity",
            _cell("x", outputs=[], metadata={"mystnb": {"image": {"alt": "The similarity."}}}),
        ),
        ("similarity", _cell("```python\nx = 1  # the similarity\n```")),
    ],
)
def test_a_later_term_is_found(term: str, cell: dict[str, Any]) -> None:
    problems = used_too_early({"cells": [cell]}, 1, TERMS)
    assert len(problems) == 1, problems
    assert f"uses {term} of chapter" in problems[0]


@pytest.mark.parametrize(
    "cell",
    [
        _cell("The query is asked; queries are many."),
        _cell("`similarity` and $similarity$ are names, [this](similarity.md) an address."),
        _cell("similarity = f'{head + 1}'", outputs=[]),
        _cell("run('SELECT :head AS similarity')", outputs=[]),
        _cell("```sql\nSELECT similarity\n```"),
        _cell("Dissimilarity lies ahead of us."),
        _cell("x", outputs=_html("<style>.similarity{}</style><p>The query.</p>")),
        _cell("# T\n\n## Sources\n\n- *On Similarity and Self-Attention* (1999)."),
    ],
)
def test_what_is_no_use_is_passed_over(cell: dict[str, Any]) -> None:
    assert used_too_early({"cells": [cell]}, 1, TERMS) == []


def test_a_term_may_be_used_from_its_chapter_on() -> None:
    cell = _cell("The similarity is high.")
    assert used_too_early({"cells": [cell]}, 2, TERMS) == []
    assert used_too_early({"cells": [cell]}, 3, TERMS) == []


@pytest.mark.parametrize(
    "text",
    [
        "## Part\n\nA **similarity** is a number. This similarity is 3.",
        "## What similarity is\n\nA similarity is a number.",
        "# Of similarity\n\n## Next\n\nA similarity is a number.",
        "# T\n\nOf similarity.\n\n## Part\n\n**Similarity** it is.",
        "# T\n\n## Before you start\n\nOf similarity.\n\n## Part\n\n**Similarity** it is.",
    ],
)
def test_an_introduction_is_recognised(text: str) -> None:
    assert not_introduced({"cells": [_cell(text)]}, 2, TERMS) == []


@pytest.mark.parametrize(
    ("cells", "wanted"),
    [
        ([_cell("Words.")], "similarity is not used"),
        ([_cell("A similarity is a number. **Similarity** it is.")], "neither bold nor a heading"),
        ([_cell("# similarity first", outputs=[]), _cell("**similarity**")], "neither bold"),
        ([_cell("## Sources\n\n**similarity**")], "similarity is not used"),
        ([_cell("## Before you start\n\n**similarity**")], "similarity is not used"),
    ],
)
def test_a_missing_introduction_is_found(cells: list[dict[str, Any]], wanted: str) -> None:
    (problem,) = not_introduced({"cells": [_cell("# Title\n\n## Part"), *cells]}, 2, TERMS)
    assert wanted in problem
