"""Which changes may explain a failure, in which order they are tried, and which repair is the cause."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import PurePath

from autograder.cause.causes import kind_of, rank
from autograder.cause.change import FAR_MORE, ORDERS, Change, Pair
from autograder.cause.conditions import is_constant
from autograder.cause.doubts import CRUDE, IN_ITS_PLACE, Held, believed, beyond_doubt, leaves_out
from autograder.cause.experiments import Repair
from autograder.cause.rules import told_of
from autograder.judge.judgement import Judgement
from autograder.judge.outcome import Outcome
from autograder.run.site import Place

# Below it: what orders accesses, or how a launch is made. Such a change seldom repairs a call by accident.
SURE = 2
# From here on: changes that do less, or add a condition.
LOOSE = 4
# Ranks that a change is tried earlier, or later: at lines of a finding, at those that decide what happens there, at
# lines that did not run.
NEARER, BESIDE, IDLE = 2, 1, 10
FIRST = -1  # what is tried before anything else: it costs little, though it is not likely
# The same for a kind of which there are few, from this rank on, unless it does less: to try them costs little, where
# others take all work.
FEW, SOONER, SOONER_FROM = 24, 2, 1.5
TRIED_EARLY = ("last_tile",)  # though any likelier repair is preferred to it
HIDES = {
    "race": ("guard", "missing_condition", "term", "leaves", "arithmetic"),
    "out_of_bounds": ("term", "leaves", "arithmetic", "missing_barrier", "several_barriers", "fence", "comparison"),
    "uninitialized": ("term", "leaves", "arithmetic"),
    "deadlock": ("guard", "missing_condition", "term", "leaves", "arithmetic", "comparison", "thread_index"),
    "divergent_barrier": ("guard", "missing_condition", "term", "leaves", "arithmetic", "barrier_too_many"),
    "leak": ("guard", "missing_condition", "term", "leaves", "arithmetic"),
}
STEPS, MOST_MORE = ("edge", "bound"), 1.05  # changes by which a loop takes a step more; the work of no step more
# Of a repair that does no less than the program: its threads and its work. Work that is far more than another one's.
AS_MANY, AS_MUCH, FAR_MORE_WORK = 0.95, 0.75, 2.0
TOOLBOX = "toolbox"  # the folder of functions that the labs give
ABSENT = "from a lane that takes no part"  # of a value that a shuffle has got
ADDED = re.compile(r".* (?=[-+] )")  # before the last term
# With these nobody leaves, or whole warps do.
GOES_ROUND_LEAVING = (
    "term", "arithmetic", "comparison", "edge", "name", "unused", "thread_index", "bound", "number", "value",
    "missing_condition", "missing_term", "factor", "limit", "size", "guard",
)  # fmt: skip
BY_ONE = ("bound", "index", "value", "argument")
OTHER_VALUE = (
    "name", "unused", "thread_index", "size", "missing_term", "term", "factor", "arithmetic", "brackets", "limit",
    "missing_condition", "value",
)  # fmt: skip
UNWRITTEN = 2  # ranks later: what orders accesses, where something is read that has no value and nobody races for it
NEEDS_FINDING = (
    "missing_barrier", "several_barriers", "moved_barrier", "fence", "warp_barrier", "weak_barrier", "wait", "atomic",
)  # fmt: skip


@dataclass(frozen=True)
class Lines:
    """Lines of the student's file that have to do with a failure."""

    wrote: Collection[int] = ()  # where the first wrong elements were written, and what they were made of
    beside: Collection[int] = ()  # that decide what happens there, and where something was found
    ran: Collection[int] = ()  # in kernels, in the call that fails
    of_device: Collection[int] = ()

    def is_idle(self, change: Change) -> bool:
        """Whether a change is in a kernel, where nothing has run; an instruction may be told of the line beside it."""
        near = range(change.line - 1, max(change.last, change.line) + 2)
        return bool(self.ran) and change.line in self.of_device and not any(line in self.ran for line in near)


