"""What the repository's own files promise: locks, workflows, licences, and nothing of a machine."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from repository import ROOT, own_files

from check_text import faults

LOCKS = sorted(ROOT.glob("requirements/*.txt"))
WORKFLOWS = sorted(ROOT.glob(".github/workflows/*.yml"))


# --- locks


def lock_faults(text: str) -> list[str]:
    """Return what a lock file should not hold: an address, or a requirement without a hash."""
    found = [f"an address: {line}" for line in text.splitlines() if "://" in line]
    found += [
        f"an option: {line}" for line in text.splitlines() if re.match(r"-", line) and line.strip()
    ]
    for entry in text.replace("\\\n", " ").splitlines():
        if entry.strip() and not entry.startswith(("#", "-")):
            if not re.match(r"[A-Za-z0-9._-]+==\S", entry):
                found.append(f"no exact version: {entry[:60]}")
            if "--hash=sha256:" not in entry:
                found.append(f"no hash: {entry[:60]}")
    return found


def pins(path: Path) -> set[str]:
    """Return ``name==version`` of each requirement, with its marker."""
    return {
        line.removesuffix("\\").strip()
        for line in path.read_text().splitlines()
        if re.match(r"[A-Za-z0-9]", line)
    }


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_locks_have_a_hash_for_everything_and_an_address_for_nothing(lock):
    assert lock_faults(lock.read_text()) == []
    assert len(pins(lock)) > 50


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("numpy==2.4.6\n", "no hash"),
        ("numpy>=2 \\\n    --hash=sha256:00\n", "no exact version"),
        ("--index-url https://example.org/simple\n", "an address"),
        ("--no-binary :all:\n", "an option"),
        ("x @ https://example.org/x.whl --hash=sha256:00\n", "an address"),
    ],
)
def test_the_net_over_locks_holds(text, fault):
    assert any(found.startswith(fault) for found in lock_faults(text))


def test_the_three_locks_agree():
    assert [lock.stem for lock in LOCKS] == ["book", "lab", "test"]
    book, lab, test = ({pin.split(" ;")[0] for pin in pins(lock)} for lock in LOCKS)
    assert book <= test
    assert lab <= test
    assert not any(pin.startswith("tensorflow") for pin in book)


def test_the_locks_hold_what_the_package_asks_for():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for extra, lock in (("book", LOCKS[0]), ("lab", LOCKS[1]), ("test", LOCKS[2])):
        locked = {pin.split("==")[0] for pin in pins(lock)}
        for requirement in project["optional-dependencies"][extra]:
            name = re.match(r"[A-Za-z0-9._-]+", requirement)[0].lower().replace("_", "-")
            assert name in locked | {"softlookup"}, f"{extra}: {requirement} is not locked"


# --- nothing of a machine


MACHINE = re.compile(
    r"(?<![\w./-])/(?:work|root|(?:home|Users)/(?!ann/)\w+|tmp/\w+)/"  # but for ann, an example
    # in pieces, so that this file names none of them itself
    + r"|\b(?:py"
    + r"pi|files)\.(?:org|python"
    + r"hosted\.org)\b"
    + r"|\bregistry\.npm"
    + r"js\.org\b"
    + r"|\bdeb\.deb"
    + r"ian\.org\b"
)


def text_files() -> dict[str, str]:
    texts = {}
    for name in own_files():
        try:
            texts[str(name)] = (ROOT / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:  # a picture, a font
            continue
    return texts


def test_no_file_names_a_machine_or_a_registry():
    texts = text_files()
    texts.pop("tests/test_repository.py")  # it has to name what it catches
    assert len(texts) > 30
    found = [
        f"{name}: {match[0]}" for name, text in texts.items() if (match := MACHINE.search(text))
    ]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "in /ro" + "ot/course/.venv",
        '"/home/me/course"',
        "/Users/me/x",
        "files.python" + "hosted.org/x",
    ],
)
def test_the_net_over_machines_holds(line):
    assert MACHINE.search(line)


@pytest.mark.parametrize("line", ["/path/to/python3.12", "book/ro" + "ot/x", "a/home/b/c", "/work"])
def test_the_net_over_machines_lets_the_rest_through(line):
    assert not MACHINE.search(line)


def test_text_files_are_tidy():
    kept_as_they_come = re.compile(r"LICENSE-TEXT|requirements/.*|.*\.(ipynb|svg)|tests/cases/.*")
    found = [
        fault
        for name, text in text_files().items()
        if not kept_as_they_come.fullmatch(name)
        for fault in faults(name, text)
    ]
    assert found == []


@pytest.mark.parametrize("text", ["a \n", "a", "a\n\n", "<" * 7 + " ours\n"])
def test_the_net_over_untidy_text_holds(text):
    assert len(faults("x", text)) == 1


# --- workflows


def workflow_faults(text: str) -> list[str]:
    """Return where a workflow takes more rights than it needs or runs what it has not pinned."""
    found = [
        f"not pinned: {used}"
        for used in re.findall(r"uses: *(.*)", text)
        if not re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", used)
    ]
    workflow = yaml.safe_load(text)
    if workflow.get("permissions") not in ({}, {"contents": "read"}):
        found.append("permissions: at the top, nothing or contents: read")
    for name, job in workflow["jobs"].items():
        rights = job.get("permissions", {})
        writes = {right for right, kind in rights.items() if kind != "read"}
        deploys = any("deploy-pages" in step.get("uses", "") for step in job["steps"])
        if writes - ({"pages", "id-token"} if deploys else set()):
            found.append(f"{name}: may write {sorted(writes)}")
        if "timeout-minutes" not in job:
            found.append(f"{name}: no timeout")
        for step in job["steps"]:
            options = step.get("with", {})
            if (
                "checkout" in step.get("uses", "")
                and options.get("persist-credentials") is not False
            ):
                found.append(f"{name}: the checkout keeps its credentials")
            if "${{" in step.get("run", ""):
                found.append(f"{name}: a value is pasted into a script")
    return found


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_have_least_permissions_and_are_pinned(workflow):
    assert workflow_faults(workflow.read_text()) == []


def test_the_workflows_run_the_two_commands():
    assert [path.name for path in WORKFLOWS] == ["publish.yml", "test.yml"]
    publish, test = (path.read_text() for path in WORKFLOWS)
    assert "run: make book" in publish
    assert "path: _build/html" in publish
    assert "run: bash .ci/run" in test
    (job,) = yaml.safe_load(test)["jobs"].values()
    assert job["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13"]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("@de0fac2e4500dabe0009e67214ff5f5447ce83dd # v6.0.2", "@v6", "not pinned"),
        ("permissions: {}", "permissions: write-all", "permissions"),
        ("contents: read", "contents: write", "build: may write"),
        ("persist-credentials: false", "persist-credentials: true", "build: the checkout"),
        ("run: make book", "run: make book ${{ github.ref }}", "build: a value"),
        ("    timeout-minutes: 15\n    permissions:\n      pages", "    permissions:\n      pages",
         "deploy: no timeout"),
    ],
)  # fmt: skip
def test_the_net_over_workflows_holds(old, new, fault):
    text = WORKFLOWS[0].read_text()
    assert old in text
    assert any(found.startswith(fault) for found in workflow_faults(text.replace(old, new)))


# --- papers


def test_the_papers_are_there_and_agree():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["authors"] == project["authors"] == [{"name": "The softlookup contributors"}]
    assert citation["version"] == project["version"]
    assert citation["license"] == ["MIT", "CC-BY-4.0"]
    assert "The softlookup contributors" in (ROOT / "LICENSE").read_text()
    prose = (ROOT / "LICENSE-TEXT").read_text(encoding="utf-8")
    assert prose.startswith("Creative Commons Attribution 4.0 International")
    assert prose.count("\nSection ") == 8


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_between_the_papers_lead_somewhere(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", text)
    missing = [t for t in targets if "://" not in t and not (ROOT / t).exists()]
    assert targets
    assert missing == []


def test_the_readme_names_the_two_commands():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "make book" in text
    assert "make test" in text


def test_hooks_run_locked_tools_only():
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    for repository in hooks["repos"]:
        assert repository["repo"] == "local"
        for hook in repository["hooks"]:
            assert hook["language"] == "system"
            program, *arguments = hook["entry"].split()
            assert program.startswith(".venv/bin/")
            for argument in arguments:
                assert not argument.endswith(".py") or (ROOT / argument).exists()


def test_no_two_test_files_share_a_name():
    # pytest imports a file by its name alone, and refuses the second in one run with both.
    names = [path.name for path in (ROOT / "tests").rglob("*.py") if path.name != "conftest.py"]
    assert len(names) > 40
    assert sorted({name for name in names if names.count(name) > 1}) == []
