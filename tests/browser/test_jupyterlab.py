"""In a real JupyterLab an explorer is a widget: hand and Python move the same state."""

from __future__ import annotations

import json
import os
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import explorer_cases
import nbformat
import pytest
from playwright.sync_api import Browser, Page, expect

from notebooks import KERNELSPEC

SEEN = 60_000  # milliseconds: a kernel has to start

CELLS = (
    "from softlookup import explorers\n"
    "explorer = explorers.SoftLookup(\n"
    "    [[1, 0], [0, 1], [-1, -1]], [10, 20, 60], ['tea', 'soup', 'cake'], query=[0.5, 0.25]\n"
    ")\n"
    "explorer",
    "print('query', explorer.query, 'temperature', explorer.temperature)",
    "explorer.query = [-1.0, 0.5]\nexplorer.temperature = 10.0\nprint('answer', explorer.answer)",
    "explorer.query = [2, 2]",
)


NAMES = [found.name for found in pkgutil.iter_modules(explorer_cases.__path__)]


def all_explorers() -> list[str]:
    """Return three cells for each explorer: show it, say whether a hand moved it, move it."""
    cells = [f"import sys\nsys.path.insert(0, {str(Path(__file__).parent)!r})"]
    for name in NAMES:
        cells += [
            f"from explorer_cases.{name} import case\n"
            "explorer, states = case()\nbefore = explorer.state()\nexplorer",
            "print(explorer.state() != before)",
            "for name, value in states[-1].items():\n    setattr(explorer, name, value)\n"
            "print(explorer.sentence())",
        ]
    return cells


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start a JupyterLab with one notebook in it, and nobody's settings; return its address."""
    home = tmp_path_factory.mktemp("lab")
    for name, cells in {"explorer": CELLS, "all": all_explorers()}.items():
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(x) for x in cells])
        notebook["metadata"]["kernelspec"] = KERNELSPEC  # or it would be asked for
        nbformat.write(notebook, home / f"{name}.ipynb")
    environment = os.environ | {
        f"JUPYTER_{name}_DIR": str(home / name.lower()) for name in ("CONFIG", "DATA", "RUNTIME")
    }
    environment |= {"IPYTHONDIR": str(home / "ipython"), "HOME": str(home)}
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--port=0"]
    command += ["--IdentityProvider.token=", f"--ServerApp.root_dir={home}"]
    command += [
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]
    log = home / "lab.log"
    with log.open("w") as output:
        server = subprocess.Popen(
            command, env=environment, stdout=output, stderr=subprocess.STDOUT, cwd=home
        )
        try:
            yield _address(server, home / "runtime", log)
        finally:
            server.terminate()
            server.wait(timeout=30)


def _address(server: subprocess.Popen[bytes], runtime: Path, log: Path) -> str:
    for _ in range(600):
        for written in runtime.glob("jpserver-*.json"):
            text = written.read_text(encoding="utf-8")
            if text.endswith("}"):
                return f"http://127.0.0.1:{json.loads(text)['port']}/"
        if server.poll() is not None:
            break
        try:
            server.wait(timeout=0.1)
        except subprocess.TimeoutExpired:
            continue
    raise AssertionError(f"JupyterLab did not start:\n{log.read_text(encoding='utf-8')}")


def run(page: Page, number: int) -> str:
    """Run a cell and return what it printed."""
    cell = page.locator(".jp-CodeCell").nth(number)
    cell.locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    expect(cell.locator(".jp-InputPrompt")).to_have_text(re.compile(r"\[\d+\]:"), timeout=SEEN)
    return "\n".join(cell.locator(".jp-OutputArea-output pre").all_inner_texts()).strip()


def test_a_widget_and_its_attributes_follow_each_other(browser: Browser, lab: str) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    page = context.new_page()
    page.goto(f"{lab}lab/tree/explorer.ipynb")
    page.get_by_text("| Idle").wait_for(timeout=SEEN)  # the kernel is there
    run(page, 0)
    explorer = page.locator(".jp-OutputArea-output [data-explorer]")
    expect(explorer).to_have_attribute("data-awake", "", timeout=SEEN)
    assert "At T = 1 the blend is" in explorer.locator("[role=status]").inner_text()

    # By hand: Python's attributes change.
    explorer.locator("[data-part=query]").focus()
    page.keyboard.press("ArrowRight")
    explorer.locator("[data-part=temperature]").fill("-1")
    assert run(page, 1) == "query [0.55, 0.25] temperature 0.1"

    # In Python: the widget follows, and shows what Python computes.
    answer = float(run(page, 2).removeprefix("answer "))
    status = explorer.locator("[role=status]")
    expect(status).to_contain_text(f"At T = 10 the blend is {answer:.2f}")
    star = explorer.locator("[data-part=query]")
    expect(star).to_have_attribute("aria-valuetext", "\N{MINUS SIGN}1.00, 0.50")
    assert explorer.locator("[data-part=query-0]").input_value() == "-1"

    # What cannot be is refused, and nothing moves.
    assert "needed coordinates from -1 to 1, got [2.0, 2.0]" in run(page, 3)
    expect(star).to_have_attribute("aria-valuetext", "\N{MINUS SIGN}1.00, 0.50")
    context.close()


def test_every_explorer_is_a_widget(browser: Browser, lab: str) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    page = context.new_page()
    page.goto(f"{lab}lab/workspaces/all/tree/all.ipynb")
    page.get_by_text("| Idle").wait_for(timeout=SEEN)
    run(page, 0)
    for number, name in enumerate(NAMES):
        cell = 1 + 3 * number
        run(page, cell)
        explorer = page.locator(".jp-CodeCell").nth(cell).locator("[data-explorer]")
        expect(explorer).to_have_attribute("data-awake", "", timeout=SEEN)
        explorer.locator("[role=slider], [type=range], [type=radio]:checked").first.focus()
        page.keyboard.press("ArrowLeft")
        assert run(page, cell + 1) == "True", f"{name}: a key moved nothing in Python"
        sentence = run(page, cell + 2)
        expect(explorer.locator("[role=status]")).to_have_text(sentence)
    context.close()
