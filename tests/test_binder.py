"""Binder: repo2docker's own steps for ``.binder/``, followed here, give a place to read and run.

Its steps for a folder with these three files: take the Python that runtime.txt names, stage the
repository (a requirements file that includes another is installed after that, not before),
``pip install --no-cache-dir -r .binder/requirements.txt`` from its root, run postBuild with the
environment first on the PATH. Here the Python is the one that runs the tests, and what of the lock
the tests' own environment holds, unpacked from the same hashes, is put there as links: pip finds it
installed, which saves minutes, and installs what is missing.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import threading
import time
import urllib.error
import urllib.request
from importlib import metadata
from pathlib import Path

import psutil
import pytest
from repository import ROOT, copy_to

BINDER = ROOT / ".binder"
CHAPTER = "book/01-lookup.ipynb"
GIGABYTE = 2**30


class Peak(threading.Thread):
    """Follows the memory of a process and its children until it ends."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.process = psutil.Process(pid)
        self.bytes = 0
        self.start()

    def run(self) -> None:
        while self.process.is_running() and self.process.status() != psutil.STATUS_ZOMBIE:
            self.bytes = max(self.bytes, self.now())
            time.sleep(0.02)

    def now(self) -> int:
        total = 0
        try:
            family = [self.process, *self.process.children(recursive=True)]
        except psutil.NoSuchProcess:
            return 0
        for member in family:
            try:
                total += member.memory_info().rss
            except psutil.NoSuchProcess:  # it ended while we counted
                continue
        return total


def environment(venv: Path, home: Path) -> dict[str, str]:
    """Return the variables of a fresh session in which the environment comes first."""
    kept = {
        k: v for k, v in os.environ.items() if not k.startswith(("JUPYTER", "PYTHON", "VIRTUAL"))
    }
    return kept | {
        "PATH": f"{venv / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(home),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
    }


def run(command, **options):
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, **options
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def binder(tmp_path_factory):
    """Build the environment as repo2docker does; give the repository and its variables."""
    folder = tmp_path_factory.mktemp("binder")
    venv, home = folder / "notebook", folder / "home"
    home.mkdir()
    repository = copy_to(folder / "repository")
    run([sys.executable, "-m", "venv", venv])
    linked = link_installed(ROOT / "requirements" / "lab.txt", venv)
    assert linked > 50
    variables = environment(venv, home)
    # The cache of whoever runs the tests, found before HOME is changed.
    cache = run([sys.executable, "-m", "pip", "cache", "dir"]).strip()
    variables |= {"PIP_CACHE_DIR": cache, "PIP_NO_COMPILE": "1"}
    run(["pip", "install", "-q", "-r", ".binder/requirements.txt"], cwd=repository, env=variables)
    run([repository / ".binder" / "postBuild"], cwd=repository, env=variables)
    yield repository, variables
    shutil.rmtree(folder)  # most of a gigabyte, which pytest would keep


def link_installed(lock: Path, venv: Path) -> int:
    """Link into an environment what the running one has of a lock; return how many packages."""
    (packages,) = venv.glob("lib/python*/site-packages")
    here = Path(sysconfig.get_path("purelib"))
    linked = 0
    for name, version in re.findall(r"^([\w.-]+)==([^\s;]+)", lock.read_text(), re.MULTILINE):
        try:
            found = metadata.distribution(name)
        except metadata.PackageNotFoundError:  # of another platform
            continue
        if found.version != version:
            continue
        linked += 1
        for file in found.files or ():
            source, target = here / file, packages / file
            if "__pycache__" in file.parts or not source.is_file() or target.exists():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            if file.parts[0] == "..":  # a script, which names its own Python
                text = source.read_bytes().replace(bytes(Path(sys.prefix)), bytes(venv))
                target.write_bytes(text)
                shutil.copymode(source, target)
            else:
                try:
                    target.hardlink_to(source)
                except OSError:  # on another disk
                    shutil.copy2(source, target)
    return linked


