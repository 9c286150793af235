"""Who needs a person, and why: one list for the terminal and the class's page, each with a link."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from autograder.classes.rows import STATUS, Row, equal_files

_PAIRS = 20  # of similar files that are listed; the page of `similarity` has more
SIMILAR = "similarity/index.html"
# Notes on a submission (choose.py, people.py) of which a person should know.
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
    """Pairs that `similarity` has found, except files of one group. Equal files count as one."""
    people: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        people[row.submission.digest].append(row)
    found = []
    for mine in people.values():
        for other, share in mine[0].similar:
            if other not in people:
                if not _is_digest(other):  # a file of last year, or of the solutions
                    found.append((f"{_and_equal(mine)}, {other}", share))
                continue
            origins = {one.submission.origin for one in (*mine, *people[other])}
            if origins != {mine[0].submission.origin}:
                found.append((f"{_and_equal(mine)}, {_and_equal(people[other])}", share))
    found.sort(key=lambda pair: -pair[1])
    said = [Need(who, f"{share} % of one file is in the other", SIMILAR) for who, share in found[:_PAIRS]]
    more = len(found) - len(said)
    return said + ([Need(f"{more} more pairs", "similar", SIMILAR)] if more else [])


def _is_digest(name: str) -> bool:
    return "/" not in name and " " not in name


def _and_equal(people: Sequence[Row]) -> str:
    return people[0].key + (f" and {len(people) - 1} equal" if len(people) > 1 else "")


def _breaks_rules(result: dict[str, Any]) -> bool:
    """CE without a compiler message: a rule of the lab was broken, not one of C++."""
    return not result.get("compiler") and all(task["verdict"] == "CE" for task in result["tasks"])
