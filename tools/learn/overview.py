"""./grader list: all labs and tasks, with the points so far, hours, and what is next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.errors import UsageError
from autograder.plan.labs import folders
from autograder.plan.manifest import Manifest, load
from autograder.sanitize import clean
from autograder.verdict import COLOURS
from learn.plain import Piece, Row, folded
from learn.state import LabState, TaskState, next_name, read


@dataclass(frozen=True)
class Known:
    """A lab and what is known of it."""

    folder: Path
    manifest: Manifest
    state: LabState
    wrong: str = ""  # why its progress cannot be read

    @property
    def points(self) -> float:
        return sum(task.points for task in self.tasks.values())

    @property
    def best(self) -> float:
        return sum(task.best for task in self.tasks.values())

    @property
    def tasks(self) -> dict[str, TaskState]:
        names = [entry.name for entry in self.manifest.task]
        return {name: self.state.task[name] for name in names if name in self.state.task}

    @property
    def next(self) -> str:
        return next_name(self.manifest, self.state)


def known(folder: Path) -> Known:
    manifest = load(folder)
    try:
        return Known(folder, manifest, read(folder))
    except UsageError as error:
        return Known(folder, manifest, LabState(), str(error))


def rows(root: Path, width: int, only: Path | None = None, tasks_of: Path | None = None) -> list[Row]:
    """All labs, a line each, or one with its tasks. `tasks_of`: also those of this lab, among the others."""
    labs = [known(folder) for folder in ([only] if only else folders(root).values())]
    cells = [cell for lab in labs for cell in _cells(lab, lab.folder in (only, tasks_of))]
    texts = [(_plain(name), _plain(points), hours) for name, points, hours, _ in cells]
    widths = [max(6, *(len(one[column]) for one in texts)) for column in range(3)]
    shown: list[Row] = [[(f" {'lab':<{widths[0]}}  {'points':>{widths[1]}}  {'hours':>{widths[2]}}", "dim")]]
    for name, points, hours, note in cells:
        left, right = " " * (widths[0] - len(_plain(name))), " " * (widths[1] - len(_plain(points)))
        shown.append([(" ", ""), *name, (f"{left}  {right}", ""), *points, (f"  {hours:>{widths[2]}}  ", ""), *note])
    of = sum(entry.points for lab in labs for entry in lab.manifest.task)
    if len(labs) > 1:
        shown += [[], [(f"  {sum(lab.points for lab in labs):g} of {of:,g} points", "bold")]]
    for lab in labs:
        shown += folded(clean(lab.wrong, 400), "red", width) if lab.wrong else []
    tasks = "" if only else " · ./grader list N: the tasks of lab N"
    shown += folded(f"hours: for the core tasks, for all · points: of the last run{tasks}", "", width)
    return [*shown, *folded(next_line(labs), "", width)]


def _plain(pieces: Row) -> str:
    return "".join(text for text, _ in pieces)


def next_line(labs: list[Known]) -> str:
    """What to do next: continue a lab that is begun, else begin the first that is not."""
    begun = [lab for lab in labs if lab.tasks and lab.next]
    core = [lab for lab in begun if not _core_is_done(lab)]
    untouched = [lab for lab in labs if not lab.tasks]
    lab = next(iter([*core, *untouched, *begun]), None)
    if lab is None:
        return "full marks in all labs" if len(labs) > 1 else "full marks"
    entry = lab.manifest.entry(lab.next)
    number, title = lab.manifest.number, lab.manifest.title
    place = lab.tasks[entry.name].where if entry.name in lab.tasks else ""
    where = f", {place}" if place else ""
    file = (lab.folder / lab.manifest.file).relative_to(lab.folder.parents[1])
    return f"next: lab {number}, {title}: {entry.name}{where} · edit {file} · ./grader watch {number}"


def _core_is_done(lab: Known) -> bool:
    core = [entry.name for entry in lab.manifest.task if entry.core]
    return all(name in lab.tasks and lab.tasks[name].verdict == "AC" for name in core)


def _cells(lab: Known, tasks: bool) -> Iterator[tuple[Row, Row, str, Row]]:
    """A row's name, points, hours and note: of the lab, and of its tasks."""
    of = sum(entry.points for entry in lab.manifest.task)
    hours = ", ".join(f"{hours:g}" for hours in lab.manifest.hours)
    name = f"{lab.manifest.number:>2} {lab.manifest.title}"
    yield [(name, "bold")], [(f"{lab.points:g} / {of:g}", "bold")], hours, [(_state(lab), "dim")]
    for entry in lab.manifest.task if tasks else ():
        task = lab.tasks.get(entry.name)
        verdict = task.verdict if task else "SKIP"
        note: list[Piece] = [("not started" if verdict == "SKIP" else verdict, COLOURS.get(verdict, "red"))]
        if task and task.best > task.points:
            note.append((f" · best {task.best:g}", "dim"))
        if entry.name == lab.next and lab.tasks:
            note.append(("  ← next", "bold"))
        title: Row = [(f"   {entry.name}", ""), ("" if entry.core else " (bonus)", "dim")]
        if lab.tasks:
            yield title, [(f"{task.points if task else 0:g} / {entry.points:g}", "")], "", note
        else:
            yield title, [(f"{entry.points:g}", "")], "", []


def _state(lab: Known) -> str:
    """How far a lab is, in a few words."""
    if not lab.tasks:
        return "not started"
    best = [f"best {lab.best:g}"] if lab.best > lab.points else []
    following = [f"next: {lab.next}"] if lab.next else ["full marks"]
    return " · ".join([*following, *best])
