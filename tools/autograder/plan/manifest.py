"""labs/NN-name/grading/lab.toml: points, limits and hints of a lab, checked against its table of tasks.

number = 3
name = "scan"
title = "Scan"
file = "scan.cu"
[limits]
seconds = 10        # wall-clock time of one call
host_mb = 4096      # memory of the student's process
device_mb = 2048    # device memory
[[task]]
name = "naive"
points = 10
core = true
hints = ["a question", "a nudge", "nearly the answer"]
[[symptom]]
pattern = "last_block_only"     # a name from patterns.py
hint = "how many blocks does your launch start?"
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from autograder.errors import GraderError, UsageError
from autograder.explain.patterns import NAMES as PATTERN_NAMES

Positive = Annotated[float, msgspec.Meta(gt=0)]


class Limits(msgspec.Struct, forbid_unknown_fields=True):
    """What one call may use."""

    seconds: Positive = 10.0
    host_mb: Positive = 4096.0
    device_mb: Positive = 4096.0


class TaskEntry(msgspec.Struct, forbid_unknown_fields=True):
    """One task: what it is worth and what helps."""

    name: str
    points: Annotated[float, msgspec.Meta(ge=0)]
    core: bool = True
    hints: Annotated[list[str], msgspec.Meta(min_length=3, max_length=3)] = msgspec.field(
        default_factory=lambda: ["", "", ""]
    )
    slow_below: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.5  # performance factor below: SLOW
    same_bits: bool = True  # the same input must give the same bits in every schedule
    order_tells: str = ""  # the variant whose bits tell best whether it does; else a sum of floats
    timed_inputs: Annotated[int, msgspec.Meta(ge=1, le=9)] = 1  # on the virtual GPU: more where the input's luck tells
    timed: bool = True  # false: too small to be timed well; full performance points when right
    teaches: str = ""  # one sentence, shown on full marks


class Symptom(msgspec.Struct, forbid_unknown_fields=True):
    """A hint for a pattern of errors, in every task or in those named."""

    pattern: str
    hint: str
    tasks: list[str] = []


class Manifest(msgspec.Struct, forbid_unknown_fields=True):
    """All of lab.toml."""

    number: Annotated[int, msgspec.Meta(ge=1, le=99)]
    name: str
    title: str
    file: str
    task: Annotated[list[TaskEntry], msgspec.Meta(min_length=1)]
    limits: Limits = msgspec.field(default_factory=Limits)
    symptom: list[Symptom] = []
    next: str = ""  # what the next lab is about, shown on full marks

    def entry(self, task: str) -> TaskEntry:
        return next(entry for entry in self.task if entry.name == task)

    def hint_for(self, pattern: str, task: str) -> str:
        """The hint for a symptom; the first that fits wins."""
        for symptom in self.symptom:
            if symptom.pattern == pattern and (not symptom.tasks or task in symptom.tasks):
                return symptom.hint
        return ""


def manifest_path(folder: Path) -> Path:
    """The manifest of the lab in labs/NN-name."""
    return folder / "grading" / "lab.toml"


def load(folder: Path) -> Manifest:
    """Reads a lab's manifest; GraderError names file, place and what is wrong."""
    path = manifest_path(folder)
    try:
        manifest = msgspec.convert(tomllib.loads(path.read_text("utf-8")), Manifest)
    except OSError as error:
        raise GraderError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise GraderError(f"{path}: not UTF-8") from None
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise GraderError(f"{path}: {error}") from None
    names = [entry.name for entry in manifest.task]
    for name in names:
        if names.count(name) > 1:
            raise GraderError(f"{path}: task {name!r} appears twice")
    for symptom in manifest.symptom:
        if symptom.pattern not in PATTERN_NAMES:
            raise GraderError(f"{path}: unknown pattern {symptom.pattern!r}{suggest(symptom.pattern, PATTERN_NAMES)}")
        for task in symptom.tasks:
            if task not in names:
                raise GraderError(f"{path}: a symptom names the task {task!r}{suggest(task, names)}")
    return manifest


def compare(manifest: Manifest, tasks: Sequence[str], path: Path) -> None:
    """lab.toml and the lab's table of tasks must name the same tasks in the same order."""
    named = [entry.name for entry in manifest.task]
    if named != list(tasks):
        raise GraderError(f"{path}: tasks are {', '.join(named)}; the table of tasks has {', '.join(tasks)}")


def suggest(word: str, known: Sequence[str]) -> str:
    """'; did you mean …?' or the list of what there is."""
    close = difflib.get_close_matches(word, list(known), 1)
    return f"; did you mean {close[0]!r}?" if close else f"; there are: {', '.join(known)}"


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
