"""Dates as people write them, and models that read them.

>>> from softlookup.dates import draw
>>> train, held_out = draw(train=10, held_out=5)
>>> len(train), len(held_out)
(10, 5)

Read in this order: `formats`, `vocabulary`, `data`. Importing this package loads NumPy alone;
Babel is loaded when dates are written.
"""

from .data import Dates, draw, split
from .formats import FORMATS, LANGUAGES, days, examples, write
from .vocabulary import Vocabulary, iso, written

__all__ = [
    "FORMATS",
    "LANGUAGES",
    "Dates",
    "Vocabulary",
    "days",
    "draw",
    "examples",
    "iso",
    "split",
    "write",
    "written",
]
