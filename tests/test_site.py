"""The built website: strict, complete, whole by itself, and every link in it leads somewhere."""

# ruff: noqa: RUF001  the formulas' own characters
from __future__ import annotations

import copy
import functools
import gzip
import importlib
import itertools
import json
import logging
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape, unescape
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
import yaml
from bs4 import BeautifulSoup
from fontTools.ttLib import TTFont
from PIL import Image
from pygments.styles import get_style_by_name
from pygments.token import STANDARD_TYPES, Text

sys.path.insert(0, str(Path(__file__).parent))
from site_build import FORK, ROOT, build, clean_environment, shared_folder

sys.path.insert(0, str(ROOT / "web"))
from course_site import cards, explorers, fonts, mathml, sharing
from course_site import page as themed

#: Where the site under test would lie on its host.
ADDRESS = "https://someone.github.io/a-fork/"
ADDRESS_PATH = urlsplit(ADDRESS).path

Checker = Callable[[Path], list[str]]

CSS_URL = re.compile(r"url\(\s*['\"]?([^'\")]+)")
SCHEME = re.compile(r"^(?:[a-z][a-z0-9+.-]*:)?//|^https?:", re.IGNORECASE)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the built pages."""
    return build(shared_folder(tmp_path_factory.getbasetemp()))


def pages(folder: Path) -> Iterator[tuple[str, BeautifulSoup]]:
    """Return every page's path and content."""
    for path in sorted(folder.rglob("*.html")):
        if "_static" not in path.relative_to(folder).parts:  # the theme leaves templates there
            yield path.relative_to(folder).as_posix(), _read(path, path.stat().st_mtime_ns)


@functools.cache
def _read(path: Path, modified: int) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


# What to look for: each returns the faults it finds.


def broken_links(folder: Path) -> list[str]:
    """Return links and sources whose file or anchor is not there."""
    ids = {
        name: {e["id"] for e in page.find_all(id=True)}
        | {e["name"] for e in page("a", attrs={"name": True})}
        for name, page in pages(folder)
    }
    faults = []
    for name, page in pages(folder):
        for element in page.find_all(["a", "link", "script", "img", "source", "use"]):
            address = element.get("href") or element.get("src")
            if not address or urlsplit(address).scheme or address.startswith("//"):
                continue
            path, fragment = unquote(urlsplit(address).path), unquote(urlsplit(address).fragment)
            target = (folder / name).parent / path if path else folder / name
            if path.startswith("/"):  # from the root of the host, below which the site may lie
                target = folder / path.removeprefix(ADDRESS_PATH)
            target = target.resolve()
            if not target.is_file():
                faults.append(f"{name}: no file for {address}")
            elif fragment and target.suffix == ".html":
                key = target.relative_to(folder.resolve()).as_posix()
                if fragment not in ids[key]:
                    faults.append(f"{name}: no anchor for {address}")
    return faults


def foreign_resources(folder: Path) -> list[str]:
    """Return what a page, style sheet or picture would load from another host."""
    faults = []
    for name, page in pages(folder):
        for element in page.find_all(
            [
                "script",
                "link",
                "img",
                "iframe",
                "source",
                "video",
                "audio",
                "object",
                "embed",
                "use",
            ]
        ):
            if element.name == "link" and element.get("rel") == ["canonical"]:
                continue
            for attribute in ("src", "href", "srcset", "data", "poster", "xlink:href"):
                if SCHEME.match(element.get(attribute) or ""):
                    faults.append(f"{name}: <{element.name}> {element[attribute]}")
        styles = [e.get_text() for e in page("style")] + [e["style"] for e in page(style=True)]
        faults += [f"{name}: {fault}" for style in styles for fault in _foreign_in_css(style)]
    for path in sorted(folder.rglob("*.css")):
        text = path.read_text(encoding="utf-8")
        faults += [f"{path.relative_to(folder)}: {fault}" for fault in _foreign_in_css(text)]
    for path in sorted(folder.rglob("*.svg")):
        for address in re.findall(r"(?:href|src)=[\"']([^\"'#][^\"']*)", path.read_text("utf-8")):
            if SCHEME.match(address):
                faults.append(f"{path.relative_to(folder)}: {address}")
    return faults


