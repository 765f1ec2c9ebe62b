r"""Render math while the site is built, as MathML that browsers draw themselves.

No script and no other host is asked when a page is read, so formulas appear at once, offline and
with JavaScript off. ``latex2mathml`` translates; what it leaves in a form that browsers do not
draw (they implement *MathML Core*) is rewritten here, each rewrite in a function of its own.

``\tag{1.1}`` becomes an equation number with an anchor, ``#equation-1-1``.

An unknown command, or one that ends in an element or attribute outside MathML Core, is a warning,
so that a strict build stops.
"""

# ruff: noqa: RUF001, RUF002, RUF003  mathematical characters are this file's business
from __future__ import annotations

import itertools
import re
import unicodedata
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.util import logging

if TYPE_CHECKING:
    from collections.abc import Callable
    from xml.etree.ElementTree import Element

    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator

logger = logging.getLogger(__name__)

NAMESPACE = "http://www.w3.org/1998/Math/MathML"
THIN = "0.167em"

#: What MathML Core draws, and of its attributes those that latex2mathml has a use for.
# fmt: off
CORE_ELEMENTS = frozenset(
    ("math", "mi", "mn", "mo", "mtext", "mspace", "mrow", "mfrac", "msqrt", "mroot", "mstyle",
     "mpadded", "mphantom", "msub", "msup", "msubsup", "munder", "mover", "munderover",
     "mtable", "mtr", "mtd")
)
CORE_ATTRIBUTES = frozenset(
    ("display", "displaystyle", "scriptlevel", "mathvariant", "accent", "accentunder", "stretchy",
     "fence", "form", "lspace", "rspace", "minsize", "maxsize", "largeop", "movablelimits",
     "separator", "width", "height", "depth", "voffset", "linethickness", "mathcolor",
     "mathbackground", "class", "style")
)
# fmt: on

#: How many parts these must have.
PARTS = dict.fromkeys(("mfrac", "mroot", "msub", "msup", "munder", "mover"), 2)
PARTS |= dict.fromkeys(("msubsup", "munderover"), 3)

#: Commands that latex2mathml does not know, in words that it does.
LATEX_REWRITES = (
    (re.compile(r"(\\(?:begin|end))\{aligned\}"), r"\1{split}"),
    (re.compile(r"\\arg\s*\\(max|min)(?![A-Za-z])"), r"\\arg\1"),
    (re.compile(r"\\operatorname\*?\{arg\s*(?:\\,)?\s*(max|min)\}"), r"\\arg\1"),
    (re.compile(r"\\operatorname\*"), r"\\operatornamewithlimits"),
    (re.compile(r"\\mathrm\{([A-Za-z])\}"), r"\\text{\1}"),
)
#: What it would set wrongly without a word.
REFUSED = re.compile(r"\\operatorname(?:withlimits)?\{[^{}]*\\[^{}]*\}")
TAG = re.compile(r"\\tag\*?\{([^{}]*)\}")

#: Names that carry their limits below them in display style.
LIMIT_NAMES = frozenset(("max", "min", "arg max", "arg min", "lim", "sup", "inf"))
#: Characters that stand like a letter, without an operator's space around them.
LIKE_LETTERS = frozenset("∂∇∞∅…⋯⋮⋱⊤⊥∀∃∠")
OPENING, CLOSING = "⟨⌊⌈⟦", "⟩⌋⌉⟧"
CLOSERS = frozenset(")]}!" + CLOSING)
BARS = frozenset("|‖")
ACCENTS = frozenset("^~¯→˙¨ˇ")
SCRIPTS = frozenset(("msub", "msup", "msubsup", "munder", "mover", "munderover"))
NAMED_SPACES = {
    "negativethinmathspace": "-0.167em",
    "negativemediummathspace": "-0.222em",
    "negativethickmathspace": "-0.278em",
}
ALPHABETS = {
    "bold": "BOLD",
    "italic": "ITALIC",
    "bold-italic": "BOLD ITALIC",
    "double-struck": "DOUBLE-STRUCK",
    "script": "SCRIPT",
    "bold-script": "BOLD SCRIPT",
    "fraktur": "FRAKTUR",
    "sans-serif": "SANS-SERIF",
    "monospace": "MONOSPACE",
}


