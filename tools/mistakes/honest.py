"""tests/submissions/NN-name/right.toml: correct programs in many styles, and what the grader must say about each.

    [streams_and_events]                    # right/streams_and_events.cu; its first line says the style
    tasks = ["one_block", "grid"]           # what it holds; the other tasks count as not started

    [managed_memory]
    tasks = ["one_block"]
    verdict = "RTE"                         # "AC" unless said otherwise
    because = "managed memory is not"       # must occur in what the grader says: the one clear line
    to_mend = "RTE: cudaX fails"            # only while the grader or the virtual GPU does not do so yet

    [trailing_types]
    tasks = ["count_scan_scatter"]          # one task: its task of the solution, with the headers beside it
    style = "static kernels"                # instead of a file
    edit = '''...'''                      # as of a mistake; may be left out
    of = "tuned.cu"                         # the solution's record instead of the task

Optional: slow = ["naive"], tasks that are right but too slow for AC, because of the style; without_evidence = { naive =
"why" }, tasks that do not show all that their lab.toml asks for; from_solution = true for a
file derived from the solution; written_as, crlf and byte_order_mark for a program that is graded under another name or
in another form than Git keeps it in.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from autograder.build.compiler import task_names
from autograder.plan.labs import folders, suggest
from autograder.plan.request import Request
from autograder.report.result import Result, TaskResult
from autograder.timing.evidence import evidence_text
from autograder.verdict import RIGHT
from mistakes.alone import graded
from mistakes.catalog import place
from mistakes.conformance import DEVICE, SEED, told_to_student
from mistakes.edit import MistakeError, apply, parse
from mistakes.generate import with_headers

STYLE = "Style: "
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Entry(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What the TOML file says of one program."""

    tasks: list[str] = []
    slow: list[str] = []
    without_evidence: dict[str, str] = {}
    verdict: Literal["AC", "CE", "RTE", "CHECK"] = "AC"
    because: str = ""
    to_mend: str = ""
    style: str = ""
    edit: str = ""
    of: Literal["", "tuned.cu"] = ""
    from_solution: bool = False
    written_as: Annotated[str, msgspec.Meta(pattern=r"^[^/]+\.cu$")] | None = None
    crlf: bool = False
    byte_order_mark: bool = False


@dataclass(frozen=True)
class Honest:
    """One program; it may hold several tasks."""

    lab: Path  # labs/NN-name
    name: str
    entry: Entry

    @property
    def title(self) -> str:
        return f"{self.lab.name}/{self.name}"

    @property
    def solution(self) -> Path:
        """solutions/NN-name."""
        return self.lab.parents[1] / "solutions" / self.lab.name

    @property
    def source(self) -> Path:
        """The file that is edited, or the program's own file."""
        if self.entry.style:
            return self.solution / (self.entry.of or f"{self.tasks[0]}.cu")
        return place(self.lab) / "right" / f"{self.name}.cu"

    @property
    def tasks(self) -> Sequence[str]:
        return [*self.entry.tasks, *self.entry.slow]

    @property
    def style(self) -> str:
        """The style, from the entry or the file's first line; "" if neither names it."""
        if self.entry.style:
            return self.entry.style
        first = self.source.read_text("utf-8").partition("\n")[0].lstrip("/* ")
        return first.removeprefix(STYLE) if first.startswith(STYLE) else ""


def honest_of(lab: Path) -> list[Honest]:
    """A lab's honest programs, in the order of its TOML file. MistakeError names file and entry."""
    path = place(lab) / "right.toml"
    if not path.is_file():
        return []
    found, known = [], task_names(lab)
    try:
        for name, table in tomllib.loads(path.read_text("utf-8")).items():
            found.append(Honest(lab, name, msgspec.convert(table, Entry)))
    except (ValueError, msgspec.ValidationError) as error:
        raise MistakeError(f"{path}: {error}") from None
    for one in found:
        for task in (*one.tasks, *one.entry.without_evidence):
            if task not in known:
                raise MistakeError(f"{path}: {one.name}: there is no task {task!r}{suggest(task, known)}")
        if not one.tasks or (one.entry.verdict != "AC") != bool(one.entry.because):
            raise MistakeError(f"{path}: {one.name}: it needs tasks, and because unless its verdict is AC")
        if (one.entry.edit and not one.entry.style) or (one.entry.style and len(one.tasks) > 1):
            raise MistakeError(f"{path}: {one.name}: style stands for a file, goes with one task, and edit with style")
    return found


