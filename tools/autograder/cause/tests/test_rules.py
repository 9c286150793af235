"""Who wrote what is wrong: the rule that asks, and the lines that the device answers."""

import numpy as np

from autograder.cause.rules import WATCHED, watch_of, written_at
from autograder.judge.oracles import Checked
from autograder.judge.outcome import Outcome, Wrong
from autograder.plan.cases import Case
from autograder.plan.tables import ArraySpec, Shape
from autograder.run.protocol import Place, Reply, Report
from autograder.run.watched import ValueRead, Watched, Write, Writer


def wrong(*, on_host: bool) -> Wrong:
    expected, mask = np.zeros(8, np.int64), np.array([False, False, *[True] * 6])
    shape = Shape([], [ArraySpec("d_out", "i8", 8, on_host=on_host)])
    return Wrong(shape, [], [expected + 1], Checked(False, [expected], [mask], [8]), 0)


def test_the_first_wrong_elements_are_asked_for() -> None:
    assert watch_of(wrong(on_host=False)) == "watch writes d_out 16+8 24+8 32+8 40+8"
    assert watch_of(wrong(on_host=False)).count("+") == WATCHED
    assert watch_of(wrong(on_host=True)) == ""  # the device does not see who writes there


def test_a_wrong_element_leads_to_what_it_was_made_of() -> None:
    def at(line: int) -> Place:
        return Place("/x/scan.cu", line)

    read = ValueRead(place=at(9), writer=Writer(place=at(5)))
    seen = Watched(writes=[Write(Writer(place=at(3))), Write(Writer(place=at(9)))], reads=[read])
    told = Outcome(Case("scan", "", 8, 1, 0), Reply(status="ok", report=Report(watched=[seen])))
    assert {place.line for place in written_at(told)} == {5, 9}
    assert written_at(Outcome(Case("scan", "", 8, 1, 0))) == set()
