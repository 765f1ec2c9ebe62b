"""The column-three experiment."""

from .data import Data, Task, draw
from .parameters import Parameters
from .training import Run, initialise, shuffled, train
from .variants import VARIANTS, Variant

__all__ = [
    "VARIANTS",
    "Data",
    "Parameters",
    "Run",
    "Task",
    "Variant",
    "draw",
    "initialise",
    "shuffled",
    "train",
]
