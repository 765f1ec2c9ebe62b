"""Send one style sheet with the rules that the pages use, in place of the theme's whole ones.

The theme brings some 500 kB of styles for everything that anybody might build with it. When the
pages are written, every rule is kept whose tags, classes and ids all occur in them, or as a word
in a script that they load, since scripts set classes that no page has yet. What is kept is kept
in its order, so the pages look as before; a browser test compares them.

Two things that the theme's styles cannot do on their own are added to its rules for the colours:

- Without JavaScript nobody sets ``data-theme``, so each such rule gets a twin that follows the
  reader's system.
- Paper is white: what is printed has the light colours, whatever the screen shows.

A small font, such as the icons', goes into the sheet: on a slow connection asking for it takes
longer than its bytes.

CSS that this does not understand is a warning, and so is a page with other style sheets than
its neighbours: a strict build stops rather than dropping what a new version of the theme needs.
"""

from __future__ import annotations

import base64
import hashlib
import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import tinycss2
from sphinx.util import logging

if TYPE_CHECKING:
    from sphinx.application import Sphinx

logger = logging.getLogger(__name__)

#: The sheet that all pages share.
NAME = "_static/site.css"

#: Bytes of a font that are sent within the sheet.
SMALL = 4_000
FONT = re.compile(r'url\("([^":]+\.woff2)"\)')

#: Words that stand in no page and in no script as they are, and why they are needed.
ALSO_USED = {
    "bs-tooltip-auto": "Bootstrap puts it together from three parts",
    "bs-popover-auto": "the same; its tooltips share the rules",
}

WORD = re.compile(r"-?[A-Za-z_][\w-]*")
#: A page's links to sheets.
LINKS = re.compile(r'[ \t]*<link\b(?=[^>]*\brel="stylesheet")[^>]*>\n?')
HREF = re.compile(r'\bhref="([^"]+)"')
THEME = re.compile(r"""\[data-theme=["']?(dark|light)["']?\]""")

#: The colours of a scheme where no script chose one, and on paper.
UNCHOSEN = ":not([data-theme])"
NOT_LIGHT = ":not([data-theme=light])"


class StyleError(ValueError):
    """CSS that cannot be sorted into used and unused; the message says what."""


# What the pages use


@dataclass
class Used:
    """The tags of the pages, their classes and ids, and the words of their scripts."""

    tags: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=lambda: set(ALSO_USED))
    #: Custom properties that something other than a style sheet reads.
    properties: set[str] = field(default_factory=set)
    #: Scripts loaded, as the pages write their addresses.
    scripts: set[str] = field(default_factory=set)

    def add_page(self, html: str) -> None:
        """Add what a page is made of."""
        _Reader(self).feed(html)

    def add_script(self, text: str) -> None:
        """Add every word of a script: any may be a class that it sets or a tag that it makes."""
        words = set(WORD.findall(text))
        self.words |= words
        self.tags |= words
        self.properties |= set(re.findall(r"--[\w-]+", text))


class _Reader(HTMLParser):
    def __init__(self, used: Used) -> None:
        super().__init__()
        self.used = used
        self.text: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.used.tags.add(tag)
        for name, value in attrs:
            if name in ("class", "id"):
                self.used.words |= set((value or "").split())
            elif name == "style":
                self.used.properties |= set(re.findall(r"--[\w-]+", value or ""))
            elif name == "src" and tag == "script" and value:
                self.used.scripts.add(value)
        if tag in ("script", "style"):
            self.text = []

    def handle_data(self, data: str) -> None:
        if self.text is not None:
            self.text.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style") and self.text is not None:
            text, self.text = "".join(self.text), None
            if tag == "script":
                self.used.add_script(text)
            else:
                self.used.properties |= set(re.findall(r"--[\w-]+", text))


# What a selector asks for


