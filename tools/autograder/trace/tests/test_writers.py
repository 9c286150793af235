"""Who wrote an element, in words."""

from __future__ import annotations

from typing import Any

from autograder.run.protocol import decode_reply
from autograder.run.tests.test_watched import PLACE, reply
from autograder.run.watched import Writer
from autograder.trace.writers import Wanted, writer_text


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
