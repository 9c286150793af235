"""What counts as the truth of a mistake, and how the command sums up."""

from autograder.cause.causes import KINDS
from autograder.cli import ROOT
from autograder.run.protocol import FINDING_KINDS
from mistakes.catalog import all_mistakes
from mistakes.causes import Row, is_inverse, lines_of, summary
from mistakes.flat import flat, flat_texts


def row(kind: str, kind_right: bool | None, line_right: bool | None) -> Row:
    return Row("a/b/c", 3, "WA", kind, "b.cu:1", line_right, kind_right, "", "", [], "", 4, 2.0, [])


def test_a_change_that_makes_the_original_is_the_truth() -> None:
    right, wrong = "if (i < n) x = 31;\n", "if (i <= n) x = 31;\n"
    assert is_inverse("i <= n", "i < n", right, wrong)
    assert not is_inverse("i <= n", "i != n", right, wrong)
    assert is_inverse("", "wait();", "a();\nwait();\nb();\n", "a();\nb();\n")
    assert not is_inverse("0", "1", "x = 31;", "x = 30;")


def test_headers_stand_where_they_are_first_included() -> None:
    files = {
        "a.cu": '#include "b.h"\n#include "c.h"\nint a;\n',
        "b.h": '#pragma once\n#include "c.h"\nint b;\n',
        "c.h": "int c;\n",
    }
    assert "".join(flat("a.cu", files).split()) == "intc;intb;inta;"
    assert flat("a.cu", {"a.cu": '#include "lab.h"\n'}) == '#include "lab.h"\n'


def test_every_truth_is_a_kind_and_every_edit_has_lines() -> None:
    for mistake in all_mistakes(ROOT):
        assert set(mistake.entry.truth) <= {*KINDS, *FINDING_KINDS}, mistake.title
        if mistake.entry.truth and mistake.entry.edit:
            assert lines_of(mistake), mistake.title
            assert flat_texts(mistake)[0] != flat_texts(mistake)[1]


def test_what_the_truth_excludes_is_false() -> None:
    rows = [row("edge", True, True), row("edge", False, True), row("edge", None, False), row("", None, None)]
    assert [one.is_false for one in rows] == [False, True, True, False]
    assert summary(rows)[-1].split()[:6] == ["all", "4", "3", "1", "2", "2"]
