"""One run of the grader over one lab: build, grade all tasks in parallel, put the result together."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed, wait
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from autograder.build.builder import Builder
from autograder.build.variant import variant
from autograder.build.warnings import warnings_of
from autograder.cause.program import Program
from autograder.errors import UsageError
from autograder.judge.oracles import Oracles
from autograder.plan.labs import manifest_path, skeleton_of
from autograder.plan.manifest import Manifest, compare, load
from autograder.plan.private_cases import SETS, load_private
from autograder.plan.private_checks import prepare
from autograder.plan.private_file import read_file
from autograder.plan.request import Request, chosen
from autograder.report.result import Result, TaskResult, lab_result
from autograder.run.machine import Machine, gpu_answers, machine
from autograder.submission import Graded, Private, Settings, Submission
from autograder.task import TaskGrader
from autograder.unchanged import unchanged
from autograder.verdict import RIGHT

Progress = Callable[[str, float], None]
TIMED_AT_ONCE = 3  # one has the GPU, the others generate inputs, for which each takes up to 4 GB
SPARE_CORES = 3  # for the processes of the student and the reference, and for what judges them


def grade(
    root: Path,
    request: Request,
    progress: Progress = lambda task, part: None,
    begin: Callable[[Sequence[str]], None] = lambda tasks: None,
    finished: Callable[[TaskResult], None] = lambda task: None,
) -> tuple[Result, Manifest]:
    """Grades one lab. Raises UsageError, CompileError or GraderError where no task can be graded.

    `begin` is told the tasks, `finished` each result as soon as it is there. Threads call these and `progress`.
    """
    start = time.monotonic()
    manifest = load(request.folder)
    builder = Builder(root, sandbox=request.sandbox)
    runner = build(builder, request, manifest.number)
    warnings = () if request.solution else warnings_of(builder, manifest.number, runner, request.file)
    oracles = Oracles(builder.build)
    table = oracles.lab(manifest.number)
    compare(manifest, [task.name for task in table.tasks], manifest_path(request.folder))
    names = chosen(request, manifest, table)
    here, clock = machines(root, builder.build, request)
    seed = request.seed if request.seed is not None else int.from_bytes(os.urandom(8), "big")
    submission = Submission(
        manifest,
        runner,
        lru_cache(maxsize=1)(lambda: reference(builder, request, manifest.number, runner)),
        here,
        request.command(manifest.number),
        _program(builder, request, manifest, [task.name for task in table.tasks]),
        skeleton_of(request.folder),
    )
    private = _private(root, request, oracles, manifest.number)
    settings = Settings(
        seed, request.n, request.variant, request.max_n, request.timed, request.seconds, request.study, private
    )
    before = unchanged(builder, request, manifest.number, names) if request.unchanged else None
    holds = before.results if before else {}
    rows = {name: (table.task(name), manifest.entry(name)) for name in names if name not in holds}
    grader = TaskGrader(oracles, submission, settings, progress if clock is None else halves(progress, 0.0))
    grader.will_grade(list(rows.values()))

    def one(name: str) -> Graded:
        graded = grader.grade(*rows[name])
        if clock is None:
            graded = grader.with_private(*rows[name], graded)
        if clock is None or graded.result.verdict not in RIGHT:
            finished(graded.result)
        return graded

    begin(names)
    for kept in holds.values():
        finished(kept)
    order = sorted(rows, key=lambda name: name != request.first)
    with grader, ThreadPoolExecutor(request.jobs or os.cpu_count() or 1) as pool:
        checked = {name: pool.submit(one, name) for name in order}
        if clock is not None:
            again = replace(request, device=clock.device).command(manifest.number)
            on_gpu = replace(submission, machine=clock, command=again)
            with TaskGrader(oracles, on_gpu, settings, halves(progress, 0.5)) as timer:
                timer.will_grade(list(rows.values()))

                def timed(name: str, right: Graded) -> Graded:
                    found = grader.with_private(*rows[name], timer.timed(*rows[name], right))
                    finished(found.result)
                    return found

                graded = timed_as_well(checked, timed, own=request.file is None)
        else:
            graded = {name: task.result() for name, task in checked.items()}
    if before:
        before.keep({name: (one.result, one.device) for name, one in graded.items()})
        graded |= {name: Graded(kept, before.device(name)) for name, kept in holds.items()}
    tasks = [graded[name] for name in names]
    result = lab_result(
        request,
        manifest,
        [task.result for task in tasks],
        device=device_names(tasks, here, clock),
        modelled=here.virtual and clock is None,
        seed=seed,
        all_tasks=len(names) == len(table.tasks),
        seconds=round(time.monotonic() - start, 3),
        warnings=warnings,
    )
    return result, manifest


def timed_as_well(
    checked: Mapping[str, Future[Graded]], timed: Callable[[str, Graded], Graded], own: bool
) -> dict[str, Graded]:
    """All tasks, those that are right after their times have been measured.

    With cores to spare, a task is timed while others are still checked, and two more threads prepare the next tasks'
    times and judge the last one's outputs. On a smaller machine that would be noise in the times. And in a file that
    is not one's `own`, the code of another task could disturb the reference on purpose.
    """
    spare = own and (os.cpu_count() or 1) >= len(checked) + SPARE_CORES
    if not spare:
        wait(checked.values())
    names = {task: name for name, task in checked.items()}
    with ThreadPoolExecutor(TIMED_AT_ONCE if spare else 1) as pool:
        graded: dict[str, Future[Graded]] = {}
        for task in as_completed(names) if spare else names:
            name, right = names[task], task.result()
            is_right = right.result.verdict in RIGHT
            graded[name] = pool.submit(timed, name, right) if is_right else task
    return {name: task.result() for name, task in graded.items()}


def machines(root: Path, folder: Path, request: Request) -> tuple[Machine, Machine | None]:
    """The device that runs and checks a submission, and the one that times it, if that is another.

    The virtual GPU sees races and counts; a GPU has true times. Unless one of them is asked for, both are used.
    """
    if request.device or not gpu_answers():
        return machine(root, folder, request.device, request.sandbox), None
    timed = request.timed and request.n is None
    return (
        machine(root, folder, "virtual", request.sandbox),
        machine(root, folder, "gpu", request.sandbox) if timed else None,
    )


def device_names(tasks: Sequence[Graded], here: Machine, clock: Machine | None) -> str:
    """What the report calls the device, or both."""
    names = list(dict.fromkeys(task.device for task in tasks if task.device))
    if not names:
        return "virtual GPU" if here.virtual else "GPU"
    timed_on = next((task.device for task in tasks if task.result.time), "") if clock else ""
    return f"{timed_on}, checked on the virtual GPU" if timed_on else names[0]


def halves(progress: Callable[[str, float], None], done: float) -> Callable[[str, float], None]:
    """Progress if each task has two parts, of which this much is done before."""
    return lambda task, part: progress(task, done + part / 2)


def _private(root: Path, request: Request, oracles: Oracles, lab: int) -> Private | None:
    """As a class keeps them, checked, or as an instructor writes them."""
    path = request.private
    if path is None:
        return None
    if path.name == SETS:
        folder = path.parent
        return Private(load_private(path, lab).sets, lambda name: (folder / name).read_bytes())
    made = prepare(read_file(path, root, lab), oracles.lab(lab), oracles.shape)
    return Private(made.sets.sets, made.inputs.__getitem__)


def _program(builder: Builder, request: Request, manifest: Manifest, tasks: Sequence[str]) -> Program | None:
    """The submission's file with changes, to be compiled when a failure is to be explained."""
    if request.solution or not request.causes:
        return None
    source = request.source_file(builder.root)
    headers = None
    if request.file is not None and _of_some_tasks(builder.root, request.file):
        headers = [path for path in sorted(source.parent.iterdir()) if path.suffix in (".h", ".cuh")]

    def compiled(text: bytes, before: Path) -> tuple[Path | None, str]:
        return variant(builder, manifest.number, source.name, text, before, headers)

    return Program(source, tasks, compiled)


def build(builder: Builder, request: Request, number: int) -> Path:
    if request.file is not None:
        return builder.file(number, request.file, _of_some_tasks(builder.root, request.file))
    own = request.source_file(builder.root)
    if not request.solution and not own.exists():
        shown = own.relative_to(builder.root)
        raise UsageError(f"{shown} is missing; to put the skeleton in its place: ./grader reset {number}")
    return builder.lab(number, request.solution)


def _of_some_tasks(root: Path, file: Path) -> bool:
    """Whether it is one of this repository's files that hold some tasks only: a mistake, a lesson, or a record."""
    return any(file.resolve().is_relative_to((root / folder).resolve()) for folder in ("build/mistakes", "solutions"))


def reference(builder: Builder, request: Request, number: int, runner: Path) -> Path:
    if request.reference is not None:
        return request.reference
    return runner if request.solution and request.file is None else builder.lab(number, True)
