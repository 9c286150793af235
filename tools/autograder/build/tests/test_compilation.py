"""A compiler that is led astray by its input ends, uses no more than it may, and sees nothing but the lab's headers."""

from __future__ import annotations

import os
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.build import compilation
from autograder.build.compilation import Workplace, headers_of
from autograder.cage.cage import unavailable
from autograder.cage.tests.hostile import living
from autograder.cli import ROOT

both = pytest.mark.parametrize("caged", [True, False], ids=["caged", "free"])


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository with a lab, a solution, a secret and two submissions."""
    for name, text in {
        "common/toolbox/basics.h": "",
        "common/grading/problem.h": '#include "oracle.h"',
        "common/grading/format.h": "",
        "labs/03-scan/scan.h": '#include "toolbox/basics.h"\n  #  include "grading/format.h"',
        "labs/03-scan/scan.cu": "of the owner",
        "labs/03-scan/grading/instantiations.h": '#include "scan.h"',
        "labs/03-scan/grading/oracle.h": "",
        "solutions/03-scan/scan.cu": "the answer",
        "build/graded/lab3-other/their.cu": "of somebody else",
        "build/graded/lab3-mine/mine.cu": "mine",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def compiled(tree: Path, script: str, caged: bool = True, seconds: float = 20.0) -> tuple[int, str]:
    if caged and unavailable():
        pytest.skip(unavailable())
    headers = headers_of(tree, "03-scan", ["nvcc", f"-I{tree}/common", f"-I{tree}/labs/03-scan"])
    place = Workplace(tree, ("/bin/sh",), headers, caged)
    mine = tree / "build/graded/lab3-mine"
    return place.run(["/bin/sh", "-c", script, "sh", str(mine / "mine.cu"), "-o", str(mine / "made")], mine, seconds)


def test_headers_are_those_of_the_lab_and_what_they_include(tree: Path) -> None:
    flags = [f"-I{tree}/common", f"-I{tree}/labs/03-scan", "-I/opt/somewhere"]
    found = headers_of(tree, "03-scan", ["nvcc", *flags])
    assert [str(path.relative_to(tree)) for path in found[:-1]] == [
        "common/toolbox/basics.h",
        "labs/03-scan/scan.h",
        "labs/03-scan/grading/instantiations.h",
        "common/grading/format.h",
    ]
    assert found[-1] == Path("/opt/somewhere")


def test_it_sees_nothing_else(tree: Path) -> None:
    code, text = compiled(tree, f'cp "$1" "$3"; find {tree} -type f | sort')
    assert code == 0
    assert text.split() == [
        f"{tree}/{name}"
        for name in (
            "build/graded/lab3-mine/made",
            "build/graded/lab3-mine/mine.cu",
            "common/grading/format.h",
            "common/toolbox/basics.h",
            "labs/03-scan/grading/instantiations.h",
            "labs/03-scan/scan.h",
        )
    ]
    assert (tree / "build/graded/lab3-mine/made").read_text() == "mine"


def test_it_cannot_change_what_it_reads(tree: Path) -> None:
    compiled(tree, f'for file in "$1" {tree}/labs/03-scan/scan.h {tree}/new; do echo bad > $file; done')
    assert (tree / "build/graded/lab3-mine/mine.cu").read_text() == "mine"
    assert "toolbox" in (tree / "labs/03-scan/scan.h").read_text()
    assert not (tree / "new").exists()


@both
def test_its_environment_is_its_own(tree: Path, caged: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NVCC_APPEND_FLAGS", "CPATH", "SECRET"):
        monkeypatch.setenv(name, "leaked")
    code, text = compiled(tree, "env", caged)
    assert code == 0 and "leaked" not in text


@both
def test_it_ends_in_time_with_all_it_started(tree: Path, caged: bool) -> None:
    begin, seconds = time.monotonic(), f"61.71{caged:d}"  # its own: the other test may run beside this one
    code, text = compiled(tree, f"sleep {seconds} & (setsid sleep {seconds} &) ; sleep {seconds}", caged, 0.5)
    assert (code, text) == (1, "error: the compiler took more than 0.5 s")
    assert time.monotonic() - begin < 8
    assert living(seconds) == []


@both
def test_it_may_not_wait_for_ever(tree: Path, caged: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """For a file without an end: `#include "/dev/fd/1"` is a pipe, in which nothing comes."""
    monkeypatch.setattr(compilation, "IDLE_SECONDS", 0.5)
    code, text = compiled(tree, "cat /dev/fd/1", caged)
    assert (code, text) == (1, "error: the compiler waited for 0.5 s without doing anything")
    assert compiled(tree, "end=$(($(date +%s) + 2)); while [ $(date +%s) -lt $end ]; do :; done", caged)[0] == 0


@both
def test_its_memory_is_limited(tree: Path, caged: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilation, "LIMITS", replace(compilation.LIMITS, memory_mb=100))
    hungry = 'grow() { a="$a$(head -c 3000000 /dev/zero | tr "\\0" x)"; grow; }; grow'
    code, text = compiled(tree, hungry, caged)
    assert (code, text) == (1, "error: the compiler used more than 100 MB of memory")


@both
def test_its_files_are_limited(tree: Path, caged: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilation, "LIMITS", replace(compilation.LIMITS, file_mb=1))
    code, text = compiled(tree, 'head -c 2000000 /dev/zero > "$3" || exit 1', caged)
    assert (code, text) == (1, "error: the compiled program is larger than 256 MB")
    assert os.path.getsize(tree / "build/graded/lab3-mine/made") <= 1 << 20  # noqa: PTH202


@both
def test_its_messages_are_limited(tree: Path, caged: bool) -> None:
    code, text = compiled(tree, "yes error", caged)
    assert (code, text) == (1, "error: the compiler printed more than 64 MB of messages")
    code, text = compiled(tree, "yes error | head -c 3000000; exit 1", caged)
    assert code == 1 and len(text) == 1 << 20


def test_a_lambda_that_is_a_kernels_argument_is_compiled_again(tmp_path: Path) -> None:
    compiler = tmp_path / "nvcc"
    compiler.write_text("""#!/bin/sh
echo "$*" >> "$0.calls"
case "$*" in
    *lambda.cu*--extended-lambda) echo "lambda.cu(2): warning: x" >&2 ;;
    *lambda.cu*) echo "error: annotation on lambda requires --extended-lambda nvcc flag" >&2; exit 2 ;;
    *wrong.cu*) echo "wrong.cu(1): error: y" >&2; exit 3 ;;
    *) echo "made" ;;
esac
""")
    compiler.chmod(0o755)

    def outcome(name: str) -> tuple[int, str, str]:
        command = [str(ROOT / "common/cmake/compile_cuda.sh"), str(compiler), "-c", name]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    assert outcome("plain.cu") == (0, "made\n", "")
    assert outcome("wrong.cu") == (3, "", "wrong.cu(1): error: y\n")
    assert outcome("lambda.cu") == (0, "", "lambda.cu(2): warning: x\n")
    calls = (tmp_path / "nvcc.calls").read_text().splitlines()
    assert calls == ["-c plain.cu", "-c wrong.cu", "-c lambda.cu", "-c lambda.cu --extended-lambda"]
