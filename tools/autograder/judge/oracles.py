"""liboracle3.so and its like: a lab's table of tasks, inputs from a seed, and the checks. Trusted, host C++."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from autograder.errors import GraderError
from autograder.plan.tables import Array, LabTable, Shape

T = TypeVar("T")


class OutputCheck(msgspec.Struct, frozen=True):
    wrong: int
    first: int = -1
    count: int = -1  # elements that mean something, -1: all


class CheckReply(msgspec.Struct, frozen=True):
    ok: bool
    outputs: list[OutputCheck]
    worst_error: float | None = None
    tolerance_there: float | None = None


@dataclass(frozen=True, repr=False)
class Checked:
    """The verdict of the oracle on one call, with the evidence."""

    ok: bool
    expected: list[Array]  # if it is not ok
    wrong: list[npt.NDArray[np.bool_]]
    counts: list[int]  # elements of each output that mean something
    worst_error: float | None = None
    tolerance: float | None = None


class _Error(msgspec.Struct, frozen=True):
    error: str = ""


# Msgspec prepares a type at its first use. If two threads use it first at once, the process crashes.
for _type in (CheckReply, Shape, _Error):
    msgspec.json.Decoder(_type)


class Oracles:
    """Calls into the libraries of a build, loaded when they are needed; safe to use from several threads."""

    def __init__(self, build: Path, scalars: Mapping[str, int] | None = None) -> None:
        """`scalars`: those that the seed does not choose, in every call."""
        self._build = build
        self._scalars = msgspec.json.encode(scalars) if scalars else None
        self._loaded: dict[int, ctypes.CDLL] = {}

    def _library(self, lab: int) -> ctypes.CDLL:
        if lab not in self._loaded:
            try:
                library = ctypes.CDLL(str(self._build / f"liboracle{lab}.so"))
                for name in ("lab", "shape", "generate", "check"):
                    getattr(library, f"oracle_{name}").restype = ctypes.c_char_p
            except (OSError, AttributeError) as error:
                raise GraderError(f"the oracle of lab {lab} cannot be loaded: {error}") from None
            self._loaded[lab] = library
        return self._loaded[lab]

    @property
    def labs(self) -> list[LabTable]:
        """The tables of all labs that are built."""
        names = (re.fullmatch(r"liboracle(\d+)\.so", path.name) for path in self._build.glob("liboracle[0-9]*.so"))
        return [self.lab(number) for number in sorted(int(name[1]) for name in names if name)]

    def lab(self, number: int) -> LabTable:
        return self._decode(self._library(number).oracle_lab(), LabTable)

    def max_n(self, lab: int, task: str) -> int:
        """The largest n that a task takes."""
        return self.lab(lab).task(task).max_n

    def shape(self, lab: int, task: str, variant: str, n: int, seed: int) -> Shape:
        return self._decode(self._library(lab).oracle_shape(*self._instance(task, variant, n, seed)), Shape)

    def generate(self, lab: int, task: str, variant: str, n: int, seed: int, shape: Shape) -> list[Array]:
        """Fresh inputs for one call."""
        inputs: list[Array] = [np.zeros(spec.count, spec.dtype) for spec in shape.inputs]
        instance = self._instance(task, variant, n, seed)
        self._decode(self._library(lab).oracle_generate(*instance, _pointers(inputs)), dict[str, Any])
        return inputs

    def check(
        self,
        lab: int,
        task: str,
        variant: str,
        n: int,
        seed: int,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        poison: int = -1,
    ) -> Checked:
        """Compares outputs (the grader's own copy) with what they must be.

        `poison`: the byte that filled them before the call; -1: not known.
        """
        expected: list[Array] = [np.zeros_like(output) for output in outputs]
        wrong = [np.zeros(output.size, np.uint8) for output in outputs]
        instance = self._instance(task, variant, n, seed)
        answer = self._library(lab).oracle_check(
            *instance,
            _pointers(inputs),
            _pointers(outputs),
            ctypes.c_int(poison),
            _pointers(expected),
            _pointers(wrong),
        )
        reply = self._decode(answer, CheckReply)
        masks = [mask.view(np.bool_) for mask in wrong]
        if reply.ok == any(bool(mask.any()) for mask in masks):
            raise GraderError(f"the oracle of {task} contradicts itself at n = {n}")
        counts = [output.size if c.count < 0 else c.count for c, output in zip(reply.outputs, outputs, strict=True)]
        return Checked(reply.ok, expected, masks, counts, reply.worst_error, reply.tolerance_there)

    def _instance(self, task: str, variant: str, n: int, seed: int) -> tuple[Any, ...]:
        """A call, with the scalars that the seed does not choose."""
        c_n, c_seed = ctypes.c_int64(n), ctypes.c_uint64(seed)
        return (task.encode(), variant.encode(), c_n, c_seed, self._scalars)

    @staticmethod
    def _decode(text: bytes | None, kind: type[T]) -> T:
        if text is None:
            raise GraderError("an oracle gave no answer")
        try:
            if text.startswith(b'{"error"'):
                raise GraderError(f"an oracle says: {msgspec.json.decode(text, type=_Error).error}")
            return msgspec.json.decode(text, type=kind)
        except msgspec.MsgspecError as error:
            raise GraderError(f"an oracle's answer cannot be read: {error}") from None


def _pointers(arrays: Sequence[Array]) -> Any:
    return (ctypes.c_void_p * max(1, len(arrays)))(*(array.ctypes.data for array in arrays))
