"""python -m figures [NAME]...: draws the pictures of the handouts and of the documents, all or those of these modules.

A module's FIGURES are its functions by the folder of their pictures. A picture has its function's name.
figures.readme is apart: it runs the grader.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
APART = ("__init__", "__main__", "readme", "svg")


def pictures(names: Sequence[str] = ()) -> Iterator[tuple[Path, str]]:
    """The path and the text of each picture."""
    for name in names or sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem not in APART):
        for folder, figures in importlib.import_module(f"figures.{name}").FIGURES.items():
            for figure in figures:
                yield ROOT / folder / f"{figure.__name__.rstrip('_')}.svg", str(figure())


if __name__ == "__main__":
    for path, text in pictures(sys.argv[1:]):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
