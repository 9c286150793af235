"""Points, manifests, times, cases, compiler messages."""

from __future__ import annotations

import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autograder.build.compiler import compile_error
from autograder.errors import GraderError, UsageError
from autograder.explain.places import short_name
from autograder.explain.reasons import host_text
from autograder.judge.check import Judge
from autograder.judge.outcome import Outcome
from autograder.plain import clean
from autograder.plan.cases import case, plan, rescheduled
from autograder.plan.labs import find
from autograder.plan.manifest import compare, load
from autograder.plan.tables import ArraySpec, Shape, TaskTable
from autograder.report.listing import remarks
from autograder.run import machine
from autograder.run.death import Death
from autograder.run.machine import chosen_device
from autograder.run.memory import SharedMemory, layout
from autograder.run.protocol import Counters, Reply, Report
from autograder.score import points
from autograder.tests.support import FakeOracles
from autograder.timing.measure import Lie, Stopped, Timing, interval, measure, seconds
from autograder.timing.speed import memory_text

MANIFEST = """
number = 3
name = "scan"
title = "Scan"
file = "scan.cu"
[[task]]
name = "naive"
points = 10
hints = ["a", "b", "c"]
[[symptom]]
pattern = "doubled"
hint = "read once"
"""


@pytest.mark.parametrize(
    ("verdict", "ratio", "expected"),
    [
        ("AC", 1.0, 10), ("AC", 1 / 1.2, 10), ("AC", 5.0, 10), ("SLOW", 0.31, 7.4), ("SLOW", 0.0, 6.0),
        ("AC", float("nan"), 6.0), ("AC", 0.8333, 9.9), ("AC", None, 10), ("WA", 1.0, 0), ("CHECK", 1.0, 0),
        ("SKIP", None, 0), ("IE", None, 0),
    ],
)  # fmt: skip
def test_points(verdict: str, ratio: float | None, expected: float) -> None:
    assert points(verdict, 10, ratio) == expected  # type: ignore[arg-type]


def test_untimed_gives_the_outputs_share_only() -> None:
    assert points("AC", 10, None, timed=False) == 6


def written(folder: Path, text: str) -> Path:
    path = folder / "grading" / "lab.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return folder


