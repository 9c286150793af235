"""labs/NN-name/grading/lab.toml: points, limits and hints of a lab, checked against its table of tasks.

number = 3
name = "scan"
title = "Scan"
file = "scan.cu"
hours = [11, 16]       # that the core tasks take, and all of them
reveal = "place"       # the last hint about a proved cause: no more than the screen ("cause"), its place, or the "edit"
[limits]
seconds = 10        # wall-clock time of one call
host_mb = 4096      # memory of the student's process
device_mb = 2048    # device memory
[uses]                          # what a submission may include beyond CUDA's and C++'s own headers
toolbox = ["primitives.h"]      # of common/toolbox, beside the headers for every lab; on one line, for CMake
libraries = ["cub"]             # of the CUDA toolkit's
device_launches = true          # kernels launch kernels
[[task]]
name = "naive"
points = 10
core = true
hints = ["a question", "a nudge", "nearly the answer"]
evidence = { sectors = "at most 1.1 * n / 4" }      # what the timed call's counters must show, see bounds.py
members = { d_points = ["x", "y"] }                 # of arrays whose elements are a class of several numbers
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from autograder.errors import GraderError
from autograder.plan.bounds import BoundError, bounds_of
from autograder.plan.labs import manifest_path

if TYPE_CHECKING:
    from autograder.plan.tables import Shape

HOST_BYTES = 64  # bytes that a call may copy to the host unless its task says otherwise: a few counts
FAR_BEHIND = 0.05  # share of full speed; a slower task misses its point: one thread may be doing all the work

Positive = Annotated[float, msgspec.Meta(gt=0)]


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one call may use."""

    seconds: Positive = 10.0
    host_mb: Positive = 4096.0
    device_mb: Positive = 4096.0


class Uses(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a submission may include, see build/rules.py; what is not named here is not linked either."""

    toolbox: list[Annotated[str, msgspec.Meta(pattern=r"^\w+\.h$")]] = []
    libraries: list[Annotated[str, msgspec.Meta(pattern=r"^\w+$")]] = []
    device_launches: bool = False  # kernels launch kernels: linked with CUDA's device runtime


class Scheduled(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Further calls on the virtual GPU, in schedules that show what few others do."""

    variant: str
    n: int
    seed: int  # of the data
    schedules: list[int]  # the virtual GPU's seeds


class TaskEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One task: what it is worth and what helps."""

    name: str
    points: Annotated[float, msgspec.Meta(ge=0)]
    core: bool = True
    hints: Annotated[list[str], msgspec.Meta(min_length=3, max_length=3)] = msgspec.field(
        default_factory=lambda: ["", "", ""]
    )
    slow_below: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.5  # a performance factor below this is SLOW
    far_behind: Annotated[float, msgspec.Meta(gt=0, le=1)] = FAR_BEHIND  # below, the output is worth less, too
    same_bits: bool = True  # the same input must give the same bits in every schedule
    order_tells: str = ""  # the variant whose bits best show whether this holds; empty: none does
    rounds: bool = True  # false: floats are only moved and compared, so no order can round them in another way
    scheduled: list[Scheduled] = []
    wide: list[Scheduled] = []  # as `scheduled`, on the H200 profile, where programs that fill the GPU have more blocks
    any_order: bool = False  # true: must be right in whatever order blocks start; false: in ascending order
    timed_inputs: Annotated[int, msgspec.Meta(ge=1, le=9)] = 1  # on the virtual GPU: more if the input decides
    gpu_n: Annotated[int, msgspec.Meta(ge=0)] = 0  # the timed size on a GPU, where a call or its oracle takes seconds
    evidence: dict[str, str] = {}  # bounds on counters of the timed call on the virtual GPU, see bounds.py
    timed: bool = True  # false: too small to be timed well; full performance points when right
    host_bytes: Annotated[int, msgspec.Meta(ge=0)] = (
        HOST_BYTES  # bytes that one call may copy to the host; more, or most of its input, is work done there
    )
    members: dict[str, list[str]] = {}  # of arrays whose elements are a class: the names of an element's numbers
    teaches: str = ""  # one sentence, shown on full marks


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of lab.toml."""

    number: Annotated[int, msgspec.Meta(ge=1, le=99)]
    name: str
    title: str
    file: str
    task: Annotated[list[TaskEntry], msgspec.Meta(min_length=1)]
    limits: Limits = msgspec.field(default_factory=Limits)
    uses: Uses = msgspec.field(default_factory=Uses)
    hours: Annotated[list[Positive], msgspec.Meta(max_length=2)] = []  # for the core tasks, for all
    next: str = ""  # what the next lab is about, shown on full marks
    reveal: Literal["cause", "place", "edit"] = "edit"  # how much of a proved cause the last hints tell

    def entry(self, task: str) -> TaskEntry:
        return next(entry for entry in self.task if entry.name == task)


def described(shape: Shape, manifest: Manifest | None, task: str) -> Shape:
    """The arrays of a task's call, with the names of their elements' members."""
    members = manifest.entry(task).members if manifest else {}
    return shape.with_members(members) if members else shape


msgspec.json.Decoder(Manifest)  # prepares the type: two threads that use it first at once would crash


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
    for entry in manifest.task:
        try:
            bounds_of(entry.evidence)
        except BoundError as error:
            raise GraderError(f"{path}: task {entry.name!r}: {error}") from None
    names = [entry.name for entry in manifest.task]
    for name in names:
        if names.count(name) > 1:
            raise GraderError(f"{path}: task {name!r} appears twice")
    return manifest


def compare(manifest: Manifest, tasks: Sequence[str], path: Path) -> None:
    """lab.toml and the lab's table of tasks must name the same tasks in the same order."""
    named = [entry.name for entry in manifest.task]
    if named != list(tasks):
        raise GraderError(f"{path}: the tasks are {', '.join(named)}; the table of tasks has {', '.join(tasks)}")
