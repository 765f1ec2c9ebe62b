"""Send the characters of the math font that the formulas use, and no more.

``web/fonts/course-math.woff`` has what a course of linear algebra and probability may need.
When the pages are written, it is cut to the characters inside their ``<math>``; a character that
it lacks is a warning, which stops a strict build, for readers would get it from some other font.
"""

from __future__ import annotations

import html
import logging as standard_logging
import re
import shutil
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fontTools import subset
from sphinx.util import logging

if TYPE_CHECKING:
    from sphinx.application import Sphinx

logger = logging.getLogger(__name__)
# What it does step by step is of no interest to whoever builds the pages.
standard_logging.getLogger("fontTools").setLevel(standard_logging.WARNING)

SOURCE = Path(__file__).parent.parent / "fonts" / "course-math.woff"
LICENCE = SOURCE.with_name("STIX-Two-Math-OFL.txt")
NAME = "_static/fonts/course-math.woff"

#: A name of one letter is drawn slanted, by a character of its own.
SLANTED = {
    chr(int(base[1], 16)): chr(code)
    for code in (0x210E, *range(0x1D434, 0x1D468), *range(0x1D6E2, 0x1D71C))
    if (base := unicodedata.decomposition(chr(code)).split())
}

FORMULA = re.compile(r"<math\b.*?</math>", re.DOTALL)
ELEMENT = re.compile(r"<(\w+)([^>]*)>([^<]*)")
#: Drawn by elements, not by characters: the root's sign, and the spaces that lay it out.
ALWAYS = frozenset("\u221a \u00a0")


def characters(page: str) -> set[str]:
    """Return the characters that a browser draws for the formulas of a page.

    >>> [hex(ord(c)) for c in sorted(characters("<math><mi>x</mi><mo>=</mo></math>"))]
    ['0x3d', '0x1d465']
    """
    found: set[str] = set()
    for formula in FORMULA.findall(page):
        for tag, attributes, text in ELEMENT.findall(formula):
            content = html.unescape(text)
            if tag == "mi" and "mathvariant" not in attributes:
                content = SLANTED.get(content, content)
            found |= set(content)
    return {c for c in found if c not in "\n\t\u2061\u2062"}  # these are not drawn


def options() -> subset.Options:
    """Return how a math font is cut: with the parts that its characters are built from."""
    chosen = subset.Options()
    chosen.flavor = "woff"
    chosen.layout_features = ["ssty", "dtls", "flac"]  # forms for scripts, under and over accents
    chosen.drop_tables += ["GPOS", "meta"]
    chosen.hinting = False
    chosen.notdef_outline = True
    chosen.name_IDs = [0, 1, 2, 3, 5, 13, 14]  # keep the copyright and licence lines
    chosen.recalc_timestamp = False  # the same pages, the same font
    return chosen


def cut_font(app: Sphinx, exception: Exception | None) -> None:
    """Write the font that the pages need."""
    if exception is not None or app.builder.format != "html":
        return
    out, wanted = Path(app.outdir), set(ALWAYS)
    for page in out.rglob("*.html"):
        wanted |= characters(page.read_text("utf-8"))
    target = out / NAME
    target.parent.mkdir(parents=True, exist_ok=True)
    with subset.load_font(SOURCE, options()) as font:
        if missing := {c for c in wanted if ord(c) not in font.getBestCmap()}:
            names = ", ".join(f"{c} (U+{ord(c):04X})" for c in sorted(missing))
            logger.warning("the math font has no %s; see web/make_fonts.py", names, type="fonts")
        cutter = subset.Subsetter(options())
        cutter.populate(unicodes=[ord(c) for c in wanted])
        cutter.subset(font)
        subset.save_font(font, target, options())
    shutil.copy(LICENCE, target.parent)


def setup(app: Sphinx) -> dict[str, Any]:
    """Cut the font when all pages are there."""
    app.connect("build-finished", cut_font, priority=940)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
