"""Who wrote an element: what is accepted of a device process's answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from autograder.run.protocol import decode_reply

PLACE = {"file": "/x/add.cu", "line": 31, "text": "out[i] = 1;"}

WRITER = {
    "by": "thread",
    "access": "write",
    "name": "k(int*)",
    "launch": 1,
    "who": "thread 3 of block 2",
    "place": PLACE,
}

READ = {"space": "shared", "access": "read", "array": "s", "index": 3, "bytes": 4, "value": "ff", "writer": WRITER}

WATCHED = {
    "array": "out",
    "at": 4,
    "bytes": 4,
    "count": 1,
    "writes": [{"writer": WRITER, "value": "1"}],
    "reads": [READ],
}


def reply(**changes: Any) -> bytes:
    return json.dumps({"id": "1", "status": "ok", "report": {"watched": [WATCHED | changes]}}).encode()


# ---- What is accepted of a device's answer ----


def test_what_is_watched_is_read() -> None:
    told = decode_reply(reply(array="o\x1but"), "1").report
    assert told and told.watched[0].array == "out" and told.watched[0].writes[0].writer.who == "thread 3 of block 2"


@pytest.mark.parametrize(
    "changes",
    [
        {"writes": [{"writer": WRITER, "value": "1"}] * 17}, {"reads": [READ] * 9}, {"bytes": 0}, {"bytes": 17},
        {"count": -1}, {"writes": [{"writer": WRITER, "value": "x"}]}, {"writes": [{"writer": WRITER, "value": 1}]},
        {"writes": [{"writer": WRITER | {"by": "me"}}]}, {"reads": [READ | {"value": "1" * 17}]},
        {"reads": [READ | {"reads": [READ] * 5}]},
        {"reads": [READ | {"bytes": 9}]}, {"reads": [READ | {"space": "a\nb"}]},
    ],
)  # fmt: skip
def test_what_is_no_provenance_is_no_reply(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="the reply is invalid"):
        decode_reply(reply(**changes), "1")


def test_only_few_elements_are_watched() -> None:
    answer = {"id": "1", "status": "ok", "report": {"watched": [WATCHED] * 17}}
    with pytest.raises(ValueError, match="the reply is invalid"):
        decode_reply(json.dumps(answer).encode(), "1")
