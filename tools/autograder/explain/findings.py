"""Findings of the virtual GPU in words: what, where, why it matters, what helps."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from autograder.explain.places import place_text
from autograder.judge.outcome import Outcome
from autograder.run.protocol import Finding
from autograder.sanitize import clean

WARP = 32
# Of a call, the virtual GPU tells the findings in the order in which they happened, a cause before what comes of it.
# Only these come first, because the program does not go on, or last, because they spoil no output.
FIRST = ("invalid_ptx", "internal_error", "unsupported", "deadlock")
LAST = ("ignored_error", "leak")
# A GPU stops the kernel for these.
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


def explaining_first(found: Sequence[Finding], stopped: bool) -> tuple[Finding, ...]:
    """What ended the call comes first, unless what was found before it is its cause.

    `stopped`: the call ended by an access, or the like, that a GPU refuses.
    """
    ends = next((one for one in found if one.kind in STOPPING), None)
    if ends is None or not stopped or ends.of_race or found[0].kind in (*FIRST, "divergent_barrier"):
        return tuple(found)
    return (ends, *(one for one in found if one is not ends))


def merged(outcomes: Sequence[Outcome], notes: bool = False) -> tuple[Finding, ...]:
    """One finding for each kind and pair of lines, over all calls; a cause before what comes of it."""
    found: dict[tuple[str, str, int, int], Finding] = {}
    for outcome in outcomes:
        report = outcome.reply.report if outcome.reply else None
        for finding in report.findings if report else []:
            if finding.is_note is not notes:
                continue
            key = (finding.kind, finding.place.file, finding.place.line, finding.other_place.line)
            before = found[key].count if key in found else 0
            found[key] = msgspec.structs.replace(found.get(key, finding), count=before + finding.count)
    return tuple(sorted(_causes_first(list(found.values())), key=_rank))


def _causes_first(found: list[Finding]) -> list[Finding]:
    """As they happened, but for what says more of the same: a race between warps, an element never written.

    A missing barrier shows as a race and as an uninitialised read. But a race does not explain an uninitialised read
    on a line without a race: a flag that was never set to 0 causes races itself.
    """
    races = sorted((one for one in found if one.kind == "race"), key=in_one_warp)
    raced = {(place.file, place.line) for one in races for place in (one.place, one.other_place)}
    next_race = iter(races)
    ordered = [next(next_race) if one.kind == "race" else one for one in found]
    first = next((at for at, one in enumerate(ordered) if one.kind == "race"), len(ordered))
    unexplained = [one for one in ordered[first:] if _is_never_written(one, raced)]
    return [*ordered[:first], *unexplained, *(one for one in ordered[first:] if one not in unexplained)]


def _is_never_written(finding: Finding, raced: set[tuple[str, int]]) -> bool:
    """An undefined value in global memory, which no race explains."""
    # An undefined value's other place is where it was read.
    read = finding.other_place if finding.other_place.line > 0 else finding.place
    line = (read.file, read.line)
    return finding.kind == "uninitialized" and finding.space == "global" and line not in raced


def _rank(finding: Finding) -> int:
    if finding.kind in FIRST:
        return FIRST.index(finding.kind) - len(FIRST)
    return LAST.index(finding.kind) + 1 if finding.kind in LAST else 0


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
    told = finding.count <= 1 or finding.count == finding.threads  # how many threads is in the sentence
    return title + ("" if told else f", {finding.count:,} times")


def seen_lines(finding: Finding) -> list[str]:
    """What was seen, and in which launch."""
    return [clean(text, 400) for text in (finding.what, finding.launch.what) if text]


def finding_lines(finding: Finding, right: bool) -> list[str]:
    """What was seen, in which launch, why it matters, what helps. `right`: the output was right."""
    lines = seen_lines(finding)
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
