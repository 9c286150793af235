"""Pictures of arrays and data flow as SVG: boxes with values, arrows, labels.

One look for all handouts. Colours follow the reader's light or dark scheme and differ in lightness as well as
hue, so that the colour-blind can tell them apart. Nothing but the standard library.

    p = Picture(400, 120, "Square", "Each thread squares one element")
    row = p.cells(20, 30, [3, 1, 4], label="d_in")
    p.arrow(row[0].bottom, (38, 90))
    p.save(Path("square.svg"))
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

Point = tuple[float, float]

_STYLE = """
    svg { font-family: ui-sans-serif, system-ui, "DejaVu Sans", sans-serif; font-size: 13px; }
    .ground { fill: #ffffff; }
    text { fill: #1b1f24; }
    .value { font-family: ui-monospace, "DejaVu Sans Mono", monospace; text-anchor: middle; }
    .title { font-size: 15px; font-weight: 600; }
    .note { fill: #57606a; font-size: 12px; }
    rect.cell { stroke: #57606a; stroke-width: 1; }
    .plain { fill: #f6f8fa; } .blue { fill: #b6d9ff; } .orange { fill: #ffc680; }
    .green { fill: #a8e3b6; } .grey { fill: #d0d7de; } .none { fill: none; stroke-dasharray: 3 3; }
    path.arrow { stroke: #57606a; stroke-width: 1.4; fill: none; marker-end: url(#head); }
    path.faint { stroke-dasharray: 3 3; }
    path.strong { stroke: #0550ae; stroke-width: 2; }
    path.line { marker-end: none; }
    #head path { fill: #57606a; }
    @media (prefers-color-scheme: dark) {
      .ground { fill: #0d1117; } text { fill: #e6edf3; } .note { fill: #9198a1; }
      rect.cell { stroke: #9198a1; }
      .plain { fill: #21262d; } .blue { fill: #0c4a8f; } .orange { fill: #8a4b00; }
      .green { fill: #14602c; } .grey { fill: #3d444d; } .none { fill: none; }
      path.arrow { stroke: #9198a1; } path.strong { stroke: #79c0ff; } #head path { fill: #9198a1; }
    }
"""


@dataclass(frozen=True)
class Box:
    """A drawn box: where arrows may start and end."""

    x: float
    y: float
    width: float
    height: float

    @property
    def top(self) -> Point:
        return (self.x + self.width / 2, self.y)

    @property
    def bottom(self) -> Point:
        return (self.x + self.width / 2, self.y + self.height)

    @property
    def left(self) -> Point:
        return (self.x, self.y + self.height / 2)

    @property
    def right(self) -> Point:
        return (self.x + self.width, self.y + self.height / 2)


class Picture:
    """An SVG picture of the given size in pixels. `description` is read to those who cannot see it."""

    def __init__(self, width: float, height: float, title: str, description: str) -> None:
        self._size = (width, height)
        self._title = title
        self._description = description
        self._parts: list[str] = []

    def box(self, x: float, y: float, width: float, height: float, text: object = "", kind: str = "plain") -> Box:
        """A box with one line of text. kind: plain, blue, orange, green, grey, none (dashed outline)."""
        self._parts.append(
            f'<rect class="cell {kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="3"/>'
        )
        if str(text):
            middle = y + height / 2 + 4.5
            self._parts.append(f'<text class="value" x="{x + width / 2:g}" y="{middle:g}">{escape(str(text))}</text>')
        return Box(x, y, width, height)

    def cells(
        self,
        x: float,
        y: float,
        values: Sequence[object],
        kinds: str | Iterable[str] = "plain",
        label: str = "",
        width: float = 36,
        height: float = 28,
        gap: float = 0,
    ) -> list[Box]:
        """A row of boxes, one a value. kinds: one for all, or one each. The label stands left of the row."""
        each = [kinds] * len(values) if isinstance(kinds, str) else list(kinds)
        if label:
            self.text(x - 10, y + height / 2 + 4.5, label, anchor="end")
        return [
            self.box(x + i * (width + gap), y, width, height, value, kind)
            for i, (value, kind) in enumerate(zip(values, each, strict=True))
        ]

    def arrow(self, start: Point, end: Point, kind: str = "", line: bool = False) -> None:
        """A straight arrow (line: without a head). kind: "" or faint (dashed) or strong."""
        classes = " ".join(["arrow", kind, "line" if line else ""]).split()
        self._parts.append(
            f'<path class="{" ".join(classes)}" d="M{start[0]:g} {start[1]:g} L{end[0]:g} {end[1]:g}"/>'
        )

    def text(self, x: float, y: float, text: str, anchor: str = "start", kind: str = "") -> None:
        """A line of text. anchor: start, middle, end; kind: "", title or note."""
        role = f' class="{kind}"' if kind else ""
        self._parts.append(f'<text{role} x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(text)}</text>')

    def svg(self) -> str:
        """The picture as text; the same calls give the same bytes."""
        width, height = self._size
        head = (
            '<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
            '<path d="M0 0 L8 4 L0 8 z"/></marker>'
        )
        body = "\n  ".join(self._parts)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
            f'height="{height:g}" role="img" aria-labelledby="t d">\n'
            f'  <title id="t">{escape(self._title)}</title>\n  <desc id="d">{escape(self._description)}</desc>\n'
            f"  <style>{_STYLE}  </style>\n  <defs>{head}</defs>\n"
            f'  <rect class="ground" width="{width:g}" height="{height:g}"/>\n  {body}\n</svg>\n'
        )

    def save(self, path: Path) -> None:
        path.write_text(self.svg(), encoding="utf-8")
