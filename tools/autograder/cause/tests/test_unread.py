"""What is never read, although the result depends on it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from autograder.cause.lost import changed_inputs, is_in_order, is_same_result, others_than, places_in
from autograder.cause.unread import By, elements_text, is_whole, may_be_needed, range_text, reads_of
from autograder.judge.batch import Seen
from autograder.judge.check import Checker
from autograder.judge.oracles import Checked
from autograder.judge.outcome import Outcome, Wrong
from autograder.plan.cases import Case
from autograder.plan.tables import Array, ArraySpec, Shape
from autograder.run.protocol import Place, Reply, Report
from autograder.run.unread import Range, Unread

CASE = Case("total", "", 4, 1, 0)
IN, OUT = ArraySpec("d_in", "<i4", 4), ArraySpec("d_sum", "<i4", 1)
KEY = ("s", True)
LOST: By = {KEY: Unread("s", is_stored=True, bytes=64, unread=32, lost=32)}
WHOLE: By = {KEY: Unread("s", is_stored=True, bytes=64, unread=32)}  # zeros


class Adds(Checker):
    """Knows the sum of an array."""

    def __init__(self) -> None:
        pass

    def expected(self, case: Case, inputs: Sequence[Array], wrong: Wrong) -> Sequence[Array]:
        return [np.array([inputs[0].sum()], "<i4")]


def total_of(given: Sequence[int], got: int, unread: Sequence[Unread] = ()) -> Outcome:
    array = np.array(given, "<i4")
    checked = Checked(False, [np.array([array.sum()], "<i4")], [np.array([True])], [1])
    wrong = Wrong(Shape([IN], [OUT]), [array], [np.array([got], "<i4")], checked, 0x81)
    return Outcome(CASE, Reply(status="ok", report=Report(unread=list(unread))), wrong=wrong)


@pytest.mark.parametrize(
    ("right", "is_proof"),
    [([WHOLE] * 2, True), ([WHOLE, {}], False), ([WHOLE, WHOLE, LOST, LOST], True), ([WHOLE] * 2 + [LOST] * 3, False)],
)
def test_right_calls_read_all_but_for_a_few_by_luck(right: list[By], is_proof: bool) -> None:
    assert is_whole(KEY, right) is is_proof


def test_what_counts_is_stored_by_the_file_or_given() -> None:
    own, other = (Unread("s", is_stored=True, place=Place(f"/x/{name}", 7)) for name in ("scan.cu", "scan.h"))
    given, output = Unread("d_in"), Unread("d_sum")
    found = reads_of(total_of([1, 2], 1, [given, output, own, other]), "scan.cu")
    assert found == {("d_in", False): given, KEY: own}


def test_another_value_tells_what_the_result_depends_on() -> None:
    outcome = total_of([3, 9, 2, 5], 12)
    unread = [Range(8, 8)]  # elements 2 and 3
    found = list(changed_inputs(Adds(), outcome, "d_in", unread))
    assert [(one.index, one.is_felt, one.inputs[0].tolist()) for one in found] == [(3, True, [3, 9, 2, 2])]
    assert not list(changed_inputs(Adds(), total_of([2, 3, 5, 9], 1), "d_in"))  # in order, and so it must be
    assert not list(changed_inputs(Adds(), outcome, "d_other"))


def test_what_is_changed() -> None:
    assert is_in_order(np.array([0, 2, 2, 7]))
    assert not is_in_order(np.array([1, 2]))  # as two values may be by chance
    assert places_in(np.array([1, 9, 3, 4, 5, 6, 7, 8]), 10) == [11, 10, 12, 14, 17]
    assert others_than(np.array([4, 2, 9]), 1) == []
    assert others_than(np.array([4, 2, np.nan, np.inf, 9], "f4"), 3) == [2, 9]
    assert others_than(np.array([np.nan], "f4"), 0) == []


def test_the_same_result() -> None:
    one, poison = total_of([1, 2], 1), np.array([0x81818181], "<u4").view("<i4")

    def seen(got: Array) -> Seen:
        return Seen(one, Shape([IN], [OUT]), [], [got])

    assert is_same_result(one, seen(np.array([1], "<i4")))
    assert not is_same_result(one, seen(np.array([2], "<i4")))
    assert one.wrong is not None
    unwritten = replace(one, wrong=replace(one.wrong, outputs=[poison]))
    assert is_same_result(unwritten, seen(np.array([77], "<i4")))  # the poison differs from call to call


def test_which_elements_are_named() -> None:
    def given(count: int, *ranges: Range) -> str:
        unread = Unread("d_in", bytes=4000, unread=4 * count, ranges=list(ranges))
        return elements_text(unread, of_numbers(1000))

    assert given(744, Range(1024, 2976)) == "d_in[256] to d_in[999]: 744 of 1,000 elements"
    assert given(1, Range(4, 4)) == "d_in[1]: 1 of 1,000 elements"
    assert given(3, Range(4, 4), Range(12, 8)) == "d_in[1] and others: 3 of 1,000 elements"
    assert given(1000, Range(0, 4000)) == "any element of d_in"
    assert elements_text(Unread("d_in", bytes=4, unread=4, ranges=[Range(0, 4)]), of_numbers(1)) == (
        "d_in[0], its only element"
    )


def of_numbers(count: int) -> ArraySpec:
    return ArraySpec("d_in", "<i4", count)


def test_what_right_calls_lose_is_no_mistake() -> None:
    key = ("partial", True)

    def by(lost: int) -> dict[tuple[str, bool], Unread]:
        return {key: Unread("partial", is_stored=True, bytes=64, unread=lost, lost=lost)}

    assert may_be_needed(key, [by(0), by(0)]) and may_be_needed(key, [])
    assert not may_be_needed(key, [by(8), by(8)])


@pytest.mark.parametrize(
    ("unread", "said"),
    [(28, "s[1] to s[7] are"), (32, "s[1] to s[7] and others are")],
)
def test_which_stored_values_are_named(unread: int, said: str) -> None:
    one = Unread("s", is_stored=True, bytes=64, unread=unread, ranges=[Range(4, 28, "s[1]", "s[7]")])
    assert range_text(one) == said


def test_an_array_without_a_name_of_its_own() -> None:
    ranges = [Range(0, 8, "element 0", "element 1")]
    one = Unread("a member of carries", is_stored=True, bytes=8, unread=8, ranges=ranges)
    assert range_text(one) == "element 0 to element 1 of a member of carries are"


def test_two_lines_that_store_in_one_array() -> None:
    own = [
        Unread("s", is_stored=True, place=Place("/x/scan.cu", line), bytes=8, unread=lost, lost=lost, digest=digest)
        for line, lost, digest in ((7, 4, "ffffffffffffffff"), (9, 8, "2"))
    ]
    one = reads_of(total_of([1, 2], 1, own), "scan.cu")[KEY]
    assert (one.place.line, one.bytes, one.unread, one.lost, one.digest) == (9, 16, 12, 12, "1")
