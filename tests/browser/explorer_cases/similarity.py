"""Six keys, one of them nowhere; queries all over the plane, and sums that are short and long."""

from __future__ import annotations

from typing import Any

import numpy as np

from softlookup import explorers


def case() -> tuple[explorers.Similarity, list[dict[str, Any]]]:
    """Return the explorer and its states."""
    rng = np.random.default_rng(8)
    keys = rng.uniform(-1, 1, (6, 2)).round(2)
    keys[3] = 0
    explorer = explorers.Similarity(
        keys,
        [f"a <b> & {i}" for i in range(6)],
        query=[0.25, -0.5],
        axes=("left & right", "up"),
    )
    states: list[dict[str, Any]] = [
        {
            "query": rng.uniform(-1, 1, 2).round(2).tolist(),
            "key": rng.uniform(-1, 1, (6, 2)).round(2).tolist(),
            "added": added,
            "chosen": 6 - added,
        }
        for added in range(7)
    ]
    states += [
        {"query": [0.0, 0.0]},  # no direction
        {"query": [0.0, -1.0], "added": 3},
        {"query": [1.0, 1.0], "key": [[1.0, 1.0]] * 6, "added": 6},  # the longest sum
        {"key": [[0.0, 0.0]] * 6},  # nothing to add
        {"key": [[1.0, -1.0]] * 6},  # all of them at right angles
        {"key": [[-1.0, -1.0], [0.01, 0.0], [0.0, -0.01], [0.5, 0.5], [0.5, 0.5], [-0.0, 0.0]]},
        {"query": [0.01, -0.01], "chosen": 0},
        {"query": [-1.0, 0.35], "chosen": 5, "added": 0},
    ]
    return explorer, states
