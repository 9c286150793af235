"""Which code belongs to a task."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.cause.source import Source, text_of, within
from autograder.errors import GraderError
from mutate.source import Solution
from mutate.tests.support import write_solution


def test_a_rung_is_what_its_function_reaches(tmp_path: Path) -> None:
    code = Solution(write_solution(tmp_path)).code_of("one")
    assert code.unit == "one.cu"
    assert [one.label for one in code.functions] == ["one_kernel", "one", "helper"]


def test_a_template_reaches_what_it_is_instantiated_with(tmp_path: Path) -> None:
    code = Solution(write_solution(tmp_path)).code_of("two")
    assert [one.label for one in code.functions] == ["two", "Sum::()"], "methods only by their names"


def test_where_a_function_runs(tmp_path: Path) -> None:
    solution = Solution(write_solution(tmp_path))
    on = {one.label: (one.on_device, one.on_host) for one in solution.code_of("one").functions}
    assert on == {"one_kernel": (True, False), "one": (False, True), "helper": (True, False)}
    assert solution.code_of("two").functions[1].on_host and solution.code_of("two").functions[1].on_device


def test_a_task_that_no_file_defines(tmp_path: Path) -> None:
    with pytest.raises(GraderError, match=r"three is defined in no \.cu file"):
        Solution(write_solution(tmp_path)).unit_of("three")


def test_a_file_that_cannot_be_parsed_names_its_line() -> None:
    with pytest.raises(GraderError, match=r"broken\.cu:2"):
        _ = Source("broken.cu", b"int a;\nvoid f( { }\n").root


def test_a_limit_of_registers_can_be_parsed() -> None:
    source = Source("limited.cu", b"__global__ void __maxnreg__(32) f(int* p) { p[0] = 1; }\n")
    assert [text_of(node) for node in within(source.root) if node.type == "assignment_expression"] == ["p[0] = 1"]
