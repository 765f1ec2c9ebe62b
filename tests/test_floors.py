"""Imports run downwards only: the house keeps its floors."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "softlookup"
# From the ground up. A module may import from any floor below its own, and nothing else of the
# package. A new module needs a floor here before it may exist.
FLOORS = [
    {"shapes", "blas"},
    {"scores", "softmax", "masks", "positions", "projections", "menu"},
    {"lookup", "attention", "streaming", "sql"},
    {"keras_loader", "progress", "transformer"},
    {"column_three", "dates", "plots", "explorers", "measure"},
    {"checks", "questions"},  # exercises and questions are about everything below
]
# What only the two highest floors may use; the same for Keras itself is proved by test_import.py.
TOP_FLOORS_ONLY = {"keras_loader"}
# The roof: `import softlookup` gathers the public names.
ROOF = "__init__"


def misplaced_imports(package: Path) -> list[str]:
    """Return one sentence for each import in a package that does not run downwards."""
    floor_of = {name: level for level, names in enumerate(FLOORS) for name in names}
    faults = []
    for path in sorted(package.rglob("*.py")):
        where = path.relative_to(package)
        own = where.parts[0].removesuffix(".py")
        if own == ROOF:
            continue
        if own not in floor_of:
            faults.append(f"{where}: {own} has no floor yet; give it one in {Path(__file__).name}")
            continue
        for line, other in imports(path, package):
            place = f"{where}:{line}: {own} imports {other}"
            if other == own:
                continue
            if other not in floor_of:
                faults.append(f"{place}, which has no floor")
            elif floor_of[other] == floor_of[own]:
                faults.append(f"{place}, its sibling")
            elif floor_of[other] > floor_of[own]:
                faults.append(f"{place}, from a floor above")
            elif other in TOP_FLOORS_ONLY and floor_of[own] < len(FLOORS) - 2:
                faults.append(f"{place}, which is for the top floors only")
    return faults


def imports(path: Path, package: Path) -> list[tuple[int, str]]:
    """Return the line and first-level name of each import of the package by one of its files.

    Imports inside functions and under ``TYPE_CHECKING`` count as much as the others.
    """
    here = [package.name, *path.relative_to(package).parent.parts]
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = here[: len(here) - node.level + 1] if node.level else []
            base = [*base, *(node.module.split(".") if node.module else [])]
            targets = [".".join([*base, alias.name]) for alias in node.names]
        else:
            continue
        for target in targets:
            top, *rest = target.split(".")
            if top == package.name:
                found.append((node.lineno, rest[0] if rest else ROOF))
    return found


def test_imports_run_downwards_only():
    assert misplaced_imports(PACKAGE) == []


def test_no_two_floors_share_a_module():
    names = [name for floor in FLOORS for name in floor]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("file", "line", "fault"),
    [
        ("shapes.py", "from . import softmax", "from a floor above"),
        ("softmax.py", "from .scores import scaled_scores", "its sibling"),
        ("lookup.py", "from softlookup.attention import attention_weights", "its sibling"),
        ("attention.py", "import softlookup.plots", "from a floor above"),
        ("attention.py", "from .keras_loader import load_keras", "from a floor above"),
        ("plots/bars.py", "from ..measure import seconds", "its sibling"),
        ("plots/bars.py", "def f():\n    from .. import explorers", "its sibling"),
        ("plots/bars.py", "from ..checks import check", "from a floor above"),
        ("transformer.py", "from .progress import showing", "its sibling"),
        ("plots/deep/er.py", "from ... import dates", "its sibling"),
        ("plots/bars.py", "from softlookup import softmax_of_all", "which has no floor"),
        ("checks.py", "import softlookup", "which has no floor"),
        ("chapter_one.py", "", "has no floor yet"),
        ("chapter_one/inside.py", "", "has no floor yet"),
    ],
)
def test_the_net_holds(tmp_path, file, line, fault):
    path = tmp_path / "softlookup" / file
    path.parent.mkdir(parents=True)
    path.write_text(line)
    (sentence,) = misplaced_imports(tmp_path / "softlookup")
    assert fault in sentence


def test_downwards_is_allowed(tmp_path):
    package = tmp_path / "softlookup"
    (package / "plots").mkdir(parents=True)
    (package / "__init__.py").write_text("from . import sql\nfrom .softmax import softmax")
    (package / "plots" / "__init__.py").write_text("from .bars import bars\nfrom . import style")
    (package / "plots" / "bars.py").write_text(
        "import numpy\nfrom . import style\nfrom .. import menu\nfrom ..keras_loader import x"
    )
    (package / "sql.py").write_text("from . import shapes\nfrom .scores import default_scale")
    (package / "checks.py").write_text("def f():\n    from . import column_three, keras_loader")
    assert misplaced_imports(package) == []


def test_the_guide_shows_these_floors():
    guide = (PACKAGE.parent.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = guide.split("## How the code is laid out")[1].split("`tests/test_floors.py`")[0]
    rows = [line.split("|")[2] for line in table.splitlines() if "`" in line]
    shown = [
        {name.strip(" `/") for name in row.split(",")} for row in rows if "softlookup" not in row
    ]
    assert shown == FLOORS[::-1]
