"""What only a report asks for: in real runs, and what is accepted of a device's answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from autograder.page.lanes import map_of
from autograder.page.result_page import report
from autograder.page.tests.support import Page
from autograder.plan.labs import file_of, find
from autograder.plan.request import Request
from autograder.run.protocol import decode_reply
from autograder.session import grade

ROOT = Path(__file__).resolve().parents[4]
STEP = {
    "space": "shared",
    "access": "read",
    "array": "tile",
    "bytes": 4,
    "lanes": 1,
    "cost": 1,
    "ideal": 1,
    "at": [0] * 32,
}


def reply(**changes: Any) -> bytes:
    """An answer with a trace of one step, with these changes in the step."""
    trace = {"place": {"file": "a.cu", "line": 3, "text": "x"}, "kernel": "k", "count": 1, "steps": [STEP | changes]}
    return json.dumps({"id": "1", "status": "ok", "report": {"trace": trace}}).encode()


def test_a_trace_is_read() -> None:
    told = decode_reply(reply(array="ti\x1ble"), "1").report
    assert told and told.trace and told.trace.steps[0].array == "tile" and told.trace.place.line == 3


@pytest.mark.parametrize(
    "changes",
    [
        {"at": [0] * 31}, {"at": [0] * 33}, {"at": [2**64] * 32}, {"at": [0.5] * 32}, {"lanes": 2**32}, {"lanes": -1},
        {"bytes": 0}, {"bytes": 17}, {"space": "elsewhere"}, {"access": "look"}, {"cost": -1},
    ],
)  # fmt: skip
def test_what_is_no_trace_is_no_reply(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="the reply is invalid"):
        decode_reply(reply(**changes), "1")


def test_a_trace_is_short() -> None:
    steps = {"steps": [STEP] * 65}
    with pytest.raises(ValueError, match="the reply is invalid"):
        decode_reply(json.dumps({"id": "1", "status": "ok", "report": {"trace": steps}}).encode(), "1")


@pytest.mark.slow
def test_a_solution_has_times_over_sizes_and_addresses() -> None:
    tasks = ("grid", "vectorized")
    request = Request(find(ROOT, "1"), solution=True, tasks=tasks, max_n=20_000, seed=1, device="teaching", study=True)
    result, _ = grade(ROOT, request)
    for task, lane_bytes in zip(result.tasks, (4, 16), strict=True):
        assert task.verdict == "AC", task.reason
        assert [one.n for one in task.sizes] == [312, 1250, 5000]
        assert all(one.seconds > 0 and one.reference_seconds > 0 and one.bytes == 8.0 * one.n for one in task.sizes)
        assert task.trace and task.trace.warp == 0 and task.trace.block == (0, 0, 0)
        step = task.trace.steps[0]
        assert (step.space, step.bytes, step.lanes) == ("global", lane_bytes, 2**32 - 1)
        assert [step.at[lane] - step.at[0] for lane in range(32)] == [lane_bytes * lane for lane in range(32)]
        assert step.ideal == lane_bytes and step.cost - step.ideal in (0, 1)  # the array may begin between two sectors
        assert all(len(map_of(one).touched) == one.cost for one in task.trace.steps)  # drawn as it was counted
    page = Page(report(result, ROOT, None))
    assert page.text.count("Who touches what") == 2 and page.text.count("Time over size") == 2
    again, _ = grade(
        ROOT, Request(find(ROOT, "1"), solution=True, tasks=tasks, max_n=20_000, seed=1, device="teaching")
    )
    assert [task.points for task in again.tasks] == [task.points for task in result.tasks]
    assert all(not task.sizes and task.trace is None for task in again.tasks)


@pytest.mark.slow
def test_times_over_sizes_are_those_of_one_kind_of_input() -> None:
    """Sorting in more or fewer bits, and the first call's allocations, would show as jumps."""
    request = Request(
        find(ROOT, "10"), solution=True, tasks=("digit",), max_n=16384, seed=1, device="teaching", study=True
    )
    result, _ = grade(ROOT, request)
    times = [one.seconds for one in result.tasks[0].sizes]
    assert len(times) >= 3
    assert times == sorted(times) and times[-1] < 2 * times[0]


@pytest.mark.slow
def test_a_wrong_file_has_its_picture_and_keeps_its_secrets(tmp_path: Path) -> None:
    """The last, partly filled block is left out; `#line` names files that are not the student's."""
    lab = find(ROOT, "1")
    skeleton = (lab / "grading/skeleton.cu.txt").read_text("utf-8")
    solution = ROOT / "solutions/01-square/grid.cu"
    student = tmp_path / file_of(ROOT, lab.name).name
    begin = skeleton.index("__global__ void grid_kernel")
    end = skeleton.index("// ---- Task 3")
    grid = f'''#line 1 "{solution}"
__global__ void grid_kernel(const float* d_in, float* d_out, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) d_out[i] = d_in[i] * d_in[i];
}}
void grid(const float* d_in, float* d_out, int n) {{
    if (n < kBlock) return;
    grid_kernel<<<n / kBlock, kBlock>>>(d_in, d_out, n);
    CUDA_CHECK(cudaGetLastError());
}}
'''
    student.write_text(skeleton[:begin] + grid + skeleton[end:], "utf-8")
    result, _ = grade(
        ROOT, Request(lab, file=student, tasks=("grid",), max_n=5000, seed=1, device="teaching", study=True)
    )
    task = result.tasks[0]
    assert task.verdict == "WA" and task.failure and task.failure.picture
    assert task.failure.picture.cells.endswith("u") and task.failure.picture.block == 256
    page = Page(report(result, ROOT, student))
    line = next(line for line in solution.read_text().splitlines() if "CUDA_CHECK" in line or "//" in line)
    assert "Which elements are wrong" in page.text and line not in page.text
