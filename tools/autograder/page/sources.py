"""The text of source files that a page may show.

`#line` can make the compiler report any file. So only the graded file and the files of this repository that every
student may read are looked up, and files of a solution only if the solution was graded.
"""

from __future__ import annotations

from pathlib import Path, PurePath

from autograder.source import lines_of, same, text_of


class Sources:
    """`own`: the graded file, if it is there to be read; `open_`: folders whose files may be shown."""

    def __init__(self, name: str, own: Path | None, open_: tuple[Path, ...] = ()) -> None:
        self._name = PurePath(name).name
        self._own = lines_of(text_of(own)) if own is not None and own.is_file() else []
        self._open = tuple(folder.resolve() for folder in open_)
        self._known: dict[str, list[str]] = {}
        self.stale = False  # the graded file has changed

    @property
    def name(self) -> str:
        return self._name

    def is_own(self, file: str) -> bool:
        return PurePath(file).name == self._name

    def lines(self, file: str, known: dict[int, str]) -> list[str]:
        """All lines of a file; [] if it may not be shown or has changed. `known`: lines as they were when graded."""
        if file not in self._known:
            self._known[file] = self._own if self.is_own(file) else self._of_repository(file)
        found = self._known[file]
        if any(not same(found, number, text) for number, text in known.items() if text):
            self.stale = self.stale or (self.is_own(file) and bool(found))
            return []
        return found

    def _of_repository(self, file: str) -> list[str]:
        path = Path(file)
        if path.suffix not in (".cu", ".h", ".cuh", ".hpp") or not path.is_absolute():
            return []
        real = path.resolve()
        return lines_of(text_of(real)) if any(real.is_relative_to(folder) for folder in self._open) else []


def of_lab(root: Path, folder: str, solution: bool) -> tuple[Path, ...]:
    """What students may read, and, of a graded solution, the solution."""
    shown = (root / "labs" / folder, root / "common" / "toolbox")
    return (*shown, root / "solutions" / folder) if solution else shown
