"""Make the small font for Korean and Japanese dates in figures. Run once in a while, not at build.

    python -m pip install fonttools brotli
    npm pack @fontsource/noto-sans-kr@5.3.0 @fontsource/noto-sans-jp@5.3.0
    tar xzf each of them into a folder of its own, kr and jp
    python tools/make_date_font.py kr/package jp/package

Matplotlib's own font has neither Hangul nor Kanji, and what else a machine has differs. The font
made here has the characters of ``softlookup.dates`` and no others, Hangul in its Korean shape and
Kanji in their Japanese shape. Two runs write the same bytes.
"""

from __future__ import annotations

import sys
from pathlib import Path

from fontTools.fontBuilder import FontBuilder
from fontTools.misc.timeTools import epoch_diff
from fontTools.pens.cu2quPen import Cu2QuPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont

from softlookup.dates.formats import characters

FONTS = Path(__file__).parent.parent / "src/softlookup/plots/fonts"
# A licence may reserve a font's name for its unchanged form; this one is cut, so it has its own.
FAMILY = "Softlookup Dates"
HANGUL = range(0xAC00, 0xD7A4)


def find(folder: Path, character: str) -> TTFont:
    """Return the one of a package's many files of regular weight that has a character."""
    for path in sorted(folder.glob("files/*-400-normal.woff2")):
        font = TTFont(path)
        if ord(character) in font.getBestCmap():
            return font
    raise SystemExit(f"{folder}: no file has {character!r}.")


def main() -> None:
    """Write the font and its licence."""
    korean, japanese = map(Path, sys.argv[1:3])
    glyphs, widths, names, notices = {}, {}, {}, set()
    units = None
    for character in filter(lambda c: ord(c) > 0x2E7F, characters()):
        font = find(korean if ord(character) in HANGUL else japanese, character)
        units = units or font["head"].unitsPerEm
        assert units == font["head"].unitsPerEm, character
        name = font.getBestCmap()[ord(character)]
        pen = TTGlyphPen(None)
        font.getGlyphSet()[name].draw(Cu2QuPen(pen, max_err=1.0, reverse_direction=False))
        own = f"uni{ord(character):04X}"
        glyphs[own], widths[own], names[ord(character)] = (
            pen.glyph(),
            font["hmtx"][name][0],
            own,
        )
        notices.add(font["name"].getDebugName(0))
    assert units
    empty = TTGlyphPen(None).glyph()
    builder = FontBuilder(units, isTTF=True)
    builder.setupGlyphOrder([".notdef", *glyphs])
    builder.setupCharacterMap(names)
    builder.setupGlyf({".notdef": empty, **glyphs})
    table = builder.font["glyf"]
    builder.setupHorizontalMetrics(
        {".notdef": (units, 0)} | {n: (w, table[n].xMin) for n, w in widths.items()}
    )
    builder.setupHorizontalHeader(ascent=round(0.88 * units), descent=-round(0.12 * units))
    builder.setupNameTable(
        {
            "copyright": "; ".join(sorted(notices)),
            "familyName": FAMILY,
            "styleName": "Regular",
            "licenseDescription": "SIL Open Font License, Version 1.1",
            "licenseInfoURL": "https://openfontlicense.org",
        }
    )
    builder.setupOS2()
    builder.setupPost(keepGlyphNames=False)
    moment = 1_750_000_000 - epoch_diff  # any, but always the same
    builder.updateHead(created=moment, modified=moment)
    builder.font.recalcTimestamp = False
    FONTS.mkdir(parents=True, exist_ok=True)
    path = FONTS / "dates.ttf"
    builder.save(path)
    licence = (korean / "LICENSE").read_text(encoding="utf-8")
    assert "SIL Open Font License" in licence
    _, _, terms = licence.partition("This Font Software is licensed")
    (FONTS / "dates-OFL.txt").write_text(
        "\n".join(sorted(notices))
        + "\n\nCut to the characters of dates and renamed from Noto Sans KR and Noto Sans JP.\n\n"
        + "This Font Software is licensed"
        + terms,
        encoding="utf-8",
    )
    print(f"{path.name}: {len(glyphs)} characters, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
