"""The formula of attention as five boxes, with the shape that each arrow carries."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from . import style

__all__ = ["formula_diagram"]

_BOXES = ("MatMul", "Scale", "Mask (opt.)", "SoftMax", "MatMul")
_OPTIONAL = 3
_CARRIED = (r"$QK^\top$", r"$QK^\top/\sqrt{d_k}$", "", "$W$", "$WV$")


def formula_diagram(
    *,
    boxes: Sequence[str] = _BOXES,
    highlight: str | int | None = None,
    sizes: Sequence[str | int] = ("$n_q$", "$n_k$", "$d_k$", "$d_v$"),
) -> Axes:
    r"""Draw softmax(QK^T / sqrt(d_k)) V as five boxes, read from the top down.

    Parameters
    ----------
    boxes
        The names of the five boxes.
    highlight
        Which box to stress: its number, 1 to 5, or its name (every box that bears it).
    sizes
        What to write for the number of queries, the number of keys, and the columns of a key and
        of a value.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        For anything but five names and four sizes, or a box that is not there.

    Examples
    --------
    >>> ax = formula_diagram(highlight="Scale", sizes=(3, 5, 2, 4))
    >>> ax.texts[-1].get_text().split()[::2]
    ['5', '4']
    """
    if len(boxes) != 5:
        raise ValueError(f"boxes: needed five names, got {len(boxes)}.")
    if len(sizes) != 4:
        raise ValueError(f"sizes: needed four, got {len(sizes)}.")
    stressed = {
        number
        for number, name in enumerate(boxes, start=1)
        if highlight in (number, name) and not isinstance(highlight, bool)
    }
    if highlight is not None and not stressed:
        raise ValueError(
            f"highlight: needed a number from 1 to 5 or one of {tuple(boxes)}, got {highlight!r}."
        )
    n_q, n_k, d_k, d_v = map(str, sizes)
    scores, answer = _shape(n_q, n_k), _shape(n_q, d_v)
    ax = style.new_axes(5.0, 5.7)
    ax.set(xlim=(0, 10), ylim=(-13.3, 0.8), xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    left, middle, right = 2.6, 4.4, 6.2
    for number, name in enumerate(boxes, start=1):
        _box(
            ax,
            (middle, -2.3 * number),
            f"{number}  {name}",
            stressed=number in stressed,
            optional=number == _OPTIONAL,
        )
    for x, name, shape, side in (
        (left, "$Q$", _shape(n_q, d_k), "right"),
        (right, "$K$", _shape(n_k, d_k), "left"),
    ):
        ax.text(x, 0.35, name, ha="center", va="center", fontsize=14)
        _arrow(ax, (x, -0.05), (x, -1.7))
        ax.text(x + (-0.25 if side == "right" else 0.25), -0.85, shape, ha=side, va="center")
    for number, carried in enumerate(_CARRIED, start=1):
        top = -2.3 * number - 0.6
        _arrow(ax, (middle, top), (middle, top - 1.1))
        shape = answer if number == 5 else scores
        ax.text(middle - 0.25, top - 0.5, shape, ha="right", va="center")
        ax.text(middle + 0.25, top - 0.5, carried, ha="left", va="center")
    _arrow(ax, (9.0, -11.5), (7.15, -11.5))
    ax.text(9.3, -11.5, "$V$", ha="left", va="center", fontsize=14)
    ax.text(8.1, -11.0, _shape(n_k, d_v), ha="center", va="bottom")
    return ax


def _shape(rows: str, columns: str) -> str:
    return f"{rows} \N{MULTIPLICATION SIGN} {columns}"


def _box(
    ax: Axes, centre: tuple[float, float], name: str, *, stressed: bool, optional: bool
) -> None:
    x, y = centre
    ax.add_patch(
        FancyBboxPatch(
            (x - 2.6, y - 0.55),
            5.2,
            1.1,
            boxstyle="round,pad=0,rounding_size=0.25",
            facecolor="#f6c9dc" if stressed else "none",
            edgecolor=style.QUERY if stressed else style.INK,
            linewidth=3.2 if stressed else 1.4,
            linestyle=(0, (4, 2)) if optional else "-",
        )
    )
    ax.text(
        x, y, name, ha="center", va="center", fontsize=12.5, weight="bold" if stressed else "normal"
    )


def _arrow(ax: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    ax.annotate(
        "",
        xy=end,
        xytext=start,
        arrowprops={
            "arrowstyle": "-|>,head_width=0.25,head_length=0.5",
            "color": style.INK,
            "lw": 1.4,
            "shrinkA": 0,
            "shrinkB": 0,
        },
    )
