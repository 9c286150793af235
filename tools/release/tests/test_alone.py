"""The archive, Gradescope's zip and the workflow at work, where nothing of this repository is."""

from __future__ import annotations

import base64
import importlib
import json
import os
import re
import shutil
import zipfile
from pathlib import Path

import pytest

from release.package import gradescope, workflow
from release.release import Release, Wanted, make
from release.tests.alone import Alone, possible
from tests.test_docs import ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(possible()), reason=possible()),
    pytest.mark.xdist_group("release"),  # one for all, and what is ready built is built once
]
SOLUTION = ROOT / "solutions/01-square"


def whole_solution() -> str:
    """All sources in one file, as a student has them."""
    texts = [path.read_text("utf-8") for path in sorted(SOLUTION.glob("*.cu"))]
    heads = {name: (SOLUTION / name).read_text("utf-8").replace("#pragma once", "") for name in sorted(
        path.name for path in SOLUTION.glob("*.cuh"))}  # fmt: skip
    text = "\n".join([*heads.values(), *texts])
    text = re.sub(rf'#include "({"|".join(map(re.escape, heads))})".*', "", text)
    first, begin, rest = text.partition("constexpr int kBlock = 256;")
    return first + begin + re.sub(r"^constexpr int kBlock = 256;", "", rest, flags=re.MULTILINE)


@pytest.fixture(scope="module")
def release() -> Release:
    return make(ROOT, Wanted(["1"]))


@pytest.fixture(scope="module")
def alone(release: Release, tmp_path_factory: pytest.TempPathFactory) -> Alone:
    made = Alone(tmp_path_factory.mktemp("alone"))
    archive, *_ = release.write(made.work)
    made.unpack(archive)
    return made


def rows(table: str) -> dict[str, str]:
    """The lines of ./grader's table by task."""
    return {match[1]: match[0] for match in re.finditer(r"^  (\w+) +[A-Z]{2,}.*$", table, re.MULTILINE)}


def test_the_archive_builds_and_grades(alone: Alone) -> None:
    there = {path.name for path in alone.tree.iterdir()}
    assert not there & {".git", ".ci"} and not list(alone.tree.rglob("*.cuh"))
    skeleton = alone.run("make lab1 && ./grader")
    assert "building lab 1" in skeleton.stdout, skeleton.stdout + skeleton.stderr
    assert "compiled" not in skeleton.stdout  # the first grade waits for none of our C++ but the reader of pictures
    assert objects(alone) == ["image.cc.o"]
    table = rows(skeleton.stdout)
    assert list(table) == ["one_block", "grid", "grid_stride", "vectorized"]
    assert all(re.search(r"SKIP .*square\.cu:\d+ TODO \d +0 / \d+", line) for line in table.values())
    assert skeleton.returncode == 1 and "0 / 100" in skeleton.stdout

    square = alone.tree / "labs/01-square/square.cu"
    square.write_text(whole_solution())
    mine = alone.run("./grader 1 && ./grader list")
    assert mine.returncode == 0, mine.stdout + mine.stderr
    assert all(re.search(r"AC \d+/\d+ +clean +[01]\.\d\dx", line) for line in rows(mine.stdout).values())
    assert "100 / 100" in mine.stdout and "full marks" in mine.stdout and "grader solution" not in mine.stdout
    compared = alone.run("./grader compare 1 grid 9; ./grader compare 1 grid")
    assert "reference" in compared.stdout and "in its own words" not in compared.stdout, compared.stderr
    reference = alone.run("./grader 1 --solution")
    assert reference.returncode == 0 and "(reference solution)" in reference.stdout


def objects(alone: Alone) -> list[str]:
    """What was compiled of our C++."""
    built = alone.tree / "build"
    return sorted(path.name for path in built.rglob("*.o") if path.name.endswith((".cc.o", ".cxx.o")))


def test_a_changed_source_is_compiled_and_make_says_so(alone: Alone) -> None:
    oracle = alone.tree / "labs/01-square/grading/oracle.cc"
    before = oracle.read_text()
    oracle.write_text(before + "\n// changed\n")
    said = alone.run("make lab1")
    assert "  ready built from other sources, so it is compiled: 01-square\n" in said.stdout, said.stdout + said.stderr
    assert said.returncode == 0 and len(objects(alone)) > 1
    oracle.write_text(before)
    again = alone.run("make lab1 && ./grader 1")
    assert "compiled" not in again.stdout and "0 / 100" in again.stdout, again.stdout + again.stderr


def handed_in(folder: Path, name: str) -> Path:
    """/autograder as Gradescope lays it out, with one of these submissions."""
    at = folder / name.replace("/", "_")
    (at / "submission").mkdir(parents=True)
    (at / "results").mkdir()
    (at / "submission_metadata.json").write_text('{"id": 1, "users": []}')
    return at


