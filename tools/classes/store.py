"""What is known about a class, in one SQLite database in WAL mode: results/class.sqlite.

Why a database: if the grader or the machine dies, a finished result is stored entirely or not at all, and we need no
code that renames and syncs. One file holds a thousand submissions. WAL: you can read it while a class is being graded
(`sqlite3 results/class.sqlite`). Each run replaces all submissions at once. Gradings are only ever added, under the
bytes of the file, so that equal files are graded once and no result is lost.
"""

from __future__ import annotations

import fcntl
import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from autograder.errors import GraderError, UsageError
from autograder.files import write_whole
from classes.people import Submission
from classes.roster import Person
from classes.submitted_files import shown

DATABASE = "class.sqlite"
_VERSION = 1
_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS submissions (
    position INTEGER PRIMARY KEY, person TEXT UNIQUE NOT NULL, digest TEXT NOT NULL, problem TEXT NOT NULL,
    row TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS gradings (
    id INTEGER PRIMARY KEY, digest TEXT NOT NULL, outcome TEXT NOT NULL, points REAL, maximum REAL,
    short TEXT NOT NULL, result BLOB NOT NULL,
    message TEXT NOT NULL, seconds REAL NOT NULL, memory_mb REAL NOT NULL,
    time_limit REAL NOT NULL, finished TEXT NOT NULL, grader TEXT NOT NULL, lab TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS of_file ON gradings (digest);
CREATE TABLE IF NOT EXISTS private (grading INTEGER PRIMARY KEY, sets TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS by_file ON submissions (digest);
"""


@dataclass(frozen=True)
class Grading:
    """One run of the grader over one file. Outcomes: graded, fault (IE: to be graded again), time (the limit)."""

    digest: str
    outcome: str
    points: float | None = None
    maximum: float | None = None
    short: str = ""  # JSON: the result without details, so that a thousand of them fit into memory
    result: bytes = b""  # JSON, as the grader wrote it; read from the store by `whole` only
    message: str = ""
    seconds: float = 0.0
    memory_mb: float = 0.0  # the most that its processes were seen to hold together
    time_limit: float = 0.0
    finished: str = ""
    grader: str = ""
    lab: str = ""
    id: int = 0

    @property
    def data(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.short) if self.short else {}
        return found


_FIELDS = [name for name in Grading.__dataclass_fields__ if name not in ("id", "result")]
_COLUMNS = f"{', '.join(_FIELDS)}, id"
_AT_A_TIME = 100  # rows that are in memory when all are walked through
_KEPT = ("name", "points", "of", "core", "verdict", "reason", "where", "kind", "seconds")


class Store:
    """Opens results/, makes it if need be, and keeps others out of it."""

    def __init__(self, folder: Path, create: bool = True, alone: bool = True) -> None:
        """`alone`: exclusive access; otherwise read-only, while another process may grade."""
        self.folder, self._alone = folder, alone
        if not create and not (folder / DATABASE).is_file():
            raise UsageError(f"{folder} holds no graded class ({DATABASE}); first run: ./grader class … --out {folder}")
        self._lock: IO[str] | None = None
        if alone:
            self._take_alone()
        try:
            self._database = self._connected()
        except sqlite3.OperationalError as error:
            raise GraderError(f"{folder / DATABASE}: {error}; is the disk full? What is stored there is safe") from None
        except sqlite3.DatabaseError as error:
            raise UsageError(f"{folder / DATABASE}: {error}; move it away, or choose another --out") from None
        self._check_version()

    def _take_alone(self) -> None:
        folder = self.folder
        self._check_folder()
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = (folder / ".lock").open("w")
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(f"{folder}: another grader is at work there; wait for it, or stop it with ^C") from None
        except FileExistsError:
            raise UsageError(f"{folder} is a file; choose a folder for --out") from None
        except OSError as error:
            raise UsageError(f"{folder}: {error.strerror}") from None

    def _connected(self) -> sqlite3.Connection:
        """The tables are there after it. A reader creates and changes nothing."""
        path = (self.folder / DATABASE).resolve()
        if not self._alone:
            database = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, isolation_level=None)
            database.execute("SELECT count(*) FROM facts")
            return database
        database = sqlite3.connect(path, isolation_level=None)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")  # a result outlives the machine, too
        database.executescript(_SCHEMA)
        return database

    def _check_folder(self) -> None:
        """Each run rewrites the tables: no other files may be in their place."""
        if self.folder.is_dir() and not (self.folder / DATABASE).is_file():
            others = sorted(path.name for path in self.folder.iterdir() if path.name != ".lock")
            if others:
                raise UsageError(
                    f"{self.folder} holds other files ({shown(others[0])}, …); choose a new folder for --out"
                )

    def _check_version(self) -> None:
        version = self.fact("version", str(_VERSION))
        if version != str(_VERSION):
            raise UsageError(f"{self.folder / DATABASE} was written by another version of the grader ({version})")

    @contextmanager
    def opened(self) -> Iterator[Store]:
        """Closes it in the end. A full disk and the like is a GraderError: what is stored stays stored."""
        try:
            yield self
        except (sqlite3.Error, OSError) as error:
            raise GraderError(f"{self.folder}: {error}; what is stored is safe, the same command continues") from error
        finally:
            self.close()

    @property
    def read_only(self) -> bool:
        return not self._alone

    def close(self) -> None:
        self._database.close()
        if self._lock:
            self._lock.close()

    def fact(self, name: str, default: str) -> str:
        """A value that is set once: the default is kept if there is none yet."""
        if self._alone:
            self._database.execute("INSERT OR IGNORE INTO facts VALUES (?, ?)", (name, default))
        found = self._database.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return str(found[0]) if found else default

    def set_fact(self, name: str, value: str) -> None:
        self._database.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))

    def replace_submissions(self, rows: Iterable[Submission]) -> None:
        values = ((at, row.person.key, row.digest, row.problem, json.dumps(asdict(row))) for at, row in enumerate(rows))
        with self._database:
            self._database.execute("BEGIN IMMEDIATE")
            self._database.execute("DELETE FROM submissions")
            self._database.executemany("INSERT INTO submissions VALUES (?, ?, ?, ?, ?)", values)

    def count(self) -> int:
        """The number of submissions."""
        return int(self._database.execute("SELECT count(*) FROM submissions").fetchone()[0])

    def submissions(self, first: int = 0) -> Iterator[Submission]:
        """All submissions in order, a few in memory at a time; the database may be written to meanwhile."""
        query = f"SELECT position, row FROM submissions WHERE position >= ? ORDER BY position LIMIT {_AT_A_TIME}"
        while rows := self._database.execute(query, (first,)).fetchall():
            yield from (_submission(json.loads(row)) for _, row in rows)
            first = rows[-1][0] + 1

    def of_file(self, digest: str) -> list[Submission]:
        """All who have handed in this file."""
        rows = self._database.execute("SELECT row FROM submissions WHERE digest = ? ORDER BY position", (digest,))
        return [_submission(json.loads(row[0])) for row in rows.fetchall()]

    def add(self, grading: Grading) -> Grading:
        """Stores a result for good; returns it as `current` would."""
        values = {name: getattr(grading, name) for name in _FIELDS}
        result, private = without_private(grading.result)
        values |= {"result": zlib.compress(result), "short": shortened(result)}
        values["finished"] = grading.finished or datetime.now(UTC).isoformat(timespec="seconds")
        marks = ", ".join(f":{name}" for name in values)
        with self._database:
            self._database.execute("BEGIN IMMEDIATE")
            made = self._database.execute(f"INSERT INTO gradings ({', '.join(values)}) VALUES ({marks})", values)
            if private:
                self._database.execute("INSERT INTO private VALUES (?, ?)", (made.lastrowid, json.dumps(private)))
        return replace(grading, short=values["short"], result=b"", finished=values["finished"], id=made.lastrowid or 0)

    def has_results(self) -> bool:
        """Whether anything was graded; a fault of the grader is no result."""
        return self._database.execute("SELECT 1 FROM gradings WHERE outcome != 'fault' LIMIT 1").fetchone() is not None

    def current(self, digest: str, newest: int | None = None) -> Grading | None:
        """The grading that counts: the last that is not a fault of the grader, if any. `newest`: as it was then."""
        query = (
            f"SELECT {_COLUMNS} FROM gradings WHERE digest = ? AND id <= ? ORDER BY outcome = 'fault', id DESC LIMIT 1"
        )
        row = self._database.execute(query, (digest, 2**62 if newest is None else newest)).fetchone()
        return _grading(row) if row else None

    def newest(self) -> int:
        """The number of the last grading."""
        return int(self._database.execute("SELECT coalesce(max(id), 0) FROM gradings").fetchone()[0])

    def whole(self, grading: Grading | None) -> dict[str, Any] | None:
        """The result as the grader wrote it."""
        if grading is None or grading.points is None:
            return None
        row = self._database.execute("SELECT result FROM gradings WHERE id = ?", (grading.id,)).fetchone()
        result: dict[str, Any] = json.loads(zlib.decompress(row[0]))
        return result

    def private(self, grading: Grading) -> dict[str, list[dict[str, Any]]]:
        """By task, the results of the course's private cases, for the instructor alone."""
        row = self._database.execute("SELECT sets FROM private WHERE grading = ?", (grading.id,)).fetchone()
        found: dict[str, list[dict[str, Any]]] = json.loads(row[0]) if row else {}
        return found

    def keep_source(self, digest: str, name: str, data: bytes) -> Path:
        """Written once, under a name derived from its contents, so that any result can be repeated later."""
        path = self.source(digest, name)
        if not path.is_file() or path.read_bytes() != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, data)
        return path

    def source(self, digest: str, name: str) -> Path:
        return self.folder / "sources" / digest / name


def without_private(result: bytes) -> tuple[bytes, dict[str, list[dict[str, Any]]]]:
    """Splits a result into the part that every reader may see and its private cases, by task."""
    if b'"private"' not in result:
        return result, {}
    whole = json.loads(result)
    found = {task["name"]: task.pop("private") for task in whole["tasks"] if "private" in task}
    found = {name: sets for name, sets in found.items() if sets}
    return json.dumps(whole, ensure_ascii=False).encode(), found


def shortened(result: bytes) -> str:
    """What the tables need of a result."""
    if not result:
        return ""
    whole = json.loads(result)
    tasks = [{name: task.get(name, "") for name in _KEPT} for task in whole["tasks"]]
    for task in tasks:
        task["reason"] = str(task["reason"])[:300]
    return json.dumps({"tasks": tasks, "compiler": bool(whole.get("compiler"))})


def _grading(row: Sequence[Any]) -> Grading:
    return Grading(**dict(zip((*_FIELDS, "id"), row, strict=True)))


def _submission(values: dict[str, Any]) -> Submission:
    person = Person(**values.pop("person"))
    return Submission(person=person, **{**values, "notes": tuple(values["notes"])})
