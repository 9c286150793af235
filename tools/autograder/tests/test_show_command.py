"""./grader show on real programs: one for each kind of failure, and where there is nothing to show."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.failing_calls import Failing, Kept, keep, read
from autograder.page.tests.support import result, task
from autograder.plan.labs import file_of, find
from autograder.plan.manifest import load
from autograder.plan.request import Request
from autograder.show_command import called, chosen, found
from autograder.trace.call import Shown
from autograder.trace.writers import owner

ROOT = Path(__file__).resolve().parents[3]
LAB = find(ROOT, "1")
KERNEL = "if (i < n) d_out[i] = d_in[i] * d_in[i];"
HOST = "grid_kernel<<<(n + kBlock - 1) / kBlock, kBlock>>>(d_in, d_out, n);"


def student(folder: Path, kernel: str = KERNEL, host: str = HOST) -> Request:
    """A file with lab 1's second task in it."""
    skeleton = (LAB / "grading/skeleton.cu.txt").read_text("utf-8")
    begin, end = skeleton.index("__global__ void grid_kernel"), skeleton.index("// ---- Task 3")
    grid = f"""__global__ void grid_kernel(const float* d_in, float* d_out, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {kernel}
}}
void grid(const float* d_in, float* d_out, int n) {{
    if (n == 0) return;
    {host}
    CUDA_CHECK(cudaGetLastError());
}}
"""
    file = folder / file_of(ROOT, LAB.name).name
    file.write_text("#include <cstdio>\n" + skeleton[:begin] + grid + skeleton[end:], "utf-8")
    return Request(LAB, file=file, tasks=("grid",), device="virtual", max_n=3000, seed=1)


def look(request: Request) -> tuple[Failing, Shown]:
    manifest = load(LAB)
    picked = chosen(manifest, request, found(ROOT, request))
    assert not isinstance(picked, str), picked
    return picked[1], called(ROOT, request, manifest, *picked)


@pytest.mark.slow
def test_a_wrong_answer_with_what_was_printed(tmp_path: Path) -> None:
    wrong = (
        f'if (i == 300 % n) printf("at %d of %d\\n", i, n);\n    {KERNEL}\n    if (i == 4 && n > 4) d_out[i] = d_in[0];'
    )
    failing, told = look(student(tmp_path, wrong))
    assert failing.verdict == "WA" and told.fails and told.outcome.case.n == failing.n == 5
    assert told.printed == ["at 0 of 5"]
    watched = told.watched[4]
    assert watched.count == 2 and owner(watched).startswith("thread 4 of block 0, ")
    assert [(one.array, one.index) for one in watched.reads] == [("d_in", 0)]
    launch = told.outcome.kernels[0]
    assert launch.place.text.strip() == HOST and launch.block_threads == 256


@pytest.mark.slow
def test_an_element_that_nobody_wrote(tmp_path: Path) -> None:
    _, told = look(student(tmp_path, host="grid_kernel<<<n / kBlock + 0 * n, kBlock>>>(d_in, d_out, n);"))
    assert not told.watched or owner(next(iter(told.watched.values()))) == "nobody wrote it"


@pytest.mark.slow
def test_a_copy_is_followed_to_its_source(tmp_path: Path) -> None:
    host = (
        "float* tmp; CUDA_CHECK(cudaMalloc(&tmp, n * 4)); CUDA_CHECK(cudaMemset(tmp, 0, n * 4));\n"
        "    CUDA_CHECK(cudaMemcpy(d_out, tmp, n * 4, cudaMemcpyDeviceToDevice)); CUDA_CHECK(cudaFree(tmp));"
    )
    failing, told = look(student(tmp_path, host=host))
    (watched,) = told.watched.values()
    assert failing.verdict == "WA" and watched.writes[-1].writer.name == "cudaMemcpy"
    assert watched.reads[0].writer.name == "cudaMemset" and watched.reads[0].writer.place.line


