"""From a failure to its cause: candidates, experiments, controls, and one cause or none."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from autograder.cause.causes import Cause, cause_of, kind_of, rank
from autograder.cause.changes import Change
from autograder.cause.experiments import Laboratory, Repair
from autograder.cause.program import Built, Program
from autograder.judge.judgement import Judgement
from autograder.means import Means

CALL_SECONDS = 0.4  # of a call; what takes longer is no repair
LARGEST = 40_000  # n: a call that fails only beyond takes too long for hundreds of experiments
# Changes that take something out, or make a condition constant, repair a call easily by doing less.
CRUDE = 5
HIDES = {
    "race": ("guard", "term", "leaves", "arithmetic"),
    "out_of_bounds": ("term", "leaves", "arithmetic", "missing_barrier", "several_barriers", "fence", "comparison"),
    "uninitialized": ("term", "leaves", "arithmetic"),
    "divergent_barrier": ("guard", "term", "leaves", "arithmetic", "barrier_too_many"),
    "leak": ("guard", "term", "leaves", "arithmetic"),
}
ORDERS = ("barrier", "barriers", "moved_barrier", "fence", "atomic")  # what orders accesses


def find(means: Means, program: Program, judgement: Judgement) -> Cause | None:
    """The cause of a task's failure, proved; None if no single change proves one."""
    shown = judgement.shown
    if shown is None or judgement.verdict not in ("WA", "CHECK", "RTE", "TLE") or shown.case.n > LARGEST:
        return None
    if (built := program.built()) is None:
        return None
    repairs = _experiments(means, built, judgement)
    chosen = choose(repairs)
    return cause_of(chosen.change, program.name, shown.case.n, chosen.right, chosen.of) if chosen else None


def _experiments(means: Means, built: Built, judgement: Judgement) -> list[Repair]:
    assert judgement.shown is not None
    planned = [one.case for one in judgement.outcomes]
    with means.processes.started(built.runner, planned, seconds=CALL_SECONDS) as runner:
        laboratory = Laboratory(means.checker, runner, built, judgement, means.settings.seed)
        if not laboratory.reproduces():
            return []
        found: list[Repair] = []
        for _, changes in groupby(ordered(built.file.changes, judgement), key=rank):
            found += laboratory.repairs(list(changes))
            if laboratory.is_over or any(one.holds for one in found):
                break  # what is less likely is not asked for
        return found


def ordered(changes: Sequence[Change], judgement: Judgement) -> list[Change]:
    """Likeliest first: by kind, and near the lines where something was found."""
    assert judgement.shown is not None
    seen = {place.line for one in judgement.shown.findings for place in (one.place, one.other_place) if place.line}
    races = any(one.kind in ("race", "uninitialized") for one in judgement.shown.findings)

    def key(change: Change) -> tuple[int, bool, int]:
        distance = min((abs(change.line - line) for line in seen), default=0)
        return rank(change), not (races and change.kind in ORDERS), distance

    kinds = {one.kind for one in judgement.shown.findings}
    return sorted((one for one in changes if all(_explains(one, kind) for kind in kinds)), key=key)


def _explains(change: Change, finding: str) -> bool:
    """Whether a repair by this change can be the cause of such a finding. Doing less hides what was found."""
    kind = kind_of(change)
    return rank(change) < CRUDE and kind not in HIDES.get(finding, ())


def choose(repairs: Sequence[Repair]) -> Repair | None:
    """The one cause that holds; None if those of the likeliest kind name different causes."""
    holding = [one for one in repairs if one.holds]
    if not holding:
        return None
    likeliest = min(rank(one.change) for one in holding)
    best = [one for one in holding if rank(one.change) == likeliest]
    lines = {one.change.line for one in best}
    if len(lines) > 1:
        kinds = {kind_of(one.change) for one in best}
        if kinds <= {"missing_barrier", "fence"}:  # several places between two accesses are as good: the last
            return max(best, key=lambda one: one.change.line)
        return None
    return best[0]
