"""Private cases of a course: further sizes, variants, seeds and inputs that a lab's tasks are judged by.

They come from the instructor's course file, never from this repository. `./grader class` checks them and writes them as
JSON (course/private.py). They run last, in a separate process, so that nothing that a submission prints or learns there
reaches a result that a student sees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from autograder.errors import GraderError, UsageError
from autograder.plan.cases import LARGE, Case, case, derive, empty_cases
from autograder.plan.tables import Array, TaskTable

Show = Literal["verdict", "size", "all"]


class PrivateSet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Cases that belong together: they pass or fail as one."""

    name: str
    tasks: list[str] = []  # none: all
    sizes: list[int] = []
    variants: list[str] = []  # none: all, large sizes with one of them in turn
    seeds: list[int] = []  # none: one that nobody knows
    arrays: str = ""  # .npz beside the file: the inputs of the one size
    weight: str = ""  # % of the task's points, as written in the file; none: a failure is the task's verdict
    show: Show = "verdict"


class PrivateSets(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All private cases of one lab."""

    lab: int
    sets: list[PrivateSet]


@dataclass(frozen=True)
class Planned:
    """The calls of one set for one task."""

    set: PrivateSet
    cases: tuple[Case, ...]
    seeds: dict[int, int]  # of each case's data: the run's seed, for `--seed`
    inputs: Sequence[Array] | None = None


msgspec.json.Decoder(PrivateSets)


def load_private(path: Path, lab: int) -> PrivateSets:
    try:
        sets = msgspec.json.decode(path.read_bytes(), type=PrivateSets)
    except OSError as error:
        raise UsageError(f"--private {path}: {error.strerror}") from None
    except msgspec.MsgspecError as error:
        raise UsageError(f"--private {path}: {error}; ./grader class --course FILE writes it") from None
    if sets.lab != lab:
        raise UsageError(f"--private {path}: is for lab {sets.lab}, not for lab {lab}")
    return sets


def plan_private(sets: Sequence[PrivateSet], folder: Path, table: TaskTable, master: int) -> list[Planned]:
    """The sets that concern a task, with their calls: in the order of the file, the smallest size first."""
    found = []
    for one in sets:
        if one.tasks and table.name not in one.tasks:
            continue
        variants = [name for name in table.variants if not one.variants or name in one.variants] or [""]
        if one.variants and variants == [""]:
            continue  # this task has none of the set's variants
        seeds = {}
        cases: list[Case] = []
        turn = derive(master, "private", one.name, table.name, "turn")
        for seed in one.seeds or [derive(master, "private", one.name)]:
            for n in sorted(set(one.sizes)):
                for variant in _variants(one, variants, n, turn):
                    calls = empty_cases(seed, table.name, variant) if n == 0 else [case(seed, table.name, variant, n)]
                    seeds.update({call.seed: seed for call in calls})
                    cases += calls
                turn += n >= LARGE
        inputs = _arrays(folder / one.arrays) if one.arrays else None
        found.append(Planned(one, tuple(cases), seeds, inputs))
    return found


def _variants(one: PrivateSet, variants: Sequence[str], n: int, turn: int) -> Sequence[str]:
    return variants if one.variants or n < LARGE else [variants[turn % len(variants)]]


def _arrays(path: Path) -> list[Array]:
    try:
        with np.load(path, allow_pickle=False) as file:
            return [file[name] for name in file.files]
    except (OSError, ValueError, KeyError) as error:
        raise GraderError(f"the private input {path.name} cannot be read: {error}") from None
