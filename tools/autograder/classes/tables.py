"""What a class leaves on disk for people and programs: grades.csv, and one JSON for each student."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from autograder.classes.rows import STATUS, Row
from autograder.classes.store import Store
from autograder.files import write_whole
from autograder.plain import clean

SCHEMA = "cuda-labs/class/v1"


def cell(value: object) -> str:
    """Makes a cell safe in a spreadsheet: one that begins like a formula gets an apostrophe in front."""
    if isinstance(value, float):
        return f"{value:.10g}"
    text = clean(str(value), 1000).replace("\n", " ")
    plain = text.lstrip(" \t'\"\xa0\u3000")
    harmless = re.fullmatch(r"[+-]?\d+([.,]\d+)?|-", text)
    formula = plain[:1] in ("=", "+", "-", "@", "＝", "＋", "－", "＠", "|") and not harmless
    return "'" + text if formula and plain else text


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    return "".join(map(_csv_line, rows))


def _csv_line(row: Sequence[object]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow([cell(value) for value in row])
    return out.getvalue()


def grades(rows: Sequence[Row]) -> Iterator[str]:
    """The whole class as a table, line by line."""
    names = list(dict.fromkeys(task["name"] for row in rows for task in row.tasks))
    heading = ["person", "name", "email", "id", "section", "status", "points", "of", "late", "handed_in"]
    yield _csv_line([*heading, *names, *(f"{name}_verdict" for name in names), "file", "remarks"])
    for row in rows:
        one, fields = row.submission, row.submission.person.fields
        tasks = {task["name"]: task for task in row.tasks}
        of = row.grading.maximum if row.grading and row.points is not None else ""
        yield _csv_line([
            row.key, one.person.name, fields.get("email", ""), fields.get("sid", ""), fields.get("section", ""),
            row.status, "" if row.points is None else row.points, of, "late" if one.late else "", one.when,
            *(float(tasks[name]["points"]) if name in tasks else "" for name in names),
            *(tasks[name]["verdict"] if name in tasks else "" for name in names),
            one.path, "; ".join([*([row.why] if row.why else []), *one.notes]),
        ])  # fmt: skip


def student(row: Row, store: Store) -> dict[str, Any]:
    """What one student's JSON holds; `result` is as docs/result-schema.md says, or null."""
    one = row.submission
    return {
        "schema": SCHEMA,
        "person": {"key": row.key, "name": one.person.name, "known": one.person.known, **one.person.fields},
        "status": row.status,
        "why": row.why or ("" if row.status == "graded" else STATUS[row.status]),
        "submission": {
            "origin": one.origin, "file": one.path, "digest": one.digest, "late": one.late, "handed_in": one.when,
            "remarks": list(one.notes),
        },
        "graded": {
            "finished": row.grading.finished, "seconds": row.grading.seconds, "grader": row.grading.grader,
            "lab": row.grading.lab,
        } if row.grading else None,
        "result": store.whole(row.grading),
    }  # fmt: skip


def file_names(rows: Sequence[Row]) -> dict[str, str]:
    """A name for each person that every file system takes; no two are equal."""
    taken: dict[str, str] = {}
    result = {}
    for row in rows:
        plain = re.sub(r"[^\w.@+-]+", "_", row.key).strip("._")[:80] or "person"
        name, number = plain, 1
        while name.casefold() in taken:
            number += 1
            name = f"{plain}-{number}"
        taken[name.casefold()] = row.key
        result[row.key] = name
    return result


def write_tables(store: Store, rows: Sequence[Row]) -> None:
    """Rewrites results/grades.csv, results/students/ and results/report.html from the database."""
    from autograder.classes.pages import class_page, student_pages  # not for every command: it loads templates

    write_whole(store.folder / "grades.csv", (line.encode() for line in grades(rows)))
    names = file_names(rows)
    files = ((f"{names[row.key]}.json", encode(student(row, store))) for row in rows)
    write_folder(store.folder / "students", chain(files, student_pages(store, rows, names)))
    write_whole(store.folder / "report.html", class_page(store, rows, names))


def write_folder(folder: Path, files: Iterable[tuple[str, bytes]]) -> int:
    """A folder with these files and no others, replaced as one. Returns how many there are."""
    made, old = folder.with_name(f".{folder.name}.new"), folder.with_name(f".{folder.name}.old")
    for left in (made, old):
        shutil.rmtree(left, ignore_errors=True)
    made.mkdir(parents=True)
    number = 0
    for name, data in files:
        (made / name).write_bytes(data)
        number += 1
    if folder.exists():
        folder.rename(old)
    made.rename(folder)
    shutil.rmtree(old, ignore_errors=True)
    return number


def encode(value: object) -> bytes:
    return json.dumps(value, indent=2, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
