"""No attack changes anything for the next: an honest submission has the same result before and after each hostile one.

Nor does it leave a process or a file behind. make test-all tries an attack of each root; SEALED=all tries all of them.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import msgspec
import pytest

from autograder.cli import ROOT
from autograder.plan.request import Request
from autograder.report.result import Result, encode
from mistakes.alone import graded, traces, why_not
from mistakes.catalog import Mistake, all_mistakes
from mistakes.conformance import SEED, result_of, unexpected

ATTACKS = [one for one in all_mistakes(ROOT) if one.entry.root and not one.entry.gpu]
FEW = (  # those that did most harm before
    "own_main",
    "reference_replaced",
    "points_rewritten",
    "oracle_patched_in_memory",
    "daemon",
    "grader_stopped",
    "child_keeps_the_pipes",
    "files_left_in_tmp",
    "death_in_the_warm_up",
    "solution_by_the_include_path",
    "escape_sequences",
    "freed_in_another_stream",
)
CHOSEN = ATTACKS if os.environ.get("SEALED") == "all" else [one for one in ATTACKS if one.name in FEW]
MARK = "cheat_"  # what attacks write, and processes that they start, have names with it
# Parts of build/ that grading writes by right: caches, logs, locks. What attacks put there has the mark in its name.
CACHES = ("graded", "mistakes", "CMakeFiles", "Testing", ".cache")
WRITTEN = (".ninja_log", ".ninja_deps", "compiler.log", ".grader.lock", "setup.log", "ninja.log")


@dataclass(frozen=True)
class Traces:
    """What an attack might change."""

    tree: str  # of the repository, as git sees it
    build: dict[str, tuple[int, int, int]]
    marked: frozenset[str]  # files and folders
    processes: frozenset[str]

    def since(self, before: Traces) -> list[str]:
        """What is new or different."""
        changed = [path for path in {*self.build, *before.build} if self.build.get(path) != before.build.get(path)]
        tree = [] if self.tree == before.tree else [f"git status: {self.tree}"]
        return sorted([*tree, *changed, *(self.marked - before.marked), *(self.processes - before.processes)])


def traces_now() -> Traces:
    """The repository, build/ without its caches, files with the mark wherever one may write, processes of runs."""
    status = ["git", "-C", str(ROOT), "status", "--porcelain"]
    done = subprocess.run(status, capture_output=True, text=True, check=False)
    places = (Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"), Path.home(), ROOT, ROOT / "build")
    marked = {str(path) for place in places for path in place.glob(f"*{MARK}*")}
    marked |= {str(path) for path in (ROOT / "build/graded").glob(f"*/*{MARK}*")}
    return Traces(done.stdout, dict(built()), frozenset(marked), frozenset(running()))


def built() -> Iterator[tuple[str, tuple[int, int, int]]]:
    """Size and times of the files in build/; the time of the last change of the inode cannot be set back."""
    for folder, folders, files in os.walk(ROOT / "build"):
        folders[:] = [name for name in folders if name not in CACHES]
        for name in files:
            if name in WRITTEN or name.endswith(".pyc"):
                continue
            with contextlib.suppress(OSError):
                info = (Path(folder) / name).lstat()
                yield str(Path(folder) / name), (info.st_size, info.st_mtime_ns, info.st_ctime_ns)


def running() -> Iterator[str]:
    """Processes of graded programs, and those that call themselves a cheat's."""
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            name = (path / "comm").read_text("utf-8", "replace").strip()
            program = str((path / "exe").readlink())
            if name.startswith(MARK) or program.startswith(f"{ROOT}/build/"):
                yield f"process {path.name} {name} ({program})"


@cache
def honest(lab: Path, task: str) -> Request:
    """The solution's file, as somebody's file."""
    folder = ROOT / "build" / "mistakes" / "honest" / lab.name / task
    folder.mkdir(parents=True, exist_ok=True)
    solution = ROOT / "solutions" / lab.name
    for path in [solution / f"{task}.cu", *solution.glob("*.cuh"), *solution.glob("*.h")]:
        (folder / path.name).write_bytes(path.read_bytes())
    file = folder / f"{task}.cu"
    return Request(lab, file=file, tasks=[task], seed=SEED, max_n=5000, jobs=1, device="virtual")


