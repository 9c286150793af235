"""The people in Gradescope's metadata."""

from __future__ import annotations

from classes.metadata import submitters
from classes.tests.test_layouts import METADATA


def test_the_people_of_gradescopes_metadata() -> None:
    people, when = submitters(METADATA)["submission_1002"]
    assert [one["name"] for one in people] == ["Søren Łukasz", "Grace Hopper"]
    assert [one["sid"] for one in people] == ["102", ""]
    assert when == "2026-02-02T08:00:00+00:00"