def in_file(places: Iterable[Place], name: str) -> frozenset[int]:
    """The lines of these places that are in the file of this name."""
    return frozenset(one.line for one in places if PurePath(one.file).name == name)


def lines_found(shown: Outcome) -> set[int]:
    """The lines where something was found in a call; those of the toolbox are nobody's mistake."""
    places = [place for one in shown.findings for place in (one.place, one.other_place) if place.line]
    return {one.line for one in places if PurePath(one.file).parent.name != TOOLBOX}


def found_in(shown: Outcome) -> set[str]:
    """The kinds of what was found in a call."""
    return {one.kind for one in shown.findings}


def ordered(changes: Sequence[Change], judgement: Judgement, lines: Lines | None = None) -> list[Change]:
    """Likeliest first: by kind, and near the lines where something was found or a wrong element was written."""
    return [one for group in in_groups(changes, judgement, lines or Lines()) for one in group]


def in_groups(changes: Sequence[Change], judgement: Judgement, lines: Lines) -> Iterator[list[Change]]:
    """The same, in groups that are tried as a whole."""
    shown = judgement.shown
    assert shown is not None
    seen = lines_found(shown)
    races = any(one.kind in ("race", "uninitialized") for one in shown.findings)
    kinds = found_in(shown)
    counts = Counter(map(_way_of, changes))

    def step(change: Change) -> float:
        if change.kind == "array_size" and FAR_MORE in change.now and "out_of_bounds" in kinds:
            return FIRST  # one for each array
        of_kind = rank(change, kinds)
        is_likely = SOONER_FROM <= of_kind < LOOSE or change.kind in TRIED_EARLY
        sooner = SOONER if is_likely and counts[_way_of(change)] <= FEW else 0
        if kinds == {"uninitialized"} and kind_of(change) in NEEDS_FINDING:
            of_kind += UNWRITTEN
        if lines.is_idle(change):
            return of_kind + IDLE - sooner
        near = change.line in seen or change.line in lines.wrote
        nearer = NEARER if near else BESIDE if change.line in lines.beside else 0
        # Many terms may be missing in a line: they would take the work of likelier changes elsewhere.
        return (max(of_kind - nearer, 0) if change.kind != "missing_term" else of_kind) - sooner

    def key(change: Change) -> tuple[float, bool, int]:
        distance = min((abs(change.line - line) for line in seen), default=0)
        return step(change), not (races and change.kind in ORDERS), distance

    left = {place.line for one in told_of(shown, "early_exit") for place in (one.place, one.other_place)}
    lacks_lanes = any(ABSENT in one.what for one in shown.findings)
    if left and "out_of_bounds" not in kinds:  # where the compiler joins the ends of a kernel, their lines are another
        returns = {one.line for one in changes if one.kind == "leaves" and one.was.startswith("return")}
        changes = [one for one in changes if one.line not in returns or kind_of(one) not in GOES_ROUND_LEAVING]
    if not told_of(shown, "failed_call"):  # no block was too large: with more of them, each has less to do
        changes = [one for one in changes if kind_of(one) != "too_many_threads"]
    if not kinds and judgement.verdict == "WA":  # accesses that nothing orders would have been found
        changes = [one for one in changes if kind_of(one) not in NEEDS_FINDING]
    asked = [one for one in changes if _explains(one, kinds, left, lacks_lanes)]
    for _, group in groupby(sorted(asked, key=key), key=step):
        yield list(group)


def _way_of(change: Change) -> str:
    """The kind of cause, or one of the ways in which a term is missing: of some there are few."""
    return change.kind if kind_of(change) == "missing_term" else kind_of(change)


