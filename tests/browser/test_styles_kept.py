"""The one style sheet that pages are sent looks like all those it was made from."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Browser, Page
from watched import watch

#: What the theme and its extensions would have sent, in this order.
WHOLE = (
    "basic.css",
    "styles/pydata-sphinx-theme.css",
    "pygments.css",
    "styles/sphinx-book-theme.css",
    "mystnb.*.css",
    "copybutton.css",
    "course.css",
)

#: Remember the look of each kind of element, and of what styles put before and after it; asked
#: again, say what became different.
LOOKS = """
() => {
  // A light on its way from one colour to another would be caught somewhere between.
  const still = document.createElement("style");
  still.textContent =
    "*, ::before, ::after { transition: none !important; animation: none !important;" +
    " content-visibility: visible !important }"; // and everything is laid out
  document.head.append(still);
  const kind = (box) => box.tagName + " " + box.className;
  const boxes = new Map();
  for (const box of document.querySelectorAll("html, body, body *:not(script):not(math *)"))
    boxes.set(kind(box.parentElement || box) + " > " + kind(box), box);
  const looks = new Map();
  for (const [name, box] of boxes)
    for (const part of ["", "::before", "::after"]) {
      const style = getComputedStyle(box, part || null);
      if (part && style.content === "none") continue;
      looks.set(`${name} ${part}`, Object.fromEntries(
        [...style].filter((p) => !p.startsWith("--")).map((p) => [p, style.getPropertyValue(p)])));
    }
  still.remove();
  const before = window.looksBefore;
  window.looksBefore = looks;
  if (!before) return [];
  const found = [];
  for (const name of new Set([...before.keys(), ...looks.keys()])) {
    const one = before.get(name) || {}, other = looks.get(name) || {};
    for (const p of new Set([...Object.keys(one), ...Object.keys(other)]))
      if (one[p] !== other[p]) found.push(`${name}: ${p}: ${other[p]} became ${one[p]}`);
  }
  return found;
}
"""

#: Put the whole sheets in the place of the one, or take them away again.
WITH_WHOLE = """
(addresses) => {
  const one = document.querySelector('link[href*="site.css"]');
  return Promise.all(addresses.map((address) => new Promise((done, failed) => {
    const link = document.createElement("link");
    link.rel = "stylesheet"; link.href = address; link.onload = done; link.onerror = failed;
    one.before(link);
  }))).then(() => { one.disabled = true; return document.fonts.ready.then(() => true); });
}
"""


def differences(page: Page, site: Path) -> list[str]:
    """Return what looks different under the whole sheets."""
    whole = [next(site.glob(f"_static/{name}")) for name in WHOLE]
    ours = page.evaluate("document.querySelector('link[href*=\"site.css\"]').href")
    page.evaluate(LOOKS)
    page.evaluate(
        WITH_WHOLE,
        [urljoin(ours, path.relative_to(site / "_static").as_posix()) for path in whole],
    )
    found: list[str] = page.evaluate(LOOKS)
    return found


def test_a_page_looks_as_under_the_whole_sheets(browser: Browser, served: str, site: Path) -> None:
    with watch(browser, served, width=390, scheme="dark") as watched:
        page = watched.open("book/01-lookup.html")
        assert differences(page, site) == []
    # What scripts bring: the search dialog, a menu, the sidebar over the page, a button pressed.
    with watch(browser, served) as watched:
        page = watched.open("book/01-lookup.html")
        page.locator("[data-bs-toggle=dropdown]").first.click()
        page.locator("button.copybtn").first.evaluate("(button) => button.classList.add('success')")
        page.evaluate("document.getElementById('pst-search-dialog').showModal()")
        page.evaluate("document.getElementById('pst-primary-sidebar').className += ' show'")
        assert differences(page, site) == []


def test_the_net_over_looks_holds(browser: Browser, served: str, site: Path) -> None:
    with watch(browser, served) as watched:
        page = watched.open("book/index.html")
        page.evaluate("[...document.styleSheets].at(-1).insertRule('h1 { color: red !important }')")
        assert any("> H1" in found and ": color:" in found for found in differences(page, site))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_without_javascript_the_colours_follow_the_system(
    browser: Browser, served: str, scheme: str
) -> None:
    looks = {}
    for script in (True, False):
        with watch(browser, served, scheme=scheme, script=script) as watched:
            watched.page.goto(f"{served}book/01-lookup.html")
            looks[script] = colours(watched.page)
    assert looks[True] == looks[False]
    assert ("invert" in looks[True]["article img"]) == (scheme == "dark")


def test_paper_has_the_light_colours(browser: Browser, served: str) -> None:
    looks = {}
    for scheme in ("light", "dark"):
        with watch(browser, served, scheme=scheme) as watched:
            page = watched.open("book/01-lookup.html")
            page.emulate_media(media="print")
            looks[scheme] = colours(page)
    assert looks["light"] == looks["dark"]


def colours(page: Page) -> dict[str, str]:
    """Return the colours of a page's parts."""
    places = ("body", "h1", "article p a", "article .highlight .k", "article th", "article img")
    style = (
        "(s => [s.color, s.backgroundColor, s.borderColor, s.filter].join())(getComputedStyle(e))"
    )
    return {place: page.locator(place).first.evaluate(f"(e) => {style}") for place in places}
