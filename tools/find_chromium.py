"""Print the Chromium that the browser tests should drive, or say what to install.

``$CHROMIUM`` names one and no other is tried; else the system's; else Playwright's own, which
is downloaded if it has not been.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MACOS = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)


def find() -> str | None:
    """Return the path of a Chromium that is already here."""
    if named := os.environ.get("CHROMIUM"):
        return shutil.which(named)
    for name in (*NAMES, *MACOS):
        if path := shutil.which(name):
            return path
    return None


def playwrights_own() -> str | None:
    """Return the path of Playwright's Chromium, fetching it first if need be."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  only where it is needed

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    if not Path(path).exists():
        command = [sys.executable, "-m", "playwright", "install", "chromium"]
        # Its progress goes to stderr: stdout carries the path.
        subprocess.run(command, stdout=sys.stderr, check=False)
    return path if Path(path).exists() else None


def main() -> None:
    """Print the path."""
    path = find()
    if not path and not os.environ.get("CHROMIUM"):
        path = playwrights_own()
    if not path:
        sys.exit(
            "\nThe browser tests need Chromium or Chrome, and none was found.\n"
            "Install one (on Debian: apt-get install chromium; on Ubuntu and macOS, Google Chrome "
            "will do)\nor name one: make test CHROMIUM=/path/to/chromium"
        )
    print(path)


if __name__ == "__main__":
    main()
