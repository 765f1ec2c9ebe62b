"""Launch, edit and repository links follow the repository that a site is built from."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup
from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parent))
from site_build import ROOT, clean_environment

sys.path.insert(0, str(ROOT / "web"))
from course_site.launch import Repository, find_repository, theme_options, web_address

GITHUB = {"GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "ann/course"}


@pytest.mark.parametrize(
    ("remote", "address"),
    [
        ("https://github.com/ann/course", "https://github.com/ann/course"),
        ("https://github.com/ann/course.git\n", "https://github.com/ann/course"),
        ("https://github.com/ann/course/", "https://github.com/ann/course"),
        ("git@github.com:ann/course.git", "https://github.com/ann/course"),
        ("github.com:ann/course.git", "https://github.com/ann/course"),
        ("ssh://git@github.com/ann/course.git", "https://github.com/ann/course"),
        ("ssh://git@gitlab.example.org:2222/a/b.git", "https://gitlab.example.org/a/b"),
        ("https://ann:token@github.com/ann/course.git", "https://github.com/ann/course"),
        ("https://token@gitlab.com/group/sub/course", "https://gitlab.com/group/sub/course"),
        ("http://git.example.org:8080/a/b", "http://git.example.org:8080/a/b"),
        ("/srv/git/course.git", None),
        ("../course", None),
        ("C:/Users/ann/course", None),
        ("file:///srv/git/course.git", None),
        ("git://github.com/ann/course.git", None),
        ("https://github.com/ann", None),
        ("https://github.com", None),
        ("https://github.com/ann/../course", None),
        ('https://github.com/ann/"><script>', None),
        ("", None),
    ],
)
def test_a_remote_has_a_web_address_or_none(remote: str, address: str | None) -> None:
    assert web_address(remote) == address


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a git repository whose origin is on GitHub, at an ssh address."""
    folder = tmp_path / "checkout"
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    _git(folder, "remote", "add", "origin", "git@github.com:origin/course.git")
    return folder


def _git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), *words], check=True, env=clean_environment())


@pytest.mark.parametrize(
    ("environment", "url", "branch"),
    [
        ({}, "https://github.com/origin/course", "main"),
        ({"SOFTLOOKUP_BRANCH": "draft"}, "https://github.com/origin/course", "draft"),
        ({**GITHUB, "GITHUB_REF_NAME": "spring"}, "https://github.com/ann/course", "spring"),
        ({"GITHUB_REPOSITORY": "ann/course"}, "https://github.com/ann/course", "main"),
        (
            {**GITHUB, "GITHUB_REF": "refs/pull/7/merge", "GITHUB_REF_NAME": "7/merge"}
            | {"GITHUB_BASE_REF": "main"},
            "https://github.com/ann/course",
            "main",
        ),
        (
            {"CI_PROJECT_URL": "https://gitlab.com/ann/course", "CI_COMMIT_REF_NAME": "autumn"},
            "https://gitlab.com/ann/course",
            "autumn",
        ),
        (
            {**GITHUB, "SOFTLOOKUP_REPOSITORY": "https://github.com/own/name"},
            "https://github.com/own/name",
            "main",
        ),
        ({"SOFTLOOKUP_BRANCH": "a b/c"}, "https://github.com/origin/course", "a%20b/c"),
    ],
)
def test_the_first_that_knows_an_address_wins(
    checkout: Path, environment: dict[str, str], url: str, branch: str
) -> None:
    assert find_repository(environment, checkout) == Repository(url, branch)


def test_without_an_address_there_is_none(checkout: Path, tmp_path: Path) -> None:
    _git(checkout, "remote", "set-url", "origin", str(tmp_path / "elsewhere.git"))
    assert find_repository({}, checkout) is None  # a folder on disk
    _git(checkout, "remote", "remove", "origin")
    assert find_repository({}, checkout) is None  # no origin
    assert find_repository({}, tmp_path) is None  # no repository
    assert find_repository({"SOFTLOOKUP_REPOSITORY": "/srv/git/a/b"}, tmp_path) is None


def test_a_copy_inside_another_repository_is_not_that_repository(checkout: Path) -> None:
    copy = checkout / "downloads" / "course"
    copy.mkdir(parents=True)
    assert find_repository({}, copy) is None


def test_without_git_there_is_none(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert find_repository({}, checkout) is None


def test_a_host_that_is_neither_github_nor_gitlab_gets_no_links() -> None:
    options = theme_options(Repository("https://git.example.org/a/b", "main"))
    assert options == theme_options(None)


# What is drawn: a book of one notebook and one page, built with the theme and this extension.


@pytest.fixture
def tiny_book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the sources of a small book, outside of any repository."""
    for name in set(os.environ) - set(clean_environment()):
        monkeypatch.delenv(name)
    monkeypatch.syspath_prepend(str(ROOT / "web"))
    source = tmp_path / "source"
    (source / "book").mkdir(parents=True)
    (source / "index.md").write_text("# Page\n\n```{toctree}\nbook/chapter\n```\n")
    chapter = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_markdown_cell("# Chapter")],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    )
    nbformat.write(chapter, source / "book/chapter.ipynb")
    return source


def links(source: Path) -> dict[str, list[str]]:
    """Build, and return the addresses of other hosts that each page links to."""
    target = source.parent / "target"
    app = Sphinx(
        source,
        None,
        target / "html",
        target / "doctrees",
        "html",
        confoverrides={
            "extensions": ["myst_nb", "sphinx_book_theme", "course_site.launch"],
            "html_theme": "sphinx_book_theme",
            "nb_execution_mode": "off",
            "html_show_sphinx": False,
            "project": "Tiny",
        },
        status=None,
        warning=io.StringIO(),
        freshenv=True,
    )
    app.build(force_all=True)
    found = {}
    for name in ("index", "book/chapter"):
        html = (target / "html" / f"{name}.html").read_text(encoding="utf-8")
        hrefs = [a["href"] for a in BeautifulSoup(html, "html.parser")("a", href=True)]
        found[name] = sorted({h for h in hrefs if "://" in h})
    return found


def test_github_gets_binder_colab_edit_and_repository(
    tiny_book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOFTLOOKUP_REPOSITORY", "git@github.com:ann/course.git")
    monkeypatch.setenv("SOFTLOOKUP_BRANCH", "spring")
    found = links(tiny_book)
    course = "https://github.com/ann/course"
    assert found["book/chapter"] == [
        "https://colab.research.google.com/github/ann/course/blob/spring/book/chapter.ipynb",
        course,
        f"{course}/edit/spring/book/chapter.ipynb",
        "https://mybinder.org/v2/gh/ann/course/spring?urlpath=lab/tree/book/chapter.ipynb",
    ]
    assert found["index"] == [course, f"{course}/edit/spring/index.md"]


def test_gitlab_gets_edit_and_repository_alone(
    tiny_book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI_PROJECT_URL", "https://gitlab.com/group/sub/course")
    course = "https://gitlab.com/group/sub/course"
    assert links(tiny_book)["book/chapter"] == [
        course,
        f"{course}/-/edit/main/book/chapter.ipynb",
    ]


def test_with_no_address_no_link_is_drawn(tiny_book: Path) -> None:
    assert links(tiny_book) == {"index": [], "book/chapter": []}


def test_the_address_of_origin_is_used(tiny_book: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tiny_book)], check=True)
    _git(tiny_book, "remote", "add", "origin", "https://u:secret@github.com/ann/course.git")
    found = links(tiny_book)["book/chapter"]
    assert "https://github.com/ann/course" in found
    assert not [link for link in found if "secret" in link]
