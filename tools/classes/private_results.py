"""Private cases beside the results: what the grading process reads, and what the instructor does."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from pathlib import Path

from autograder.build.builder import Builder
from autograder.files import write_whole
from autograder.judge.oracles import Oracles
from autograder.plan.private_cases import SETS, Prepared
from autograder.plan.private_checks import prepare
from autograder.plan.private_file import PrivateFile
from classes.store import Grading, Store
from classes.student_results import Row
from classes.tables import csv_text

FOLDER = "private"
_FAILED = "failed.csv"
_OURS = re.compile(r"[0-9a-f]{24}\.npz|" + re.escape(SETS))
_FACT = "private"
_SHOWN = ("name", "verdict", "right", "total", "weight", "n", "variant", "where", "reason", "again")


def checked(root: Path, file: PrivateFile) -> Prepared:
    """Checked against the lab's own table of tasks, which is built if need be."""
    builder = Builder(root)
    builder.target(f"oracle{file.lab}")
    oracles = Oracles(builder.build)
    return prepare(file, oracles.lab(file.lab), oracles.shape)


def keep(store: Store, made: Prepared) -> None:
    """Replaces the private cases of an earlier run; what was graded with other cases is graded again."""
    folder = store.folder / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    for path in folder.iterdir():
        if _OURS.fullmatch(path.name) and path.name not in made.files:
            path.unlink()
    for name, data in made.files.items():
        if not (folder / name).is_file() or (folder / name).read_bytes() != data:
            write_whole(folder / name, data)
            (folder / name).chmod(0o600)
    store.set_fact(_FACT, made.digest)
    if not made.files:
        (folder / _FAILED).unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # files of the instructor's own stay
            folder.rmdir()


def words(store: Store) -> list[str]:
    """The arguments by which ./grader finds them."""
    return ["--private", str((store.folder / FOLDER / SETS).resolve())] if digest(store) else []


def digest(store: Store) -> str:
    return store.fact(_FACT, "")


def version(store: Store, lab_version: str) -> str:
    """The version of everything that decides points: the lab's own and that of the private cases."""
    return "+".join(part for part in (lab_version, digest(store)) if part)


def of_version(lab: str) -> str:
    """The part of a grade's version that the private cases contribute."""
    return lab.partition("+")[2]


def failures(store: Store, rows: Sequence[Row]) -> str:
    """Who failed which of them, with everything: results/private/failed.csv."""
    lines: list[list[object]] = [["person", "task", *_SHOWN]]
    for row in rows:
        for task, sets in (store.private(row.grading) if row.grading else {}).items():
            for one in sets:
                again = _again(store, row, one["again"])
                if one["verdict"] != "AC":
                    lines.append([row.key, task, *((one | {"again": again})[name] for name in _SHOWN)])
    return csv_text(lines)


def failed(store: Store, grading: Grading | None) -> dict[str, str]:
    """By task, the first verdict of the private cases that is not AC."""
    found = {task: [one["verdict"] for one in sets if one["verdict"] != "AC"]
             for task, sets in (store.private(grading) if grading else {}).items()}  # fmt: skip
    return {task: verdicts[0] for task, verdicts in found.items() if verdicts}


def _again(store: Store, row: Row, command: str) -> str:
    """The command with the file's path in place of the name that a student may read."""
    return re.sub(
        r"--file (\S+)", lambda found: f"--file {store.source(row.submission.digest, found[1])}", command, count=1
    )


def write_failures(store: Store, rows: Sequence[Row]) -> None:
    if digest(store):
        write_whole(store.folder / FOLDER / _FAILED, failures(store, rows).encode())


def inherit(store: Store, other: Store) -> None:
    """Another folder of results gets the same private cases."""
    if not (found := digest(store)):
        return
    folder = other.folder / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    for path in (store.folder / FOLDER).iterdir():
        if _OURS.fullmatch(path.name):
            write_whole(folder / path.name, path.read_bytes())
            (folder / path.name).chmod(0o600)
    other.set_fact(_FACT, found)
