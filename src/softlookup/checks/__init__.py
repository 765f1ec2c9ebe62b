"""Checks for the exercises: each says whether an answer is right, and if not, which mistake it is.

>>> from softlookup import checks
>>> def my_attention(query, key, value): ...
>>> checks.formula.attention(my_attention)
not started: my_attention returns nothing yet

There is one module per subject and one function per exercise; each takes what the exercise asks
for, a function or a value, and returns a `Result`, which a notebook shows by itself. Importing
this package loads NumPy alone.
"""

from . import (
    batches,
    column_three,
    cost,
    formula,
    lookup,
    self_attention,
    similarity,
    transformer,
)
from .result import Result

__all__ = [
    "Result",
    "batches",
    "column_three",
    "cost",
    "formula",
    "lookup",
    "self_attention",
    "similarity",
    "transformer",
]
