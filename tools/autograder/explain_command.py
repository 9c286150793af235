"""./grader explain: the source with the counters of each line, of the timed calls or of one that is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autograder.arguments import seed_of, size_of
from autograder.build.builder import Builder
from autograder.explain.findings import merged
from autograder.explain.reasons import short
from autograder.judge.check import Checker
from autograder.judge.oracles import Oracles
from autograder.judge.outcome import Outcome
from autograder.options import File, Lab, Size, Solution, Tasks, Unsafe, Variant, Virtual
from autograder.plan.cases import case, derive
from autograder.plan.labs import need_solution
from autograder.plan.manifest import load
from autograder.plan.request import Request, chosen
from autograder.processes import Processes
from autograder.report import listing, terminal
from autograder.report.progress import task_lines
from autograder.report.result import TaskResult
from autograder.report_command import Tell, Which
from autograder.run.machine import machine
from autograder.session import build, grade
from autograder.submission import Settings, Submission
from autograder.verdict import Verdict


def counted(root: Path, request: Request) -> list[TaskResult]:
    """Each task's counters in one call, whether its output is right or not."""
    manifest = load(request.folder)
    builder = Builder(root, sandbox=request.sandbox)
    runner = build(builder, request, manifest.number)
    oracles = Oracles(builder.build)
    table = oracles.lab(manifest.number)
    names = chosen(request, manifest, table)
    device = machine(root, builder.build, request.device or "virtual", request.sandbox)
    checker = Checker(oracles, manifest.number, manifest)
    processes = Processes(Submission(manifest, runner, lambda: runner, device), Settings(0), checker)
    found = []
    try:
        for name in names:
            of = table.task(name)
            variant = request.variant if request.variant is not None else (of.variants or [""])[0]
            size = of.timed_n if request.n is None else request.n
            one = case(derive(request.seed or 0, "explained"), name, variant, size)
            with processes.started(runner, [one]) as process:
                outcome = checker.run(process, one, counters=True)
            entry = manifest.entry(name)
            found.append(
                TaskResult(
                    name, 0.0, entry.points, entry.core, _verdict(outcome),
                    reason="" if outcome.ok or outcome.skipped else short(outcome),
                    findings=merged([outcome]), notes=merged([outcome], notes=True),
                    kernels=tuple(outcome.kernels), counted_n=size, counted_variant=variant,
                )
            )  # fmt: skip
    finally:
        processes.close()
    return found


def _verdict(outcome: Outcome) -> Verdict:
    if outcome.skipped:
        return "SKIP"
    if outcome.death is not None:
        return "RTE"
    return "AC" if outcome.ok else "WA"


def add_to(app: typer.Typer, root: Path, which: Which, tell_of_sandbox: Tell) -> None:
    """Makes the command known to ./grader. `which`: the lab's folder for what the command line says."""

    @app.command("explain")
    def explain_command(
        lab: Lab = None,
        task: Tasks = None,
        n: Size = None,
        variant: Variant = None,
        seed: Annotated[str | None, typer.Option(help="hexadecimal; repeats the call of --n or --variant")] = None,
        solution: Solution = False,
        file: File = None,
        device: Virtual = "",
        no_sandbox: Unsafe = False,
    ) -> None:
        """Shows the source with the counters and findings of each line."""
        counts = device or "virtual"  # a GPU does not
        request = Request(
            *which(lab, solution), file=file, tasks=task or (), n=size_of("--n", n), variant=variant,
            seed=seed_of(seed), device=counts, sandbox=not no_sandbox,
        )  # fmt: skip
        if request.solution and file is None:
            need_solution(root, request.folder.name, "explain --solution")
        tell_of_sandbox(request)
        if request.n is not None or request.variant is not None:
            own = request.source_file(root).name
            listing.show_tasks(terminal.console(), counted(root, request), own)
            return
        with task_lines() as progress:
            result, _ = grade(root, request, progress)
        listing.show(terminal.console(), result, task or [])
