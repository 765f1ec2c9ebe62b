"""The first cell of every chapter brings the package on Colab and does nothing elsewhere.

The cell is run as Colab would run it: by a Python that has NumPy but not ``softlookup``, beside a
stand-in for Colab's own server, with a git repository on this disk in the part of the public one.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import venv
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest

import notebooks

# What the kernel of Colab has done before the first cell, and what the second cell needs.
BEFORE = "import google.colab\n"
AFTER = "\nimport softlookup\nprint(softlookup.__file__, getattr(softlookup, 'BRANCH', None))\n"
# Stands in for pip where only the question matters: what was asked to be installed.
PIP_THAT_SAYS = "import sys\nprint('ASKED', *sys.argv[1:])\n"
QUIET = ["install", "-q", "--no-deps", "anywidget", "psygnal"]


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a Python with pip and NumPy, and nothing else."""
    home = tmp_path_factory.mktemp("colab") / "venv"
    venv.create(home, with_pip=True, symlinks=True)
    (packages,) = home.glob("lib/python3*/site-packages")
    installed = Path(np.__file__).parent.parent
    for part in [*installed.glob("numpy"), *installed.glob("numpy.libs")]:
        (packages / part.name).symlink_to(part)
    return home / "bin" / "python"


@pytest.fixture
def bare_python(python: Path) -> Path:
    """Return that Python without the package that another test may have installed."""
    (packages,) = python.parent.parent.glob("lib/python3*/site-packages")
    for part in packages.glob("softlookup*"):
        shutil.rmtree(part)
    return python


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Make a git repository of this package, with a branch that can be told from main."""
    folder = tmp_path_factory.mktemp("public") / "owner" / "course"
    folder.mkdir(parents=True)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(notebooks.ROOT / name, folder)
    shutil.copytree(
        notebooks.ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__")
    )

    def git(*arguments: str) -> None:
        who = ["-c", "user.name=Test", "-c", "user.email=test@example.org"]
        subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)

    git("init", "-b", "main")
    git("add", ".")
    git("commit", "-m", "The package")
    git("switch", "-c", "topic/soft-lookup")
    with (folder / "src/softlookup/__init__.py").open("a", encoding="utf-8") as file:
        file.write("\nBRANCH = 'topic/soft-lookup'\n")
    git("commit", "-a", "-m", "The package on a branch")
    git("switch", "main")
    return folder.as_uri()


class _Sessions(HTTPServer):
    """Answers as the server of a Colab runtime does, about one open notebook."""

    path = ""

    @property
    def environment(self) -> dict[str, str]:
        return {"COLAB_JUPYTER_IP": "127.0.0.1", "KMP_TARGET_PORT": str(self.server_port)}

    def opened_from(self, page: str) -> dict[str, str]:
        """Say that the notebook came from ``page``; return the runtime's environment."""
        self.path = f"fileId={quote(page, safe='')}"
        return self.environment


