"""The column-three experiment: five columns, one of which gives the answer away.

>>> from softlookup.column_three import read, share_largest, train
>>> run = train(range(8), "published", epochs=20)
>>> reading = read(run)
>>> reading.weight.shape
(8, 5)
>>> share_largest(reading.weight, column=3).trials
8

The NumPy trainer holds many networks side by side, so that a thousand seeds take seconds;
``keras_model`` builds the same networks in Keras, and ``cue`` holds a task in which the query says
where to look. Importing this package loads NumPy alone.

Read in this order: `data`, `variants`, `model`, `training`, `readouts`.
"""

from ..progress import showing
from . import cue, keras_model, symmetries
from .data import Data, Task, draw
from .parameters import Parameters
from .readouts import Reading, effective_weight, evaluate, importance, mean_weight, read
from .shares import Share, share, share_largest
from .training import Run, initialise, shuffled, train
from .variants import VARIANTS, Variant

__all__ = [
    "VARIANTS",
    "Data",
    "Parameters",
    "Reading",
    "Run",
    "Share",
    "Task",
    "Variant",
    "cue",
    "draw",
    "effective_weight",
    "evaluate",
    "importance",
    "initialise",
    "keras_model",
    "mean_weight",
    "read",
    "share",
    "share_largest",
    "showing",
    "shuffled",
    "symmetries",
    "train",
]
