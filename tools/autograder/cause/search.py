"""From a failure to its cause: candidates, experiments, controls, and one cause or none.

First the rules of the device, on the program as it is: they need no compilation. Then small changes of the source.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Protocol

import msgspec

from autograder.cause.causes import Cause, cause_of, is_constant, kind_of, rank
from autograder.cause.change import Change
from autograder.cause.experiments import BITS, Laboratory, Repair, larger
from autograder.cause.program import Built, Program
from autograder.cause.refusals import of_refusal
from autograder.cause.rules import OVERFLOW, Rule, candidates, is_wrapped, told_of
from autograder.judge.check import Checker, How
from autograder.judge.judgement import Judgement
from autograder.judge.outcome import Outcome, verdict_of
from autograder.plan.cases import Case
from autograder.run.process import Runner

CALL_SECONDS = 0.4  # of a call on an idle machine; what takes longer is no repair
MOST_PATIENCE = 20.0  # times that, on a busy one
LARGEST = 300_000  # n: a call that fails only beyond takes too long for more than a few experiments
# Changes that take something out, or make a condition constant, repair a call easily by doing less.
CRUDE = 5
HIDES = {
    "race": ("guard", "missing_condition", "term", "leaves", "arithmetic"),
    "out_of_bounds": ("term", "leaves", "arithmetic", "missing_barrier", "several_barriers", "fence", "comparison"),
    "uninitialized": ("term", "leaves", "arithmetic"),
    "deadlock": ("guard", "missing_condition", "term", "leaves", "arithmetic", "comparison", "thread_index"),
    "divergent_barrier": ("guard", "missing_condition", "term", "leaves", "arithmetic", "barrier_too_many"),
    "leak": ("guard", "missing_condition", "term", "leaves", "arithmetic"),
}
OF_LAUNCH = ("blocks", "threads", "shared_bytes", "argument", "value")  # what a launch's numbers are made of
ORDERS = ("barrier", "barriers", "moved_barrier", "fence", "atomic")  # what orders accesses
NEEDS_FINDING = (
    "missing_barrier", "several_barriers", "moved_barrier", "fence", "warp_barrier", "weak_barrier", "wait", "atomic",
)  # fmt: skip
ORDERING = ("overwritten", "read_early", "lost_update")  # causes for which a barrier or an atomic may say more


def call_seconds() -> float:
    """The limit of a call. On a busy machine, a call that is cut off too early would look like an endless one."""
    return CALL_SECONDS * min(max(os.getloadavg()[0] / (os.cpu_count() or 1), 1.0), MOST_PATIENCE)


class Starts(Protocol):
    """Starts a program, with memory for these cases; it is always ended. `seconds`: of a call."""

    def __call__(
        self, path: Path, cases: Sequence[Case], *, seconds: float | None = None
    ) -> AbstractContextManager[Runner]: ...


@dataclass(frozen=True)
class Bench:
    """What experiments with a submission work with."""

    checker: Checker
    started: Starts
    runner: Path  # the submission's
    seed: int


def find(bench: Bench, program: Program, judgement: Judgement) -> Cause | None:
    """The cause of a task's failure, proved; None if no experiment proves one."""
    shown = judgement.shown
    if shown is None or judgement.verdict not in ("WA", "CHECK", "RTE", "TLE"):
        return None
    if verdict_of(shown) is None and judgement.verdict == "WA":
        return _of_bits(bench, program, judgement)
    if refused := of_refusal(shown):
        return _with_edit(refused, bench, program, judgement)
    by_rule = _by_rule(bench, program.source, judgement)
    if by_rule and by_rule.kind not in ORDERING:
        return by_rule
    if is_wrapped(shown.wrong) and (by_width := _by_width(bench, program, judgement)):
        return by_width
    if shown.case.n > LARGEST:
        return by_rule
    built = program.built()
    chosen = choose(_by_change(bench, built, judgement), _found(shown)) if built else None
    return cause_of(chosen.trial, program.name, chosen.right, chosen.of) if chosen else by_rule


def _with_edit(refused: Cause, bench: Bench, program: Program, judgement: Judgement) -> Cause:
    """The limit that a launch breaks, with a change of its numbers that repairs it, if there is one."""
    assert judgement.shown is not None
    built = program.built() if judgement.shown.case.n <= LARGEST else None
    repairs = _by_change(bench, built, judgement, OF_LAUNCH) if built else []
    if chosen := choose(repairs):
        made = cause_of(chosen.trial, program.name, chosen.right, chosen.of)
        return msgspec.structs.replace(refused, tried=made.tried, was=made.was, now=made.now, where=made.where)
    return refused


def _found(shown: Outcome) -> set[str]:
    """The kinds of what was found in a call."""
    return {one.kind for one in shown.findings}


def _planned(judgement: Judgement) -> list[Case]:
    """The cases for which a process needs room."""
    assert judgement.shown is not None
    return [*(one.case for one in judgement.outcomes), *larger(judgement.shown.case)]


def _of_bits(bench: Bench, program: Program, judgement: Judgement) -> Cause | None:
    """A right result whose bits differ from run to run: they must not, if the threads come in their order."""
    assert judgement.shown is not None
    source = program.source
    with bench.started(bench.runner, [judgement.shown.case]) as runner:
        laboratory = Laboratory(bench.checker, runner, judgement, bench.seed)
        rule = next((one for one in candidates(judgement.shown, None, source) if one.text == "by index"), None)
        if rule is None or not laboratory.differs(How()) or laboratory.differs(How(what_if=rule.text)):
            return None
    return cause_of(Rule(rule.text, "order_of_sums", rule.line), source.name, BITS, BITS)


