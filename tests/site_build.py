"""Build the website once for all tests that look at it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent

#: The site under test is built as a fork's would be, so that its launch links are tested too.
FORK = "https://github.com/someone/a-fork"


def clean_environment() -> dict[str, str]:
    """Return the environment without anything that names a repository."""
    names = ("SOFTLOOKUP_", "GITHUB_", "CI_", "GIT_")
    return {k: v for k, v in os.environ.items() if not k.startswith(names)}


def build(base: Path) -> Path:
    """Return the folder of pages of a fresh, strict build below ``base``, made once.

    Several test processes may ask at the same time: one builds, the others wait.
    """
    done, failed = base / "site" / "done", base / "site" / "failed"
    try:
        (base / "site").mkdir(parents=True)
    except FileExistsError:
        limit = time.monotonic() + 300
        while not done.exists() and not failed.exists():
            assert time.monotonic() < limit, "the build in another process did not end"
            time.sleep(0.2)
    else:
        builder = str(Path(sys.executable).with_name("jupyter-book"))
        command = [sys.executable, builder, "build", str(ROOT)]
        command += ["-W", "-n", "--keep-going", "--path-output", str(base / "site")]
        run = subprocess.run(
            command,
            env={**clean_environment(), "SOFTLOOKUP_REPOSITORY": FORK, "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        log = run.stdout + run.stderr
        (failed if run.returncode else done).write_text(log, encoding="utf-8")
    if failed.exists():
        lines = failed.read_text(encoding="utf-8").splitlines()
        warnings = [line for line in lines if "WARNING" in line or "ERROR" in line]
        raise AssertionError("the strict build failed:\n" + "\n".join(warnings or lines[-30:]))
    return base / "site" / "_build" / "html"


def shared_folder(basetemp: Path) -> Path:
    """Return a folder that all processes of one test run share."""
    return basetemp.parent if "PYTEST_XDIST_WORKER" in os.environ else basetemp
