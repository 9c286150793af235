"""The screen of ./grader watch: the tasks, what is wrong with the one in focus, what to press."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from autograder.plain import clean
from autograder.plan.labs import folders
from autograder.report import listing
from autograder.report.progress import line
from autograder.report.result import TaskResult
from autograder.report.terminal import show_compile_error, show_ladder, show_task, show_warnings
from autograder.verdict import MEANING
from learn import overview
from learn.model import Model

KEYS = "n next · h hint · l list · c check all · x reset · e explain · q quit"
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
            "list": lambda: overview.show(self._out, model.root, tasks_of=model.folder),
            "explain": lambda: self._explain(model),
        }
        with self._out.capture() as captured:
            drawn.get(view, lambda: self._tasks(model, hints))()
            self._out.print()
            if note:
                self._out.print(f"  [bold yellow]{escape(note)}[/]", soft_wrap=True)
            back = " · any other key: back" if view else ""
            self._out.print(f"  [dim]{KEYS if self._keyboard else '^C ends'}{back}[/]", soft_wrap=True)
        self._write(CLEAR + captured.get())
        self._status = ""
        self.status(model)

    def status(self, model: Model) -> None:
        """The last line alone."""
        text = Text(f"  {doing(model)}", "cyan", no_wrap=True)
        text.truncate(max(1, self._out.width - 1), overflow="ellipsis")
        with self._out.capture() as captured:
            self._out.print(text, end="")
        if captured.get() != self._status:
            self._status = captured.get()
            self._write(f"\r\x1b[K{self._status}")

    def _write(self, text: str) -> None:
        self._out.file.write(text)
        self._out.file.flush()

    def _tasks(self, model: Model, hints: int) -> None:
        out = self._out
        head = f"[bold]Lab {model.number} · {escape(model.manifest.title)}[/]"
        out.print(f"{head}    {escape(str(model.file.relative_to(model.root)))}", soft_wrap=True)
        out.print()
        show_warnings(out, model.warnings)
        for row in rows(model):
            row.truncate(out.width, overflow="ellipsis")
            out.print(row)
        out.print()
        tell(out, model)
        if hints:
            said = [hint for hint in model.manifest.entry(model.focus).hints if hint]
            for number, hint in enumerate(said[:hints], 1):
                out.print(f"  [bold]hint {number} of {len(said)}:[/] {escape(hint)}", soft_wrap=True)
            if not said:
                out.print(f"  {escape(model.focus)} has no hints")

    def _explain(self, model: Model) -> None:
        if model.graded is None:
            self._out.print("  nothing is graded yet: ask again once all tasks are")
            return
        if model.phase != "idle" or model.not_built:
            self._out.print("  [dim]of the file as it was when it was last graded:[/]")
        listing.show(self._out, model.graded.result, [model.focus])


def rows(model: Model) -> list[Text]:
    """A line for each task; results of an older file are dim."""
    made, width = [], max(len(name) for name in model.names)
    for name in model.names:
        task = model.tasks.get(name)
        if task is None:
            known = model.before.task.get(name)
            text = Text(f"{known.verdict}, {known.points:g} points last time" if known else "not graded yet", "dim")
        elif name in model.looked and task.verdict != "SKIP":
            text = Text(looked(model, task), "green" if task.verdict == "AC" else "red")
        else:
            text = line(task)
            if model.outdated(name):
                text.stylize("dim")
        mark = ">" if name == model.focus else " "
        row = Text(no_wrap=True).append(f" {mark} {name:<{width}}  ", "bold" if name == model.focus else "")
        made.append(row.append_text(text))
    if model.tasks:
        total, of = (
            sum(task.points for task in model.tasks.values()),
            sum(entry.points for entry in model.manifest.task),
        )
        made.append(Text(f"   {'':<{width}}  {total:g} / {of:g} points", "bold"))
    return made


def looked(model: Model, task: TaskResult) -> str:
    if task.verdict == "AC":
        return f"right so far, for n up to {model.looked[task.name]:,}"
    return f"{task.verdict}  {clean(task.reason, 200)}"


def tell(out: Console, model: Model) -> None:
    """What to say about the task in focus, or about the file."""
    number = model.number
    if model.phase == "missing":
        out.print(f"  {escape(model.manifest.file)} is not there: save it, or ./grader reset {number}", soft_wrap=True)
        return
    if model.failed:
        out.print(f"  [red]{escape(clean(model.failed, 600))}[/]", soft_wrap=True)
        return
    if model.not_built and model.phase == "building":  # its lines are no longer those of the file
        out.print(f"  [dim]the save before this one did not compile: {escape(model.not_built.where)}[/]")
        return
    if model.not_built:
        show_compile_error(out, model.not_built, "save it", model.file)
        return
    task = model.tasks.get(model.focus)
    if task is None:
        return
    if model.outdated(task.name) and task.verdict not in ("AC", "SKIP"):
        said = f"{task.name}, before this save: {task.verdict} {clean(task.reason, 200)}"
        out.print(f"  [dim]{escape(said)}[/]", soft_wrap=True)
        return
    if task.verdict == "SKIP":
        handout = (model.folder / "README.md").relative_to(model.root)
        out.print(f"[bold]{escape(task.name)}[/]: {escape(task.reason)} · handout: {escape(str(handout))}",
                  soft_wrap=True)  # fmt: skip
    elif task.verdict == "AC" and task.name in model.looked:
        out.print(f"[bold]{escape(task.name)}[/]: {looked(model, task)}", soft_wrap=True)
    elif task.verdict == "AC" and not task.reason:
        _done(out, model, task)
    else:
        show_task(out, task, model.manifest, f"./grader {number}", True, model.file)


def _done(out: Console, model: Model, task: TaskResult) -> None:
    ratio = f", at {task.time.ratio:.2f}x the reference's speed" if task.time else ""
    out.print(f"[bold]{escape(task.name)}[/]: right{ratio}: {task.points:g} of {task.of:g} points", soft_wrap=True)
    teaches = model.manifest.entry(task.name).teaches
    if teaches:
        out.print(f"  {escape(teaches)}", soft_wrap=True)
    out.print(f"  what the reference does differently: ./grader compare {model.number} {task.name}", soft_wrap=True)
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


def doing(model: Model) -> str:
    """The last line: what is going on, or what is next."""
    if model.phase in ("starting", "building"):
        return "building …"
    if model.phase == "looking":
        return f"built in {model.built_seconds:.1f} s · looking at {model.focus} …"
    if model.phase == "grading":
        parts = " · ".join(f"{name} {100 * part:.0f} %" for name, part in sorted(model.parts.items()) if part < 1)
        return f"grading … {parts}"
    first, everything = model.first_seconds, model.all_seconds
    took = f" · {everything:.1f} s, first result after {first:.1f} s" if first and everything else ""
    trouble = f" · {model.graded.trouble}" if model.graded and model.graded.trouble else ""
    return next_words(model) + took + trouble
