"""Send the modules of the explorers that pages show: interactive figures without a server.

Their first frame stands in the page already. ``mount.mjs`` wakes each when it comes near, and
only then loads the module of its kind.
"""

from __future__ import annotations

import re
import shutil
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


def find_explorers(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Tell the template whether a page has explorers, and warn of one without a module."""
    found = set(EXPLORER.findall(context.get("body", "")))
    for name in sorted(found):
        if not Path(app.srcdir, SOURCE, f"{name}.mjs").is_file():
            logger.warning("%s: there is no %s/%s.mjs", pagename, SOURCE, name, type="explorers")
    context["course_explorers"] = f"{TARGET}/mount.mjs" if found else None


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