def _explains(change: Change, findings: Collection[str], left: Collection[int], lacks_lanes: bool) -> bool:
    """Whether a repair by this change can be the cause of these findings. Doing less hides what was found.

    `left`: lines where threads leave before a barrier. `lacks_lanes`: some have not come to a shuffle.
    """
    kind = kind_of(change)
    if is_constant(change):
        return False
    if "ignored_error" in findings and kind != "one_thread":  # fewer launches by chance: the next that fails is lost
        return False
    if lacks_lanes and kind in OTHER_VALUE:  # a condition that always holds lets all lanes in
        return False
    if change.line in left and kind in ("leaves", *GOES_ROUND_LEAVING):
        return kind == "leaves"
    if kind == "leaves" and any(one in findings for one in leavable(change, bool(left) or lacks_lanes)):
        return True
    if kind == "guard" and "out_of_bounds" in findings:  # threads beyond the end also write where others do
        findings = [one for one in findings if one != "race"]
    return not findings or (rank(change) < CRUDE and not any(kind in HIDES.get(finding, ()) for finding in findings))


def leavable(change: Change, has_left: bool) -> tuple[str, ...]:
    """Findings that a return, break or continue may cause. `has_left`: threads have left before others wait."""
    if change.was.startswith("continue"):
        return "divergent_barrier", "uninitialized"  # a part of a thread's work is not done
    return ("divergent_barrier", "uninitialized") if has_left or change.now else ("divergent_barrier",)


def is_asked_for(change: Change, repairs: Sequence[Repair], found: Collection[str]) -> bool:
    """Whether a change is still to be tried: it may be likelier than those that hold, or another place as likely."""
    ranks = [rank(one, found) for _, one in beyond_doubt(repairs)]
    if not ranks:
        return True
    of_kind = rank(change, found)
    return of_kind <= min(ranks) or (min(ranks) >= SURE and of_kind < LOOSE)


def _without_needless(holding: Held) -> Held:
    """A step more is not missing if the program is right without it, by a change in another line.

    Nor if a number of steps is rounded down, which leaves one out only where a part of it is left.
    """
    enough = {change.line for one, change in holding if one.work <= MOST_MORE and rank(change) < LOOSE}
    is_rounded = any(kind_of(change) == "rounded_down" for _, change in holding)
    return [
        (one, change)
        for one, change in holding
        if kind_of(change) not in STEPS or not (is_rounded or (one.work > MOST_MORE and enough - {change.line}))
    ]


def _without_detours(holding: Held) -> Held:
    """Without what has fewer threads, or far more work, than another repair: so it goes round the mistake."""
    kept = [pair for pair in holding if pair[0].threads >= AS_MANY] or holding
    least = min((one.work for one, _ in kept if one.work >= AS_MUCH), default=0.0)
    return [pair for pair in kept if not least or pair[0].work <= FAR_MORE_WORK * least]


def _without_repeated(holding: Held) -> Held:
    """Without what says the same in more places: a change of several, where the first of them is enough; a copy."""
    single = {kind_of(change) for _, change in holding if change.region >= 0}
    names = [change.now for _, change in holding if change.kind == "name"]
    return [
        (one, change)
        for one, change in holding
        if (change.region >= 0 or kind_of(change) not in single)
        and not (change.kind == "elsewhere" and any(f", {name}," in change.now for name in names))
    ]


