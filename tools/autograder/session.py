"""One run of the grader over one lab: build, grade all tasks in parallel, put the result together."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from autograder import __version__
from autograder.build import Builder
from autograder.compiler import file_of
from autograder.errors import GraderError, UsageError
from autograder.grade import Settings, Submission, TaskGrader
from autograder.machine import chosen_device, clean_environment, gpu_answers
from autograder.manifest import Manifest, compare, load, manifest_path, suggest
from autograder.oracles import LabTable, Oracles
from autograder.result import LabName, Result

Progress = Callable[[str, float], None]


@dataclass
class Request:
    """What is to be graded, as the command line says it."""

    folder: Path
    solution: bool = False
    file: Path | None = None
    tasks: Sequence[str] = ()
    n: int | None = None
    variant: str | None = None
    max_n: int | None = None
    seed: int | None = None
    timed: bool = True
    jobs: int = 0
    seconds: float | None = None
    device: str = ""
    oracles: Path | None = None  # for tests of the grader itself
    reference: Path | None = None


def grade(root: Path, request: Request, progress: Progress = lambda task, part: None) -> tuple[Result, Manifest]:
    """Grades one lab. Raises UsageError, CompileError or GraderError where no task can be graded."""
    start = time.monotonic()
    manifest = load(request.folder)
    device = chosen_device(root, request.device)
    builder = Builder(root)
    runner = build(builder, request, manifest.number)
    oracles = Oracles(request.oracles or builder.build / "liboracles.so")
    table = oracles.lab(manifest.number)
    compare(manifest, [task.name for task in table.tasks], manifest_path(request.folder))
    names = chosen(request, manifest, table)
    virtual = device not in ("", "gpu") or not gpu_answers()
    if virtual and not any((builder.build / "virtual_gpu").glob("libcudart.so.*")):
        raise GraderError("no GPU answers, and the virtual GPU is not built; say: make")
    seed = request.seed if request.seed is not None else int.from_bytes(os.urandom(4), "big")
    submission = Submission(
        manifest,
        runner,
        lru_cache(maxsize=1)(lambda: reference(builder, request, manifest.number, runner)),
        clean_environment(),
        again(request, manifest.number),
    )
    settings = Settings(seed, request.n, request.variant, request.max_n, request.timed, request.seconds, device)
    grader = TaskGrader(oracles, submission, settings, virtual, progress)
    with ThreadPoolExecutor(request.jobs or os.cpu_count() or 1) as pool:
        tasks = list(pool.map(lambda name: grader.grade(table.task(name), manifest.entry(name)), names))
    points, worth = sum(task.points for task in tasks), sum(task.of for task in tasks)
    result = Result(
        grader=__version__,
        lab=LabName(manifest.number, manifest.name, manifest.title, request.folder.name, manifest.file),
        source=source_name(request),
        device=grader.device or ("virtual GPU" if virtual else "GPU"),
        modelled=grader.virtual,
        seed=f"{seed:x}",
        points=round(points, 1),
        of=worth,
        full_marks=len(names) == len(manifest.task) and all(task.points == task.of for task in tasks),
        passed=all(task.verdict == "AC" for task in tasks),
        partial=request.n is not None
        or not request.timed
        or request.max_n is not None
        or len(names) < len(table.tasks),
        tasks=tasks,
        seconds=round(time.monotonic() - start, 3),
    )
    return result, manifest


def build(builder: Builder, request: Request, number: int) -> Path:
    if request.file is not None:
        return builder.file(number, request.file, _of_one_task(builder.root, request.file))
    return builder.lab(number, request.solution)


def _of_one_task(root: Path, file: Path) -> bool:
    """Whether it is one of this repository's mistakes, which hold one task each."""
    return any(file.resolve().is_relative_to((root / folder).resolve()) for folder in ("solutions", "build/mistakes"))


def reference(builder: Builder, request: Request, number: int, runner: Path) -> Path:
    if request.reference is not None:
        return request.reference
    return runner if request.solution and request.file is None else builder.lab(number, True)


def chosen(request: Request, manifest: Manifest, table: LabTable) -> list[str]:
    """The names of the tasks to grade, in the order of the ladder."""
    names = [task.name for task in table.tasks]
    for name in request.tasks:
        if name not in names:
            raise UsageError(f"lab {manifest.number} has no task {name!r}{suggest(name, names)}")
    picked = [name for name in names if not request.tasks or name in request.tasks]
    if request.variant is not None:
        picked = [name for name in picked if request.variant in (table.task(name).variants or [""])]
        if not picked:
            known = sorted({variant for task in table.tasks for variant in task.variants})
            raise UsageError(f"no task here has the variant {request.variant!r}{suggest(request.variant, known)}")
    if request.n is not None:
        for name in picked:
            if not 0 <= request.n <= table.task(name).max_n:
                raise UsageError(f"{name} takes n from 0 to {table.task(name).max_n:,}, not {request.n:,}")
    return picked


def source_name(request: Request) -> str:
    if request.file is not None:
        return request.file.name
    return "solution" if request.solution else "lab"


def source_of(root: Path, request: Request) -> Path:
    """The file that is graded."""
    return request.file or file_of(root, request.folder.name, request.solution)


def again(request: Request, number: int) -> str:
    words = ["./grader", str(number)]
    if request.file is not None:
        words += ["--file", str(request.file)]
    elif request.solution:
        words.append("--solution")
    return " ".join(words + (["--device", request.device] if request.device else []))
