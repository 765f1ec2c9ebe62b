"""What all explorers are: a state, a first frame drawn by Python, and a module that moves it.

An explorer has two hosts. In Jupyter it is a widget: its attributes and what is seen follow each
other. Beside the widget it offers a twin in plain HTML, with the first frame and the state, which
is what a notebook stores and the website shows; there ``mount.mjs`` hands the same module a model
that lives in the page. Where no module runs, on paper or in a saved copy, the frame remains.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .. import shapes
from .html import tag

try:
    import traitlets
except ImportError as error:  # pragma: no cover  Jupyter itself needs it
    raise ImportError(
        "softlookup.explorers needs traitlets and anywidget: run `make lab`, or "
        "`python -m pip install anywidget`."
    ) from error
if TYPE_CHECKING:
    Base = traitlets.HasTraits
else:
    try:
        from anywidget import AnyWidget as Base
    except ImportError:  # the first frame needs none: nothing moves, and all is there to read
        from traitlets import HasTraits as Base

__all__ = ["Explorer", "module", "style"]

FOLDER = Path(__file__).parent
CORE = re.compile(r'^import \{[^}]*\} from "\./core\.mjs";\n', re.MULTILINE)
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
EXPORT = re.compile(r"^export ", re.MULTILINE)


@cache
def module(name: str) -> str:
    """Return an explorer's module in one piece, as a widget needs it: ``core.mjs`` and its own.

    Raises
    ------
    ValueError
        For a module that does not import from ``core.mjs`` exactly once.
    """
    own, found = CORE.subn("", FOLDER.joinpath(f"{name}.mjs").read_text(encoding="utf-8"))
    if found != 1:
        raise ValueError(f'{name}.mjs: needed one import {{…}} from "./core.mjs", got {found}.')
    return EXPORT.sub("", FOLDER.joinpath("core.mjs").read_text(encoding="utf-8")) + own


@cache
def style(name: str) -> str:
    """Return the styles of an explorer: those of all, and its own if it has any."""
    paths = (FOLDER / "explorer.css", FOLDER / f"{name}.css")
    text = "".join(path.read_text(encoding="utf-8") for path in paths if path.exists())
    # A page and a notebook carry it: without comments, and without blanks that mean nothing.
    text = " ".join(COMMENT.sub("", text).split())
    return re.sub(r" ?([{};,]) ?", r"\1", text)


class Explorer(Base):
    """An interactive figure. What it shows can be read and set as attributes.

    A subclass names its module, lists the traits that make up its state, and says in
    :meth:`frame` what is seen in that state and in :meth:`sentence` what there is to notice.
    """

    #: The stem of the subclass's ``.mjs`` file.
    MODULE: ClassVar[str]
    #: The traits that a module needs, by name.
    STATE: ClassVar[tuple[str, ...]]

    # The module and its styles, under the names that a widget gives them.
    _esm: Any
    _css: Any
    #: The first frame, for a view that has none yet.
    first_frame = traitlets.Unicode(read_only=True).tag(sync=True)

    def __init_subclass__(cls, **options: Any) -> None:
        """Put the module and its styles where a widget has them."""
        super().__init_subclass__(**options)
        if "MODULE" in cls.__dict__:  # not a class that a widget makes of itself
            cls._esm = module(cls.MODULE)
            cls._css = style(cls.MODULE)

    def __init__(self, **state: Any) -> None:
        super().__init__(**state)
        self.set_trait("first_frame", self.frame())

    def frame(self) -> str:
        """Return, as HTML, what is seen in the present state."""
        raise NotImplementedError

    def sentence(self) -> str:
        """Return in words what is seen in the present state."""
        raise NotImplementedError

    def state(self) -> dict[str, Any]:
        """Return the present state, by name."""
        return {name: getattr(self, name) for name in self.STATE}

    def html(self) -> str:
        """Return the twin: styles, first frame and state, as plain HTML."""
        state = json.dumps(self.state(), ensure_ascii=False, separators=(",", ":"))
        return f"<style>{style(self.MODULE)}</style>" + tag(
            "div",
            self.frame(),
            class_="softlookup-explorer",
            data_explorer=self.MODULE,
            data_state=state,
        )

    def __repr__(self) -> str:
        """Return what is seen, in words."""
        return f"{type(self).__name__}: {self.sentence()}"

    def _repr_mimebundle_(self, **options: Any) -> Any:
        bundle = {"text/plain": repr(self), "text/html": self.html()}
        live = getattr(super(), "_repr_mimebundle_", None)
        if live is None:
            return bundle
        shown = live(**options)
        data, metadata = shown if isinstance(shown, tuple) else (shown, {})
        return {**(data or {}), **bundle}, metadata


def numbers(name: str, given: Iterable[float], length: int) -> list[float]:
    """Return a state's list of numbers, checked, as the plain numbers that a page can have."""
    array = shapes.floats(name, list(given))
    if array.shape != (length,):
        raise ValueError(f"{name}: needed {length} numbers, got shape {array.shape}.")
    return [float(x) for x in array]


def matrix(name: str, given: Any, *, needs: str) -> list[list[float]]:
    """Return a matrix, checked, as plain lists of numbers."""
    array = shapes.floats(name, given)
    shapes.check_matrix(name, array, needs=needs, exactly=True)
    rows: list[list[float]] = np.asarray(array, float).tolist()
    return rows


def names_for(name: str, given: Sequence[str], length: int) -> list[str]:
    """Return one name for each row, checked."""
    names = [str(x) for x in given]
    if len(names) != length:
        raise ValueError(f"{name}: needed {length} names, one per row, got {len(names)}.")
    return names


def made_with(proposal: dict[str, Any]) -> Any:
    """Return what a trait is about to be set to, once: its data, on which the frame is built."""
    name, owner = proposal["trait"].name, proposal["owner"]
    if owner.first_frame and proposal["value"] != getattr(owner, name):
        raise ValueError(
            f"{name}: needed what this explorer was made with, got something else. For other data, "
            f"make another {type(owner).__name__}."
        )
    return proposal["value"]


def of_same_shape(proposal: dict[str, Any]) -> list[Any]:
    """Return what numbers are about to be set to, if they have the shape of what they are now."""
    name = proposal["trait"].name
    needed = np.shape(getattr(proposal["owner"], name))
    array = shapes.floats(name, proposal["value"])
    if array.shape != needed:
        raise ValueError(f"{name}: needed the shape {needed} that it has, got {array.shape}.")
    numbers: list[Any] = array.tolist()
    return numbers
