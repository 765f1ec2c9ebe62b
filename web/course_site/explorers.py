"""Send the modules of the explorers that pages show: interactive figures without a server.

Their first frame stands in the page already. ``mount.mjs`` wakes each when it comes near, and
only then loads the module of its kind, and its numbers where these are many.
"""

from __future__ import annotations

import re
import shutil
from hashlib import sha256
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sphinx.util import logging

if TYPE_CHECKING:
    from sphinx.application import Sphinx

logger = logging.getLogger(__name__)

#: Where the package keeps each module beside the Python that draws the first frame.
SOURCE = "src/softlookup/explorers"
TARGET = "_static/explorers"
EXPLORER = re.compile(r'<div\b[^>]*\bdata-explorer="([a-z_]+)"')
STATE = re.compile(r'(<div\b[^>]*\bdata-explorer="[a-z_]+"[^>]*?) data-state="([^"]*)"')
#: Bytes of state that stay in the page; more would keep its beginning from being seen.
IN_PAGE = 2_000


def find_explorers(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Tell the template whether a page has explorers, and warn of one without a module."""
    body = context.get("body", "")
    found = set(EXPLORER.findall(body))
    for name in sorted(found):
        if not Path(app.srcdir, SOURCE, f"{name}.mjs").is_file():
            logger.warning("%s: there is no %s/%s.mjs", pagename, SOURCE, name, type="explorers")
    context["course_explorers"] = f"{TARGET}/mount.mjs" if found else None

    def apart(explorer: re.Match[str]) -> str:
        state = unescape(explorer[2]).encode()
        if len(state) <= IN_PAGE:
            return explorer[0]
        name = f"{TARGET}/{sha256(state).hexdigest()[:16]}.json"
        path = Path(app.outdir, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(state)
        return f'{explorer[1]} data-state-at="{context["pathto"](name, 1)}"'

    if found:
        context["body"] = STATE.sub(apart, body)


def send_modules(app: Sphinx, exception: Exception | None) -> None:
    """Copy the modules to where the pages load them from."""
    if exception is not None or app.builder.format != "html":
        return
    target = Path(app.outdir, TARGET)
    target.mkdir(parents=True, exist_ok=True)
    for module in sorted(Path(app.srcdir, SOURCE).glob("*.mjs")):
        shutil.copyfile(module, target / module.name)


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect the two."""
    app.connect("html-page-context", find_explorers, priority=900)
    app.connect("build-finished", send_modules)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
