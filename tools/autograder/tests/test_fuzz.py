"""A sample of the replies that fuzz_replies makes; all of them: python -m autograder.tests.fuzz_replies."""

from __future__ import annotations

import pytest

from autograder.run.protocol import decode_reply
from autograder.sanitize import LINE
from autograder.tests.changed_replies import ID, dumps, valid_replies
from autograder.tests.fuzz_replies import fuzz

pytestmark = pytest.mark.slow


def test_a_verdict_for_every_reply() -> None:
    verdicts = fuzz(3000, seed=11)
    assert {"AC", "CHECK", "WA", "RTE", "SKIP"} <= set(verdicts), verdicts


def test_valid_replies_are_taken() -> None:
    for reply in valid_replies():
        assert decode_reply(dumps(reply), ID).status == reply["status"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("kind", "{space.__class__}"),
        ("kind", "\x1b[2J"),
        ("space", "a" * 30),
        ("count", -1),
        ("count", 10**100),
        ("line", 2**31),
        ("thread", [-1, 0, 0]),
        ("block", [0, 0]),
        ("index", 2**64),
    ],
)
def test_a_finding_out_of_bounds_is_refused(field: str, value: object) -> None:
    reply = valid_replies()[1]
    finding = reply["report"]["findings"][0]
    (finding["place"] if field == "line" else finding)[field] = value
    with pytest.raises(ValueError, match="the reply is invalid"):
        decode_reply(dumps(reply), ID)


def test_texts_are_made_safe_and_cut() -> None:
    reply = valid_replies()[1]
    reply["report"]["findings"][0] |= {"what": "\x1b[2Ja\n\u202eb", "array": "s" * 50_000}
    reply["message"] = "one\r\ntwo\ttabs"
    decoded = decode_reply(dumps(reply), ID)
    assert decoded.report is not None
    finding = decoded.report.findings[0]
    assert (finding.what, len(finding.array)) == ("[2Ja b", LINE)
    assert decoded.message == "one two    tabs"
