"""Whether a timed call shows that the task was done as it asks: its counters are within the lab's bounds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from autograder.explain.explanation import Explanation
from autograder.explain.places import place_text
from autograder.plan.bounds import bounds_of
from autograder.plan.manifest import TaskEntry
from autograder.run.protocol import Counters, KernelReport
from autograder.timing.speed import pattern_text

WARP = 32  # threads
# What a counter counts, as people say it, and the counters of a line that add up to it.
WORDS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "launches": ("kernel launches", ()),
    "instructions": ("instructions of warps", ("instructions",)),
    "lanes": ("active lanes of 32, on average", ()),
    "requests": ("accesses of warps to global memory", ("global_loads", "global_stores")),
    "sectors": ("sectors of 32 bytes in global memory", ("load_sectors", "store_sectors", "atomic_sectors")),
    "wavefronts": ("wavefronts (passes through shared memory)", ("shared_wavefronts",)),
    "barriers": ("waits of warps at barriers", ("barriers",)),
    "atomics": ("atomic operations of warps", ("atomics",)),
    "spills": ("sectors of 32 bytes in local memory", ("local_sectors",)),
}
BY_ACCESS = ("requests", "sectors", "wavefronts", "spills")  # limits that the right algorithm misses, too
HELPS = {
    "wavefronts": "lanes that read or write different words of one bank go one after the other",
    "spills": "local memory holds what does not fit into registers, and arrays with an index that is computed",
}
MUCH = 0.25  # of what was counted: a line with less is not named
ANOTHER_WAY = "the handout says how the task is meant to be done"


class Evidence(msgspec.Struct, frozen=True):
    """One bound, and what was counted."""

    counter: str
    value: float
    limit: float
    at_least: bool = False
    met: bool = True


def evidence_of(entry: TaskEntry, n: int, kernels: Sequence[KernelReport]) -> tuple[Evidence, ...]:
    """The task's evidence in a call of size n; none where nothing was counted, as on a GPU."""
    if not kernels:
        return ()
    values, warps = counted(kernels), sum(map(_warps, kernels))
    found = []
    for one in bounds_of(entry.evidence):
        value, limit = values[one.counter], one.limit(n, warps)
        met = value >= limit if one.at_least else value <= limit
        found.append(Evidence(one.counter, value, limit, one.at_least, met))
    return tuple(found)


def _warps(kernel: KernelReport) -> int:
    return kernel.launches * kernel.blocks * -(-kernel.block_threads // WARP)


def counted(kernels: Sequence[KernelReport]) -> Mapping[str, float]:
    """The values that lab.toml may bound (plan/bounds.py)."""

    def total(*names: str) -> int:
        return sum(getattr(kernel.total, name) for kernel in kernels for name in names)

    instructions = total("instructions")
    return {
        "launches": sum(kernel.launches for kernel in kernels),
        "instructions": instructions,
        "lanes": total("lanes") / instructions if instructions else 0.0,
        "requests": total("global_loads", "global_stores"),
        "sectors": total("load_sectors", "store_sectors", "atomic_sectors"),
        "wavefronts": total("shared_wavefronts"),
        "barriers": total("barriers"),
        "atomics": total("atomics"),
        "spills": total("local_sectors"),
    }


def share_met(evidence: Sequence[Evidence]) -> float:
    """What part of the time's points remains; all where none is asked."""
    return sum(one.met for one in evidence) / len(evidence) if evidence else 1.0


def evidence_text(evidence: Sequence[Evidence]) -> str:
    """`too many sectors of 32 bytes in global memory: 66,979,840, at most 2,306,867`: what is missed. "": none is."""
    missing = [one for one in evidence if not one.met]
    return "; ".join(f"too {'few' if one.at_least else 'many'} {text_of(one)}" for one in missing)


def evidence_in(task: Mapping[str, Any]) -> tuple[Evidence, ...]:
    """The evidence of a task in a result that was read from JSON, perhaps of an older version."""
    try:
        return msgspec.convert(task.get("evidence") or [], tuple[Evidence, ...])
    except msgspec.ValidationError:
        return ()


def ticks(evidence: Sequence[Evidence]) -> str:
    return "".join("✓" if one.met else "✗" for one in evidence)


def without(
    explanation: Explanation, evidence: Sequence[Evidence], kernels: Sequence[KernelReport] = ()
) -> Explanation:
    """Says which limits are missed, and where: in the reason if there is no other."""
    if all(one.met for one in evidence):
        return explanation
    text = evidence_text(evidence)
    lost = f"{100 * (1 - share_met(evidence)):.0f} % of the points for time are lost"
    missing = [one for one in evidence if not one.met]
    where = [line for one in missing for line in _most_of(one, kernels)]
    conflicts = any(kernel.total.bank_conflicts for kernel in kernels)
    helps = [
        HELPS[one.counter] for one in missing if one.counter in HELPS and (one.counter != "wavefronts" or conflicts)
    ]
    if any(one.counter not in BY_ACCESS for one in missing):
        lost += f": {ANOTHER_WAY}"
    if explanation.reason:  # of a slow task, which may tell of the same line
        said = {line.partition(": ")[0] for line in explanation.details}
        where = [line for line in where if line.partition(": ")[0] not in said]
        return replace(explanation, details=(text, *where, lost, *helps, *explanation.details))
    return replace(explanation, reason=text, details=(*where, lost, *helps, *explanation.details))


def _most_of(one: Evidence, kernels: Sequence[KernelReport]) -> Iterator[str]:
    """The line with most of what was counted."""
    by_line: dict[str, int] = defaultdict(int)
    for kernel in kernels:
        for line in kernel.lines:
            count = sum(getattr(line.counters, name) for name in WORDS[one.counter][1])
            by_line[place_text(line.place) or "lines that are not known"] += count
    place = max(by_line, key=by_line.__getitem__, default="")
    whole = sum(by_line.values())
    if one.at_least or not whole or by_line[place] < MUCH * whole:
        return
    share = 100 * by_line[place] / whole
    lines = [line.counters for kernel in kernels for line in kernel.lines if place_text(line.place) == place]
    pattern = pattern_text(max(lines, key=_sectors)) if one.counter in ("sectors", "requests") and lines else ""
    yield f"{place}: {share:.0f} % of them{f', {pattern}' if pattern else ''}"


def _sectors(counters: Counters) -> int:
    return counters.load_sectors + counters.store_sectors


def text_of(one: Evidence) -> str:
    words = WORDS[one.counter][0] if one.counter in WORDS else one.counter
    kind = "at least" if one.at_least else "at most"
    return f"{words}: {_number(one.value)}, {kind} {_number(one.limit)}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.1f}"
