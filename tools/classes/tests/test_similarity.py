"""Files of a class that are alike."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import pytest
from rich.console import Console

from autograder.cage.cage import unavailable
from autograder.errors import UsageError
from classes import token_similarity
from classes.needs_person import SIMILAR, Need, attention
from classes.people import Submission
from classes.roster import Person
from classes.similarity import groups, run_similarity
from classes.store import Store
from classes.student_results import Row, rows_of
from classes.tests.support import ROOT, put
from classes.tests.test_private_results import graded

CODE = """#include "scan.h"
__global__ void first(const int* d_in, int* d_out, int n) {
    __shared__ int tile[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? d_in[i] : 0;
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        const int before = threadIdx.x >= step ? tile[threadIdx.x - step] : 0;
        __syncthreads();
        tile[threadIdx.x] += before;
        __syncthreads();
    }
    if (i < n) d_out[i] = tile[threadIdx.x];
}
"""
OTHER = """__global__ void walk(const int* d_in, int* d_out, int n) {
    int sum = 0;
    while (n-- > 0) { sum += *d_in++; *d_out++ = sum; }
    do { atomicAdd(d_out, sum); sum >>= 1; } while (sum != 0 || n > 3);
    switch (n) { case 1: d_out[0] = d_in[1] | 5; break; case 2: d_out[7] ^= d_in[3]; break; default: return; }
}
"""
needs_tool = pytest.mark.skipif(
    shutil.which(token_similarity.TOOL) is None or bool(unavailable()),
    reason="similarity-tester or bubblewrap is missing",
)


def test_the_skeleton_does_not_count() -> None:
    kept = token_similarity.without_skeleton("int a;  // mine\nfloat b;\n\n}\n", "int  a;\n}\n")
    assert kept.split("\n") == ["", "float b;", "", "}", ""]


def test_equal_files_are_one_side_of_a_pair() -> None:
    def row(name: str, digest: str, *similar: tuple[str, int]) -> Row:
        return Row(Submission(Person(name, name, {}), name, digest=digest), None, similar=similar)

    rows = [row("ada", "x", ("y", 80)), row("bob", "x", ("y", 80)), row("eve", "y"), row("fay", "z", ("gone", 70))]
    pairs = [one for one in attention(rows) if "one file" in one.why]
    assert pairs == [Need("ada, bob, eve", "80 % of one file is in the other", SIMILAR)]


@needs_tool
def test_renamed_files_are_found_and_hostile_ones_left_out(tmp_path: Path) -> None:
    renamed = CODE.replace("tile", "buffer").replace("step", "far").replace("before", "left").replace("first", "two")
    texts = {"a": CODE, "b": renamed, "c": OTHER, "d": "int a;", "e": "a=a;\n" * 5000, "f": "x" * 200_000}
    found = token_similarity.compare(texts, 60, 60.0)
    assert [(pair.one, pair.other) for pair in found.pairs] == [("a", "b")] and found.pairs[0].share >= 95
    assert sorted(found.left_out) == ["d", "e", "f"]
    one, other = token_similarity.alike_lines(CODE, renamed)
    assert one == other and len(one) >= 8
    assert (
        token_similarity.compare({str(n): CODE.replace("256", str(n)) for n in range(60)}, 60, 60.0).pairs[-1].share
        >= 95
    )


@needs_tool
def test_pairs_are_on_a_page_and_among_what_needs_a_person(tmp_path: Path) -> None:
    results, _ = graded(tmp_path)
    with Store(results, create=False).opened() as store:
        rows = rows_of(store)
        for row, text in zip(
            rows, (CODE, CODE.replace("tile", "b") + "// <script>alert(1)</script> &\n"), strict=False
        ):
            (store.source(row.submission.digest, "scan.cu")).write_text(text + '"</pre><b>\x1b[2J"')
    people = Console(file=io.StringIO(), width=160)
    run_similarity(ROOT, results, None, 60, 60.0, people)
    page = (results / "similarity/index.html").read_text()
    assert "<script" not in page and "</pre><b>" not in page and "\x1b" not in page and "&lt;b&gt;" in page
    assert "http" not in page.replace("http-equiv", "") and "<mark>" in page
    with Store(results, create=False).opened() as store:
        found = attention(rows_of(store))
    assert Need("ada, grace", "100 % of one file is in the other", SIMILAR) in found
    put(tmp_path / "mine/notes.txt", "keep")
    with pytest.raises(UsageError, match="holds other files"):
        run_similarity(ROOT, results, tmp_path / "mine", 60, 60.0, people)
    assert (tmp_path / "mine/notes.txt").read_text() == "keep"


def test_three_and_more_are_a_group() -> None:
    names = [("a", "b"), ("c", "d"), ("b", "c"), ("x", "y"), ("p", "q"), ("q", "r")]
    pairs = [token_similarity.Pair(one, other, 90, 80) for one, other in names]
    assert groups(token_similarity.Likeness(pairs)) == [["a", "b", "c", "d"], ["p", "q", "r"]]


@needs_tool
def test_before_grading_against_another_term_and_the_solution(tmp_path: Path) -> None:
    """Files of other terms are not compared with each other; a class's own results may be in use meanwhile."""
    renamed = CODE.replace("tile", "buffer").replace("first", "two")
    for name, text in (("ada", CODE), ("bob", OTHER), ("eve", renamed), ("fay", CODE.replace("256", "128"))):
        put(tmp_path / f"subs/{name}/scan.cu", text)
    for name in ("zoe", "yan"):
        put(tmp_path / f"last year/{name}/scan.cu", f"{OTHER}// {name}\n")
    people = Console(file=io.StringIO(), width=200)
    roster = put(tmp_path / "roster.csv", "name,login\nAda Lovelace,ada\n")
    before = sorted(tmp_path.rglob("*"))
    run_similarity(
        ROOT, tmp_path / "subs", tmp_path / "alike", 60, 60.0, people, [tmp_path / "last year"], "3", [roster]
    )
    said = people.file.getvalue()  # type: ignore[attr-defined]
    groups = [line for line in said.splitlines() if "3 alike: " in line]
    assert any("bob" in group and "last year: " in group for group in groups)
    assert "yan  and" not in said and "zoe  and" not in said
    assert "bob  and" not in said, "the pairs of a group are on the page"
    assert "of them not of the class" in said
    page = (tmp_path / "alike/index.html").read_text()
    assert "3 files" in page and page.count("<details") == 5
    assert [path for path in sorted(tmp_path.rglob("*")) if "alike" not in path.parts] == before
    with pytest.raises(UsageError, match="name the lab: --lab 3"):
        run_similarity(ROOT, tmp_path / "subs", tmp_path / "alike", 60, 60.0, people)
    results, _ = graded(tmp_path / "class")
    with Store(results, create=False).opened():
        run_similarity(ROOT, results, None, 60, 60.0, people)
    with pytest.raises(UsageError, match="is of lab 3, not of lab 2"):
        run_similarity(ROOT, tmp_path / "subs", tmp_path / "alike", 60, 60.0, people, [results], "2")


def test_without_the_tool_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(UsageError, match="sudo apt install similarity-tester"):
        token_similarity.tool()
