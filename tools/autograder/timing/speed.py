"""Right and slow: which lines the time goes to, from the counters of the virtual GPU."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from autograder.explain.findings import place_text, short_name
from autograder.plain import clean
from autograder.run.protocol import Counters, KernelReport
from autograder.timing.measure import seconds

MANY_LANES = 24
SCATTERED = 4  # times the sectors that would do: no matter of alignment


def by_name(kernels: Sequence[KernelReport]) -> dict[str, list[KernelReport]]:
    found: dict[str, list[KernelReport]] = defaultdict(list)
    for kernel in kernels:
        found[short_name(kernel.name)].append(kernel)
    return dict(found)


def where_time_goes(kernels: Sequence[KernelReport]) -> list[str]:
    """The lines that move or wait the most, from the counters of the virtual GPU."""
    if not kernels:
        return []
    groups = by_name(kernels)
    spent = {name: sum(kernel.seconds for kernel in group) for name, group in groups.items()}
    name = max(spent, key=spent.__getitem__)
    worst = max(groups[name], key=lambda kernel: kernel.seconds)
    whole = sum(spent.values()) or 1.0
    share = spent[name] / whole
    lines = [
        f"{'most' if share > 0.5 else 'the largest part'} of it: {name}, "
        f"{100 * share:.0f} % of the kernels' time"
        + (f", limited by {clean(worst.limited_by, 20)}" if worst.limited_by else "")
    ]
    launches = sum(kernel.launches for kernel in kernels)
    by_kernels = sum(kernel.launches for kernel in kernels if kernel.by_kernel)
    if launches > 1:
        lines.append(
            f"{launches:,} launches, "
            + (f"{by_kernels:,} of them by kernels" if by_kernels else f"{seconds(whole)} in kernels")
        )
    if worst.total.instructions and worst.total.lanes < MANY_LANES * worst.total.instructions:
        lanes = worst.total.lanes / worst.total.instructions
        lines.append(f"on average {lanes:.1f} of 32 lanes are active in an instruction")
    sectors = sum(line.counters.load_sectors + line.counters.store_sectors for line in worst.lines)
    for line in sorted(worst.lines, key=lambda one: -(one.counters.load_sectors + one.counters.store_sectors))[:2]:
        text = memory_text(line.counters, sectors)
        if text:
            lines.append(f"{place_text(line.place)}: {text}")
    for line in sorted(worst.lines, key=lambda one: -one.counters.bank_conflicts)[:1]:
        c = line.counters
        if c.bank_conflicts > 0.25 * max(1, c.ideal_wavefronts):
            lines.append(f"{place_text(line.place)}: {c.shared_wavefronts:,} shared wavefronts, "
                         f"{c.ideal_wavefronts:,} would do: bank conflicts")  # fmt: skip
    return lines


def memory_text(c: Counters, all_sectors: int) -> str:
    """One line's memory traffic, if it is worth a word."""
    actual, ideal = c.load_sectors + c.store_sectors, c.ideal_load_sectors + c.ideal_store_sectors
    requests = c.global_loads + c.global_stores
    if not all_sectors or not requests or actual < 0.1 * all_sectors:
        return ""
    text = f"{100 * actual / all_sectors:.0f} % of its memory traffic"
    if ideal and actual > 1.5 * ideal:
        text += f", {actual / requests:.1f} sectors a request where {ideal / requests:.1f} would do"
        if actual > SCATTERED * ideal:
            text += ": the addresses of neighbouring threads lie far apart"
    return text
