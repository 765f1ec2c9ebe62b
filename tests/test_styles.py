"""What is left of style sheets: what pages and scripts can use, and twins for the colours."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "web"))
from course_site.styles import SMALL, StyleError, Used, gather, with_small_fonts

PAGE = (
    '<body class="page"><p id="first" style="color: var(--ink)">x</p><a class="go">y</a>'
    "<script>box.classList.add('open')</script></body>"
)


def left(css: str, page: str = PAGE, path: str = "site.css") -> str:
    """Return what is left of a sheet for a page."""
    used = Used()
    used.add_page(page)
    return gather({path: css}, used)


@pytest.mark.parametrize(
    ("css", "kept"),
    [
        ("p, .none { color: red }", "p{color:red}"),
        (".page > p + a.go:hover { color: red }", ".page > p + a.go:hover{color:red}"),
        ("#other p { color: red }", ""),
        ("#first { color: red !important }", "#first{color:red!important}"),
        ("p.open { color: red }", "p.open{color:red}"),  # a script sets it
        ("p:not(.none) { color: red }", "p:not(.none){color:red}"),
        ("p:is(.none, .go) { color: red }", "p:is(.none, .go){color:red}"),
        ("p:is(.none, .no) { color: red }", ""),
        ("[data-x] { color: red }", "[data-x]{color:red}"),
        ("a::before { content: ',}' }", 'a::before{content:",}"}'),
        ("@media print { .none { top: 0 } p { top: 0 } }", "@media print{p{top:0}}"),
        ("@media print { .none { top: 0 } }", ""),
        ("@page { margin: 1cm }", "@page{margin: 1cm}"),
        # what is named by what is kept
        (":root { --ink: var(--deep); --deep: 1; --no: 2 }", ":root{--ink:var(--deep);--deep:1}"),
        ("@keyframes spin { to { top: 0 } } p { top: 0 }", "p{top:0}"),
        (
            "@keyframes spin { to { top: 0 } } p { animation: spin 1s }",
            "@keyframes spin{to { top: 0 }}p{animation:spin 1s}",
        ),
        ("@font-face { font-family: F; src: local(f) } p { top: 0 }", "p{top:0}"),
        (
            "@font-face { font-family: 'F'; src: local(f) } p { font-family: 'F' }",
            '@font-face{font-family:"F";src:local(f)}p{font-family:"F"}',
        ),
    ],
)
def test_what_can_be_used_is_kept(css: str, kept: str) -> None:
    assert left(css) == kept


@pytest.mark.parametrize(
    ("address", "moved"),
    [
        ("url(../a.png)", 'url("a.png")'),
        ("url('b.png')", 'url("deep/b.png")'),
        ("url(data:image/png;base64,x)", 'url("data:image/png;base64,x")'),
        ("url(#c)", 'url("#c")'),
        ("url(/d.png)", 'url("/d.png")'),
    ],
)
def test_addresses_lead_where_they_led(address: str, moved: str) -> None:
    css = f"p {{ background: {address} }}"
    assert left(css, path="deep/theme.css") == f"p{{background:{moved}}}"


def test_colours_follow_the_system_without_a_script_and_are_light_on_paper() -> None:
    assert left('html[data-theme="light"] p, a { color: black }', "<html><p></p><a></a>") == (
        "a{color:black}"
        'html[data-theme="light"] p{color:black}'
        "@media screen and (prefers-color-scheme:light){"
        "html:not([data-theme]) p{color:black}}"
        "@media print{html:not([data-theme=light]) p{color:black}}"
    )
    assert left("html[data-theme=dark] p { color: white }", "<html><p></p>") == (
        "@media screen{html[data-theme=dark] p{color:white}}"
        "@media screen and (prefers-color-scheme:dark){"
        "html:not([data-theme]) p{color:white}}"
    )


@pytest.mark.parametrize(
    ("css", "message"),
    [
        ("@layer base { p { top: 0 } }", "@layer is not known"),
        ("p { a { top: 0 } }", "a rule inside a rule"),
        ("p:not([data-theme=dark]) { top: 0 }", "in a way that is new"),
        ("p { top: 0 } a", "line 1"),
    ],
)
def test_what_is_not_understood_is_refused(css: str, message: str) -> None:
    with pytest.raises(StyleError, match=message):
        left(css)


def test_a_small_font_is_sent_within_the_sheet(tmp_path: Path) -> None:
    (tmp_path / "small.woff2").write_bytes(b"small")
    (tmp_path / "large.woff2").write_bytes(b"x" * (SMALL + 1))
    sheet = '@font-face{src:url("small.woff2") format("woff2"),url("small.ttf")}'
    sheet += 'a{src:url("large.woff2"),url("missing.woff2"),url("https://a/small.woff2")}'
    assert with_small_fonts(sheet, tmp_path) == sheet.replace(
        'url("small.woff2")', "url(data:font/woff2;base64,c21hbGw=)"
    )
