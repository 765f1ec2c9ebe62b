"""Small random changes to the solutions are never called right, unless they change nothing."""

import ast
import copy
import random
from dataclasses import replace

import numpy as np
import pytest
from checked import EXERCISES, blank_and_solution, names_of

from softlookup.checks.compare import plain, same
from softlookup.checks.exercise import check_function
from softlookup.checks.result import CORRECT, NOT_YET

# The solutions that are functions: chapter, exercise, and the exercise's entry.
SOLUTIONS = {
    "lookup.my_softmax": ("01-lookup", "ex2"),
    "similarity.cosine_similarity": ("02-similarity", "ex2"),
    "similarity.weighted_key_sum": ("02-similarity", "ex4"),
    "column_three.slope_of_key_1": ("03-column-three", "ex1"),
    "formula.my_attention": ("04-formula", "ex2"),
    "formula.masked_softmax": ("04-formula", "ex4"),
    "batches.batched_attention": ("05-batches", "ex2"),
    "batches.my_padding_mask": ("05-batches", "ex3"),
    "self_attention.my_self_attention": ("06-self-attention", "ex2"),
    "transformer.my_encoder_block": ("07-transformer", "ex3"),
    "cost.merge": ("08-cost", "ex2"),
    "cost.streaming": ("08-cost", "ex4"),
}
EACH = 20  # mutants of each solution, drawn anew from a fixed seed
FURTHER = 50  # cases on which a mutant called right must agree with the library

OPERATORS = [ast.Add, ast.Sub, ast.Mult, ast.Div, ast.MatMult, ast.Pow]
COMPARISONS = [ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq]


def changes(tree: ast.AST) -> list:
    """Return everything that can be changed, each a function of the same place in a copy."""
    names = sorted(
        {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        & {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
        | {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    )
    found = []
    for place, node in enumerate(ast.walk(tree)):
        if isinstance(node, ast.BinOp):
            found += [(place, "op", kind()) for kind in OPERATORS if not isinstance(node.op, kind)]
            found.append((place, "swap", None))
        elif isinstance(node, ast.Compare):
            found += [
                (place, "ops", [kind()])
                for kind in COMPARISONS
                if not isinstance(node.ops[0], kind)
            ]
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
            values = {0, 1, 2, -1, node.value + 1, node.value * 2} - {node.value}
            found += [(place, "value", value) for value in sorted(values)]
        elif isinstance(node, ast.Constant) and type(node.value) is bool:
            found.append((place, "value", not node.value))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names:
            found += [(place, "id", name) for name in names if name != node.id]
        elif isinstance(node, ast.UnaryOp):
            found.append((place, "drop", None))
        elif isinstance(node, ast.Attribute) and node.attr in ("max", "sum", "exp", "sqrt", "T"):
            other = {"max": "min", "sum": "max", "exp": "exp2", "sqrt": "square", "T": "real"}
            found.append((place, "attr", other[node.attr]))
        elif isinstance(node, ast.Call) and node.keywords:
            found += [(place, "keyword", number) for number in range(len(node.keywords))]
    return found


def changed(tree: ast.AST, change: tuple) -> ast.AST:
    """Return a copy with one change."""
    place, what, value = change
    result = copy.deepcopy(tree)
    node = list(ast.walk(result))[place]
    if what == "swap":
        node.left, node.right = node.right, node.left
    elif what == "drop":
        node.op = ast.UAdd() if isinstance(node.op, ast.USub) else ast.USub()
    elif what == "keyword":
        del node.keywords[value]
    else:
        setattr(node, what, value)
    return result


def function_of(tree: ast.AST, stem: str, name: str):
    names = names_of(stem)
    exec(compile(ast.fix_missing_locations(tree), "a mutant", "exec"), names)
    return names[name]


def agrees(function, exercise) -> bool:
    """Return whether a function agrees with the library on many further cases."""
    rng = np.random.default_rng()
    cases = [case for _ in range(FURTHER) for stage in exercise.stages for case in stage.cases(rng)]
    for case in cases:
        with np.errstate(all="ignore"):
            if not same(plain(function(*copy.deepcopy(case))), plain(exercise.right(*case))):
                return False
    return len(cases) >= FURTHER


@pytest.mark.parametrize("name", SOLUTIONS)
def test_mutants_are_caught(name):
    stem, place = SOLUTIONS[name]
    # Which mistake it is does not matter here, and looking for it takes time.
    exercise = replace(EXERCISES[name], seconds=1.0, mistakes=())
    tree = ast.parse(blank_and_solution(stem, place)[1])
    every = changes(tree)
    draw = random.Random(20)
    caught = 0
    mutants = [changed(tree, change) for change in draw.sample(every, min(EACH, len(every)))]
    for mutant in mutants[: EACH // 4]:
        mutants.append(changed(mutant, draw.choice(changes(mutant))))
    for mutant in mutants:
        function = function_of(mutant, stem, exercise.asks)
        result = check_function(function, exercise)
        if result.status == CORRECT:
            assert agrees(function, exercise), ast.unparse(mutant)
        else:
            assert result.status == NOT_YET, ast.unparse(mutant)
            caught += 1
    assert caught > len(mutants) / 2


def test_an_agreeing_mutant_agrees_and_another_does_not():
    exercise = EXERCISES["lookup.my_softmax"]
    assert agrees(exercise.right, exercise)
    assert not agrees(lambda scores, temperature=1.0: exercise.right(scores), exercise)
