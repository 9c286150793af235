"""Private cases of one task: run last, in a process of their own, and what a student learns about them."""

from __future__ import annotations

import math
from fractions import Fraction

import msgspec

from autograder.checking import blame
from autograder.context import Context
from autograder.errors import GraderError
from autograder.judge.calls import run_all
from autograder.judge.judgement import decide
from autograder.judge.search import Search
from autograder.plan.manifest import TaskEntry
from autograder.plan.private_cases import Planned, PrivateSet, plan_private
from autograder.plan.tables import TaskTable
from autograder.report.result import PrivateResult, TaskResult
from autograder.submission import Private
from autograder.verdict import Verdict

_SAID: dict[str, str] = {
    "WA": "wrong",
    "RTE": "ends with an error",
    "TLE": "takes too long",
    "MLE": "takes too much memory",
    "CHECK": "right, but not clean,",
}


def with_private(
    context: Context, private: Private, result: TaskResult, table: TaskTable, entry: TaskEntry
) -> TaskResult:
    """The result of a task whose public cases are right, after its private ones."""
    planned = plan_private(private.sets, private.read, table, context.settings.seed)
    if not planned:
        return result
    with context.turns.to_check():
        judged = [_judged(one, entry, context) for one in planned]
    # Its own points and sentences hold what a student may know; `private` is for the instructor alone.
    failed = [(one.set, found) for one, found in zip(planned, judged, strict=True) if found.verdict != "AC"]
    told = tuple(line for one, found in failed for line in _told(one, found))
    result = msgspec.structs.replace(result, private=tuple(judged))
    deciding = next((found for one, found in failed if not one.weight), None)
    if deciding:
        return msgspec.structs.replace(
            result, verdict=deciding.verdict, points=0.0, reason=told[0], details=told[1:], again="", kind="",
            where="", time=None, kernels=(),
        )  # fmt: skip
    lost = sum((Fraction(one.weight) for one, _ in failed), Fraction(0))
    if not lost:
        return result
    points = math.floor(Fraction(str(result.points)) * max(Fraction(0), 100 - lost) / 100 * 10) / 10
    reason = result.reason or told[0]
    details = (*result.details, *(told[1:] if reason == told[0] else told))
    return msgspec.structs.replace(result, points=points, reason=reason, details=details)


def _judged(planned: Planned, entry: TaskEntry, context: Context) -> PrivateResult:
    one = planned.set
    checker = context.checker if planned.inputs is None else context.checker.with_inputs(planned.inputs)
    with context.processes.started(context.submission.runner, planned.cases) as runner:
        ran = run_all(checker, runner, planned.cases, entry.same_bits, lambda at: None)
        # No smaller size is looked for: the instructor chose this one.
        judgement = decide(ran, len(planned.cases), Search(checker, runner, 0), False, context.virtual)
    verdict: Verdict = "WA" if judgement.verdict == "SKIP" else judgement.verdict
    found = PrivateResult(one.name, verdict, judgement.right, judgement.planned, one.weight, one.show)
    shown = judgement.shown
    if verdict == "AC" or shown is None:
        return found
    try:
        blame(context, shown, checker)
    except GraderError:  # the message has the size, which students must not read
        raise GraderError(f"the reference solution fails in the course's own cases ({one.name}) as well") from None
    explanation = context.explain(judgement, "", one_size=True)
    case = shown.case
    again = [context.submission.command, "--task", case.task, "--n", str(case.n)]
    again += ["--variant", case.variant] if case.variant else []
    return msgspec.structs.replace(
        found, n=case.n, variant=case.variant, reason=explanation.reason, details=explanation.details,
        where=explanation.where,
        again="" if one.arrays else " ".join([*again, "--seed", f"{planned.seeds[case.seed]:x}"]),
    )  # fmt: skip


def _told(one: PrivateSet, found: PrivateResult) -> list[str]:
    """What a student may read: which set, and as much of the call as `show` allows."""
    cost = f": {one.weight} % of the points" if one.weight else ""
    lines = [f"{_SAID.get(found.verdict, found.verdict)} in the course's own cases ({one.name}){cost}"]
    if one.show != "verdict":
        of_input = "an input of the course" if one.arrays else f"n = {found.n:,}"
        lines.append(f"at {of_input}" + (f", {found.variant}" if found.variant else ""))
    if one.show == "all":
        lines += [text for text in (found.reason, *found.details) if text]
        lines += [f"at {found.where}"] if found.where else []
        lines += [f"again: {found.again}"] if found.again else []
    return lines
