"""The grading process of ./grader watch: python -m learn.worker ROOT FD. Reads orders, writes messages to FD.

It is a separate process, so that a newer save can end it with all its children, whatever they are doing.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from autograder.build.builder import Builder
from autograder.build.warnings import warnings_of
from autograder.errors import CompileError, GraderError, UsageError
from autograder.failing_calls import keep
from autograder.plan.request import Request
from autograder.report.result import TaskResult
from autograder.session import grade
from learn import messages, state
from learn.messages import Message, Order

LOOK_N = 2_100  # the largest size of the first look: several blocks, and still within a second or two
EVERY = 0.2  # seconds between two messages of how far a task is

Tell = Callable[[Message], None]


def obey(root: Path, order: Order, tell: Tell) -> None:
    """Builds, looks at the task to begin with, grades all."""
    lab = root / "labs" / order.lab
    request = Request(lab, device=order.device, sandbox=order.sandbox)
    try:
        _obey(root, request, order, tell)
    except CompileError as error:
        tell(messages.NotBuilt(error.text, error.where, error.first or str(error)))
    except UsageError as error:
        tell(messages.Failed(str(error)))
    except GraderError as error:
        tell(messages.Failed(f"IE, not your fault: {error}"))
    except Exception as error:  # the next save is graded anyway
        tell(messages.Failed(f"IE, not your fault: {type(error).__name__}: {error}"))


def _obey(root: Path, request: Request, order: Order, tell: Tell) -> None:
    start = time.monotonic()
    builder, number = Builder(root, sandbox=request.sandbox), int(request.folder.name[:2])
    runner = builder.lab(number, False)
    tell(messages.Built(time.monotonic() - start, warnings_of(builder, number, runner, None)))
    seed = int.from_bytes(os.urandom(8), "big")
    first = order.first[0] if order.first else ""
    if order.look and order.first:
        small = replace(request, tasks=order.first, first=first, max_n=LOOK_N, timed=False, seed=seed)
        found, _ = grade(root, small, finished=lambda task: tell(messages.Looked(_light(task), LOOK_N)))
        wrong = [task.name for task in found.tasks if task.verdict not in ("AC", "SKIP")]
        first = first if first in wrong else next(iter(wrong), first)
    progress = _Progress(tell)
    result, manifest = grade(
        root,
        replace(request, seed=seed, first=first),
        progress,
        lambda tasks: tell(messages.Began(list(tasks))),
        lambda task: tell(messages.Finished(_light(task))),
    )
    trouble = state.record(root, request, result)
    keep(root, request, result)
    tell(messages.Graded(result, manifest, result.modelled and not request.device, trouble))


def _light(task: TaskResult) -> TaskResult:
    """A result without counters, which can be megabytes."""
    return msgspec.structs.replace(task, kernels=())


class _Progress:
    """Passes on how far tasks are, not too often."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._told: dict[str, float] = {}

    def __call__(self, task: str, part: float) -> None:
        now = time.monotonic()
        if now - self._told.get(task, 0.0) >= EVERY:
            self._told[task] = now
            self._tell(messages.Part(task, part))


def main(words: Sequence[str]) -> None:
    root, fd = Path(words[0]), int(words[1])
    writing = threading.Lock()

    def tell(message: Message) -> None:
        data = messages.encode(message)
        with writing:
            while data:
                data = data[os.write(fd, data) :]

    for line in sys.stdin.buffer:
        obey(root, messages.order_decoder.decode(line), tell)


if __name__ == "__main__":
    main(sys.argv[1:])
