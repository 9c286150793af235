"""Measures the programs of one repository after another."""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

import msgspec

from foreign.building import Built, build, first_error
from foreign.discover import Found, missing, needs
from foreign.limits import Ended, run
from foreign.recipes import Recipe
from foreign.verdict import Finding, Verdict, findings, judge


@dataclass(frozen=True)
class Row:
    """A program's result, as docs/data/public_programs.csv keeps it."""

    repository: str
    revision: str
    program: str
    result: str
    detail: str
    arguments: str
    seconds: float  # of processor time; 0: it did not run
    date: str


@dataclass(frozen=True)
class Options:
    library: Path  # the folder of the virtual GPU's libcudart.so.13
    work: Path  # where executables, outputs and reports are kept
    jobs: int
    seconds: float
    memory: int  # bytes, of one program
    kept: bool = False  # judge the runs that are kept instead of running: after a recipe has changed


def survey(recipe: Recipe, checkout: Path, chosen: Sequence[Found], options: Options) -> Iterator[Row]:
    """The rows as they become ready."""
    revision = git(checkout, "rev-parse", "HEAD")
    room = options.work / f"{recipe.repository.replace('/', '+')}-{revision[:10]}"
    with ThreadPoolExecutor(options.jobs) as pool:
        waiting = [pool.submit(measure, recipe, one, checkout, room, options) for one in chosen]
        for done in as_completed(waiting):
            found, verdict, words, seconds = done.result()
            today = datetime.date.today().isoformat()
            yield Row(
                recipe.repository,
                revision,
                found.path,
                verdict.result,
                " ".join(verdict.detail.split()),
                words,
                round(seconds, 1),
                today,
            )


def git(checkout: Path, *words: str) -> str:
    return subprocess.check_output(["git", "-C", str(checkout), *words], text=True).strip()


def measure(
    recipe: Recipe, found: Found, checkout: Path, room: Path, options: Options
) -> tuple[Found, Verdict, str, float]:
    about = found.about
    if about.skip:
        return found, Verdict("unjudged", about.skip), "", 0.0
    if need := about.needs or needs(found, [checkout / one for one in (*recipe.include, *about.include)]):
        return found, Verdict("library", need), "", 0.0
    built = build(recipe, found, checkout, room)
    if built.path is None and (need := missing(built.said)):
        return found, Verdict("library", need), "", 0.0
    if built.path is None:
        return found, Verdict("unjudged", f"does not compile: {first_error(built.said)}"), "", 0.0
    words = list(built.arguments if about.arguments is None else about.arguments)
    ended, found_there = again(built) if options.kept else execute(found, built, words, options)
    return found, judge(recipe, about, ended, found_there), " ".join(words), ended.seconds


def execute(found: Found, built: Built, words: list[str], options: Options) -> tuple[Ended, list[Finding]]:
    """Runs it in its folder; output and report stay beside the executable, for people."""
    assert built.path is not None
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        environment = dict(os.environ) | {"VGPU_REPORT_FILE": str(report), "LD_LIBRARY_PATH": str(options.library)}
        words = [one.replace("{temporary}", folder) for one in words]
        ended = run(
            [str(built.path), *words],
            found.folder / found.about.folder,
            environment,
            options.seconds,
            options.memory,
            found.about.input,
        )
        text = report.read_text("utf-8", "replace") if report.is_file() else ""
    (built.path.parent / "output.txt").write_text(ended.output)
    (built.path.parent / "report.json").write_text(text)
    (built.path.parent / "ended.json").write_bytes(msgspec.json.encode(ended))
    return ended, reported(text)


def reported(text: str) -> list[Finding]:
    """The findings of a report; none, if the program was stopped before it could write it."""
    try:
        return findings(json.loads(text) if text else None)
    except json.JSONDecodeError:
        return []


def again(built: Built) -> tuple[Ended, list[Finding]]:
    """A run that is kept."""
    assert built.path is not None
    ended = built.path.parent / "ended.json"
    if not ended.is_file():
        return Ended(0, 0.0, "", "absence of a run"), []
    text = (built.path.parent / "report.json").read_text()
    return msgspec.json.decode(ended.read_bytes(), type=Ended), reported(text)


def read_rows(path: Path) -> list[Row]:
    from bench.csv_rows import read_csv

    try:
        return read_csv(Row, path) if path.is_file() else []
    except msgspec.ValidationError:
        return []


def merged(old: list[Row], new: list[Row]) -> list[Row]:
    """New rows replace old ones of the same program, in the order of repositories and programs."""
    rows = {(row.repository, row.program): row for row in (*old, *new)}
    return sorted(rows.values(), key=lambda row: (row.repository.lower(), row.program.lower(), row.program))