class MathError(ValueError):
    """A formula that cannot be shown; the message says which part."""


def to_mathml(latex: str, *, display: bool = False) -> str:
    r"""Return a formula as a ``<math>`` element in MathML Core.

    >>> to_mathml(r"\mathbb R")
    '<math><mi>ℝ</mi></math>'
    >>> to_mathml(r"\nosuch")
    Traceback (most recent call last):
    course_site.mathml.MathError: unknown command \nosuch
    """
    for pattern, replacement in LATEX_REWRITES:
        latex = pattern.sub(replacement, latex)
    if refused := REFUSED.search(latex):
        raise MathError(f"a command inside {refused[0]}")
    try:
        text = convert(latex.strip(), display="block" if display else "inline")
        root = ElementTree.fromstring(re.sub(r"\sxmlns=\"[^\"]*\"", "", text))
    except Exception as error:  # latex2mathml's errors have no common base
        raise MathError(f"{type(error).__name__} {error}".strip()) from error
    if not display:
        del root.attrib["display"]
    for rewrite in REWRITES:
        for parent in list(root.iter()):
            rewrite(parent)
    _flatten(root)
    _check(root)
    return ElementTree.tostring(root, encoding="unicode")


# Rewrites: each is called with every element and may change its children.


def _letters(element: Element) -> None:
    """Replace ``mathvariant`` by the letters of that mathematical alphabet."""
    variant = element.get("mathvariant")
    if variant is None or (variant == "normal" and len(element.text or "") == 1):
        return
    del element.attrib["mathvariant"]
    if element.tag == "mtext" and variant in ("bold", "italic"):
        element.set("style", "font-weight: bold" if variant == "bold" else "font-style: italic")
    elif variant in ALPHABETS and element.tag != "mo":
        element.text = "".join(_letter(c, ALPHABETS[variant]) for c in element.text or "")


def _letter(character: str, alphabet: str) -> str:
    try:
        name = unicodedata.name(character)
    except ValueError:
        return character
    name = re.sub(r"LATIN (CAPITAL|SMALL) LETTER|GREEK (CAPITAL|SMALL) LETTER", r"\1\2", name)
    for prefix in ("MATHEMATICAL ", ""):  # a few stand outside the block, such as ℝ
        try:
            return unicodedata.lookup(f"{prefix}{alphabet} {name}")
        except KeyError:
            continue
    return character


def _symbols(element: Element) -> None:
    """Tell letters from operators where latex2mathml is mistaken."""
    text = element.text or ""
    if element.tag == "mo" and text in LIKE_LETTERS:
        element.tag = "mi"
        element.attrib.clear()
    elif element.tag == "mi" and text and text in OPENING + CLOSING:
        element.tag = "mo"
        element.set("form", "prefix" if text in OPENING else "postfix")
        element.set("stretchy", "false")
    elif element.tag == "mi" and text not in LIKE_LETTERS and _is_math_symbol(text):
        element.tag = "mo"
    if element.tag == "mi" and (text == "∇" or "Α" <= text <= "Ω"):
        element.set("mathvariant", "normal")  # upright, as TeX sets them
    if element.tag == "mo" and text == "―":
        element.text = "¯"


def _is_math_symbol(text: str) -> bool:
    return len(text) == 1 and unicodedata.category(text) == "Sm"


def _accents(element: Element) -> None:
    """Set hats, bars, tildes and arrows close to their letter; draw a long bar as a line."""
    if element.tag != "mover" or len(element) != 2 or (element[1].text or "") not in ACCENTS:
        return
    base, mark = element
    mark.attrib.clear()
    wide = sum(len(e.text or "") for e in base.iter()) > 1
    if wide and mark.text == "¯":
        element.remove(mark)
        element.tag = "mrow"
        element.set("class", "overline")
    else:
        element.set("accent", "true")
        mark.set("stretchy", "true" if wide else "false")
        if mark.text == "→" and not wide:
            mark.text = "\u20d7"


