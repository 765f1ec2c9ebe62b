"""The published network and its relatives: one configuration each of one forward pass."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from types import MappingProxyType
from typing import Literal

from .data import COLUMNS
from .parameters import Layout

__all__ = ["VARIANTS", "Variant", "variant_named"]


@dataclass(frozen=True)
class Variant:
    """What one network is made of. The defaults are the published network.

    Parameters
    ----------
    keys
        2 as published, 1 (key 1 only), or 0: no attention, the row itself goes to the hidden
        layer.
    swap
        Whether key 2 is made from the row with columns 0 and 3 swapped.
    second_key
        ``"dense"``: key 2 = Dense(5, softmax) of its input. ``"raw"``: key 2 is its input.
    product
        ``"elementwise"``: as published, query times key times key, column by column, added up
        over the keys. ``"dot"``: a true dot product, one score per key, softmax over the keys,
        the keys themselves as values.
    scaled
        Divide each score by √5; for ``product="dot"`` only.
    train_keys
        False leaves the Dense layers of the keys as they start.
    hidden
        Units of the hidden layer; 0 leaves it out.
    activation
        ``"linear"`` as published, or ``"relu"``.
    learning_rate
        Adam's; 0.001 is Keras's default.

    Raises
    ------
    ValueError
        For a combination that means nothing, with the reason.

    Examples
    --------
    >>> Variant().parameter_count
    201
    >>> Variant(keys=0, hidden=0).parameter_count
    6
    """

    keys: Literal[0, 1, 2] = 2
    swap: bool = True
    second_key: Literal["dense", "raw"] = "dense"
    product: Literal["elementwise", "dot"] = "elementwise"
    scaled: bool = False
    train_keys: bool = True
    hidden: int = 20
    activation: Literal["linear", "relu"] = "linear"
    learning_rate: float = 0.001

    def __post_init__(self) -> None:
        """Refuse what means nothing."""
        for name, allowed in (
            ("keys", (0, 1, 2)),
            ("second_key", ("dense", "raw")),
            ("product", ("elementwise", "dot")),
            ("activation", ("linear", "relu")),
        ):
            value = getattr(self, name)
            if value not in allowed:
                choices = ", ".join(map(repr, allowed))
                raise ValueError(f"{name}: needed one of {choices}, got {value!r}.")
        if isinstance(self.hidden, bool) or not isinstance(self.hidden, int) or self.hidden < 0:
            raise ValueError(f"hidden: needed a whole number from 0 up, got {self.hidden!r}.")
        if not (isfinite(self.learning_rate) and self.learning_rate > 0):
            raise ValueError(f"learning_rate: needed a number above 0, got {self.learning_rate!r}.")
        if self.second_key == "raw" and self.keys != 2:
            raise ValueError(f"second_key: 'raw' needs keys=2, got keys={self.keys}.")
        if self.product == "dot" and self.keys == 0:
            raise ValueError("product: 'dot' needs at least one key, got keys=0.")
        if self.scaled and self.product != "dot":
            raise ValueError("scaled: there is a score to scale only with product='dot'.")
        if not self.train_keys and self.keys == 0:
            raise ValueError("train_keys: False needs at least one key, got keys=0.")
        if self.activation == "relu" and self.hidden == 0:
            raise ValueError("activation: 'relu' needs a hidden layer, got hidden=0.")

    @property
    def dense_keys(self) -> tuple[str, ...]:
        """Names of the keys that have a Dense layer."""
        names = ("key_1", "key_2")[: self.keys]
        return names[:1] if self.second_key == "raw" else names

    @property
    def layout(self) -> Layout:
        """The Dense layers, in Keras's order."""
        layers = dict.fromkeys(self.dense_keys, (COLUMNS, COLUMNS))
        if self.hidden:
            layers["hidden"] = (COLUMNS, self.hidden)
        layers["output"] = (self.hidden or COLUMNS, 1)
        return Layout(layers)

    @property
    def parameter_count(self) -> int:
        """How many numbers the network holds."""
        return self.layout.size

    @property
    def bends(self) -> bool:
        """Whether the hidden layer bends what it passes on; if not, it and the last are one."""
        return self.activation == "relu"

    @property
    def frozen(self) -> int:
        """How many parameters, counted from the first, training leaves alone."""
        keys = dict.fromkeys(self.dense_keys, (COLUMNS, COLUMNS))
        return 0 if self.train_keys else Layout(keys).size


VARIANTS = MappingProxyType(
    {
        "published": Variant(),
        "raw second key": Variant(second_key="raw"),
        "no swap": Variant(swap=False),
        "true dot product": Variant(product="dot"),
        "scaled dot product": Variant(product="dot", scaled=True),
        "one key": Variant(keys=1),
        "frozen keys": Variant(train_keys=False),
        "no attention": Variant(keys=0),
        "ReLU": Variant(activation="relu"),
        "no attention, ReLU": Variant(keys=0, activation="relu"),
        "logistic": Variant(keys=0, hidden=0),
        "logistic, rate 0.05": Variant(keys=0, hidden=0, learning_rate=0.05),
    }
)
"""The networks that the chapter compares, by name."""


def variant_named(variant: Variant | str) -> Variant:
    """Return a variant by its name in `VARIANTS`; a `Variant` comes back as it is.

    Raises
    ------
    ValueError
        For an unknown name, with the names there are.

    Examples
    --------
    >>> variant_named("one key").keys
    1
    """
    if isinstance(variant, Variant):
        return variant
    if variant not in VARIANTS:
        names = ", ".join(map(repr, VARIANTS))
        raise ValueError(f"variant: needed a Variant or one of {names}, got {variant!r}.")
    return VARIANTS[variant]
