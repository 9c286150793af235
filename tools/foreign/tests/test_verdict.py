from typing import Any

import pytest

from foreign.limits import Ended
from foreign.recipes import Judged, Program, Recipe
from foreign.verdict import Finding, Verdict, findings, judge, short

RECIPE = Recipe("owner/name", "all")
RACE = Finding("race", "two threads", ("sum.cu:7", "sum.cu:9"))


def verdict(output: str = "", ended: int = 0, stopped: str = "", *found: Finding, **about: Any) -> Verdict:
    return judge(RECIPE, Program("p", **about), Ended(ended, 1.0, output, stopped), found)


def test_own_check_decides_between_right_and_clean() -> None:
    assert verdict("Test PASSED\n").result == "right"
    assert verdict("sum 17\n").result == "clean"
    assert verdict("sum 17\n", checks=True).result == "right"
    assert verdict("sum 17\n", right=r"sum 1\d\d").result == "wrong"


def test_wrong_result() -> None:
    assert verdict("12 elements\nTest FAILED at 3\n") == Verdict("wrong", "says Test FAILED at 3")
    assert verdict("failed: 0\n", right="failed: 0").result == "right"
    assert verdict("usage: p N\n", 1) == Verdict("wrong", "exit status 1: usage: p N")
    assert verdict("", -11) == Verdict("wrong", "ended by SIGSEGV")
    assert verdict("", -11, crash="frees an array twice").result == "unjudged"
    assert verdict("ok\n", 3, status=3).result == "clean"


def test_limits() -> None:
    assert verdict("", -9, "time").result == "slow"
    assert verdict("", -9, "time", endless="waits for a later block") == Verdict("endless", "waits for a later block")
    assert verdict("", -9, "memory") == Verdict("unjudged", "stopped by the limit of memory")


def judged(true: bool, at: str = "", kind: str = "race") -> Judged:
    return Judged(kind, true, "said so", at)


@pytest.mark.parametrize(
    ("known", "result"),
    [
        ([], "new"),
        ([judged(True)], "true"),
        ([judged(False)], "wolf"),
        ([judged(True, "sum.cu")], "true"),
        ([judged(True, "sum.cu:9")], "true"),
        ([judged(True, "sum.cu:8")], "new"),
        ([judged(True, kind="leak")], "new"),
    ],
)
def test_findings_need_a_person(known: list[Judged], result: str) -> None:
    assert verdict("Test passed\n", 0, "", RACE, finding=known).result == result


def test_a_finding_nobody_has_looked_at_counts_most() -> None:
    other = Finding("leak", "never freed", ())
    assert verdict("", 0, "", RACE, other, finding=[judged(True)]).detail == "leak: never freed"
    both = [judged(True), judged(False, kind="leak")]
    assert verdict("", 0, "", RACE, other, finding=both).result == "wolf"


def test_refusals_are_named_without_their_place() -> None:
    what = "the instruction tex.1d.v4.f32.s32 at a.cu:3 is not implemented in the virtual GPU"
    assert verdict("", 0, "", RACE, Finding("unsupported", what, ())) == Verdict("refused", "tex.1d.v4.f32.s32")
    assert short("cudaGraphClone is not supported by the virtual GPU") == "cudaGraphClone"
    lost = "./a: symbol lookup error: ./a: undefined symbol: cudaGraphClone, version libcudart.so.13"
    assert verdict(lost, 127) == Verdict("refused", "cudaGraphClone is missing")


def test_notes_are_no_findings() -> None:
    place = {"file": "/x/sum.cu", "line": 7, "text": ""}
    nowhere = {"file": "", "line": 0, "text": ""}
    one = {"kind": "race", "is_note": False, "what": "w", "place": place, "other_place": nowhere}
    assert findings({"findings": [one, one | {"is_note": True}]}) == [Finding("race", "w", ("sum.cu:7",))]
    assert findings(None) == []


def test_out_of_memory_is_no_fault_of_anybody() -> None:
    said = "cudaMalloc: out of memory\n"
    assert verdict(said, 0, "", RACE).result == "unjudged"
