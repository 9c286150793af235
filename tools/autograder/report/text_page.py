"""Lines of text on the terminal, no wider than it is."""

from __future__ import annotations

from rich.console import Console


class Page:
    """Lines of text on the terminal. What a program made is printed as it is, without markup."""

    def __init__(self, out: Console) -> None:
        self._out = out

    def head(self, text: str) -> None:
        self._out.print()
        self._out.print(f"  {text}", markup=False, style="bold", soft_wrap=False)

    def line(self, text: str = "", indent: int = 4) -> None:
        """A sentence: it is broken at words."""
        width = max(20, self._out.width - indent)
        words, row = text.split(" "), ""
        for word in words:
            if row and len(row) + 1 + len(word) > width:
                self.raw(" " * indent + row)
                row = "  " + word
            else:
                row = f"{row} {word}" if row else word
        self.raw(" " * indent + row)

    def raw(self, text: str) -> None:
        self._out.print(text, markup=False, soft_wrap=True)

    @property
    def width(self) -> int:
        return self._out.width
