"""Build the website into ``_build/html``, strictly, from the notebooks' stored outputs.

``python tools/build.py`` builds when anything the pages depend on has changed, and then from
nothing: a build over an old one can succeed on a page that is broken. ``--fresh`` builds always.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "_build"
SITE = BUILD / "html"
STAMP = BUILD / "built-from"
# What tools/classroom.py makes; no part of the site, so a new site leaves it alone.
KEPT = "class"
SOURCES = ("book", "src", "web", "requirements", "tools/build.py", "_config.yml", "_toc.yml")
# Made by tools, not by people; they change without a page changing.
IGNORED = {"__pycache__", ".ipynb_checkpoints", ".mypy_cache", ".ruff_cache", ".pytest_cache"}


def main(*, fresh: bool) -> None:
    """Build if needed, then say where the pages are."""
    state = sources_digest()
    if not fresh and _read(STAMP) == state and (SITE / "index.html").exists():
        print("Nothing has changed since the last build.")
    else:
        _remove_old_build()
        print("Building the site", flush=True)
        builder = Path(sys.executable).with_name("jupyter-book")
        # Through this Python: the shebang of a script may be too long, or hold a space.
        command = [sys.executable, builder, "build", ".", "-W", "-n", "--keep-going", "-q"]
        # Warnings go to stderr as they come; the rest is worth reading only after a failure.
        done = subprocess.run(
            command,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        if done.returncode:
            print(done.stdout)
            sys.exit("\nThe site was not built: each warning above has to go.")
        STAMP.write_text(state)
    print("The site is in _build/html: open _build/html/index.html, or run `make serve`.")


def _remove_old_build() -> None:
    for path in BUILD.glob("*"):
        if path.is_dir() and path.name != KEPT:
            shutil.rmtree(path, ignore_errors=True)
        elif path.is_file():
            path.unlink()


def sources_digest() -> str:
    """Return a digest of everything the built pages depend on."""
    digest = hashlib.sha256(sys.version.encode())
    for name in SOURCES:
        top = ROOT / name
        for path in sorted([top] if top.is_file() else top.rglob("*")):
            if path.is_file() and not IGNORED.intersection(path.parts):
                digest.update(f"\0{path.relative_to(ROOT)}\0".encode())
                digest.update(path.read_bytes())
    for line in _address():
        digest.update(f"\0{line}".encode())
    return digest.hexdigest()


def _address() -> list[str]:
    """Return what the launch and edit links are made from: environment, CI, git."""
    prefixes = ("SOFTLOOKUP_", "GITHUB_", "CI_", "READTHEDOCS_")
    lines = [f"{k}={v}" for k, v in sorted(os.environ.items()) if k.startswith(prefixes)]
    for command in (["git", "remote", "-v"], ["git", "branch", "--show-current"]):
        try:
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        except OSError:  # no git: a downloaded archive
            continue
        lines.append(done.stdout)
    return lines


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


if __name__ == "__main__":
    main(fresh="--fresh" in sys.argv[1:])