def choose(repairs: Sequence[Repair], shown: Outcome | None = None) -> Repair | None:
    """The one cause that holds; None if likely ones name different places. `shown`: the call that failed."""
    found = found_in(shown) if shown else set()
    holding = _without_repeated(_without_detours(_without_needless(believed(repairs))))
    if not holding:
        return None
    likeliest = min(rank(change, found) for _, change in holding)
    best = [(one, change) for one, change in holding if rank(change, found) == likeliest]
    kinds = {kind_of(change) for _, change in best}
    rivals = [change for _, change in holding if likeliest >= SURE and rank(change) < LOOSE]
    if kinds == {"guard"}:  # the first place is where the index is made, unless a guard that is there is wrong
        lines = {change.line for change in rivals if kind_of(change) != "guard"}
        agreed = [one for one in best if one[1].line in lines]
        return min(agreed or best, key=lambda one: one[1].line)[0]
    if kinds <= {"missing_barrier", "fence", "warp_barrier"}:  # several places between two accesses are as good
        return max(best, key=lambda one: one[1].line)[0]
    places = Counter(line for line, _ in {(one.line, kind_of(one)) for one in [*rivals, *(one for _, one in best)]})
    near = lines_found(shown) if shown else set()
    most = [one for one in best if 2 * places[one[1].line] > places.total()]
    most = most or [one for one in best if one[1].line in near]
    if not most:
        others = sorted((one for one in holding if one[1] in rivals), key=lambda one: rank(one[1], found))
        first, second = [*places.most_common(2), (0, 0)][:2]
        clear = [one for one in others if one[1].line == first[0] and first[1] >= 2 * second[1]]
        most = clear[:1] or _at_the_edge([*best, *others])
    if not most and len(places) == 2 and _do_not_agree([*(change for _, change in best), *rivals]):
        last, its = max(best, key=lambda one: one[1].line)
        return replace(last, also=next(line for line in places if line != its.line))
    if len({change.line for _, change in most}) != 1:
        return None
    if kinds == {"array_size"}:  # one element more is enough
        return min(most, key=lambda one: one[1].number)[0]
    # If the whole may go, its parts and conditions are not wrong: they only kept it from being done.
    without = [one for one, change in holding if leaves_out(change, [most[0][0]])]
    return (without or [most[0][0]])[0]


def _at_the_edge(holding: Held) -> Held:
    """Where one more or one less in several places is as good: the comparison's edge decides between them."""
    edges = [(one, change) for one, change in holding if kind_of(change) == "edge"]
    return edges if all(kind_of(change) in ("edge", *BY_ONE) for _, change in holding) else []


def _do_not_agree(changes: Sequence[Change]) -> bool:
    """Whether the mistake is that two places do not agree.

    One of them has rows for columns, or counts from the other end, as a grid and its kernel may; or they are a number
    and what is made of it; or two numbers, of which one may be twice as large or the other half as large.
    """
    kinds = {kind_of(one) for one in changes}
    if kinds == {"number"}:
        larger = {one.line for one in changes if one.now == f"2 * {one.was}"}
        smaller = {one.line for one in changes if one.now == f"{one.was} / 2"}
        return len(larger) == len(smaller) == 1 and larger != smaller and len(set(changes)) == 2
    terms = {ADDED.sub("", one.now) for one in changes}
    return kinds in ({"layout"}, {"reversed"}, {"sides", "layout"}) or (kinds == {"missing_term"} and len(terms) == 1)


def pairs_with(part: Change, changes: Sequence[Change], parts: Sequence[Change]) -> list[Pair]:
    """The same mistake in a second place, for a change that repairs a part. `parts`: those that had their turn.

    Two other names in one line, or two comparisons turned round, are another expression, and not one mistake that was
    made twice.
    """
    others = [one for one in changes if kind_of(one) == kind_of(part) and one not in (part, *parts)]
    others = [one for one in others if not is_constant(one)]
    if part.kind in IN_ITS_PLACE or kind_of(part) == "comparison":
        others = [one for one in others if one.line != part.line]
    return [Pair(part, one) for one in others if rank(one) < CRUDE]


def choose_pair(repairs: Sequence[Repair]) -> Repair | None:
    """The likeliest pair that holds; None unless its places are those of most kinds of pairs that hold."""
    holding = [(one, one.trial) for one in repairs if one.holds and isinstance(one.trial, Pair)]
    if not holding:
        return None
    kinds = Counter(place for place, _ in {(_places(pair), kind_of(pair.first)) for _, pair in holding})
    best, its = min(holding, key=lambda one: (rank(one[1].first), one[1].number))
    return best if 2 * kinds[_places(its)] > kinds.total() else None


def _places(pair: Pair) -> frozenset[int]:
    return frozenset(change.line for change in pair.all)
