"""Findings of the virtual GPU in words: what, where, why it matters, what helps."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

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
# What a deadlock's finding says if blocks wait for others that have not started.
NOT_STARTED = "had not started"
NEVER_START = "on a GPU that does not hold more blocks at once, this never ends"
NO_ADDRESS = "invalid operation in a kernel"  # a mask, a width, a stack that is full


def _words() -> tuple[dict[str, str], dict[str, str]]:
    """Titles, and why it matters: the rows of the virtual GPU's own table, which its command reads too."""
    text = (Path(__file__).parents[3] / "virtual_gpu" / "findings.inc").read_text("utf-8")
    string = r'"(?:[^"\\\n]|\\.)*"'
    rows = re.findall(rf"^X\(({string}),\s*({string}),\s*({string})\)$", text, re.MULTILINE)
    read = [[str(json.loads(part)) for part in row] for row in rows]
    return {name: title for name, title, _ in read}, {name: why for name, _, why in read if why}


TITLES, WHY = _words()


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
