"""What the watching process and its grader say to each other: one JSON object a line."""

from __future__ import annotations

import msgspec

from autograder.build.warnings import CompilerWarning
from autograder.plan.manifest import Manifest
from autograder.report.result import Result, TaskResult


class Order(msgspec.Struct, frozen=True):
    """Build and grade this lab's file."""

    lab: str  # the folder's name
    first: list[str] = []  # unfinished tasks: the one to begin with, and the others
    device: str = ""
    sandbox: bool = True
    look: bool = True  # at small sizes, before all tasks are graded; and keep what has not changed


class Built(msgspec.Struct, frozen=True, tag=True):
    """The file compiles."""

    seconds: float
    warnings: tuple[CompilerWarning, ...] = ()


class NotBuilt(msgspec.Struct, frozen=True, tag=True):
    """The file does not compile: a CompileError."""

    text: str
    where: str
    first: str


class Looked(msgspec.Struct, frozen=True, tag=True):
    """The result of an unfinished task at small sizes."""

    task: TaskResult
    largest: int  # size


class Began(msgspec.Struct, frozen=True, tag=True):
    """These tasks are being graded."""

    tasks: list[str]


class Part(msgspec.Struct, frozen=True, tag=True):
    """How far a task is."""

    task: str
    part: float


class Finished(msgspec.Struct, frozen=True, tag=True):
    """A task has its result."""

    task: TaskResult


class Graded(msgspec.Struct, frozen=True, tag=True):
    """All tasks have their results."""

    result: Result
    manifest: Manifest
    no_gpu: bool
    trouble: str = ""  # why the points so far could not be stored


class Failed(msgspec.Struct, frozen=True, tag=True):
    """The grader failed; `said`: why."""

    said: str


Message = Built | NotBuilt | Looked | Began | Part | Finished | Graded | Failed

order_decoder = msgspec.json.Decoder(Order)
message_decoder: msgspec.json.Decoder[Message] = msgspec.json.Decoder(Message)


def encode(what: Order | Message) -> bytes:
    return msgspec.json.encode(what) + b"\n"
