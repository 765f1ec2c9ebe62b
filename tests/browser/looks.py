"""What the browser tests look for in a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

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
    report = Axe().run(page, context=context, options=options).response
    return [
        f"{violation['id']}: {node['target']} {node['failureSummary'][:300]}"
        for violation in report["violations"]
        for node in violation["nodes"][:3]
    ]
