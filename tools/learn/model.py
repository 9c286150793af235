"""What ./grader watch knows: the lab, what the last gradings found, what is going on."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from autograder.build.warnings import CompilerWarning
from autograder.errors import CompileError
from autograder.plan.manifest import Manifest
from autograder.report.result import TaskResult
from autograder.verdict import Verdict
from learn import messages
from learn.messages import Graded, Message
from learn.state import LabState, next_name


@dataclass
class Model:
    """What is known about one lab."""

    root: Path
    folder: Path
    manifest: Manifest
    before: LabState
    phase: str = "starting"  # building, looking, grading, idle, missing
    focus: str = ""  # the task that is explained, and graded first
    tasks: dict[str, TaskResult] = field(default_factory=dict)  # the newest result of each
    fresh: set[str] = field(default_factory=set)  # graded since the last save
    parts: dict[str, float] = field(default_factory=dict)
    looked: dict[str, int] = field(default_factory=dict)  # since the last save only looked at, up to this size
    not_built: CompileError | None = None
    warnings: tuple[CompilerWarning, ...] = ()  # of the last build
    failed: str = ""
    graded: Graded | None = None
    built_seconds: float = 0.0
    saved_at: float = 0.0
    first_seconds: float | None = None  # from save to first result
    all_seconds: float | None = None
    _verdicts: dict[str, Verdict] = field(default_factory=dict)  # before the last save

    def __post_init__(self) -> None:
        self.focus = next_name(self.manifest, self.before) or self.names[0]

    @property
    def names(self) -> list[str]:
        return [entry.name for entry in self.manifest.task]

    @property
    def file(self) -> Path:
        return self.folder / self.manifest.file

    @property
    def number(self) -> int:
        return self.manifest.number

    def done(self, name: str) -> bool:
        """Whether there is nothing more to gain."""
        task = self.tasks.get(name)
        if task is not None:
            return task.verdict == "AC" and task.points == task.of
        known = self.before.task.get(name)
        return known is not None and known.verdict == "AC" and known.points == self.manifest.entry(name).points

    def outdated(self, name: str) -> bool:
        """Whether the newest result of the task belongs to an older file."""
        known = name in self.fresh or name in self.looked
        return not known and bool(self.phase != "idle" or self.not_built or self.failed)

    def points(self) -> float:
        """The points so far: what was only looked at has those of the run before."""
        total = 0.0
        for name in self.names:
            task, before = self.tasks.get(name), self.before.task.get(name)
            if task is not None and name not in self.looked:
                total += task.points
            elif before is not None:
                total += before.points
        return round(total, 1)

    def full_marks(self) -> bool:
        return self.graded is not None and self.graded.result.full_marks and self.phase == "idle"

    def saved(self, there: bool) -> None:
        """The file has changed, so earlier findings no longer hold."""
        self.fresh, self.parts, self.looked = set(), {}, {}
        self._verdicts = {name: task.verdict for name, task in self.tasks.items()}
        self.failed, self.first_seconds, self.all_seconds = "", None, None
        self.warnings = ()
        self.saved_at = time.monotonic()
        self.phase = "building" if there else "missing"

    def to_look_at(self) -> list[str]:
        """The task to begin with, then the other unfinished ones, because it may not be the one that is worked on."""
        order = [self.focus, *(name for name in self.names if name != self.focus)]
        return [name for name in order if not self.done(name)]

    def go_on(self) -> str:
        """The focus moves to the next task that is not done; returns it, or "" if there is none."""
        at = self.names.index(self.focus)
        order = [*self.names[at + 1 :], *self.names[:at]]
        found = next((name for name in order if not self.done(name)), "")
        self.focus = found or self.focus
        return found

    def hear(self, message: Message) -> None:
        match message:
            case messages.Built(seconds, warnings):
                self.built_seconds, self.not_built, self.phase = seconds, None, "looking"
                self.warnings = warnings
            case messages.NotBuilt(text, where, first):
                self.not_built, self.phase = CompileError(text, where, first), "idle"
                self._first()
            case messages.Looked(task, largest):
                self._looked(task, largest)
            case messages.Began():
                self.phase = "grading"
            case messages.Part(task, part):
                self.parts[task] = part
            case messages.Finished(task):
                self._finished(task)
            case messages.Graded():
                self._graded(message)
            case messages.Failed(said):
                self.failed, self.phase = said, "idle"
                self._first()

    def _first(self) -> None:
        if self.first_seconds is None:
            self.first_seconds = time.monotonic() - self.saved_at

    def _turn(self, seen: Sequence[str]) -> None:
        """The focus moves from a task that is done, or not started, to the one that is worked on."""
        here = self.tasks.get(self.focus)
        if here is None or not (self.done(self.focus) or (here.verdict == "SKIP" and self.focus in seen)):
            return
        known = [self.tasks[name] for name in self.names if name in seen and name in self.tasks]
        wrong = [task.name for task in known if task.verdict not in ("AC", "SKIP")]
        new = [task.name for task in known if task.verdict == "AC" and self._verdicts.get(task.name) != "AC"]
        self.focus = next(iter([*wrong, *new]), self.focus)

    def _looked(self, task: TaskResult, largest: int) -> None:
        self.tasks[task.name], self.looked[task.name] = task, largest
        self._turn(list(self.looked))
        if self.focus in self.looked and self.tasks[self.focus].verdict != "SKIP":
            self._first()

    def _finished(self, task: TaskResult) -> None:
        self.looked.pop(task.name, None)
        self.tasks[task.name] = task
        self.fresh.add(task.name)
        self.parts.pop(task.name, None)
        self._first()

    def _graded(self, message: Graded) -> None:
        is_first, self.graded, self.phase, self.parts = self.graded is None, message, "idle", {}
        self.tasks = {task.name: task for task in message.result.tasks}
        self.all_seconds = time.monotonic() - self.saved_at
        self._turn(self.names)
        if is_first and self.done(self.focus):
            self.focus = next(iter(self.to_look_at()), self.focus)
