"""An instructor's private cases, checked against the lab. Every error names the file, the set and what is allowed."""

from __future__ import annotations

import hashlib
import io
import zipfile
import zlib
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np

from autograder.errors import GraderError, UsageError
from autograder.plan.labs import suggest
from autograder.plan.outside import refuse_inside
from autograder.plan.private_cases import Prepared, PrivateSet, PrivateSets
from autograder.plan.private_file import Cases, PrivateFile, size
from autograder.plan.tables import Array, LabTable, Shape, TaskTable

MOST_INPUT = 1 << 30  # bytes
_SUFFIXES = (".npy", ".npz")
ShapeOf = Callable[[int, str, str, int, int], Shape]  # of lab, task, variant, n and seed


def prepare(file: PrivateFile, table: LabTable, shape_of: ShapeOf) -> Prepared:
    """Raises UsageError for what does not fit the lab."""
    inputs: dict[str, bytes] = {}
    sets = []
    for one in file.cases:
        at = file.at(one)
        tasks = _tasks(one, table, at)
        arrays, sizes = "", [size(value, at) for value in one.sizes]
        if one.file:
            data, sizes = _input(file, one, tasks, shape_of)
            arrays = f"{hashlib.sha256(data).hexdigest()[:24]}.npz"
            inputs[arrays] = data
        _fits(sizes, tasks, at)
        seeds = [int(seed, 16) for seed in one.seeds]
        weight = "" if one.weight is None else f"{one.weight:.12g}"
        sets.append(PrivateSet(one.name, one.tasks, sizes, one.variants, seeds, arrays, weight, one.show))
    _weights(file, table, sets)
    return Prepared(PrivateSets(file.lab, sets), inputs)


def _tasks(one: Cases, table: LabTable, at: str) -> list[TaskTable]:
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


def _weights(file: PrivateFile, table: LabTable, sets: Sequence[PrivateSet]) -> None:
    for task in table.tasks:
        total = sum((Fraction(one.weight or 0) for one in sets if not one.tasks or task.name in one.tasks), Fraction(0))
        if total > 100:
            raise UsageError(f"{file.path}: the weights of {task.name} are {float(total):.12g} % together; at most 100")


def _input(file: PrivateFile, one: Cases, tasks: Sequence[TaskTable], shape_of: ShapeOf) -> tuple[bytes, list[int]]:
    """An input's arrays, in the order of the contract and with its types, and the n that they mean."""
    at = file.at(one)
    given = _read(file.path.parent / one.file, file.root, at)
    n = len(next(iter(given.values())))
    ordered: list[Array] = []
    for task in tasks:
        if n > task.max_n:
            raise UsageError(f"{at}: file: {task.name} takes n from 0 to {task.max_n:,}, not {n:,}")
        for variant in [name for name in task.variants if not one.variants or name in one.variants] or [""]:
            try:
                shape = shape_of(file.lab, task.name, variant, n, 0)
            except GraderError as error:
                raise UsageError(f"{at}: file: {task.name} cannot be called with n = {n:,}: {error}") from None
            ordered = _matching(given, shape, f"{task.name}{f' {variant}' if variant else ''}", n, at)
    data = io.BytesIO()
    np.savez(data, allow_pickle=False, **{f"a{number}": array for number, array in enumerate(ordered)})
    return data.getvalue(), [n]


def _read(path: Path, root: Path, at: str) -> dict[str, Array]:
    if path.suffix not in _SUFFIXES:
        raise UsageError(f"{at}: file: {path.name} must be .npy (one array) or .npz (an array for each input)")
    refuse_inside(path, root, f"{at}: file: {path}")
    try:
        if path.stat().st_size > MOST_INPUT:
            raise UsageError(f"{at}: file: {path} is larger than 1 GB")
        loaded = np.load(path, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            found = {"": loaded}
        else:
            with loaded as file:
                found = {name: file[name] for name in file.files}
    except OSError as error:
        raise UsageError(f"{at}: file: {path}: {error.strerror or error}") from None
    except (ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error) as error:
        raise UsageError(f"{at}: file: {path} is not a file of numpy's: {error}") from None
    if not found or any(not isinstance(one, np.ndarray) or one.ndim != 1 for one in found.values()):
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
