"""Patterns that a lab brings itself: the counts of a histogram, the rows of a sparse matrix."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograder.cli import ROOT
from autograder.errors import GraderError
from autograder.explain.evidence import Errors
from autograder.explain.explanation import Pattern
from autograder.explain.hints import check_symptoms
from autograder.explain.patterns.rules import GENERAL, candidates, names_of, rules_of
from autograder.plan.labs import folders, manifest_path
from autograder.plan.manifest import Manifest, Symptom, TaskEntry, load
from autograder.tests.test_patterns import DATA, POISON, N, errors

COUNTS = np.bincount(DATA % 8).astype(np.uint32)  # a histogram of the N values


def found(lab: int, evidence: Errors) -> Pattern:
    return [*candidates(evidence, rules_of(folders(ROOT)[lab])), Pattern("", "")][0]


@pytest.mark.parametrize(
    ("pattern", "got"),
    [
        ("values_lost", COUNTS - np.uint32(1)),
        ("values_repeated", COUNTS * np.uint32(32)),
        ("values_moved", np.roll(COUNTS, 1)),
        ("constant_offset", COUNTS + np.uint32(0x81818181)),  # that is not a count
    ],
)
def test_counts_of_a_histogram(pattern: str, got: Any) -> None:
    assert found(6, errors(got, COUNTS, n=N)).name == pattern


def product(wrong_rows: Any, got: int = 7) -> Errors:
    """A product with a matrix whose rows have 0, 1, 2, ..., 9, 0, 1, ... nonzeros."""
    rows = np.arange(N) % 10
    wrong = np.isin(np.arange(N), np.flatnonzero(wrong_rows(rows)))
    values = np.where(wrong, got, DATA)
    row_ptr = np.append(0, np.cumsum(rows)).astype(np.int32)
    return Errors(9 * N, wrong, DATA, values, values == POISON, 256, inputs={"d_row_ptr": row_ptr})


def test_rows_of_a_sparse_matrix() -> None:
    assert found(7, product(lambda rows: rows == 0, POISON)) == Pattern(
        "empty_rows", "100 of 100 empty rows are wrong, never written, and no other row"
    )
    assert found(7, product(lambda rows: rows > 7)) == Pattern(
        "long_rows", "wrong in all rows of 8 nonzeros or more, and right in all shorter ones"
    )
    for other in (lambda rows: rows < 2, lambda rows: rows == 5, lambda rows: rows >= 0):
        assert found(7, product(other)).name not in ("empty_rows", "long_rows")


def test_a_result_that_has_no_element_for_each_row_is_not_explained_by_rows() -> None:
    evidence = product(lambda rows: rows == 0, POISON)
    shorter = replace(evidence, inputs={"d_row_ptr": evidence.inputs["d_row_ptr"][:-1]})
    assert found(7, shorter).name == found(7, replace(evidence, inputs={})).name == "every_kth"


KEYS = np.random.default_rng(10).integers(0, 50, N).astype(np.uint32) << np.uint32(26)  # equal ones among them
VALUES = np.arange(N, dtype=np.uint32) * np.uint32(3) + np.uint32(7)
STABLE = np.argsort(KEYS, kind="stable")


def radix(got: Any, expected: Any, **inputs: Any) -> Errors:
    return replace(errors(got, expected, n=N), input=KEYS, inputs=inputs)


def test_values_of_equal_keys_that_changed_places() -> None:
    unstable = np.lexsort((-np.arange(N), KEYS))
    given = {"d_keys_in": KEYS, "d_values_in": VALUES}
    pattern = found(10, radix(VALUES[unstable], VALUES[STABLE], **given))
    assert pattern.name == "equal_keys_swapped"
    moved = int((unstable != STABLE).sum())
    assert pattern.sentence.startswith(f"the keys are right, but {moved} of 1,000 values moved")
    for other in (VALUES, np.roll(VALUES[STABLE], 300), np.full(N, VALUES[0])):
        assert found(10, radix(other, VALUES[STABLE], **given)).name != "equal_keys_swapped"


def test_a_pass_that_does_not_keep_the_order_of_earlier_ones() -> None:
    top = KEYS >> np.uint32(31)
    pattern = found(10, radix(KEYS[np.argsort(top, kind="stable")], KEYS[STABLE], d_in=KEYS))
    assert pattern.name == "order_not_kept"
    assert "all 1,000 keys are there and in order by the highest bit" in pattern.sentence
    half = KEYS >> np.uint32(1)  # the highest bit is 0 in all keys, so that a pass over it shows nothing
    evidence = replace(radix(half[::-1], half[STABLE]), input=half)
    assert found(10, evidence).sentence.startswith("all 1,000 keys are there, in the wrong order: a pass may not have")
    lowest = KEYS >> np.uint32(26) & np.uint32(1)
    for other in (KEYS, KEYS[np.argsort(lowest, kind="stable")], np.zeros(N, np.uint32)):
        assert found(10, radix(other, KEYS[STABLE], d_in=KEYS)).name != "order_not_kept"


@pytest.mark.parametrize("lab", folders(ROOT))
def test_every_lab_has_hints_for_patterns_that_there_are(lab: int) -> None:
    folder = folders(ROOT)[lab]
    rules = rules_of(folder)
    check_symptoms(load(folder), names_of(rules), manifest_path(folder))
    assert set(GENERAL) <= set(rules)


def test_a_hint_for_an_unknown_pattern_is_an_error() -> None:
    entry = TaskEntry("naive", 10)
    manifest = Manifest(3, "scan", "Scan", "scan.cu", [entry], symptom=[Symptom("dubled", "read once")])
    with pytest.raises(GraderError, match=r"lab\.toml: unknown pattern 'dubled'; did you mean 'doubled'\?"):
        check_symptoms(manifest, names_of(GENERAL), Path("lab.toml"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("RULES = (", r"patterns\.py: SyntaxError: '\(' was never closed"),
        ("", "patterns.py: KeyError: 'RULES'"),
        ("import no_such_module", r"patterns\.py: ModuleNotFoundError"),
    ],
)
def test_mistakes_in_a_labs_rules_name_the_file(tmp_path: Path, text: str, says: str) -> None:
    assert rules_of(tmp_path) == GENERAL
    (tmp_path / "grading").mkdir()
    (tmp_path / "grading" / "patterns.py").write_text(text)
    with pytest.raises(GraderError, match=says):
        rules_of(tmp_path)
