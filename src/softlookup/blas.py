"""One thread for each of NumPy's matrix products, for as long as we bring threads of our own.

NumPy leaves its products to a library, mostly OpenBLAS, which shares each among all processors and
waits for the last of them. For many small products in a row that is waste, and on a machine with
other work to do it is worse: each product waits for a processor that is busy elsewhere (2.2
seconds instead of 0.2 were seen). It is better to share out the work as a whole. NumPy has no
setting for this, so the library is asked itself.
"""

from __future__ import annotations

import ctypes
import importlib.util
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

__all__ = ["one_blas_thread"]

_lock = threading.Lock()
_users = 0
_usual = 1


@contextmanager
def one_blas_thread() -> Iterator[int]:
    """Hold each matrix product to one thread; yield how many threads it would have had.

    Where the library is another one and cannot be asked, nothing changes and 1 is yielded. The
    setting belongs to the whole process: products in other threads are held to it too until the
    last user leaves.

    Examples
    --------
    >>> with one_blas_thread() as threads:
    ...     threads >= 1
    True
    """
    global _users, _usual  # noqa: PLW0603, the library's setting is just as global
    found = _openblas()
    if found is None:
        yield 1
        return
    get, put = found
    with _lock:
        if _users == 0:
            _usual = get()
            put(1)
        _users += 1
    try:
        yield _usual
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                put(_usual)


@cache
def _openblas() -> tuple[Any, Any] | None:
    """Return the functions that read and set OpenBLAS's number of threads, if it is there."""
    for module in ("numpy._core", "numpy.core"):  # NumPy 2, NumPy 1
        if importlib.util.find_spec(module) is None:
            continue
        spec = importlib.util.find_spec(f"{module}._multiarray_umath")
        if spec is None or spec.origin is None:
            continue
        try:
            # Looking up a name in an extension module also looks in the libraries it is
            # linked with, except on Windows.
            library = ctypes.CDLL(spec.origin)
        except OSError:
            continue
        for before, behind in (
            ("scipy_openblas", "64_"),
            ("scipy_openblas", ""),
            ("openblas", "64_"),
            ("openblas", ""),
        ):
            try:
                return (
                    library[f"{before}_get_num_threads{behind}"],
                    library[f"{before}_set_num_threads{behind}"],
                )
            except AttributeError:
                continue
    return None
