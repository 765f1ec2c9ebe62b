"""softlookup: attention as a soft database lookup.

>>> from softlookup import soft_lookup
>>> soft_lookup([1.0, 1.0], keys=[[1, 0], [0, 1]], values=[10, 20])
15.0

Importing this package loads NumPy alone; ``softlookup.plots`` loads Matplotlib,
``softlookup.keras_loader``
loads Keras.
"""

from . import menu, sql
from .attention import (
    attention_weights,
    multi_head_attention,
    scaled_dot_product_attention,
    self_attention,
)
from .lookup import hard_lookup, soft_lookup
from .masks import causal_mask, padding_mask
from .positions import sinusoidal_positions
from .projections import Heads
from .softmax import softmax
from .streaming import streaming_attention

__version__ = "0.1.0"

__all__ = [
    "Heads",
    "attention_weights",
    "causal_mask",
    "hard_lookup",
    "menu",
    "multi_head_attention",
    "padding_mask",
    "scaled_dot_product_attention",
    "self_attention",
    "sinusoidal_positions",
    "soft_lookup",
    "softmax",
    "sql",
    "streaming_attention",
]