def test_manifest(tmp_path: Path) -> None:
    manifest = load(written(tmp_path, MANIFEST))
    assert manifest.entry("naive").points == 10
    assert manifest.hint_for("doubled", "naive") == "read once"
    assert manifest.hint_for("nan", "naive") == ""


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('name = "naive"', 'nam = "naive"'), "unknown field `nam`"),
        (("points = 10", 'points = "ten"'), "Expected `float`, got `str` - at `$.task[0].points`"),
        (('["a", "b", "c"]', '["a"]'), "length >= 3"),
        (("number = 3", "number = "), "Invalid value"),
        (('hint = "read once"', 'hint = "x"\ntasks = ["nave"]'), "did you mean 'naive'?"),
        (("number = 3\n", ""), "missing required field `number`"),
    ],
)
def test_manifest_errors_are_clear(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    with pytest.raises(GraderError) as caught:
        load(written(tmp_path, MANIFEST.replace(*change)))
    assert message in str(caught.value)
    assert "lab.toml" in str(caught.value)


def test_manifest_and_table_must_agree(tmp_path: Path) -> None:
    path = written(tmp_path, MANIFEST)
    compare(load(path), ["naive"], path)
    with pytest.raises(GraderError, match="the table of tasks has naive, fast"):
        compare(load(path), ["naive", "fast"], path)
    with pytest.raises(GraderError, match="No such file"):
        load(tmp_path / "none.toml")


@pytest.mark.parametrize("name", ["3", "lab3", "solution3", "03", "scan", "03-scan"])
def test_names_of_a_lab(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "labs" / "03-scan"
    folder.mkdir(parents=True)
    written(folder, MANIFEST)
    assert find(tmp_path, name) == folder
    with pytest.raises(UsageError, match="there is no lab 'lab4'; labs: 3"):
        find(tmp_path, "lab4")


TABLE = TaskTable("naive", 10**7, [0, 1, 33, 1025, 65537, 10**6 + 3], 10**6, variants=["sum", "max"])


def test_cases_cover_public_and_secret_sizes() -> None:
    cases = plan(TABLE, 5, virtual=True)
    for n in TABLE.sizes:
        variants = {one.variant for one in cases if one.n == n}
        assert variants == ({"sum", "max"} if n < 1 << 15 else variants) and variants
    assert sum(one.secret for one in cases) >= 2
    assert sum(one.repeat > 0 for one in cases) >= 4
    assert [one.n for one in cases] == sorted(one.n for one in cases)
    everything = plan(TABLE, 5, virtual=False)
    assert {(one.n, one.variant) for one in everything} >= {(10**6 + 3, "sum"), (10**6 + 3, "max")}


def test_the_variant_that_tells_an_order_is_repeated() -> None:
    repeated = {one.variant for one in plan(TABLE, 5, virtual=True, order_tells="max") if one.n == 65537}
    assert repeated == {"max"}
    with pytest.raises(GraderError, match="'mean' is no variant of naive"):
        plan(TABLE, 5, virtual=True, order_tells="mean")


def test_a_seed_reproduces_a_case() -> None:
    again = plan(TABLE, 5, virtual=True, only_n=1025, only_variant="max")
    before = [one for one in plan(TABLE, 5, virtual=True) if one.n == 1025 and one.variant == "max"]
    empty = [one for one in plan(TABLE, 5, virtual=True) if one.n == 0 and one.variant == "sum"]
    assert plan(TABLE, 5, virtual=False, only_n=0, only_variant="sum") == empty
    assert {one.seed % 4 for one in empty} == {0, 1, 2, 3}, "labs go through the shapes of empty inputs by them"
    assert before[0] in again
    assert rescheduled(before[0], 1) in again
    assert case(5, "naive", "max", 1025) != case(6, "naive", "max", 1025)


def test_a_line_with_atomics_or_local_memory_is_remarked_on() -> None:
    assert remarks(Counters(instructions=5, shared_loads=5)) == []
    said = remarks(Counters(atomics=40, atomic_lanes=1280, most_lanes_on_one_address=32, local_sectors=1000))
    assert said == ["1,280 atomics, up to 32 lanes of a warp at one address", "1,000 sectors of local memory"]
    assert "up to 1 lane of" in remarks(Counters(atomics=1, atomic_lanes=32, most_lanes_on_one_address=1))[0]


def test_the_shared_memory_has_room_for_every_case() -> None:
    class Shrinking(FakeOracles):
        def shape(self, lab: int, task: str, variant: str, n: int, seed: int) -> Shape:
            return Shape([ArraySpec("d_in", "int32", 8192 if n == 1 else n)], [])

    judge = Judge(Shrinking(), 6, time.monotonic, nullcontext())
    small, large = (case(1, "replicated", "", n) for n in (1, 1000))
    room = judge.room([small, large])
    assert room == judge.room([small]) > judge.room([large])
    memory = SharedMemory(judge.room([large]))
    places, _ = layout(judge.shape(small))
    with pytest.raises(GraderError, match="d_in with 8,192 elements"):
        memory.put(places, [np.zeros(8192, np.int32)], 0x81)
    memory.close()


def test_interval_of_nine_is_from_the_second_to_the_eighth() -> None:
    assert interval([1, 2, 3, 4, 5, 6, 7, 8, 9]) == (2, 8)
    assert interval([3.0]) == (3.0, 3.0)


@pytest.mark.parametrize(("value", "text"), [(1.5, "1.5 s"), (0.00123, "1.23 ms"), (2e-5, "20 µs"), (5e-9, "5 ns")])
def test_seconds(value: float, text: str) -> None:
    assert seconds(value) == text


def test_compiler_messages() -> None:
    text = '/x/y/scan.cu(12): error: identifier "blokDim" is undefined\n        int i = blokDim.x;\n1 error detected\n'
    error = compile_error(text, [Path("/x/y")])
    assert error.where == "scan.cu:12"
    assert error.text.startswith("scan.cu(12): error: identifier")
    assert "did you mean `blockDim`?" in str(error)
    linker = "/usr/bin/ld: scan_lab.o: in function `x':\nundefined reference to `naive(int const*, int*, int)'\n"
    assert str(compile_error(linker, [Path("/x")])).startswith("undefined reference to `naive(int const*, int*, int)")
    assert str(compile_error("", [Path("/x")])) == "the compiler says nothing"


def test_advice_is_about_the_first_error() -> None:
    text = (
        'scan.cu(37): error: expected a ";"\nscan.cu(69): error: identifier "blokcs" is undefined\n2 errors detected\n'
    )
    first, advice, number = str(compile_error(text, [])).splitlines()
    assert first == 'expected a ";"'
    assert "semicolon is missing" in advice
    assert number.startswith("2 errors: begin with the first")
    assert "spelt right" in str(compile_error("\n".join(text.splitlines()[1:]), []))


def test_devices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    profiles = tmp_path / "common/virtual_gpu/profiles"
    profiles.mkdir(parents=True)
    for name in ("h200", "teaching"):
        (profiles / f"{name}.toml").touch()
    monkeypatch.setattr(machine, "gpu_answers", lambda: False)
    for wanted in ("", "virtual", "h200"):
        assert chosen_device(tmp_path, wanted) == wanted
    monkeypatch.chdir(profiles)
    assert chosen_device(tmp_path, "h200.toml") == str(profiles / "h200.toml")
    with pytest.raises(UsageError, match=r"no such device; there are: gpu .*, virtual, h200, teaching"):
        chosen_device(tmp_path, "foo")
    with pytest.raises(UsageError, match="no NVIDIA GPU answers on this machine; there are: virtual, h200"):
        chosen_device(tmp_path, "gpu")
    monkeypatch.setattr(machine, "gpu_answers", lambda: True)
    assert chosen_device(tmp_path, "gpu") == "gpu"


def test_scattered_addresses_are_named_as_the_cause() -> None:
    line = Counters(global_loads=10, load_sectors=320, ideal_load_sectors=40)
    assert memory_text(line, 320) == (
        "100 % of its memory traffic, 32.0 sectors a request where 4.0 would do: "
        "the addresses of neighbouring threads lie far apart"
    )
    assert memory_text(Counters(global_loads=10, load_sectors=50, ideal_load_sectors=40), 50).endswith("traffic")


def test_clean() -> None:
    assert clean("a\x1b[31mb\u202ec") == "a[31mbc"
    assert len(clean("x" * 5000)) == 2000
    assert Death("crash", "x").kind == "crash"


def outcome(claimed: float, elapsed: float = 0.01) -> Outcome:
    answer = Reply(status="ok", seconds=claimed, device="GPU")
    return Outcome(case(1, "naive", "", 1000), reply=answer, elapsed=elapsed, bytes=8e6)


def test_modelled_times_need_as_many_pairs_as_the_lab_says() -> None:
    times = iter([1e-4, 3e-4, 2e-4])
    timing = measure(lambda at: (outcome(next(times)), outcome(1e-4)), 1000, virtual=True, virtual_pairs=3)
    assert isinstance(timing, Timing)
    assert (timing.pairs, timing.ratio, timing.student) == (3, 0.5, 2e-4)


def test_steady_times_need_nine_pairs() -> None:
    timing = measure(lambda at: (outcome(2e-4), outcome(1e-4)), 1000, virtual=False)
    assert isinstance(timing, Timing)
    assert (timing.pairs, timing.ratio, timing.noisy) == (9, 0.5, False)


def test_noise_costs_no_points() -> None:
    noise = [0.6, 1.1, 0.7, 0.9, 0.65, 1.0, 0.75, 0.8, 0.95]
    timing = measure(lambda at: (outcome(1e-4), outcome(1e-4 * noise[at % 9])), 1000, virtual=False)
    assert isinstance(timing, Timing)
    assert (timing.pairs, timing.noisy) == (27, True)
    assert timing.scored == timing.high > 1 / 1.2


def test_impossible_times_are_lies() -> None:
    fast = measure(lambda at: (outcome(1e-7), outcome(1e-4)), 1000, False, 4e12)
    assert isinstance(fast, Lie) and "below what the memory can do" in fast.reason
    longer = measure(lambda at: (outcome(1.0, 0.5), outcome(1e-4)), 1000, False)
    assert isinstance(longer, Lie) and "longer than the call took" in longer.reason
    late = measure(lambda at: (outcome(1e-4, 0.9), outcome(1e-4, 0.1)), 1000, False)
    assert isinstance(late, Lie) and "its clock does not show it" in late.reason


def test_a_failing_side_stops_the_measurement() -> None:
    bad = replace(outcome(1e-4), death=Death("crash", "gone"))
    stopped = measure(lambda at: (bad, outcome(1e-4)), 1000, False)
    assert isinstance(stopped, Stopped) and not stopped.is_reference
    stopped = measure(lambda at: (outcome(1e-4), bad), 1000, False)
    assert isinstance(stopped, Stopped) and stopped.is_reference


@pytest.mark.parametrize(
    ("kernel", "name"),
    [
        ("naive_step(const int *, int *, int, int)", "naive_step"),
        ("void scatter<int>(const int *, int *)", "scatter<int>"),
        ("void scan<(Scan)1, Sum<int>>(const int *)", "scan<1, Sum<int>>"),
        ("void fast::(anonymous namespace)::sum_tiles<fast::(anonymous namespace)::Values>(int)",
         "fast::sum_tiles<fast::Values>"),
    ],
)  # fmt: skip
def test_kernels_are_named_without_parameters(kernel: str, name: str) -> None:
    assert short_name(kernel) == name


def test_a_result_without_elements_needs_no_kernel() -> None:
    one = case(7, "expand", "", 1000)
    reply = Reply(status="ok", report=Report())
    assert "no kernel was launched" in host_text(Outcome(one, reply=reply))
    assert host_text(Outcome(one, reply=reply, empty=True)) == ""