def _by_rule(bench: Bench, source: Path, judgement: Judgement) -> Cause | None:
    """The first rule of the device that repairs the failure."""
    shown = judgement.shown
    assert shown is not None
    planned = _planned(judgement)
    with bench.started(bench.runner, planned, seconds=call_seconds()) as runner:
        laboratory = Laboratory(bench.checker, runner, judgement, bench.seed)
        if laboratory.is_of_state():
            rules = [one for one in candidates(shown, None, source) if one.text == "rewind"]
        elif laboratory.reproduces():
            rules = candidates(shown, laboratory.watched(OVERFLOW), source)
        else:
            return None
        for rule in rules:
            for repair in laboratory.repairs([rule]):
                if repair.holds:
                    return cause_of(rule, source.name, repair.right, repair.of)
    return None


def _by_width(bench: Bench, program: Program, judgement: Judgement) -> Cause | None:
    """64-bit results that are wrong by multiples of 2^32: the sums, or one of them, in 64 bits."""
    shown = judgement.shown
    assert shown is not None
    planned = _planned(judgement)
    found: dict[int, Repair] = {}
    for runner_path, line in program.widened(shown.case.task):
        with bench.started(runner_path, planned, seconds=call_seconds()) as runner:
            laboratory = Laboratory(bench.checker, runner, judgement, bench.seed)
            for one in laboratory.repairs([Rule("", "overflow", line)]):
                if one.holds:
                    found[line] = one
        if not found:
            return None  # not even all together
    lines = [line for line in found if line]
    line = lines[0] if len(lines) == 1 else 0  # if several repair it, or only all together, none is named
    best = found.get(line) or found.get(0)
    return cause_of(Rule("", "overflow", line), program.name, best.right, best.of) if best else None


def _by_change(bench: Bench, built: Built, judgement: Judgement, kinds: Sequence[str] = ()) -> list[Repair]:
    """Repairs of the likeliest kind that has one; of these kinds of changes, if some are named."""
    planned = _planned(judgement)
    with bench.started(built.runner, planned, seconds=call_seconds()) as runner:
        laboratory = Laboratory(bench.checker, runner, judgement, bench.seed)
        if judgement.shown is None or not laboratory.reproduces():
            return []
        found: list[Repair] = []
        every = built.of(judgement.shown.case.task)
        tried = [one for one in every if one.kind in kinds] if kinds else every
        seen = _found(judgement.shown)
        for _, changes in groupby(ordered(tried, judgement), key=lambda one: rank(one, seen)):
            found += laboratory.repairs(list(changes))
            if laboratory.is_over or any(one.holds for one in found):
                break  # what is less likely is not asked for
        return found


def ordered(changes: Sequence[Change], judgement: Judgement) -> list[Change]:
    """Likeliest first: by kind, and near the lines where something was found."""
    assert judgement.shown is not None
    seen = {place.line for one in judgement.shown.findings for place in (one.place, one.other_place) if place.line}
    races = any(one.kind in ("race", "uninitialized") for one in judgement.shown.findings)

    kinds = _found(judgement.shown)

    def key(change: Change) -> tuple[float, bool, int]:
        distance = min((abs(change.line - line) for line in seen), default=0)
        return rank(change, kinds), not (races and change.kind in ORDERS), distance

    left = {one.place.line for one in told_of(judgement.shown, "early_exit")}
    if not kinds and judgement.verdict == "WA":  # accesses that nothing orders would have been found
        changes = [one for one in changes if kind_of(one) not in NEEDS_FINDING]
    return sorted((one for one in changes if _explains(one, kinds, left)), key=key)


def _explains(change: Change, findings: Collection[str], left: Collection[int]) -> bool:
    """Whether a repair by this change can be the cause of these findings. Doing less hides what was found.

    `left`: lines where threads leave before a barrier.
    """
    kind = kind_of(change)
    grows = kind == "argument" and change.now.endswith("+ 1")  # more elements do not keep an access inside an array
    if is_constant(change) or (grows and "out_of_bounds" in findings):
        return False
    if kind == "leaves" and change.line in left:
        return True
    if kind == "guard" and "out_of_bounds" in findings:  # threads beyond the end also write where others do
        findings = [one for one in findings if one != "race"]
    return not findings or (rank(change) < CRUDE and not any(kind in HIDES.get(finding, ()) for finding in findings))


def choose(repairs: Sequence[Repair], found: Collection[str] = ()) -> Repair | None:
    """The one cause that holds; None if those of the likeliest kind name different causes.

    `found`: kinds of findings.
    """
    holding = [(one, one.trial) for one in repairs if one.holds and isinstance(one.trial, Change)]
    if not holding:
        return None
    likeliest = min(rank(change, found) for _, change in holding)
    best = [(one, change) for one, change in holding if rank(change, found) == likeliest]
    if len({change.line for _, change in best}) > 1:
        kinds = {kind_of(change) for _, change in best}
        if kinds <= {"missing_barrier", "fence", "warp_barrier"}:  # several places between two accesses are as good
            return max(best, key=lambda one: one[1].line)[0]
        if kinds == {"guard"}:  # the first place is where the index is made
            return min(best, key=lambda one: one[1].line)[0]
        return None
    return best[0][0]
