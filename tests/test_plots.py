"""Figures: the same bytes each time, names inside the picture, bad input refused."""

import functools
import hashlib
import importlib
import io
import json
import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb

from softlookup import attention_weights, causal_mask, menu, plots, sinusoidal_positions, softmax

# The module, which the function of the same name hides.
POSITIVE = importlib.import_module("softlookup.plots.heatmap")._POSITIVE
KEYS = menu.keys("spicy", "soupy")
CRAVING = np.array([0.6, 0.3])
TABLE = menu.keys()
T = np.logspace(-2, 2, 9)
SPICY = np.linspace(-1, 1, 9)
WEIGHTS = softmax(CRAVING @ KEYS.T)
TASTES = ("spicy", "soupy")
SAMPLES = {f"d = {d}": np.sin(np.arange(500.0)) * d for d in (4, 16, 64)}

# One call of every function, as the chapters make them: with the longest names of the menu.
FIGURES = {
    "against": lambda: plots.against(SPICY, SPICY**3, axes=("with the swap", "without")),
    "intervals": lambda: plots.intervals(
        {
            "epoch 1 loss": (0.6, 0.7, 0.8),
            "validation accuracy": (0.7, 0.9, 1.0),
            "mean |W|, column 3": (0.2, 0.4, 0.6),
            "logistic, fast": (1.0, 1.0, 1.0),
        },
        marks={"mean |W|, column 3": 0.8},
        axis="95 % of networks",
        line=0.5,
    ),
    "alignment": lambda: plots.alignment(softmax(TABLE[:2] @ TABLE.T), "11월\N{SPACE}木", "-2"),
    "answers": lambda: plots.answers(
        SPICY,
        {"T = 1": SPICY, "T = 0.2": SPICY**3},
        steps=np.repeat([5, 9, 12], 3),
        step_labels=np.repeat(["sorbet", "gazpacho", "ramen"], 3),
        axes=("spicy", "price"),
        here=0.6,
    ),
    "arrows": lambda: plots.arrows(
        KEYS, menu.DISHES, axes=TASTES, query=CRAVING, numbers=KEYS @ CRAVING, zero_line=True
    ),
    "bars": lambda: plots.bars({"score": KEYS @ CRAVING, "weight": WEIGHTS}, menu.DISHES),
    "blend_path": lambda: plots.blend_path(
        KEYS, menu.DISHES, [[0.1, 0.2], [0.9, -0.3]], ["T = 100", "T = 0.05"], axes=TASTES
    ),
    "formula_diagram": lambda: plots.formula_diagram(highlight="Scale"),
    "heatmap": lambda: plots.heatmap(
        TABLE @ TABLE.T, menu.DISHES, menu.DISHES, title="$QK^\\top$", axes=("query", "key")
    ),
    "heatmaps": lambda: plots.heatmaps(
        {"$S$": TABLE @ TABLE.T, "$W$": attention_weights(TABLE, TABLE, mask=causal_mask(5))},
        menu.DISHES,
        menu.DISHES,
        hidden={"$W$": ~causal_mask(5)},
    ),
    "histograms": lambda: plots.histograms(SAMPLES, x_label="$q \\cdot k$"),
    "lines": lambda: plots.lines(
        [4, 16, 64], {"a": [0.1, 0.4, 0.9], "b": [0.3, 0.3, 0.3]}, axes=("d", "w"), log="x",
        points=True, bands={"a": ([0.1, 0.2, 0.5], [0.2, 0.6, 1])},
    ),
    "matrix_products": lambda: plots.matrix_products(
        {"$Q$": KEYS[:3], "$K^\\top$": KEYS.T, "$S$": KEYS[:3] @ KEYS.T},
        {"$W$": softmax(KEYS[:3] @ KEYS.T), "$V$": KEYS, "$WV$": softmax(KEYS[:3] @ KEYS.T) @ KEYS},
    ),
    "new_axes": lambda: plots.new_axes().set(title="bare", xlabel="x"),
    "new_row": lambda: plots.new_row(3)[0].set(title="bare", xlabel="x"),
    "plane": lambda: plots.plane(
        KEYS, menu.DISHES, axes=TASTES, query=CRAVING, query_label="craving"
    ),
    "projection": lambda: plots.projection(CRAVING, [0.2, 0.9], axes=TASTES),
    "table_in_blocks": lambda: plots.table_in_blocks(blocks=(3, 5), now=(1, 2)),
    "tip_to_tail": lambda: plots.tip_to_tail(
        (KEYS @ CRAVING)[:, None] * KEYS, menu.DISHES, axes=TASTES, query=CRAVING, total_label="sum"
    ),
    "transformer_blocks": lambda: plots.transformer_blocks(sizes=(5, 3, 8)),
    "two_key_network": plots.two_key_network,
    "weights_by_temperature": lambda: plots.weights_by_temperature(
        T, [softmax(KEYS @ CRAVING, temperature=t) for t in T], menu.DISHES
    ),
}  # fmt: skip
MORE = {
    "a large heatmap": lambda: plots.heatmap(sinusoidal_positions(23, 16), [], [], axes=("p", "i")),
    "a large heatmap, hidden": lambda: plots.heatmap(
        sinusoidal_positions(23, 23), [], [], hidden=~causal_mask(23)
    ),
    "a formula with numbers": lambda: plots.formula_diagram(sizes=(3, 5, 2, 7), highlight=5),
    "a tall product": lambda: plots.matrix_products(
        {"$X$": np.ones((13, 5)), "$W^Q$": np.ones((5, 2)), "$Q$": np.ones((13, 2))}
    ),
    "a wide product": lambda: plots.matrix_products(
        {"$A$": np.ones((2, 23)), "$B$": np.ones((23, 13)), "$AB$": np.full((2, 13), 23.0)}
    ),
    "four heads": lambda: plots.heatmaps(
        {f"head {h}": softmax(TABLE @ TABLE.T) for h in range(4)}, menu.DISHES, menu.DISHES
    ),
}
ALL = FIGURES | MORE


