"""Second step of a task: times a right one beside the reference."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from autograder.context import Context
from autograder.errors import GraderError
from autograder.explain.explanation import Explanation
from autograder.explain.reasons import short
from autograder.judge.judgement import alone
from autograder.plan import cases as casebook
from autograder.plan.cases import Case
from autograder.plan.manifest import TaskEntry
from autograder.plan.tables import TaskTable
from autograder.proving import proved
from autograder.report.result import time_result
from autograder.run.death import Death
from autograder.run.process import Runner
from autograder.run.protocol import KernelReport, Question
from autograder.submission import Timed
from autograder.timing.evidence import Evidence, evidence_of, without
from autograder.timing.measure import Lie, Stopped, Timing, measure, measure_on_gpu, of_two_processes, performance
from autograder.timing.pairs import Pairs
from autograder.timing.speed import slow
from autograder.timing.study import NOTHING, study
from autograder.verdict import Verdict

GPU_TIMED_N = 1 << 24  # well above launch latency on any GPU of today


def timed_case(context: Context, table: TaskTable, entry: TaskEntry) -> Case | None:
    """The call to time; None if the task is not timed."""
    return _case(context, table, entry) if context.settings.timed else None


def counted_case(context: Context, table: TaskTable, entry: TaskEntry) -> Case | None:
    """The same call, where times are not wanted, but its counters are: the task asks for evidence."""
    wanted = not context.settings.timed and context.virtual and bool(entry.evidence)
    return _case(context, table, entry) if wanted else None


def _case(context: Context, table: TaskTable, entry: TaskEntry) -> Case | None:
    settings = context.settings
    if settings.n is not None or not entry.timed:
        return None
    n = table.timed_n if context.virtual else max(table.timed_n, min(table.max_n, entry.gpu_n or GPU_TIMED_N))
    n = min(n, settings.max_n) if settings.max_n is not None else n
    variant = settings.variant if settings.variant is not None else (table.variants or [""])[0]
    return casebook.case(casebook.derive(settings.seed, "timed"), table.name, variant, n)


def time_task(
    context: Context, entry: TaskEntry, case: Case, student: Runner, explanation: Explanation,
    counted: Sequence[KernelReport] = (), evidence: tuple[Evidence, ...] = (),
) -> Timed:  # fmt: skip
    """Student and reference in turn, on the same fresh secret inputs.

    `counted`, `evidence`: the counters of another device, and what they show, if this one has none.
    """
    with context.processes.reference(case) as reference:
        found = _measured(context, entry, case, student, reference)
        printed = student.printed()
        more = NOTHING
        if context.settings.study and context.virtual and isinstance(found, Timing):
            more = study(context.checker, student, reference, case, found.kernels)
    if isinstance(found, Lie):
        return Timed("RTE", replace(explanation, reason=found.reason))
    if isinstance(found, Stopped):
        return _stopped(context, found, case.n, printed, explanation)
    found = replace(found, kernels=found.kernels or counted)
    verdict: Verdict = "SLOW" if performance(found.scored) < entry.slow_below else "AC"
    if context.virtual:
        evidence = evidence_of(entry, case.n, found.kernels)
    explanation = without(slow(explanation, found, entry.far_behind), evidence, found.kernels)
    return Timed(verdict, explanation, time_result(found, case.variant), found.kernels, more, evidence)


def count_task(context: Context, entry: TaskEntry, case: Case, student: Runner, explanation: Explanation) -> Timed:
    """The evidence of a task without times."""
    outcome = context.checker.batch(student, context.checker.prepare([case]), timed=True)
    if not outcome.ok:
        return _stopped(context, Stopped(outcome, False), case.n, student.printed(), explanation)
    evidence = evidence_of(entry, case.n, outcome.kernels)
    return Timed(
        "AC", without(explanation, evidence, outcome.kernels), kernels=outcome.kernels, evidence=evidence, untimed=True
    )


def _measured(
    context: Context, entry: TaskEntry, case: Case, student: Runner, reference: Runner
) -> Timing | Stopped | Lie:
    if context.virtual:
        is_reference = context.submission.reference() == context.submission.runner
        pairs = Pairs(context.checker, student, student if is_reference else reference, case)
        bandwidth = context.processes.modelled_bandwidth(lambda: _bandwidth(reference))
        return measure(pairs.modelled, case.n, bandwidth, entry.timed_inputs)

    def on_gpu(process: int) -> Timing | Stopped:
        fresh = replace(case, seed=casebook.derive(case.seed, "process", process))  # no input that it has seen before
        pairs = Pairs(context.checker, student, reference, fresh)
        with context.turns.to_check():
            pairs.prepare()
        with context.turns.to_time():  # one task at a time: none disturbs another's time, and they share the reference
            pairs.warm_up()
        pairs.look_ahead()
        with context.turns.to_time():
            found = measure_on_gpu(pairs.batches, pairs.quiet, case.n, _bandwidth(reference))
        return (pairs.confirmed() or found) if isinstance(found, Timing) else found

    return of_two_processes(on_gpu)


def _stopped(context: Context, found: Stopped, n: int, printed: str, explanation: Explanation) -> Timed:
    """A timed call that failed. Raises GraderError if it was the reference's."""
    if found.is_reference:
        raise GraderError(f"the reference solution fails at n = {n:,}: {short(found.outcome)}")
    judgement = alone(found.outcome, [found.outcome], "CHECK")
    failed = context.explain(judgement, printed, cause=proved(context, judgement).cause)
    reason = f"in the timed call: {failed.reason}"
    return Timed(judgement.verdict, replace(failed, reason=reason, notes=explanation.notes))


def _bandwidth(reference: Runner) -> float | None:
    """Bytes per second of a copy on this device, as the reference's (trusted) runner measures it."""
    answer = reference.call(Question(id=os.urandom(8).hex(), op="bandwidth"))
    if isinstance(answer, Death) and answer.of_device:
        raise GraderError(f"asked how fast it copies: {answer.reason}")
    return None if isinstance(answer, Death) else answer.copy_bandwidth
