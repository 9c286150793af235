"""First step of a task: makes its calls and judges the outputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from autograder.context import Context
from autograder.errors import GraderError
from autograder.explain.reasons import short
from autograder.judge.calls import Ran, run_all
from autograder.judge.check import Checker
from autograder.judge.edges import largest_if_limited, run_edges
from autograder.judge.judgement import decide
from autograder.judge.orders import run_orders
from autograder.judge.outcome import Outcome, verdict_of
from autograder.judge.search import Search
from autograder.plan import cases as casebook
from autograder.plan.cases import Case
from autograder.plan.manifest import TaskEntry
from autograder.plan.tables import Shape, TaskTable
from autograder.run.process import Runner
from autograder.submission import Judged
from autograder.timing.measure import instructions_of
from autograder.words import counted, rounded


def plan_task(context: Context, table: TaskTable, entry: TaskEntry) -> list[Case]:
    options = context.settings
    planned = casebook.plan(
        table,
        options.seed,
        virtual=context.virtual,
        only_n=options.n,
        only_variant=options.variant,
        max_n=options.max_n,
        order_tells=entry.order_tells,
        scheduled=entry.scheduled,
    )
    return differing(planned, context.checker.shape)


def differing(planned: Sequence[Case], shape: Callable[[Case], Shape]) -> list[Case]:
    """The cases without empty inputs of a shape that another one has, as all empty lists of numbers have."""
    found: list[Case] = []
    shapes: list[tuple[str, Shape]] = []
    for case in planned:
        if case.n == 0:
            if (case.variant, shape(case)) in shapes:
                continue
            shapes.append((case.variant, shape(case)))
        found.append(case)
    return found


def check_task(context: Context, table: TaskTable, entry: TaskEntry, planned: Sequence[Case], runner: Runner) -> Judged:
    """Runs and judges. Raises GraderError if the reference is wrong as well."""
    steps = len(planned) + 4  # the search and the time take about as long as four calls

    def progress(at: int) -> None:
        if at == 1:  # the task is started and ran once, so it will most likely be timed
            context.processes.wake_reference()
        context.progress(table.name, at / steps)

    ran = run_all(context.checker, runner, planned, entry.same_bits, progress)
    if context.whole:
        ran = run_edges(context.checker, runner, ran, context.settings.seed, entry.same_bits)
    if context.virtual and entry.same_bits and entry.rounds:
        ran = run_orders(context.checker, runner, ran, entry.order_tells)
    return _judged(context, ran, planned, runner)


def check_on_wide(context: Context, table: TaskTable, entry: TaskEntry, right: Judged) -> Judged:
    """Runs a right task again where many more blocks are resident; returns the failure if it fails there.

    Too slow there is no failure unless the lab asks for the call: no limit is meant for so many blocks.
    """
    asked = casebook.special_cases(table, entry.wide)
    if not (cases := asked or largest_if_limited(right.judgement.outcomes, context.settings.seed)):
        return right
    with context.processes.started(context.submission.runner, cases, device=casebook.WIDE) as runner:
        ran = run_all(context.checker, runner, cases, entry.same_bits, lambda at: None, right.judgement.outcomes)
        if not asked and verdict_of(ran.outcomes[0]) == "TLE":
            return right
        wide = _judged(context, ran, cases, runner, casebook.WIDE)
    return right if wide.judgement.verdict == "AC" else replace(wide, elsewhere=casebook.WIDE)


def _judged(context: Context, ran: Ran, planned: Sequence[Case], runner: Runner, device: str = "") -> Judged:
    options = context.settings
    search = Search(context.checker, runner, options.seed)
    count = max(len(planned) - ran.spared, len(ran.outcomes))
    judgement = decide(ran, count, search, options.n is None, context.virtual)
    if judgement.shown:
        blame(context, judgement.shown, device=device)
    return Judged(judgement, runner.printed(), runner.device)


def beside_reference(context: Context, outcome: Outcome) -> list[str]:
    """How much a call had done when its time was up, and how much the reference needs. None for an endless loop."""
    death, path = outcome.death, context.submission.reference()
    is_endless = death is not None and any(" never leaves " in line for line in death.details)
    if death is None or not death.instructions or is_endless or path == context.submission.runner:
        return []
    with context.processes.started(path, [outcome.case]) as runner:
        reference = context.checker.run(runner, outcome.case, checks=False, counters=True)
    needed = instructions_of(reference.kernels)
    launches = sum(kernel.launches for kernel in reference.kernels)
    if not reference.ok or not needed:
        return []
    own = counted(launches, "launch", "launches")
    said = f"the reference needs {rounded(needed)} warp instructions for this call, in {own}"
    if death.launches > launches:
        return [f"{said}; this was launch {death.launches:,}"]
    return [f"{said}; this launch had run {rounded(death.instructions)}"]


def blame(context: Context, outcome: Outcome, checker: Checker | None = None, device: str = "") -> None:
    """Asks whose fault it is, where it may be another's than the student's.

    Raises GraderError if the reference fails in the same call: then the lab is wrong, or the device.
    """
    if not outcome.is_wrong and not outcome.ended_device:
        return
    path, at = context.submission.reference(), f"n = {outcome.case.n:,}"
    if path == context.submission.runner:
        if outcome.ended_device:
            raise GraderError(f"the reference solution itself: {short(outcome)} (at {at})")
        return
    with context.processes.started(path, [outcome.case], device=device) as runner:
        reference = (checker or context.checker).run(runner, outcome.case, checks=outcome.ended_device)
    if reference.ended_device:
        raise GraderError(f"with the reference solution, too: {short(reference)} (at {at})")
    if not reference.ok:
        raise GraderError(
            f"the reference solution fails as well at {at}, so the oracle "
            f"or the reference is broken: {short(reference)}"
        )