def _foreign_in_css(text: str) -> list[str]:
    imports = re.findall(r"@import\s+['\"]([^'\"]+)", text)
    return [url for url in CSS_URL.findall(text) + imports if SCHEME.match(url)]


def faulty_markup(folder: Path) -> list[str]:
    """Return pictures without text, ids used twice, and pages without heading or language."""
    faults = []
    for name, page in pages(folder):
        faults += [f"{name}: no alt on {e.get('src')}" for e in page("img") if e.get("alt") is None]
        counts = Counter(e["id"] for e in page.find_all(id=True))
        faults += [f"{name}: id {i} {n} times" for i, n in counts.items() if n > 1]
        if len(_headings(page)) != 1:
            faults.append(f"{name}: {len(_headings(page))} main headings")
        if not page.html or not page.html.get("lang"):
            faults.append(f"{name}: no language")
        if not page.title or not page.title.get_text(strip=True):
            faults.append(f"{name}: no title")
        levels = [int(h.name[1]) for h in page.select("article :is(h1, h2, h3, h4, h5, h6)")]
        for before, after in itertools.pairwise(levels):
            if after > before + 1:
                faults.append(f"{name}: a heading of level {after} follows one of level {before}")
    return faults


def _headings(page: BeautifulSoup) -> list[object]:
    """Return the main headings, without the one that the theme shows on paper only."""
    return [h for h in page("h1") if not h.find_parent(id="jb-print-docs-body")]


@contextmanager
def warnings_of(name: str) -> Iterator[list[str]]:
    """Return the messages that Sphinx's logger of a module is told."""
    messages: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: messages.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger(f"sphinx.{name}")
    logger.addHandler(handler)
    yield messages
    logger.removeHandler(handler)


# The site


def test_every_page_of_the_table_of_contents_is_built(site: Path) -> None:
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    files = [toc["root"]] + [c["file"] for part in toc["parts"] for c in part["chapters"]]
    assert len(files) > 5
    assert [f for f in files if not (site / f"{f}.html").is_file()] == []


def test_every_page_in_the_book_is_in_the_table_of_contents() -> None:
    toc = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    sources = [p for p in (ROOT / "book").iterdir() if p.suffix in (".md", ".ipynb")]
    assert [p.name for p in sources if f"book/{p.stem}\n" not in toc] == []


@pytest.mark.parametrize("check", [broken_links, foreign_resources, faulty_markup])
def test_no_fault_in_any_page(site: Path, check: Checker) -> None:
    assert len(list(pages(site))) > 5
    assert check(site) == []


def test_every_page_describes_itself(site: Path) -> None:
    descriptions = {}
    for name, page in pages(site):
        if name.startswith("book/"):
            meta = page.find("meta", attrs={"name": "description"})
            descriptions[name] = meta["content"] if meta else ""
    assert [n for n, text in descriptions.items() if not 40 <= len(text) <= 170] == []
    assert len(set(descriptions.values())) == len(descriptions)


def test_math_is_drawn_and_none_is_left_over(site: Path) -> None:
    drawn = 0
    for name, page in pages(site):
        drawn += len(page("math"))
        article = copy.copy(page.find("article"))
        if article is None:
            continue
        for code in article.select("code, pre, math, dt.sig"):
            code.decompose()
        left = re.search(r"\$[^$\n]+\$|\\\(|\\\[|\\(?:frac|sum|text)\b", article.get_text())
        assert left is None, f"{name}: {left and left[0]}"
    assert drawn > 20


