"""Placeholder."""
from __future__ import annotations
from typing import Any


def setup(app: Any) -> dict[str, Any]:
    """Do nothing yet."""
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
