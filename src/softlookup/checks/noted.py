"""Of which types and shapes the tables are that a learner's code makes on its way.

The answer alone does not tell: a table of float64 can be turned back at the end, and a whole row of
scores can be let go again. So the code is given tables that note every table computed from them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Noted", "noted"]


class Noted(np.ndarray[Any, np.dtype[Any]]):
    """A table that notes what is computed from it, and hands its notes on.

    What NumPy reads anew, as `numpy.asarray` does, is no longer watched: what was noted is true,
    but need not be all.
    """

    made: list[tuple[str, np.dtype[Any], tuple[int, ...]]]

    def __array_finalize__(self, source: NDArray[Any] | None) -> None:
        self.made = getattr(source, "made", [])

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if "out" in options:
            options["out"] = tuple(_bare(x) for x in options["out"])
        answer = getattr(ufunc, method)(*(_bare(x) for x in inputs), **options)
        return self._note(ufunc.__name__, answer)

    def astype(self, *arguments: Any, **options: Any) -> Any:
        return self._note("astype", _bare(self).astype(*arguments, **options))

    def _note(self, name: str, answer: Any) -> Any:
        if isinstance(answer, tuple):
            return tuple(self._note(name, one) for one in answer)
        if not isinstance(answer, np.ndarray) or not answer.ndim:
            return answer
        self.made.append((name, answer.dtype, answer.shape))
        table = answer.view(Noted)
        table.made = self.made
        return table


def noted(*tables: NDArray[Any]) -> tuple[Noted, ...]:
    """Return the tables as ones that note, together, what is computed from them.

    Examples
    --------
    >>> (x,) = noted(np.ones((2, 3), np.float32))
    >>> y = (x / np.sqrt(3)).astype(np.float32)
    >>> [(name, str(dtype)) for name, dtype, _ in y.made]
    [('divide', 'float64'), ('astype', 'float32')]
    """
    made: list[tuple[str, np.dtype[Any], tuple[int, ...]]] = []
    watched = tuple(table.view(Noted) for table in tables)
    for table in watched:
        table.made = made
    return watched


def _bare(x: Any) -> Any:
    return x.view(np.ndarray) if isinstance(x, Noted) else x
