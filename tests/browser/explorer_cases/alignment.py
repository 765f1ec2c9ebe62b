"""Texts short and long, in several scripts and with signs of HTML; weights even, sharp and tied."""

from __future__ import annotations

from typing import Any

import numpy as np

from softlookup import explorers


def case() -> tuple[explorers.Alignment, list[dict[str, Any]]]:
    """Return the explorer and its states."""
    rng = np.random.default_rng(5)
    texts = ["2026년 11월 29일", "x", "<b>29 & 11</b>", "日曜日, 29 Nov 26", "aa"]
    answers = ["2026-11-29", "0000-00-00", "2026-01-29", "9999-99-99", "2026-11-28"]
    weights = [rng.dirichlet(np.full(len(text), 0.3), 10) for text in texts]
    weights[1][:] = 1.0
    weights[4][:] = 0.5
    weights[3] = np.eye(len(texts[3]))[:10]
    explorer = explorers.Alignment(
        texts,
        answers,
        weights,
        truths=["2026-11-29", "2000-01-01", "2026-11-29", "9999-99-99", "2026-11-29"],
        names=[f"{i}: {text}" for i, text in enumerate(texts)],
        languages=["ko", "", "en", "ja", "en"],
        character=3,
    )
    places = [(0, 9), (1, 0), (1, 4), (2, 2), (2, 7), (3, 0), (3, 9), (4, 5), (0, 0)]
    return explorer, [{"date": date, "character": i} for date, i in places]
