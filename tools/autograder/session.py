"""One run of the grader over one lab: build, grade all tasks in parallel, put the result together."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

from autograder.build.builder import Builder
from autograder.explain.hints import check_symptoms
from autograder.explain.patterns.rules import names_of, rules_of
from autograder.judge.oracles import Oracles
from autograder.plan.labs import manifest_path
from autograder.plan.manifest import Manifest, compare, load
from autograder.plan.private import load_private
from autograder.plan.request import Request, chosen
from autograder.report.result import Result, TaskResult, lab_result
from autograder.run.machine import machine
from autograder.task import Graded, Private, Settings, Submission, TaskGrader

Progress = Callable[[str, float], None]


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
    manifest, rules = load(request.folder), rules_of(request.folder)
    check_symptoms(manifest, names_of(rules), manifest_path(request.folder))
    builder = Builder(root, sandbox=request.sandbox)
    runner = build(builder, request, manifest.number)
    oracles = Oracles(request.oracles or builder.build / "liboracles.so")
    table = oracles.lab(manifest.number)
    compare(manifest, [task.name for task in table.tasks], manifest_path(request.folder))
    names = chosen(request, manifest, table)
    here = machine(root, builder.build, request.device, request.sandbox)
    seed = request.seed if request.seed is not None else int.from_bytes(os.urandom(4), "big")
    submission = Submission(
        manifest,
        runner,
        lru_cache(maxsize=1)(lambda: reference(builder, request, manifest.number, runner)),
        here,
        request.command(manifest.number),
        rules,
    )
    private = _private(request, manifest.number)
    settings = Settings(seed, request.n, request.variant, request.max_n, request.timed, request.seconds, private)
    grader = TaskGrader(oracles, submission, settings, progress)

    def one(name: str) -> Graded:
        graded = grader.grade(table.task(name), manifest.entry(name))
        finished(graded.result)
        return graded

    begin(names)
    order = sorted(names, key=lambda name: name != request.first)
    with ThreadPoolExecutor(request.jobs or os.cpu_count() or 1) as pool:
        graded = dict(zip(order, pool.map(one, order), strict=True))
    tasks = [graded[name] for name in names]
    answered = next((task.device for task in tasks if task.device), "")
    result = lab_result(
        request,
        manifest,
        [task.result for task in tasks],
        device=answered or ("virtual GPU" if here.virtual else "GPU"),
        modelled=here.virtual,
        seed=seed,
        all_tasks=len(names) == len(table.tasks),
        seconds=round(time.monotonic() - start, 3),
    )
    return result, manifest


def _private(request: Request, lab: int) -> Private | None:
    if request.private is None:
        return None
    return Private(load_private(request.private, lab).sets, request.private.parent)


def build(builder: Builder, request: Request, number: int) -> Path:
    if request.file is not None:
        return builder.file(number, request.file, _of_one_task(builder.root, request.file))
    return builder.lab(number, request.solution)


def _of_one_task(root: Path, file: Path) -> bool:
    """Whether it is one of this repository's mistakes, which hold one task each."""
    return file.resolve().is_relative_to((root / "build/mistakes").resolve())


def reference(builder: Builder, request: Request, number: int, runner: Path) -> Path:
    if request.reference is not None:
        return request.reference
    return runner if request.solution and request.file is None else builder.lab(number, True)
