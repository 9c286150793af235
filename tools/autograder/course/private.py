"""The private cases of a course file, checked against the lab, as the file that the grading process reads."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import msgspec
import numpy as np

from autograder.course.course import Course
from autograder.course.model import LabEntry, Private
from autograder.course.values import plain, size
from autograder.errors import GraderError, UsageError
from autograder.plan.labs import suggest
from autograder.plan.private import PrivateSet, PrivateSets
from autograder.plan.tables import Array, LabTable, Shape, TaskTable

MOST_INPUT = 1 << 30  # bytes
_SUFFIXES = (".npy", ".npz")
ShapeOf = Callable[[str, str, int], Shape]  # of task, variant, n


@dataclass(frozen=True)
class Prepared:
    """The files for the grading process, by name. `digest` changes with anything that decides a grade."""

    files: dict[str, bytes]
    digest: str


def prepare(course: Course, lab: LabEntry, table: LabTable, shape_of: ShapeOf) -> Prepared | None:
    """None if the lab has no private cases. Raises UsageError for what does not fit the lab."""
    if not lab.private:
        return None
    files: dict[str, bytes] = {}
    sets = []
    for one in lab.private:
        at = f"{course.path}: [[lab]] {lab.lab}: private {one.name!r}"
        tasks = _tasks(one, table, at)
        arrays, sizes = "", [size(value) for value in one.sizes]
        if one.file:
            data, sizes = _input(course.beside(one.file), one, tasks, shape_of, at)
            arrays = f"{hashlib.sha256(data).hexdigest()[:24]}.npz"
            files[arrays] = data
        _fits(sizes, tasks, at)
        seeds = [int(seed, 16) for seed in one.seeds]
        weight = "" if one.weight is None else plain(one.weight, 12)
        sets.append(PrivateSet(one.name, one.tasks, sizes, one.variants, seeds, arrays, weight, one.show))
    _weights(course, lab, table, sets)
    text = msgspec.json.format(msgspec.json.encode(PrivateSets(lab.lab, sets)), indent=2)
    files["sets.json"] = text
    return Prepared(files, hashlib.sha256(text).hexdigest()[:12])


def _tasks(one: Private, table: LabTable, at: str) -> list[TaskTable]:
    """The tasks that a set concerns; each variant must belong to one of them."""
    names = [task.name for task in table.tasks]
    for name in one.tasks:
        if name not in names:
            raise UsageError(f"{at}: tasks: lab {table.number} has no task {name!r}{suggest(name, names)}")
    tasks = [task for task in table.tasks if not one.tasks or task.name in one.tasks]
    known = sorted({variant for task in tasks for variant in task.variants})
    for variant in one.variants:
        if variant not in known:
            what = suggest(variant, known) if known else ": these tasks have no variants"
            raise UsageError(f"{at}: variants: no variant {variant!r}{what}")
    if one.variants:
        tasks = [task for task in tasks if set(one.variants) & set(task.variants)]
        left = [name for name in one.tasks if name not in [task.name for task in tasks]]
        if left:
            raise UsageError(f"{at}: tasks: {left[0]!r} has none of the variants {', '.join(one.variants)}")
    return tasks


def _fits(sizes: Sequence[int], tasks: Sequence[TaskTable], at: str) -> None:
    least = min(tasks, key=lambda task: task.max_n)
    if max(sizes) > least.max_n:
        raise UsageError(f"{at}: sizes: {least.name} takes n from 0 to {least.max_n:,}, not {max(sizes):,}")


def _weights(course: Course, lab: LabEntry, table: LabTable, sets: Sequence[PrivateSet]) -> None:
    for task in table.tasks:
        total = sum((Fraction(one.weight or 0) for one in sets if not one.tasks or task.name in one.tasks), Fraction(0))
        if total > 100:
            raise UsageError(
                f"{course.path}: [[lab]] {lab.lab}: private: the weights of {task.name} are {plain(total)} % together; "
                "at most 100"
            )


def _input(path: Path, one: Private, tasks: Sequence[TaskTable], shape_of: ShapeOf, at: str) -> tuple[bytes, list[int]]:
    """A file's arrays, in the order of the contract and with its types, and the n that they mean."""
    given = _read(path, at)
    n = len(next(iter(given.values())))
    ordered: list[Array] = []
    for task in tasks:
        if n > task.max_n:
            raise UsageError(f"{at}: file: {task.name} takes n from 0 to {task.max_n:,}, not {n:,}")
        for variant in [name for name in task.variants if not one.variants or name in one.variants] or [""]:
            try:
                shape = shape_of(task.name, variant, n)
            except GraderError as error:
                raise UsageError(f"{at}: file: {task.name} cannot be called with n = {n:,}: {error}") from None
            ordered = _matching(given, shape, f"{task.name}{f' {variant}' if variant else ''}", n, at)
    data = io.BytesIO()
    np.savez(data, allow_pickle=False, **{f"a{number}": array for number, array in enumerate(ordered)})
    return data.getvalue(), [n]


def _read(path: Path, at: str) -> dict[str, Array]:
    if path.suffix not in _SUFFIXES:
        raise UsageError(f"{at}: file: {path.name} must be .npy (one array) or .npz (an array for each input)")
    try:
        if path.stat().st_size > MOST_INPUT:
            raise UsageError(f"{at}: file: {path} is larger than 1 GB")
        if path.suffix == ".npy":
            found = {"": np.load(path, allow_pickle=False)}
        else:
            with np.load(path, allow_pickle=False) as file:
                found = {name: file[name] for name in file.files}
    except OSError as error:
        raise UsageError(f"{at}: file: {path}: {error.strerror or error}") from None
    except (ValueError, EOFError, KeyError) as error:
        raise UsageError(f"{at}: file: {path} is not a file of numpy's: {error}") from None
    if not found or any(array.ndim != 1 for array in found.values()):
        raise UsageError(f"{at}: file: {path} must hold arrays with one dimension")
    return found


def _matching(given: dict[str, Array], shape: Shape, task: str, n: int, at: str) -> list[Array]:
    names = [spec.name for spec in shape.inputs]
    if set(given) == {""} and len(names) == 1:
        given = {names[0]: given[""]}
    wanted = ", ".join(f"{spec.name}: {spec.count:,} {spec.dtype}" for spec in shape.inputs)
    has = ", ".join(f"{name or 'one array'}: {array.size:,} {array.dtype}" for name, array in given.items())
    fits = set(given) == set(names) and all(
        given[spec.name].size == spec.count and given[spec.name].dtype == np.dtype(spec.dtype) for spec in shape.inputs
    )
    if not fits:
        raise UsageError(f"{at}: file: holds {has}; {task} takes, for n = {n:,}, {wanted}")
    return [np.ascontiguousarray(given[name]) for name in names]
