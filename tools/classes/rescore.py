"""Points of a stored result by another lab.toml: nothing is run.

A result holds verdict, ratio and counters of each task. Points, what is core, slow_below, far_behind and the bounds of
evidence only say what these are worth.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import msgspec

from autograder.explain.explanation import Explanation
from autograder.plan.manifest import Manifest, TaskEntry
from autograder.report.result import Result, TaskResult
from autograder.score import points
from autograder.timing.evidence import HELPS, Evidence, evidence_of, evidence_text, share_met, without
from autograder.timing.measure import performance
from autograder.timing.speed import far_behind_text
from autograder.verdict import RIGHT

WHERE = re.compile(r"\S+:\d+: \d+ % of them")  # the line with most of what evidence has counted
Sets = Mapping[str, Sequence[Mapping[str, Any]]]


def rescored(whole: Mapping[str, Any], manifest: Manifest, private: Sets) -> dict[str, Any] | None:
    """The result with new points, as JSON has it; None if it lacks what the new lab.toml asks for: replay it.

    `private`: by task, the results of the course's private cases.
    """
    try:
        result = msgspec.convert(whole, Result)
    except msgspec.ValidationError:
        return None
    tasks = list[TaskResult]()
    for task in result.tasks:
        entry = next((one for one in manifest.task if one.name == task.name), None)
        again = _task(task, entry, result, private.get(task.name, ())) if entry else None
        if again is None:
            return None
        tasks.append(again)
    of = sum(task.of for task in tasks)
    whole_lab = len(tasks) == len(manifest.task)
    made = msgspec.structs.replace(
        result, tasks=tuple(tasks), points=round(sum(task.points for task in tasks), 1), of=of,
        full_marks=whole_lab and all(task.points == task.of for task in tasks),
        passed=all(task.verdict == "AC" for task in tasks),
    )  # fmt: skip
    found: dict[str, Any] = msgspec.to_builtins(made)
    return found


def _task(
    task: TaskResult, entry: TaskEntry, result: Result, private: Sequence[Mapping[str, Any]]
) -> TaskResult | None:
    if task.verdict not in RIGHT:
        return msgspec.structs.replace(task, of=entry.points, core=entry.core, points=0.0)
    evidence = _evidence(task, entry, result)
    if evidence is None:
        return None
    verdict, ratio = task.verdict, None
    if task.time:
        ratio = task.time.high if task.time.noisy else task.time.ratio
        verdict = "SLOW" if performance(ratio) < entry.slow_below else "AC"
    explanation = _explanation(task, performance(ratio), entry)
    if evidence:
        explanation = without(explanation, evidence)
    worth = points(verdict, entry.points, ratio, far_behind=entry.far_behind, evidence=share_met(evidence))
    lost = sum(
        (Fraction(str(one["weight"])) for one in private if one["verdict"] != "AC" and one["weight"]), Fraction(0)
    )
    if lost:
        worth = math.floor(Fraction(str(worth)) * max(Fraction(0), 100 - lost) / 100 * 10) / 10
    return msgspec.structs.replace(
        task, of=entry.points, core=entry.core, verdict=verdict, points=worth, evidence=evidence,
        reason=explanation.reason, details=explanation.details,
    )  # fmt: skip


def _evidence(task: TaskResult, entry: TaskEntry, result: Result) -> tuple[Evidence, ...] | None:
    """By the new bounds; None if the counters' n is not known, as where a GPU has timed another size."""
    if not entry.evidence or not entry.timed:
        return ()
    n = task.counted_n or (task.time.n if task.time and result.modelled else 0)
    if n and task.kernels:
        return evidence_of(entry, n, task.kernels)
    return None if task.kernels or not task.time else ()


def _explanation(task: TaskResult, factor: float, entry: TaskEntry) -> Explanation:
    """What was said of the task, without what the old lab.toml made of it."""
    missed = evidence_text(task.evidence)
    reason = "" if task.reason == missed else task.reason
    details = [
        line for line in task.details
        if line not in (missed, *HELPS.values()) and not WHERE.match(line)
        and "of the points for time are lost" not in line and not line.endswith("do all threads share the work?")
    ]  # fmt: skip
    if task.time and factor < 1.0:
        details = [*far_behind_text(factor, entry.far_behind), *details]
    return Explanation(reason=reason, details=tuple(details))


def with_private_sets(whole: dict[str, Any], private: Sets) -> dict[str, Any]:
    """The result as the grader writes it for the instructor alone."""
    for task in whole["tasks"]:
        task.pop("private", None)
        if private.get(task["name"]):
            task["private"] = list(private[task["name"]])
    return whole
