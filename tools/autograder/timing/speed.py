"""Right and slow: which lines the time goes to, from the counters of the virtual GPU."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from autograder.explain.explanation import Explanation
from autograder.explain.places import place_text, short_name
from autograder.explain.reasons import failed_calls
from autograder.plan.manifest import FAR_BEHIND
from autograder.run.protocol import Counters, KernelReport, LineCounters, Report
from autograder.timing.measure import FULL_SPEED, Timing, instructions_of, performance, seconds
from autograder.words import LIMITS, counted

# A wrong remark costs a student's time, so each limit exceeds what the edges of the data explain.
MANY_LANES = 24  # of 32, on average; the last warp of a block and a guard around it leave most others full
MUCH_TRAFFIC = 0.1  # of a kernel's sectors; a line that moves less does not take much time
WASTEFUL = 1.5  # times the needed sectors; arrays that begin within a sector take a little more than 1
SCATTERED = 4  # times the needed sectors: alignment no longer explains that
CONFLICTS = 0.25  # of the needed wavefronts; below that, they cost less than one access in four
MANY_INSTRUCTIONS = 1.5  # times the reference's
MOST_ON_LINE = 0.25  # of them
BUSIEST = 2  # lines whose traffic is mentioned
MOST = 0.5
MUCH_OUTSIDE = 0.25  # of the time, outside of kernels; a launch and the wait for its end are always there


def slow(explanation: Explanation, timing: Timing, far_behind: float = FAR_BEHIND) -> Explanation:
    """The explanation of a measured time."""
    factor = performance(timing.scored)
    if factor < 1.0:
        explanation = replace(
            explanation,
            reason=f"{1 / timing.ratio:.1f} times the reference's time at n = {timing.n:,}",
            details=(
                *explanation.details,
                *failed_calls(explanation.notes),
                *far_behind_text(factor, far_behind),
                *_instructions(timing),
                *where_time_goes(timing),
            ),
        )
    if timing.noisy:
        noise = f"noisy: between {timing.low:.2f}x and {timing.high:.2f}x; measure again"
        explanation = replace(explanation, details=(*explanation.details, noise))
    return explanation


def far_behind_text(factor: float, below: float) -> Iterator[str]:
    """What is said of a task that loses points for its output, too."""
    if factor < below:
        times = FULL_SPEED / below
        limit = f"above {times:.0f} times the reference's time"
        yield f"{limit}, you lose points for the output, too: do all threads share the work?"


def _instructions(timing: Timing) -> Iterator[str]:
    """How much more the threads do than those of the reference, if it is much, and on which line."""
    own = instructions_of(timing.kernels)
    if not timing.reference_instructions or own < MANY_INSTRUCTIONS * timing.reference_instructions:
        return
    times = own / timing.reference_instructions
    text = f"{times:,.0f}" if times >= 10 else f"{times:.1f}"
    lines: dict[str, int] = defaultdict(int)
    for kernel in timing.kernels:
        for line in kernel.lines:
            lines[place_text(line.place)] += line.counters.instructions
    place = max(lines, key=lines.__getitem__, default="")
    share = lines[place] / own if place else 0.0
    where = f", {100 * share:.0f} % of them in {place}" if share >= MOST_ON_LINE else ""
    yield f"{text} times the reference's warp instructions{where}"


def by_name(kernels: Sequence[KernelReport]) -> dict[str, list[KernelReport]]:
    found: dict[str, list[KernelReport]] = defaultdict(list)
    for kernel in kernels:
        found[short_name(kernel.name)].append(kernel)
    return dict(found)


def outside(timing: Timing) -> float:
    """The part of a modelled time spent outside kernels."""
    if timing.modelled is None:
        return 0.0
    return max(0.0, 1 - sum(kernel.seconds for kernel in timing.kernels) / timing.student)


def where_time_goes(timing: Timing) -> list[str]:
    """Time outside kernels, if it is much; the kernel that takes the most, and its lines that move the most."""
    kernels = timing.kernels
    lines = list(_outside(timing.modelled, outside(timing))) if timing.modelled else []
    if not kernels:
        return lines
    groups = by_name(kernels)
    spent = {name: sum(kernel.seconds for kernel in group) for name, group in groups.items()}
    name = max(spent, key=spent.__getitem__)
    worst = max(groups[name], key=lambda kernel: kernel.seconds)
    whole = sum(spent.values()) or 1.0
    share = spent[name] / whole
    limit = f", limited by {LIMITS.get(worst.limited_by, worst.limited_by)}" if worst.limited_by else ""
    where = f"{name}, {100 * share:.0f} % of the kernels' time{limit}"
    if lines:
        lines.append(f"in kernels, {seconds(whole)}: {where}")
    else:
        lines = [f"{'most' if share > MOST else 'the largest part'} of it: {where}", *_launches(kernels, whole)]
    return [*lines, *_lanes(worst.total), *_traffic(worst.lines), *_conflicts(worst.lines)]


def _outside(report: Report, share: float) -> Iterator[str]:
    """What takes the time while no kernel runs, if it is much."""
    if share < MUCH_OUTSIDE:
        return
    launches = sum(kernel.launches for kernel in report.kernels)
    by_kernels = sum(kernel.launches for kernel in report.kernels if kernel.by_kernel)
    copies = [
        f"{counted(count, 'byte')} to the {where}"
        for count, where in ((report.bytes_to_device, "device"), (report.bytes_to_host, "host"))
        if count
    ]
    own = f" ({by_kernels:,} by kernels)" if by_kernels else ""
    parts = [
        counted(launches, "launch", "launches") + own,
        "copies" + (f" ({', '.join(copies)})" if copies else ""),
        "allocations",
        *([f"code on the CPU ({seconds(report.host_seconds)})"] if report.host_seconds else []),
    ]
    most = "most" if share > MOST else "a large part"
    yield f"{most} of it: outside of kernels, {100 * share:.0f} %: {', '.join(parts)}, waiting for the device"


def memory_text(c: Counters, all_sectors: int) -> str:
    """One line's memory traffic, if it is worth a word."""
    actual, requests = _sectors(c), c.global_loads + c.global_stores
    if not all_sectors or not requests or actual < MUCH_TRAFFIC * all_sectors:
        return ""
    pattern = pattern_text(c)
    return f"{100 * actual / all_sectors:.0f} % of its memory traffic" + (f", {pattern}" if pattern else "")


