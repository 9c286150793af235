"""A line of the skeleton that is not right yet is named where nothing else is known."""

from pathlib import Path

import pytest

from autograder.explain.explanation import NOT_KNOWN, Explanation
from autograder.explain.started import with_unfinished

SKELETON = """__device__ int find_bin(int value) {
    return value;  // not right yet
}

__device__ int helper(int value) { return value + 1; }

void first(int* d, int n) {
    todo("1");
    kernel<<<1, 32>>>(d, n);  // not right yet: one block
}

void second(int* d, int n) {
    todo("2");
}
"""
OWN = SKELETON.replace('    todo("1");\n', "").replace("<<<1, 32>>>", "<<<(n + 31) / 32, 32>>>")


RAN = frozenset({2})


@pytest.mark.parametrize(
    ("file", "ran", "said"),
    [
        (OWN, RAN, 'line 2, in find_bin, is as in the skeleton, which says "not right yet"'),
        (SKELETON.replace('todo("1");', ""), RAN, "line 2, in find_bin,"),
        (OWN, {5}, NOT_KNOWN),  # what does not run is another task's
        (OWN.replace("return value;", "return value / 2;"), RAN, NOT_KNOWN),  # the comment alone is no reason
        ("void first( {", RAN, NOT_KNOWN),
    ],
)
def test_a_line_that_is_left_is_named(tmp_path: Path, file: str, ran: frozenset[int], said: str) -> None:
    (tmp_path / "grading").mkdir()
    (skeleton := tmp_path / "grading/skeleton.cu.txt").write_text(SKELETON)
    (tmp_path / "lab.h").write_text("struct Bins { int of(int value) { return find_bin(value); } };")
    (mine := tmp_path / "mine.cu").write_text(file)
    found = with_unfinished(Explanation(details=("n = 3", NOT_KNOWN)), "first", mine, skeleton, ran)
    assert found.details[0] == "n = 3" and found.details[1].startswith(said) and len(found.details) == 2


def test_where_the_cause_is_known_nothing_is_added(tmp_path: Path) -> None:
    said = Explanation(details=("a barrier is missing",))
    assert with_unfinished(said, "first", tmp_path / "none.cu", tmp_path / "none.txt", ()) == said
