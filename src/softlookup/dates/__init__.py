"""Dates as people write them, and two readers that turn them into ISO form.

>>> from softlookup.dates import build, draw, train
>>> learn, held_out = draw(train=64, held_out=5)
>>> with_attention, without = build(), build(attention=False)
>>> with_attention.model.count_params() == without.model.count_params()
True

Read in this order: `formats`, `vocabulary`, `data`, `keras_model`, `training`, `reading`,
`weights`. Importing this package loads NumPy alone; Babel is loaded when dates are written, and
Keras when a model is built.
"""

from .data import Dates, draw, split
from .formats import FORMATS, LANGUAGES, days, examples, write
from .keras_model import Reader, attend, build
from .reading import Alignment, align, translate, translate_all
from .training import Epoch, exact, shares, train
from .vocabulary import Vocabulary, iso, written
from .weights import stored

__all__ = [
    "FORMATS",
    "LANGUAGES",
    "Alignment",
    "Dates",
    "Epoch",
    "Reader",
    "Vocabulary",
    "align",
    "attend",
    "build",
    "days",
    "draw",
    "exact",
    "examples",
    "iso",
    "shares",
    "split",
    "stored",
    "train",
    "translate",
    "translate_all",
    "write",
    "written",
]
