"""The result as JSON, for programs."""

from __future__ import annotations

from pathlib import Path

import msgspec

from autograder.errors import CompileError
from autograder.explain.explanation import Failure, WrongElement
from autograder.plan.labs import find
from autograder.plan.request import Request
from autograder.report.result import (
    SCHEMA,
    LabName,
    OutputResult,
    Result,
    TaskResult,
    TimeResult,
    compile_failure,
    encode,
)
from autograder.report.tests.test_terminal import result_of
from autograder.tests.support import grade_task

DOCS = Path(__file__).resolve().parents[4] / "docs" / "result-schema.md"


def test_json_has_its_schema_and_reads_back(tmp_path: Path) -> None:
    text = encode(result_of(grade_task(tmp_path, "second_block"), grade_task(tmp_path, "good")))
    data = msgspec.json.decode(text)
    assert data["schema"] == SCHEMA == "cuda-labs/result/v1"
    assert msgspec.json.decode(text, type=Result).tasks[0].verdict == "WA"
    assert data["tasks"][0]["failure"]["elements"][0]["index"] == 256


def test_a_file_that_does_not_compile_is_worth_what_was_asked_for() -> None:
    lab = find(DOCS.parents[1], "1")
    whole, one = (compile_failure(Request(lab, tasks=names), CompileError("no")) for names in ((), ("grid",)))
    assert (whole.of, whole.partial) == (100, False)
    assert (one.of, one.partial, [task.name for task in one.tasks]) == (30, True, ["grid"])


def test_every_field_of_the_schema_is_documented(tmp_path: Path) -> None:
    text = DOCS.read_text("utf-8")

    def names(kind: type) -> set[str]:
        found: set[str] = set()
        for field in msgspec.structs.fields(kind):
            found.add(field.encode_name)
        return found

    for kind in (Result, LabName, TaskResult, OutputResult, Failure, WrongElement, TimeResult):
        for name in names(kind):
            assert f"`{name}`" in text, f"{kind.__name__}.{name}"