def _bars(element: Element) -> None:
    """Open and close with bars in turn: in ``|x|`` neither is an operator between two things."""
    bars = [_base(child) for child in element]
    bars = [b for b in bars if b.tag == "mo" and b.text in BARS and b.get("form") is None]
    if bars and len(bars) % 2 == 0 and element.tag not in SCRIPTS:
        for index, bar in enumerate(bars):
            bar.set("form", "postfix" if index % 2 else "prefix")
            bar.set("stretchy", "false")
            bar.attrib.pop("fence", None)


def _base(element: Element) -> Element:
    return element[0] if element.tag in SCRIPTS and len(element) else element


def _scripts(element: Element) -> None:
    """Leave no space around operators in exponents and indices, as TeX does."""
    if element.tag in SCRIPTS:
        for script in list(element)[1:]:
            for operator in script.iter("mo"):
                operator.attrib.update(lspace="0", rspace="0")


def _numbers(element: Element) -> None:
    """Join ``1{,}000``, in which the comma is no punctuation."""
    index = 1
    while index + 1 < len(element):
        before, comma, after = element[index - 1], element[index], element[index + 1]
        grouped = comma.tag == "mrow" and [c.text for c in comma] == [","]
        if before.tag == after.tag == "mn" and grouped:
            before.text = f"{before.text},{after.text}"
            element.remove(comma)
            element.remove(after)
        else:
            index += 1


def _signs(element: Element) -> None:
    """Set a sign close to its number where nothing stands before it to be added to."""
    for previous, sign in itertools.pairwise(element):
        closed = previous.get("form") == "postfix" or previous.text in CLOSERS
        alone = previous.tag in ("mo", "mspace") and not closed
        if alone and sign.tag == "mo" and sign.text in ("−", "+", "±"):
            sign.set("form", "prefix")


def _upright_words(element: Element) -> None:
    r"""Join the letters of ``\mathrm{softmax}`` into one name."""
    upright = [c for c in element if c.tag == "mi" and c.get("mathvariant") == "normal"]
    if element.tag == "mrow" and len(upright) == len(element) > 1:
        word = "".join(c.text or "" for c in element)
        element.clear()
        element.tag, element.text = "mi", word


def _names(element: Element) -> None:
    """Make function names names, not operators, with limits below where they belong."""
    text = (element.text or "").replace("\u2009", " ").replace("\u2006", " ")
    if element.tag in ("mo", "mi") and len(text) > 1 and text[0].isalpha():
        limits = text in LIMIT_NAMES or element.get("movablelimits") == "true"
        element.attrib.clear()
        element.text = text.replace(" ", "\u2009").replace(r"\,", "\u2009")
        element.tag = "mi"
        if limits:  # only an operator can move its limits
            element.tag = "mo"
            element.attrib.update(movablelimits="true", lspace="0", rspace="0")


def _limits(element: Element) -> None:
    moved = {"msub": "munder", "msup": "mover", "msubsup": "munderover"}
    if element.tag in moved and len(element) and element[0].get("movablelimits"):
        element.tag = moved[element.tag]


def _name_spacing(element: Element) -> None:
    """Put a thin space beside a function name, except before a parenthesis."""
    if element.tag not in ("mrow", "math", "mtd", "msqrt", "mstyle"):
        return
    index = 0
    while index < len(element):
        if _is_name(element[index]):
            following = element[index + 1] if index + 1 < len(element) else None
            if following is not None and _needs_space(following):
                element.insert(index + 1, _space())
            previous = element[index - 1] if index else None
            if previous is not None and _needs_space(previous) and not _is_name(previous):
                element.insert(index, _space())
                index += 1
        index += 1


def _is_name(element: Element) -> bool:
    if element.tag in SCRIPTS:
        return len(element) > 0 and _is_name(element[0])
    return element.tag in ("mi", "mo") and len(element.text or "") > 1 and element.text != "…"


def _needs_space(element: Element) -> bool:
    if element.tag == "mrow" and len(element):
        return _needs_space(element[0])
    return element.tag not in ("mo", "mspace", "mtext")


def _space() -> Element:
    return ElementTree.Element("mspace", {"width": THIN})


def _spaces(element: Element) -> None:
    if element.get("width") in NAMED_SPACES:
        element.set("width", NAMED_SPACES[element.get("width", "")])