def test_the_front_door_opens_the_first_page(site: Path) -> None:
    door = (site / "index.html").read_text(encoding="utf-8")
    assert 'http-equiv="refresh" content="0; url=book/index.html"' in door


def test_pages_send_only_what_they_use(site: Path) -> None:
    with_code = 0
    for name, html in pages(site):
        if name in ("index.html", "404.html"):
            continue
        scripts = [s["src"].split("?")[0].split("/")[-1] for s in html("script", src=True)]
        sheets = [e["href"].split("?")[0].split("/")[-1] for e in html("link", rel="stylesheet")]
        assert sheets == ["site.css"], name
        assert all(s.has_attr("defer") for s in html("script", src=True)), name
        assert not {"fontawesome.js", "bootstrap.js"}.intersection(scripts), name
        assert ("searchindex.js" in scripts) == (name == "search.html"), name
        assert ("copybutton.js" in scripts) == bool(html.select(".highlight")), name
        with_code += "copybutton.js" in scripts
    assert with_code > 5


def test_a_page_weighs_what_a_phone_can_fetch_at_once(site: Path) -> None:
    for name, html in pages(site):
        files = {e["src"] for e in html("script", src=True)}
        files |= {e["href"] for e in html("link", rel="stylesheet")}
        weight = len(gzip.compress((site / name).read_bytes(), 6))
        for file in files:
            path = (site / name).parent / file.split("?")[0]
            weight += len(gzip.compress(path.read_bytes(), 6))
        figures = {e["src"] for e in html.select("article img") if "_images/" in e["src"]}
        drawn = sum(
            len(gzip.compress(((site / name).parent / src).read_bytes(), 6)) for src in figures
        )
        weight += (site / fonts.NAME).stat().st_size  # the icons' fonts are in the sheet
        assert weight < 150_000, name
        assert weight + drawn < 400_000, name


def test_every_figure_keeps_its_room_and_comes_when_it_is_near(site: Path) -> None:
    figures = [e for _, html in pages(site) for e in html("img") if "_images/" in e["src"]]
    assert len(figures) > 30
    for figure in figures:
        assert figure["loading"] == "lazy"
        assert int(figure["width"]) > 100
        assert int(figure["height"]) > 50


def test_small_fonts_take_the_place_of_the_themes(site: Path) -> None:
    sizes = {p.name: p.stat().st_size for p in site.rglob("*.woff*")}
    assert sizes["course-math.woff"] < 30_000
    assert sizes["fa-solid-900.woff2"] < 10_000
    assert sizes["fa-brands-400.woff2"] < 10_000
    sheet = (site / "_static" / "site.css").read_text()
    assert "url(data:font/woff2;base64," in sheet
    assert "fa-solid-900.woff2" not in sheet


def test_the_math_font_has_every_character_of_the_formulas(site: Path) -> None:
    wanted = {c for name, _ in pages(site) for c in fonts.characters((site / name).read_text())}
    with TTFont(site / fonts.NAME) as font:
        has = {chr(code) for code in font.getBestCmap()}
        assert "MATH" in font
    assert len(wanted) > 50
    assert wanted - has == set()


def test_a_character_that_the_math_font_lacks_is_a_warning(tmp_path: Path) -> None:
    app = SimpleNamespace(builder=SimpleNamespace(format="html"), outdir=tmp_path)
    (tmp_path / "page.html").write_text("<math><mi>x</mi><mo>&#8776;</mo></math>")
    with warnings_of("course_site.fonts") as messages:
        fonts.cut_font(app, None)
        assert messages == []
        (tmp_path / "page.html").write_text("<math><mi>한</mi></math>")
        fonts.cut_font(app, None)
    assert messages == ["the math font has no 한 (U+D55C); see web/make_fonts.py"]


