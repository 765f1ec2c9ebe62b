"""Explorers in Python: their values, what they refuse, and what they show without a widget."""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys

import numpy as np
import pytest

from softlookup import causal_mask, explorers, scaled_dot_product_attention, soft_lookup
from softlookup.explorers import explorer as base

KEYS = np.array([[1.0, 0.0], [0.0, 1.0], [-0.5, -0.5]])
VALUES = np.array([10.0, 20.0, 60.0])
NAMES = ("tea", "soup", "cake")


def soft(**changes):
    given = {"keys": KEYS, "values": VALUES, "names": NAMES, "query": [0.5, 0.25]} | changes
    return explorers.SoftLookup(given.pop("keys"), given.pop("values"), given.pop("names"), **given)


def matrix(**changes):
    given = {"asking": ("A", "B", "C"), "names": NAMES, "masks": explorers.ScoreMatrix.MASKS}
    return explorers.ScoreMatrix(KEYS, KEYS, VALUES, **given | {"length": 2} | changes)


def similarity(**changes):
    given = {"keys": KEYS, "names": NAMES, "query": [0.5, 0.25]} | changes
    return explorers.Similarity(given.pop("keys"), given.pop("names"), **given)


def scale(**changes):
    given = {"scores": np.ones((1, 3, 2)), "sizes": (4, 16), "size": 4} | changes
    return explorers.Scale(given.pop("scores"), given.pop("sizes"), **given)


def column_three(**changes):
    given = {"seeds": (7,), "picture": np.full((1, 3, 5), 0.2), "measure": np.ones((1, 3))}
    given |= changes
    measures = dict.fromkeys(("loss", "accuracy", "pull"), given.pop("measure"))
    return explorers.ColumnThree(
        given.pop("seeds"), {"key 1": given.pop("picture")}, **measures, **given
    )


def alignment(texts=("29",), answers=("2",), weights=([[0.5, 0.5]],), **changes):
    return explorers.Alignment(texts, answers, weights, **changes)


MAKERS = (soft, similarity, scale, matrix, column_three, alignment)


def test_the_soft_lookup_answers_as_the_package_does():
    explorer = soft()
    for query, temperature in (([0.5, 0.25], 1.0), ([-1.0, 1.0], 0.01), ([0.0, 0.0], 100.0)):
        explorer.query, explorer.temperature = query, temperature
        right = soft_lookup(query, KEYS, VALUES, temperature=temperature)
        assert explorer.answer == pytest.approx(right, abs=1e-12)
        assert explorer.weights.sum() == pytest.approx(1, abs=1e-12)


def test_similarity_adds_scaled_keys_with_bare_scores():
    explorer = similarity()
    scores = KEYS @ [0.5, 0.25]
    np.testing.assert_allclose(explorer.scores, scores, rtol=0, atol=1e-15)
    for added in range(4):
        explorer.added = added
        np.testing.assert_allclose(explorer.total, scores[:added] @ KEYS[:added], atol=1e-15)


@pytest.mark.parametrize("mask", explorers.ScoreMatrix.MASKS)
def test_the_score_matrix_answers_as_the_package_does(mask):
    explorer = matrix(mask=mask)
    causal, real = causal_mask(3), np.arange(3) < 2
    for row in range(3):
        explorer.row = row
        allowed = {
            "none": np.ones((3, 3), bool),
            "causal": causal,
            "padding": np.broadcast_to(real, (3, 3)),
            "both": causal & real,
            "nothing": np.broadcast_to(np.arange(3)[:, None] != row, (3, 3)),
        }[mask]
        np.testing.assert_array_equal(explorer.may_attend, allowed)
        right = scaled_dot_product_attention(KEYS, KEYS, VALUES[:, None], mask=allowed)[:, 0]
        np.testing.assert_allclose(explorer.output, right, rtol=0, atol=1e-12)
        assert (explorer.output[row] == 0) == (mask == "nothing")


# What is refused, and what is said


@pytest.mark.parametrize(
    ("make", "changes", "message"),
    [
        (soft, {"keys": [[2.0, 0.0]]}, "keys: needed two columns of numbers from -1 to 1"),
        (soft, {"keys": np.ones((3, 3))}, r"got shape \(3, 3\)"),
        (soft, {"values": [1.0, 2.0]}, r"values: needed 3 numbers, got shape \(2,\)"),
        (soft, {"names": ("one",)}, "names: needed 3 names, one per row, got 1"),
        (soft, {"query": [0.5, np.nan]}, "query: needed finite numbers, got nan"),
        (soft, {"query": [0.5, 1.5]}, "query: needed coordinates from -1 to 1"),
        (soft, {"temperature": 0.0}, "temperature: needed a finite number above 0, got 0"),
        (soft, {"temperature": 1e3}, "temperature: needed a number from 0.01 to 100, got 1000"),
        (similarity, {"keys": np.zeros((9, 2))}, "keys: needed from 1 to 8 rows, got 9"),
        (similarity, {"keys": KEYS * 3}, "rows of two numbers from -1 to 1"),
        (similarity, {"query": [1.0]}, r"query: needed 2 numbers, got shape \(1,\)"),
        (scale, {"sizes": (16, 4)}, "each larger than the one before"),
        (scale, {"scores": np.ones((3, 2))}, r"scores: needed shape \(n_draws"),
        (scale, {"size": 5}, "size: needed one of"),
        (matrix, {"masks": ("causality",)}, "masks: needed some of none, causal"),
        (matrix, {"mask": "some"}, "mask: needed one of"),
        (matrix, {"length": 4}, "length: needed a number from 0 to 3, got 4"),
        (matrix, {"row": 3}, "row: needed a number from 0 to 2, got 3"),
        (column_three, {"seeds": (7, 7)}, "seeds: needed at least one, each once"),
        (column_three, {"picture": np.ones((2, 3, 5))}, "key 1: needed shape"),
        (column_three, {"picture": -np.ones((1, 3, 5))}, "key 1: needed"),
        (column_three, {"measure": np.ones((1, 2))}, "loss: needed shape"),
        (column_three, {"epoch": 3}, "epoch: needed a whole number from 0 to 2, got 3"),
        (alignment, {"texts": ("",)}, "texts: needed at least one text, and none empty"),
        (alignment, {"weights": ([[0.5]],)}, "weights: needed numbers from 0 to 1 in the shape"),
        (alignment, {"weights": ([[1.5, 0.5]],)}, "with numbers from 0.5 to 1.5"),
        (alignment, {"character": 1}, "character: needed a number from 0 to 0, got 1"),
    ],
)
def test_what_is_wrong_is_said(make, changes, message):
    with pytest.raises(ValueError, match=message):
        make(**changes)


