"""Findings of the virtual GPU in words: what, where, why it matters, what helps."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from autograder.explain.places import place_text
from autograder.judge.outcome import Outcome
from autograder.plain import clean
from autograder.run.protocol import FINDING_KINDS, Finding

WARP = 32
# A cause comes before its effects: a missing barrier shows as a race and as an uninitialised read. But a race does not
# explain an uninitialised read on a line without a race: a flag that was never set to 0 causes races itself.
GRAVEST = ("invalid_ptx", "internal_error", "unsupported", "deadlock", "divergent_barrier", "race", *FINDING_KINDS)
# A GPU stops the kernel for these. If that happened, they come before everything else.
STOPPING = (
    "out_of_bounds",
    "misaligned",
    "use_after_free",
    "invalid_access",
    "trap",
    "device_assert",
    "invalid_ptx",
    "internal_error",
    "unsupported",
)
LUCK = "right here only by luck of the schedule; wrong on another GPU or at another size"
WHY = {
    "race": "the result depends on the order in which the threads happen to run",
    "out_of_bounds": "that memory belongs to something else: a wrong value today, a crash tomorrow",
    "misaligned": "a GPU stops the kernel at such an access",
    "use_after_free": "the memory may already hold something else",
    "uninitialized": "nothing has been written there: the value is whatever was there before",
    "divergent_barrier": "on a GPU the waiting threads may wait forever, or continue too early",
    "deadlock": "on a GPU this never ends",
    "ignored_error": "the call did nothing, so everything after it works on garbage",
    "deep_launch": "the lab limits how deep launches may be nested; CUDA itself refuses a launch beyond 24 levels",
    "leak": "the memory is lost until the program ends",
    "block_order": "the task must be right in whatever order blocks start; on a GPU that starts them in another order, "
    "this never ends",
    "co_residency": "on a GPU with less room, or with other work on it, this never ends",
}
# What a deadlock's finding says if blocks wait for others that have not started.
NOT_STARTED = "had not started"
NEVER_START = "on a GPU that does not hold more blocks at once, this never ends"
TITLES = {
    "race": "race in {space} memory",
    "out_of_bounds": "out of bounds: {access} outside an array in {space} memory",
    "misaligned": "misaligned {access}",
    "use_after_free": "use after free: {access} of freed memory",
    "uninitialized": "uninitialized {space} memory was read",
    "uninitialized register": "uninitialized: a variable was used before it had a value",
    "uninitialized shuffle": "uninitialized: a shuffle's value from a lane that takes no part was used",
    "divergent_barrier": "divergent barrier: not all threads of the block reach it",
    "deadlock": "deadlock: threads wait for each other forever",
    "host_access": "host code used a device pointer",
    "invalid_access": "invalid access: an address that belongs to no array",
    "trap": "the kernel trapped",
    "device_assert": "an assert in the kernel failed",
    "invalid_ptx": "the PTX compiler refuses this program",
    "internal_error": "the virtual GPU failed while it ran this",
    "unsupported": "the virtual GPU does not support this",
    "leak": "memory was not freed",
    "ignored_error": "a CUDA call failed and its error was ignored",
    "deep_launch": "a kernel launched deeper than the lab allows",
    "failed_call": "a CUDA call in a kernel failed",
    "block_order": "the kernel relies on the order in which blocks start",
    "plain_read": "a plain read beside atomics",
    "shuffle_order": "a write after a read that only a shuffle or vote orders",
    "shuffle_place": "lanes exchange values between calls at different lines",
    "overflow": "32 bits are too few for a number that becomes an index or a bound",
    "co_residency": "the kernel relies on all its blocks being on the device at once",
}
NO_ADDRESS = "invalid operation in a kernel"  # a mask, a width, a stack that is full


def merged(outcomes: Sequence[Outcome], notes: bool = False) -> tuple[Finding, ...]:
    """One finding for each kind and pair of lines, over all calls; the gravest first."""
    found: dict[tuple[str, str, int, int], Finding] = {}
    for outcome in outcomes:
        report = outcome.reply.report if outcome.reply else None
        for finding in report.findings if report else []:
            if finding.is_note is not notes:
                continue
            key = (finding.kind, finding.place.file, finding.place.line, finding.other_place.line)
            before = found[key].count if key in found else 0
            found[key] = msgspec.structs.replace(found.get(key, finding), count=before + finding.count)
    stopped = any(outcome.reply is not None and outcome.reply.status == "cuda_error" for outcome in outcomes)
    races = [one for one in found.values() if one.kind == "race"]
    raced = {(place.file, place.line) for one in races for place in (one.place, one.other_place)}
    gravest_first = sorted(
        found.values(), key=lambda one: (_gravity(one, stopped, raced), in_one_warp(one), one.place.line)
    )
    return tuple(gravest_first)


def _gravity(finding: Finding, stopped: bool, raced: set[tuple[str, int]]) -> float:
    order = (*STOPPING, *GRAVEST) if stopped else GRAVEST
    # An undefined value's other place is where it was read.
    read = finding.other_place if finding.other_place.line > 0 else finding.place
    line = (read.file, read.line)
    if finding.kind == "uninitialized" and finding.space == "global" and line not in raced:
        return order.index("race") - 0.5
    return order.index(finding.kind) if finding.kind in order else len(order)


def in_one_warp(finding: Finding) -> bool:
    """A race between warps says more than one between the lanes of a warp.

    The test fits blocks whose rows are whole warps; in others, only the order of two races could differ.
    """
    (x, *rest), (other_x, *other_rest) = finding.thread, finding.other_thread
    return finding.block == finding.other_block and rest == other_rest and x // WARP == other_x // WARP


def finding_title(finding: Finding) -> str:
    words = {"space": clean(finding.space, 20) or "device", "access": clean(finding.access, 20) or "access"}
    in_kernel = finding.kind == "invalid_access" and finding.kernel and not finding.access
    known = NO_ADDRESS if in_kernel else TITLES.get(f"{finding.kind} {finding.space}") or TITLES.get(finding.kind)
    title = known.format_map(words) if known else clean(finding.kind, 40).replace("_", " ")
    return title + (f", {finding.count:,} times" if finding.count > 1 else "")


def finding_lines(finding: Finding, right: bool) -> list[str]:
    """What was seen, why it matters, what helps. `right`: the output was right."""
    lines = [clean(finding.what, 400)] if finding.what else []
    if finding.kind in WHY:
        why = LUCK if finding.kind == "race" and right else WHY[finding.kind]
        waits_for_room = finding.kind == "deadlock" and NOT_STARTED in finding.what
        lines.append(f"why it matters: {NEVER_START if waits_for_room else why}")
    if finding.help:
        lines.append(f"what helps: {clean(finding.help, 400)}")
    return lines


def more_findings(found: Sequence[Finding]) -> list[str]:
    """What else was found, in a line: kinds and source lines."""
    rest: dict[str, list[str]] = {}
    for finding in found[1:]:
        rest.setdefault(finding_title(finding).split(",")[0], []).append(place_text(finding.place))
    words = [
        f"{title} ({', '.join(sorted({place for place in places if place})[:4])})" for title, places in rest.items()
    ]
    return [f"also found: {'; '.join(words)}"] if words else []
