"""From a failure to its cause: candidates, experiments, controls, and one cause or none.

First the rules of the device, on the program as it is: they need no compilation. Then small changes of the source.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import msgspec

from autograder.cause.bench import Bench, call_seconds
from autograder.cause.causes import Cause, cause_of, kind_of, rank
from autograder.cause.change import Change
from autograder.cause.changed_input import of_changed_input
from autograder.cause.doubts import is_doubt
from autograder.cause.experiments import BITS, Laboratory, Repair
from autograder.cause.fresh import planned_cases, with_less_work
from autograder.cause.likely import (
    Lines,
    choose,
    choose_pair,
    found_in,
    in_file,
    in_groups,
    is_asked_for,
    lines_found,
    pairs_with,
)  # fmt: skip
from autograder.cause.made_of import find_made_of
from autograder.cause.program import Built, Program
from autograder.cause.refusals import of_refusal
from autograder.cause.rules import OVERFLOW, SYMPTOMS, Rule, candidates, is_cut_off, is_wrapped, watch_of, written_at
from autograder.cause.tried import Tried, is_too_soon, lacks_no_guard, needs_more_room, no_order_helps
from autograder.cause.unread import find_unread
from autograder.judge.check import How
from autograder.judge.judgement import Judgement
from autograder.judge.outcome import verdict_of
from autograder.plan.cases import rescheduled
from autograder.run.process import Runner

OTHER_SCHEDULES = 7  # in which a call may fail that does not fail again in its own
MOST_PARTS = 4  # changes that repair a part, and are tried with a second one
OF_LAUNCH = ("blocks", "threads", "shared_bytes", "argument", "value")  # what a launch's numbers are made of
ORDERING = ("overwritten", "read_early", "lost_update")  # causes for which a barrier or an atomic may say more


# Told of the changes of a task, in the order in which they are tried, and of what became of them: mistakes/why.py.
watch: Callable[[Sequence[Change], Tried], None] | None = None


@dataclass(frozen=True)
class Found:
    """What experiments with a failed task have shown."""

    cause: Cause | None = None
    refuted: bool = False  # no barrier, fence or atomic takes the race away that was found
    ran: Collection[int] = ()  # lines of kernels in the failing call


def find(bench: Bench, program: Program, judgement: Judgement) -> Found:
    """The cause of a task's failure, proved; none if no experiment proves one."""
    tried = Tried()
    cause = _cause(bench, program, judgement, tried)
    return Found(cause, judgement.shown is not None and no_order_helps(judgement.shown, tried), tried.ran)


def _cause(bench: Bench, program: Program, judgement: Judgement, tried: Tried) -> Cause | None:
    """The same; `tried` learns what became of changes."""
    shown = judgement.shown
    if shown is None or judgement.verdict not in ("WA", "CHECK", "RTE", "TLE"):
        return None
    if verdict_of(shown) is None and judgement.verdict == "WA":
        return _of_bits(bench, program, judgement)
    if changed := of_changed_input(bench, judgement, program.name):
        return changed
    if refused := of_refusal(shown):
        return _with_edit(refused, bench, program, judgement)
    by_rule, lines, laboratory, judgement = _by_rule(bench, program.source, judgement)
    tried.ran = lines.ran
    if by_rule and by_rule.seen and judgement.shown and judgement.shown.case != shown.case:
        by_rule = msgspec.structs.replace(by_rule, seen=f"{by_rule.seen} (at n = {judgement.shown.case.n:,})")
    shown = judgement.shown or shown
    if by_rule and by_rule.kind in SYMPTOMS:
        return _with_origin(by_rule, bench, program, judgement, lines)
    if by_rule and by_rule.kind not in ORDERING:
        return by_rule
    for kind, is_so in (("overflow", is_wrapped), ("fractions", is_cut_off)):
        if is_so(shown.wrong) and laboratory and (cause := _by_type(bench, program, judgement, laboratory, kind)):
            return cause
    # Without one the call does not fail again, or dies; but a program with changes ends the host's endless loops.
    built = program.built() if laboratory or judgement.verdict == "TLE" else None
    lines = replace(lines, beside=program.lines_of_unset(shown)) if built else lines
    if built:
        _by_change(bench, built, judgement, lines, into=tried)
    chosen = choose(tried.found, shown) or _by_pairs(bench, program, judgement, tried)
    if is_too_soon(chosen, tried, shown):
        return None
    if chosen:
        return cause_of(chosen.trial, program.name, chosen.right, chosen.of, chosen.also)
    if by_rule or laboratory is None:
        return by_rule
    outside = [one for one in shown.findings if one.kind == "out_of_bounds" and one.space in ("shared", "local")]
    if not outside:
        wider = program.of_wider_types(shown.case.task)
        by_type = _by_copies(bench, program, judgement, laboratory, "narrow", wider)
        return by_type or find_unread(bench, judgement, program.name) or find_made_of(bench, judgement)
    if not needs_more_room(shown) or not lacks_no_guard(tried, shown):
        return None
    for far in (False, True) if outside[0].space == "shared" else (False,):
        copies = program.enlarged(shown.case.task, outside[0].space, far=far)
        if too_small := _by_copies(bench, program, judgement, laboratory, "array_size", copies):
            return too_small
    return None


