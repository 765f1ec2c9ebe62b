r"""Make the site's small fonts from the full ones. Run once in a while, not at build.

    python -m pip install fonttools brotli sphinx
    npm pack @fontsource/stix-two-math && tar xzf fontsource-stix-two-math-*.tgz
    python web/make_fonts.py package/files/stix-two-math-latin-400-normal.woff2

- ``fonts/course-math.woff``: STIX Two Math, cut to the characters that a course of linear algebra
  and probability needs; the table that stretches braces and roots stays whole for them. At each
  build ``course_site/fonts.py`` cuts it again, to those that the formulas use. It is no woff2, for
  fontTools would need one more package to read that.
- ``static/vendor/fontawesome/webfonts/*.woff2``: the theme's icons, cut to those that pages use.
  They lie where the theme's own font does and take its place when the site is built.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

from fontTools import subset

from course_site import fonts

STATIC = Path(__file__).parent / "static"
WEBFONTS = "vendor/fontawesome/webfonts"


def characters(*ranges: int | tuple[int, int]) -> set[int]:
    """Return the code points of single characters and of ranges, ends included."""
    found: set[int] = set()
    for entry in ranges:
        first, last = entry if isinstance(entry, tuple) else (entry, entry)
        found |= set(range(first, last + 1))
    return found


# fmt: off
MATH = characters(
    (0x20, 0x7E), 0xA0, 0xA8, 0xAC, 0xAF, 0xB0, 0xB1, 0xB4, 0xB7, 0xD7, 0xF7, 0x131, 0x237,
    0x2C6, 0x2C7, 0x2D8, 0x2D9, 0x2DC, (0x300, 0x308), 0x30A, 0x30C, 0x332, 0x338, 0x20D7,
    (0x391, 0x3A1), (0x3A3, 0x3A9), (0x3B1, 0x3C9), 0x3D1, 0x3D5, 0x3F5,
    0x2009, 0x2013, 0x2014, 0x2016, 0x2020, 0x2026, 0x2032, 0x2033, 0x2061, 0x2062, 0x2215,
    0x2102, 0x210B, 0x210E, 0x2110, 0x2112, 0x2113, 0x2115, 0x211A, 0x211B, 0x211D, 0x2124,
    0x212C, 0x2130, 0x2131, 0x2133, (0x2190, 0x2194), 0x21A6, 0x21D2, 0x21D4, 0x27F6,
    0x2200, 0x2202, 0x2203, 0x2205, 0x2207, 0x2208, 0x2209, 0x220B, 0x220F, 0x2211, 0x2212,
    0x2213, 0x2216, 0x2217, 0x2218, 0x221A, 0x221D, 0x221E, 0x2220, 0x2223, 0x2225, 0x2227,
    0x2228, 0x2229, 0x222A, 0x222B, 0x223C, 0x2243, 0x2248, 0x2260, 0x2261, 0x2264, 0x2265,
    0x226A, 0x226B, 0x2282, 0x2286, 0x2295, 0x2297, 0x2299, 0x22A4, 0x22A5, 0x22C5,
    0x22EE, 0x22EF, 0x22F1, (0x2308, 0x230B), 0x23DE, 0x23DF, 0x27C2, 0x27E8, 0x27E9, 0x29F8,
    # bold, italic and bold italic letters; script capitals; double-struck one; Greek; bold digits
    (0x1D400, 0x1D467), (0x1D49C, 0x1D4B5), 0x1D53C, 0x1D7D9, (0x1D6A8, 0x1D71B),
    (0x1D7CE, 0x1D7D7),
)
# fmt: on

#: Icons by the theme's name for them; a browser test finds those that are missing here.
SOLID = {
    "angle-left": 0xF104,
    "angle-right": 0xF105,
    "arrow-up": 0xF062,
    "bars": 0xF0C9,
    "chevron-down": 0xF078,
    "chevron-left": 0xF053,
    "chevron-right": 0xF054,
    "chevron-up": 0xF077,
    "circle-half-stroke": 0xF042,
    "circle-info": 0xF05A,
    "code": 0xF121,
    "download": 0xF019,
    "expand": 0xF065,
    "file": 0xF15B,
    "file-pdf": 0xF1C1,
    "lightbulb": 0xF0EB,
    "link": 0xF0C1,
    "list": 0xF03A,
    "magnifying-glass": 0xF002,
    "moon": 0xF186,
    "outdent": 0xF03B,
    "pencil": 0xF303,
    "rocket": 0xF135,
    "sun": 0xF185,
    "triangle-exclamation": 0xF071,
    "xmark": 0xF00D,
}
BRANDS = {"github": 0xF09B, "gitlab": 0xF296}


def cut(source: Path, target: Path, code_points: set[int], flavor: str) -> None:
    """Write a font that has these characters, and what they are built from, alone."""
    options = fonts.options()
    options.flavor = flavor
    target.parent.mkdir(parents=True, exist_ok=True)
    with subset.load_font(source, options) as font:
        subsetter = subset.Subsetter(options)
        subsetter.populate(unicodes=code_points)
        subsetter.subset(font)
        subset.save_font(font, target, options)
    print(f"{target.name}: {target.stat().st_size / 1000:.1f} kB")


def main() -> None:
    """Make the fonts."""
    cut(Path(sys.argv[1]), fonts.SOURCE, MATH, "woff")
    spec = find_spec("pydata_sphinx_theme")
    assert spec is not None
    assert spec.origin is not None
    theme = Path(spec.origin).parent / "theme/pydata_sphinx_theme/static" / WEBFONTS
    for name, icons in (("fa-solid-900", SOLID), ("fa-brands-400", BRANDS)):
        target = STATIC / WEBFONTS / f"{name}.woff2"
        cut(theme / f"{name}.woff2", target, set(icons.values()), "woff2")


if __name__ == "__main__":
    main()
