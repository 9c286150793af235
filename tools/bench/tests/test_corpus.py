"""The corpus of defects on the virtual GPU: each mistake is found where the source says, and nothing in its twin."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from bench.corpus import PROGRAMS, SEEDS, Defect, Seen, defects, defects_found, is_found, seen
from bench.corpus_page import REASONS

TOPICS = sorted({one.topic for one in defects()})


def test_the_corpus_is_large_and_marked() -> None:
    names = [one.name for one in defects()]
    assert len(names) == len(set(names)) >= 100
    assert {one.name for one in defects() if one.kind == "missed"} == set(REASONS)


def test_kind_and_line_must_both_be_right() -> None:
    defect = Defect("bounds", "x", "race", 7, "bounds.cu")
    right = Seen("race", False, (("bounds.cu", 3), ("bounds.cu", 7)), "")
    assert is_found(defect, [right])
    assert not is_found(defect, [Seen("race", True, right.places, "")])
    assert not is_found(defect, [Seen("misaligned", False, right.places, "")])
    assert not is_found(defect, [Seen("race", False, (("bounds.cu", 3), ("other.cu", 7)), "")])


@pytest.mark.slow
@pytest.mark.parametrize("topic", TOPICS)
def test_every_mistake_is_found_and_no_twin(topic: str) -> None:
    if not (PROGRAMS / topic).is_file():
        pytest.skip("not built: make test")
    some = [one for one in defects() if one.topic == topic]
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(defects_found, some))
        flagged = list(pool.map(lambda one: [x for x in seen(one, "good", SEEDS[0]) if not x.is_note], some))
    assert [one.name for one, it in zip(some, found, strict=True) if it != (one.kind != "missed")] == []
    assert [one.name for one, it in zip(some, flagged, strict=True) if it] == []
