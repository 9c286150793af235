"""A launch that CUDA has refused tells its cause itself."""

from dataclasses import replace

import pytest

from autograder.cause.change import Change
from autograder.cause.likely import ordered
from autograder.cause.refusals import of_refusal
from autograder.cause.tests.test_search import CASE, outcome
from autograder.judge.judgement import Judgement
from autograder.judge.outcome import Outcome
from autograder.run.protocol import Finding, Place, Reply, Report
from autograder.run.site import LaunchSite


@pytest.mark.parametrize(
    ("grid", "block", "kind"),
    [
        ((0, 1, 1), (256, 1, 1), "empty_launch"),
        ((1, 1, 1), (0, 1, 1), "no_threads"),
        ((1, 1, 1), (64, 32, 1), "too_many_threads"),
        ((1, 65536, 1), (32, 8, 1), "refused"),
    ],
)
def test_a_refused_launch_needs_no_experiment(
    grid: tuple[int, int, int], block: tuple[int, int, int], kind: str
) -> None:
    site = LaunchSite(place=Place("/x/scan.cu", 24), grid=grid, block=block)
    note = Finding("failed_call", is_note=True, launch=site, what="the launch of scan was refused: ...")
    refused = Outcome(CASE, Reply(status="cuda_error", report=Report(findings=[note])))
    cause = of_refusal(refused)
    assert cause is not None and (cause.kind, cause.where, cause.seen) == (kind, "scan.cu:24", note.what)
    nothing = of_refusal(replace(refused, empty=True)) if kind == "empty_launch" else None
    assert nothing is None or nothing.seen.endswith(". Here there is nothing to do: return before the launch")
    assert of_refusal(outcome(note)) is None  # the call went on, and was judged


def test_a_block_has_too_many_threads_only_where_a_launch_was_refused() -> None:
    many = Change(1, "threads", 24, "<<<blocks, 512>>>", "<<<max(1, ceil_div(n, 256)), 256>>>", 24)
    refused = Finding("failed_call", is_note=True, launch=LaunchSite(place=Place("/x/scan.cu", 24)))
    assert ordered([many], Judgement("WA", (), outcome())) == []  # each block has less to do with it
    assert ordered([many], Judgement("RTE", (), outcome(refused))) == [many]
