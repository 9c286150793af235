"""The places of a new lab that its author has not filled in yet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MARK = "FILL IN"
# All that new-lab writes.
WHERE = (
    "labs", "solutions", "tests/submissions", "course", "tools/figures", "docs", "README.md", "CMakeLists.txt",
)  # fmt: skip
ABOUT = "docs/adding-a-lab.md"  # speaks of marks


@dataclass(frozen=True)
class Mark:
    """A line that is to be filled in."""

    path: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"


def marks(root: Path) -> Iterator[Mark]:
    """All that are left, file by file."""
    for top in WHERE:
        paths = [root / top] if (root / top).is_file() else sorted((root / top).rglob("*"))
        for path in paths:
            name = path.relative_to(root).as_posix()
            if name == ABOUT or "__pycache__" in path.parts or not path.is_file():
                continue
            for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
                if MARK in line:
                    yield Mark(name, number, line.strip())
