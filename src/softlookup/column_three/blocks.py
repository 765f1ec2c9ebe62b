"""Work on many seeds, a block of them at a time, on several threads."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TypeVar

from ..progress import Progress

__all__ = ["in_blocks"]

T = TypeVar("T")


def in_blocks(
    work: Callable[[slice], T],
    seeds: int,
    *,
    block: int = 32,
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[T]:
    """Return ``work`` of every block of seeds, in order.

    A block's arrays stay in the processor's cache, and two threads keep two cores busy, since
    NumPy lets go of Python's lock while it computes. No answer depends on either number.

    Parameters
    ----------
    work
        Takes a slice of the seeds.
    seeds
        How many there are.
    block
        How many to take at once.
    threads
        How many blocks to work on at once; None means one for each core, at most four.
    progress
        Told how many seeds are done after each block.

    Returns
    -------
    list
        One entry for each block.

    Examples
    --------
    >>> in_blocks(lambda part: (part.start, part.stop), seeds=5, block=2)
    [(0, 2), (2, 4), (4, 5)]
    """
    parts = [slice(first, min(first + block, seeds)) for first in range(0, seeds, block)]
    if threads is None:
        threads = min(4, os.cpu_count() or 1)
    if progress:
        progress(0, seeds)
    done = 0
    if threads == 1 or len(parts) == 1:
        answers = []
        for part in parts:
            answers.append(work(part))
            if progress:
                progress(part.stop, seeds)
        return answers
    with ThreadPoolExecutor(threads) as pool:
        futures = {pool.submit(work, part): part for part in parts}
        try:
            for future in as_completed(futures):
                future.result()
                part = futures[future]
                done += part.stop - part.start
                if progress:
                    progress(done, seeds)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return [future.result() for future in futures]
