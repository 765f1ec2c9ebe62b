"""Draw the picture that stands for a page where its link is shared.

The title, and the five dishes' weights for one craving, from one that takes all to five that are
nearly equal: each chapter has its own temperature. Drawn with Matplotlib's own font, so the same
pages give the same pictures everywhere.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import matplotlib
from PIL import Image, ImageDraw, ImageFont

from softlookup import menu, softmax

SIZE = (1200, 630)
MARGIN = 80
CRAVING = (0.6, 0.3)

PAPER, INK, MUTED, BAR, BEST = "#10333d", "#ffffff", "#a9cbd3", "#3f8fa1", "#f0a56a"


def name(pagename: str) -> str:
    """Return the picture's path from the top of the site."""
    return f"_static/cards/{pagename.rsplit('/', 1)[-1]}.png"


def weights(number: int) -> list[float]:
    """Return the weights of the dishes, the softer the later the chapter."""
    keys = menu.keys("spicy", "soupy")
    scores = keys @ CRAVING
    return [float(w) for w in softmax(scores / (0.03 * 1.9**number))]


def draw(path: Path, title: str, course: str) -> None:
    """Draw the picture of a page."""
    chapter = re.match(r"(\d+)\. (.*)", title)
    number, words = (int(chapter[1]), chapter[2]) if chapter else (0, title)
    image = Image.new("RGB", SIZE, PAPER)
    pen = ImageDraw.Draw(image)
    top = MARGIN
    above = f"{course} · Chapter {number}" if number else course
    if words != course:
        pen.text((MARGIN, top), above, MUTED, font=_font(32, bold=False))
    top += 70
    size = 68 if len(words) <= 45 else 58
    for line in _lines(pen, words, size):
        pen.text((MARGIN, top), line, INK, font=_font(size, bold=True))
        top += round(size * 1.25)
    _draw_bars(pen, weights(number or 4), below=top + 30)
    path.parent.mkdir(parents=True, exist_ok=True)
    image.quantize(64, dither=Image.Dither.NONE).save(path, optimize=True)


def _draw_bars(pen: ImageDraw.ImageDraw, shares: list[float], below: int) -> None:
    floor, width, gap = SIZE[1] - MARGIN, 96, 28
    height = min(190, floor - below)
    for index, share in enumerate(shares):
        left = MARGIN + index * (width + gap)
        colour = BEST if share == max(shares) else BAR
        # The largest fills the height, so that its look is the same everywhere.
        tall = max(6, round(height * share / max(shares)))
        pen.rounded_rectangle((left, floor - tall, left + width, floor), 6, colour)


def _lines(pen: ImageDraw.ImageDraw, words: str, size: int) -> list[str]:
    font, lines = _font(size, bold=True), [""]
    for word in words.split():
        longer = f"{lines[-1]} {word}".strip()
        if pen.textlength(longer, font=font) <= SIZE[0] - 2 * MARGIN:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


@cache
def _font(size: int, *, bold: bool) -> ImageFont.FreeTypeFont:
    file = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    path = Path(matplotlib.get_data_path(), "fonts", "ttf", file)
    return ImageFont.truetype(path, size, layout_engine=ImageFont.Layout.BASIC)
