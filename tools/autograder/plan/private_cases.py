"""Private cases of an instructor: further sizes, variants, seeds and inputs that a lab's tasks are judged by.

They come from a file of the instructor's (private_file.py), never from this repository. They run last, in a separate
process, so that nothing that a submission prints or learns there reaches a result that a student sees.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from autograder.errors import GraderError, UsageError
from autograder.plan.cases import LARGE, Case, case, derive, empty_cases
from autograder.plan.tables import Array, TaskTable

SETS = "sets.json"  # beside the inputs: the sets as a class keeps them and the grading process reads them
Show = Literal["verdict", "size", "all"]


class PrivateSet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Cases that belong together: they pass or fail as one."""

    name: str
    tasks: list[str] = []  # none: all
    sizes: list[int] = []
    variants: list[str] = []  # none: all, large sizes with one of them in turn
    seeds: list[int] = []  # none: one that nobody knows
    arrays: str = ""  # a name: the .npz with the inputs of the one size
    weight: str = ""  # % of the task's points, as written in the file; none: a failure is the task's verdict
    show: Show = "verdict"


class PrivateSets(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All private cases of one lab."""

    lab: int
    sets: list[PrivateSet]


@dataclass(frozen=True)
class Prepared:
    """Private cases that fit their lab, with their inputs by name."""

    sets: PrivateSets
    inputs: Mapping[str, bytes]

    @cached_property
    def files(self) -> dict[str, bytes]:
        """What a class keeps for the grading process; nothing if there are no cases."""
        if not self.sets.sets:
            return {}
        return {**self.inputs, SETS: msgspec.json.format(msgspec.json.encode(self.sets), indent=2)}

    @property
    def digest(self) -> str:
        """Changes with anything that decides a grade; "": no cases. Inputs are named after their contents."""
        return hashlib.sha256(self.files[SETS]).hexdigest()[:12] if self.files else ""


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
        raise UsageError(f"--private {path}: {error}; ./grader class --private FILE writes it") from None
    if sets.lab != lab:
        raise UsageError(f"--private {path}: is for lab {sets.lab}, not for lab {lab}")
    return sets


def plan_private(
    sets: Sequence[PrivateSet], read: Callable[[str], bytes], table: TaskTable, master: int
) -> list[Planned]:
    """The sets that concern a task, with their calls: in the order of the file, the smallest size first.

    `read`: the contents of an input, by its name.
    """
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
        inputs = _arrays(one.arrays, read) if one.arrays else None
        found.append(Planned(one, tuple(cases), seeds, inputs))
    return found


def _variants(one: PrivateSet, variants: Sequence[str], n: int, turn: int) -> Sequence[str]:
    return variants if one.variants or n < LARGE else [variants[turn % len(variants)]]


def _arrays(name: str, read: Callable[[str], bytes]) -> list[Array]:
    try:
        with np.load(io.BytesIO(read(name)), allow_pickle=False) as file:
            return [file[array] for array in file.files]
    except (OSError, ValueError, KeyError) as error:
        raise GraderError(f"the private input {name} cannot be read: {error}") from None
