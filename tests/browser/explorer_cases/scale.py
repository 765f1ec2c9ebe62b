"""Three draws of three keys: real ones, some that make slopes vanish, and some that are all 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from softlookup import explorers


def case() -> tuple[explorers.Scale, list[dict[str, Any]]]:
    """Return the explorer and its states."""
    rng = np.random.default_rng(9)
    sizes = [1, 2, 9, 100, 1024]
    scores = np.zeros((4, 3, len(sizes)))
    scores[0] = rng.standard_normal((3, len(sizes))) * np.sqrt(sizes)
    scores[1] = [[0, 1, 7, 17, 18.5], [0, -1, 0, 0, 0], [0, 0.0004, -0.5, -900, -20]]
    scores[3] = [[5.5, 1, 6.9, 3, 500], [5.5, 1, 0, 3, 499.125], [5.5, -1, 0, -3, -1000]]
    explorer = explorers.Scale(scores, sizes, size=9)
    states = [
        {"size": size, "root": (draw + i) % 2 == 0, "draw": draw}
        for draw in range(4)
        for i, size in enumerate(sizes)
    ]
    return explorer, states
