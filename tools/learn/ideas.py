"""The differences between the counters of two programs for the same task, as sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from autograder.report.result import TaskResult
from autograder.run.protocol import KernelReport

DIFFERS = 1.05  # times; a smaller difference is not worth a sentence


@dataclass(frozen=True)
class Work:
    """What was counted in one call."""

    time: float
    launches: int
    threads: int
    blocks: int
    instructions: int
    lanes: int
    requests: int  # loads and stores of warps to global memory
    sectors: int
    ideal_sectors: int
    wavefronts: int
    ideal_wavefronts: int
    atomics: int
    barriers: int
    local_sectors: int

    @staticmethod
    def of(kernels: Sequence[KernelReport], time: float) -> Work:
        total = [kernel.total for kernel in kernels]
        return Work(
            time,
            sum(kernel.launches for kernel in kernels),
            sum(kernel.blocks * kernel.block_threads for kernel in kernels),
            sum(kernel.blocks for kernel in kernels),
            sum(one.instructions for one in total),
            sum(one.lanes for one in total),
            sum(one.global_loads + one.global_stores for one in total),
            sum(one.load_sectors + one.store_sectors for one in total),
            sum(one.ideal_load_sectors + one.ideal_store_sectors for one in total),
            sum(one.shared_wavefronts for one in total),
            sum(one.ideal_wavefronts for one in total),
            sum(one.atomic_lanes for one in total),
            sum(one.barriers for one in total),
            sum(one.local_sectors for one in total),
        )


def work_of(task: TaskResult) -> Work:
    return Work.of(task.kernels, task.time.seconds if task.time else sum(kernel.seconds for kernel in task.kernels))


def ideas(mine: Work, theirs: Work) -> list[str]:
    """What the reference needs less of, the largest difference first; then what it needs more of."""
    found = [*_less_memory(mine, theirs), *_less_work(mine, theirs)]
    better = _better(mine, theirs)
    return [text for _, text in sorted(found, key=lambda one: -one[0])] + ([better] if better else [])


def _less_memory(mine: Work, theirs: Work) -> list[tuple[float, str]]:
    found = []
    if _more(mine.sectors, theirs.sectors):
        wasted, need = _ratio(mine.sectors, mine.ideal_sectors), _ratio(theirs.sectors, theirs.ideal_sectors)
        why = (
            "its neighbouring threads read neighbouring elements more often: ./grader explain shows sectors/ideal"
            if wasted > DIFFERS * need
            else "it reads or writes the arrays fewer times: can two of your passes become one?"
        )
        found.append((_ratio(mine.sectors, theirs.sectors), _counts("sectors", mine.sectors, theirs.sectors, why)))
    if _more(mine.requests, theirs.requests) and not _more(mine.sectors, 1.5 * theirs.sectors):
        why = "the same bytes in fewer instructions: wider loads and stores, or values kept in registers"
        found.append((_ratio(mine.requests, theirs.requests), _counts("requests", mine.requests, theirs.requests, why)))
    if _more(mine.wavefronts, theirs.wavefronts):
        conflicts = _ratio(mine.wavefronts, mine.ideal_wavefronts)
        has_more = conflicts > DIFFERS * _ratio(theirs.wavefronts, theirs.ideal_wavefronts)
        why = (
            "lanes of a warp meet in one bank: another stride, or padding, spreads them"
            if has_more
            else "less goes through shared memory: registers or shuffles can hold part of it"
        )
        count = _counts("wavefronts in shared memory", mine.wavefronts, theirs.wavefronts, why)
        found.append((_ratio(mine.wavefronts, theirs.wavefronts), count))
    if _more(mine.local_sectors, theirs.local_sectors):
        why = "an array is indexed at run time, or too many values are live, so they do not stay in registers"
        count = _counts("sectors of local memory", mine.local_sectors, theirs.local_sectors, why)
        found.append((_ratio(mine.local_sectors, theirs.local_sectors), count))
    return found


def _less_work(mine: Work, theirs: Work) -> list[tuple[float, str]]:
    found = []
    if mine.launches > theirs.launches:
        why = "each launch costs microseconds, and what passes from kernel to kernel goes through global memory"
        count = _counts("launches", mine.launches, theirs.launches, why)
        found.append((_ratio(mine.launches, theirs.launches), count))
    if _more(mine.instructions, theirs.instructions):
        why = "what is computed for each element could be computed once, or for several elements at a time"
        count = _counts("warp instructions", mine.instructions, theirs.instructions, why)
        found.append((_ratio(mine.instructions, theirs.instructions), count))
    lanes = [_ratio(one.lanes, one.instructions) for one in (mine, theirs)]
    if lanes[0] and lanes[0] + 1 < lanes[1]:
        text = f"in your kernels {lanes[0]:.1f} of 32 lanes are active on average, in the reference's {lanes[1]:.1f}: "
        found.append((lanes[1] / lanes[0], text + "whole warps that take the same branch lose none"))
    if _more(mine.atomics, theirs.atomics):
        why = "threads of a warp or block first combine what they have, and one of them does the atomic"
        found.append((_ratio(mine.atomics, theirs.atomics), _counts("atomics", mine.atomics, theirs.atomics, why)))
    if _more(mine.barriers, theirs.barriers):
        why = "where only lanes of one warp exchange values, __syncwarp() orders them and costs less"
        found.append((_ratio(mine.barriers, theirs.barriers), _counts("barriers", mine.barriers, theirs.barriers, why)))
    if mine.launches == theirs.launches and max(mine.threads, theirs.threads) > 1.5 * min(mine.threads, theirs.threads):
        text = f"you start {mine.threads:,} threads, the reference {theirs.threads:,}: "
        fewer = mine.threads > theirs.threads
        why = "each of its threads handles more elements" if fewer else "more threads hide the latency of memory"
        found.append((1.0, text + why))
    return found


def _better(mine: Work, theirs: Work) -> str:
    named = {
        "launches": "launches", "instructions": "warp instructions", "requests": "requests", "sectors": "sectors",
        "wavefronts": "wavefronts", "atomics": "atomics", "barriers": "barriers",
    }  # fmt: skip
    fewer = [word for name, word in named.items() if _more(getattr(theirs, name), getattr(mine, name))]
    return f"you need fewer {', '.join(fewer)} than the reference" if fewer else ""


def _more(a: float, b: float) -> bool:
    return a > DIFFERS * b


def _ratio(a: float, b: float) -> float:
    return a / b if b else float(a)


def _counts(what: str, mine: int, theirs: int, why: str) -> str:
    times = f"{mine / theirs:.2f} times the reference's {theirs:,}" if theirs else "where the reference has none"
    return f"you have {mine:,} {what}, {times}: {why}"
