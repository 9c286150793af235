"""Which calls a task is judged by: public sizes and secret ones, every variant, fresh seeds."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from autograder.errors import GraderError
from autograder.plan.manifest import Scheduled
from autograder.plan.tables import TaskTable

T = TypeVar("T")
LARGE = 1 << 15  # from this size on, the virtual GPU runs only one variant for each size, in turn, to save time
RANDOM_SIZES = 4  # secret sizes for each task; enough to expose special cases for the public sizes
ORDER_TELLS = 65537  # many blocks, and few enough elements to choose an input whose sums round
SCHEDULES = 2  # further schedules of the same call on the virtual GPU
# The virtual GPU's schedules go by the seed's remainder by 8: virtual_gpu/exec/launch/schedule.h.
SCHEDULE_KINDS = 8
ANY_ORDER = 5  # the only one in which blocks do not start in ascending order
MANY_RESIDENT = 7  # up to 512 blocks side by side
SIXTEEN_RESIDENT = 4
MORE_RESIDENT = (6, MANY_RESIDENT)  # more than sixteen: up to 64, 512
MANY_FIT = 1 << 18  # elements of a call, at most, in which so many blocks side by side fit into the host's caches
REPEATED_AS = {1: MANY_RESIDENT, 2: ANY_ORDER}  # by the number of the schedule; the others are of any kind in order
WIDE = "h200"  # a profile on which hundreds of blocks are resident
EMPTY = 4  # inputs with n = 0, from consecutive seeds; a lab goes through its empty shapes by seed % 4


@dataclass(frozen=True)
class Case:
    """One call: everything that decides its input and its schedule."""

    task: str
    variant: str
    n: int
    seed: int  # of the data
    schedule: int  # of the virtual GPU
    secret: bool = False
    repeat: int = 0  # the number of the schedule, for one input


def derive(master: int, *parts: object) -> int:
    """A 63-bit number from the run's seed; knowing one says nothing about the others."""
    text = "/".join([f"{master:x}", *map(str, parts)])
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") >> 1


def chance(master: int, *parts: object) -> float:
    """A number from 0 up to 1, as hard to foretell as the run's seed."""
    return derive(master, *parts) / 2.0**63


def one_of(choices: Sequence[T], master: int, *parts: object) -> T:
    return choices[int(chance(master, *parts) * len(choices))]


def one_in(every: int, master: int, *parts: object) -> bool:
    """True once in `every` times, on average."""
    return derive(master, *parts) % every == 0


def case(master: int, task: str, variant: str, n: int, repeat: int = 0, secret: bool = False) -> Case:
    """The case with this name. It always has the same numbers, as `again:` needs."""
    data = derive(master, task, variant, n, "data")
    return rescheduled(Case(task, variant, n, data, 0, secret), repeat)


def input_of(case: Case) -> tuple[str, int]:
    """Cases that agree in this get the same input, and differ in their schedule only."""
    return case.variant, case.seed


def empty_cases(master: int, task: str, variant: str) -> list[Case]:
    first = case(master, task, variant, 0)
    return [replace(first, seed=first.seed + at) for at in range(EMPTY)]


