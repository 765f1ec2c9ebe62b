"""Say to other programs what a page is: a link's preview, a search engine, a wrong address.

The site's own address is never written down, as the repository's is not (``course_site.launch``).
It is read, first found first taken, from

1. ``SOFTLOOKUP_SITE``,
2. the CI's own variables (``CI_PAGES_URL``, ``READTHEDOCS_CANONICAL_URL``),
3. the repository's address, if it is on GitHub, whose Pages follow from it.

With one, pages name their canonical address and there are ``sitemap.xml`` and ``robots.txt``.
Without, they do not, and the addresses of the preview's pictures are relative.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit
from xml.sax.saxutils import escape

from docutils import nodes

from course_site import cards
from course_site.launch import find_repository

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config

SEARCH_DESCRIPTION = "Search the chapters, the glossary and the reference of the course."


def site_address(environment: Mapping[str, str], folder: Path) -> str | None:
    """Return where this site will be read, ending in a slash, or None if nobody says.

    >>> site_address({"SOFTLOOKUP_REPOSITORY": "https://github.com/Some/course"}, Path())
    'https://some.github.io/course/'
    >>> site_address({"SOFTLOOKUP_SITE": "https://example.org/a"}, Path())
    'https://example.org/a/'
    """
    for name in ("SOFTLOOKUP_SITE", "CI_PAGES_URL", "READTHEDOCS_CANONICAL_URL"):
        address = environment.get(name, "").strip()
        parts = urlsplit(address)
        if parts.scheme in ("http", "https") and parts.hostname:
            return f"{parts.scheme}://{parts.netloc}{quote(parts.path.rstrip('/'))}/"
    repository = find_repository(environment, folder)
    if repository is None or repository.provider != "github":
        return None
    owner, name = urlsplit(repository.url).path.strip("/").split("/")[:2]
    host = f"{owner.lower()}.github.io"
    return f"https://{host}/" if name.lower() == host else f"https://{host}/{name}/"


def find_address(app: Sphinx, config: Config) -> None:
    """Let Sphinx write canonical links."""
    config.html_baseurl = site_address(os.environ, Path(app.srcdir)) or ""


def describe(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Give the template what a preview shows: a description and a picture."""
    if pagename == "search":
        context["course_description"] = SEARCH_DESCRIPTION
    elif doctree:
        context["course_description"] = first_words(doctree)
    # The theme's search page has its title in the template.
    title = plain(context.get("title") or pagename.capitalize())
    if doctree:
        name = cards.name(pagename)
        cards.draw(Path(app.outdir) / name, title, app.config.html_title)
        address = app.config.html_baseurl
        context["course_picture"] = address + name if address else context["pathto"](name, 1)
        context["course_picture_size"] = cards.SIZE
    context["course_title"] = title


def plain(html: str) -> str:
    """Return a title without its markup."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", html)).strip()


def first_words(doctree: nodes.document, at_most: int = 160) -> str:
    """Return the first paragraph, cut at a word."""
    for paragraph in doctree.findall(nodes.paragraph):
        text = re.sub(r"\s+", " ", paragraph.astext()).strip()
        if len(text) > 40 and not any(paragraph.findall(nodes.math_block)):
            return text if len(text) <= at_most else text[: text.rindex(" ", 0, at_most)] + " …"
    return ""


def page_for_wrong_addresses(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Return the page 404, which a host shows at any depth.

    It needs nothing but itself; its links begin at the host's root, or below it where the
    site's address says so.
    """
    root, base = app.config.root_doc, urlsplit(app.config.html_baseurl).path or "/"
    titles = app.env.titles
    documents = [root, *app.env.toctree_includes.get(root, [])]
    context = {
        "course_base": base,
        "course_root": f"{base}{root}.html",
        "course_pages": [(f"{base}{name}.html", titles[name].astext()) for name in documents],
    }
    yield "404", context, "404.html"


def write_lists(app: Sphinx, exception: Exception | None) -> None:
    """List the pages for search engines, where the site's address is known."""
    address = app.config.html_baseurl
    if exception is not None or app.builder.format != "html" or not address:
        return
    entries = "".join(
        f"  <url><loc>{escape(address + quote(name))}.html</loc></url>\n"
        for name in sorted(app.env.found_docs)
    )
    Path(app.outdir, "sitemap.xml").write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{entries}</urlset>\n',
        encoding="utf-8",
    )
    Path(app.outdir, "robots.txt").write_text(
        f"User-agent: *\nAllow: /\nSitemap: {address}sitemap.xml\n", encoding="utf-8"
    )


def setup(app: Sphinx) -> dict[str, Any]:
    """Say all this while the pages are written."""
    app.connect("config-inited", find_address, priority=400)
    app.connect("html-page-context", describe, priority=900)
    app.connect("html-collect-pages", page_for_wrong_addresses)
    app.connect("build-finished", write_lists, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
