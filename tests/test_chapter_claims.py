"""Sentences of chapters that say what a figure shows, where no cell asserts it."""

from __future__ import annotations

import functools
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from checked import chapter

import notebooks
from softlookup import attention_weights, causal_mask, soft_lookup, softmax


@functools.cache
def names_at(stem: str, last: str) -> dict[str, Any]:
    """Return what a chapter's cells have made once the cell ``last`` has run."""
    names: dict[str, Any] = {"display": lambda *_: None}
    for cell in notebooks.code_cells(chapter(stem)):
        exec(compile(cell["source"], cell["id"], "exec"), names)
        plt.close("all")
        if cell["id"] == last:
            return names
    raise AssertionError(f"{stem} has no cell {last}")


def test_a_blend_can_lie_nearer_to_the_question_than_every_row():
    """Chapter 1, path-words."""
    names = names_at("01-lookup", "keys-as-values")
    keys, star = names["keys"], names["craving"]
    blend = soft_lookup(star, keys, keys, temperature=0.2)
    distances = np.linalg.norm(keys - star, axis=1)
    assert np.linalg.norm(blend - star) < distances.min()
    assert names["menu"].DISHES[distances.argmin()] == "dal"


def test_without_the_root_one_key_takes_most_in_three_lookups_of_four():
    """Chapter 4, frozen."""
    largest = names_at("04-formula", "gradient-fades")["largest"]
    assert (largest["no scaling"][1] > 0.5).mean() > 0.75  # 16 columns


@pytest.mark.parametrize(("keys", "low", "high"), [(4, 16, 64), (16, 64, 256), (64, 256, 1024)])
def test_the_more_keys_the_later_the_medians_cross(keys, low, high):
    """Chapter 4, what-root-assumes: the 16 of its lookups changed."""
    for d, above in ((low, True), (high, False)):
        dice = np.random.default_rng(d)
        bare, rooted = [], []
        for _ in range(400):
            q, k = dice.standard_normal(d), dice.standard_normal((keys, d))
            for slopes, by in ((bare, 1), (rooted, np.sqrt(d))):
                w = softmax(k @ q / by)
                slopes.append(w.max() * np.linalg.norm(k[w.argmax()] - w @ k) / by)
        assert (np.median(bare) > np.median(rooted)) == above


def test_a_steep_lookup_with_many_columns_has_two_best_scores_near_each_other():
    """Chapter 4, explorer-words, the third thing to try."""
    names = names_at("04-formula", "explorer")
    growing, columns = names["growing"], names["columns"]
    scores = growing[:, :, columns[columns >= 256] - 1].swapaxes(1, 2).reshape(-1, 8)
    w = softmax(scores)
    steepest = (w * (1 - w)).max(axis=1)
    best = np.sort(scores, axis=1)
    apart = best[:, -1] - best[:, -2]
    assert (steepest > 0.15).sum() >= 2
    assert apart[steepest > 0.15].max() < apart[steepest < 0.01].min()


def test_the_guest_who_likes_no_dish_gives_the_fillings_most():
    """Chapter 5, explorer-words, folded away."""
    names = names_at("05-batches", "explorer")
    weights = attention_weights(names["other_party"], names["padded"][1])
    fillings = weights[:, 3:]
    np.testing.assert_allclose(fillings[:, 0], fillings[:, 1])
    assert fillings[:, 0].argmax() == 1  # guest E
    assert fillings[1, 0].round(2) == 0.24
    assert (names["other_party"][1] @ names["padded"][1, :3].T < 0).all()


def test_what_the_first_and_the_last_course_see():
    """Chapter 6, explorer-words, folded away."""
    names = names_at("06-self-attention", "explorer")
    q, k = (names["courses"] @ names[w] for w in ("W_query", "W_key"))
    cold = (names["courses"] @ names["W_value"])[:, 2]
    n = len(q)
    free, causal = attention_weights(q, k), attention_weights(q, k, mask=causal_mask(n))
    assert names["names"][0] == "gazpacho"
    assert names["names"][-1] == "tacos"
    np.testing.assert_allclose(free[-1], causal[-1])
    assert all(abs(free[i] - causal[i]).max() > 0.01 for i in range(n - 1))
    assert (causal @ cold)[0].round(2) == 0.9
    assert names["names"][free[0].argmax()] == "ramen"
    assert free[0].max().round(2) == 0.33
