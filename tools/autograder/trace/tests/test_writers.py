"""Who wrote an element, in words."""

from __future__ import annotations

from typing import Any

from autograder.explain.explanation import Explanation, Failure, WrongElement
from autograder.run.protocol import decode_reply
from autograder.run.tests.test_watched import PLACE, reply
from autograder.run.watched import Watched, Writer
from autograder.trace.writers import Wanted, with_writers, writer_text


def test_long_names_are_cut() -> None:
    writer = Writer("thread", who="t" * 999, place=decode_place(PLACE))
    assert len(writer_text(writer)) < 130


def decode_place(place: dict[str, Any]) -> Any:
    told = decode_reply(reply(), "1").report
    assert told is not None
    return told.watched[0].writes[0].writer.place


# ---- Words ----


def test_a_writer_in_words() -> None:
    place = decode_place(PLACE)
    assert writer_text(Writer("thread", who="thread 3 of block 2", place=place)) == "thread 3 of block 2, add.cu:31"
    assert writer_text(Writer("host", name="cudaMemcpy", place=place)) == "cudaMemcpy, add.cu:31"
    assert writer_text(Writer("device", name="cudaMemcpyAsync")) == "cudaMemcpyAsync in a kernel"
    assert writer_text(Writer("unknown")) == writer_text(Writer()) == ""


def test_the_rule_names_bytes() -> None:
    assert Wanted("out", (3, 5), 8).rule == "watch writes out 24+8 40+8"


def test_a_value_that_a_thread_has_stored_is_not_called_unwritten() -> None:
    """It may be garbage that the thread had read: the same bits as those that nobody wrote."""
    told = decode_reply(reply(), "1").report
    assert told is not None
    failure = Failure(2, "", 7, 0, elements=(WrongElement(0, "1", "9"),), got=("unwritten", "unwritten"))
    said = with_writers(Explanation(failure=failure), {0: told.watched[0], 1: Watched(array="out")})
    assert said.failure is not None and said.failure.got == ("garbage", "unwritten")
    assert said.failure.elements[0].owner.endswith("add.cu:31")
