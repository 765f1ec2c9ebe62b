"""Every built page in a real browser: on a phone and a desk, in light and dark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from looks import OUT_OF_REACH, SCHEMES, TOO_WIDE, WIDTHS, axe, names
from playwright.sync_api import Browser, Page
from watched import serve, watch

COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"]}
NOT_COLOURS = {"rules": {"color-contrast": {"enabled": False}}}


#: Leave one word of code of each colour, of the thousands there are.
ONE_OF_EACH = """
() => {
  const seen = new Set();
  document.querySelectorAll("pre span").forEach((word) => {
    if (word.firstElementChild || !word.className) return;
    const place = word.closest(".cell_output") ? "output " : "input ";
    if (seen.has(place + word.className)) word.remove();
    seen.add(place + word.className);
  });
}
"""


def axe_once_each(page: Page, width: int, scheme: str) -> list[str]:
    """Return what axe-core finds, without asking twice what cannot differ.

    Colours take most of its time. Those of the text are the same at every width, so on a phone
    only those around it are looked at; and nothing but colours depends on the scheme.
    """
    page.evaluate(ONE_OF_EACH)
    found = axe(page, **NOT_COLOURS) if scheme == "light" else []
    around = {"exclude": [["article"]]} if width == WIDTHS[0] else {}
    return found + axe(page, context={"include": [["html"]], **around}, **COLOURS)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_every_page_is_sound(
    browser: Browser, served: str, site: Path, width: int, scheme: str
) -> None:
    faults: dict[str, Any] = {}
    with watch(browser, served, width=width, scheme=scheme) as watched:
        for name in names(site):
            page = watched.open(name)
            assert page.evaluate("document.documentElement.dataset.theme") == scheme
            page.evaluate("document.querySelectorAll('details').forEach((d) => (d.open = true))")
            page.wait_for_timeout(50)
            found = page.evaluate(TOO_WIDE) + page.evaluate(OUT_OF_REACH)
            found += axe_once_each(page, width, scheme)
            if found or watched.faults:
                faults[name] = found + watched.faults
                watched.faults.clear()
    assert faults == {}


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