@pytest.mark.slow
def test_a_right_output_with_a_finding(tmp_path: Path) -> None:
    failing, told = look(student(tmp_path, host=f"float* tmp; CUDA_CHECK(cudaMalloc(&tmp, 4));\n    {HOST}"))
    assert failing.verdict == "CHECK" and [one.kind for one in told.outcome.findings] == ["leak"]
    assert told.errors is None and told.seen.outputs


@pytest.mark.slow
def test_a_call_that_writes_out_of_bounds(tmp_path: Path) -> None:
    failing, told = look(student(tmp_path, f"d_out[i + (1LL << 40)] = 1;\n    {KERNEL}"))
    assert failing.verdict == "CHECK" and told.outcome.findings[0].kind == "out_of_bounds" and told.outcome.kernels


@pytest.mark.slow
def test_a_call_that_does_not_end(tmp_path: Path) -> None:
    loop = f'printf("before\\n");\n    while (*(volatile const float*)d_in > -1e30f) {{}}\n    {KERNEL}'
    failing, told = look(student(tmp_path, loop))
    assert failing.verdict == "TLE" and told.fails and "before" in told.printed


@pytest.mark.slow
def test_nothing_to_show(tmp_path: Path) -> None:
    manifest, request = load(LAB), student(tmp_path)
    told = chosen(manifest, request, found(ROOT, request))
    assert isinstance(told, str) and told.startswith("there is nothing to show: grid is right")


def test_why_there_is_nothing_to_show() -> None:
    manifest = load(LAB)
    tasks = [entry.name for entry in manifest.task]
    for known, said in (
        ({name: Failing("SKIP") for name in tasks}, "no task of lab 1 is started"),
        ({name: Failing("AC" if name == tasks[0] else "SKIP") for name in tasks}, f"{tasks[0]} is right"),
        ({tasks[0]: Failing("AC")}, "could not be graded"),
        ({name: Failing("MLE", "out of memory") for name in tasks}, "out of memory"),
    ):
        told = chosen(manifest, Request(LAB), Kept(known))
        assert isinstance(told, str) and said in told, told
    one = chosen(manifest, Request(LAB, tasks=(tasks[1],)), Kept({tasks[1]: Failing("SKIP")}))
    assert one == f"there is nothing to show: {tasks[1]} is not started"


def test_of_a_slow_task_it_is_said_where_the_time_goes() -> None:
    manifest = load(LAB)
    name = manifest.task[1].name
    slow = Failing("SLOW", "9 times the reference's time", slow=("square.cu:8: 100 % of its memory traffic",))
    told = chosen(manifest, Request(LAB), Kept({name: slow}))
    assert isinstance(told, str)
    first, second, last = told.splitlines()
    assert first == f"{name} is right, and costs more than it may: 9 times the reference's time"
    assert second == slow.slow[0] and last.startswith(f"./grader explain 1 --task {name}")


def test_the_first_task_with_a_failing_call_is_taken() -> None:
    manifest = load(LAB)
    tasks = [entry.name for entry in manifest.task]
    failing = Failing("WA", "wrong", 5)
    kept = Kept({tasks[0]: Failing("AC"), tasks[1]: failing, tasks[2]: Failing("CHECK", "race", 7)})
    assert chosen(manifest, Request(LAB), kept) == (tasks[1], failing)
    assert chosen(manifest, Request(LAB, tasks=(tasks[2],)), kept) == (tasks[2], kept.task[tasks[2]])


def test_what_is_kept_is_of_the_file_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "square.cu"
    file.write_text("one", "utf-8")
    request = Request(LAB, file=file)
    assert read(tmp_path, request) is None
    keep(tmp_path, request, result(task(verdict="AC")))
    kept = read(tmp_path, request)
    assert kept is not None and kept.task
    file.write_text("two", "utf-8")
    assert read(tmp_path, request) is None
    file.write_text("one", "utf-8")
    next((tmp_path / "build/show/kept").iterdir()).write_text("{", "utf-8")
    assert read(tmp_path, request) is None
