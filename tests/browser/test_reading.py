"""What readers do with the pages: search, switch, open, copy, print, keep."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from looks import OUT_OF_REACH, TOO_WIDE, WIDTHS, axe, names
from playwright.sync_api import Browser, expect
from watched import serve, watch

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
    const drawn = style.content !== "none" && draw(text, style) !== draw("\uf8fe", style);
    return { name: icon.className, drawn };
  });
}
"""

#: Whether what is far away has been laid out and measured.
WHOLE = "document.documentElement.hasAttribute('data-measured')"


def test_a_saved_copy_works_from_disk(browser: Browser, site: Path) -> None:
    faults = {}
    with watch(browser, f"{site.as_uri()}/", width=390, scheme="dark") as watched:
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
        # The net holds: an icon without a rule, and one whose rule asks for what the font lacks.
        page.evaluate("document.body.innerHTML = '<i class=\"fa-solid fa-anchor\"></i>'")
        assert [icon["drawn"] for icon in page.evaluate(ICONS)] == [False]
        page.add_style_tag(content='.fa-anchor::before { content: "\\f13d" }')
        assert [icon["drawn"] for icon in page.evaluate(ICONS)] == [False]


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


def test_the_menus_open_by_mouse_and_by_keyboard(browser: Browser, served: str) -> None:
    with watch(browser, served) as watched:
        page = watched.open("book/01-lookup.html")
        buttons = page.locator("[data-bs-toggle=dropdown]")
        menus = page.locator(".dropdown-menu")
        assert buttons.count() == menus.count() == 3  # start, source and download
        for menu in menus.all():
            expect(menu).to_be_hidden()
        buttons.first.click()
        expect(menus.first).to_be_visible()
        expect(menus.first).to_be_in_viewport(ratio=1)
        expect(buttons.first).to_have_attribute("aria-expanded", "true")
        assert axe(page) == []
        buttons.last.click()
        expect(menus.first).to_be_hidden()
        expect(menus.last).to_be_in_viewport(ratio=1)
        page.locator("h1").filter(visible=True).click()
        expect(menus.last).to_be_hidden()

        buttons.first.focus()
        page.keyboard.press("ArrowDown")
        expect(menus.first.locator("a").first).to_be_focused()
        page.keyboard.press("ArrowDown")
        expect(menus.first.locator("a").nth(1)).to_be_focused()
        page.keyboard.press("Escape")
        expect(menus.first).to_be_hidden()
        expect(buttons.first).to_be_focused()
        page.keyboard.press("Enter")
        expect(menus.first).to_be_visible()
        for _ in range(menus.first.locator("a").count() + 1):
            page.keyboard.press("Tab")
        expect(menus.first).to_be_hidden()
        assert buttons.first.get_attribute("title") or buttons.first.get_attribute("aria-label")
        assert watched.faults == []


def test_links_within_a_page_lead_to_their_place(browser: Browser, served: str) -> None:
    with watch(browser, served) as watched:
        page = watched.open("book/01-lookup.html#sources")
        expect(page.locator("#sources h2")).to_be_in_viewport()
        link = page.locator("#pst-page-toc-nav a", has_text="A soft WHERE")
        link.click()
        heading = page.locator("#a-soft-where h2")
        expect(heading).to_be_in_viewport()
        top = "() => document.querySelector('#a-soft-where h2').getBoundingClientRect().top"
        page.wait_for_function(f"(({top})() - 100) ** 2 < 90 ** 2")  # it is on its way
        page.wait_for_timeout(300)  # and stays there while what lies around it is laid out
        assert 0 <= page.evaluate(top) < 200
        expect(link).to_have_class(re.compile("active"))


def test_the_way_back_to_the_top(browser: Browser, served: str) -> None:
    with watch(browser, served, width=390) as watched:
        page = watched.open("book/01-lookup.html")
        button = page.locator("#pst-back-to-top")
        page.evaluate("scrollTo({ top: 3000, behavior: 'instant' })")
        page.wait_for_function("scrollY === 3000")
        expect(button).to_be_hidden()
        page.evaluate("scrollTo({ top: 2700, behavior: 'instant' })")
        expect(button).to_be_visible()
        button.click()
        page.wait_for_function("scrollY === 0")


def test_without_javascript_the_menus_and_the_chapters_are_reached(
    browser: Browser, served: str
) -> None:
    with watch(browser, served, width=390, script=False) as watched:
        page = watched.page
        expect(page.locator(".primary-toggle")).to_be_hidden()
        page.goto(f"{served}book/01-lookup.html")
        page.locator("[data-bs-toggle=dropdown]").first.focus()
        expect(page.locator(".dropdown-menu").first).to_be_in_viewport(ratio=1)
        page.locator("#pst-primary-sidebar a", has_text="Similarity").click()
        page.wait_for_url("**/02-similarity.html")
        assert page.evaluate("document.documentElement.scrollWidth") == 390


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


#: How far what is seen has moved until now.
MOVED = """() => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => list.getEntries().forEach((e) => { sum += e.value; }))
    .observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(sum), 300);
})"""


def test_nothing_moves_while_a_page_comes_in(browser: Browser, served: str, site: Path) -> None:
    with watch(browser, served, width=390) as watched:
        # The font comes late to the first; after it the browser has it.
        for name in ("book/04-formula.html", *names(site)):
            page = watched.open(name, at_once=False)
            page.wait_for_function(WHOLE)
            assert page.evaluate(MOVED) <= 0.01, name


