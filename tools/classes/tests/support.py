"""For tests of a class: submissions as platforms download them, and a grader that answers at once."""

from __future__ import annotations

import io
import json
import sqlite3
import stat
import sys
import zipfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from rich.console import Console

from classes.choose_file import Lab
from classes.grading import Run, run_class
from classes.options import Options
from classes.roster import Roster
from classes.roster_files import read_rosters
from classes.store import DATABASE, Store
from classes.student_results import Row, rows_of

ROOT = Path(__file__).resolve().parents[3]
HOSTILE = "=1+1 <b>&\"' \x1b[31m]]> \u202e"
LAB = Lab(3, "scan.cu", "03-scan", ("reduce.cu", "square.cu"))
ROSTER = """name,login,email,id
Ada Lovelace,ada,ada@example.edu,100
Grace Hopper,grace,grace@example.edu,101
Søren Łukasz,soren,soren@example.edu,102
"""


def put(path: Path, data: str | bytes = "// scan\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def roster(tmp_path: Path, text: str | bytes = ROSTER) -> Roster:
    return read_rosters([put(tmp_path / "roster.csv", text)])


def zipped(files: dict[str, str | bytes], link: str = "") -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = ((stat.S_IFLNK | 0o777) if name == link else 0) << 16
            archive.writestr(info, data)
    return made.getvalue()


def outcomes(store: Store, digest: str) -> list[str]:
    """Of all gradings of one file, the oldest first."""
    with closing(sqlite3.connect(store.folder / DATABASE)) as database:
        found = database.execute("SELECT outcome FROM gradings WHERE digest = ? ORDER BY id", (digest,)).fetchall()
    return [outcome for (outcome,) in found]


def result(points: float = 100.0, verdict: str = "AC", reason: str = "", compiler: str = "") -> dict[str, object]:
    """A result with two tasks; the second one is always right."""

    def task(name: str, of: float, got: float, verdict: str, reason: str) -> dict[str, object]:
        return {
            "name": name, "points": got, "of": of, "core": True, "verdict": verdict, "reason": reason,
            "output": {"right": 24 if verdict == "AC" else 21, "total": 24}, "details": [],
            "kind": "",
            "where": "scan.cu:12" if reason else "", "again": "", "time": None, "printed": "", "seconds": 1.5,
        }  # fmt: skip

    tasks = [task("naive", 40.0, points - 60.0, verdict, reason), task("blelloch", 60.0, 60.0, "AC", "")]
    return {
        "schema": "cuda-labs/result/v1", "grader": "0.1.0", "source": "scan.cu", "device": "virtual GPU", "seed": "1",
        "lab": {"number": 3, "name": "scan", "title": "Scan", "folder": "03-scan", "file": "scan.cu"},
        "modelled": True, "points": points, "of": 100.0, "full_marks": points == 100.0, "passed": verdict == "AC",
        "partial": False, "tasks": tasks, "seconds": 3.2, "compiler": compiler,
    }  # fmt: skip


def fake_grader(folder: Path, code: str = "", log: str = "log") -> Path:
    """A program that logs the file and answers with points made of it; `code` comes before, with its text in `text`."""
    answer = json.dumps(result(70.0, "WA", "wrong from n = 33 on"))
    return put(
        folder / "grader.sh",
        f'text=$(cat "$1")\n{code}\necho "$text" >> {folder}/{log}\ncat <<\'END\'\n{answer}\nEND\n',
    )


def grade_class(
    top: Path, out: Path, grader: Path | Sequence[str], workers: int = 2, seconds: float = 60.0,
    roster: str | None = ROSTER, reference: Sequence[str] = (), batch: str = "",
) -> tuple[int, str]:  # fmt: skip
    """Exit status, and what people read."""
    people = Console(file=io.StringIO(), width=160)
    names = put(out.parent / "roster.csv", roster) if roster is not None else None

    def command(file: Path) -> Sequence[str]:
        return [*(["/bin/sh", str(grader)] if isinstance(grader, Path) else grader), str(file)]

    run = Run(ROOT, out, workers, seconds, people, command, reference=reference)
    status = run_class(run, Options(3), top, [names] if names else [], batch=batch)
    said = people.file
    assert isinstance(said, io.StringIO)
    return status, said.getvalue()


def log_of(tmp_path: Path) -> list[str]:
    path = tmp_path / "log"
    return path.read_text().splitlines() if path.exists() else []


def table(out: Path) -> dict[str, Row]:
    store = Store(out, create=False)
    try:
        return {row.key: row for row in rows_of(store)}
    finally:
        store.close()


if __name__ == "__main__":
    status, said = grade_class(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]))
    print(said)
    raise SystemExit(status)