def _with_edit(refused: Cause, bench: Bench, program: Program, judgement: Judgement) -> Cause:
    """The limit that a launch breaks, with a change of its numbers that repairs it, if there is one."""
    assert judgement.shown is not None
    if refused.kind == "empty_launch" and judgement.shown.empty:  # no launch is needed
        return refused
    built = program.built()
    tried = _by_change(bench, built, judgement, Lines(), OF_LAUNCH) if built else Tried()
    # Others may stay within the limit by accident, such as blocks and threads in the other order.
    about_it = [one for one in tried.found if isinstance(one.trial, Change) and kind_of(one.trial) == refused.kind]
    if chosen := choose(about_it) or choose(tried.found):
        made = cause_of(chosen.trial, program.name, chosen.right, chosen.of, chosen.also)
        return msgspec.structs.replace(refused, tried=made.tried, was=made.was, now=made.now, where=made.where)
    return refused


def _with_origin(by_rule: Cause, bench: Bench, program: Program, judgement: Judgement, lines: Lines) -> Cause:
    """A change by which the values are there that a rule has given; the rule says then what was seen."""
    assert judgement.shown is not None
    about = program.lines_about(judgement.shown, by_rule)
    built = program.built() if about else None
    tried = _by_change(bench, built, judgement, lines, among=about) if built else Tried()
    if chosen := choose(tried.found, judgement.shown):
        made = cause_of(chosen.trial, program.name, chosen.right, chosen.of, chosen.also)
        return msgspec.structs.replace(made, seen=f"{by_rule.title[:1].upper()}{by_rule.title[1:]}: {by_rule.tried}")
    return by_rule


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


class ByRule(NamedTuple):
    """What came of the rules."""

    cause: Cause | None
    lines: Lines  # that have to do with the failure
    laboratory: Laboratory | None  # None: the failing call is no basis for experiments
    judgement: Judgement  # whose call all experiments are about


def _by_rule(bench: Bench, source: Path, judgement: Judgement) -> ByRule:
    """The first rule of the device that repairs the failure."""
    planned = planned_cases(bench.checker, judgement)
    with bench.started(bench.runner, planned, seconds=call_seconds(judgement)) as runner:
        judgement = with_less_work(bench.checker, runner, judgement, bench.seed)
        shown = judgement.shown
        assert shown is not None
        laboratory = Laboratory(bench.checker, runner, judgement, bench.seed)
        if laboratory.is_of_state():
            rules = [one for one in candidates(shown, None, source) if one.text == "rewind"]
        elif laboratory.reproduces():
            rules = candidates(shown, laboratory.watched(OVERFLOW), source)
        else:
            return ByRule(None, Lines(), None, judgement)
        for rule in rules:
            for repair in laboratory.repairs([rule]):
                if repair.holds:
                    its = cause_of(rule, source.name, repair.right, repair.of)
                    return ByRule(its, Lines(ran=in_file(laboratory.ran, source.name)), laboratory, judgement)
        watch = watch_of(shown.wrong) if shown.wrong else ""
        wrote = written_at(laboratory.watched(watch)) if watch else ()
        lines = Lines(in_file(wrote, source.name), in_file(laboratory.ran, source.name))
        return ByRule(None, lines, laboratory, judgement)


def _by_type(bench: Bench, program: Program, judgement: Judgement, before: Laboratory, kind: str) -> Cause | None:
    """Sums, or one of them, in 64 bits, or with the elements' type, where results lack their upper bits, or fractions.

    `before`: with the program as it is, which says how long a call may take; with wider sums, nothing fails.
    """
    assert judgement.shown is not None
    copies = program.widened(judgement.shown.case.task, fractions=kind == "fractions")
    return _by_copies(bench, program, judgement, before, kind, copies)


