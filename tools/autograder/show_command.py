"""./grader show: one failing call, made again by itself and shown with all that is known of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from autograder.arguments import seed_of, size_of
from autograder.build.builder import Builder
from autograder.errors import UsageError
from autograder.failing_calls import FOLDER, Failing, Kept, keep, read
from autograder.judge.check import Checker
from autograder.judge.oracles import Oracles
from autograder.options import File, Lab, Size, Solution, Unsafe, Variant, Virtual
from autograder.plan.labs import manifest_path
from autograder.plan.manifest import Manifest, compare, load
from autograder.plan.request import Request, check_tasks
from autograder.processes import Processes
from autograder.report import show_call, terminal
from autograder.report.fold import fold
from autograder.report.progress import task_lines
from autograder.report.result import Result
from autograder.report_command import Record, Tell, Which
from autograder.run.machine import machine
from autograder.session import build, grade
from autograder.submission import Settings, Submission
from autograder.trace.call import ENDLESS_SECONDS, Shown, look
from autograder.verdict import RIGHT

STOPPED = ("TLE",)  # verdicts of calls that do not end


def found(root: Path, request: Request) -> Kept:
    """What the last grade says of the file as it is now; without one, it is graded."""
    kept = (
        None
        if request.n is not None or request.variant is not None or request.seed is not None
        else read(root, request)
    )
    names = [entry.name for entry in load(request.folder).task]
    if kept and (all(name in kept.task for name in request.tasks) if request.tasks else _any(names, kept)):
        return kept
    with task_lines() as lines:
        result, _ = grade(root, replace(request, timed=False, causes=False), lines, lines.begin, lines.finished)
    return keep(root, request, result)


def _any(names: Sequence[str], kept: Kept) -> bool:
    """Whether there is something to show of any task."""
    return bool(_first(names, kept)) or any(kept.task[name].slow for name in names if name in kept.task)


def _first(names: Sequence[str], kept: Kept) -> str:
    """The first task with a failing call."""
    return next((name for name in names if name in kept.task and kept.task[name].n is not None), "")


def chosen(manifest: Manifest, request: Request, kept: Kept) -> tuple[str, Failing] | str:
    """The task and its failing call, or a sentence that says why there is nothing to show."""
    names = [entry.name for entry in manifest.task if not request.tasks or entry.name in request.tasks]
    name = _first(names, kept)
    if name:
        return name, kept.task[name]
    slow = [name for name in names if name in kept.task and kept.task[name].slow]
    if slow:
        one = kept.task[slow[0]]
        every = f"./grader explain {manifest.number} --task {slow[0]} shows every line with its counters"
        return "\n".join([f"{slow[0]} is right, and costs more than it may: {one.reason}", *one.slow, every])
    known = {name: kept.task[name] for name in names if name in kept.task}
    faults = [name for name in names if name not in known]
    if faults:
        return f"there is nothing to show: {', '.join(faults)} could not be graded"
    begun = [name for name, one in known.items() if one.verdict != "SKIP"]
    if not begun:
        what = f"{names[0]} is" if len(names) == 1 else f"no task of lab {manifest.number} is"
        return (
            f"there is nothing to show: {what} not started"
            if len(names) == 1
            else (f"there is nothing to show: {what} started")
        )
    failed = [name for name in begun if known[name].verdict not in RIGHT]
    if failed:
        return f"there is no failing call of {failed[0]} to show: {known[failed[0]].reason}"
    where_time_goes = f"./grader explain {manifest.number} shows where their time goes, line by line"
    at = f" at n = {request.n:,}" if request.n is not None else ""
    if len(begun) == 1:
        return f"there is nothing to show: {begun[0]} is right{at}\n{where_time_goes}"
    return f"there is nothing to show: the {len(begun)} tasks that are started are right{at}\n{where_time_goes}"


def called(root: Path, request: Request, manifest: Manifest, task: str, of: Failing) -> Shown:
    """The call, made again."""
    builder = Builder(root, sandbox=request.sandbox)
    runner = build(builder, request, manifest.number)
    oracles = Oracles(builder.build)
    compare(manifest, [one.name for one in oracles.lab(manifest.number).tasks], manifest_path(request.folder))
    device = machine(root, builder.build, request.device or "virtual", request.sandbox)
    submission = Submission(manifest, runner, lambda: runner, device)
    checker = Checker(oracles, manifest.number, manifest)
    processes = Processes(submission, Settings(0), checker)
    case = of.case(task)
    assert case is not None
    endless = of.verdict in STOPPED
    seconds = ENDLESS_SECONDS if endless else request.seconds
    starts = partial(processes.started, runner, [case], device=of.device, seconds=seconds)
    try:
        return look(checker, starts, case, endless=endless)
    finally:
        processes.close()


def keeping(record: Record) -> Record:
    """The same recorder, which also keeps the failing calls for `show`."""

    def both(root: Path, request: Request, result: Result) -> str:
        keep(root, request, result)
        return record(root, request, result)

    return both


def add_to(app: typer.Typer, root: Path, which: Which, tell_of_sandbox: Tell) -> None:
    """Makes the command known to ./grader. `which`: the lab's folder for what the command line says."""

    @app.command("show")
    def show_command(
        lab: Lab = None,
        task: Annotated[str | None, typer.Option("--task", help="this task; default: the first that fails")] = None,
        n: Size = None,
        variant: Variant = None,
        seed: Annotated[str | None, typer.Option(help="hexadecimal, of an earlier run")] = None,
        solution: Solution = False,
        file: File = None,
        device: Virtual = "",
        no_sandbox: Unsafe = False,
    ) -> None:
        """Shows the smallest failing call: input, output, what was printed, and who wrote a wrong element."""
        if device == "gpu":
            raise UsageError("show: only the virtual GPU sees what happens in a call; leave --device out")
        request = Request(
            *which(lab, solution), file=file, tasks=[task] if task else (), n=size_of("--n", n), variant=variant,
            seed=seed_of(seed), device=device or "virtual", sandbox=not no_sandbox,
        )  # fmt: skip
        manifest = load(request.folder)
        check_tasks(manifest, request.tasks)
        tell_of_sandbox(request)
        out = terminal.console()
        picked = chosen(manifest, request, found(root, request))
        if isinstance(picked, str):
            fold(out, *picked.splitlines())
            return
        name, failing = picked
        told = called(root, request, manifest, name, failing)
        folder = root / FOLDER / f"{manifest.number:02}-{name}"
        file_name = request.source_file(root).name
        show_call.show(out, told, name, failing.verdict, failing.reason, failing.tried, file_name)
        show_call.save(out, told, root, folder)
        show_call.again(out, told.seen.outcome.case, manifest.number, failing.master, request, failing.device)