# Aborts, which is an RTE without points, if something succeeds that must not.
ATTACK = """
#include <signal.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
struct Attack {
    Attack() {
        for (const char* name : {"/autograder/results/results.json", "/autograder/results/mine",
                                 "/autograder/source/run_autograder", "/autograder/submission/square.cu",
                                 "/opt/cuda-labs/grader", "/opt/cuda-labs/build/solution1", "/opt/cuda-labs/build/x"}) {
            if (fopen(name, "a")) abort();
        }
        for (const char* name : {"/autograder/source/setup.sh", "/autograder/results", "/proc/1/environ"}) {
            if (fopen(name, "r")) abort();
        }
        for (int pid = 2; pid < 1000; ++pid) {
            if (pid != getpid() && pid != getppid() && kill(pid, SIGKILL) == 0) abort();
        }
        if (fork() == 0) {
            setsid();
            for (;;) sleep(1);
        }
    }
} attack;
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="Gradescope's container runs as root")
@pytest.mark.parametrize("sandbox", [False, True])
def test_gradescope(alone: Alone, release: Release, tmp_path: Path, sandbox: bool) -> None:
    """Its two scripts, called as Gradescope calls them."""
    schema = json.loads((ROOT / "tools/classes/tests/schemas/gradescope.json").read_text())
    broken = [] if sandbox else [shutil.which("bwrap") or "/usr/bin/bwrap"]  # as in most containers
    (tmp_path / "zip").write_bytes(gradescope(release, 1))
    (tmp_path / "source").mkdir()
    with zipfile.ZipFile(tmp_path / "zip") as packed:
        assert not [name for name in packed.namelist() if "solution" in name or name.endswith(".cu")]
        packed.extractall(tmp_path / "source")
        for entry in packed.infolist():
            (tmp_path / "source" / entry.filename).chmod(entry.external_attr >> 16)
    scripts = {path.name: path.read_bytes() for path in (tmp_path / "source").iterdir()}
    skeleton = (ROOT / "labs/01-square/grading/skeleton.cu.txt").read_text()
    right = whole_solution()
    files = {
        "right": {"square.cu": right},
        "wrong": {"lab1/square.cu": right.replace(" * ", " + ", 40)},
        "broken": {"square.cu": skeleton.replace("void grid(", "void grid(]")},
        "missing": {"notes.pdf": "%PDF-1.4"},
        "empty": {},
        "hostile": {"square.cu": right + ATTACK},
    }
    got = {}
    for name in ("right", "hostile") if sandbox else files:
        texts = files[name]
        at = handed_in(tmp_path, name)
        for path, text in texts.items():
            (at / "submission" / path).parent.mkdir(parents=True, exist_ok=True)
            (at / "submission" / path).write_text(text)
        command = f"mkdir -p /opt; ln -sfn {ROOT} /opt/cuda-labs; cd /autograder/source; " + (
            "./setup.sh && ./run_autograder" if name == "right" else "./run_autograder"
        )
        done = alone.run(command, (tmp_path / "source", "/autograder/source"), *(
            (at / part, f"/autograder/{part}") for part in ("submission", "results")
        ), broken=broken)  # fmt: skip
        assert done.returncode == 0, (name, done.stdout[-3000:], done.stderr[-3000:])
        assert ("This container is the sandbox" in done.stdout) != sandbox
        print(name, (at / "results/results.json").read_text())
        got[name] = json.loads((at / "results/results.json").read_bytes())
        importlib.import_module("jsonschema").Draft202012Validator(schema).validate(got[name])
    assert got["right"]["score"] > 99
    assert [test["status"] for test in got["right"]["tests"]] == ["passed"] * 4
    hostile = got["hostile"]["tests"]  # what it tries gains nothing; in a cage, trying it may end it
    assert all(test["status"] == "passed" or (sandbox and "RTE" in test["output"]) for test in hostile), hostile
    assert got["hostile"]["score"] <= 100
    assert {path.name: path.read_bytes() for path in (tmp_path / "source").iterdir()} == scripts
    if sandbox:
        return
    assert got["wrong"]["score"] < 50 and any("WA" in test["output"] for test in got["wrong"]["tests"])
    assert got["broken"]["score"] == 0 and "CE" in got["broken"]["tests"][0]["output"]
    for name in ("missing", "empty"):
        assert got[name]["score"] == 0 and re.search("the submission holds|is empty", got[name]["output"])
        assert sum(test["max_score"] for test in got[name]["tests"]) == 100


def test_the_workflow(alone: Alone, tmp_path: Path) -> None:
    """Its step "Grade", as a runner calls it: twice, for the second push finds what the first has built."""
    jobs = importlib.import_module("ruamel.yaml").YAML(typ="safe").load(workflow(None))["jobs"]
    steps = jobs["run-autograding-tests"]["steps"]
    (grade,) = [step["run"] for step in steps if step.get("name") == "Grade"]
    (alone.tree / "grade.sh").write_text(grade)
    square = alone.tree / "labs/01-square/square.cu"
    skeleton = (ROOT / "labs/01-square/grading/skeleton.cu.txt").read_text()
    summaries, outputs = [], []
    for text in (skeleton, skeleton.replace('todo("1");', 'printf("<b>|x|</b> @ada");'), skeleton + "oops"):
        square.write_text(text)
        shutil.rmtree(alone.tree / "report", ignore_errors=True)
        (tmp_path / "summary").write_text("")
        (tmp_path / "output").write_text("")
        done = alone.run(
            "bash --noprofile --norc -eo pipefail grade.sh",
            (tmp_path, "/summaries"),
            GITHUB_STEP_SUMMARY="/summaries/summary",
            GITHUB_OUTPUT="/summaries/output",
        )
        assert done.returncode == 0, done.stdout + done.stderr
        summaries.append((tmp_path / "summary").read_text())
        outputs.append((tmp_path / "output").read_text())
    assert summaries[0].startswith("Nothing is begun yet")
    assert (
        "### Lab 1 · Square: 0 of 100 points" in summaries[1] and "| ❌ | one&#95;block | WA | 0 / 25 |" in summaries[1]
    )
    assert summaries[1].count("| SKIP | 0 / ") == 3
    assert "| CE |" in summaries[2] and "oops" in summaries[2]
    written = {"01-square.json", "01-square.txt", "01-square.classroom.json"}
    assert {path.name for path in (alone.tree / "report").iterdir()} == written
    assert outputs[0] == ""
    results = [json.loads(base64.b64decode(output.removeprefix("result="))) for output in outputs[1:]]
    assert all(result["max_score"] == 100 and len(result["tests"]) == 4 for result in results)
