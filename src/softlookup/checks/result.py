"""What a check says: a status, a sentence or two, and perhaps the smallest case that shows it."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

__all__ = ["CORRECT", "NOT_STARTED", "NOT_YET", "Result"]

NOT_STARTED = "not started"
CORRECT = "correct"
NOT_YET = "not yet"

# A coloured edge that stands out on white and on black; the words say the same without it.
_EDGES = {NOT_STARTED: "#808080", CORRECT: "#2e8b57", NOT_YET: "#c07000"}
_OPENINGS = {NOT_STARTED: "not started:", CORRECT: "Correct.", NOT_YET: "Not yet."}


@dataclass(frozen=True)
class Result:
    """The answer of a check, which a notebook shows by itself.

    Parameters
    ----------
    status
        ``"not started"``, ``"correct"`` or ``"not yet"``.
    message
        What there is to say, in whole sentences.
    case
        Lines that show it on the smallest example: what went in, what was expected, what came.
    mistakes
        The names of the known mistakes that explain the answer exactly; usually none or one.

    Examples
    --------
    >>> Result(NOT_YET, "The weights add up to 2.", case=("expected  1", "got       2"))
    Not yet. The weights add up to 2.
    <BLANKLINE>
        expected  1
        got       2
    >>> Result(CORRECT)
    Correct.
    """

    status: str
    message: str = ""
    case: tuple[str, ...] = ()
    mistakes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.status not in _OPENINGS:
            raise ValueError(f"status: needed one of {list(_OPENINGS)}, got {self.status!r}.")

    @property
    def correct(self) -> bool:
        """Whether the answer was right."""
        return self.status == CORRECT

    def __repr__(self) -> str:
        """Return the text a terminal shows."""
        text = f"{_OPENINGS[self.status]} {self.message}".rstrip()
        if self.case:
            text += "\n\n" + "\n".join(f"    {line}" for line in self.case)
        return text

    def _repr_html_(self) -> str:
        """Return what Jupyter and the site show: it takes its colours from the page."""
        lines = "<br>".join(escape(line) for line in self.message.splitlines())
        text = f"<strong>{_OPENINGS[self.status]}</strong> {lines}".rstrip()
        case = ""
        if self.case:
            case = (
                '<pre tabindex="0" style="margin: 0.5em 0 0; overflow-x: auto; '
                'color: inherit; background: transparent;">'
                + escape("\n".join(self.case))
                + "</pre>"
            )
        return (
            f'<div class="softlookup-check" style="border-left: 0.3em solid '
            f'{_EDGES[self.status]}; padding: 0.3em 0.8em;">{text}{case}</div>'
        )
