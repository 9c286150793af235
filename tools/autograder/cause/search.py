"""From a failure to its cause: candidates, experiments, controls, and one cause or none.

First the rules of the device, on the program as it is: they need no compilation. Then small changes of the source.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import msgspec

from autograder.cause.causes import Cause, cause_of
from autograder.cause.experiments import BITS, Laboratory, Repair, larger
from autograder.cause.likely import Lines, choose, found_in, in_file, in_groups, is_asked_for
from autograder.cause.program import Built, Program
from autograder.cause.refusals import of_refusal
from autograder.cause.rules import OVERFLOW, Rule, candidates, is_wrapped
from autograder.judge.check import Checker, How
from autograder.judge.judgement import Judgement
from autograder.judge.outcome import verdict_of
from autograder.plan.cases import Case
from autograder.run.process import Runner
from autograder.trace.writers import places_of, traced

CALL_SECONDS = 0.4  # of a call on an idle machine; what takes longer is no repair
MOST_PATIENCE = 20.0  # times that, on a busy one
LARGEST = 300_000  # n: a call that fails only beyond takes too long for more than a few experiments
OF_LAUNCH = ("blocks", "threads", "shared_bytes", "argument", "value")  # what a launch's numbers are made of
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
    by_rule, lines = _by_rule(bench, program.source, judgement)
    if by_rule and by_rule.kind not in ORDERING:
        return by_rule
    if is_wrapped(shown.wrong) and (by_width := _by_width(bench, program, judgement)):
        return by_width
    if shown.case.n > LARGEST:
        return by_rule
    built = program.built()
    chosen = choose(_by_change(bench, built, judgement, lines), shown) if built else None
    return cause_of(chosen.trial, program.name, chosen.right, chosen.of) if chosen else by_rule


def _with_edit(refused: Cause, bench: Bench, program: Program, judgement: Judgement) -> Cause:
    """The limit that a launch breaks, with a change of its numbers that repairs it, if there is one."""
    assert judgement.shown is not None
    built = program.built() if judgement.shown.case.n <= LARGEST else None
    repairs = _by_change(bench, built, judgement, Lines(), OF_LAUNCH) if built else []
    if chosen := choose(repairs):
        made = cause_of(chosen.trial, program.name, chosen.right, chosen.of)
        return msgspec.structs.replace(refused, tried=made.tried, was=made.was, now=made.now, where=made.where)
    return refused


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


def _by_rule(bench: Bench, source: Path, judgement: Judgement) -> tuple[Cause | None, Lines]:
    """The first rule of the device that repairs the failure, and the lines that have to do with it."""
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
            return None, Lines()
        for rule in rules:
            for repair in laboratory.repairs([rule]):
                if repair.holds:
                    its = cause_of(rule, source.name, repair.right, repair.of)
                    return its, Lines(ran=in_file(laboratory.ran, source.name))
        wrote = places_of(traced(bench.checker, runner, shown).values()) if shown.wrong else ()
        return None, Lines(in_file(wrote, source.name), in_file(laboratory.ran, source.name))


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


def _by_change(
    bench: Bench, built: Built, judgement: Judgement, lines: Lines, kinds: Sequence[str] = ()
) -> list[Repair]:
    """Repairs of the likeliest kind that has one, and of others as likely. `kinds`: of changes, if some are named."""
    planned = _planned(judgement)
    with bench.started(built.runner, planned, seconds=call_seconds()) as runner:
        laboratory = Laboratory(bench.checker, runner, judgement, bench.seed)
        if judgement.shown is None or not laboratory.reproduces():
            return []
        found: list[Repair] = []
        seen = found_in(judgement.shown)
        every = built.of(judgement.shown.case.task)
        tried = [one for one in every if one.kind in kinds] if kinds else every
        for changes in in_groups(tried, judgement, replace(lines, of_device=built.of_device)):
            found += laboratory.repairs([one for one in changes if is_asked_for(one, found, seen)])
            if laboratory.is_over:
                break
        return found