def test_binder_files_are_what_repo2docker_reads():
    assert re.fullmatch(r"python-3\.1[123]\n", (BINDER / "runtime.txt").read_text())
    assert os.access(BINDER / "postBuild", os.X_OK)
    (line,) = (BINDER / "requirements.txt").read_text().splitlines()
    flag, name = line.split()
    assert flag == "-r"
    # Every requirement has a hash, which makes pip demand one of each.
    assert "--hash=sha256:" in (BINDER / name).read_text()


def test_chapter_one_runs_on_binder_in_a_gigabyte_with_jupyterlab_beside_it(binder, tmp_path):
    repository, variables = binder
    lab, lab_peak, address = start_lab(repository, variables)
    try:
        page = fetch(address.format(path=f"lab/tree/{CHAPTER}"))
        assert "<title>JupyterLab</title>" in page
        model = json.loads(fetch(address.format(path=f"api/contents/{CHAPTER}")))
        assert model["type"] == "notebook"
        assert model["content"]["cells"]
    finally:
        lab.terminate()
        lab.wait(30)

    command = ["jupyter", "nbconvert", "--to", "notebook", "--execute", CHAPTER]
    runner = subprocess.Popen(
        [*command, "--output-dir", tmp_path],
        cwd=repository,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    peak = Peak(runner.pid)
    said, _ = runner.communicate(timeout=300)
    assert runner.returncode == 0, said[-3000:]

    cells = json.loads((tmp_path / Path(CHAPTER).name).read_text())["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code" and "".join(cell["source"])]
    assert code
    assert all(cell["execution_count"] for cell in code)
    # The runner stands for nothing on Binder, but is counted: it is smaller than what is spare.
    total = peak.bytes + lab_peak.bytes
    print(f"JupyterLab {lab_peak.bytes / 2**20:.0f} MB, chapter {peak.bytes / 2**20:.0f} MB")
    assert lab_peak.bytes > 0
    assert peak.bytes > 0
    assert total < GIGABYTE, f"{total / 2**20:.0f} MB at its peak"


def test_binder_imports_the_package_from_the_repository(binder):
    repository, variables = binder
    where = run(
        ["python", "-c", "import softlookup; print(softlookup.__file__)"],
        cwd=repository.parent,
        env=variables,
    )
    assert Path(where.strip()).is_relative_to(repository)


def test_the_measure_sees_the_memory_of_a_child():
    program = (
        "import subprocess, sys\n"
        "subprocess.run([sys.executable, '-c', "
        "'import time; x = bytearray(b\"x\") * 300_000_000; time.sleep(1)'])"
    )
    process = subprocess.Popen([sys.executable, "-c", program])
    peak = Peak(process.pid)
    process.wait(30)
    assert peak.bytes > 300_000_000


def start_lab(repository, variables):
    """Start JupyterLab as Binder does, without a browser, and wait until it answers."""
    log = repository.parent / "lab.log"
    options = ["--no-browser", "--allow-root", "--ip=127.0.0.1", "--port=0"]
    with log.open("w") as sink:
        lab = subprocess.Popen(
            ["jupyter", "lab", *options, "--IdentityProvider.token=known"],
            cwd=repository,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
        )
    peak = Peak(lab.pid)
    for _ in range(300):
        found = re.search(r"http://127\.0\.0\.1:(\d+)/lab", log.read_text())
        if found and found[1] != "0":
            return lab, peak, f"http://127.0.0.1:{found[1]}/{{path}}?token=known"
        assert lab.poll() is None, log.read_text()
        time.sleep(0.2)
    lab.kill()
    raise AssertionError(f"JupyterLab did not start:\n{log.read_text()}")


def fetch(address: str) -> str:
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    for attempt in range(20):
        try:
            with direct.open(address, timeout=30) as answer:
                return answer.read().decode()
        except urllib.error.URLError as error:
            if attempt == 19 or isinstance(error, urllib.error.HTTPError):
                raise
            time.sleep(0.5)
    raise AssertionError("unreachable")