def pattern_text(c: Counters) -> str:
    """How a line wastes sectors; "": it does not."""
    actual, ideal = _sectors(c), c.ideal_load_sectors + c.ideal_store_sectors
    requests = c.global_loads + c.global_stores
    if not requests or not ideal or actual <= WASTEFUL * ideal:
        return ""
    text = f"{actual / requests:.1f} sectors a request where {ideal / requests:.1f} would do"
    return text + (": the addresses of neighbouring threads lie far apart" if actual > SCATTERED * ideal else "")


def _launches(kernels: Sequence[KernelReport], whole: float) -> Iterator[str]:
    launches = sum(kernel.launches for kernel in kernels)
    by_kernels = sum(kernel.launches for kernel in kernels if kernel.by_kernel)
    if launches > 1:
        rest = f"{by_kernels:,} of them by kernels" if by_kernels else f"{seconds(whole)} in kernels"
        yield f"{launches:,} launches, {rest}"


def _lanes(c: Counters) -> Iterator[str]:
    if c.instructions and c.lanes < MANY_LANES * c.instructions:
        yield f"on average {c.lanes / c.instructions:.1f} of 32 lanes are active in an instruction"


def _traffic(lines: Sequence[LineCounters]) -> Iterator[str]:
    all_sectors = sum(_sectors(line.counters) for line in lines)
    for line in sorted(lines, key=lambda one: -_sectors(one.counters))[:BUSIEST]:
        text = memory_text(line.counters, all_sectors)
        if text:
            yield f"{place_text(line.place)}: {text}"


def _conflicts(lines: Sequence[LineCounters]) -> Iterator[str]:
    for line in sorted(lines, key=lambda one: -one.counters.bank_conflicts)[:1]:
        c = line.counters
        if c.bank_conflicts > CONFLICTS * max(1, c.ideal_wavefronts):
            yield (
                f"{place_text(line.place)}: {c.shared_wavefronts:,} shared wavefronts, "
                f"{c.ideal_wavefronts:,} would do: bank conflicts"
            )


def _sectors(c: Counters) -> int:
    return c.load_sectors + c.store_sectors
