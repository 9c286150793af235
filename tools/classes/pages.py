"""A class as pages: results/report.html, and results/students/NAME.html for each student, one at a time."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from autograder.page import charts
from autograder.page.page import render
from autograder.page.result_page import Person, report
from autograder.page.tasks import TONE
from autograder.plan.labs import find
from autograder.plan.manifest import load
from autograder.report.result import Result
from autograder.verdict import MEANING
from classes import feedback
from classes.needs_person import SIMILAR, attention
from classes.statistics import by_task, compiling, does_not_compile, mistakes, not_begun
from classes.store import Store
from classes.student_results import STATUS, Row
from classes.submitted_files import size
from classes.summary import duration
from classes.tables import changed

ROOT = Path(__file__).resolve().parents[2]


def class_page(store: Store, rows: Sequence[Row], names: Mapping[str, str]) -> bytes:
    """The whole class. `names`: of the students' files."""
    lab = load(find(ROOT, store.fact("lab", "0")))
    gradings = {row.grading.id: row.grading for row in rows if row.grading}
    shares = [share for row in rows if (share := _share(row)) is not None]
    tasks = by_task(rows)
    counts = Counter(row.status for row in rows)
    lines = [_line(row, names[row.key]) for row in rows]
    return render(
        "class.html",
        {
            "lab": lab,
            "people": len(rows),
            "counts": [f"{counts[name]} {text}" for name, text in STATUS.items() if counts[name]],
            "median": statistics.median(shares) if shares else None,
            "mean": statistics.fmean(shares) if shares else None,
            "distribution": charts.distribution(shares) if shares else None,
            "by_task": tasks,
            "mistakes": mistakes(rows, lambda digest: _source(store, digest, lab.file)),
            "compiled": sum(1 for _ in compiling(rows)),
            "broken": [row.key for row in rows if does_not_compile(row)],
            "idle": not_begun(rows),
            "attention": attention(rows, names),
            "changed": [(row, one) for row in rows for one in row.overrides],
            "links": {key: f"students/{quote(name)}.html" for key, name in names.items()},
            "sections": sorted({line["section"] for line in lines if line["section"]}),
            "verdicts": [name for name in (*MEANING, *STATUS) if any(name in line["words"] for line in lines)],
            "tasks": list(dict.fromkeys(task["name"] for row in rows for task in row.tasks)),
            "lines": lines,
            "meaning": MEANING,
            "bar": charts.share_bar,
            "files": len(gradings),
            "grading": duration(sum(one.seconds for one in gradings.values())),
            "longest": duration(max((one.seconds for one in gradings.values()), default=0.0)),
            "typical": duration(statistics.median(one.seconds for one in gradings.values()) if gradings else 0.0),
            "memory": size(int(max((one.memory_mb for one in gradings.values()), default=0.0) * 2**20)),
            "versions": len({(one.grader, one.lab) for one in gradings.values()}),
            "similarity": SIMILAR if (store.folder / SIMILAR).is_file() else "",
            "batches": _batches(store.folder),
            "untimed": "--no-time" in store.fact("options", ""),
        },
        script="class.js",
    )


def _batches(folder: Path) -> list[tuple[str, str]]:
    """Name and page of each batch of late work."""
    found = [path.parent for path in sorted((folder / "batches").glob("*/report.html"))]
    return [(path.name, f"batches/{quote(path.name)}/report.html") for path in found]


def _source(store: Store, digest: str, file: str) -> str:
    path = store.source(digest, file)
    return path.read_bytes().decode("utf-8-sig", "replace") if path.is_file() else ""


def student_pages(store: Store, rows: Sequence[Row], names: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
    """File names and pages. Only one result is in memory at a time."""
    for row in rows:
        yield f"{names[row.key]}.html", _student(store, row)


def _student(store: Store, row: Row) -> bytes:
    one = row.submission
    late = ["late"] if one.late else []
    handed = [f"handed in {one.when}"] if one.when else []
    said = [other.said() for other in row.overrides]
    whole = changed(store.whole(row.grading), row) if row.status == "graded" else None
    if whole is not None:
        # A result of an older version has no page of its own; replay makes it one.
        with suppress(msgspec.ValidationError):
            result = msgspec.convert(whole, Result)
            person = Person(one.person.name or row.key, (*said, *handed, *late, *one.notes))
            return report(result, ROOT, store.source(one.digest, result.lab.file), person)
    return feedback.page(row, store, f"Lab {store.fact('lab', '')}")


def _share(row: Row) -> float | None:
    return row.points / row.of if row.points is not None and row.of else None


def _line(row: Row, name: str) -> dict[str, Any]:
    """One person in the class report. `words`: what the filter for verdicts looks at."""
    verdicts = [(task["name"], task["verdict"], TONE.get(task["verdict"], "bad")) for task in row.tasks]
    state = [row.status] if row.status != "graded" else []
    return {
        "name": row.submission.person.name or row.key,
        "key": row.key,
        "section": row.submission.person.fields.get("section", ""),
        "page": f"students/{quote(name)}.html",
        "status": "" if row.points is not None and row.tasks else STATUS[row.status],
        "share": _share(row),
        "points": f"{row.points:g}" if row.points is not None else "",
        "verdicts": verdicts,
        "words": list(dict.fromkeys([*(verdict for _, verdict, _ in verdicts), *state])),
        "late": row.submission.late,
        "changed": bool(row.overrides),
        "seconds": f"{row.grading.seconds:.1f}" if row.grading else "",
        "took": duration(row.grading.seconds) if row.grading else "",
    }
