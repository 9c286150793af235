"""The rows that programs of bench.peers print, and what is made of them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bench.peers import programs
from bench.peers.page import FIGURE, figure, load, pages
from bench.peers.programs import PROGRAMS, ROOT, PeerError, read, run, worst
from bench.peers.results import size, summary, table

TEXT = """# NVIDIA H200, CUB 3.0.1
pipelined,int32,1048576,8388608,0.000010000,0.000012000,0.000005000,1.2100,0
pipelined,int32,16777216,134217728,0.000050000,0.000050000,0.000040000,1.0000,3
"""


def test_a_row_has_rate_share_and_ratio() -> None:
    heading, rows = read("scan", TEXT)
    assert heading == "NVIDIA H200, CUB 3.0.1"
    first = table(rows).splitlines()[2]
    assert first == "| scan | `pipelined` | int32 | 2^20 | 10 µs | 839 | 0.50 | 12 µs | 1.21 |"


def test_a_wrong_output_has_no_ratio() -> None:
    _, rows = read("scan", TEXT)
    assert table(rows).splitlines()[3].endswith("| 3 elements wrong |")
    assert summary(rows) == "No row has 2^24 items or more."


def test_the_worst_run_counts_and_wrong_once_is_wrong() -> None:
    slower = TEXT.replace("1.2100", "1.1000").replace(",3\n", ",0\n").replace(",1.0000,", ",1.5000,")
    rows = worst([read("scan", TEXT)[1], read("scan", slower)[1]])
    assert [(row.ratio, row.wrong) for row in rows] == [(1.1, 0), (1.0, 3)]
    assert summary(worst([read("scan", slower)[1]])).endswith("is 1.50, and 1 of 1 are at least 1.")


def test_sizes_that_are_no_powers_of_two() -> None:
    assert [size(1 << 24), size(29_200_000)] == ["2^24", "29.2 M"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_a_program_is_made_of_is_there(name: str) -> None:
    program = PROGRAMS[name]
    files = [Path(programs.__file__).parent / f"{name}.cu", *program.sources]
    assert [file.name for file in files if not file.is_file()] == []
    assert program.record not in files or program.record.with_name(f"{program.tasks[-1]}.cu") not in files


def test_a_program_that_fails_is_named(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\necho no memory >&2\nexit 3\n")
    program.chmod(0o755)
    with pytest.raises(PeerError, match="scan: no memory"):
        run("scan", program, "20", 3)


def test_without_a_gpu_it_says_so(tmp_path: Path) -> None:
    words = [str(ROOT / ".venv/bin/python"), "-m", "bench.peers", "scan", "--out", str(tmp_path)]
    done = subprocess.run(
        words, env={"PATH": "/bin", "PYTHONPATH": str(ROOT / "tools")}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and "an NVIDIA GPU is needed" in done.stderr


def test_the_pages_are_what_the_rows_make_of_them() -> None:
    results = load()
    assert [path.name for path, text in pages(results) if path.read_text() != text] == []
    assert FIGURE.read_text() == str(figure(results))