@pytest.fixture(autouse=True)
def course_style():
    with mpl.rc_context():
        mpl.use("agg")
        plots.use_course_style()
        yield
        plt.close("all")


def svg(draw) -> bytes:
    plt.close("all")
    draw()
    file = io.BytesIO()
    # As the notebooks store it: no date, no creator, cropped to what was drawn.
    plt.gcf().savefig(
        file, format="svg", metadata={"Date": None, "Creator": None}, bbox_inches="tight"
    )
    return file.getvalue()


def fingerprints() -> dict[str, str]:
    """Return the fingerprint of one figure per function, drawn in this process."""
    mpl.use("agg")
    plots.use_course_style()
    return {name: hashlib.sha256(svg(draw)).hexdigest() for name, draw in FIGURES.items()}


@functools.cache
def drawn_in_another_process() -> dict[str, str]:
    program = (
        "import json, sys; sys.path.insert(0, sys.argv[1]); import test_plots; "
        "print(json.dumps(test_plots.fingerprints()))"
    )
    command = [sys.executable, "-c", program, str(Path(__file__).parent)]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    return json.loads(done.stdout)


def test_every_function_is_drawn_here():
    assert set(FIGURES) == set(plots.__all__) - {"use_course_style"}


def test_no_two_figures_are_alike():
    assert len(set(drawn_in_another_process().values())) == len(FIGURES)


def test_another_number_gives_other_bytes():
    first = svg(lambda: plots.heatmap([[0.25]], ["a"], ["b"]))
    assert first == svg(lambda: plots.heatmap([[0.25]], ["a"], ["b"]))
    assert first != svg(lambda: plots.heatmap([[0.26]], ["a"], ["b"]))


@pytest.mark.parametrize("name", ALL)
def test_a_figure(name):
    drawn = svg(ALL[name])
    # The same bytes in two processes, each with its own hash seed.
    if name in FIGURES:
        assert hashlib.sha256(drawn).hexdigest() == drawn_in_another_process()[name]
    # Paths, no picture; nothing painted behind the axes; small enough to keep in a notebook.
    text = drawn.decode()
    assert "<image" not in text
    assert "fill: #ffffff; " not in text.split('<g id="axes_1"')[0]
    assert len(text) < 115_000
    assert outside(plt.gcf()) == []
    assert too_small(plt.gcf()) == []


