"""Diagrams: the formula as five boxes, the two Transformer blocks, the table cut into blocks."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch, Rectangle

from . import style

__all__ = ["formula_diagram", "table_in_blocks", "transformer_blocks"]

_BOXES = ("MatMul", "Scale", "Mask (opt.)", "SoftMax", "MatMul")
_OPTIONAL = 3
_CARRIED = (r"$QK^\top$", r"$QK^\top/\sqrt{d_k}$", "", "$A$", "$AV$")


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


def transformer_blocks(
    *,
    titles: tuple[str, str] = ("encoder", "decoder"),
    parts: tuple[str, str, str] = ("MultiHead", "Norm", "FeedForward"),
    causal: str = "causal",
    sizes: Sequence[str | int] = ("$n$", "$m$", "$d$"),
) -> Axes:
    r"""Draw one encoder block and one decoder block side by side, each read from the top down.

    The lines around a box are what is added to its answer. The encoder's rows :math:`E` enter
    the decoder's second attention as keys and values.

    Parameters
    ----------
    titles
        What to call the two.
    parts
        What to call attention, norm and feed-forward.
    causal
        What to write beside the attention that may not look ahead.
    sizes
        What to write for the rows read, the rows written, and the columns of both.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        For anything but two titles, three parts and three sizes.

    Examples
    --------
    >>> ax = transformer_blocks(sizes=(5, 3, 8))
    >>> [text.get_text() for text in ax.texts[:2]]
    ['encoder', 'decoder']
    """
    for name, given, needed in (("titles", titles, 2), ("parts", parts, 3), ("sizes", sizes, 3)):
        if len(given) != needed:
            raise ValueError(f"{name}: needed {needed}, got {len(given)}.")
    read, written, d = map(str, sizes)
    attention, norm, forward = parts
    left, right = 2.6, 8.5
    ax = style.new_axes(5.4, 6.6)
    ax.set(xlim=(0, 11.1), ylim=(-15.9, 1.9), xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    for x, title in zip((left, right), titles, strict=True):
        ax.text(x, 1.4, title, ha="center", va="center", weight="bold")
    _block(
        ax,
        left,
        [
            (f"{attention}$(X, X, X)$", f"{norm}$_1(X + \\cdots)$", "$H$"),
            (f"{forward}$(H)$", f"{norm}$_2(H + \\cdots)$", "$E$"),
        ],
        shape=_shape(read, d),
        around=-1,
    )
    _block(
        ax,
        right,
        [
            (f"{attention}$(X, X, X)$", f"{norm}$_1(X + \\cdots)$", "$H_1$"),
            (f"{attention}$(H_1, E, E)$", f"{norm}$_2(H_1 + \\cdots)$", "$H_2$"),
            (f"{forward}$(H_2)$", f"{norm}$_3(H_2 + \\cdots)$", "$Y$"),
        ],
        shape=_shape(written, d),
        around=1,
    )
    ax.text(right - 0.25, -0.95, causal, ha="right", va="center", style="italic")
    encoded, asked = -2 * _PART, -_PART - 2.15
    bend = (left + right) / 2
    ax.plot(
        (left + 1.3, bend, bend), (encoded, encoded, asked), color=style.INK, lw=1.4, clip_on=False
    )
    _arrow(ax, (bend, asked), (right - 2.3, asked))
    return ax


# How far a part, its norm and the arrows between them reach down.
_PART = 4.95


def _block(
    ax: Axes, x: float, steps: Sequence[tuple[str, str, str]], *, shape: str, around: int
) -> None:
    """Draw the parts of one block below one another, and around each what is added to it."""
    _carried(ax, (x, 0), "$X$", shape)
    for number, (part, norm, carried) in enumerate(steps):
        top = -_PART * number
        _arrow(ax, (x, top - 0.45), (x, top - 1.65))
        _box(ax, (x, top - 2.15), part, half=(2.3, 0.5), size=12.5)
        _arrow(ax, (x, top - 2.65), (x, top - 3.3))
        _box(ax, (x, top - 3.8), norm, half=(2.3, 0.5), size=12.5)
        side = x + around * 2.55
        ax.plot(
            (x, side, side),
            (top - 1.3, top - 1.3, top - 3.8),
            color=style.MUTED,
            lw=1.2,
            clip_on=False,
        )
        _arrow(ax, (side, top - 3.8), (x + around * 2.3, top - 3.8))
        ax.plot((x, x), (top - 4.3, top - _PART + 0.4), color=style.INK, lw=1.4)
        _carried(ax, (x, top - _PART), carried, shape)


def _carried(ax: Axes, centre: tuple[float, float], name: str, shape: str) -> None:
    ax.text(*centre, f"{name}   {shape}", ha="center", va="center", fontsize=12.5)


def table_in_blocks(
    *,
    blocks: tuple[int, int] = (4, 6),
    now: tuple[int, int] = (1, 3),
    axes: tuple[str, str] = ("queries", "keys"),
    kept: Sequence[str] = ("$m$", "$l$", "$o$"),
) -> Axes:
    """Draw a table of scores that is crossed block by block, and what is kept on the way.

    Blocks behind have a stroke through them, the present one is filled and framed, blocks to
    come are empty. To the right, as high as the block, stands what is kept of the past.

    Parameters
    ----------
    blocks
        How many blocks of queries, and of keys.
    now
        Which block is at work: its row and its column, from 0.
    axes
        What the rows are, and what the columns are.
    kept
        What to call the columns that are kept; the last is drawn wider.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        For a block that is not in the table.

    Examples
    --------
    >>> ax = table_in_blocks(blocks=(2, 3), now=(0, 1))
    >>> len(ax.patches)  # six blocks, three columns kept
    9
    """
    rows, columns = blocks
    if not (0 <= now[0] < rows and 0 <= now[1] < columns):
        raise ValueError(f"now: needed a block of a table of {rows} by {columns}, got {now}.")
    ax = style.new_axes(5.2, 3.2)
    ax.set(xlim=(-0.7, columns + 3.1), ylim=(rows + 0.1, -0.9), xticks=[], yticks=[], aspect=1)
    ax.spines[:].set_visible(False)
    for row in range(rows):
        for column in range(columns):
            present = (row, column) == now
            ax.add_patch(_rectangle((column, row), 1, stressed=present))
            if (row, column) < now:
                ax.plot(
                    (column + 0.2, column + 0.8),
                    (row + 0.8, row + 0.2),
                    color=style.MUTED,
                    lw=1.6,
                )
    start = columns + 0.5
    for number, name in enumerate(kept, start=1):
        width = 1.1 if number == len(kept) else 0.4
        ax.add_patch(_rectangle((start, now[0]), width))
        ax.text(start + width / 2, now[0] - 0.15, name, ha="center", va="bottom", fontsize=13)
        start += width + 0.2
    arrow = "\N{RIGHTWARDS ARROW}"
    ax.text(columns / 2, -0.2, f"{axes[1]} {arrow}", ha="center", va="bottom", style="italic")
    ax.text(
        -0.25,
        rows / 2,
        f"\N{LEFTWARDS ARROW} {axes[0]}",
        ha="center",
        va="center",
        rotation=90,
        style="italic",
    )
    return ax


def _rectangle(corner: tuple[float, float], width: float, *, stressed: bool = False) -> Rectangle:
    return Rectangle(
        corner,
        width,
        1,
        facecolor="#f6c9dc" if stressed else "none",
        edgecolor=style.QUERY if stressed else style.INK,
        linewidth=3.2 if stressed else 1.0,
        zorder=3 if stressed else 2,
    )


def _shape(rows: str, columns: str) -> str:
    return f"{rows} \N{MULTIPLICATION SIGN} {columns}"


def _box(
    ax: Axes,
    centre: tuple[float, float],
    name: str,
    *,
    stressed: bool = False,
    optional: bool = False,
    half: tuple[float, float] = (2.6, 0.55),
    size: float = 12.5,
) -> None:
    x, y = centre
    ax.add_patch(
        FancyBboxPatch(
            (x - half[0], y - half[1]),
            2 * half[0],
            2 * half[1],
            boxstyle="round,pad=0,rounding_size=0.25",
            facecolor="#f6c9dc" if stressed else "none",
            edgecolor=style.QUERY if stressed else style.INK,
            linewidth=3.2 if stressed else 1.4,
            linestyle=(0, (4, 2)) if optional else "-",
        )
    )
    ax.text(
        x, y, name, ha="center", va="center", fontsize=size, weight="bold" if stressed else "normal"
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
