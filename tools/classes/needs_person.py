"""Who needs a person, and why: one list for the terminal and the class's page, each with a link."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from classes.student_results import STATUS, Row, equal_files

SIMILAR = "similarity/index.html"
_TOGETHER = 3  # people who are named where one is
# Notes on a submission (choose_file.py, people.py) of which a person should know.
_TO_SEE = ("in the roster", "people of the roster", "the roster has no number", " different files", "its name is",
           "skeleton beside", "beside it, and not used", "the newest by its name", "which no task needs")  # fmt: skip


@dataclass(frozen=True)
class Need:
    who: str
    why: str
    link: str = ""  # relative to the results


def attention(rows: Sequence[Row], names: Mapping[str, str] | None = None) -> list[Need]:
    """All of them. `names`: of the students' pages."""
    names = names or {}
    found = []
    for row in rows:
        found += [Need(row.key, why, _link(row, names)) for why in _whys(row)]
    for group in equal_files(rows):
        others = ", ".join(row.key for row in group[1:])
        link = f"sources/{group[0].submission.digest}/"
        found.append(Need(group[0].key, f"handed in the same file as {others}", link))
    return found + _similar(rows)


def _whys(row: Row) -> list[str]:
    """Each reason that lies in one person's own submission."""
    whys = []
    if row.status in ("refused", "time", "fault") and row.points is None:
        whys.append(f"{STATUS[row.status]}: {row.why}")
    elif row.status == "fault":
        whys.append(f"{STATUS[row.status]}, and changed by hand")
    if row.tasks and row.grading and _breaks_rules(row.grading.data):
        whys.append(f"uses what is not allowed: {row.tasks[0]['reason']}")
    many = [f"{task['name']}: {task['reason']}" for task in row.tasks if "processes and threads" in task["reason"]]
    whys += many[:1]
    whys += [note for note in row.submission.notes if any(words in note for words in _TO_SEE)]
    return ["; ".join(whys)] if whys else []


def _link(row: Row, names: Mapping[str, str]) -> str:
    if row.submission.digest and row.status == "fault":
        return f"sources/{row.submission.digest}/"
    return f"students/{quote(names[row.key])}.html" if row.key in names else ""


def _similar(rows: Sequence[Row]) -> list[Need]:
    """What `similarity` has found, a line for all files that hang together, except those of one group's work."""
    people: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        people[row.submission.digest].append(row)
    shares: dict[tuple[str, str], int] = {}
    for digest, mine in people.items():
        for other, share in mine[0].similar:
            theirs = people.get(other, [])
            origins = {row.submission.origin for row in (*mine, *theirs)}
            # A file that is not of the class is last year's, or the solution.
            if len(origins) > 1 or (not theirs and not _is_digest(other)):
                shares[digest, other] = share
    found = []
    for group in connected(shares):
        within = [share for pair, share in shares.items() if pair[0] in group]
        whose = [row.key for name in group for row in people.get(name, ())]
        whose += [name for name in group if name not in people]
        span = f"{min(within)} to {max(within)}" if min(within) < max(within) else f"{within[0]}"
        said = f"{span} % of one file is in {'the other' if len(group) == 2 else 'another'}"
        need = Need(", ".join(whose), said, SIMILAR)
        if len(whose) > _TOGETHER:
            need = Need(f"{len(whose)} people and files", f"{said}: {', '.join(whose)}", SIMILAR)
        found.append((max(within), need))
    return [need for _, need in sorted(found, key=lambda one: -one[0])]


def connected(pairs: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Names that pairs connect, directly or through others; the largest group first."""
    group_of: dict[str, set[str]] = {}
    for one, other in pairs:
        joined = group_of.get(one, {one}) | group_of.get(other, {other})
        for name in joined:
            group_of[name] = joined
    different = {id(group): group for group in group_of.values()}
    return sorted((sorted(group) for group in different.values()), key=lambda group: -len(group))


def _is_digest(name: str) -> bool:
    return "/" not in name and " " not in name


def _breaks_rules(result: dict[str, Any]) -> bool:
    """CE without a compiler message: a rule of the lab was broken, not one of C++."""
    return not result.get("compiler") and all(task["verdict"] == "CE" for task in result["tasks"])
