"""Show how far long work has come, and leave no trace of it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["Progress", "showing"]

Progress = Callable[[int, int], None]
"""Called with how much is done and how much there is, from the thread that asked for the work."""


@contextlib.contextmanager
def showing(what: str) -> Iterator[Progress]:
    """Show a line that counts up while the work inside runs; it is gone afterwards.

    In a notebook the line is an output that is cleared at the end, so that stored outputs and
    the comparison of them know nothing of it. In a terminal it is one line that is wiped. Where
    neither looks on, nothing is shown.

    Parameters
    ----------
    what
        What is being counted, such as ``"networks trained"``.

    Yields
    ------
    callable
        Takes how much is done and how much there is; what trains accepts it as ``progress``.

    Examples
    --------
    >>> with showing("networks trained") as progress:
    ...     for done in range(3):
    ...         progress(done + 1, 3)
    """
    kernel = _kernel()
    if kernel is not None:
        write, wipe = _notebook_line(kernel)
    elif sys.stderr is not None and sys.stderr.isatty():
        write, wipe = _terminal_line()
    else:
        write, wipe = _nothing, _nothing

    def progress(done: int, total: int) -> None:
        write(f"{done:,} of {total:,} {what}")

    try:
        yield progress
    finally:
        wipe()


def _kernel() -> Any:
    """Return the IPython shell if this is a notebook's kernel."""
    if "IPython" not in sys.modules:
        return None
    shell = sys.modules["IPython"].get_ipython()
    return shell if getattr(shell, "kernel", None) is not None else None


def _notebook_line(shell: Any) -> tuple[Any, Any]:
    publisher = shell.display_pub
    name = {"display_id": f"softlookup progress {shell.execution_count}"}
    # An output with nothing in it, later updated: nbval compares what is displayed first and
    # ignores updates, so it compares nothing, whatever the line says while it lives.
    publisher.publish(data={}, metadata={}, transient=name)

    def write(text: str) -> None:
        publisher.publish(data={"text/plain": text}, metadata={}, transient=name, update=True)

    return write, publisher.clear_output


def _terminal_line() -> tuple[Any, Any]:
    def write(text: str) -> None:
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()

    return write, lambda: write("")


def _nothing(text: str = "") -> None:
    """Show nothing."""
