"""python -m bench.corpus: what the virtual GPU and compute-sanitizer find in the corpus of defects.

The corpus is virtual_gpu/tests/corpus: pairs of programs, each mistake and the same program without it.

    --device gpu   runs all under compute-sanitizer on this machine's GPU into --csv
    without it     runs them on the virtual GPU and writes docs/measured/corpus.md
"""

from __future__ import annotations

import argparse
import csv
import datetime
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from bench.csv_rows import read_csv
from bench.gpu import gpu_and_driver

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "virtual_gpu/tests/corpus"
PROGRAMS = ROOT / "build/parts/virtual_gpu/tests/programs/corpus"
SEEDS = (0, 6)  # schedules; the second has many blocks side by side
ROWS = ROOT / "virtual_gpu/docs/data/corpus_h200.csv"
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
MARK = re.compile(r"// (\w+): (\w+)(?: in (\S+))?$")
ENDLESS = 20.0  # seconds on a GPU, of programs that take milliseconds


@dataclass(frozen=True)
class Defect:
    """One pair."""

    topic: str  # the program
    name: str
    kind: str  # of the finding; "missed" if the virtual GPU does not find it
    line: int  # at which it is found
    file: str


@dataclass(frozen=True)
class Seen:
    """What a finding of the virtual GPU says."""

    kind: str
    is_note: bool
    places: tuple[tuple[str, int], ...]
    what: str


@dataclass(frozen=True)
class Row:
    """One run under compute-sanitizer."""

    topic: str
    name: str
    twin: str  # bad or good
    tool: str
    errors: int  # -1: stopped after ENDLESS seconds
    says: str
    gpu: str
    version: str
    date: str


def defects() -> list[Defect]:
    out = []
    for source in sorted(SOURCES.glob("*.cu")):
        text = source.read_text()
        marks = {}
        for number, line in enumerate(text.splitlines(), 1):
            if found := MARK.search(line):
                marks[found[1]] = (found[2], number, found[3] or source.name)
        for name in re.findall(r"PAIR\((\w+)\)", text):
            kind, line_number, file = marks[name]
            out.append(Defect(source.stem, name, kind, line_number if file == source.name else 0, file))
    return out


def seen(defect: Defect, twin: str, seed: int = 0) -> list[Seen]:
    """The findings of one program on the virtual GPU."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        variables = {"VGPU_REPORT_FILE": str(report), "VGPU_LEAKS": "1", "VGPU_SEED": str(seed)}
        library = str(ROOT / "build/virtual_gpu")
        subprocess.run(
            [str(PROGRAMS / defect.topic), defect.name, twin],
            env=os.environ | variables | {"LD_LIBRARY_PATH": library},
            capture_output=True,
            timeout=120,
            check=False,
        )
        findings = json.loads(report.read_text())["findings"]
    return [
        Seen(
            one["kind"],
            one["is_note"],
            tuple((Path(one[at]["file"]).name, one[at]["line"]) for at in ("place", "other_place")),
            one["what"],
        )
        for one in findings
    ]


def is_found(defect: Defect, findings: Iterable[Seen]) -> bool:
    """Whether a finding has the kind and the place that the source says."""
    for one in findings:
        lines = [line for file, line in one.places if file == defect.file]
        if one.kind == defect.kind and not one.is_note and (defect.line in lines or (not defect.line and lines)):
            return True
    return False


def defects_found(defect: Defect) -> bool:
    """Whether the virtual GPU finds the bad twin's mistake in one of two schedules."""
    return any(is_found(defect, seen(defect, "bad", seed)) for seed in SEEDS)


def sanitized(defect: Defect, twin: str, tool: str, programs: Path, limit: float = ENDLESS) -> tuple[int, str]:
    """The number of errors that a tool of compute-sanitizer reports, and its first sentence."""
    words = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "9", "--print-limit", "3"]
    words += ["--leak-check", "full"] if tool == "memcheck" else []
    words += [str(programs / defect.topic), defect.name, twin]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return -1, ""
    summary = re.search(r"(?:ERROR|RACECHECK|LEAK)? ?SUMMARY: (\d+) (?:error|hazard)", done.stdout)
    said = [line[9:].strip() for line in done.stdout.splitlines() if line.startswith("=========")]
    first = next((line for line in said if line and line != "COMPUTE-SANITIZER"), "")
    return (int(summary[1]) if summary else int(done.returncode == 9)), first[:160]


def on_gpu(programs: Path, csv_path: Path, jobs: int = 8) -> None:
    """All bad programs one by one, those that never end last; the good ones of a topic in one run, and one by one if
    a tool finds anything in it."""
    gpu, _ = gpu_and_driver()
    said = subprocess.check_output(["compute-sanitizer", "--version"], text=True)
    version = (re.findall(r"[Vv]ersion (\S+)", said) or ["unknown"])[0]
    today = datetime.date.today().isoformat()
    ordered = sorted(defects(), key=lambda one: one.kind == "deadlock")
    topics = {one.topic: [other for other in ordered if other.topic == one.topic] for one in ordered}

    def good(item: tuple[str, str]) -> list[Row]:
        topic, tool = item
        whole, says = sanitized(Defect(topic, "all", "", 0, ""), "good", tool, programs, 3 * ENDLESS)
        rows = []
        for one in topics[topic]:
            errors, says = sanitized(one, "good", tool, programs) if whole != 0 else (0, "")
            rows.append(Row(topic, one.name, "good", tool, errors, says, gpu, version, today))
        return rows

    def one_bad(item: tuple[Defect, str]) -> list[Row]:
        defect, tool = item
        errors, says = sanitized(defect, "bad", tool, programs)
        return [Row(defect.topic, defect.name, "bad", tool, errors, says, gpu, version, today)]

    with csv_path.open("w", newline="") as file, ThreadPoolExecutor(jobs) as pool:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([field.name for field in fields(Row)])
        work = [pool.submit(good, (topic, tool)) for topic in topics for tool in TOOLS]
        work += [pool.submit(one_bad, (one, tool)) for one in ordered for tool in TOOLS]
        for done in as_completed(work):
            writer.writerows(astuple(row) for row in done.result())
            file.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="", help="gpu: run compute-sanitizer")
    parser.add_argument("--csv", type=Path, default=ROWS)
    parser.add_argument("--programs", type=Path, default=PROGRAMS)
    options = parser.parse_args()
    if options.device == "gpu":
        on_gpu(options.programs, options.csv)
        return
    from bench.corpus_page import write

    virtual = {}
    for defect in defects():
        virtual[defect.topic, defect.name, "bad"] = defects_found(defect)
        virtual[defect.topic, defect.name, "good"] = any(not one.is_note for one in seen(defect, "good"))
    write(defects(), virtual, read_csv(Row, options.csv) if options.csv.is_file() else [])


if __name__ == "__main__":
    main()
