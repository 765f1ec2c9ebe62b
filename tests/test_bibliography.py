"""The bibliography and the sources of the chapters tell the same story."""

from __future__ import annotations

import re

import pytest

import notebooks

#: What a chapter cites by its maker rather than by author and year.
MAKERS = {
    "PyTorch documentation": "PyTorch's",
    "JAX documentation": "JAX's",
    "Unicode Common Locale": "Unicode Common Locale Data Repository",
}


def entries(text: str) -> dict[str, set[str]]:
    """Return, for each entry, the stems of the chapters that it says it is used in."""
    found = {}
    for paragraph in re.split(r"\n\n+", text):
        if head := re.match(r"\*\*(.+?)\.\*\*", paragraph, re.DOTALL):
            name = " ".join(head[1].split())
            found[name] = set(re.findall(r"\((\d\d-[\w-]+)\.ipynb\)", paragraph))
    return found


def citations(name: str) -> list[str]:
    """Return the forms in which a chapter may cite an entry.

    >>> citations("Ba, J.; Kiros, R.; Hinton, G. (2016)")[:2]
    ['Ba, Kiros and Hinton (2016)', 'Ba et al. (2016)']
    """
    for maker, words in MAKERS.items():
        if name.startswith(maker):
            return [words]
    authors, year = re.fullmatch(r"(.+) \((\d{4})\)", name).groups()  # type: ignore[union-attr]
    names = [author.split(",")[0] for author in authors.split("; ")]
    full = " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)
    return [
        f"{who} ({year})" for who in (full, f"{names[0]} et al.", f"{', '.join(names[:3])} et al.")
    ]


BIBLIOGRAPHY = entries((notebooks.BOOK / "bibliography.md").read_text(encoding="utf-8"))
SOURCES = {
    path.stem: "\n".join(
        cell["source"] for cell in notebooks.section_cells(notebooks.read(path), "Sources")
    )
    for path in notebooks.chapter_paths()
}


@pytest.mark.parametrize("name", BIBLIOGRAPHY)
def test_an_entry_names_the_chapters_that_cite_it(name: str) -> None:
    citing = {
        stem for stem, text in SOURCES.items() if any(form in text for form in citations(name))
    }
    assert BIBLIOGRAPHY[name] == citing


@pytest.mark.parametrize("stem", SOURCES)
def test_each_citation_has_one_entry(stem: str) -> None:
    for name in BIBLIOGRAPHY:
        for form in citations(name):
            rivals = [other for other in BIBLIOGRAPHY if form in citations(other)]
            assert form not in SOURCES[stem] or rivals == [name]
    left = SOURCES[stem]
    for form in sorted((f for n in BIBLIOGRAPHY for f in citations(n)), key=len, reverse=True):
        left = left.replace(form, "")
    assert re.findall(r"[^.;:]*\(\d{4}\)", left) == []