def all_honest(root: Path) -> list[Honest]:
    """The honest programs of all labs."""
    return [one for lab in folders(root).values() for one in honest_of(lab)]


def texts(one: Honest) -> dict[str, str]:
    """Name and text of the program and of the headers beside it. MistakeError: its edit does not fit exactly once."""
    if not one.entry.style:
        return {one.source.name: one.source.read_text("utf-8")}
    there = with_headers(one.source, one.solution)
    if not one.entry.edit:
        return there
    made, misfits = apply(there, parse(one.entry.edit, one.source.name))
    if misfits:
        raise MistakeError(f"{place(one.lab) / 'right.toml'}: {one.name}: " + "\n  ".join(map(str, misfits)))
    return made


def written(one: Honest) -> Path:
    """The file as it is graded, under build/mistakes: there a file may leave tasks out."""
    made = {name: text.encode() for name, text in texts(one).items()}
    if one.entry.crlf:
        made = {name: text.replace(b"\n", b"\r\n") for name, text in made.items()}
    text = made.pop(one.source.name)
    if one.entry.byte_order_mark:
        text = BYTE_ORDER_MARK + text
    name = one.entry.written_as or one.source.name
    folder = one.lab.parents[1] / "build" / "mistakes" / one.lab.name / "honest" / one.name
    folder.mkdir(parents=True, exist_ok=True)
    for file, data in {**made, name: text}.items():
        path = folder / file
        if not path.is_file() or path.read_bytes() != data:
            path.write_bytes(data)
    return folder / name


def run(one: Honest, root: Path, device: str = DEVICE) -> tuple[list[str], list[str]]:
    """Grades one. Returns a line for each task, and a list of what is wrong."""
    request = Request(one.lab, file=written(one), tasks=one.tasks, seed=SEED, jobs=1, device=device)
    result = graded(root, request)
    tasks = [task for task in result.tasks if task.name in one.tasks]
    tell = unexpected_on_gpu if device == "gpu" else unexpected
    wrong = [text for task in tasks if (text := tell(one, task, result))]
    if one.entry.to_mend and device != "gpu":
        wrong = [] if wrong else ["it gets its verdict now: remove to_mend"]
    return [_line(task) for task in tasks], wrong


def unexpected(one: Honest, task: TaskResult, result: Result) -> str:
    """How the outcome differs from the entry, or ""."""
    told = told_to_student(task, result)
    wanted = "SLOW" if task.name in one.entry.slow else one.entry.verdict
    if task.verdict != wanted:
        return f"{task.name}: {task.verdict} instead of {wanted}\n{told}"
    text, is_missing = evidence_text(task.evidence), any(not piece.met for piece in task.evidence)
    if is_missing != (task.name in one.entry.without_evidence):
        return f"{task.name}: {text or 'no evidence is asked'}, and without_evidence says otherwise\n{told}"
    if one.entry.because.lower() not in told.lower():
        return f"{task.name}: the reason does not say {one.entry.because!r}\n{told}"
    return ""


def unexpected_on_gpu(one: Honest, task: TaskResult, result: Result) -> str:
    """As unexpected(): but a GPU lacks nothing, and what is too slow in the model need not be slow there."""
    if one.entry.verdict == "CE":
        return unexpected(one, task, result)
    return "" if task.verdict in RIGHT else f"{task.name}: {task.verdict}\n{told_to_student(task, result)}"


def _line(task: TaskResult) -> str:
    times = f"{1 / task.time.ratio:.2f} times the reference" if task.time else ""
    return f"{task.name:22} {task.verdict:5} {task.points:5.1f} of {task.of:g}  {times}".rstrip()
