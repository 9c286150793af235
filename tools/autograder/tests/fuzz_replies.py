"""Replies that no runner sends: whatever a process answers, the grader comes to a verdict and to a report.

python -m autograder.tests.fuzz_replies --count 100000 --seed 1 changes valid replies,
their bytes and their structure,
and takes each through all that a reply goes through: decoded, judged, explained, timed, scored, printed.
"""

from __future__ import annotations

import argparse
import io
import random
import sys
import traceback
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import numpy as np
from rich.console import Console

from autograder.explain.explanation import Explanation
from autograder.explain.reasons import explain
from autograder.judge.calls import Ran
from autograder.judge.judgement import decide
from autograder.judge.oracles import Checked
from autograder.judge.outcome import Outcome, Wrong
from autograder.judge.search import Found, Search
from autograder.plan.cases import Case
from autograder.plan.manifest import Limits, Manifest, TaskEntry
from autograder.plan.request import Request
from autograder.plan.tables import ArraySpec, Shape
from autograder.report import listing, terminal
from autograder.report.result import encode, lab_result, task_result, time_result
from autograder.run import death as deaths
from autograder.run.death import Death
from autograder.run.protocol import Reply, decode_reply
from autograder.sanitize import clean
from autograder.score import points
from autograder.tests.changed_replies import ID, WORDS, Changes, dumps, valid_replies
from autograder.timing.measure import Timing, measure
from autograder.timing.speed import slow
from autograder.verdict import Verdict

N = 300


class NoSearch(Search):
    """Makes no further calls: there is no process."""

    def __init__(self) -> None:
        pass

    def run(self, outcomes: Sequence[Outcome], shrink: bool) -> Found:
        return Found(tuple(outcomes))


class Grader:
    """All that happens to a reply after it was received, without processes."""

    def __init__(self) -> None:
        self.entry = TaskEntry("add", 10)
        self.manifest = Manifest(3, "add", "Add", "add.cu", [self.entry], Limits(5, 100, 100))
        self.folder = Path(__file__).parent / "03-add"
        self.request = Request(self.folder)
        self.given = np.arange(N, dtype=np.int32)
        self.shape = Shape(
            [ArraySpec("d_in", "int32", N)], [ArraySpec("d_out", "int32", N)], 8.0 * N, {}, text="300 numbers"
        )

    def grade(self, line: bytes, right: bool, printed: str, refused: bool) -> tuple[Verdict, str]:
        """The verdict, and all that is printed. `refused`: print what is said of a reply that is refused, too."""
        outcome = self._outcome(line, right)
        judgement = decide(Ran((outcome,)), 1, NoSearch(), True, True)
        explanation = explain(judgement, "add.cu", clean(printed))
        verdict, timing = judgement.verdict, None
        if verdict == "AC":
            verdict, timing, explanation = self._timed(outcome, explanation)
        ratio = timing.scored if timing else None
        result = task_result(
            self.entry,
            verdict,
            points(verdict, 10, ratio, timed=timing is not None),
            judgement,
            explanation,
            time=time_result(timing, "") if timing else None,
            kernels=timing.kernels if timing else (),
            again="./grader 3",
            printed=clean(printed),
        )
        device = outcome.reply.device if outcome.reply else ""
        whole = lab_result(
            self.request, self.manifest, [result], device=device, modelled=True, seed=1, all_tasks=True, seconds=1.0
        )
        encode(whole)
        assert 0 <= whole.points <= 10, whole.points
        assert whole.points == 0 or verdict in ("AC", "SLOW"), verdict
        out = io.StringIO()
        if outcome.death and not refused:
            return verdict, ""
        console = Console(file=out, width=160, color_system=None, force_terminal=False, highlight=False)
        terminal.show(console, whole, self.manifest, self.folder, self.folder.parents[3])
        listing.show(console, whole, [])
        return verdict, out.getvalue()

    def _outcome(self, line: bytes, right: bool) -> Outcome:
        case = Case("add", "sum_int32", N, 1, 0)
        answer: Reply | Death
        try:
            answer = decode_reply(line, ID)
        except ValueError as error:
            answer = Death("crash", str(error))
        if isinstance(answer, Death):
            return Outcome(case, death=answer, input="300 numbers")
        outcome = Outcome(
            case, answer, bits=b"x", seconds=answer.seconds, bytes=8.0 * N, input_bytes=4 * N, input="300 numbers"
        )
        if right or answer.status == "skip":
            return outcome
        expected = self.given + 1
        got = np.where(self.given < 256, expected, 7).astype(np.int32)
        checked = Checked(False, [expected], [got != expected], [N])
        wrong = Wrong(self.shape, [self.given], [got], checked, 0xA5)
        return Outcome(case, answer, wrong=wrong, bytes=8.0 * N, input_bytes=4 * N, input="300 numbers")

    def _timed(self, outcome: Outcome, explanation: Explanation) -> tuple[Verdict, Timing | None, Explanation]:
        """As the task's grader does: a lie is RTE, a slow one is explained."""
        answer = decode_reply(dumps(valid_replies()[0]), ID)
        reference = Outcome(outcome.case, answer, seconds=answer.seconds, bytes=8.0 * N)
        found = measure(lambda at: (outcome, reference), N, 1e12)
        if not isinstance(found, Timing):
            return "RTE", None, explanation
        return ("AC" if found.scored > 0.5 else "SLOW"), found, slow(explanation, found)


def fuzz(count: int, seed: int) -> Counter[str]:
    """How often there was which verdict. Raises what the grader raises, with the reply in a note."""
    rng = random.Random(seed)
    changes, grader, valid = Changes(rng), Grader(), valid_replies()
    verdicts: Counter[str] = Counter()
    for at in range(count):
        line = dumps(rng.choice(valid)) if at % 50 == 0 else changes.reply(rng.choice(valid))
        printed = rng.choice(("", *WORDS)) + "\n" + rng.choice(WORDS)
        try:
            verdict, shown = grader.grade(line, rng.random() < 0.6, printed, at % 16 == 0)
            assert verdict in get_args(Verdict), verdict
            assert len(shown) < 100_000, f"{len(shown)} characters were printed"
            assert clean(shown, 100_000) == shown, "a control character was printed"
            shown.encode("utf-8")
            deaths.ended(rng.choice((-9, -99, 0, 1, 86, 255)), clean(printed))
            deaths.timeout(1.0, deaths.STOPPED + printed + "\n" + deaths.SEEN + printed)
        except Exception as error:
            error.add_note(f"reply {at} of seed {seed}: {line[:4000]!r}; printed: {printed[:200]!r}")
            raise
        verdicts[verdict] += 1
    return verdicts


def main() -> int:
    parser = argparse.ArgumentParser(description="changed replies, and what the grader makes of them")
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    try:
        verdicts = fuzz(arguments.count, arguments.seed)
    except Exception:
        traceback.print_exc()
        return 1
    told = ", ".join(f"{verdict} {count:,}" for verdict, count in verdicts.most_common())
    print(f"{arguments.count:,} replies, a verdict for each: {told}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