def can_match(selector: list[Any], used: Used) -> bool:
    """Return whether the pages have what this selector, a list of tokens, names.

    Attributes and states are not looked at, so what only they decide is kept.
    """
    before = ""
    for token in selector:
        kind = token.type
        if kind == "hash" or (kind == "ident" and before == "."):
            if token.value not in used.words:
                return False
        elif kind == "ident" and before != ":":
            if token.lower_value not in used.tags:
                return False
        elif kind == "function":
            if before != ":":
                raise StyleError(f"{token.serialize()} in a selector")
            inside = split(token.arguments)
            # Of what must not be there, or of numbers, nothing needs to exist.
            if token.lower_name in ("is", "where", "has") and not any(
                can_match(part, used) for part in inside
            ):
                return False
        before = token.value if kind == "literal" else ""
    return True


def split(tokens: Iterable[Any]) -> list[list[Any]]:
    """Return a list of selectors, which commas part, as lists of tokens."""
    parts: list[list[Any]] = [[]]
    for token in tokens:
        if token.type == "literal" and token.value == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


# Sheets, read into rules that can be sorted


@dataclass
class Rule:
    """Declarations, by ``(name, tokens, important)``, for some selectors."""

    selectors: list[str]
    declarations: list[tuple[str, list[Any], bool]]


@dataclass
class Group:
    """Rules under a condition, such as ``@media print``."""

    condition: str
    rules: list[Any]


@dataclass
class Named:
    """A font face or an animation, needed where its name is used; or a sheet of paper."""

    keyword: str
    name: str
    text: str


def read(css: str, used: Used, folder: str = "") -> list[Any]:
    """Return the rules of a sheet that the pages use.

    ``folder`` leads from the folder of the new sheet to that of the old one, whose addresses are
    relative to it.
    """
    return list(_read(_rules(css), used, folder))


def _rules(content: Any) -> list[Any]:
    parse = tinycss2.parse_stylesheet if isinstance(content, str) else tinycss2.parse_rule_list
    found: list[Any] = parse(content, skip_comments=True, skip_whitespace=True)
    return found


def _read(rules: list[Any], used: Used, folder: str) -> Iterator[Any]:
    for rule in rules:
        if rule.type == "error":
            raise StyleError(f"line {rule.source_line}: {rule.message}")
        if rule.type == "qualified-rule":
            kept = [
                tinycss2.serialize(s).strip() for s in split(rule.prelude) if can_match(s, used)
            ]
            declarations = _declarations(rule.content, folder)
            if kept and declarations:
                yield Rule(kept, declarations)
            continue
        keyword, prelude = rule.lower_at_keyword, tinycss2.serialize(rule.prelude).strip()
        if keyword in ("media", "supports"):
            if inside := list(_read(_rules(rule.content), used, folder)):
                yield Group(f"@{keyword} {prelude}", inside)
        elif keyword == "keyframes":
            yield Named(keyword, prelude, f"@keyframes {prelude}{{{_text(rule.content)}}}")
        elif keyword == "font-face":
            parts = _declarations(rule.content, folder)
            name = next(_text(v) for n, v, _ in parts if n == "font-family").strip("\"'")
            yield Named(keyword, name, f"@font-face{{{_declared(parts)}}}")
        elif keyword == "page":
            which = f"@page {prelude}".strip()
            yield Named(keyword, prelude, f"{which}{{{_text(rule.content)}}}")
        elif keyword != "charset":  # every sheet here is UTF-8
            raise StyleError(f"line {rule.source_line}: @{keyword} is not known here")


def _declarations(content: Any, folder: str) -> list[tuple[str, list[Any], bool]]:
    found = []
    for item in tinycss2.parse_blocks_contents(content, skip_comments=True, skip_whitespace=True):
        if item.type == "declaration":
            _relocate(item.value, folder)
            found.append((item.name, item.value, item.important))
        elif item.type != "error":  # what a browser does not understand either, it leaves out
            raise StyleError(f"line {item.source_line}: a rule inside a rule")
    return found


def _relocate(tokens: list[Any], folder: str) -> None:
    """Let relative addresses lead from the new sheet to where they led from the old one."""
    for token in tokens:
        if token.type == "function":
            _relocate(token.arguments, folder)
        elif hasattr(token, "content"):
            _relocate(token.content, folder)
        if token.type == "url":
            token.representation = f'url("{_moved(token.value, folder)}")'
        elif token.type == "function" and token.lower_name == "url":
            for address in token.arguments:
                if address.type == "string":
                    address.representation = f'"{_moved(address.value, folder)}"'


