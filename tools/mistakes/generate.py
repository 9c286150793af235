"""build/mistakes/NN-name/TASK/NAME/: a mistake as files that compile, the edited task and the solution's headers.

A file is written only if its content changes: what was built from it stays valid. `.made` holds hashes of what the
files were made from and of the files, so that a change by hand is seen and not lost.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from autograder.errors import UsageError
from mistakes.catalog import Mistake
from mistakes.edit import Misfit, apply, parse

MADE = ".made"
HEADERS = (".cuh", ".h")


def folder_of(mistake: Mistake) -> Path:
    return mistake.lab.parents[1] / "build" / "mistakes" / mistake.title


def with_headers(source: Path, solution: Path) -> dict[str, str]:
    """Name and text of a file and of the solution's headers."""
    return {source.name: source.read_text("utf-8")} | headers_of(solution)


def headers_of(solution: Path) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in sorted(solution.iterdir()) if path.suffix in HEADERS}


def originals(mistake: Mistake) -> dict[str, str]:
    """The file that is edited, and what it may include."""
    try:
        return with_headers(mistake.source, mistake.solution)
    except OSError as error:
        raise mistake.error(f"{error.filename}: {error.strerror}") from None


def edited(mistake: Mistake) -> tuple[dict[str, str], list[Misfit]]:
    """The files with all hunks that fit, and those that do not."""
    texts = originals(mistake)
    if mistake.entry.file:
        return texts, []
    try:
        return apply(texts, parse(mistake.entry.edit, mistake.source.name))
    except UsageError as error:
        raise mistake.error(error) from None


def texts(mistake: Mistake) -> dict[str, str]:
    """The files of the mistake. MistakeError: the edit does not fit exactly once."""
    made, misfits = edited(mistake)
    if misfits:
        raise mistake.error("\n  ".join([*map(str, misfits), f"renew it: {mistake.command} --renew"]))
    if not mistake.entry.file and made == originals(mistake):
        raise mistake.error("the edit changes nothing")
    return made


def generate(mistake: Mistake) -> Path:
    """Writes the files; returns the .cu."""
    made = texts(mistake)
    folder = folder_of(mistake)
    if changed_by_hand(mistake):
        raise mistake.error(
            f"{folder} was changed by hand\n  take it over: {mistake.command} --renew\n  or forget it: rm -r {folder}"
        )
    write(mistake, made)
    return folder / mistake.source.name


def write(mistake: Mistake, made: dict[str, str]) -> None:
    folder = folder_of(mistake)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in {**made, MADE: f"{fingerprint(originals(mistake))} {fingerprint(made)}\n"}.items():
        path = folder / name
        if not path.is_file() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
    for path in folder.iterdir():
        if path.name != MADE and path.name not in made:
            path.unlink()


def written(mistake: Mistake) -> dict[str, str]:
    """The files as they are in build/; none if they were never generated."""
    paths = [path for path in sorted(folder_of(mistake).glob("*")) if path.name != MADE]
    return {path.name: path.read_text("utf-8") for path in paths}


def changed_by_hand(mistake: Mistake) -> bool:
    stamp, there = _stamp(mistake), written(mistake)
    return bool(there) and stamp[1] != fingerprint(there)


def made_from_today(mistake: Mistake) -> bool:
    """Whether the generated files come from the solution as it is now."""
    return _stamp(mistake)[0] == fingerprint(originals(mistake))


def _stamp(mistake: Mistake) -> tuple[str, str]:
    try:
        of, made = (folder_of(mistake) / MADE).read_text("utf-8").split()
    except (OSError, ValueError):
        return "", ""
    return of, made


def fingerprint(files: dict[str, str]) -> str:
    return hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:16]
