"""The screen of ./grader watch: the tasks, what is wrong with the one in focus, what to press."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from autograder.plan.labs import folders
from autograder.report import listing
from autograder.report.fold import Line, fold, source_line
from autograder.report.progress import line
from autograder.report.result import TaskResult
from autograder.report.row_reason import wordings
from autograder.report.terminal import show_compile_error, show_ladder, show_task, show_warnings
from autograder.sanitize import clean
from autograder.verdict import MEANING
from learn import overview, proved_hints
from learn.model import Model

KEYS = "n next · h hint · l list · c check all · x reset · e explain · q quit"
SECONDS_TOLD = 0.1  # that a task took
TOOK, LEAST = 11, 50  # characters of the time that a task took, and of its result at least, where both are shown
CLEAR = "\x1b[H\x1b[2J"


class Page:
    """Draws on a terminal, all at once, so that nothing flickers."""

    def __init__(self, out: Console, keyboard: bool) -> None:
        self._out = out
        self._keyboard = keyboard
        self._status = ""

    def draw(self, model: Model, view: str = "", hints: int = 0, note: str = "") -> None:
        """The whole screen. `view`: list, explain or "" for the tasks; `hints`: how many to show."""
        drawn: dict[str, Callable[[], None]] = {
            "list": lambda: self._list(model),
            "explain": lambda: self._explain(model),
        }
        with self._out.capture() as captured:
            drawn.get(view, lambda: self._tasks(model, hints))()
            self._out.print()
            if note:
                fold(self._out, Line(note, style="bold yellow"))
            back = " · any other key: back" if view else ""
            fold(self._out, Line(f"{KEYS if self._keyboard else '^C ends'}{back}", style="dim"))
        self._write(CLEAR + captured.get())
        self._status = ""
        self.status(model)

    def status(self, model: Model) -> None:
        """The last line alone."""
        text = Text(f"  {doing(model, self._out.width - 3)}", "cyan", no_wrap=True)
        text.truncate(max(1, self._out.width - 1), overflow="ellipsis")
        with self._out.capture() as captured:
            self._out.print(text, end="")
        if captured.get() != self._status:
            self._status = captured.get()
            self._write(f"\r\x1b[K{self._status}")

    def _write(self, text: str) -> None:
        self._out.file.write(text)
        self._out.file.flush()

    def _list(self, model: Model) -> None:
        for row in overview.rows(model.root, self._out.width, tasks_of=model.folder):
            self._out.print(Text.assemble(*row), soft_wrap=True)

    def _tasks(self, model: Model, hints: int) -> None:
        out = self._out
        head = f"[bold]Lab {model.number} · {escape(model.manifest.title)}[/]"
        fold(out, Line(Text.from_markup(f"{head}    {escape(str(model.file.relative_to(model.root)))}"), ""))
        out.print()
        show_warnings(out, model.warnings)
        for row in rows(model, out.width):
            out.print(row, soft_wrap=True)
        out.print()
        tell(out, model)
        if hints:
            self._hints(model, hints)

    def _hints(self, model: Model, hints: int) -> None:
        """Where a proved cause is, then those of lab.toml. The edit takes seconds to try: a command shows it."""
        general: list[Sequence[str]] = [[hint] for hint in model.manifest.entry(model.focus).hints if hint]
        proved = proved_hints.hints(model.root, model.folder, model.manifest, model.focus)
        said = [*(hint() for hint in proved[:1]), *general]
        if proved[1:]:
            said.append([f"what to write there: ./grader hint {model.number} {len(said) + 1} --task {model.focus}"])
        for number, lines in enumerate(said[:hints], 1):
            fold(self._out, Line(lines[0], f"  hint {number} of {len(said)}: ", 4), *map(source_line, lines[1:]))
        if not said:
            fold(self._out, f"{model.focus} has no hints")

    def _explain(self, model: Model) -> None:
        if model.graded is None:
            self._out.print("  nothing is graded yet: ask again once all tasks are")
            return
        if model.phase != "idle" or model.not_built:
            self._out.print("  [dim]of the file as it was when it was last graded:[/]")
        kept = next((task for task in model.graded.result.tasks if task.name == model.focus and task.unchanged), None)
        if kept:
            again = f"./grader explain {model.number} --task {kept.name}"
            self._out.print(f"  unchanged since {kept.unchanged}, not graded again; its counters: {again}")
        listing.show(self._out, model.graded.result, [model.focus])


def rows(model: Model, columns: int) -> list[Text]:
    """A line for each task, and how long grading it took; results of an older file are dim."""
    made, width = [], max(len(name) for name in model.names)
    took = TOOK if columns >= width + TOOK + LEAST else 0
    room = columns - width - 5 - took
    for name in model.names:
        task = model.tasks.get(name)
        if task is None:
            known = model.before.task.get(name)
            text = Text(f"{known.verdict}, {known.points:g} points last time" if known else "not graded yet", "dim")
        elif name in model.looked and task.verdict != "SKIP":
            text = Text(looked(model, task, room), "green" if task.verdict == "AC" else "red")
        else:
            text = line(task, room)
            if took and task.seconds >= SECONDS_TOLD:
                text.append(f"  {task.seconds:7.1f} s", "dim")
            elif took and task.unchanged:
                text.append("  unchanged", "dim")
            if model.outdated(name):
                text.stylize("dim")
        mark = ">" if name == model.focus else " "
        row = Text(no_wrap=True).append(f" {mark} {name:<{width}}  ", "bold" if name == model.focus else "")
        made.append(row.append_text(text))
    if model.tasks:
        of = sum(entry.points for entry in model.manifest.task)
        made.append(Text(f"   {'':<{width}}  {model.points():g} / {of:g} points", "bold"))
    return made


def looked(model: Model, task: TaskResult, room: int) -> str:
    """The result of a first look, in so many characters."""
    if task.verdict == "AC":
        long = f"right so far, for n up to {model.looked[task.name]:,}"
        return long if len(long) <= room else "right so far"
    why = next((one for one in wordings(task)[::-1] if len(one) + 6 <= room), "")
    return f"{task.verdict:<5} {why}".rstrip()


def tell(out: Console, model: Model) -> None:
    """What to say about the task in focus, or about the file."""
    number = model.number
    if model.phase == "missing":
        fold(out, f"{model.manifest.file} is not there: save it, or ./grader reset {number}")
        return
    if model.failed:
        fold(out, Line(clean(model.failed, 600), style="red"))
        return
    if model.not_built and model.phase == "building":  # its lines are no longer those of the file
        fold(out, Line(f"the save before this one did not compile: {model.not_built.where}", style="dim"))
        return
    if model.not_built:
        show_compile_error(out, model.not_built, "save it", model.file)
        return
    task = model.tasks.get(model.focus)
    if task is None:
        return
    if model.outdated(task.name) and task.verdict not in ("AC", "SKIP"):
        said = f"{task.name}, before this save: {task.verdict} {clean(task.reason, 200)}"
        fold(out, Line(said, style="dim"))
        return
    if task.verdict == "SKIP":
        handout = (model.folder / "README.md").relative_to(model.root)
        fold(out, Line(f"{task.name}: {task.reason} · handout: {handout}", "", 2))
    elif task.verdict == "AC" and task.name in model.looked:
        fold(out, Line(f"{task.name}: {looked(model, task, out.width)}", "", 2))
    elif task.verdict == "AC" and not task.reason:
        _done(out, model, task)
    else:
        show_task(out, task, model.manifest, True, model.file)


def _done(out: Console, model: Model, task: TaskResult) -> None:
    ratio = f", at {task.time.ratio:.2f}x the reference's speed" if task.time else ""
    fold(out, Line(f"{task.name}: right{ratio}: {task.points:g} of {task.of:g} points", "", 2))
    teaches = model.manifest.entry(task.name).teaches
    fold(out, *([teaches] if teaches else []))
    fold(out, f"what the reference does differently: ./grader compare {model.number} {task.name}")
    if model.full_marks():
        assert model.graded is not None
        out.print()
        show_ladder(out, model.graded.result)


def next_words(model: Model) -> str:
    """The next thing to do, when all is graded."""
    if model.phase == "missing":
        return f"waiting for {model.manifest.file}"
    if model.failed:
        return "save again to try again"
    if model.not_built:
        return "waiting for the next save"
    if model.full_marks():
        following = folders(model.root).get(model.number + 1)
        return "full marks" + (f" · n goes on with lab {model.number + 1}, {following.name[3:]}" if following else "")
    task = model.tasks.get(model.focus)
    if task is None or not model.tasks:
        return "waiting for the first save"
    if model.done(model.focus):
        return f"next: n goes on with the next task; {task.name} is done"
    if task.verdict == "SKIP":
        return f"next: {task.name}, {task.where.replace(':', ' line ')}"
    if task.verdict == "AC":
        return f"next: make {task.name} faster (e explains), or n for the next task"
    return f"next: {task.name} ({MEANING[task.verdict]})" + (f", {task.where}" if task.where else "")


def _longest(model: Model) -> str:
    """The task that took the most of the time, if there are several."""
    longest = max(model.tasks.values(), key=lambda task: task.seconds, default=None)
    told = longest is not None and len(model.tasks) > 1 and longest.seconds >= SECONDS_TOLD
    return f" (most of it: {longest.name})" if told and longest else ""


def doing(model: Model, room: int = 1000) -> str:
    """The last line: what is going on, or what is next; with fewer words where there is less room."""
    if model.phase in ("starting", "building"):
        return "building …"
    if model.phase == "looking":
        return f"built in {model.built_seconds:.1f} s · looking at {model.focus} …"
    if model.phase == "grading":
        going = [f"{name} {100 * part:.0f} %" for name, part in sorted(model.parts.items()) if part < 1]
        took = f"{time.monotonic() - model.saved_at:.0f} s"
        return _fitting(
            [f"grading … {' · '.join([*going[:count], took])}" for count in range(len(going), -1, -1)], room
        )
    first, everything = model.first_seconds, model.all_seconds
    trouble = f" · {model.graded.trouble}" if model.graded and model.graded.trouble else ""
    words = next_words(model)
    said = [f"{words}{trouble}", words, words.split(" (")[0]]
    if first and everything:
        whole = f"{words} · {everything:.1f} s"
        said[:0] = [f"{whole}{_longest(model)}, first result after {first:.1f} s{trouble}", f"{whole}{trouble}"]
    return _fitting(said, room)


def _fitting(said: Sequence[str], room: int) -> str:
    return next((one for one in said if len(one) <= room), said[-1])
