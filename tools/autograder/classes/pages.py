"""A class as pages: results/report.html, and results/students/NAME.html for each student, one at a time."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import msgspec

from autograder.classes.items import size
from autograder.classes.rows import STATUS, Row, attention
from autograder.classes.store import Store
from autograder.classes.summary import Failed, duration, most_failed
from autograder.page import charts
from autograder.page.page import render
from autograder.page.report import Person, report
from autograder.page.tasks import TONE
from autograder.plan.labs import find
from autograder.plan.manifest import load
from autograder.report.result import Result
from autograder.verdict import MEANING

ROOT = Path(__file__).resolve().parents[3]
# Where a report of similarity may be, relative to the class report; the first that exists is linked.
SIMILARITY = ("similarity.html", "similarity/index.html", "similarity/report.html")
SHOWN_MISTAKES = 3


@dataclass(frozen=True)
class Line:
    """One person in the class report."""

    name: str
    key: str
    page: str
    status: str
    share: float | None
    points: str
    verdicts: tuple[tuple[str, str, str], ...]  # task, verdict, tone
    late: bool
    took: str


def class_page(store: Store, rows: Sequence[Row], names: Mapping[str, str]) -> bytes:
    """The whole class. `names`: of the students' files."""
    lab = load(find(ROOT, store.fact("lab", "0")))
    gradings = {row.grading.id: row.grading for row in rows if row.grading}
    shares = [share for row in rows if (share := _share(row)) is not None]
    failed, compiled, broken = most_failed(rows)
    counts = Counter(row.status for row in rows)
    return render(
        "class.html",
        {
            "lab": lab,
            "people": len(rows),
            "counts": [f"{counts[name]} {text}" for name, text in STATUS.items() if counts[name]],
            "median": statistics.median(shares) if shares else None,
            "mean": statistics.fmean(shares) if shares else None,
            "distribution": charts.distribution(shares) if shares else None,
            "failed": [(one, _common(one), charts.share_bar(one.count / max(1, compiled), "bad")) for one in failed],
            "compiled": compiled,
            "broken": len(broken),
            "attention": attention(rows),
            "tasks": list(dict.fromkeys(task["name"] for row in rows for task in row.tasks)),
            "lines": [_line(row, names[row.key]) for row in rows],
            "meaning": MEANING,
            "bar": charts.share_bar,
            "files": len(gradings),
            "grading": duration(sum(one.seconds for one in gradings.values())),
            "longest": duration(max((one.seconds for one in gradings.values()), default=0.0)),
            "typical": duration(statistics.median(one.seconds for one in gradings.values()) if gradings else 0.0),
            "memory": size(int(max((one.memory_mb for one in gradings.values()), default=0.0) * 2**20)),
            "versions": len({(one.grader, one.lab) for one in gradings.values()}),
            "similarity": next((path for path in SIMILARITY if (store.folder / path).is_file()), ""),
        },
    )


def student_pages(store: Store, rows: Sequence[Row], names: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
    """File names and pages. Only one result is in memory at a time."""
    for row in rows:
        yield f"{names[row.key]}.html", _student(store, row)


def _student(store: Store, row: Row) -> bytes:
    one = row.submission
    late = ["late"] if one.late else []
    person = Person(one.person.name or row.key, (*late, *one.notes))
    whole = store.whole(row.grading) if row.status == "graded" else None
    why = row.why or ("" if row.status == "graded" else STATUS[row.status])
    if whole is not None:
        try:
            result = msgspec.convert(whole, Result)
            return report(result, ROOT, store.source(one.digest, result.lab.file), person)
        except msgspec.ValidationError as error:
            why = f"the result was stored by another version of the grader ({error}); ./grader replay grades it again"
    lab = load(find(ROOT, store.fact("lab", "0")))
    return render(
        "nobody.html", {"lab": lab, "person": person, "status": STATUS[row.status], "why": why, "file": one.path}
    )


def _share(row: Row) -> float | None:
    points, grading = row.points, row.grading
    return points / grading.maximum if points is not None and grading and grading.maximum else None


def _line(row: Row, name: str) -> Line:
    share = _share(row)
    of = f"{row.points:g}" if row.points is not None else ""
    return Line(
        row.submission.person.name or row.key,
        row.key,
        f"students/{quote(name)}.html",
        "" if row.status == "graded" else STATUS[row.status],
        share,
        of,
        tuple((task["name"], task["verdict"], TONE.get(task["verdict"], "bad")) for task in row.tasks),
        bool(row.submission.late),
        duration(row.grading.seconds) if row.grading else "",
    )


def _common(failed: Failed) -> list[str]:
    said = [f"{times} × {what}" for what, times in failed.mistakes.most_common(SHOWN_MISTAKES)]
    others = failed.count - sum(times for _, times in failed.mistakes.most_common(SHOWN_MISTAKES))
    return [*said, *([f"{others} other{'s' * (others > 1)}"] if others else [])]
