"""The pieces of an explorer's first frame: elements, numbers, sliders, the plane.

The module of an explorer changes these elements and never draws its own, so each number is
written here as JavaScript writes it there: see ``core.mjs``, which has the same functions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from html import escape

__all__ = [
    "PLANE",
    "bar",
    "choices",
    "controls",
    "fixed",
    "invitation",
    "number",
    "place",
    "plane",
    "point",
    "radio",
    "select",
    "slider",
    "star",
    "status",
    "tag",
]

#: Elements without an end tag.
VOID = {"circle", "input", "line", "path", "polygon", "polyline", "rect"}
#: The plane's picture is this wide and high, and a 1 of the data this long.
PLANE, UNIT = 300, 120
#: A star around the origin.
STAR = "0,-11 2.6,-3.6 10.5,-3.4 4.3,1.4 6.5,8.9 0,4.5 -6.5,8.9 -4.3,1.4 -10.5,-3.4 -2.6,-3.6"


def fixed(number: float, digits: int) -> str:
    r"""Return a number with so many decimals, a true minus sign, and no negative zero.

    Ties go away from zero, as they do in JavaScript.

    Examples
    --------
    >>> fixed(0.125, 2), fixed(-0.001, 2), fixed(-1.5, 0) == "\N{MINUS SIGN}2"
    ('0.13', '0.00', True)
    >>> fixed(2e-8, 8)
    '0.00000002'
    """
    text = f"{Decimal(float(number)).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP):f}"
    if not text.strip("-0."):
        text = text.lstrip("-")
    return text.replace("-", "\N{MINUS SIGN}")


def place(number: float, digits: int = 1) -> str:
    """Return a length or a coordinate, as it stands in an attribute.

    Examples
    --------
    >>> place(-0.04), place(2.25)
    ('0.0', '2.3')
    """
    return fixed(number, digits).replace("\N{MINUS SIGN}", "-")


def number(value: float) -> str:
    """Return a number as an input's attribute has it: the shortest that reads the same.

    Examples
    --------
    >>> number(0.6), number(1.0), number(-0.0)
    ('0.6', '1', '0')
    """
    value = float(value)
    return repr(int(value) if value.is_integer() else value)


def tag(name: str, content: str = "", /, **attributes: object) -> str:
    """Return an element. ``content`` is markup already; attributes are escaped.

    Examples
    --------
    >>> tag("b", "5 &lt; 6", class_="big", data_part="sum", hidden=True, title=None)
    '<b class="big" data-part="sum" hidden="">5 &lt; 6</b>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{"" if value is True else escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name == "input":
        return f"<{name}{written}>"
    return f"<{name}{written}>{content}</{name}>"


def bar(length: float, part: str = "bar", **attributes: object) -> str:
    """Return a cell of a table with a bar in it, from 0 to 1; the number belongs beside it."""
    style = f"--share: {place(length, 4)};"
    return tag("td", data_part=part, class_="bar", style=style, **attributes)


def slider(
    part: str,
    label: str,
    value: float,
    *,
    low: float,
    high: float,
    step: float,
    shown: str,
) -> str:
    """Return a labelled slider whose value is also written out, in words that can be heard."""
    knob = tag(
        "input",
        type="range",
        data_part=part,
        min=number(low),
        max=number(high),
        step=number(step),
        value=number(value),
        aria_valuetext=shown,
    )
    name = tag("span", escape(label), class_="name")
    return tag("label", name + knob + tag("output", escape(shown), data_part=f"{part}-shown"))


def controls(*sliders: str) -> str:
    """Return the controls, asleep until a module wakes them."""
    return tag("fieldset", "".join(sliders), disabled=True, aria_label="Controls")


def invitation(sentence: str) -> str:
    """Return what to try and to notice, for readers who can."""
    return tag("p", escape(sentence), class_="try")


def status(sentence: str) -> str:
    """Return what is seen, in words that are read out when they change."""
    return tag("p", escape(sentence), data_part="sentence", role="status")


def point(x: float, y: float) -> tuple[str, str]:
    """Return where in the plane's picture a point of the data lies.

    Examples
    --------
    >>> point(1, -1)
    ('270.0', '270.0')
    """
    return place(PLANE / 2 + UNIT * x), place(PLANE / 2 - UNIT * y)


def plane(content: str, axes: Sequence[str], label: str) -> str:
    """Return a square with two axes from -1 to 1 and whatever is drawn into it."""
    middle, end = place(PLANE / 2), place(PLANE)
    lines = tag("line", x1="0.0", y1=middle, x2=end, y2=middle, class_="axis")
    lines += tag("line", x1=middle, y1="0.0", x2=middle, y2=end, class_="axis")
    for at in (-1, 1):
        x, y = point(at, at)
        lines += tag("text", fixed(at, 0), x=x, y=place(PLANE / 2 + 15), class_="tick middle")
        lines += tag(
            "text", fixed(at, 0), x=place(PLANE / 2 - 6), y=y, dy="0.35em", class_="tick end"
        )
    right, up = (escape(name) for name in axes)
    names = tag("text", f"{right} →", x=end, y=place(PLANE / 2 - 7), class_="tick end")
    names += tag("text", f"↑ {up}", x=place(PLANE / 2 + 7), y="11.0", class_="tick")
    return tag(
        "svg",
        lines + names + content,
        viewBox=f"0 0 {PLANE} {PLANE}",
        class_="plane",
        role="group",
        aria_label=label,
    )


def star(x: float, y: float, label: str, shown: str, part: str = "query") -> str:
    """Return the query, a star that a module lets the reader drag."""
    right, down = point(x, y)
    drawn = tag("circle", r="24", class_="grip") + tag("polygon", points=STAR, class_="query")
    return tag(
        "g",
        drawn,
        data_part=part,
        transform=f"translate({right} {down})",
        role="slider",
        aria_label=label,
        aria_valuenow=number(x),
        aria_valuetext=shown,
    )


def radio(part: str, value: str, label: str, *, chosen: bool, spoken: str | None = None) -> str:
    """Return one of several choices. Those of one part exclude one another within their form.

    ``checked`` comes last: that is where a browser puts it when it is set again.

    Examples
    --------
    >>> radio("row", "0", "Ana", chosen=False)
    '<label><input type="radio" name="row" data-part="row" value="0"><span>Ana</span></label>'
    """
    knob = tag(
        "input",
        type="radio",
        name=part,
        data_part=part,
        value=value,
        aria_label=spoken,
        checked=chosen,
    )
    return tag("label", knob + tag("span", escape(label)))


def choices(part: str, label: str, offered: Mapping[str, str], chosen: str) -> str:
    """Return a choice among a few, by value and label, asleep until a module wakes it."""
    knobs = "".join(
        radio(part, value, name, chosen=value == chosen) for value, name in offered.items()
    )
    name = tag("span", escape(label), class_="name", aria_hidden="true")
    return tag("fieldset", name + knobs, disabled=True, class_="choices", aria_label=label)


def select(part: str, label: str, offered: Sequence[str], chosen: int) -> str:
    """Return a choice among more, counted from 0, asleep until a module wakes it."""
    options = "".join(
        tag("option", escape(name), value=str(i), selected=i == chosen)
        for i, name in enumerate(offered)
    )
    knob = tag("select", options, data_part=part)
    name = tag("span", escape(label), class_="name")
    return tag("fieldset", tag("label", name + knob), disabled=True, aria_label=label)