def _moved(address: str, folder: str) -> str:
    if address.startswith(("#", "/", "data:")) or urlsplit(address).scheme:
        return address.replace('"', "%22")
    return posixpath.normpath(posixpath.join(folder, address))


# What the kept rules name in turn


def without_unnamed(rules: list[Any], used: Used) -> list[Any]:
    """Leave out custom properties, fonts and animations that nothing kept asks for."""
    declared = [d for rule in _flat(rules) if isinstance(rule, Rule) for d in rule.declarations]
    words_of = [(name, set(re.findall(r"--[\w-]+", _text(value)))) for name, value, _ in declared]
    needed, grown = set(used.properties), True
    while grown:
        before = len(needed)
        for name, words in words_of:
            if not name.startswith("--") or name in needed:
                needed |= words
        grown = len(needed) > before
    values = " ".join(
        _text(value) for name, value, _ in declared if not name.startswith("--") or name in needed
    )
    return list(_named(rules, needed, values))


def _flat(rules: list[Any]) -> Iterator[Any]:
    for rule in rules:
        if isinstance(rule, Group):
            yield from _flat(rule.rules)
        else:
            yield rule


def _named(rules: list[Any], needed: set[str], values: str) -> Iterator[Any]:
    for rule in rules:
        if isinstance(rule, Group):
            if inside := list(_named(rule.rules, needed, values)):
                yield Group(rule.condition, inside)
        elif isinstance(rule, Named):
            if rule.keyword == "page" or re.search(
                rf"(?<![\w-]){re.escape(rule.name)}(?![\w-])", values
            ):
                yield rule
        else:
            kept = [d for d in rule.declarations if not d[0].startswith("--") or d[0] in needed]
            if kept:
                yield Rule(rule.selectors, kept)


# The colours where no script chooses them, and on paper


def with_twins(rules: list[Any]) -> list[Any]:
    """Return the rules, each that depends on the theme with its twins after it."""
    return list(_twins(rules))


def _twins(rules: list[Any]) -> Iterator[Any]:
    for rule in rules:
        if isinstance(rule, Group):
            yield Group(rule.condition, list(_twins(rule.rules)))
            continue
        themed = [s for s in getattr(rule, "selectors", ()) if THEME.search(s)]
        if not themed:
            yield rule
            continue
        if rest := [s for s in rule.selectors if s not in themed]:
            yield Rule(rest, rule.declarations)
        for scheme in ("light", "dark"):
            selectors = [s for s in themed if set(THEME.findall(s)) == {scheme}]
            if not selectors:
                continue
            if any(":not([data-theme=" in s for s in selectors):
                raise StyleError(f"{selectors[0]} depends on the theme in a way that is new")
            chosen = Rule(selectors, rule.declarations)
            unchosen = Rule([THEME.sub(UNCHOSEN, s) for s in selectors], rule.declarations)
            following = Group(f"@media screen and (prefers-color-scheme:{scheme})", [unchosen])
            if scheme == "dark":
                yield Group("@media screen", [chosen])
                yield following
            else:
                yield chosen
                yield following
                printed = [THEME.sub(NOT_LIGHT, s) for s in selectors]
                yield Group("@media print", [Rule(printed, rule.declarations)])


# Written out


def write(rules: list[Any]) -> str:
    """Return rules as CSS, with no space to spare."""
    parts, index = [], 0
    while index < len(rules):
        rule = rules[index]
        index += 1
        if isinstance(rule, Rule):
            parts.append(f"{','.join(rule.selectors)}{{{_declared(rule.declarations)}}}")
        elif isinstance(rule, Named):
            parts.append(rule.text)
        else:
            inside = list(rule.rules)
            while index < len(rules) and getattr(rules[index], "condition", "") == rule.condition:
                inside += rules[index].rules
                index += 1
            parts.append(f"{rule.condition}{{{write(inside)}}}")
    return "".join(parts)


def _declared(declarations: list[tuple[str, list[Any], bool]]) -> str:
    return ";".join(
        f"{name}:{_text(value) or ' '}{'!important' if important else ''}"
        for name, value, important in declarations
    )


