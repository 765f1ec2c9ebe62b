"""Run the chapters in place and store their outputs in canonical form.

    python tools/execute.py                        every chapter, in the order of the contents
    python tools/execute.py book/01-lookup.ipynb   these only
    python tools/execute.py --check                run nothing: say which files are not canonical

Each chapter gets a fresh kernel of the Python that runs this script, started in ``book/``. A file
is written only when its text changes, so a second run leaves ``git status`` clean. A cell that
fails stops everything and leaves its file as it was.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from ipykernel.kernelspec import get_kernel_dict
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

sys.path.insert(0, str(Path(__file__).resolve().parent))

import notebooks


class ThisPython(KernelSpecManager):  # type: ignore[misc]
    """Knows one kernel: the running interpreter's, whatever else is installed as python3."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        """Return the running interpreter's kernel under any name."""
        return KernelSpec(**get_kernel_dict())


class ChapterFailedError(Exception):
    """A cell that raised, named so that it can be found."""


def run(
    notebook: notebooks.Notebook, *, folder: Path, name: str = "notebook", timeout: int = 1800
) -> notebooks.Notebook:
    """Execute a copy of ``notebook`` in a fresh kernel and return it in canonical form."""
    fresh = notebooks.canonical(notebook)
    for cell in notebooks.code_cells(fresh):
        cell["outputs"], cell["execution_count"] = [], None
    with tempfile.TemporaryDirectory() as profile:
        manager = AsyncKernelManager(kernel_spec_manager=ThisPython(), kernel_name="python3")
        client = NotebookClient(
            fresh,
            km=manager,
            timeout=timeout,
            record_timing=False,
            extra_arguments=["--IPKernelApp.log_level=ERROR"],  # errors come as outputs
            resources={"metadata": {"path": str(folder)}},
        )
        # An empty IPython profile: whoever runs this may have start-up files. No MPLBACKEND: with
        # another backend than the kernel's own, figures are not shown and so not stored.
        environment = {k: v for k, v in os.environ.items() if k != "MPLBACKEND"}
        environment["IPYTHONDIR"] = profile
        try:
            # The kernel is the manager's, and ours; without this it would live on beside the next.
            client.execute(env=environment, cleanup_kc=True)
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            raise ChapterFailedError(f"{name}: {_where_it_stopped(fresh, error)}") from None
    for cell in notebooks.code_cells(fresh):
        # nbclient passes over cells without code; in order, they still count as run.
        cell["execution_count"] = cell["execution_count"] or 0
    return notebooks.canonical(fresh)


def _where_it_stopped(notebook: Any, error: Exception) -> str:
    cells = notebooks.code_cells(notebook)
    for number, cell in enumerate(cells, start=1):
        for output in cell["outputs"]:
            if output["output_type"] == "error":
                return (
                    f"code cell {number} of {len(cells)}, id {cell['id']!r}, raised "
                    f"{output['ename']}: {output['evalue']}"
                )
    done = sum(cell["execution_count"] is not None for cell in cells)
    stopped = cells[min(done, len(cells) - 1)]["id"] if cells else "none"
    return f"stopped at or after code cell id {stopped!r}: {str(error).strip().splitlines()[0]}"


def main(arguments: list[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Execute the chapters in canonical form.")
    parser.add_argument("paths", nargs="*", type=Path, help="notebooks (default: all chapters)")
    parser.add_argument("--check", action="store_true", help="run nothing; report the form")
    options = parser.parse_args(arguments)
    paths = [path.resolve() for path in options.paths] or notebooks.chapter_paths()
    failed = False
    for path in paths:
        notebook = notebooks.read(path)
        problems = notebooks.check_ids(notebook)
        if options.check:
            problems += notebooks.check_canonical(notebook, path)
        for problem in problems:
            print(f"{path.name}: {problem}", file=sys.stderr)
        failed = failed or bool(problems)
        if problems or options.check:
            continue
        start = time.perf_counter()
        try:
            text = notebooks.text_of(run(notebook, folder=path.parent, name=path.name))
        except ChapterFailedError as error:
            print(error, file=sys.stderr)
            return 1
        changed = text != path.read_text("utf-8")
        if changed:
            path.write_text(text, "utf-8", newline="\n")
        seconds = time.perf_counter() - start
        print(f"{path.name}: {seconds:.1f} s, {'changed' if changed else 'unchanged'}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