def outside(figure) -> list[str]:
    """Return what is written outside the picture, which the layout has been computed for.

    The layout was computed for SVG; this renderer's hinted letters are up to 2 % wider.
    """
    width, height = figure.bbox.size
    renderer = figure.canvas.get_renderer() if hasattr(figure.canvas, "get_renderer") else None
    boxes = []
    for ax in figure.axes:
        for axis in (ax.xaxis, ax.yaxis):  # with the labels of the ticks that are drawn
            boxes.append((f"an axis of {ax.get_title()!r}", axis.get_tightbbox(renderer)))
        written = [*ax.texts, ax.title, *(ax.get_legend().texts if ax.get_legend() else [])]
        boxes += [(text.get_text(), text.get_window_extent(renderer)) for text in written]
    return [
        f"{name} at {box.bounds}"
        for name, box in boxes
        if box is not None
        and name.strip()
        and not (box.x0 >= -3 and box.y0 >= -3 and box.x1 <= width + 3 and box.y1 <= height + 3)
    ]


def too_small(figure) -> list[str]:
    """Return the texts that are under 6.5 pixels where the figure is shown 350 pixels wide."""
    pixels = 350 / (72 * figure.get_size_inches()[0])
    texts = [t for t in figure.findobj(mpl.text.Text) if t.get_text().strip()]
    return [t.get_text() for t in texts if t.get_fontsize() * pixels < 6.5]


def test_the_nets_catch_text_outside_and_text_too_small():
    ax = plots.new_axes()
    # Left out of the layout, so that no room is made for it.
    ax.text(0.9, 0.5, "a very long name that does not end").set_in_layout(False)
    ax.text(0.1, 0.5, "tiny", fontsize=5)
    ax.figure.canvas.draw()
    assert [name.split(" at ")[0] for name in outside(ax.figure)] == [
        "a very long name that does not end"
    ]
    assert too_small(ax.figure) == ["tiny"]


# Heatmaps


def cells(ax):
    return [patch for patch in ax.patches if isinstance(patch, mpl.patches.Rectangle)]


def test_a_heatmap_says_its_numbers():
    ax = plots.heatmap([[0.5, -0.25], [-0.001, 1]], ["a", "b"], ["c", "d"], title="S")
    assert [t.get_text() for t in ax.texts] == ["0.50", "\u22120.25", "0.00", "1.00"]
    assert [t.get_position() for t in ax.texts] == [(0.5, 0.5), (1.5, 0.5), (0.5, 1.5), (1.5, 1.5)]
    assert ax.get_ylim() == (2, 0)  # the first row on top
    assert [t.get_text() for t in ax.get_yticklabels()] == ["a", "b"]
    assert [t.get_text() for t in ax.get_xticklabels()] == ["c", "d"]


def test_hidden_cells_are_hatched_and_say_nothing():
    ax = plots.heatmap(
        [[9.0, 1.0], [1.0, 0.5]], ["a", "b"], ["c", "d"], hidden=[[True, False], [False, False]]
    )
    assert [t.get_text() for t in ax.texts] == ["1.00", "1.00", "0.50"]
    hidden, shown, *_ = cells(ax)
    assert hidden.get_hatch()
    assert hidden.get_facecolor()[3] == 0
    assert not shown.get_hatch()
    # What is hidden does not set the scale of colours.
    assert shown.get_facecolor()[:3] == pytest.approx(to_rgb(POSITIVE), abs=0.01)


def luminance(rgb):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb[:3]]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def as_on_a_dark_page(rgb, amount=0.93):
    """Return what ``filter: invert(0.93) hue-rotate(180deg)`` of the site makes of a colour."""
    r, g, b = (amount + c * (1 - 2 * amount) for c in rgb[:3])
    turn = np.array([
        [-0.574, 1.430, 0.144], [0.426, 0.430, 0.144], [0.426, 1.430, -0.856]
    ])  # fmt: skip
    return np.clip(turn @ [r, g, b], 0, 1)


