"""Which of others' programs `make test` grades; `make test-all` grades all of them.

The rarest are chosen, because what many programs show is tested by the solutions' tests as well:

- wrong programs: of each task the one whose verdict the fewest programs get, of those the one whose words (`because`)
  the fewest programs get.
- hostile programs: ten. Of each root the rarest in this sense, then the rarest of all others.
- right programs: of each lab the one that holds the most tasks.

Of programs that are alike in this, the first by name is chosen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

from mistakes.catalog import Mistake
from mistakes.honest import Honest

T = TypeVar("T")
HOSTILE = 10


def chosen_mistakes(every: Sequence[Mistake]) -> set[str]:
    """Titles of the wrong and hostile programs. `every`: those that can run here."""
    wrong = by_rarity([one for one in every if not one.entry.root])
    hostile = by_rarity([one for one in every if one.entry.root])
    first = first_of_each(hostile, lambda one: one.entry.root)
    rest = [one for one in hostile if one not in first]
    found = first_of_each(wrong, lambda one: (one.lab, one.task)) + (first + rest)[:HOSTILE]
    return {one.title for one in found}


def by_rarity(mistakes: Sequence[Mistake]) -> list[Mistake]:
    verdicts = Counter(frozenset(one.verdicts) for one in mistakes)
    words = Counter(one.entry.because for one in mistakes)

    def rarity(one: Mistake) -> tuple[int, int, str]:
        return verdicts[frozenset(one.verdicts)], words[one.entry.because], one.title

    return sorted(mistakes, key=rarity)


def chosen_honest(every: Sequence[Honest]) -> set[str]:
    """Titles of the right programs."""
    most = sorted(every, key=lambda one: (-len(one.tasks), one.title))
    return {one.title for one in first_of_each(most, lambda one: one.lab)}


def first_of_each(sorted_ones: Iterable[T], kind: Callable[[T], Hashable]) -> list[T]:
    found: dict[Hashable, T] = {}
    for one in sorted_ones:
        found.setdefault(kind(one), one)
    return list(found.values())
