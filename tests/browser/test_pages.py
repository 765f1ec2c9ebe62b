"""Every built page in a real browser: on a phone and a desk, in light and dark."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect
from watched import serve, watch

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

#: Icons, and whether the font draws them: one it lacks looks like any other that it lacks.
ICONS = r"""
async () => {
  await document.fonts.ready;
  const draw = (text, style) => {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 48;
    const pen = canvas.getContext("2d");
    pen.font = `${style.fontWeight} 32px ${style.fontFamily}`;
    pen.fillText(text, 4, 36);
    return canvas.toDataURL();
  };
  return [...document.querySelectorAll("i[class*=fa-], span[class*=fa-]")].map((icon) => {
    const style = getComputedStyle(icon, "::before");
    const text = style.content.replaceAll('"', "");
    return { name: icon.className, drawn: draw(text, style) !== draw("\uf8fe", style) };
  });
}
"""


def names(site: Path) -> list[str]:
    """Return the pages a reader can open."""
    found = sorted(p.relative_to(site).as_posix() for p in (site / "book").glob("*.html"))
    assert len(found) > 5
    return [*found, "search.html"]


COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"]}
NOT_COLOURS = {"rules": {"color-contrast": {"enabled": False}}}


def axe(page: Page, **options: Any) -> list[str]:
    """Return what axe-core finds, as rule and place."""
    context = options.pop("context", None)
    # No preloading, which would fetch the style sheets again; no time spent on what is sound.
    options |= {"preload": False, "resultTypes": ["violations"]}
    report = Axe().run(page, context=context, options=options).response
    return [
        f"{violation['id']}: {node['target']} {node['failureSummary'][:300]}"
        for violation in report["violations"]
        for node in violation["nodes"][:3]
    ]


def axe_once_each(page: Page, width: int, scheme: str) -> list[str]:
    """Return what axe-core finds, without asking twice what cannot differ.

    Colours take most of its time. Those of the text are the same at every width, so on a phone
    only those around it are looked at; and nothing but colours depends on the scheme.
    """
    found = axe(page, **NOT_COLOURS) if scheme == "light" else []
    around = {"exclude": [["article"]]} if width == WIDTHS[0] else None
    return found + axe(page, context=around, **COLOURS)


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


@pytest.mark.parametrize("width", WIDTHS)
def test_a_saved_copy_works_from_disk(browser: Browser, site: Path, width: int) -> None:
    faults = {}
    with watch(browser, f"{site.as_uri()}/", width=width, scheme="dark") as watched:
        for name in names(site):
            page = watched.open(name)
            assert page.evaluate("document.documentElement.dataset.theme") == "dark"
            if found := page.evaluate(TOO_WIDE) + watched.faults:
                faults[name] = found
                watched.faults.clear()
        watched.page.goto(f"{watched.origin}index.html", wait_until="commit")
        watched.page.wait_for_url("**/book/index.html")
    assert faults == {}


def test_the_search_from_disk_leads_to_the_search_page(browser: Browser, site: Path) -> None:
    with watch(browser, f"{site.as_uri()}/") as watched:
        page = watched.open("search.html?q=softmax")
        expect(page.locator("#search-results li").first).to_be_visible()
        # Its excerpts cannot be fetched from disk, which the browser says; nobody else is asked.
        assert [f for f in watched.faults if f.startswith("another host")] == []


def test_without_javascript_everything_can_be_read(browser: Browser, served: str) -> None:
    with watch(browser, served, width=390, script=False) as watched:
        watched.page.goto(f"{served}book/01-lookup.html")
        page = watched.page
        expect(page.locator("h1").filter(visible=True)).to_have_count(1)
        expect(page.locator("article math").first).to_be_visible()
        expect(page.locator("article img").first).to_be_visible()
        solution = page.locator("details", has_text="Solution").first
        expect(solution.locator("pre")).to_be_hidden()
        solution.locator("summary").click()
        expect(solution.locator("pre")).to_be_visible()
        expect(page.locator(".theme-switch-button")).to_be_hidden()
        assert watched.faults == []


def test_math_is_drawn_with_the_courses_own_font(browser: Browser, served: str) -> None:
    with watch(browser, served) as watched:
        page = watched.open("book/01-lookup.html")
        assert page.locator("math").count() > 20
        assert page.evaluate("document.fonts.check('16px \"Course Math\"')")
        loaded = "[...document.fonts].filter((f) => f.status === 'loaded').map((f) => f.family)"
        assert "Course Math" in " ".join(page.evaluate(loaded))
        # A fraction is drawn as one: its parts stand above one another.
        top, bottom = page.evaluate(
            "[...document.querySelector('mfrac').children].map((c) => c.getBoundingClientRect().y)"
        )
        assert bottom > top + 5


def test_every_icon_on_every_page_is_in_the_small_font(
    browser: Browser, served: str, site: Path
) -> None:
    with watch(browser, served) as watched:
        seen: set[str] = set()
        for name in names(site):
            page = watched.open(name)
            icons = page.evaluate(ICONS)
            seen |= {icon["name"] for icon in icons}
            assert [icon["name"] for icon in icons if not icon["drawn"]] == [], name
        assert len(seen) > 5
        page.evaluate("document.body.innerHTML = '<i class=\"fa-solid fa-anchor\"></i>'")
        assert [icon["drawn"] for icon in page.evaluate(ICONS)] == [False]  # the net holds


@pytest.mark.parametrize("width", WIDTHS)
def test_the_theme_switch_works_and_is_remembered(
    browser: Browser, served: str, width: int
) -> None:
    with watch(browser, served, width=width, scheme="light") as watched:
        page = watched.open("book/index.html")
        seen = []
        for _ in range(3):
            page.locator(".theme-switch-button").filter(visible=True).first.click()
            seen.append(page.evaluate("[...Object.values(document.documentElement.dataset)]"))
        modes = [page.evaluate("document.documentElement.dataset.mode")]
        assert {mode for entry in seen for mode in entry} >= {"light", "dark", "auto"}
        while modes[-1] != "dark":
            page.locator(".theme-switch-button").filter(visible=True).first.click()
            modes.append(page.evaluate("document.documentElement.dataset.mode"))
            assert len(modes) < 5
        dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert sum(int(c) for c in re.findall(r"\d+", dark)[:3]) < 150
        watched.open("book/01-lookup.html")
        assert page.evaluate("document.documentElement.dataset.theme") == "dark"
        assert axe(page) == []
        assert watched.faults == []


def test_the_sidebar_opens_on_a_phone(browser: Browser, served: str) -> None:
    with watch(browser, served, width=390) as watched:
        page = watched.open("book/01-lookup.html")
        link = page.locator(".bd-sidebar-primary a, #pst-primary-sidebar-modal a").filter(
            has_text="Similarity"
        )
        expect(link.first).not_to_be_in_viewport()
        page.locator(".primary-toggle").filter(visible=True).first.click()
        expect(link.first).to_be_in_viewport()
        page.wait_for_timeout(400)  # it slides in
        assert axe(page) == []
        link.first.click()
        page.wait_for_url("**/02-similarity.html")
        assert watched.faults == []


def test_the_search_finds_a_word(browser: Browser, served: str) -> None:
    with watch(browser, served) as watched:
        page = watched.open("book/index.html")
        page.keyboard.press("Control+k")
        field = page.locator("#pst-search-dialog input[name=q]")
        expect(field).to_be_focused()
        field.fill("softmax")
        field.press("Enter")
        page.wait_for_url("**/search.html?q=softmax*")
        expect(page.locator("#search-results li").first).to_be_visible()
        assert axe(page) == []
        assert watched.faults == []


def test_code_can_be_copied(browser: Browser, served: str) -> None:
    with watch(browser, served) as watched:
        page = watched.open("book/01-lookup.html")
        page.locator("div.cell_input").first.hover()
        button = page.locator("div.cell_input button.copybtn").first
        button.click()
        expect(button).to_have_class(re.compile("success"))
        assert watched.faults == []


def test_on_paper_the_bars_are_gone(browser: Browser, served: str) -> None:
    with watch(browser, served) as watched:
        page = watched.open("book/01-lookup.html")
        page.emulate_media(media="print")
        expect(page.locator("#pst-primary-sidebar")).to_be_hidden()
        expect(page.locator(".bd-header-article")).to_be_hidden()
        expect(page.locator("article math").first).to_be_visible()


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
