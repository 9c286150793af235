"""Lines of text on the terminal, no wider than it is."""

from __future__ import annotations

from rich.console import Console

from autograder.report.fold import INDENT, Line, fold, source_line


class Page:
    """Lines of text on the terminal. What a program made is printed as it is, without markup."""

    def __init__(self, out: Console) -> None:
        self._out = out

    def head(self, text: str) -> None:
        self._out.print()
        fold(self._out, Line(text, style="bold"))

    def line(self, text: str = "", indent: int = 4) -> None:
        """A sentence: it is folded at spaces."""
        fold(self._out, Line(text, " " * indent, indent + 2))

    def source(self, text: str, indent: int) -> None:
        """A numbered source line, folded as well."""
        line = source_line(text)
        more = indent - len(INDENT)  # its marker stands behind `indent` spaces
        fold(self._out, Line(line.text, " " * more + line.lead, line.hang + more))

    def raw(self, text: str) -> None:
        self._out.print(text, markup=False, soft_wrap=True)

    @property
    def width(self) -> int:
        return self._out.width