@pytest.mark.parametrize("share", np.linspace(-1, 1, 21).tolist())
def test_every_number_can_be_read_on_its_colour_on_light_and_dark_pages(share):
    ax = plots.heatmap([[share]], ["a"], ["b"], strongest=1)
    (cell,), (number,) = cells(ax), ax.texts
    ground, ink = cell.get_facecolor(), to_rgb(number.get_color())
    assert contrast(ground, ink) > 4.5
    assert contrast(as_on_a_dark_page(ground), as_on_a_dark_page(ink)) > 4.5


def test_colours_grow_with_the_number_and_differ_by_sign():
    ax = plots.heatmap([[0, 0.25, 0.5, 1, -1]], ["a"], list("bcdef"))
    light = [luminance(cell.get_facecolor()) for cell in cells(ax)]
    assert light[0] == 1
    assert light[:4] == sorted(light[:4], reverse=True)
    blue, orange = (cells(ax)[i].get_facecolor() for i in (3, 4))
    assert blue[2] > blue[0]
    assert orange[0] > orange[2]


def test_heatmaps_stand_in_rows():
    table = np.eye(2)
    drawn = plots.heatmaps({str(i): table for i in range(3)}, ["a", "b"], ["c", "d"], across=2)
    assert [ax.get_title() for ax in drawn] == ["0", "1", "2"]
    assert len(plt.gcf().axes) == 3
    first, second, third = (ax.get_subplotspec() for ax in drawn)
    assert first.rowspan == second.rowspan != third.rowspan


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: plots.heatmap([1, 2], ["a"], ["b"], title="S"),
         "S: needed a matrix, rows and columns, got shape (2,)."),
        (lambda: plots.heatmap([[np.nan]], ["a"], ["b"], title="S"),
         "S: needed finite numbers; what is masked goes into hidden=."),
        (lambda: plots.heatmap([[1, 2]], ["a"], ["b"]), "column_labels: needed 2 names, got 1."),
        (lambda: plots.heatmap([[1, 2]], ["a", "b"], ["c", "d"]),
         "row_labels: needed 1 names, got 2."),
        (lambda: plots.heatmap([[1, 2]], [], [], hidden=[[True]]),
         "hidden: needed a matrix of shape (1, 2) for a title, got ''"),
        (lambda: plots.heatmaps({"a": [[1]], "b": [[1, 2]]}, [], []),
         "matrices: needed at least one, all of one shape, got [(1, 1), (1, 2)]."),
        (lambda: plots.heatmaps({}, [], []),
         "matrices: needed at least one, all of one shape, got []."),
        (lambda: plots.formula_diagram(boxes=["MatMul"]), "boxes: needed five names, got 1."),
        (lambda: plots.formula_diagram(sizes=(1, 2)), "sizes: needed four, got 2."),
        (lambda: plots.formula_diagram(highlight="Sale"),
         "highlight: needed a number from 1 to 5 or one of ('MatMul', 'Scale', 'Mask (opt.)', "
         "'SoftMax', 'MatMul'), got 'Sale'."),
        (lambda: plots.transformer_blocks(sizes=(5, 3)), "sizes: needed 3, got 2."),
        (lambda: plots.transformer_blocks(parts=("a", "b")), "parts: needed 3, got 2."),
        (lambda: plots.two_key_network(names=("q", "k")), "names: needed 6, got 2."),
        (lambda: plots.two_key_network(layers=("a", "b")), "layers: needed 3, got 2."),
        (lambda: plots.table_in_blocks(blocks=(2, 3), now=(2, 0)),
         "now: needed a block of a table of 2 by 3, got (2, 0)."),
        (plots.matrix_products, "products: needed at least one, got none."),
        (lambda: plots.matrix_products({"Q": np.ones((3, 2)), "K": np.ones((5, 2)),
                                        "S": np.ones((3, 5))}),
         "Q, K, S: (3, 2) times (5, 2) cannot be (3, 5)."),
        (lambda: plots.matrix_products({"Q": np.ones((3, 2)), "K": np.ones((2, 5))}),
         "products: needed left, right and product in each, got ['Q', 'K']."),
        (lambda: plots.histograms({}), "samples: needed at least one, got none."),
        (lambda: plots.histograms({"d": []}), "d: needed finite numbers, at least one."),
        (lambda: plots.lines([1, 2], {"a": [0, 1]}, axes=("x", "y"), log="y"),
         "a: needed finite numbers above 0 for a logarithmic axis."),
        (lambda: plots.lines([1, 2], {"a": [np.inf, 1]}, axes=("x", "y")),
         "a: needed finite numbers."),
        (lambda: plots.lines([1, 2], {"a": [0, 1]}, axes=("x", "y"), stars={"b": ([1], [np.nan])}),
         "b: needed finite numbers."),
        (lambda: plots.lines([1, 2], {"a": [1, 1]}, axes=("x", "y"), bands={"b": ([1, 1], [2, 2])}),
         "bands: needed names among ['a'], got 'b'."),
        (lambda: plots.lines([1, 2], {"a": [1, 1]}, axes=("x", "y"), log="y",
                             bands={"a": ([0, 1], [2, 2])}),
         "a: needed finite numbers above 0 for a logarithmic axis."),
    ],
)  # fmt: skip
def test_what_is_refused(draw, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the whole message is compared
        draw()
    assert str(caught.value) == message


# The diagram


def boxes(ax):
    return [p for p in ax.patches if isinstance(p, mpl.patches.FancyBboxPatch)]


@pytest.mark.parametrize(
    ("highlight", "stressed"), [(None, []), ("Scale", [1]), (5, [4]), ("MatMul", [0, 4])]
)
def test_one_box_is_stressed_by_more_than_colour(highlight, stressed):
    widths = [box.get_linewidth() for box in boxes(plots.formula_diagram(highlight=highlight))]
    assert [i for i, width in enumerate(widths) if width > 2] == stressed


def test_the_diagram_speaks_the_callers_language():
    words = ("곱", "나눔", "가림", "비율", "곱")
    ax = plots.formula_diagram(boxes=words, sizes=(3, 5, 2, 7))
    texts = [t.get_text() for t in ax.texts]
    assert [t for t in texts if t[:1].isdigit() and t[-1] in "곱눔림율"] == [
        f"{i}  {word}" for i, word in enumerate(words, start=1)
    ]
    times = "\N{MULTIPLICATION SIGN}"
    # The letters of the book's table of symbols: W would be the weights of a network layer.
    assert [t for t in texts if "$" in t][-3:] == ["$A$", "$AV$", "$V$"]
    for shape, count in (("3 2", 1), ("5 2", 1), ("3 5", 4), ("5 7", 1), ("3 7", 1)):
        assert texts.count(shape.replace(" ", f" {times} ")) == count


def test_each_part_of_a_transformer_block_is_there_once_and_all_arrows_enter_a_box():
    ax = plots.transformer_blocks(
        titles=("읽기", "쓰기"), parts=("봄", "고름", "바꿈"), causal="앞만", sizes=(5, 3, 7)
    )
    texts = [t.get_text() for t in ax.texts]
    assert texts[:2] == ["읽기", "쓰기"]
    assert "앞만" in texts
    attention = [t for t in texts if t.startswith("봄")]
    assert attention == ["봄$(X, X, X)$", "봄$(X, X, X)$", "봄$(H_1, E, E)$"]
    assert [sum(t.startswith(part) for t in texts) for part in ("고름", "바꿈")] == [5, 2]
    times = "\N{MULTIPLICATION SIGN}"
    assert [t for t in texts if times in t] == [
        *(f"${name}$   5 {times} 7" for name in "XHE"),
        *(f"${name}$   3 {times} 7" for name in ("X", "H_1", "H_2", "Y")),
    ]
    # Into each of ten boxes from above, round into each of five norms, and E into one box.
    arrows = [t for t in ax.texts if isinstance(t, mpl.text.Annotation)]
    assert len(arrows) == len(boxes(ax)) + 5 + 1
    edges = [box.get_bbox() for box in boxes(ax)]
    for arrow in arrows:
        x, y = arrow.xy
        assert any(
            np.isclose(x, [edge.x0, edge.x1]).any() or np.isclose(y, edge.y1) for edge in edges
        )


def test_of_a_table_in_blocks_the_past_is_struck_out_and_one_block_framed():
    ax = plots.table_in_blocks(blocks=(3, 5), now=(1, 2), kept=("a", "b"))
    frames = [patch.get_linewidth() > 2 for patch in ax.patches]
    assert np.flatnonzero(frames).tolist() == [1 * 5 + 2]
    struck = {(int(min(x.get_ydata())), int(min(x.get_xdata()))) for x in ax.lines}
    assert struck == {(0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (1, 0), (1, 1)}
    kept = ax.patches[15:]
    assert [patch.get_y() for patch in kept] == [1, 1]
    assert all(patch.get_x() > 5 for patch in kept)
    assert {t.get_text() for t in ax.texts} >= {"a", "b"}


def test_the_two_keys_meet_the_query_and_no_word_or_arrow_lies_on_another_word():
    names = ("Frage", "Schlüssel 1", "Schlüssel 2", "tauschen", "Summe", "Antwort")
    layers = ("Lage (5)", "Lage (20)", "Lage (1)")
    ax = plots.two_key_network(names=names, layers=layers, numbers=7)
    words = [t for t in ax.texts if t.get_text()]
    texts = [t.get_text() for t in words]
    assert sum("(7)" in text for text in texts) == 2
    assert [t.get_text() for t in words if t.get_bbox_patch()] == [
        "Schlüssel 1\nLage (5)", "Schlüssel 2\nLage (5)", "Lage (20)   $W$", "Lage (1)   $w$",
    ]  # fmt: skip
    for name in (*names, "k_1 \\times k_1", "k_2 \\times k_2"):
        assert sum(name in text for text in texts) == 1
    ax.figure.canvas.draw()
    renderer = ax.figure.canvas.get_renderer()
    places = [t.get_window_extent(renderer) for t in words]
    for i, place in enumerate(places):
        assert not any(place.overlaps(other) for other in places[:i])
    arrows = [t for t in ax.texts if isinstance(t, mpl.text.Annotation)]
    # The query into two layers and two products, each product and the sum onwards: 11 in all.
    assert len(arrows) == 11
    for arrow in arrows:
        ends = ax.transData.transform([arrow.xyann, arrow.xy])
        along = ends[0] + np.linspace(0, 1, 25)[:, None] * (ends[1] - ends[0])
        assert not any(place.contains(x, y) for place in places for x, y in along)


# The others


def test_histograms_share_one_axis_and_lose_no_number():
    drawn = plots.histograms(SAMPLES, bins=11)
    assert len({ax.get_xlim() for ax in drawn}) == 1
    for ax in drawn:
        filled = ax.patches[0]
        assert filled.get_data().values.sum() == 500
        assert len(filled.get_data().edges) == 12


def test_lines_differ_by_more_than_colour():
    ax = plots.lines([1, 2], {"a": [1, 2], "b": [2, 1], "c": [1, 1]}, axes=("x", "y"), points=True)
    assert len({str(line._dash_pattern) for line in ax.lines}) == 3
    assert len({line.get_marker() for line in ax.lines}) == 3


def test_a_band_reaches_from_edge_to_edge_in_its_curve_s_colour():
    edges = [0.5, 1.25], [2, 3]
    ax = plots.lines([1, 9], {"a": [1, 2], "b": [2, 1]}, axes=("x", "y"), bands={"b": edges})
    (band,) = ax.collections
    (path,) = band.get_paths()
    corners = {(1, 0.5), (9, 1.25), (1, 2), (9, 3)}
    assert {tuple(corner) for corner in path.vertices} == corners
    assert tuple(band.get_facecolor()[0][:3]) == mpl.colors.to_rgb(ax.lines[1].get_color())


def test_stars_stand_where_they_are_told_and_are_named():
    ax = plots.lines([1, 9], {"a": [1, 2]}, axes=("x", "y"), stars={"told": ([1, 3], [0.9, 0.2])})
    curve, stars = ax.lines
    assert stars.get_marker() == "*"
    assert stars.get_linestyle() == "None"
    np.testing.assert_array_equal(stars.get_xydata(), [[1, 0.9], [3, 0.2]])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "told"]
    assert curve.get_label() == "a"


def test_the_style_stays_on_the_page_it_is_asked_for():
    assert mpl.rcParams["svg.hashsalt"] == "softlookup"
    assert mpl.rcParams["savefig.transparent"]