def test_the_fork_gets_links_to_itself(site: Path) -> None:
    html = (site / "book/01-lookup.html").read_text(encoding="utf-8")
    repository = FORK.removeprefix("https://github.com/")
    assert (
        f"https://mybinder.org/v2/gh/{repository}/main?urlpath=lab/tree/book/01-lookup.ipynb"
        in html
    )
    assert (
        f"https://colab.research.google.com/github/{repository}/blob/main/book/01-lookup.ipynb"
        in html
    )
    assert f"{FORK}/edit/main/book/01-lookup.ipynb" in html


# What others are told of a page


def test_a_shared_link_has_a_title_a_description_and_a_picture(site: Path) -> None:
    pictures = set()
    for name, html in pages(site):
        if not name.startswith("book/"):
            continue
        meta = {e.get("property") or e.get("name"): e.get("content") for e in html("meta")}
        assert meta["og:title"] == html.h1.get_text(strip=True).removesuffix("#"), name
        assert meta["og:description"] == meta["description"], name
        assert meta["og:url"] == ADDRESS + name, name
        assert html.find("link", rel="canonical")["href"] == ADDRESS + name
        assert meta["og:image"].startswith(ADDRESS), name
        picture = site / meta["og:image"].removeprefix(ADDRESS)
        with Image.open(picture) as image:
            assert image.size == (1200, 630)
        assert picture.stat().st_size < 40_000
        pictures.add(picture.read_bytes())
        assert len(html("meta", attrs={"name": "viewport"})) == 1, name
    assert len(pictures) > 10


def test_the_same_page_gets_the_same_picture(tmp_path: Path) -> None:
    drawn = []
    for name in ("a.png", "b.png"):
        cards.draw(tmp_path / name, "4. The scaled formula", "Attention Is a Soft Lookup")
        drawn.append((tmp_path / name).read_bytes())
    assert drawn[0] == drawn[1]
    cards.draw(tmp_path / "c.png", "5. Many queries at once", "Attention Is a Soft Lookup")
    assert (tmp_path / "c.png").read_bytes() != drawn[0]


def test_the_sitemap_lists_the_pages(site: Path) -> None:
    listed = re.findall(r"<loc>([^<]+)</loc>", (site / "sitemap.xml").read_text())
    assert sorted(listed) == [ADDRESS + n for n, _ in pages(site) if n.startswith("book/")]
    assert f"Sitemap: {ADDRESS}sitemap.xml" in (site / "robots.txt").read_text()


def test_a_wrong_address_leads_to_the_chapters_from_any_depth(site: Path) -> None:
    html = BeautifulSoup((site / "404.html").read_text(), "html.parser")
    links = [e["href"] for e in html("a")]
    assert f"{ADDRESS_PATH}book/01-lookup.html" in links
    assert all(link.startswith(ADDRESS_PATH) for link in links)
    assert html.form["action"] == f"{ADDRESS_PATH}search.html"
    assert html("link", rel="stylesheet") == html("script") == []


@pytest.mark.parametrize(
    ("environment", "address"),
    [
        ({}, None),
        ({"SOFTLOOKUP_SITE": "https://example.org/course"}, "https://example.org/course/"),
        ({"SOFTLOOKUP_SITE": "nonsense"}, None),
        ({"SOFTLOOKUP_REPOSITORY": "git@github.com:Me/c.git"}, "https://me.github.io/c/"),
        ({"GITHUB_REPOSITORY": "Me/me.github.io"}, "https://me.github.io/"),
        ({"SOFTLOOKUP_REPOSITORY": "https://gitlab.com/me/c"}, None),
        ({"CI_PAGES_URL": "https://me.gitlab.io/c"}, "https://me.gitlab.io/c/"),
        (
            {"SOFTLOOKUP_SITE": "http://a.org", "GITHUB_REPOSITORY": "me/c"},
            "http://a.org/",
        ),
    ],
)
def test_the_sites_address_is_read_and_not_guessed(
    tmp_path: Path, environment: dict[str, str], address: str | None
) -> None:
    assert sharing.site_address(environment, tmp_path) == address


