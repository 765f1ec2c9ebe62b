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
from pathlib import Path
from typing import TYPE_CHECKING, Any

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

#: In every page: what the theme writes, and what it should write.
CORRECTIONS = (
    # The sidebar holds the course's name and the search button, which need a landmark around them.
    (
        '<div id="pst-primary-sidebar" class="bd-sidebar-primary',
        '<div id="pst-primary-sidebar" role="complementary" aria-label="Course"'
        ' class="bd-sidebar-primary',
    ),
)

#: The empty corner of a table is no heading, though Markdown has no other way to write it.
EMPTY_HEADING = re.compile(r'<th( class="head[^"]*")>\s*(?:<p>\s*</p>)?\s*</th>')

#: Scripts that only the search page uses.
SEARCH_SCRIPTS = ("doctools.js", "sphinx_highlight.js")


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
        return correct(html, context.get("pagename", "")) if whole else html

    templates.render = render_corrected


def correct(html: str, pagename: str) -> str:
    """Return a page with the theme's faults corrected."""
    for old, new in CORRECTIONS:
        if html.count(old) != 1:
            logger.warning("%s: the theme no longer writes %s", pagename, old, type="page")
        html = html.replace(old, new)
    return EMPTY_HEADING.sub(r"<td\1></td>", html)


def describe(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Give the template the page's description, and leave out scripts that only search uses."""
    context["course_description"] = _first_words(doctree) if doctree else None
    context["script_files"] = [
        script
        for script in context.get("script_files", [])
        if pagename == "search" or not str(getattr(script, "filename", "")).endswith(SEARCH_SCRIPTS)
    ]


def _first_words(doctree: nodes.document, at_most: int = 160) -> str:
    """Return the first paragraph, cut at a word."""
    for paragraph in doctree.findall(nodes.paragraph):
        text = re.sub(r"\s+", " ", paragraph.astext()).strip()
        if len(text) > 40 and not any(paragraph.findall(nodes.math_block)):
            return text if len(text) <= at_most else text[: text.rindex(" ", 0, at_most)] + " …"
    return ""


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
    app.connect("html-page-context", describe, priority=900)
    app.connect("build-finished", write_front_door, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
