"""Say where text files have stray whitespace, conflict markers or no final newline.

``python tools/check_text.py README.md book/index.md``
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

CONFLICT = re.compile(r"(<{7}|>{7}) |={7}$")


def faults(name: str, text: str) -> list[str]:
    """Return one sentence for each fault in a text."""
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        # Two spaces are a line break in Markdown; the backslash form says so visibly.
        if line != line.rstrip():
            found.append(f"{name}:{number}: whitespace at the end of the line")
        if CONFLICT.match(line):
            found.append(f"{name}:{number}: a merge conflict's marker")
    if text and (not text.endswith("\n") or text.endswith("\n\n")):
        found.append(f"{name}: needs exactly one newline at its end")
    return found


def main(names: list[str]) -> None:
    """Check the named files."""
    found = [
        fault for name in names for fault in faults(name, Path(name).read_text(encoding="utf-8"))
    ]
    print("\n".join(found), end="\n" if found else "")
    sys.exit(bool(found))


if __name__ == "__main__":
    main(sys.argv[1:])