# The theme, which may change under it


SOUND = (
    '<div id="pst-primary-sidebar" class="bd-sidebar-primary"><img src="l.svg" '
    'class="logo__image only-light"/></div>'
    '<script defer src="scripts/bootstrap.js?digest=1"></script>'
)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('id="pst-primary-sidebar" class', 'class="x" id', "no longer writes"),
        ("only-light", "light", "no longer writes"),
        ("bootstrap.js", "bootstrap5.js", "more of Bootstrap"),
        ("</div>", '<a data-bs-toggle="modal">x</a></div>', "more of Bootstrap"),
    ],
)
def test_markup_that_changes_in_the_theme_is_a_warning(old: str, new: str, message: str) -> None:
    with warnings_of("course_site.page") as messages:
        themed.correct(SOUND, "p")
        assert messages == []
        themed.correct(SOUND.replace(old, new), "p")
    assert [message in m for m in messages] == [True]


def test_a_template_that_changes_in_the_theme_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    with warnings_of("course_site.page") as messages:
        themed.check_theme(SimpleNamespace())
        assert messages == []
        changed = dict.fromkeys(themed.COPIED_FROM, "000000000000")
        monkeypatch.setattr(themed, "COPIED_FROM", changed)
        themed.check_theme(SimpleNamespace())
    assert len(messages) == 2
    assert all("is not the version that" in m for m in messages)


def test_a_script_that_changes_in_the_theme_is_a_warning(tmp_path: Path) -> None:
    script = tmp_path / "_static/scripts/pydata-sphinx-theme.js"
    script.parent.mkdir(parents=True)
    app = SimpleNamespace(builder=SimpleNamespace(format="html"), outdir=tmp_path)
    end = '"complete"===document.readyState?I():window.addEventListener("load",I)})();'
    with warnings_of("course_site.page") as messages:
        script.write_text(f"(()=>{{x(),{end}\n//# sourceMappingURL=x.js.map")
        themed.quieten_theme(app, None)
        themed.quieten_theme(app, None)  # a script that an earlier build has left
        assert script.read_text() == "(()=>{x(),0})();\n"
        assert messages == []
        script.write_text(f"(()=>{{x(),{end.replace('complete', 'loaded')}")
        themed.quieten_theme(app, None)
    assert messages == ["the theme's script no longer ends with its measuring"]


def test_a_new_line_of_script_in_the_theme_is_a_warning() -> None:
    known = SimpleNamespace(attributes={"body": "DOCUMENTATION_OPTIONS.pagename = 'x';"})
    with warnings_of("course_site.page") as messages:
        for line in (known, SimpleNamespace(attributes={"body": "somethingNew()"})):
            context = {"body": "", "script_files": [line], "metatags": ""}
            app = SimpleNamespace(srcdir=ROOT, config=SimpleNamespace(html_static_path=[]))
            themed.choose_scripts(app, "p", "page.html", context, None)
            assert context["script_files"] == []
    assert messages == ["the theme has a new line of script: somethingNew()"]


def test_words_of_code_without_an_element_have_the_colour_of_the_text() -> None:
    options = yaml.safe_load((ROOT / "_config.yml").read_text())["sphinx"]["config"]
    for theme in ("pygments_light_style", "pygments_dark_style"):
        style = get_style_by_name(options["html_theme_options"][theme])
        by_class = {short: token for token, short in STANDARD_TYPES.items()}
        text = style.style_for_token(Text)
        for short in themed.PLAIN:
            assert style.style_for_token(by_class[short]) == text, f"{theme}: {short}"


# Explorers


