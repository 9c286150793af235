"""What a lab's C++ says of its tasks: the table of tasks, and the arrays of a call."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.generic]


class TaskTable(msgspec.Struct, frozen=True):
    """One task, as the lab's C++ defines it."""

    name: str
    max_n: int
    sizes: list[int]
    timed_n: int
    idea: str = ""
    variants: list[str] = []


class LabTable(msgspec.Struct, frozen=True):
    """One lab, as its C++ defines it."""

    number: int
    name: str
    title: str
    tasks: list[TaskTable]

    def task(self, name: str) -> TaskTable:
        return next(task for task in self.tasks if task.name == name)


class ArraySpec(msgspec.Struct, frozen=True):
    """One array that a task takes or gives."""

    name: str
    dtype: str
    count: int
    shift: int = 0
    on_host: bool = False
    columns: int = 0  # of a matrix or an image, row by row; 0: the array is neither
    members: list[str] = []  # of an element that is a class: its numbers, in order; from lab.toml

    @property
    def bytes(self) -> int:
        return int(np.dtype(self.dtype).itemsize) * self.count


class Shape(msgspec.Struct, frozen=True):
    """The arrays of one call, and the bytes that must move through device memory at least."""

    inputs: list[ArraySpec]
    outputs: list[ArraySpec]
    bytes: float = 0.0
    scalars: dict[str, int] = {}  # further arguments of the task, besides n
    text: str = ""  # the input in words, if the lab has any

    def with_members(self, members: Mapping[str, list[str]]) -> Shape:
        """The same arrays, with what their elements consist of."""
        described = (
            [msgspec.structs.replace(spec, members=members.get(spec.name, [])) for spec in specs]
            for specs in (self.inputs, self.outputs)
        )
        return msgspec.structs.replace(self, **dict(zip(("inputs", "outputs"), described, strict=True)))
