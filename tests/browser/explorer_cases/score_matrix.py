"""Four queries and five keys, the last two of them padding; every mask, and scores far apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from softlookup import explorers


def case() -> tuple[explorers.ScoreMatrix, list[dict[str, Any]]]:
    """Return the explorer and its states."""
    rng = np.random.default_rng(11)
    explorer = explorers.ScoreMatrix(
        rng.uniform(-1.5, 1.5, (4, 3)).round(1),
        rng.uniform(-1.5, 1.5, (5, 3)).round(1),
        [12.5, -8, 0, 31.25, 4],
        asking=["guest A", "b & c", "<i>d</i>", "gazpacho"],
        names=["ramen", "dal & rice", "<b>", "filling", "filling"],
        row=1,
        masks=explorers.ScoreMatrix.MASKS,
        length=3,
        value_name="price",
        unit="coins",
    )
    states: list[dict[str, Any]] = [
        {"row": row, "mask": mask} for mask in explorer.MASKS for row in (0, 3)
    ]
    return explorer, [
        *states,
        {"row": 2, "mask": "padding", "length": 0},  # nothing is real
        {"row": 2, "mask": "both", "length": 1},
        {"row": 2, "mask": "none", "query": [[0.0] * 3] * 4},  # all scores alike
        {"row": 0, "mask": "none", "query": [[40.0, 0.0, 0.0]] * 4},  # one takes everything
    ]
