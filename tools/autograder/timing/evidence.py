"""Whether a timed call shows that the task was done as it asks: its counters are within the lab's bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from autograder.explain.explanation import Explanation
from autograder.plan.bounds import bounds_of
from autograder.plan.manifest import TaskEntry
from autograder.run.protocol import KernelReport

WARP = 32  # threads


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
    """`evidence 1 of 2: wavefronts 234,441, at most 70,000`; it names those that are missing. "" if none is asked."""
    if not evidence:
        return ""
    missing = [one for one in evidence if not one.met]
    said = f"evidence {len(evidence) - len(missing)} of {len(evidence)}"
    return said + (f": {'; '.join(map(text_of, missing))}" if missing else "")


def evidence_in(task: Mapping[str, Any]) -> tuple[Evidence, ...]:
    """The evidence of a task in a result that was read from JSON, perhaps of an older version."""
    try:
        return msgspec.convert(task.get("evidence") or [], tuple[Evidence, ...])
    except msgspec.ValidationError:
        return ()


def ticks(evidence: Sequence[Evidence]) -> str:
    return "".join("✓" if one.met else "✗" for one in evidence)


def without(explanation: Explanation, evidence: Sequence[Evidence]) -> Explanation:
    """Says what is missing: in the reason if there is no other."""
    if all(one.met for one in evidence):
        return explanation
    text = evidence_text(evidence)
    lost = f"{100 * (1 - share_met(evidence)):.0f} % of the points for time are lost: the task asks for another way"
    if explanation.reason:
        return replace(explanation, details=(f"{text}: {lost}", *explanation.details))
    return replace(explanation, reason=text, details=(lost, *explanation.details))


def text_of(one: Evidence) -> str:
    kind = "at least" if one.at_least else "at most"
    return f"{one.counter} {_number(one.value)}, {kind} {_number(one.limit)}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.1f}"
