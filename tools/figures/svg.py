"""Drawings of data flow for the handouts: boxes with numbers, arrows, labels.

A drawing brings its own background and follows the reader's light or dark setting. Blue marks what is
being worked on, orange what is finished; both differ in lightness too, for eyes that see no colour.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

_STYLE = """
  .card { fill: #ffffff; stroke: #d0d7de; }
  text { font-family: system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; fill: #1f2328; }
  .number { font-variant-numeric: tabular-nums; }
  text.faint { fill: #59636e; }
  text.active { fill: #0a4f8a; font-weight: 600; }
  text.done { fill: #8a4b00; font-weight: 600; }
  .box { fill: #f6f8fa; stroke: #8c959f; }
  .box.active { fill: #cfe6fa; stroke: #0072b2; stroke-width: 1.6; }
  .box.done { fill: #ffe3b3; stroke: #b06f00; stroke-width: 1.6; }
  .box.faint { fill: none; stroke: #c4ccd4; stroke-dasharray: 3 3; }
  .line { fill: none; stroke: #6e7781; stroke-width: 1.3; }
  .line.active { stroke: #0072b2; }
  .line.done { stroke: #b06f00; }
  .line.faint { stroke: #c4ccd4; }
  .head { fill: #6e7781; } .head.active { fill: #0072b2; } .head.done { fill: #b06f00; } .head.faint { fill: #c4ccd4; }
  @media (prefers-color-scheme: dark) {
    .card { fill: #161b22; stroke: #30363d; }
    text { fill: #e6edf3; }
    text.faint { fill: #9da7b1; }
    text.active { fill: #79c0ff; }
    text.done { fill: #ffb454; }
    .box { fill: #21262d; stroke: #6e7681; }
    .box.active { fill: #0f3a5c; stroke: #58a6ff; }
    .box.done { fill: #5a3a06; stroke: #e69f00; }
    .box.faint { fill: none; stroke: #484f58; }
    .line { stroke: #8b949e; } .line.active { stroke: #58a6ff; } .line.done { stroke: #e69f00; }
    .line.faint { stroke: #484f58; }
    .head { fill: #8b949e; } .head.active { fill: #58a6ff; } .head.done { fill: #e69f00; }
    .head.faint { fill: #484f58; }
  }
"""


def _n(value: float) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".")


class Drawing:
    """A picture in points, (0, 0) at the top left. Kinds of a mark: '', 'active', 'done', 'faint'."""

    def __init__(self, width: float, height: float, title: str, description: str) -> None:
        self.width, self.height, self.title, self.description = width, height, title, description
        self._marks: list[str] = []

    def box(self, x: float, y: float, w: float, h: float, text: object = "", kind: str = "") -> None:
        """A box, its top left corner at (x, y), with a text in its middle."""
        self._marks.append(
            f'<rect class="box {kind}" x="{_n(x)}" y="{_n(y)}" width="{_n(w)}" height="{_n(h)}" rx="3"/>'
        )
        if str(text):
            self.text(x + w / 2, y + h / 2 + 5, text, size=14, anchor="middle", number=True)

    def cells(
        self, x: float, y: float, rows: Sequence[Sequence[object]], kind: Callable[[int, int], str],
        width: float = 26, height: float = 24,
    ) -> None:  # fmt: skip
        """A matrix of boxes without gaps; kind(row, column) of each."""
        for r, row in enumerate(rows):
            for c, value in enumerate(row):
                left, top = x + c * width, y + r * height
                self.box(left, top, width, height, "", kind(r, c))
                if str(value):
                    self.text(left + width / 2, top + height / 2 + 4, value, size=11, anchor="middle", number=True)

    def text(
        self, x: float, y: float, text: object, *, kind: str = "", size: float = 13, anchor: str = "start",
        number: bool = False,
    ) -> None:  # fmt: skip
        """A text whose baseline is at y; anchor: start, middle, end."""
        classes = f"{kind} number" if number else kind
        self._marks.append(
            f'<text class="{classes}" x="{_n(x)}" y="{_n(y)}" font-size="{_n(size)}" text-anchor="{anchor}">'
            f"{escape(str(text))}</text>"
        )

    def note(self, y: float, text: str) -> None:
        """A line of explanation below the picture."""
        self.text(20, y, text, kind="faint", size=12)

    def line(self, points: Sequence[tuple[float, float]], kind: str = "") -> None:
        """A line through the points."""
        path = " ".join(f"{'L' if i else 'M'}{_n(x)} {_n(y)}" for i, (x, y) in enumerate(points))
        self._marks.append(f'<path class="line {kind}" d="{path}"/>')

    def dot(self, x: float, y: float, kind: str = "") -> None:
        """A filled dot, its middle at (x, y)."""
        self._marks.append(f'<circle class="head {kind}" cx="{_n(x)}" cy="{_n(y)}" r="3.5"/>')

    def arrow(self, x1: float, y1: float, x2: float, y2: float, kind: str = "") -> None:
        """A straight arrow with its head at (x2, y2)."""
        self._arrow_head(x2, y2, math.atan2(y2 - y1, x2 - x1), kind)
        angle = math.atan2(y2 - y1, x2 - x1)
        self.line([(x1, y1), (x2 - 6 * math.cos(angle), y2 - 6 * math.sin(angle))], kind)

    def arc(self, x1: float, x2: float, y: float, height: float, kind: str = "") -> None:
        """An arrow that leaves (x1, y), rises by height (sinks, if negative) and comes down at (x2, y)."""
        top = y - height * 4 / 3
        direction = 1 if height > 0 else -1
        self._marks.append(
            f'<path class="line {kind}" d="M{_n(x1)} {_n(y)} C{_n(x1)} {_n(top)} {_n(x2)} {_n(top)} {_n(x2)} '
            f'{_n(y - 6 * direction)}"/>'
        )
        self._arrow_head(x2, y, direction * math.pi / 2, kind)

    def _arrow_head(self, x: float, y: float, angle: float, kind: str) -> None:
        corners = [(x, y)]
        for turn in (-0.42, 0.42):
            corners.append((x - 8 * math.cos(angle + turn), y - 8 * math.sin(angle + turn)))
        points = " ".join(f"{_n(a)},{_n(b)}" for a, b in corners)
        self._marks.append(f'<polygon class="head {kind}" points="{points}"/>')

    def row(
        self, x: float, y: float, values: Sequence[object], *, width: float = 48, gap: float = 8,
        kinds: Sequence[str] | None = None,
    ) -> list[float]:  # fmt: skip
        """Boxes side by side; gives the x of their middles."""
        middles = []
        for i, value in enumerate(values):
            left = x + i * (width + gap)
            self.box(left, y, width, 28, value, kinds[i] if kinds else "")
            middles.append(left + width / 2)
        return middles

    def __str__(self) -> str:
        w, h = _n(self.width), _n(self.height)
        marks = "\n".join(self._marks)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img">\n'
            f"<title>{escape(self.title)}</title>\n<desc>{escape(self.description)}</desc>\n<style>{_STYLE}</style>\n"
            f'<rect class="card" x="0.5" y="0.5" width="{_n(self.width - 1)}" height="{_n(self.height - 1)}" rx="8"/>\n'
            f"{marks}\n</svg>\n"
        )

    def write(self, path: Path) -> None:
        """Writes the file, and its folder if there is none."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(str(self), "utf-8")