@pytest.mark.parametrize(
    ("make", "state"),
    [
        (soft, {"query": [3.0, 0.0]}),
        (soft, {"temperature": -1.0}),
        (soft, {"key": [[0.5, 0.5]]}),
        (soft, {"value": [1.0]}),
        (soft, {"names": ["one"]}),
        (similarity, {"key": [[2.0, 0.0]] * 3}),
        (similarity, {"query": [0.0]}),
        (similarity, {"added": 4}),
        (similarity, {"chosen": -1}),
        (scale, {"size": 3}),
        (scale, {"draw": 1}),
        (matrix, {"row": 3}),
        (matrix, {"mask": "some"}),
        (matrix, {"length": 4}),
        (matrix, {"query": [[1.0, 0.0]]}),
        (matrix, {"query": [[1.0, 0.0, 0.0]] * 3}),
        (matrix, {"key": [[1.0, 0.0]]}),
        (matrix, {"value": [1.0]}),
        (matrix, {"names": ["x", "y", "z"]}),
        (similarity, {"names": ["one"]}),
        (scale, {"scores": [[[1.0]]]}),
        (column_three, {"loss": [[1.0]]}),
        (alignment, {"texts": ["29 29"]}),
        (alignment, {"weights": [[[1.0]]]}),
        (column_three, {"seed": 8}),
        (column_three, {"epoch": 3}),
        (alignment, {"date": 1}),
        (alignment, {"character": 1}),
    ],
)
def test_a_refused_state_leaves_the_old_one(make, state):
    explorer = make()
    before, frame = explorer.state(), explorer.frame()
    ((name, value),) = state.items()
    with pytest.raises(ValueError, match=f"{name}s?: needed"):
        setattr(explorer, name, value)
    assert explorer.state() == before
    assert explorer.frame() == frame


@pytest.mark.parametrize("make", MAKERS)
def test_no_input_is_changed_or_held_on_to(make):
    inputs = [KEYS.copy(), VALUES.copy()]
    explorer = make()
    before = json.dumps(explorer.state())
    np.testing.assert_array_equal(KEYS, inputs[0])
    np.testing.assert_array_equal(VALUES, inputs[1])
    assert json.dumps(make().state()) == before


# What stands in a notebook and on a page


@pytest.mark.parametrize("make", MAKERS)
def test_the_twin_in_html_carries_the_state_and_no_id_of_a_run(make):
    explorer = make()
    bundle, _ = explorer._repr_mimebundle_()
    twin = bundle["text/html"]
    assert twin == make().html(), "the same in every run"
    stored = html.unescape(re.search(r'data-state="([^"]*)"', twin)[1])
    assert json.loads(stored) == json.loads(json.dumps(explorer.state()))
    assert explorer.frame() in twin
    assert bundle["text/plain"] == f"{type(explorer).__name__}: {explorer.sentence()}"
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert bundle["application/vnd.jupyter.widget-view+json"]["model_id"] not in twin


@pytest.mark.parametrize("make", MAKERS)
def test_every_attribute_of_the_state_can_be_set_to_itself(make):
    explorer = make()
    frame = explorer.frame()
    for name, value in explorer.state().items():
        setattr(explorer, name, value)
    assert explorer.frame() == frame


def test_without_anywidget_the_first_frame_is_shown():
    program = (
        "import sys; sys.modules['anywidget'] = None\n"
        "from softlookup import explorers\n"
        "explorer = explorers.SoftLookup([[1, 0]], [10], ['tea'], query=[1, 0])\n"
        "explorer.temperature = 2.0\n"
        "bundle = explorer._repr_mimebundle_()\n"
        "assert sorted(bundle) == ['text/html', 'text/plain'], bundle\n"
        "print(bundle['text/plain'])"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("SoftLookup: At T = 2 the blend is 10.00.")


@pytest.mark.parametrize("make", MAKERS)
def test_a_widgets_module_is_one_piece(make):
    text = base.module(make().MODULE)
    assert not re.search(r"^import ", text, re.MULTILINE)
    assert re.findall(r"^export (\w+)", text, re.MULTILINE) == ["default"]
    names = re.findall(r"^(?:function|const|class) (\w+)", text, re.MULTILINE)
    assert len(names) == len(set(names)), "a name of core.mjs is used again"


def test_a_module_that_imports_otherwise_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(base, "FOLDER", tmp_path)
    (tmp_path / "core.mjs").write_text("export const one = 1;\n")
    for text in ("export default {};\n", 'import * as core from "./core.mjs";\n'):
        (tmp_path / "odd.mjs").write_text(text)
        base.module.cache_clear()
        with pytest.raises(ValueError, match=r"odd.mjs: needed one import .* got 0"):
            base.module("odd")
    base.module.cache_clear()
