"""Make the theme's pages lighter, accessible and free of errors.

What the theme offers as an option stands in ``_config.yml``, what it offers as a template block in
``web/templates/``, and the little that is left is corrected here in the finished page. Each
correction names the markup it expects and warns, which stops a strict build, when a new version
of the theme no longer writes it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import imagesize
from docutils import nodes
from sphinx.util import logging

if TYPE_CHECKING:
    from sphinx.application import Sphinx

logger = logging.getLogger(__name__)

#: Theme templates that ``web/templates/`` copies a block of, by the hash of the version copied.
COPIED_FROM = {
    ("pydata_sphinx_theme", "theme/pydata_sphinx_theme/layout.html"): "fe5c35806042",
    ("sphinx_book_theme", "theme/sphinx_book_theme/layout.html"): "2cd2fbbe2cae",
}

#: In every page: what the theme writes, and what it should write. Pages of our own are spared.
CORRECTIONS = (
    # The sidebar holds the course's name and the search button, which need a landmark around them.
    (
        '<div id="pst-primary-sidebar" class="bd-sidebar-primary',
        '<div id="pst-primary-sidebar" role="complementary" aria-label="Course"'
        ' class="bd-sidebar-primary',
    ),
    # One logo for both themes: the second is not there without JavaScript.
    ('class="logo__image only-light"', 'class="logo__image" width="64" height="64"'),
)
#: Bootstrap's script, whose menus, hints and way back to the top web/templates/menus.js has.
BOOTSTRAP = re.compile(r'<script defer src="[^"]*scripts/bootstrap\.js[^"]*"></script>\s*')
TOGGLES = re.compile(r'data-bs-toggle="(?!dropdown"|tooltip")([^"]*)"')

#: A formula beneath the title: course.css keeps its room.
TITLE_FORMULA = re.compile(r'(?<=</h1>)\s*<div class="math-display".*?</math>', re.DOTALL)

#: The end of the theme's script, where it measures every box that may scroll.
MEASURING = re.compile(
    r'"complete"===document\.readyState\?(\w+)\(\):window\.addEventListener\("load",\1\)'
)

SECOND_LOGO = re.compile(r'\s*<img [^>]*class="logo__image only-dark pst-js-only"[^>]*>')

#: Scripts wait until the page is there, in their order; the first, inline one sets the colours.
SCRIPT = re.compile(r'<script src="')


#: The empty corner of a table is no heading, though Markdown has no other way to write it.
EMPTY_HEADING = re.compile(r'<th( class="head[^"]*")>\s*(?:<p>\s*</p>)?\s*</th>')

#: Scripts that only some pages use: the search page, and those with code to copy.
SEARCH_SCRIPTS = ("doctools.js", "sphinx_highlight.js")
COPY_SCRIPTS = ("clipboard.min.js", "copybutton.js")
CODE = 'class="highlight'

#: Lines that the theme writes into every page for what this site has not: versions to choose
#: from, and a search while typing. They would have to run before the scripts that wait.
IDLE_LINES = ("DOCUMENTATION_OPTIONS.pagename = ", "DOCUMENTATION_OPTIONS.search_as_you_type = f")

VIEWPORT = re.compile(r'<meta name="viewport"[^>]*>\s*')

#: Words of code whose element says nothing: they have the colour of the text around them. A third
#: of a page's elements are such, and a phone styles each. The colours are those of the two
#: ``pygments_*_style`` of ``_config.yml``, which a test compares.
PLAIN = ("n", "nn", "p", "w")
PLAIN_WORD = re.compile(rf'<span class="(?:{"|".join(PLAIN)})">([^<]*)</span>')
CODE_BLOCK = re.compile(r'<div class="highlight-(?:i?python3?)\b.*?</pre>', re.DOTALL)

PICTURE = re.compile(r'<img (?=[^>]*\bsrc="([^"]*_images/[^"]+)")(?![^>]*\b(?:loading|width)=)')


def check_theme(app: Sphinx) -> None:
    """Warn when a template that this site copies from has changed in the theme."""
    for (package, path), digest in COPIED_FROM.items():
        spec = importlib.util.find_spec(package)
        assert spec is not None
        assert spec.origin is not None
        content = (Path(spec.origin).parent / path).read_bytes()
        if not hashlib.sha256(content).hexdigest().startswith(digest):
            logger.warning(
                "%s/%s is not the version that web/templates/layout.html copies from; compare the "
                "two, then update COPIED_FROM in web/course_site/page.py",
                package,
                path,
                type="page",
            )


def correct_pages(app: Sphinx) -> None:
    """Put every page through the corrections as it is written."""
    templates = getattr(app.builder, "templates", None)
    if templates is None:  # not an HTML builder
        return
    render = templates.render

    def render_corrected(template: str, context: dict[str, Any]) -> str:
        html = render(template, context)
        # The theme renders parts of a page through here too.
        whole = html.lstrip().lower().startswith("<!doctype html")
        return correct(html, context["pagename"]) if whole and template != "404.html" else html

    templates.render = render_corrected


def correct(html: str, pagename: str) -> str:
    """Return a page with the theme's faults corrected."""
    for old, new in CORRECTIONS:
        if html.count(old) != 1:
            logger.warning("%s: the theme no longer writes %s", pagename, old, type="page")
        html = html.replace(old, new)
    html, found = BOOTSTRAP.subn("", html)
    if found != 1 or TOGGLES.search(html) or "pst-collapse-sidebar-button" in html:
        logger.warning("%s: the theme uses more of Bootstrap's script", pagename, type="page")
    html = SECOND_LOGO.sub("", html)
    html = SCRIPT.sub('<script defer src="', html)
    html = CODE_BLOCK.sub(_without_plain_words, html)
    return EMPTY_HEADING.sub(r"<td\1></td>", html)


