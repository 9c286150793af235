"""Points so far, in labs/NN-name/progress.toml: a file that a student can read, and that only whole runs change.

Graders that run at the same time write one after the other. Each writes the whole file under another name and then
renames it. So whenever the machine stops, there is either the old file or the new one.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import tomllib
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from autograder.errors import UsageError
from autograder.files import write_whole
from autograder.plan.manifest import Manifest, load
from autograder.sanitize import clean
from autograder.verdict import Verdict
from learn import proved

if TYPE_CHECKING:
    from autograder.plan.request import Request
    from autograder.report.result import Result, TaskResult

NAME = "progress.toml"
WRONG = (ValueError, msgspec.ValidationError)  # what reading an edited file may raise
HEAD = (
    "# Your points so far in this lab, written by ./grader; ./grader list shows them.",
    "# best: the most that the task has had. To forget it all, delete this file.",
)


class TaskState(msgspec.Struct, frozen=True):
    """One task, as the last run that graded it found it."""

    verdict: Verdict
    points: float
    best: float
    graded: str = ""  # when
    where: str = ""  # file:line to look at


class LabState(msgspec.Struct, frozen=True):
    """All that is known of a lab."""

    task: dict[str, TaskState] = {}
    device: str = ""  # that graded last
    source: str = ""  # sha256 of the file that was graded last


def path_of(lab: Path) -> Path:
    return lab / NAME


def read(lab: Path) -> LabState:
    """What the file says; nothing if there is none. UsageError says what is wrong with an unreadable file."""
    path = path_of(lab)
    try:
        return _parsed(path)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except WRONG as error:
        raise UsageError(f"{path}: {clean(str(error), 200)}; fix it, or delete it to start over") from None


def _parsed(path: Path) -> LabState:
    """Raises OSError, or one of WRONG where it is not what was written."""
    try:
        return msgspec.convert(tomllib.loads(path.read_text("utf-8")), LabState)
    except FileNotFoundError:
        return LabState()


def counts(request: Request) -> bool:
    """Whether a run says what the student's own file is worth: not with other files, sizes or without times."""
    own = request.file is None and not request.solution
    return own and request.timed and request.n is None and request.max_n is None and request.variant is None


def record(root: Path, request: Request, result: Result) -> str:
    """Stores what a run found. Returns a line to show if that failed, otherwise "": a failure spoils no grade."""
    proved.keep(root, request, result, counts(request))
    if not counts(request):
        return ""
    graded = [task for task in result.tasks if task.verdict not in ("IE", "CE")]
    if all(task.verdict == "SKIP" for task in graded) and not path_of(request.folder).exists():
        return ""  # nobody has begun

    def changed(before: LabState) -> LabState:
        when = datetime.now().astimezone().isoformat(" ", "seconds")
        tasks = {task.name: _state(task, before.task.get(task.name), when) for task in graded}
        source = hashlib.sha256(request.source_file(root).read_bytes()).hexdigest()
        return LabState(before.task | tasks, clean(result.device, 100), source)

    return _change(root, request.folder, changed)


def start_over(root: Path, lab: Path) -> str:
    """Records that the file is the skeleton again: no task is begun, the best points are kept. Returns as record()."""

    def changed(before: LabState) -> LabState:
        tasks = {name: TaskState("SKIP", 0.0, old.best, old.graded) for name, old in before.task.items()}
        return LabState(tasks, before.device)

    return _change(root, lab, changed) if path_of(lab).exists() else ""


def next_name(manifest: Manifest, state: LabState) -> str:
    """The next task, as in the grader's last line; "" at full marks."""
    points = {entry.name: entry.points for entry in manifest.task}
    names = list(points)
    known = {name: state.task[name] for name in names if name in state.task}
    begun = [name for name, task in known.items() if task.verdict not in ("AC", "SKIP")]
    skipped = [name for name in names if name not in known or known[name].verdict == "SKIP"]
    slower = [name for name, task in known.items() if task.points < points[name]]
    slowest = sorted(slower, key=lambda name: known[name].points / points[name])
    return next(iter([*begun, *skipped, *slowest]), "")


def _state(task: TaskResult, before: TaskState | None, when: str) -> TaskState:
    best = max(task.points, before.best if before else 0.0)
    return TaskState(task.verdict, task.points, best, when, clean(task.where, 200))


def _change(root: Path, lab: Path, changed: Callable[[LabState], LabState]) -> str:
    path = path_of(lab)
    try:
        with _alone(root):
            aside = ""
            try:
                before = _parsed(path)
            except WRONG:  # a person's edit, which is worth keeping
                other = path.with_name(f"{NAME}.unreadable-{datetime.now():%Y-%m-%d-%H%M%S}")
                path.rename(other)
                before, aside = LabState(), f"{path} could not be read: it is {other.name} now"
            write_whole(path, _text(load(lab), changed(before)).encode())
    except OSError as error:
        return f"points so far are not kept: {path}: {error.strerror}"
    return aside


@contextlib.contextmanager
def _alone(root: Path) -> Iterator[None]:
    build = root / "build"
    build.mkdir(exist_ok=True)
    with (build / ".progress.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _text(manifest: Manifest, state: LabState) -> str:
    """The state as TOML. A JSON string without control characters is also a TOML string."""
    of = {entry.name: entry.points for entry in manifest.task}
    known = {name: task for name, task in state.task.items() if name in of}
    total, best = (sum(values) for values in ([t.points for t in known.values()], [t.best for t in known.values()]))
    end = "" if total == best else f"; best so far {best:g}"
    lines = [*HEAD, f"# {total:g} of {sum(of.values()):g} points{end}"]
    lines += [f"device = {_quoted(state.device)}", f"source = {_quoted(state.source)}"]
    for name in [name for name in of if name in known]:
        task = known[name]
        lines += ["", f"[task.{_quoted(name)}]  # of {of[name]:g} points"]
        lines += [f"verdict = {_quoted(task.verdict)}", f"points = {task.points:g}", f"best = {task.best:g}"]
        lines += [f"{key} = {_quoted(text)}" for key, text in (("graded", task.graded), ("where", task.where)) if text]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return json.dumps(clean(text, 300).replace("\n", " "), ensure_ascii=False)