def plan(
    table: TaskTable,
    master: int,
    *,
    virtual: bool,
    only_n: int | None = None,
    only_variant: str | None = None,
    max_n: int | None = None,
    order_tells: str = "",
    scheduled: Sequence[Scheduled] = (),
) -> list[Case]:
    """All cases of a task, smallest first. order_tells: the variant whose bits show a changing order of additions."""
    variants = table.variants or [""]
    if only_variant is not None:
        variants = [only_variant]
    if only_n == 0:
        return [one for v in variants for one in empty_cases(master, table.name, v)]
    special = []
    if virtual:
        special = [
            one for one in special_cases(table, scheduled) if one.variant in variants and only_n in (None, one.n)
        ]
    if only_n is not None:
        usual = [case(master, table.name, v, only_n, r) for v in variants for r in range(1 + SCHEDULES * virtual)]
        return usual + special

    if order_tells and order_tells not in table.variants:
        raise GraderError(f"lab.toml: order_tells = {order_tells!r} is not a variant of {table.name}")

    limit = min(table.max_n, max_n) if max_n is not None else table.max_n
    sizes = sorted({n for n in table.sizes if n <= limit})
    turn = derive(master, table.name, "turn") % len(variants)
    cases = []
    for n in sizes:
        if virtual and n >= LARGE:
            tells = n == ORDER_TELLS and order_tells in variants
            cases.append(case(master, table.name, order_tells if tells else variants[turn % len(variants)], n))
            turn += 1
        elif n == 0:
            cases.extend(one for variant in variants for one in empty_cases(master, table.name, variant))
        else:
            cases.extend(case(master, table.name, variant, n) for variant in variants)
    for n in secret_sizes(min(limit, max(sizes, default=0)), master, table.name):
        variant = one_of(variants, master, table.name, "variant", n)
        cases.append(case(master, table.name, variant, n, secret=True))
    if virtual:
        cases.extend(_schedules(cases, sizes, order_tells))
        cases.extend(one for one in special if one.n <= limit)
    return sorted(cases, key=lambda one: (one.n, one.variant, one.repeat))


def special_cases(table: TaskTable, scheduled: Sequence[Scheduled]) -> list[Case]:
    """The further calls that a lab asks for."""
    found = []
    for calls in scheduled:
        if calls.variant not in table.variants:
            raise GraderError(f"lab.toml: {calls.variant!r} in `scheduled` is not a variant of {table.name}")
        for repeat, schedule in enumerate(calls.schedules, SCHEDULES + 1):
            found.append(Case(table.name, calls.variant, calls.n, calls.seed, schedule, repeat=repeat))
    return found


def secret_sizes(limit: int, master: int, task: str) -> list[int]:
    """Unpredictable sizes, spread evenly over the orders of magnitude."""
    top = min(limit, 200_000)
    if top < 8:
        return []
    orders = top.bit_length() - 2
    return sorted({int(2 ** (1 + orders * chance(master, task, "size", at))) for at in range(RANDOM_SIZES)})


def _schedules(cases: Sequence[Case], sizes: Sequence[int], order_tells: str) -> list[Case]:
    """The same input once more in other orders of warps and blocks: a small, a middle, a large size.

    A larger one is called once, as many blocks side by side would not fit.
    """
    wanted = [n for n in sizes if 32 < n <= MANY_FIT]
    picked = {wanted[0], wanted[len(wanted) // 2], wanted[-1]} if wanted else set(sizes[-1:])
    picked |= {n for n in (1025, ORDER_TELLS) if n in wanted}
    chosen: dict[int, Case] = {}
    for one in cases:
        better = one.n not in chosen or (one.variant == order_tells and chosen[one.n].variant != order_tells)
        if one.n in picked and not one.secret and better:
            chosen[one.n] = one
    extra: list[Case] = []
    for one in chosen.values():
        repeats = SCHEDULES if one.n < 2 * LARGE + 2 else 1
        extra.extend(rescheduled(one, repeat) for repeat in range(1, repeats + 1))
    return extra


def rescheduled(one: Case, repeat: int) -> Case:
    """The same input in another order."""
    chance = derive(one.seed, "schedule", repeat) % 2**31
    in_order = [kind for kind in range(SCHEDULE_KINDS) if kind != ANY_ORDER]
    if one.n >= LARGE:  # many resident blocks do not fit into the host's caches: they come in a repeat
        in_order = [kind for kind in in_order if kind not in MORE_RESIDENT]
    kind = REPEATED_AS.get(repeat, in_order[chance % len(in_order)])
    if one.n > MANY_FIT and kind == MANY_RESIDENT:
        kind = SIXTEEN_RESIDENT
    return replace(one, repeat=repeat, schedule=chance - chance % SCHEDULE_KINDS + kind)