def _without_plain_words(block: re.Match[str]) -> str:
    return PLAIN_WORD.sub(r"\1", block[0])


def choose_scripts(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Leave out the scripts that a page does not use."""
    body = context.get("body", "")
    unused: tuple[str, ...] = () if CODE in body else COPY_SCRIPTS
    unused += () if pagename == "search" else SEARCH_SCRIPTS
    context["script_files"] = [
        script
        for script in context.get("script_files", [])
        if not str(getattr(script, "filename", "")).endswith(unused) and not _is_idle(script)
    ]
    # A formula above the first heading is seen at once; its font must not come after it. Beneath
    # the title there is room for it under any font.
    context["course_early_math"] = "<math" in TITLE_FORMULA.sub("", body.split("<h2", 1)[0])
    # The theme's layout has this line too.
    context["metatags"] = VIEWPORT.sub("", context.get("metatags", ""))


def _is_idle(script: Any) -> bool:
    line = getattr(script, "attributes", {}).get("body")
    if line is None:
        return False
    if not str(line).startswith(IDLE_LINES):
        logger.warning("the theme has a new line of script: %s", line, type="page")
    return True


def quieten_theme(app: Sphinx, exception: Exception | None) -> None:
    """Keep the theme from measuring the whole page at once, for which scrollers.js stands in."""
    if exception is not None or app.builder.format != "html":
        return
    path = Path(app.outdir, "_static", "scripts", "pydata-sphinx-theme.js")
    script, found = MEASURING.subn("0", path.read_text(encoding="utf-8"))
    if found > 1 or "0})();" not in script:
        logger.warning("the theme's script no longer ends with its measuring", type="page")
    path.write_text(script.split("//# sourceMappingURL=")[0], encoding="utf-8")


def reserve_room(app: Sphinx, exception: Exception | None) -> None:
    """Give every picture its size, so that nothing moves when it comes, late."""
    if exception is not None or app.builder.format != "html":
        return
    for page in Path(app.outdir).rglob("*.html"):
        html = page.read_text(encoding="utf-8")
        sized = PICTURE.sub(partial(_with_size, page), html)
        if sized != html:
            page.write_text(sized, encoding="utf-8")


def _with_size(page: Path, picture: re.Match[str]) -> str:
    width, height = imagesize.get(page.parent / picture[1])
    if width <= 0 or height <= 0:
        logger.warning("%s: %s has no size", page.name, picture[1], type="page")
        return picture[0]
    return f'<img loading="lazy" width="{round(width)}" height="{round(height)}" '


def name_targets(app: Sphinx, doctree: nodes.document) -> None:
    """Let Markdown links reach what autodoc documents: ``reference.md#softlookup.softmax``."""
    docname = app.env.docname
    slugs = app.env.metadata[docname].setdefault("myst_slugs", {})
    for signature in doctree.findall(lambda n: n.tagname == "desc_signature"):
        for name in signature.get("ids", []):
            slugs[name] = (signature.line or 0, name, name)
    for target in doctree.findall(nodes.target):
        for name in target.get("ids", []):
            if name.startswith("module-"):
                slugs[name] = (target.line or 0, name, name.removeprefix("module-"))


def write_front_door(app: Sphinx, exception: Exception | None) -> None:
    """Send readers of ``index.html`` on to the first page, with a link for those who stay."""
    if exception is not None or app.builder.format != "html":
        return
    root = app.config.root_doc
    title = app.config.html_title
    Path(app.outdir, "index.html").write_text(
        "<!doctype html>\n"
        f'<html lang="{app.config.language}">\n<meta charset="utf-8">\n<title>{title}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f'<meta name="description" content="{title}: a course whose chapters run.">\n'
        f'<meta http-equiv="refresh" content="0; url={root}.html">\n'
        '<link rel="icon" href="_static/favicon.svg">\n'
        f'<main><h1>{title}</h1><p><a href="{root}.html">Open the course</a></p></main>\n</html>\n',
        encoding="utf-8",
    )


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect the corrections."""
    # Jupyter Book always sets this for an extension that this site goes without.
    app.add_config_value("comments_config", {}, "")
    app.connect("builder-inited", check_theme)
    app.connect("builder-inited", correct_pages)
    app.connect("doctree-read", name_targets)
    app.connect("html-page-context", choose_scripts, priority=900)
    app.connect("build-finished", quieten_theme, priority=900)
    app.connect("build-finished", reserve_room, priority=900)
    app.connect("build-finished", write_front_door, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
