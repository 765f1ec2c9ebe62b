"""The built pages, and a headless Chromium to open them in."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from find_chromium import find

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
from site_build import build, shared_folder  # noqa: E402  found by the line above
from watched import serve  # noqa: E402

FLAGS = (
    "--no-sandbox",  # a container's root has none
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the built pages."""
    return build(shared_folder(tmp_path_factory.getbasetemp()))


@pytest.fixture(scope="session")
def served(site: Path) -> Iterator[str]:
    """Serve the pages on loopback and return their address."""
    with serve(site) as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Return the system's Chromium, or fail with what to do."""
    path = find()
    if path is None:
        pytest.fail("No Chromium found. Install one, or name it: CHROMIUM=/path/to/chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()
