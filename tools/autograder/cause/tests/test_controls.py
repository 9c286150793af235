"""What is no repair, though it makes calls right: a way round the mistake."""

import pytest

from autograder.cause.change import Change
from autograder.cause.controls import Runs, goes_round
from autograder.judge.outcome import Outcome
from autograder.plan.cases import Case
from autograder.run.protocol import Counters, KernelReport, LineCounters, Place, Reply, Report

EDGE = Change(1, "comparison", 7, "i < n", "i <= n", 7)
SIZES = (5_000, 20_000)


def runs(
    each: float = 10.0, fixed: int = 0, blocks: int = 8, lines: tuple[int, ...] = (5, 6, 7, 8), times: int = 1,
    right: bool = False, kernels: int = 1, loads: int = 0, name: str = "scan", warps: float = 0.0,
) -> Runs:  # fmt: skip
    """Two calls: every element has so many instructions, and `fixed` times n more; `warps`: those of warps."""
    made = Runs()
    for n in SIZES:
        work = round(each * n + fixed * n * n)
        counted = [LineCounters(Place("/x/scan.cu", line), Counters(lanes=times, global_loads=loads)) for line in lines]
        launches = [
            KernelReport(
                f"{name}{at}",
                grid=(blocks, 1, 1),
                block=(256, 1, 1),
                total=Counters(lanes=work, instructions=round(warps * n)),
                lines=counted,
            )
            for at in range(kernels)
        ]
        reply = Reply(status="ok", report=Report(kernels=launches))
        made.add(Outcome(Case("scan", "", n, 1, 0), reply), right=right, ended=True)
    return made


@pytest.mark.parametrize(
    ("before", "after", "is_way_round"),
    [
        (runs(), runs(), False),
        (runs(), runs(lines=(5, 7, 8)), False),  # of one line, the compiler may have made a part of another
        (runs(), runs(lines=(7, 8)), True),
        (runs(lines=(6, 7, 8)), runs(lines=(6, 8)), False),  # what the change is about
        (runs(kernels=2), runs(), True),
        (runs(), runs(each=30.0), False),  # more work, the same for each element
        (runs(each=0.1), runs(), False),  # only a part of it was done
        (runs(), runs(fixed=1), True),  # every block reads all
        (runs(fixed=1), runs(fixed=1), False),  # it did before
    ],
)
def test_what_ran_before_still_runs_and_nothing_is_done_again(before: Runs, after: Runs, is_way_round: bool) -> None:
    assert goes_round([EDGE], before, after, SIZES, ()) is is_way_round


def test_another_function_of_the_toolbox_may_have_the_same_kernel() -> None:
    inclusive, exclusive = (runs(name=f"void (anonymous namespace)::scan_tiles<(Kind){one}>()") for one in "01")
    other = Change(1, "function", 20, "inclusive_sum(n)", "exclusive_sum(n)", 20)
    assert not goes_round([other], inclusive, exclusive, SIZES, ())
    assert goes_round([EDGE], inclusive, exclusive, SIZES, ())
    assert goes_round([other], inclusive, runs(name="sort_tiles<1>"), SIZES, ())


def test_more_threads_keep_no_access_inside_an_array() -> None:
    more = Change(1, "value", 20, "tiles", "tiles + 1", 20)
    assert goes_round([more], runs(), runs(blocks=9), SIZES, {"out_of_bounds"})
    assert not goes_round([more], runs(), runs(blocks=9), SIZES, {"race"})
    assert not goes_round([more], runs(), runs(blocks=8), SIZES, {"out_of_bounds"})


def test_one_block_that_has_the_work_of_all_is_no_repair() -> None:
    one = Change(1, "blocks", 20, "blocks", "1", 20)
    assert goes_round([one], runs(blocks=8), runs(blocks=1), SIZES, ())
    assert not goes_round([one], runs(blocks=8), runs(blocks=1, each=2.0), SIZES, ())  # all blocks did the same


def test_more_blocks_must_come_to_more_elements() -> None:
    """Blocks that share the same elements have less to do each: a counter of theirs may then be large enough."""
    more = Change(1, "blocks", 20, "blocks", "2 * blocks", 20)
    assert goes_round([more], runs(loads=32), runs(blocks=16, loads=32), SIZES, ())
    assert not goes_round([more], runs(loads=32), runs(blocks=16, loads=33), SIZES, ())
    assert goes_round([more], runs(loads=32, right=True), runs(blocks=16, loads=33), SIZES, ())  # no call was wrong


def test_a_value_by_one_does_not_make_up_for_a_mistake_elsewhere() -> None:
    value = Change(1, "value", 7, "count", "count + 1", 7)
    assert goes_round([value], runs(right=True), runs(right=True, times=2), SIZES, ())
    assert not goes_round([value], runs(right=True), runs(right=True), SIZES, ())
    assert not goes_round([value], runs(), runs(times=2), SIZES, ())  # these calls were wrong
    assert not goes_round([EDGE], runs(right=True), runs(right=True, times=2), SIZES, ())


def test_one_thread_does_not_do_again_what_all_do() -> None:
    assert goes_round([EDGE], runs(each=32.0, warps=1.0), runs(each=36.0, warps=5.0), SIZES, ())
    assert not goes_round([EDGE], runs(each=32.0, warps=1.0), runs(each=64.0, warps=2.0), SIZES, ())  # whole warps
    assert not goes_round([EDGE], runs(each=4.0, warps=4.0), runs(each=9.0, warps=9.0), SIZES, ())  # so was all of it


def test_a_call_that_takes_another_way_through_the_program_is_no_repair() -> None:
    """The kernels of all calls together are the same: each of the two ways is another call's."""
    before, after = runs(), runs()
    before.launches = [[("gather", 256)], [("scatter", 256)]]
    after.launches = [[("scatter", 256)], [("gather", 256)]]
    assert goes_round([EDGE], before, after, SIZES, ())
    after.launches = [[("gather", 256), ("scatter", 256)], [("scatter", 256)]]
    assert not goes_round([EDGE], before, after, SIZES, ())


def test_a_condition_is_not_left_out_so_that_all_is_done_twice() -> None:
    without = Change(1, "part_of_condition", 7, "t < 4 && i < n", "i < n", 7)
    assert goes_round([without], runs(right=True), runs(right=True, times=2), SIZES, ())
    assert not goes_round([without], runs(), runs(times=2), SIZES, ())  # these calls were wrong
    assert not goes_round([EDGE], runs(right=True), runs(right=True, times=2), SIZES, ())


def test_a_right_call_of_a_size_that_also_fails_may_run_another_way() -> None:
    before, after = runs(right=True), runs(right=True, times=2)
    another = Change(1, "index", 9, "i", "i + 1", 9)
    assert goes_round([another], before, after, SIZES, ())
    before.sizes.append(before.sizes[0])
    for one in (before, after):
        one.right.append(False)
        one.counts.append(one.counts[0])
        one.launches.append(one.launches[0])
        one.accesses.append(one.accesses[0])
    assert goes_round([another], before, after, SIZES, ())  # the other size is still disturbed
    before.sizes[-1:] = [before.sizes[1]]
    before.right[0] = False
    assert not goes_round([another], before, after, SIZES, ())
