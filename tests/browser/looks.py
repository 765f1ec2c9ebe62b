"""What the browser tests look for in a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

SCRIPT = Axe().axe_script

WIDTHS = (390, 1280)
SCHEMES = ("light", "dark")

#: Boxes that reach beyond the window, unless something around them scrolls or hides them.
TOO_WIDE = """
() => {
  const root = document.documentElement;
  if (root.scrollWidth <= root.clientWidth) return [];
  const kept = (box) => {
    for (let p = box.parentElement; p; p = p.parentElement)
      if (/auto|scroll|hidden|clip/.test(getComputedStyle(p).overflowX)) return true;
    return false;
  };
  return [`${root.scrollWidth} wide`, ...[...document.body.querySelectorAll("*")]
    .filter((box) => box.getBoundingClientRect().right > root.clientWidth + 1 && !kept(box))
    .slice(0, 5).map((box) => box.outerHTML.slice(0, 120))];
}
"""

#: Boxes that scroll sideways but cannot be reached with the keyboard.
OUT_OF_REACH = """
() => [...document.querySelectorAll("article *")].filter((box) =>
  box.scrollWidth > box.clientWidth + 1 && box.clientWidth > 0 &&
  /auto|scroll/.test(getComputedStyle(box).overflowX) &&
  box.tabIndex < 0 && !box.querySelector("a, button, [tabindex]"))
  .map((box) => box.outerHTML.slice(0, 120))
"""


#: Take away what says nothing new to axe, of the thousands of elements there are: the wrapping of
#: words of code of a kind already seen, though not the words, and the inside of formulas, which
#: has the colour of its line and no roles of its own.
ONE_OF_EACH = """
() => {
  document.querySelectorAll("math").forEach((math, i) => { if (i) math.replaceChildren(); });
  const words = "pre span, dt.sig span, code, code span, em, strong, .classifier";
  const kind = (box) => box.tagName + box.className;
  const seen = new Set();
  for (const word of [...document.querySelectorAll(words)].reverse()) {
    const own = [kind(word), kind(word.parentElement), kind(word.parentElement.parentElement),
      !!word.closest(".cell_output"), !!word.closest("a")].join();
    if (seen.has(own)) word.replaceWith(...word.childNodes);
    seen.add(own);
  }
}
"""

#: Mark one text of each look: its colour, whether it is large, and all that lies below it; and one
#: link of each look: the text around it and the lines below it too. Looks in the list that it is
#: given are not marked; it returns the others.
ONE_OF_EACH_LOOK = """
(known) => {
  const seen = new Set(known);
  // Large text needs less contrast: 18 points, or 14 in bold.
  const large = (style) =>
    parseFloat(style.fontSize) * 0.75 >= (style.fontWeight >= 700 ? 14 : 18);
  document.querySelectorAll("[data-look]").forEach((box) => box.removeAttribute("data-look"));
  for (const box of document.querySelectorAll("body, body *")) {
    const text = [...box.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) ||
      /INPUT|TEXTAREA/.test(box.tagName) || box.matches("a[href]");
    if (!text || !box.getClientRects().length) continue;
    const own = getComputedStyle(box);
    const look = [own.color, large(own), own.textShadow];
    if (box.matches("a[href]")) {
      const around = getComputedStyle(box.parentElement);
      const beside = [...box.parentElement.childNodes];
      look.push(beside.some((n) => n.nodeType === 3 && n.data.trim()));
      look.push(own.textDecorationLine, own.borderBottom, own.display, own.fontFamily,
        own.fontWeight, own.fontSize === around.fontSize, around.color, around.fontWeight,
        around.fontFamily, around.display);
    }
    for (let below = box; below; below = below.parentElement) {
      const style = getComputedStyle(below);
      look.push(style.backgroundColor, style.backgroundImage, style.opacity, style.position);
    }
    const key = look.join();
    if (!seen.has(key)) box.setAttribute("data-look", "");
    seen.add(key);
  }
  return [...seen].slice(known.length);
}
"""


def names(site: Path) -> list[str]:
    """Return the pages a reader can open."""
    found = sorted(p.relative_to(site).as_posix() for p in (site / "book").glob("*.html"))
    assert len(found) > 5
    return [*found, "search.html"]


def axe(page: Page, **options: Any) -> list[str]:
    """Return what axe-core finds, as rule and place."""
    context = options.pop("context", {"include": [["html"]]})
    # The parts of a formula have the colour of its line, and no roles of their own.
    context = {**context, "exclude": [*context.get("exclude", []), ["math > *"]]}
    # No preloading, which would fetch the style sheets again; no time spent on what is sound.
    options |= {"preload": False, "resultTypes": ["violations"]}
    if not page.evaluate("!!window.axe"):
        page.evaluate(SCRIPT)
    report = page.evaluate("([what, how]) => axe.run(what, how)", [context, options])
    return [
        f"{violation['id']}: {node['target']} {node['failureSummary'][:300]}"
        for violation in report["violations"]
        for node in violation["nodes"][:3]
    ]
