"""What a class leaves on disk for people and programs: grades.csv, and one JSON for each student."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from autograder.errors import UsageError
from autograder.files import write_whole
from autograder.sanitize import clean
from classes.overrides import audit, note_for_audits
from classes.store import Store
from classes.student_results import STATUS, Row

SCHEMA = "cuda-labs/class/v1"
_WRITTEN = "grades.csv"  # the fact with digests of the table as we have written it


class Raw(str):
    """A cell of a platform's own table, which goes back as it came."""


def cell(value: object) -> str:
    """Makes a cell safe in a spreadsheet: one that begins like a formula gets an apostrophe in front."""
    if isinstance(value, Raw):
        return str(value)
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
    columns = [f"{name}{what}" for name in names for what in ("", "_of", "_verdict")]
    yield _csv_line([*heading, *columns, "file", "hash", "remarks"])
    for row in rows:
        one, fields = row.submission, row.submission.person.fields
        tasks = {task["name"]: task for task in row.tasks}
        cells: list[object] = []
        for name in names:
            task = tasks.get(name)
            cells += [float(task["points"]), float(task["of"]), task["verdict"]] if task else ["", "", ""]
        remarks = [*([row.why] if row.why else []), *(one.said() for one in row.overrides), *one.notes]
        points: list[object] = ["", ""] if row.points is None else [float(row.points), row.of or ""]
        yield _csv_line([
            row.key, one.person.name, fields.get("email", ""), fields.get("sid", ""), fields.get("section", ""),
            row.status, *points,
            "late" if one.late else "", one.when, *cells, one.path, one.digest, "; ".join(remarks),
        ])  # fmt: skip


def student(row: Row, store: Store) -> dict[str, Any]:
    """What one student's JSON holds; `result` is as docs/result-schema.md says, or null."""
    one = row.submission
    return {
        "schema": SCHEMA,
        "person": {"key": row.key, "name": one.person.name, "known": one.person.known, **one.person.fields},
        "status": row.status,
        "why": row.why or ("" if row.status == "graded" else STATUS[row.status]),
        "points": row.points,
        "of": row.of,
        "overrides": [{"task": one.task, "points": one.points, "reason": one.reason} for one in row.overrides],
        "submission": {
            "origin": one.origin, "file": one.path, "digest": one.digest, "late": one.late, "handed_in": one.when,
            "remarks": list(one.notes),
        },
        "graded": {
            "finished": row.grading.finished, "seconds": row.grading.seconds, "grader": row.grading.grader,
            "lab": row.grading.lab,
        } if row.grading else None,
        "result": changed(_without_folders(store.whole(row.grading)), row),
    }  # fmt: skip


def _without_folders(result: dict[str, Any] | None) -> dict[str, Any] | None:
    """Students read nothing of the machine that graded: its paths are names of files."""
    for task in (result or {}).get("tasks", []):
        for line in (line for kernel in task.get("kernels", []) for line in kernel["lines"]):
            line["place"]["file"] = line["place"]["file"].rpartition("/")[2]
    return result


def changed(result: dict[str, Any] | None, row: Row) -> dict[str, Any] | None:
    """The result with the points that count."""
    if result is None or not row.overrides:
        return result
    points = {one.task: one.points for one in row.overrides}
    tasks = [task | {"points": points.get(task["name"], task["points"])} for task in result["tasks"]]
    return result | {"points": row.points, "tasks": tasks, "full_marks": row.points == result["of"]}


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


def write_tables(store: Store, rows: Sequence[Row]) -> list[str]:
    """Rewrites the tables and pages from the database. Returns what a person should know of it."""
    from classes.pages import class_page, student_pages  # not for every command: it loads templates

    notes = _write_grades(store, rows)
    write_audit(store, rows)
    names = file_names(rows)
    files = ((f"{names[row.key]}.json", encode(student(row, store))) for row in rows)
    write_folder(store.folder / "students", chain(files, student_pages(store, rows, names)))
    write_whole(store.folder / "report.html", class_page(store, rows, names))
    return notes


def _write_grades(store: Store, rows: Sequence[Row]) -> list[str]:
    """A grades.csv that somebody has edited stays as it is; a new one is put beside it."""
    text, own, beside = "".join(grades(rows)), store.folder / "grades.csv", store.folder / "grades.new.csv"
    there = _cells(own)
    digest = _digest(list(csv.reader(io.StringIO(text, newline=""))))
    ours = json.loads(store.fact(_WRITTEN, "[]"))
    if there and ours and _digest(there) not in (*ours, digest):
        write_whole(beside, text.encode())
        return [
            f"{own} was edited by hand: it stays as it is, and no command reads it. The new table is {beside}",
            f"to change a grade, write {store.folder}/overrides.csv: person,task,points,reason",
        ]
    # Both, as the run may be killed before the new one is there.
    store.set_fact(_WRITTEN, json.dumps([_digest(there), digest]))
    write_whole(own, text.encode())
    beside.unlink(missing_ok=True)
    return []


def _cells(path: Path) -> list[list[str]]:
    """The table whatever program has saved it; empty if there is none."""
    from classes.platform_table import read_table

    try:
        table = read_table(path, "grades.csv")
    except UsageError:
        return [["?"]] if path.is_file() and path.stat().st_size else []
    return [list(table.heading), *map(list, table.rows)]


def _digest(cells: Sequence[Sequence[str]]) -> str:
    return hashlib.sha256(json.dumps([[cell.strip() for cell in row] for row in cells]).encode()).hexdigest()


def write_audit(store: Store, rows: Sequence[Row]) -> None:
    """audit.csv: every grade that was ever changed by hand, also after the line is gone from overrides.csv."""
    graded = {row.key: row.graded for row in rows if row.overrides}
    note_for_audits(store, {row.key: row.overrides for row in rows if row.overrides}, graded)
    if found := audit(store):
        columns = list(found[0])
        lines: list[list[object]] = [[*columns]]
        lines += [[one[name] if one[name] is not None else "" for name in columns] for one in found]
        write_whole(store.folder / "audit.csv", csv_text(lines).encode())


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
