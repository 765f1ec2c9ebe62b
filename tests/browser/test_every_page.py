"""Every built page in a real browser: on a phone and a desk, in light and dark."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from looks import (
    ONE_OF_EACH,
    ONE_OF_EACH_LOOK,
    OUT_OF_REACH,
    SCHEMES,
    SCRIPT,
    TOO_WIDE,
    WIDTHS,
    axe,
    names,
)
from playwright.sync_api import Browser, Page
from watched import serve, watch

#: Everything is drawn, and no colour is on its way to another.
AT_ONCE = "* { transition: none !important; content-visibility: visible !important }"
#: The rules that look at colours, which alone a theme changes: see the test of that below.
COLOURS = ("color-contrast", "link-in-text-block")
NOT_COLOURS = {"rules": {rule: {"enabled": False} for rule in COLOURS}}


def axe_colours(page: Page, sound: list[str]) -> list[str]:
    """Return what axe-core finds in the colours of a page.

    Contrast takes most of its time, so of texts that look the same in front of the same, and of
    links that look the same in the same text, it is asked about one. Looks found ``sound`` on a
    page before are not asked about again; those of this page are added, if nothing is wrong.
    """
    looks = page.evaluate(ONE_OF_EACH_LOOK, sound)
    if not looks:
        return []
    found = axe(page, context={"include": [["[data-look]"]]}, runOnly=list(COLOURS))
    if not found:
        sound += looks
    return found


@pytest.fixture(scope="module")
def sound() -> dict[str, list[str]]:
    """Return the looks found sound until now, on any page and at any width."""
    return {scheme: [] for scheme in SCHEMES}


@pytest.mark.parametrize("width", WIDTHS)
def test_every_page_is_sound(
    browser: Browser, served: str, site: Path, width: int, sound: dict[str, list[str]]
) -> None:
    faults: dict[str, Any] = {}
    with watch(browser, served, width=width, scheme="light") as watched:
        for name in names(site):
            page = watched.open(name)
            page.evaluate("document.querySelectorAll('details').forEach((d) => (d.open = true))")
            page.wait_for_timeout(100)
            page.add_style_tag(content=AT_ONCE)
            found = page.evaluate(TOO_WIDE)
            if page.evaluate(OUT_OF_REACH):
                page.wait_for_timeout(1000)  # boxes are marked when the browser is idle
                found += page.evaluate(OUT_OF_REACH)
            page.evaluate(ONE_OF_EACH)
            found += axe(page, **NOT_COLOURS)
            for scheme in SCHEMES:  # a page that nobody has switched follows the system
                page.emulate_media(color_scheme=scheme)
                page.wait_for_function(f"document.documentElement.dataset.theme === '{scheme}'")
                found += [f"{scheme}: {fault}" for fault in axe_colours(page, sound[scheme])]
            page.emulate_media(color_scheme=SCHEMES[0])
            if found or watched.faults:
                faults[name] = found + watched.faults
                watched.faults.clear()
    assert faults == {}
    assert min(len(looks) for looks in sound.values()) > 100


def test_a_pale_word_among_many_is_found(browser: Browser, served: str) -> None:
    sound: list[str] = []
    with watch(browser, served, scheme="dark") as watched:
        page = watched.open("book/glossary.html")
        page.add_style_tag(content=AT_ONCE)
        page.evaluate(ONE_OF_EACH)
        assert axe_colours(page, sound) == []
        looks = len(sound)
        assert looks > 20
        page.locator("article p").last.evaluate("(p) => (p.style.color = '#808080')")
        assert "color-contrast" in " ".join(axe_colours(page, sound))
        page.locator("article p").last.evaluate("(p) => (p.style.color = '')")
        page.locator("article h2").last.evaluate("(h) => (h.style.opacity = 0.2)")
        assert "color-contrast" in " ".join(axe_colours(page, sound))
        page.locator("article h2").last.evaluate("(h) => (h.style.opacity = '')")
        assert axe_colours(page, sound) == []
        assert len(sound) == looks  # what is pale was not learnt


def test_a_link_that_looks_like_its_text_is_found(browser: Browser, served: str) -> None:
    sound: list[str] = []
    with watch(browser, served) as watched:
        page = watched.open("book/bibliography.html")
        page.add_style_tag(content=AT_ONCE)
        assert axe_colours(page, sound) == []
        link = page.locator("article section p a").first
        link.evaluate("(a) => (a.style.cssText = 'color: #444; text-decoration: none')")
        assert "link-in-text-block" in " ".join(axe_colours(page, sound))


def test_the_rules_about_colours_are_named_above() -> None:
    rules = set(re.findall(r'"?id"?:\s*"([a-z-]+)",\s*"?(?:impact|selector|matches)"?:', SCRIPT))
    assert set(COLOURS) <= rules
    about = {rule for rule in rules if re.search("colou?r|contrast|link-in-text", rule)}
    assert about == {*COLOURS, "color-contrast-enhanced"}  # the last asks for more than AA


# The net holds: each fault, put into a page, is found.


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ('<img alt="" src="https://example.invalid/a.png">', "another host"),
        ('<img alt="" src="missing.png">', "404"),
        ("<script>console.error('oh')</script>", "console error: oh"),
        ("<script>nothing.at.all</script>", "error: nothing is not defined"),
        ('<div style="width: 2000px">wide</div>', "2000"),
        ("<article><div style='overflow: auto'><p style='width: 2000px'>w</div></article>", "<div"),
        ("<button></button>", "button-name"),
        ('<p style="color: #bbb">pale</p>', "color-contrast"),
    ],
)
def test_a_fault_is_found(browser: Browser, tmp_path: Path, body: str, fault: str) -> None:
    page = (
        '<!doctype html><html lang="en"><title>t</title><link rel="icon" href="data:,">'
        "<main><h1>Title</h1>{}</main></html>"
    )
    (tmp_path / "sound.html").write_text(page.format(""))
    (tmp_path / "faulty.html").write_text(page.format(body))
    with serve(tmp_path) as address, watch(browser, address, width=390) as watched:
        for name in ("sound.html", "faulty.html"):
            opened = watched.open(name)
            found = opened.evaluate(TOO_WIDE) + opened.evaluate(OUT_OF_REACH) + axe(opened)
            found += watched.faults
            assert any(fault in f for f in found) == (name == "faulty.html"), found