class _Answer(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        session = {
            "id": "1",
            "path": self.server.path,  # type: ignore[attr-defined]
            "name": "01-lookup.ipynb",
            "type": "notebook",
            "kernel": {"id": "2", "name": "python3"},
        }
        found = self.path == "/api/sessions"
        self.send_response(200 if found else 404)
        self.end_headers()
        self.wfile.write(json.dumps([session]).encode() if found else b"no such page")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def sessions() -> Iterator[_Sessions]:
    with _Sessions(("127.0.0.1", 0), _Answer) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def _run(
    python: Path,
    folder: Path,
    environment: dict[str, str],
    *,
    cell: str = notebooks.COLAB_SETUP_CELL,
    real_pip: bool = False,
    colab: bool = True,
) -> subprocess.CompletedProcess[str]:
    modules = folder / "modules"
    if colab:
        (modules / "google" / "colab").mkdir(parents=True, exist_ok=True)
        (modules / "google" / "colab" / "__init__.py").touch()
    if not real_pip:
        (modules / "pip").mkdir(parents=True, exist_ok=True)
        (modules / "pip" / "__init__.py").touch()
        (modules / "pip" / "__main__.py").write_text(PIP_THAT_SAYS, "utf-8")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("COLAB_", "KMP_", "SOFTL"))}
    kept |= {"PYTHONPATH": str(modules), "PIP_ROOT_USER_ACTION": "ignore", "no_proxy": "127.0.0.1"}
    kept |= {"PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    script = (BEFORE if colab else "") + cell + (AFTER if real_pip else "")
    return subprocess.run(
        [str(python), "-c", script],
        cwd=folder,
        env=kept | environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def _asked(done: subprocess.CompletedProcess[str]) -> list[str]:
    assert done.returncode == 0, done.stderr
    words = done.stdout.split()
    assert words[:1] == ["ASKED"], done.stdout
    return words[1:]


def test_on_colab_the_package_comes_from_the_notebooks_own_branch(
    bare_python: Path, repository: str, sessions: _Sessions, tmp_path: Path
) -> None:
    runtime = sessions.opened_from(f"{repository}/blob/topic/soft-lookup/book/01-lookup.ipynb")
    done = _run(bare_python, tmp_path, runtime, real_pip=True)
    assert done.returncode == 0, done.stderr
    file, branch = done.stdout.split()  # so the cell itself printed nothing
    home = bare_python.parent.parent
    assert Path(file).is_relative_to(home)
    assert branch == "topic/soft-lookup"
    (record,) = home.glob("lib/python3*/site-packages/softlookup-*/direct_url.json")
    origin = json.loads(record.read_text("utf-8"))
    assert origin["url"] == repository
    assert origin["vcs_info"]["requested_revision"] == "topic/soft-lookup"

    # A second run finds the package and leaves everything alone.
    again = _run(bare_python, tmp_path, runtime)
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")


def test_without_colabs_server_a_variable_names_the_repository(
    bare_python: Path, repository: str, tmp_path: Path
) -> None:
    done = _run(bare_python, tmp_path, {"SOFTLOOKUP_REPOSITORY": repository}, real_pip=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[1] == "None"  # the default branch


@pytest.mark.parametrize("branch", ["main", "v1.0", "topic/a/b", "größe", "half%done", "0f" * 20])
def test_any_branch_is_asked_for_by_its_own_name(
    branch: str, bare_python: Path, sessions: _Sessions, tmp_path: Path
) -> None:
    page = f"https://example.org/owner/course/blob/{quote(branch)}/book/02-similarity.ipynb"
    done = _run(bare_python, tmp_path, sessions.opened_from(page))
    assert _asked(done) == [*QUIET, f"git+https://example.org/owner/course@{branch}"]


def test_a_typed_address_wins(bare_python: Path, sessions: _Sessions, tmp_path: Path) -> None:
    line = 'repository = ""'
    assert line in notebooks.COLAB_SETUP_CELL
    typed = notebooks.COLAB_SETUP_CELL.replace(line, 'repository = "https://example.org/typed"')
    runtime = sessions.opened_from("https://example.org/o/c/blob/main/book/01-lookup.ipynb")
    done = _run(bare_python, tmp_path, runtime, cell=typed)
    assert _asked(done) == [*QUIET, "git+https://example.org/typed"]


def _closed_port() -> str:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        return str(unused.getsockname()[1])


def test_a_silent_server_is_no_obstacle(bare_python: Path, tmp_path: Path) -> None:
    runtime = {"COLAB_JUPYTER_IP": "127.0.0.1", "KMP_TARGET_PORT": _closed_port()}
    variable = {"SOFTLOOKUP_REPOSITORY": "https://example.org/owner/course@main"}
    done = _run(bare_python, tmp_path, runtime | variable)
    assert _asked(done) == [*QUIET, "git+https://example.org/owner/course@main"]


@pytest.mark.parametrize("home", ["a copy on a drive", "a silent server", "not Colab"])
def test_with_no_address_the_message_says_what_to_do(
    home: str, bare_python: Path, sessions: _Sessions, tmp_path: Path
) -> None:
    environment = {
        "a copy on a drive": sessions.opened_from("1aBcDeF"),
        "a silent server": {"COLAB_JUPYTER_IP": "127.0.0.1", "KMP_TARGET_PORT": _closed_port()},
        "not Colab": {},
    }[home]
    done = _run(bare_python, tmp_path, environment, colab=home != "not Colab")
    assert done.returncode == 1
    assert done.stdout == ""  # pip was not asked
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("ModuleNotFoundError: softlookup is missing. On Colab, type")
    assert "`make lab`" in last


def test_a_failed_installation_stops_the_cell(bare_python: Path, tmp_path: Path) -> None:
    nowhere = {"SOFTLOOKUP_REPOSITORY": (tmp_path / "nowhere").as_uri()}
    done = _run(bare_python, tmp_path, nowhere, real_pip=True)
    assert done.returncode == 1
    assert "CalledProcessError" in done.stderr
    assert "nowhere" in done.stderr


def test_elsewhere_the_cell_does_nothing(tmp_path: Path, sessions: _Sessions) -> None:
    """Where the package is installed nothing is asked, whatever the environment says."""
    runtime = sessions.opened_from("https://example.org/o/c/blob/main/book/01-lookup.ipynb")
    for environment in ({}, runtime, {"SOFTLOOKUP_REPOSITORY": "https://example.org/o/c"}):
        done = _run(Path(sys.executable), tmp_path, environment, colab=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_cell_is_short_folded_on_colab_and_absent_from_the_site() -> None:
    cell = notebooks.colab_setup_cell()
    lines = cell["source"].splitlines()
    assert lines[0].startswith("# @title ")
    assert lines[0].endswith('{ display-mode: "form" }')
    assert len(lines) <= 26
    assert max(map(len, lines)) <= 100
    assert cell["metadata"]["cellView"] == "form"
    assert cell["metadata"]["jupyter"] == {"source_hidden": True}
    assert cell["metadata"]["tags"] == ["remove-cell"]
