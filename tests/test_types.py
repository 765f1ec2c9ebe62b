"""The types fit together, as mypy reads them; beside the other tests it keeps nobody waiting."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def mypy(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run mypy with the settings of pyproject.toml."""
    command = [sys.executable, "-m", "mypy", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_types_fit() -> None:
    done = mypy()
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_call_that_cannot_work_is_found(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text("def half(x: float) -> float:\n    return x / 2\n\n\nhalf('two')\n")
    done = mypy(wrong)
    assert done.returncode == 1
    assert 'incompatible type "str"; expected "float"' in done.stdout
