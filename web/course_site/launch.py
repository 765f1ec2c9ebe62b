"""Draw launch, edit and repository links for the repository this site is built from.

The address is never written down: a fork that builds the site gets links to the fork. It is read,
first found first taken, from

1. ``SOFTLOOKUP_REPOSITORY`` (and ``SOFTLOOKUP_BRANCH``),
2. the CI's own variables (GitHub: ``GITHUB_SERVER_URL``, ``GITHUB_REPOSITORY``,
   ``GITHUB_REF_NAME``; GitLab: ``CI_PROJECT_URL``, ``CI_COMMIT_REF_NAME``),
3. ``git remote get-url origin``.

A folder on disk is no address. With none, nothing is drawn. Binder and Colab open repositories on
GitHub; edit links are drawn for GitHub and GitLab.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config

SCP = re.compile(r"^(?:[^@/\s]+@)?(?P<host>[A-Za-z0-9.-]+\.[A-Za-z]+):(?!/)(?P<path>[^\s]+)$")


@dataclass(frozen=True)
class Repository:
    """Where this site's sources can be read by others."""

    url: str
    branch: str

    @property
    def provider(self) -> str | None:
        """Return "github" or "gitlab", as far as the host's name tells."""
        host = urlsplit(self.url).hostname or ""
        if host == "github.com":
            return "github"
        return "gitlab" if host.split(".")[0] == "gitlab" else None


def web_address(remote: str) -> str | None:
    """Return the web address of a git remote without credentials, or None if it has none.

    >>> web_address("git@github.com:someone/course.git")
    'https://github.com/someone/course'
    >>> web_address("https://user:secret@gitlab.com/group/sub/course.git")
    'https://gitlab.com/group/sub/course'
    >>> web_address("/srv/git/course.git") is None
    True
    """
    remote = remote.strip()
    scp = SCP.match(remote)
    if "://" not in remote and scp:
        host, path, scheme = scp["host"], scp["path"], "https"
    else:
        parts = urlsplit(remote)
        if parts.scheme not in ("http", "https", "ssh", "git+ssh") or not parts.hostname:
            return None
        host, path = parts.hostname, parts.path
        scheme = "http" if parts.scheme == "http" else "https"
        if parts.port and parts.scheme in ("http", "https"):
            host = f"{host}:{parts.port}"
    path = path.strip("/").removesuffix(".git").strip("/")
    # An owner and a name at least, of letters that can stand in a link as they are.
    if not re.fullmatch(r"[\w.~-]+(/[\w.~-]+)+", path, re.ASCII) or ".." in path.split("/"):
        return None
    return f"{scheme}://{host}/{path}"


def find_repository(environment: Mapping[str, str], folder: Path) -> Repository | None:
    """Return the repository this build is made from, or None if it has no public address."""
    get = environment.get
    if get("SOFTLOOKUP_REPOSITORY"):
        remote, branch = get("SOFTLOOKUP_REPOSITORY"), None
    elif get("GITHUB_REPOSITORY"):
        server = get("GITHUB_SERVER_URL") or "https://github.com"
        remote, branch = f"{server}/{get('GITHUB_REPOSITORY')}", _github_branch(environment)
    elif get("CI_PROJECT_URL"):
        remote, branch = get("CI_PROJECT_URL"), get("CI_COMMIT_REF_NAME")
    else:
        remote, branch = _origin(folder), None
    url = web_address(remote or "")
    branch = get("SOFTLOOKUP_BRANCH") or branch or "main"
    return Repository(url, quote(branch, safe="/")) if url else None


def _github_branch(environment: Mapping[str, str]) -> str | None:
    """Return the branch or tag of this run; a pull request's merge has no page of its own."""
    if environment.get("GITHUB_REF", "").startswith("refs/pull/"):
        return environment.get("GITHUB_BASE_REF")
    return environment.get("GITHUB_REF_NAME")


def _origin(folder: Path) -> str | None:
    """Return the address of ``origin``, of a repository whose top is this very folder."""
    git = ["git", "-C", str(folder)]
    try:
        top = subprocess.run(
            [*git, "rev-parse", "--show-toplevel"], capture_output=True, text=True, check=True
        ).stdout.strip()
        if Path(top).resolve() != folder.resolve():
            return None  # a copy unpacked inside some other repository
        return subprocess.run(
            [*git, "remote", "get-url", "origin"], capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return None


def theme_options(repository: Repository | None) -> dict[str, Any]:
    """Return what the theme needs to draw the links of this repository."""
    if repository is None or repository.provider is None:
        return {"launch_buttons": {}, "use_repository_button": False}
    options: dict[str, Any] = {
        "repository_url": repository.url,
        "repository_branch": repository.branch,
        "repository_provider": repository.provider,
        "use_repository_button": True,
        "use_edit_page_button": True,
        "launch_buttons": {},
    }
    if repository.provider == "github":
        options["launch_buttons"] = {
            "notebook_interface": "jupyterlab",
            "binderhub_url": "https://mybinder.org",
            "colab_url": "https://colab.research.google.com",
        }
    return options


def add_links(app: Sphinx, config: Config) -> None:
    """Fill in the theme's options before the theme reads them."""
    repository = find_repository(os.environ, Path(app.srcdir))
    config.html_theme_options.update(theme_options(repository))


def setup(app: Sphinx) -> dict[str, Any]:
    """Look the repository up once the configuration has been read."""
    app.connect("config-inited", add_links, priority=400)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
