"""A mistake from its entry to its files in build/."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mistakes.catalog import mistakes_of
from mistakes.edit import MistakeError
from mistakes.generate import generate
from mistakes.tests.entries import ENTRY, TASK, missing_barrier


def test_generate_writes_the_rung_and_its_headers_and_only_what_changes(lab: Path) -> None:
    source = generate(missing_barrier(lab))
    assert source == lab.parents[1] / "build/mistakes/03-scan/sum/missing_barrier/sum.cu"
    assert source.read_text() == TASK.replace("load();\n    __syncthreads();", "load();")
    assert (source.parent / "tile.cuh").read_text() == "int tile = 32;\n"
    before = {path: path.stat().st_mtime_ns for path in source.parent.iterdir()}
    assert generate(missing_barrier(lab)) == source
    assert {path: path.stat().st_mtime_ns for path in source.parent.iterdir()} == before


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (
            "-    __sync",
            "-    __SYNC",
            "missing_barrier: hunk 1 fits nowhere in sum.cu; the nearest place differs in line",
        ),
        ("     load();\n", "", "hunk 1 fits 2 times in sum.cu, at lines 4, 6: add context"),
        ("thought =", "though =", "missing_barrier: Object contains unknown field `though`"),
        ('verdict = ["WA", "CHECK"]', 'verdict = "OK"', "missing_barrier: Invalid enum value 'OK'"),
        ('verdict = ["WA", "CHECK"]', 'verdict = "AC"', "missing_barrier: only a cheat has a root, leaves something"),
        ("edit =", "root = 10\nedit =", "missing_barrier: Expected `int` <= 9 - at `$.root`"),
        ("edit =", "task = 'add'\nedit =", "missing_barrier: there is no task 'add'"),
        ("edit =", "file = 'x.cu'\nedit =", "missing_barrier: it needs either edit or file"),
        ("[missing_barrier]", "[Missing]", "Missing: a name is made of small letters"),
    ],
)
def test_what_is_wrong_names_file_and_mistake(lab: Path, before: str, after: str, message: str) -> None:
    path = lab.parents[1] / "tests/submissions/03-scan/wrong/sum.toml"
    path.write_text(ENTRY.replace(before, after))
    with pytest.raises(MistakeError, match=re.escape(message)) as error:
        for mistake in mistakes_of(lab):
            generate(mistake)
    assert str(error.value).startswith(f"{path}: ")
    if "hunk" in message:
        assert "./grader mistake 3 missing_barrier --renew" in str(error.value)
