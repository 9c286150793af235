"""Drawings as SVG within a page. Every text that goes in is escaped here; colours are the page's, by class."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup, escape

from autograder.sanitize import clean


def number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def compact(count: int) -> str:
    """A count for a narrow column: 8.39 M."""
    for unit, size in ((" T", 10**12), (" G", 10**9), (" M", 10**6), (" k", 10**3)):
        if count >= 10 * size or (count >= size and size > 1000):
            return f"{count / size:,.{0 if count >= 100 * size else 1 if count >= 10 * size else 2}f}{unit}"
    return f"{count:,}"


def power_of_two(power: int) -> str:
    return "2" + str(power).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


class Drawing:
    """Marks on a canvas, (0, 0) at the top left."""

    def __init__(self, width: float, height: float, title: str, kind: str = "") -> None:
        self.width, self.height, self._title, self._kind = width, height, title, kind
        self._marks: list[str] = []

    def _mark(self, name: str, inner: str = "", **attributes: float | str | None) -> None:
        """`inner` is markup; the values of attributes are not."""
        given = " ".join(
            f'{key.rstrip("_").replace("_", "-")}="{_text(value) if isinstance(value, str) else number(value)}"'
            for key, value in attributes.items()
            if value is not None and value != ""
        )
        self._marks.append(f"<{name} {given}>{inner}</{name}>" if inner else f"<{name} {given}/>")

    def box(self, x: float, y: float, w: float, h: float, kind: str = "", tip: str = "", round_: float = 0) -> None:
        """A rectangle; `tip` is shown where the pointer rests."""
        self._mark("rect", _tip(tip), x=x, y=y, width=max(w, 0.0), height=h, rx=round_ or None, class_=kind)

    def text(self, x: float, y: float, text: object, kind: str = "", anchor: str = "") -> None:
        self._mark("text", _text(str(text)), x=x, y=y, text_anchor=anchor, class_=kind)

    def line(self, points: Sequence[tuple[float, float]], kind: str = "") -> None:
        path = " ".join(f"{'L' if at else 'M'}{number(x)} {number(y)}" for at, (x, y) in enumerate(points))
        self._mark("path", d=path, class_=f"line {kind}".strip())

    def dot(self, x: float, y: float, kind: str = "", tip: str = "", shape: str = "circle") -> None:
        """A small filled circle or square."""
        if shape == "circle":
            self._mark("circle", _tip(tip), cx=x, cy=y, r=3.2, class_=f"dot {kind}")
        else:
            self._mark("rect", _tip(tip), x=x - 3, y=y - 3, width=6, height=6, class_=f"dot {kind}")

    def __html__(self) -> Markup:
        w, h = number(self.width), number(self.height)
        head = f'<svg class="{_text(self._kind)}" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img">'
        return Markup(f"{head}<title>{_text(self._title)}</title>{''.join(self._marks)}</svg>")


def _text(text: str) -> str:
    """Printable, and never markup."""
    return str(escape(clean(text)))


def _tip(text: str) -> str:
    return f"<title>{_text(text)}</title>" if text else ""
