"""The commands: what they say when something is missing, and when they build or install again."""

import importlib.util
import json
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from types import SimpleNamespace

import pytest
from repository import ROOT, copy_to

TARGETS = {
    "help", "book", "test", "serve", "lab", "student", "answers", "execute", "lock", "clean",
}  # fmt: skip


def make(*arguments, cwd=ROOT, **variables):
    """Run make as a person would, without what this very run of make has set."""
    ours = ("MAKE", "MFLAGS", "PYTHON", "PIP_", "CHROMIUM")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
    return subprocess.run(
        ["make", *arguments],
        cwd=cwd,
        env=kept | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def tool(name: str, folder: Path):
    """Load a copy of one of the tools as a module; it works on the folder that holds it."""
    spec = importlib.util.spec_from_file_location(f"copy_of_{name}", folder / f"tools/{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def course(tmp_path):
    """Copy the repository into a folder with a space in its name."""
    return copy_to(tmp_path / "my course")


# --- make alone


def test_make_alone_lists_every_command():
    targets = set()
    for line in (ROOT / "Makefile").read_text().splitlines():
        if match := re.match(r"([a-z]+):(?!=)", line):
            targets.add(match[1])
    assert targets == TARGETS
    listed = re.findall(r"^  make ([a-z]+) +\S", make().stdout, flags=re.MULTILINE)
    assert set(listed) == TARGETS
    assert len(listed) == len(TARGETS)


# --- which Python


def pretending(*version: int) -> str:
    """Return a script that is this Python, but for the version it gives."""
    dotted = ".".join(map(str, version))
    return (
        f'if [ "$1" = --version ]; then echo "Python {dotted}"; exit; fi\n'
        f'exec "{sys.executable}" -c "import sys; sys.version_info = {version}; $2"'
    )


OLD = pretending(3, 10, 13)
SHIM = 'echo "shim: command not found" >&2; exit 127'


def test_a_python_that_is_too_old_is_refused_by_name(tmp_path, course):
    old = script(tmp_path / "old-python", OLD)
    done = make("book", f"PYTHON={old}", cwd=course)
    assert done.returncode != 0
    assert f"PYTHON={old} is not a Python 3.11, 3.12 or 3.13" in done.stderr
    assert "Python 3.10.13" in done.stderr
    assert "make book PYTHON=python3.12" in done.stderr
    assert not (course / ".venv").exists()


def find_python(folder: Path, **scripts: str):
    """Run the finder where python3, python3.13 and so on are what ``scripts`` say."""
    for name in ("python3", "python3.13", "python3.12", "python3.11", "python"):
        script(folder / name, scripts.get(name.replace(".", "_"), SHIM))
    path = f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin"
    return subprocess.run(
        ["/bin/sh", ROOT / "tools" / "find-python.sh"],
        env={"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_shim_that_only_fails_is_passed_over(tmp_path):
    found = find_python(tmp_path, python3=OLD, python3_12=pretending(3, 12, 1))
    assert found.returncode == 0
    assert found.stdout == f"{tmp_path / 'python3.12'}\n"


@pytest.mark.parametrize("minor", range(9, 16))
def test_the_range_of_pythons_is_the_one_promised(tmp_path, minor):
    found = find_python(tmp_path, python3=pretending(3, minor, 0))
    assert (found.returncode == 0) == (minor in {11, 12, 13})


def test_no_python_that_fits_is_said_with_what_to_do(tmp_path):
    found = find_python(tmp_path, python3=OLD)
    assert found.returncode == 1
    assert found.stdout == ""
    assert "needs Python 3.11, 3.12 or 3.13; python3 here says: Python 3.10.13" in found.stderr
    assert "PYTHON=/path/to/python3.12" in found.stderr


# --- installing


def test_without_a_network_the_first_run_says_what_to_do(course):
    closed = socket.socket()
    closed.bind(("127.0.0.1", 0))  # taken, and nobody listens
    index = f"http://127.0.0.1:{closed.getsockname()[1]}/simple"
    done = make(
        "book",
        f"PYTHON={sys.executable}",
        cwd=course,
        PIP_INDEX_URL=index,
        PIP_CONFIG_FILE=os.devnull,
        no_proxy="127.0.0.1",
    )
    closed.close()
    assert done.returncode != 0
    assert re.search(r"about \d+ MB", done.stderr)
    assert "could not be downloaded" in done.stderr
    assert "Connect and run the same command again" in done.stderr


@pytest.fixture
def environment(course, monkeypatch):
    """Give tools/environment.py of a copy, with pip and venv replaced by a list of their calls."""
    module = tool("environment", course)
    module.calls = []

    def make_venv():
        module.VENV.mkdir()
        module.calls.append("venv")

    monkeypatch.setattr(module, "_make_venv", make_venv)
    monkeypatch.setattr(module, "_pip", lambda name, *options: module.calls.append(options[-1]))
    monkeypatch.setattr(
        module, "_python_of", lambda venv: sys.version if venv.is_dir() else "", raising=True
    )
    return module


def calls_of(module, name: str) -> list[str]:
    module.calls.clear()
    module.main(name)
    return list(module.calls)


def test_nothing_is_installed_twice(environment):
    assert calls_of(environment, "book") == ["venv", "requirements/book.txt", "."]
    assert calls_of(environment, "book") == []
    assert calls_of(environment, "test") == ["requirements/test.txt", "."]
    assert calls_of(environment, "book") == []
    assert calls_of(environment, "lab") == []  # a part of what test installed


def test_a_changed_lock_is_installed_and_an_older_one_forgotten(environment):
    book = environment.ROOT / "requirements" / "book.txt"
    original = book.read_text()
    calls_of(environment, "book")
    book.write_text(original + "# changed\n")
    assert calls_of(environment, "book") == ["requirements/book.txt", "."]
    book.write_text(original)
    assert calls_of(environment, "book") == ["requirements/book.txt", "."]


def test_going_back_to_an_old_test_lock_installs_it_again(environment):
    lock = environment.ROOT / "requirements" / "test.txt"
    original = lock.read_text()
    calls_of(environment, "test")
    lock.write_text(original + "# changed\n")
    calls_of(environment, "book")
    lock.write_text(original)
    assert calls_of(environment, "test") == ["requirements/test.txt", "."]


def test_another_python_or_place_makes_the_environment_anew(environment, monkeypatch):
    calls_of(environment, "book")
    state = json.loads(environment.STATE.read_text())
    environment.STATE.write_text(json.dumps(state | {"root": "/elsewhere"}))
    assert calls_of(environment, "book")[0] == "venv"
    monkeypatch.setattr(environment, "_python_of", lambda venv: "3.10.0 (another)")
    assert calls_of(environment, "book")[0] == "venv"


def test_pips_failures_are_told_apart(course, monkeypatch, capsys):
    module = tool("environment", course)
    for said, told in (
        ("NewConnectionError: refused", "could not be downloaded"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES", "not the one the lock names"),
        ("ERROR: No space left on device", "pip says above why"),
    ):
        answer = SimpleNamespace(returncode=1, stderr=said)
        monkeypatch.setattr(module.subprocess, "run", lambda *_, answer=answer, **__: answer)
        with pytest.raises(SystemExit, match=told):
            module._pip("book", "-r", "requirements/book.txt")
        assert said in capsys.readouterr().err


# --- building


@pytest.fixture
def build(course, monkeypatch):
    """Give tools/build.py of a copy, with Jupyter Book replaced by one that counts its runs."""
    module = tool("build", course)
    module.runs, module.fails = 0, False
    really_run = subprocess.run

    def run(command, **options):
        if "build" not in command:
            return really_run(command, **options)
        assert {"-W", "-n", "--keep-going"} <= set(command)
        module.runs += 1
        html = module.SITE / "book"
        html.mkdir(parents=True)  # fails where an old build was left
        (module.SITE / "index.html").write_text("start")
        for page in (course / "book").iterdir():
            (html / page.name).with_suffix(".html").write_text("page")
        return SimpleNamespace(returncode=int(module.fails), stdout="said")

    monkeypatch.setattr(module.subprocess, "run", run)
    return module


def builds(module, *, fresh=False) -> bool:
    before = module.runs
    module.main(fresh=fresh)
    return module.runs > before


def test_the_site_is_built_again_only_after_a_change(build, capsys):
    book = build.ROOT / "book"
    assert builds(build)
    assert "_build/html/index.html" in capsys.readouterr().out
    assert not builds(build)
    assert "_build/html/index.html" in capsys.readouterr().out
    assert builds(build, fresh=True)

    for changed in ("src/softlookup/softmax.py", "book/01-lookup.ipynb", "_toc.yml"):
        with (build.ROOT / changed).open("a") as file:
            file.write("\n")
        assert builds(build), changed
        assert not builds(build), changed

    (book / "extra.md").write_text("# Extra\n")
    assert builds(build)
    assert (build.SITE / "book" / "extra.html").exists()
    (book / "extra.md").unlink()
    assert builds(build)
    assert not (build.SITE / "book" / "extra.html").exists()


def test_a_new_site_leaves_what_a_class_was_given(build):
    handed_out = build.BUILD / "class" / "student" / "01-lookup.ipynb"
    handed_out.parent.mkdir(parents=True)
    handed_out.write_text("{}")
    old = build.BUILD / "jupyter_execute"
    old.mkdir()
    assert builds(build)
    assert builds(build, fresh=True)
    assert handed_out.read_text() == "{}"
    assert not old.exists()


def test_what_the_links_are_made_from_counts_as_a_change(build, monkeypatch):
    monkeypatch.delenv("GITHUB_REPOSITORY", raising=False)
    assert builds(build)
    monkeypatch.setenv("GITHUB_REPOSITORY", "someone/their-fork")
    assert builds(build)
    assert not builds(build)
    subprocess.run(["git", "init", "-q"], cwd=build.ROOT, check=True)
    builds(build)
    subprocess.run(
        ["git", "remote", "add", "origin", "https://github.com/a/b"], cwd=build.ROOT, check=True
    )
    assert builds(build)


def test_files_that_tools_leave_behind_are_no_change(build):
    assert builds(build)
    (build.ROOT / "src/softlookup/__pycache__").mkdir(exist_ok=True)
    (build.ROOT / "src/softlookup/__pycache__/x.pyc").write_bytes(b"x")
    assert not builds(build)


def test_a_failed_build_is_not_taken_for_a_built_site(build):
    build.fails = True
    for _ in range(2):
        with pytest.raises(SystemExit, match="was not built"):
            build.main(fresh=False)
    build.fails = False
    assert builds(build)


def test_a_page_that_breaks_fails_over_an_older_build(course):
    """Build two small pages for real, then break one."""
    for path in (course / "book").iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    (course / "book" / "index.md").write_text("# Start\n\nGo on to [the next](next.md).\n")
    (course / "book" / "next.md").write_text("# Next\n\nBack to [the start](index.md).\n")
    (course / "_toc.yml").write_text(
        "format: jb-book\nroot: book/index\nchapters:\n- file: book/next\n"
    )
    command = [sys.executable, course / "tools" / "build.py"]
    good = subprocess.run(command, capture_output=True, text=True, check=False)
    assert good.returncode == 0, good.stdout + good.stderr
    assert (course / "_build" / "html" / "book" / "next.html").exists()

    (course / "book" / "next.md").write_text("# Next\n\nBack to [the start](gone.md).\n")
    bad = subprocess.run(command, capture_output=True, text=True, check=False)
    assert bad.returncode != 0
    assert "gone.md" in bad.stderr
    assert "each warning above has to go" in bad.stderr


# --- serving


def test_serving_before_building_says_so(course):
    done = make("serve", f"PYTHON={sys.executable}", cwd=course)
    assert done.returncode != 0
    assert "run `make book` first" in done.stderr


@pytest.fixture
def built(course):
    html = course / "_build" / "html"
    html.mkdir(parents=True)
    (html / "index.html").write_text("<p>the course</p>")
    (html / "mount.mjs").write_text("export default 1")
    (html / "404.html").write_text("<p>not here</p>")
    return course


def test_a_port_that_is_taken_says_so(built):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = make("serve", f"PYTHON={sys.executable}", f"PORT={port}", cwd=built)
    assert done.returncode != 0
    assert f"Port {port} is taken" in done.stderr
    assert "make serve PORT=8001" in done.stderr


@pytest.mark.parametrize("port", ["eight", "-1", "70000"])
def test_a_port_that_is_none_says_so(built, port):
    done = make("serve", f"PYTHON={sys.executable}", f"PORT={port}", cwd=built)
    assert done.returncode != 0
    assert f"PORT={port} is not a port" in done.stderr


def test_the_site_is_served_on_loopback(built):
    server = subprocess.Popen(
        [sys.executable, built / "tools" / "serve.py", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        address = re.search(r"http://127\.0\.0\.1:\d+/", server.stdout.readline())[0]
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with direct.open(address, timeout=10) as answer:
            assert answer.read() == b"<p>the course</p>"
        with direct.open(address + "mount.mjs", timeout=10) as answer:
            assert answer.headers["Content-Type"] == "text/javascript"
        with pytest.raises(urllib.error.HTTPError, match="404") as missing:
            direct.open(address + "book/nothing.html", timeout=10)
        assert missing.value.read() == b"<p>not here</p>"
        # Another address of this machine gets no answer: the server listens on one alone.
        with pytest.raises(OSError):  # noqa: PT011  refused or unknown, by system
            direct.open(address.replace("127.0.0.1", "127.0.0.2"), timeout=10)
    finally:
        server.terminate()
        server.wait(10)
        server.stdout.close()


# --- the browser


def test_a_named_browser_is_used_and_a_missing_one_told(tmp_path, monkeypatch, capsys):
    module = tool("find_chromium", ROOT)
    browser = script(tmp_path / "my-browser", "exit 0")
    monkeypatch.setenv("CHROMIUM", str(browser))
    module.main()
    assert capsys.readouterr().out == f"{browser}\n"
    monkeypatch.setenv("CHROMIUM", str(tmp_path / "gone"))
    with pytest.raises(SystemExit, match="make test CHROMIUM="):
        module.main()


def test_with_no_browser_at_all_the_tests_stop(monkeypatch, tmp_path):
    module = tool("find_chromium", ROOT)
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setattr(module, "MACOS", ())
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(module, "playwrights_own", lambda: None)
    with pytest.raises(SystemExit, match="apt-get install chromium"):
        module.main()
    browser = script(tmp_path / "google-chrome", "exit 0")
    assert module.find() == str(browser)


# --- continuous integration


def ci_calls(folder: Path, course: Path, *, browser: bool, exit_code: int = 0):
    """Run .ci/run where make and apt-get only write down what they were asked."""
    log = folder / "calls"
    log.touch()
    for name, code in (("apt-get", 0), ("make", exit_code)):
        script(folder / name, f'echo "{name} $*" >> "{log}"; exit {code}')
    script(folder / "id", "echo 0")
    if browser:
        script(folder / "chromium", "exit 0")
    for needed in ("bash", "dirname"):
        (folder / needed).symlink_to(shutil.which(needed))
    done = subprocess.run(
        [course / ".ci" / "run"],
        env={"PATH": str(folder), "CI": "true"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, [line.split(" -")[0] for line in log.read_text().splitlines()]


def test_ci_brings_a_browser_only_where_there_is_none(tmp_path, course):
    for name in ("with", "without"):
        (tmp_path / name).mkdir()
    assert ci_calls(tmp_path / "with", course, browser=True) == (0, ["make test"])
    code, calls = ci_calls(tmp_path / "without", course, browser=False)
    assert code == 0
    assert calls == ["apt-get update", "apt-get install", "make test"]


def test_ci_fails_when_the_tests_do(tmp_path, course):
    (tmp_path / "bin").mkdir()
    code, _ = ci_calls(tmp_path / "bin", course, browser=True, exit_code=2)
    assert code == 2


# --- cleaning


def test_clean_leaves_what_git_knows_and_nothing_else(course):
    def git(*arguments):
        return subprocess.run(
            ["git", *arguments], cwd=course, check=True, capture_output=True, text=True
        ).stdout

    git("init", "-q")
    git("add", "-A")
    before = git("status", "--porcelain", "--ignored")
    for made in (
        ".venv/bin/python",
        "_build/html/index.html",
        "dist/softlookup.whl",
        "src/softlookup/__pycache__/a.pyc",
        "book/.ipynb_checkpoints/a.ipynb",
        ".pytest_cache/README.md",
        ".mypy_cache/a",
        ".ruff_cache/a",
        ".hypothesis/a",
        ".jupyter_cache/a",
    ):
        (course / made).parent.mkdir(parents=True, exist_ok=True)
        (course / made).write_text("made")
    assert git("status", "--porcelain", "--ignored") != before
    assert make("clean", cwd=course).returncode == 0
    assert git("status", "--porcelain", "--ignored") == before