@pytest.mark.parametrize("name", ["book/02-similarity.html", "book/04-formula.html"])
def test_text_is_painted_before_the_font_of_formulas_is_asked_for(
    browser: Browser, served: str, name: str
) -> None:
    with watch(browser, served, width=390) as watched:
        page = watched.open(name, at_once=False)
        page.wait_for_function(WHOLE)
        page.wait_for_function("document.fonts.check('16px \"Course Math\"')")
        painted, asked = page.evaluate("""() => [
          performance.getEntriesByName("first-contentful-paint")[0].startTime,
          performance.getEntriesByType("resource").find((e) => e.name.includes("course-math"))
            .startTime,
        ]""")
        assert painted <= asked
        family = page.evaluate("getComputedStyle(document.querySelector('math')).fontFamily")
        assert family.startswith('"Course Math"')


def test_no_column_grows_while_a_long_table_comes_in(browser: Browser, site: Path) -> None:
    # What has arrived of the table is drawn; longer rows follow.
    with (
        serve(site, pause_before="length of a vector") as address,
        watch(browser, address, width=390) as watched,
    ):
        page = watched.open("book/notation.html", at_once=False)
        page.wait_for_function(WHOLE)
        assert (
            page.evaluate("performance.timing.responseEnd - performance.timing.responseStart") > 900
        )
        assert page.evaluate(MOVED) <= 0.01


@pytest.mark.parametrize("name", ["book/03-column-three.html", "book/reference.html"])
def test_what_is_far_away_is_laid_out_a_little_later(
    browser: Browser, served: str, name: str
) -> None:
    far = "() => [...document.querySelectorAll('article [data-laid-out]')]"
    late = f"""() => {{
      const marked = ({far})(), part = (box) => box.matches(
        ".bd-article > section > section, .bd-article > section > section > dl.py, .cell");
      const hidden = () => [...document.querySelectorAll("article *")]
        .filter((e) => getComputedStyle(e).contentVisibility === "auto");
      const without = (some, others) => some.filter((e) => !others.includes(e)).length;
      const parts = marked.filter(part), pieces = marked.filter((box) => !part(box));
      const unmark = (boxes) => boxes.forEach((box) => box.removeAttribute("data-laid-out"));
      document.documentElement.classList.add("in-parts");
      unmark(pieces);
      const first = [without(hidden(), pieces), without(pieces, hidden())];
      unmark(parts);
      // Of the pieces in parts that have not had their turn, the last of long ones alone.
      return [...first, without(hidden(), marked), without(parts, hidden())];
    }}"""
    with watch(browser, served, width=390) as watched:
        page = watched.open(name, at_once=False)
        assert not page.evaluate(WHOLE)
        page.wait_for_function(WHOLE)
        assert page.evaluate(OUT_OF_REACH) == []
        assert page.evaluate(f"({far})().length") > 100
        assert page.evaluate(late) == [0, 0, 0, 0]  # script and style sheet name the same pieces
        page.evaluate("document.querySelector('article h2').click()")
        assert not page.evaluate("!!document.querySelector('html.in-parts')")


#: What changes its looks bit by bit.
MOVING = """() => [...document.querySelectorAll("*")].flatMap((e) =>
  ["", "::before", "::after"].filter((part) => {
    const style = getComputedStyle(e, part);
    return style.transitionDuration.split(", ").some((time) => time !== "0s") ||
      style.animationName !== "none" || style.scrollBehavior === "smooth";
  }).map((part) => `${e.tagName}.${e.className}${part}`))"""


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_moves_for_readers_who_asked_for_less_motion(
    browser: Browser, served: str, width: int
) -> None:
    found = {}
    for motion in ("no-preference", "reduce"):
        with watch(browser, served, width=width) as watched:
            watched.page.emulate_media(reduced_motion=motion)  # type: ignore[arg-type]
            found[motion] = watched.open("book/01-lookup.html").evaluate(MOVING)
    assert found["no-preference"]  # what is looked for can be found
    assert not [name for name in found["no-preference"] if "softlookup-explorer" in name]
    assert found["reduce"] == []


def test_on_paper_the_bars_are_gone(browser: Browser, served: str) -> None:
    with watch(browser, served) as watched:
        page = watched.open("book/01-lookup.html")
        page.emulate_media(media="print")
        expect(page.locator("#pst-primary-sidebar")).to_be_hidden()
        expect(page.locator(".bd-header-article")).to_be_hidden()
        expect(page.locator("h1").filter(visible=True)).to_have_count(1)
        expect(page.locator("article math").first).to_be_visible()
        # The answer to a prediction is printed, a solution only where it was opened.
        height = "(box) => box.getBoundingClientRect().height"
        assert page.locator("details.hide img").first.evaluate(height) > 100
        solutions = page.locator("details:not(.hide)", has_text="Solution")
        expect(solutions.first).to_be_hidden()
        solutions.first.evaluate("(box) => (box.open = true)")
        expect(solutions.first.locator("pre").first).to_be_visible()
        page = watched.open("book/bibliography.html")
        link = page.locator("article a.external").first
        shown = link.evaluate("(a) => getComputedStyle(a, '::after').content")
        assert (link.get_attribute("href") or "none") in shown


def test_every_figure_is_on_paper_in_whole(browser: Browser, served: str) -> None:
    late = "(all) => all.filter((i) => !i.complete || !i.naturalWidth).length"
    cut = "(all) => all.filter((i) => i.getBoundingClientRect().height > 900).length"
    with watch(browser, served, scheme="dark") as watched:
        figures = watched.open("book/04-formula.html").locator("article img")
        assert figures.evaluate_all(late) > 0
        watched.page.pdf()  # brings the pictures that wait for being looked at
        assert figures.evaluate_all(late) == 0
        watched.page.emulate_media(media="print")
        assert figures.evaluate_all(cut) == 0
        assert watched.faults == []
