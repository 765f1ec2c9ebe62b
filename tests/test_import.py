"""`import softlookup` is light, and what it brings is documented."""

import inspect
import itertools
import json
import subprocess
import sys
import typing

import pytest

import softlookup
from softlookup import menu, sql

# The public names so far; they grow with the chapters.
PUBLIC = [
    "Heads",
    "attention_weights",
    "causal_mask",
    "hard_lookup",
    "menu",
    "multi_head_attention",
    "padding_mask",
    "scaled_dot_product_attention",
    "self_attention",
    "sinusoidal_positions",
    "soft_lookup",
    "softmax",
    "sql",
    "streaming_attention",
]


def third_party_loaded_by(module: str, *paths: str) -> set[str]:
    """Return the top-level names, outside the standard library, that an import loads."""
    program = (
        "import json, sys\n"
        f"sys.path[:0] = {list(paths)!r}\n"
        "before = set(sys.modules)\n"
        f"import {module}\n"
        "tops = {name.split('.')[0] for name in set(sys.modules) - before}\n"
        f"print(json.dumps(sorted(tops - set(sys.stdlib_module_names) - {{{module!r}}})))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    return set(json.loads(done.stdout))


def test_importing_the_package_loads_numpy_alone():
    assert third_party_loaded_by("softlookup") == {"numpy"}


@pytest.mark.parametrize("heavy", ["matplotlib", "IPython"])
def test_the_net_catches_a_heavy_import(tmp_path, heavy):
    (tmp_path / "heavy_package").mkdir()
    (tmp_path / "heavy_package" / "__init__.py").write_text("from . import inner\n")
    (tmp_path / "heavy_package" / "inner.py").write_text(f"import {heavy}\n")
    assert heavy in third_party_loaded_by("heavy_package", str(tmp_path))


def test_the_public_names_are_the_designs():
    assert softlookup.__all__ == PUBLIC


def hidden_names() -> list[str]:
    """Return the public names that a folder or module of the same name would take away.

    Whoever imports everything below a package (as pytest does) makes each part an attribute of
    its package, also a folder of data: a function of that name is then gone. Where the package
    itself imports a module first and its function after that, the function stays.
    """
    program = (
        "import importlib, inspect, json, pathlib, softlookup\n"
        "root = pathlib.Path(softlookup.__file__).parent\n"
        "inits = [root / '__init__.py', *root.rglob('*/__init__.py')]\n"
        "names = ['.'.join(('softlookup', *i.parent.relative_to(root).parts)) for i in inits]\n"
        "packages = {n: importlib.import_module(n) for n in names}\n"
        "before = {(n, x): getattr(p, x) for n, p in packages.items() for x in p.__all__}\n"
        "for name, init in zip(names, inits):\n"
        "    for part in init.parent.iterdir():\n"
        "        if part.stem.isidentifier() and part.suffix in ('', '.py'):\n"
        "            importlib.import_module(f'{name}.{part.stem}')\n"
        "lost = [f'{n}.{x}' for (n, x), was in before.items()\n"
        "        if getattr(packages[n], x) is not was]\n"
        "print(json.dumps([len(before), lost]))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    number, lost = json.loads(done.stdout.splitlines()[-1])
    assert number > 50
    return lost


def test_no_public_name_is_hidden_by_a_folder_or_module():
    assert hidden_names() == []


def public_functions() -> list:
    """Return the public functions of the package and of its two public modules."""
    members = [
        getattr(module, name) for module in (softlookup, sql, menu) for name in module.__all__
    ]
    functions = [thing for thing in members if inspect.isfunction(thing)]
    return [pytest.param(f, id=f"{f.__module__}.{f.__name__}") for f in functions]


def shortcomings(function) -> list[str]:
    """Return what a function's docstring and annotations lack."""
    parameters = inspect.signature(function).parameters
    sections = ["Returns", "Examples", *(["Parameters"] if parameters else [])]
    lines = (inspect.getdoc(function) or "").splitlines()
    lacking = [
        f"section {section}"
        for section in sections
        if not any(
            line == section and rule == "-" * len(section)
            for line, rule in itertools.pairwise(lines)
        )
    ]
    lacking += [
        f"a line for parameter {name}"
        for name in parameters
        if not any(
            name in line.split(" :")[0].replace("*", "").split(", ")
            for line in lines
            if not line.startswith(" ")
        )
    ]
    hints = typing.get_type_hints(function)
    lacking += [f"a type for {name}" for name in (*parameters, "return") if name not in hints]
    if ">>>" not in "\n".join(lines):
        lacking.append("a runnable example")
    return lacking


@pytest.mark.parametrize("function", public_functions())
def test_every_public_function_is_documented(function):
    assert shortcomings(function) == []


def test_the_net_catches_a_thin_docstring():
    def bare(x, *, scale: float = 1.0):
        """Return x.

        Returns
        -------
        float
        """

    assert shortcomings(bare) == [
        "section Examples",
        "section Parameters",
        "a line for parameter x",
        "a line for parameter scale",
        "a type for x",
        "a type for return",
        "a runnable example",
    ]


def test_the_walk_over_the_public_functions_finds_them():
    found = {parameter.id for parameter in public_functions()}
    assert {"softlookup.softmax.softmax", "softlookup.sql.attention", "softlookup.menu.keys"} <= (
        found
    )