def _text(tokens: list[Any]) -> str:
    return re.sub(r"\s+", " ", tinycss2.serialize(tokens)).strip()


# Sphinx


def gather(sheets: dict[str, str], used: Used) -> str:
    """Return one sheet from several, by their path from its folder, in their order."""
    rules: list[Any] = []
    for path, css in sheets.items():
        try:
            rules += read(css, used, posixpath.dirname(path))
        except StyleError as error:
            raise StyleError(f"{path}: {error}") from error
    return write(without_unnamed(with_twins(rules), used))


def with_small_fonts(sheet: str, folder: Path) -> str:
    """Return a sheet with the fonts that are small within it; ``folder`` is where it lies."""

    def within(font: re.Match[str]) -> str:
        path = folder / font[1]
        if not path.is_file() or path.stat().st_size > SMALL:
            return font[0]
        return f"url(data:font/woff2;base64,{base64.b64encode(path.read_bytes()).decode()})"

    return FONT.sub(within, sheet)


def join_sheets(app: Sphinx, exception: Exception | None) -> None:
    """Replace the style sheets of all pages by the one that they need."""
    if exception is not None or app.builder.format != "html":
        return
    out = Path(app.outdir)
    pages = {p: p.read_text("utf-8") for p in sorted(out.rglob("*.html")) if _is_page(p, out)}
    used, linked = Used(), dict[str, list[str]]()
    for path, html in pages.items():
        used.add_page(html)
        linked[path.relative_to(out).as_posix()] = [
            _target(link, path, out) for link in LINKS.findall(html)
        ]
    # Pages of our own, such as the one for wrong addresses, bring their styles with them.
    lists = {tuple(sheets) for sheets in linked.values() if sheets}
    if len(lists) != 1:
        logger.warning("pages differ in their style sheets: %s", sorted(lists), type="styles")
        return
    for script in sorted(out.joinpath("_static").rglob("*.mjs")):
        used.add_script(script.read_text("utf-8"))
    for address in used.scripts:
        name = posixpath.basename(urlsplit(address).path)
        for script in out.rglob(name):
            used.add_script(script.read_text("utf-8"))
    try:
        sheet = gather(_with_imports(lists.pop(), out), used)
    except StyleError as error:
        logger.warning("%s", error, type="styles")
        return
    sheet = with_small_fonts(sheet, out.joinpath(NAME).parent)
    out.joinpath(NAME).write_text(sheet, "utf-8")
    version = hashlib.sha256(sheet.encode()).hexdigest()[:8]
    for path, html in pages.items():
        root = "../" * (len(path.relative_to(out).parts) - 1)
        link = f'    <link rel="stylesheet" href="{root}{NAME}?v={version}">\n'
        first = LINKS.search(html)
        if first:
            rest = LINKS.sub("", html[first.end() :])
            path.write_text(html[: first.start()] + link + rest, "utf-8")


def _is_page(path: Path, out: Path) -> bool:
    return "_static" not in path.relative_to(out).parts  # the theme leaves templates there


def _target(link: str, page: Path, out: Path) -> str:
    """Return the path of the sheet that a page links, from the top of the site."""
    address = HREF.search(link)
    assert address is not None
    path = posixpath.join(page.parent.relative_to(out).as_posix(), urlsplit(address[1]).path)
    return posixpath.normpath(path)


def _with_imports(paths: Iterable[str], out: Path) -> dict[str, str]:
    """Return the sheets by path from the new sheet's folder, each after what it imports."""
    sheets: dict[str, str] = {}
    here = posixpath.dirname(NAME)
    for path in paths:
        css = out.joinpath(path).read_text("utf-8")
        for imported in re.findall(r'@import\s+"([^"]+)";', css):
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), imported))
            sheets[posixpath.relpath(target, here)] = out.joinpath(target).read_text("utf-8")
        css = re.sub(r'@import\s+"[^"]+";', "", css)
        sheets[posixpath.relpath(path, here)] = css
    return sheets


def setup(app: Sphinx) -> dict[str, Any]:
    """Join the sheets when all pages are there."""
    app.connect("build-finished", join_sheets, priority=950)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