def test_a_page_with_an_explorer_gets_its_module() -> None:
    app = SimpleNamespace(srcdir=ROOT)
    with warnings_of("course_site.explorers") as messages:
        for body, sent in (('<div data-explorer="soft_lookup">', True), ("<p>none</p>", False)):
            context: dict[str, Any] = {"body": body}
            explorers.find_explorers(app, "p", "page.html", context, None)
            assert bool(context["course_explorers"]) == sent
        assert messages == []
        explorers.find_explorers(app, "p", "x", {"body": '<div data-explorer="none">'}, None)
    assert messages == ["p: there is no src/softlookup/explorers/none.mjs"]


def test_modules_are_loaded_on_pages_with_explorers_only(site: Path) -> None:
    for page in sorted(site.rglob("*.html")):
        html = page.read_text(encoding="utf-8")
        assert ("data-explorer=" in html) == ("explorers/mount.mjs" in html), page.name
    sent = {path.name for path in (site / "_static/explorers").glob("*.mjs")}
    assert sent == {path.name for path in (ROOT / "src/softlookup/explorers").glob("*.mjs")}


def test_what_an_explorer_needs_beyond_its_first_frame_does_not_hold_up_the_page(
    site: Path,
) -> None:
    apart, within = 0, 0
    for page in sorted((site / "book").glob("*.html")):
        notebook = ROOT / "book" / f"{page.stem}.ipynb"
        stored = notebook.read_text(encoding="utf-8") if notebook.exists() else ""
        html = page.read_text(encoding="utf-8")
        for state in re.findall(r'data-state="([^"]*)"', html):
            assert len(unescape(state)) <= explorers.IN_PAGE, page.name
            within += 1
        for address in re.findall(r'data-state-at="([^"]*)"', html):
            state = (page.parent / address).read_text(encoding="utf-8")
            assert json.loads(state), page.name
            assert json.dumps(escape(state), ensure_ascii=False)[1:-1] in stored, page.name
            apart += 1
        assert html.count("data-explorer=") == len(re.findall(r"data-state(-at)?=", html))
    assert (apart, within) >= (3, 4)


# The reference


@pytest.mark.parametrize(
    ("page", "modules"),
    [
        ("", ["", ".menu", ".sql", ".transformer", ".keras_loader"]),
        ("-experiments", [".column_three", ".dates", ".measure", ".progress"]),
        ("-figures", [".plots", ".explorers"]),
        ("-exercises", [".questions"]),
    ],
)
def test_the_reference_has_every_public_name(site: Path, page: str, modules: list[str]) -> None:
    html = (site / f"book/reference{page}.html").read_text(encoding="utf-8")
    for module in modules:
        public = importlib.import_module(f"softlookup{module}")
        names = [n for n in public.__all__ if not isinstance(getattr(public, n), ModuleType)]
        assert names
        missing = [n for n in names if f'id="{public.__name__}.{n}"' not in html]
        assert missing == [], module


def test_chapters_link_to_functions_in_the_reference(site: Path) -> None:
    html = (site / "book/01-lookup.html").read_text(encoding="utf-8")
    assert 'href="reference.html#softlookup.soft_lookup"' in html


# The nets hold


@pytest.mark.parametrize(
    ("check", "body", "fault"),
    [
        (broken_links, '<a href="other.html">x</a>', "no file for other.html"),
        (broken_links, '<a href="#nowhere">x</a>', "no anchor for #nowhere"),
        (broken_links, '<a href="page.html#no">x</a>', "no anchor for page.html#no"),
        (broken_links, '<img src="no.png" alt="">', "no file for no.png"),
        (
            foreign_resources,
            '<img alt="" src="https://example.org/a.png">',
            "<img> https://example",
        ),
        (foreign_resources, '<script src="//example.org/a.js"></script>', "<script> //example.org"),
        (
            foreign_resources,
            "<style>@import 'https://example.org/a.css'</style>",
            "example.org/a.css",
        ),
        (foreign_resources, '<p style="background: url(https://example.org/b)">', "example.org/b"),
        (faulty_markup, '<img src="a.png">', "no alt on a.png"),
        (faulty_markup, '<p id="a"></p><p id="a"></p>', "id a 2 times"),
        (faulty_markup, "<h1>again</h1>", "2 main headings"),
        (
            faulty_markup,
            "<article><h2>a</h2><h4>b</h4></article>",
            "level 4 follows one of level 2",
        ),
    ],
)
def test_a_fault_is_found(tmp_path: Path, check: Checker, body: str, fault: str) -> None:
    page = '<!doctype html><html lang="en"><title>t</title><h1 id="top">h</h1>{}</html>'
    (tmp_path / "page.html").write_text(page.format(""), encoding="utf-8")
    assert check(tmp_path) == []
    (tmp_path / "page.html").write_text(page.format(body), encoding="utf-8")
    faults = check(tmp_path)
    assert len(faults) == 1
    assert fault in faults[0]


