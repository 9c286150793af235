"""The what-if rules of the device that may repair a failure, as candidates; the program stays as it is.

virtual_gpu/README.md, "What-if rules", says what each does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

import numpy as np

from autograder.judge.outcome import Outcome, Wrong
from autograder.run.memory import poisoned
from autograder.run.protocol import Finding, Place
from autograder.sanitize import clean

ZEROS = {"memory": "unset_memory", "outputs": "unset_output", "shared": "unset_shared", "local": "unset_local"}
SYMPTOMS = (*ZEROS.values(), "unwritten", "overwritten_input")  # they say that a value is missing, not why
OVERFLOW = "watch overflow"
WATCHED = 4  # wrong elements
BY_ORDER = ("block_order", "co_residency")  # findings that say themselves what depends on an order


@dataclass(frozen=True)
class Rule:
    """One rule, or several at once."""

    text: str
    kind: str  # of the cause that it proves
    line: int = 0  # of the student's file; 0: not known
    seen: str = ""  # what the proof is about, in a sentence


def candidates(shown: Outcome, watched: Outcome | None, source: Path) -> list[Rule]:
    """Likeliest first. `watched`: the failing call while overflows are watched."""
    races = [one for one in shown.findings if one.kind == "race" and one.block == one.other_block]
    found = [rule for one in races[:2] for rule in _orders(one, source.name)]
    found += [
        Rule(f"one at a time {_at(one.place)}", "lost_update", one.place.line)
        for one in races[:2]
        if one.place.line == one.other_place.line and _is_in(one.place, source.name)
    ]
    lines = _lines(source)
    found.append(Rule("rewind", "not_reset", _only(lines, r"^\s*(static\s+)?__device__[^({]*[;=]")))
    unset = next((one.place.line for one in shown.findings if one.kind == "uninitialized"), 0)
    found += [Rule(f"zero {what}", kind, unset) for what, kind in ZEROS.items() if what != "outputs" or unset]
    if not unset:  # nothing was read too early
        kind = "unwritten" if shown.wrong is None or is_all_poison(shown.wrong) else "unset_output"
        found.append(Rule("zero outputs", kind))
    for note in told_of(watched, "overflow")[:1]:
        line = note.place.line if _is_in(note.place, source.name) else 0
        found.append(Rule("wide", "overflow", line, clean(note.what, 300)))
    if not any(one.space == "shared" for one in races):
        # Blocks of one launch, and of the largest calls, are not ordered by what orders one block.
        written = next((_written(one).line for one in races if _is_in(_written(one), source.name)), 0)
        found.append(Rule("in place", "overwritten_input", written))
    if not races and not any(one.kind in BY_ORDER for one in shown.findings):
        atomics = _only(lines, r"\batomic(Add|Inc|CAS)\s*\(|fetch_add\s*\(")
        if shown.wrong is None or _is_permuted(shown.wrong):
            found.append(Rule("by index", "drawn_places", atomics))
    return found


def watch_of(wrong: Wrong) -> str:
    """A rule that changes nothing and tells who writes the first wrong elements of an output; "" if it cannot."""
    for spec, mask in zip(wrong.shape.outputs, wrong.checked.wrong, strict=True):
        if mask.any() and not spec.on_host:
            size = spec.bytes // mask.size
            return " ".join(
                ["watch writes", spec.name, *(f"{at * size}+{size}" for at in np.flatnonzero(mask)[:WATCHED])]
            )
    return ""


def written_at(outcome: Outcome) -> set[Place]:
    """Where watched elements were written last, and where the values that they are made of were read and written."""
    found: set[Place] = set()
    for one in outcome.reply.report.watched if outcome.reply and outcome.reply.report else []:
        sources = [source for read in one.reads for source in (read, *read.reads)]
        found |= {write.writer.place for write in one.writes[-1:]}
        found |= {place for source in sources for place in (source.place, source.writer.place)}
    return found


def is_all_poison(wrong: Wrong) -> bool:
    """Whether every wrong element has the bytes that the output was filled with."""
    outputs = zip(wrong.outputs, wrong.checked.wrong, strict=True)
    return all(bool(poisoned(got, wrong.poison).ravel()[mask.ravel()].all()) for got, mask in outputs)


def _is_permuted(wrong: Wrong) -> bool:
    """Whether the wrong output has the expected values, in another order."""
    for got, expected, mask, count in zip(
        wrong.outputs, wrong.checked.expected, wrong.checked.wrong, wrong.checked.counts, strict=True
    ):
        if mask.any():
            return count > 1 and bool(np.array_equal(np.sort(got[:count]), np.sort(expected[:count]), equal_nan=False))
    return False


def is_wrapped(wrong: Wrong | None) -> bool:
    """Whether 64-bit results are wrong by multiples of 2^32, as sums in 32 bits are."""
    if wrong is None:
        return False
    seen = False
    for got, expected, mask in zip(wrong.outputs, wrong.checked.expected, wrong.checked.wrong, strict=True):
        if not mask.any():
            continue
        if expected.dtype not in (np.int64, np.uint64):
            return False
        places = np.flatnonzero(mask)
        with np.errstate(over="ignore"):
            differences = got.ravel()[places].astype(np.uint64) - expected.ravel()[places].astype(np.uint64)
        seen = not bool(np.any(differences % np.uint64(1 << 32)))
        if not seen:
            return False
    return seen


def is_cut_off(wrong: Wrong | None) -> bool:
    """Whether results that have fractions are whole numbers, as if integers had held them on the way."""
    if wrong is None:
        return False
    seen = False
    for got, expected, mask in zip(wrong.outputs, wrong.checked.expected, wrong.checked.wrong, strict=True):
        places = np.flatnonzero(mask)
        if not np.issubdtype(expected.dtype, np.floating) or not len(places):
            continue
        values, right = got.ravel()[places], expected.ravel()[places]
        if not np.isfinite(values).all() or not np.array_equal(values, np.trunc(values)):
            return False
        seen = seen or bool(np.any(right != np.trunc(right)))
    return seen


def _orders(race: Finding, file: str) -> list[Rule]:
    """The two orders of a racing read and write; none if both write."""
    places = [race.place, race.other_place]
    accesses = [race.access, _other_access(race)]
    if not all(place.line for place in places) or accesses.count("read") != 1:
        return []
    read = places.pop(accesses.index("read"))
    (written,) = places
    first, second = f"{_at(read)}:read", f"{_at(written)}:write"
    return [
        Rule(f"order {first} {second}", "overwritten", written.line if _is_in(written, file) else 0),
        Rule(f"order {second} {first}", "read_early", read.line if _is_in(read, file) else 0),
    ]


def _written(race: Finding) -> Place:
    """Where a racing value is written."""
    return race.place if race.access == "write" else race.other_place


def _other_access(race: Finding) -> str:
    """Of the other side of a race: a race has one write at least."""
    return "read" if race.access != "read" and " read " in f" {race.what} " else "write"


def _at(place: Place) -> str:
    return f"{PurePath(place.file).name}:{place.line}"


def _is_in(place: Place, file: str) -> bool:
    return PurePath(place.file).name == file


def told_of(outcome: Outcome | None, kind: str) -> list[Finding]:
    """The findings and notes of this kind."""
    report = outcome.reply.report if outcome and outcome.reply else None
    return [one for one in report.findings if one.kind == kind] if report else []


def _lines(source: Path) -> Sequence[str]:
    try:
        return [line.partition("//")[0] for line in source.read_text("utf-8", "replace").splitlines()]
    except OSError:
        return []


def _only(lines: Sequence[str], pattern: str) -> int:
    """The number of the only line with this pattern; 0 if there are none, or several."""
    found = [number for number, line in enumerate(lines, 1) if re.search(pattern, line)]
    return found[0] if len(found) == 1 else 0
