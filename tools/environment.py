"""Make ``.venv`` hold one of the locked environments: book, lab or test.

Run by any Python 3.11 to 3.13, outside the environment, with the standard library alone:
``python tools/environment.py book``. It does nothing when nothing has changed.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STATE = VENV / "softlookup-installed.json"
# The download in megabytes. The lock of `test` contains the other two, version by version.
MEGABYTES = {"book": 95, "lab": 410, "test": 515}
# What pip says when it cannot reach its index, from the name look-up to the proxy.
UNREACHABLE = (
    "NewConnectionError",
    "ConnectionError",
    "ConnectTimeout",
    "ReadTimeout",
    "Read timed out",
    "Max retries exceeded",
    "name resolution",
    "ProxyError",
    "Could not find a version that satisfies",
)


def main(name: str) -> None:
    """Bring ``.venv`` to the state that the lock of this name asks for."""
    moved = _state().get("root", str(ROOT)) != str(ROOT)
    if moved or _python_of(VENV) != sys.version:  # missing, broken, or another Python's
        shutil.rmtree(VENV, ignore_errors=True)
        _make_venv()
    installed = _state().get("installed", {})
    if any(installed.get(done) == _wanted(done) for done in (name, "test")):
        return

    print(
        f"Installing the locked packages into .venv (about {MEGABYTES[name]} MB to download; "
        "a minute or two, the first time only)",
        flush=True,
    )
    # The lock is complete, so pip need not resolve anything; what is imported is compiled then.
    lock = f"requirements/{name}.txt"
    _pip(name, "--no-deps", "--no-compile", "--require-hashes", "--retries=2", "-r", lock)
    # The package itself, from this folder: changes to it take effect without a new install.
    _pip(name, "--no-deps", "--no-build-isolation", "--no-index", "-e", ".")
    # What an older lock once asked for may just have been replaced.
    still = {done: state for done, state in installed.items() if state == _wanted(done)}
    state = {"root": str(ROOT), "installed": still | {name: _wanted(name)}}
    STATE.write_text(json.dumps(state, indent=1))


def _wanted(name: str) -> dict[str, str]:
    """Return what an environment of this name is made from now."""
    return {
        "python": sys.version,
        "lock": _digest(ROOT / "requirements" / f"{name}.txt"),
        "package": _digest(ROOT / "pyproject.toml"),
    }


def _state() -> dict[str, Any]:
    """Return the record of what was installed, empty if there is none."""
    try:
        state = json.loads(STATE.read_text())
    except (OSError, ValueError):
        return {}
    return state if isinstance(state, dict) else {}


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _python_of(venv: Path) -> str:
    """Return the version of an environment's Python, or nothing if it does not run."""
    try:
        return subprocess.run(
            [venv / "bin" / "python", "-c", "import pip, sys; sys.stdout.write(sys.version)"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


def _make_venv() -> None:
    made = subprocess.run([sys.executable, "-m", "venv", VENV], check=False)
    if made.returncode:
        shutil.rmtree(VENV, ignore_errors=True)
        sys.exit(
            "This Python cannot make a virtual environment.\n"
            "On Debian and Ubuntu, install its missing part and run the command again:\n"
            f"    apt-get install python{sys.version_info.major}.{sys.version_info.minor}-venv"
        )


def _pip(name: str, *arguments: str) -> None:
    command = [VENV / "bin" / "python", "-m", "pip", "install", "-q", *arguments]
    environment = os.environ | {"PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode == 0:
        return
    sys.stderr.write(done.stderr)
    if any(sign in done.stderr for sign in UNREACHABLE):
        sys.exit(
            "\nThe packages could not be downloaded. The first run needs a network: it brings "
            f"about {MEGABYTES[name]} MB from the Python package index.\n"
            "Connect and run the same command again; what has already arrived is kept.\n"
            "Behind a proxy or a mirror, tell pip about it first: HTTPS_PROXY or PIP_INDEX_URL."
        )
    if "HASH" in done.stderr.upper():
        sys.exit(
            "\nA package is not the one the lock names, so it was not installed. Run the command "
            "again; if it happens again, do not trust the index that it comes from."
        )
    sys.exit("\nInstalling failed; pip says above why. `make clean` starts from nothing.")


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in MEGABYTES:
        sys.exit(f"usage: python tools/environment.py {'|'.join(MEGABYTES)}")
    main(sys.argv[1])
