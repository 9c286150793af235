"""Which people's files a command grades.

`class` resumes: files without a result that counts. `regrade` repeats: the files of the people named. `replay`: the
files whose result is of an older version of grader, lab or private cases. Nobody else's result changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from autograder.errors import UsageError
from classes import private_results
from classes.student_results import Row
from classes.submitted_files import shown


def unfinished(rows: Iterable[Row], seconds: float, cases: str) -> list[str]:
    """Files to grade, by digest, each once. `seconds` and `cases`: this run's limit and its private cases."""
    return list(dict.fromkeys(row.submission.digest for row in rows if _is_unfinished(row, seconds, cases)))


def _is_unfinished(row: Row, seconds: float, cases: str) -> bool:
    if row.grading and private_results.of_version(row.grading.lab) != cases:
        return True
    if row.status == "time" and row.grading:  # with no more time it would end as before
        return seconds > row.grading.time_limit
    return row.status in ("waiting", "fault")


def named(rows: Sequence[Row], names: Sequence[str], out: Path) -> list[Row]:
    """The people called so, in full; UsageError if a name is nobody's, or several people's."""
    found = []
    for name in names:
        low = name.casefold()
        matches = [row for row in rows if low in (row.key.casefold(), row.submission.person.name.casefold())]
        if len(matches) != 1:
            near = [row.key for row in rows if low in f"{row.key} {row.submission.person.name}".casefold()][:5]
            more = f"; did you mean {', '.join(near)}?" if near else f"; {out}/grades.csv has their names"
            many = f"{len(matches)} people are" if matches else "nobody is"
            raise UsageError(f"{many} called {shown(name)!r}{more}")
        found += matches
    return found


def is_outdated(row: Row, grader: str, lab: str) -> bool:
    """Whether its result is of other versions than these."""
    return row.grading is not None and (row.grading.grader, row.grading.lab) != (grader, lab)
