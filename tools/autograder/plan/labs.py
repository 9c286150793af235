"""The labs of this tree and their files. Standard library only: `make` uses it before anything is installed."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from pathlib import Path

from autograder.errors import UsageError


def manifest_path(folder: Path) -> Path:
    """The manifest of the lab in labs/NN-name."""
    return folder / "grading" / "lab.toml"


def skeleton_of(lab: Path) -> Path:
    """The copy of the file as it is handed out, under a name that nothing builds or formats."""
    return lab / "grading" / "skeleton.cu.txt"


def file_of(root: Path, lab: str, solution: bool = False) -> Path:
    """The one file that is edited in labs/LAB, or the solution's of that name."""
    return root / ("solutions" if solution else "labs") / lab / f"{lab[3:]}.cu"


def has_solution(root: Path, lab: str) -> bool:
    """Whether the solution's source is here: an archive of `make release` has it compiled only."""
    return any((root / "solutions" / lab).glob("*.cu"))


def compiled_only(root: Path, lab: str) -> bool:
    """Whether this is such an archive."""
    return (root / "solutions" / lab / "reference").is_dir() and not has_solution(root, lab)


def need_solution(root: Path, lab: str, what: str) -> None:
    """UsageError where the solution's source is not here; `what` would show it."""
    if not has_solution(root, lab):
        raise UsageError(f"{what}: this archive has no solutions, only what make needs of them to compare times")


def suggest(word: str, known: Sequence[str]) -> str:
    """'; did you mean …?' or the list of what there is."""
    close = difflib.get_close_matches(word, list(known), 1)
    return f"; did you mean {close[0]!r}?" if close else f"; choose from: {', '.join(known)}"


def folders(root: Path) -> dict[int, Path]:
    """The labs of this tree by number."""
    found = {}
    for path in sorted((root / "labs").glob("[0-9][0-9]-*")):
        if manifest_path(path).is_file():
            found[int(path.name[:2])] = path
    return found


def find(root: Path, lab: str) -> Path:
    """The folder of a lab given as 3, lab3, scan or 03-scan."""
    labs = folders(root)
    number = re.fullmatch(r"(?:lab|solution)?0*(\d+)", lab)
    for at, path in labs.items():
        if (number and int(number[1]) == at) or lab in (path.name, path.name[3:]):
            return path
    names = ", ".join(f"{at} ({path.name[3:]})" for at, path in labs.items()) or "none yet"
    raise UsageError(f"there is no lab {lab!r}; labs: {names}")
