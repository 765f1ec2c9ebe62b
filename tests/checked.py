"""What the tests of the checks share: every function exercise, and the chapters' solutions."""

import ast
import functools
from pathlib import Path
from typing import Any

import numpy as np

import notebooks
import softlookup
from softlookup import checks, column_three, menu, transformer
from softlookup.checks.exercise import FunctionExercise

BOOK = Path(__file__).parent.parent / "book"
SUBJECTS = [name for name in checks.__all__ if name != "Result"]

EXERCISES: dict[str, FunctionExercise] = {
    f"{subject}.{thing.asks}": thing
    for subject in SUBJECTS
    for thing in list(vars(getattr(checks, subject)).values())
    if isinstance(thing, FunctionExercise)
}

# The cells whose names a chapter's solutions and checks use.
NEEDED = {
    "01-lookup": ("the-menu", "one-statement"),
    "05-batches": ("cravings",),
    "06-self-attention": ("views",),
}
# What stands in for cells that draw or train.
GIVEN: dict[str, Any] = {
    "05-batches": lambda names: {"A": softlookup.attention_weights(names["Q"], names["K"])},
    "06-self-attention": lambda names: {"X": menu.keys("spicy", "sweet", "rich", "cold")},
}

# For each chapter and exercise: the names it asks for, and the check they are handed to.
FEW = range(4)
CHECKS = {
    ("01-lookup", "ex1"): lambda n: checks.lookup.score_by_hand(n["gazpacho_score"]),
    ("01-lookup", "ex2"): lambda n: checks.lookup.softmax(n["my_softmax"]),
    ("01-lookup", "ex3"): lambda n: checks.lookup.blended_kcal(n["kcal"]),
    ("01-lookup", "ex4"): lambda n: checks.lookup.tie(n["x"], n["cold_price"]),
    ("02-similarity", "ex1"): lambda n: checks.similarity.dot_by_hand(n["dot"]),
    ("02-similarity", "ex2"): lambda n: checks.similarity.cosine_similarity(n["cosine_similarity"]),
    ("02-similarity", "ex3"): lambda n: checks.similarity.dal_can_win(n["dal_can_win"]),
    ("02-similarity", "ex4"): lambda n: checks.similarity.weighted_key_sum(n["weighted_key_sum"]),
    ("03-column-three", "ex1"): lambda n: checks.column_three.slope(n["slope_of_key_1"]),
    ("03-column-three", "ex2"): lambda n: checks.column_three.control(
        n["my_task"], n["my_prediction"], seeds=FEW
    ),
    ("03-column-three", "ex3"): lambda n: checks.column_three.interval(n["lowest"]),
    ("03-column-three", "ex4"): lambda n: checks.column_three.look_away(n["made_it"], seeds=FEW),
    ("04-formula", "ex1"): lambda n: checks.formula.shapes(n["scores_shape"], n["output_shape"]),
    ("04-formula", "ex2"): lambda n: checks.formula.attention(n["my_attention"]),
    ("04-formula", "ex3"): lambda n: checks.formula.weight_by_hand(n["first_weight"]),
    ("04-formula", "ex4"): lambda n: checks.formula.masked_softmax(n["masked_softmax"]),
    ("05-batches", "ex1"): lambda n: checks.batches.output_shape(n["output_shape"]),
    ("05-batches", "ex2"): lambda n: checks.batches.attention(n["batched_attention"]),
    ("05-batches", "ex3"): lambda n: checks.batches.padding_mask(n["my_padding_mask"]),
    ("05-batches", "ex4"): lambda n: checks.batches.portions(n["portions"], n["A"]),
    ("06-self-attention", "ex1"): lambda n: checks.self_attention.query_by_hand(
        n["ramen_asks"], n["X"], n["W_query"]
    ),
    ("06-self-attention", "ex2"): lambda n: checks.self_attention.formula(n["my_self_attention"]),
    ("06-self-attention", "ex3"): lambda n: checks.self_attention.strict_past(n["strict_past"]),
    ("06-self-attention", "ex4"): lambda n: checks.self_attention.numbers_to_learn(n["numbers"]),
    ("07-transformer", "ex1"): lambda n: checks.transformer.score_shape(n["score_shape"]),
    ("07-transformer", "ex2"): lambda n: checks.transformer.layer_norm(n["normed"]),
    ("07-transformer", "ex3"): lambda n: checks.transformer.encoder_block(n["my_encoder_block"]),
    ("07-transformer", "ex4"): lambda n: checks.transformer.tricky_date(n["tricky"]),
    ("08-cost", "ex1"): lambda n: checks.cost.state_by_hand(n["m_l_o"]),
    ("08-cost", "ex2"): lambda n: checks.cost.merge(n["merge"]),
    ("08-cost", "ex3"): lambda n: checks.cost.cache_size(n["cache_mib"]),
    ("08-cost", "ex4"): lambda n: checks.cost.streaming(n["streaming"]),
}


@functools.cache
def chapter(stem: str) -> Any:
    return notebooks.read(BOOK / f"{stem}.ipynb")


def blank_and_solution(stem: str, exercise: str) -> tuple[str, str]:
    """Return the source of an exercise's blank cell and its solution."""
    (found,) = [e for e in notebooks.exercises(chapter(stem)) if e.blanks[0]["id"] == exercise]
    return found.blanks[0]["source"], found.solutions[0]


def names_of(stem: str) -> dict[str, Any]:
    """Return what stands ready when a chapter's exercises begin, as far as they need it."""
    names: dict[str, Any] = {name: getattr(softlookup, name) for name in softlookup.__all__}
    names |= {"np": np, "c3": column_three, "cue": column_three.cue, "transformer": transformer}
    cells = {cell["id"]: cell["source"] for cell in notebooks.code_cells(chapter(stem))}
    for name in NEEDED.get(stem, ()):
        source = ast.parse(cells[name])
        # Only what gives names: no figure, no table.
        source.body = [node for node in source.body if isinstance(node, ast.Assign)]
        exec(compile(source, name, "exec"), names)
    if stem in GIVEN:
        names |= GIVEN[stem](names)
    return names