def test_a_foreign_font_in_a_style_sheet_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text('@font-face { src: url("https://example.org/f.woff2") }')
    assert foreign_resources(tmp_path) == ["a.css: https://example.org/f.woff2"]


# Math


@pytest.mark.parametrize(
    ("latex", "drawn"),
    [
        (r"\mathbf{W}_Q", "<msub><mi>𝐖</mi><mi>Q</mi></msub>"),
        (r"\operatorname{softmax}(x)", "<mi>softmax</mi><mo"),
        (r"2 \log x", '<mn>2</mn><mspace width="0.167em" /><mi>log</mi><mspace'),
        (
            r"\lVert x\rVert_2",
            '<mo form="prefix" stretchy="false">‖</mo><mi>x</mi><msub><mo form="postf',
        ),
        (r"(-0.3)", '<mo form="prefix">−</mo><mn>0.3</mn>'),
        (r"1{,}000", "<mn>1,000</mn>"),
        (r"\arg\max_i x_i", "<munder><mo movablelimits"),
        (r"\begin{aligned}a&=b\end{aligned}", '<mtd class="right tight"><mi>a</mi></mtd>'),
        (r"x \to \infty", "<mi>∞</mi>"),
        (r"\mathrm{softmax}", "<mi>softmax</mi>"),
        (r"\overline{AB}", 'class="overline"'),
    ],
)
def test_formulas_are_drawn_as_browsers_want_them(latex: str, drawn: str) -> None:
    assert drawn in mathml.to_mathml(latex)


@pytest.mark.parametrize(
    ("latex", "message"),
    [
        (r"\foo", r"unknown command \\foo"),
        (r"\frac{a}", "<mfrac> with 1 parts"),
        (r"a & b", "ParseError"),
        (r"\begin{array}{c|c}a&b\end{array}", "columnlines="),
        (r"\operatorname{a\,b}", "a command inside"),
        (r"$x$", "dollar sign"),
    ],
)
def test_what_cannot_be_drawn_is_refused(latex: str, message: str) -> None:
    with pytest.raises(mathml.MathError, match=message):
        mathml.to_mathml(latex)


def test_a_strict_build_stops_at_an_unknown_command(tmp_path: Path) -> None:
    (tmp_path / "conf.py").write_text(
        "import sys\n"
        f"sys.path.insert(0, {str(ROOT / 'web')!r})\n"
        "extensions = ['course_site.mathml']\nhtml_math_renderer = 'mathml'\n"
    )
    for formula, code in ((r"\sqrt{d_k}", 0), (r"\nosuch", 2)):
        (tmp_path / "index.rst").write_text(f"Title\n=====\n\n:math:`{formula}`\n")
        command = [
            sys.executable,
            "-m",
            "sphinx",
            "-W",
            "-q",
            "-E",
            str(tmp_path),
            str(tmp_path / "o"),
        ]
        run = subprocess.run(
            command, capture_output=True, text=True, check=False, env=clean_environment()
        )
        assert run.returncode == code, run.stderr
        assert (r"unknown command \nosuch" in run.stderr) == bool(code)
        shutil.rmtree(tmp_path / "o")