def _columns(element: Element) -> None:
    """Align the cells of a table by classes: Core knows no ``columnalign``."""
    for spacing in ("columnspacing", "rowspacing"):  # the style sheet's business
        element.attrib.pop(spacing, None)
    if element.tag != "mtr":
        return
    alignments = [cell.attrib.pop("columnalign", None) for cell in element]
    tight = "right" in alignments  # aligned equations, which meet at their sign
    for cell, align in zip(element, alignments, strict=True):
        classes = [c for c in (align if align != "center" else None, tight and "tight") if c]
        if classes:
            cell.set("class", " ".join(classes))
        if tight and len(cell) and cell[0].tag == "mi" and not cell[0].text:
            cell.remove(cell[0])  # an empty name that marks the column's start
            if len(cell) and cell[0].tag == "mo":
                cell[0].set("form", "infix")  # it still stands between two things


REWRITES: tuple[Callable[[Element], None], ...] = (
    _numbers,
    _upright_words,
    _letters,
    _symbols,
    _accents,
    _bars,
    _signs,
    _names,
    _limits,
    _scripts,
    _name_spacing,
    _spaces,
    _columns,
)


def _flatten(root: Element) -> None:
    """Drop rows of one: they say nothing and weigh something."""
    for parent in root.iter():
        for index in range(len(parent)):
            while parent[index].tag == "mrow" and _is_wrapper(parent[index]):
                parent[index] = parent[index][0]
    if root[0].tag == "mrow" and len(root) == 1 and not root[0].attrib:
        row = root[0]
        root.remove(row)
        root.extend(list(row))


def _is_wrapper(row: Element) -> bool:
    return len(row) == 1 and not row.attrib


def _check(root: Element) -> None:
    for element in root.iter():
        text = element.text or ""
        if "\\" in text:
            raise MathError(f"unknown command {text}")
        if "$" in text and element.tag != "mtext":
            raise MathError("a dollar sign inside math")
        if len(element) != PARTS.get(element.tag, len(element)):
            raise MathError(f"<{element.tag}> with {len(element)} parts")
        if element.tag not in CORE_ELEMENTS:
            raise MathError(f"<{element.tag}> is not in MathML Core")
        for name in element.attrib:
            if name not in CORE_ATTRIBUTES:
                raise MathError(f"{name}= on <{element.tag}> is not in MathML Core")


# Sphinx


def split_tag(latex: str) -> tuple[str, str | None]:
    r"""Return a display formula without its ``\tag``, and the tag.

    >>> split_tag(r"a = b \tag{1.1}")
    ('a = b ', '1.1')
    """
    found = TAG.search(latex)
    return TAG.sub("", latex), found[1] if found else None


def _draw(self: HTML5Translator, node: nodes.Element, latex: str, *, display: bool) -> str:
    try:
        return to_mathml(latex, display=display)
    except MathError as error:
        logger.warning("math: %s in %s", error, latex.strip(), location=node, type="mathml")
        return f"<code>{self.encode(latex)}</code>"


def visit_inline(self: HTML5Translator, node: nodes.math) -> None:
    """Write inline math."""
    self.body.append(_draw(self, node, node.astext(), display=False))
    raise nodes.SkipNode


def visit_display(self: HTML5Translator, node: nodes.math_block) -> None:
    """Write display math in a box that scrolls by itself, its number at the right."""
    latex, tag = split_tag(node.astext())
    if r"\\" in latex and r"\begin" not in latex:
        latex = rf"\begin{{split}}{latex}\end{{split}}"
    # A formula inside a paragraph must not be a block: the browser would end the paragraph.
    box = "span" if isinstance(node.parent, nodes.paragraph) else "div"
    ids = list(node.get("ids", []))
    anchor = f"equation-{re.sub(r'[^0-9A-Za-z]+', '-', tag).strip('-')}" if tag else None
    if anchor and anchor not in ids:
        ids.append(anchor)
    attribute = f' id="{ids[0]}"' if ids else ""
    math = _draw(self, node, latex, display=True)
    number = f'<span class="eqno">({self.encode(tag)})</span>' if tag else ""
    self.body.append(
        f'<{box} class="math-display"{attribute}>'
        f'<{box} class="math-scroll">{math}</{box}>{number}</{box}>\n'
    )
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer ``mathml`` for ``html_math_renderer``."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_display, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