def _by_copies(
    bench: Bench,
    program: Program,
    judgement: Judgement,
    before: Laboratory,
    kind: str,
    copies: Iterable[tuple[Path, int]],
) -> Cause | None:
    """A copy of the program, with the line where it differs, that is right: a cause of this kind.

    If several are, the one that comes first. `before`: with the program as it is, which says how long a call may take.
    """
    planned = planned_cases(bench.checker, judgement)
    found: dict[int, Repair] = {}
    for runner_path, line in copies:
        with bench.started(runner_path, planned, seconds=call_seconds(judgement)) as runner:
            laboratory = Laboratory(bench.checker, runner, judgement, bench.seed, before)
            for one in laboratory.repairs([Rule("", kind, line)]):
                if one.holds:
                    found[line] = one
        if not found and not line:
            return None  # not even all together
    lines = [line for line in found if line]
    line = lines[0] if len(lines) == 1 else 0  # if several repair it, or only all together, none is named
    best = found.get(line) or found.get(0)
    return cause_of(Rule("", kind, line), program.name, best.right, best.of) if best else None


def _by_change(
    bench: Bench,
    built: Built,
    judgement: Judgement,
    lines: Lines,
    kinds: Sequence[str] = (),
    among: Collection[int] = (),
    into: Tried | None = None,
) -> Tried:
    """Repairs of the likeliest kind that has one, and of others as likely. `kinds`, `among`: only these, and lines."""
    tried = into or Tried()
    planned = planned_cases(bench.checker, judgement)
    with bench.started(built.runner, planned, seconds=call_seconds(judgement)) as runner:
        laboratory = _reproduced(bench, runner, judgement)
        if judgement.shown is None or laboratory is None:
            return tried
        every = built.of(judgement.shown.case.task)
        asked = [one for one in every if (not kinds or one.kind in kinds) and (not among or one.line in among)]
        tried.changes, tried.parts, tried.laboratory = asked, laboratory.parts, laboratory
        seen = found_in(judgement.shown)
        evidence = lines_found(judgement.shown) | set(lines.wrote)
        beside = frozenset(lines.beside).union(*(built.related.get(line, ()) for line in evidence))
        groups = list(in_groups(tried.changes, judgement, replace(lines, of_device=built.of_device, beside=beside)))
        tried.asked = [one for changes in groups for one in changes]
        for changes in groups:
            left = [one for one in changes if one not in laboratory.tried]
            tried.found += laboratory.repairs([one for one in left if is_asked_for(one, tried.found, seen)])
            left = [one for one in asked if one not in laboratory.tried]
            tried.found += laboratory.repairs([one for one in left if is_doubt(one, tried.found)])
            if laboratory.is_over:
                break
        if watch:
            watch(tried.asked, tried)
        return tried


def _reproduced(bench: Bench, runner: Runner, judgement: Judgement) -> Laboratory | None:
    """Experiments with the failing call, in another schedule if it fails only there: code with changes has its own."""
    shown = judgement.shown
    for repeat in range(1, OTHER_SCHEDULES + 2):
        laboratory = Laboratory(bench.checker, runner, judgement, bench.seed)
        if laboratory.reproduces():
            return laboratory
        if shown is None or judgement.verdict == "TLE":
            return None
        again = replace(shown, case=rescheduled(shown.case, repeat))
        judgement = replace(judgement, shown=again, outcomes=(*judgement.outcomes, again), together="by_chance")
    return None


def _by_pairs(bench: Bench, program: Program, judgement: Judgement, tried: Tried) -> Repair | None:
    """The same change in two places that repairs together what each repairs in part; only where none does alone."""
    parts = sorted(tried.parts, key=lambda one: (-tried.parts[one], rank(one)))[:MOST_PARTS]
    if not parts or any(one.holds for one in tried.found):
        return None
    runner_path = program.paired()
    if runner_path is None:
        return None
    with bench.started(runner_path, planned_cases(bench.checker, judgement), seconds=call_seconds(judgement)) as runner:
        laboratory = Laboratory(bench.checker, runner, judgement, bench.seed, tried.laboratory)
        if not laboratory.reproduces():
            return None
        found: list[Repair] = []
        for at, part in enumerate(parts):
            found += laboratory.repairs(pairs_with(part, tried.changes, parts[:at]), tried.parts[part])
        return choose_pair(found)