def outcome(request: Request) -> Result:
    """All that must not change: points, verdicts, reasons, times, counters; not how long grading took."""
    result = msgspec.json.decode(encode(graded(ROOT, request)), type=Result)
    tasks = tuple(msgspec.structs.replace(task, seconds=0.0) for task in result.tasks)
    return msgspec.structs.replace(result, seconds=0.0, tasks=tasks)


@cache
def before_any_attack(lab: Path, task: str) -> Result:
    found = outcome(honest(lab, task))
    assert found.passed and found.points == found.of, encode(found).decode()
    return found


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.parametrize("attack", CHOSEN, ids=[one.name for one in CHOSEN])
def test_an_attack_changes_nothing_for_the_next(
    attack: Mistake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if why := why_not(attack):
        pytest.skip(why)
    before = before_any_attack(attack.lab, attack.task)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    there = traces_now()
    told = unexpected(attack, result_of(attack, ROOT))
    assert not told, told
    assert not traces_now().since(there)
    assert not traces(ROOT, attack.entry.leaves)
    assert not list(tmp_path.iterdir())
    assert outcome(honest(attack.lab, attack.task)) == before
    assert not traces_now().since(there)


def test_every_root_has_attacks_enough() -> None:
    """At least four of each, with those that a GPU is needed for, and a hundred in all."""
    every = [one for one in all_mistakes(ROOT) if one.entry.root]
    numbers = {root: sum(one.entry.root == root for one in every) for root in range(1, 10)}
    assert min(numbers.values()) >= 4 and len(every) >= 100, numbers
    assert all(any(one.name == name for one in every) for name in FEW)


def test_traces_are_seen() -> None:
    there = Traces("", {"a": (1, 1, 1)}, frozenset({"/tmp/cheat_old"}), frozenset())
    assert not there.since(there)
    now = replace(there, marked=there.marked | {"/tmp/cheat_new"}, tree="?? x", build={"a": (1, 1, 2), "b": (1, 1, 1)})
    assert now.since(there) == ["/tmp/cheat_new", "a", "b", "git status: ?? x"]
    assert any(Path(path).is_relative_to(ROOT / "build") for path, _ in built()) or not (ROOT / "build").is_dir()


def test_no_attack_has_left_its_mark_in_the_repository() -> None:
    """Not in a file that somebody then committed."""
    mark = MARK + "was_here"
    search = [
        "git",
        "-C",
        str(ROOT),
        "grep",
        "-l",
        mark,
        "--",
        ".",
        ":!tests/submissions/*/hostile/*",
        ":!tools/mistakes",
    ]
    done = subprocess.run(search, capture_output=True, text=True, check=False)
    assert not done.stdout


def test_every_claim_of_protection_names_what_shows_it() -> None:
    """docs/grading.md: each row of the table names an attack, or a test, that there is."""
    page = (ROOT / "docs/grading.md").read_text("utf-8").partition("\n## What is protected")[2]
    table = page.partition("| what a submission might do |")[2].partition("\n\n")[0].splitlines()[2:]
    search = [
        "git",
        "-C",
        str(ROOT),
        "grep",
        "-ohE",
        r"def test_\w+|TEST\w*\(\w+, *\w+|add_test\(NAME [a-z_${}]+",
        "--",
        "*.py",
        "*.cc",
        "*.txt",
    ]
    tests = subprocess.run(search, capture_output=True, text=True, check=True).stdout
    attacks = {one.name for one in all_mistakes(ROOT) if one.entry.root}
    missing = []
    for row in table:
        names = re.findall(r"`([\w.*]+)`", row.rpartition("|")[0])
        shown = [name for name in names if name in attacks or f"def {name}\n" in tests or is_suite(name, tests)]
        missing += [] if shown or "#the-cage" in row else [row[:80]]
    assert len(table) > 15 and not missing


def is_suite(name: str, tests: str) -> bool:
    return name.endswith(".*") and f"({name[:-2]}, " in tests
