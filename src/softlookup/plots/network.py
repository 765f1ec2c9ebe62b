"""The network of the column-three experiment, read from the top down."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes

from . import style

__all__ = ["two_key_network"]

_NAMES = ("query", "key 1", "key 2", "swap 0, 3", "sum", "guess")
_LAYERS = ("Dense(5, softmax)", "Dense(20)", "Dense(1, sigmoid)")

_Point = tuple[float, float]

# Where the two keys stand, and how far down each step is.
_LEFT, _MIDDLE, _RIGHT = -2.55, 0.0, 2.55
_QUERY, _KEYS, _PRODUCTS, _SUM, _HIDDEN, _OUTPUT, _GUESS = (
    -height for height in (0.0, 2.2, 4.4, 6.6, 8.2, 9.8, 11.3)
)


def two_key_network(
    *, names: Sequence[str] = _NAMES, layers: Sequence[str] = _LAYERS, numbers: int = 5
) -> Axes:
    """Draw a network that multiplies its query by two keys, column by column, and adds.

    Boxes are layers that learn; what stands in no box is computed from what enters it.

    Parameters
    ----------
    names
        What to call the query, the two keys, what is done to the row before it enters the second
        key, the sum, and the answer.
    layers
        What to write into the boxes of the keys, the layer behind the sum, and the last one.
    numbers
        How many numbers the query has, the keys, and the sum.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        For anything but six names and three layers.

    Examples
    --------
    >>> ax = two_key_network(numbers=7)
    >>> ax.texts[0].get_text()
    'query $q$ (7)'
    """
    for what, given, needed in (("names", names, 6), ("layers", layers, 3)):
        if len(given) != needed:
            raise ValueError(f"{what}: needed {needed}, got {len(given)}.")
    query, key_1, key_2, swap, summed, guess = names
    of_keys, hidden, output = layers
    ax = style.new_axes(4.4, 4.9)
    ax.set(xlim=(-4.65, 4.65), ylim=(_GUESS - 0.5, _QUERY + 0.5), xticks=[], yticks=[])
    ax.spines[:].set_visible(False)

    _text(ax, (_MIDDLE, _QUERY), f"{query} $q$ ({numbers})")
    _text(ax, (2.0, -0.75), swap, ha="left", style="italic")
    for x, name in ((_LEFT, key_1), (_RIGHT, key_2)):
        _box(ax, (x, _KEYS), f"{name}\n{of_keys}")
    _text(ax, (_LEFT, _PRODUCTS), r"$q \times k_1 \times k_1$")
    _text(ax, (_RIGHT, _PRODUCTS), r"$q \times k_2 \times k_2$")
    _text(ax, (_MIDDLE, _SUM), f"{summed} $z$ ({numbers})")
    _box(ax, (_MIDDLE, _HIDDEN), f"{hidden}   $W$")
    _box(ax, (_MIDDLE, _OUTPUT), f"{output}   $w$")
    _text(ax, (_MIDDLE, _GUESS), guess)

    split = _PRODUCTS + 0.95
    ax.plot((_MIDDLE, _MIDDLE), (_QUERY - 0.4, split), color=style.INK, lw=1.4)
    for x, side in ((_LEFT, -1), (_RIGHT, 1)):
        _arrow(ax, (side * 0.9, _QUERY - 0.4), (x, _KEYS + 0.65))
        _arrow(ax, (x, _KEYS - 0.65), (x, _PRODUCTS + 0.45))
        _arrow(ax, (_MIDDLE, split), (x - side * 1.4, _PRODUCTS + 0.2))
        _arrow(ax, (x, _PRODUCTS - 0.45), (side * 0.5, _SUM + 0.45))
    _text(ax, (_MIDDLE, (_PRODUCTS + _SUM) / 2 + 0.1), "+")
    for above, below in ((_SUM, _HIDDEN), (_HIDDEN, _OUTPUT), (_OUTPUT, _GUESS)):
        _arrow(ax, (_MIDDLE, above - 0.45), (_MIDDLE, below + 0.45))
    return ax


def _text(ax: Axes, at: _Point, words: str, *, ha: str = "center", style: str = "normal") -> None:
    ax.text(*at, words, ha=ha, va="center", style=style)


def _box(ax: Axes, at: _Point, words: str) -> None:
    edge = {"boxstyle": "round,pad=0.35", "facecolor": "none", "edgecolor": style.INK, "lw": 1.4}
    ax.text(*at, words, ha="center", va="center", bbox=edge)


def _arrow(ax: Axes, start: _Point, end: _Point) -> None:
    look = {
        "arrowstyle": "-|>,head_width=0.25,head_length=0.5",
        "color": style.INK,
        "lw": 1.4,
        "shrinkA": 0,
        "shrinkB": 0,
    }
    ax.annotate("", xy=end, xytext=start, arrowprops=look)
