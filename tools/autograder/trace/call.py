"""One failing call by itself, to be looked at: its arrays, what it printed, who wrote a wrong element."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from autograder.explain.evidence import Errors, errors_of
from autograder.judge.batch import Seen
from autograder.judge.check import Checker
from autograder.judge.judgement import on_host
from autograder.judge.outcome import Outcome, verdict_of
from autograder.plan.cases import Case
from autograder.run.process import Runner
from autograder.run.watched import Watched
from autograder.trace.writers import is_whole, wanted

CALLS = 3  # that a process makes until one fails: what fails only later depends on an earlier call
ENDLESS_STEPS = 1 << 20  # warp instructions of a launch that does not end: about a second
ENDLESS_SECONDS = 4.0
OF_DEVICE = "virtual GPU: "  # begins the lines that the device prints about itself

Starts = Callable[[], AbstractContextManager[Runner]]


@dataclass(frozen=True)
class Shown:
    """A call, and what is known of it."""

    seen: Seen
    number: int = 1  # of the calls that the process made
    fails: bool = True  # False: it did not, whatever it did before
    printed: Sequence[str] = ()  # lines of the program
    errors: Errors | None = None
    watched: dict[int, Watched] = field(default_factory=dict)

    @property
    def outcome(self) -> Outcome:
        return self.seen.outcome


def fails(outcome: Outcome) -> bool:
    """Whether anything is wrong with a call, or with how its output came about."""
    return verdict_of(outcome) is not None or bool(outcome.findings) or bool(on_host(outcome))


def look(checker: Checker, starts: Starts, case: Case, *, endless: bool = False) -> Shown:
    """Makes the call in a process of its own, and once more while its first wrong element is watched."""
    steps = ENDLESS_STEPS if endless else 0
    with starts() as runner:
        for number in range(1, CALLS + 1):
            before = _printed(runner)
            seen = checker.watch(runner, case, max_steps=steps)
            shown = Shown(seen, number, fails(seen.outcome), _lines(runner, before))
            if shown.fails:
                break
    if shown.outcome.death is not None:
        return shown
    return _watched(checker, starts, case, shown, steps)


def _watched(checker: Checker, starts: Starts, case: Case, shown: Shown, steps: int) -> Shown:
    """The same call again, as the same of a process's calls; it tells where kernels were launched, too."""
    wrong = shown.outcome.wrong
    errors = errors_of(shown.outcome, wrong) if wrong is not None else None
    asked = wanted(wrong, errors, 1) if wrong is not None and errors is not None else None
    first = shown.seen.shape.outputs[0].name if shown.seen.shape.outputs else "none"
    with starts() as runner:
        for _ in range(shown.number - 1):
            checker.run(runner, case, max_steps=steps)
        before = _printed(runner)
        rule = asked.rule if asked else f"watch writes {first} 0+1"
        again = checker.watch(runner, case, max_steps=steps, what_if=rule)
        printed = _lines(runner, before)
    if fails(again.outcome) is not shown.fails or again.outcome.death is not None:
        return shown  # it fails by chance: what the second call did is another story
    report = again.outcome.reply.report if again.outcome.reply else None
    if again.outcome.wrong is None or again.outcome.wrong.only_modified:
        return Shown(again, shown.number, shown.fails, printed)
    errors = errors_of(again.outcome, again.outcome.wrong)
    found = asked.of(report.watched) if asked and report else {}
    elements = errors.elements
    whole = {i: one for i, one in found.items() if elements.wrong[i] and is_whole(elements, i, one)}
    return Shown(again, shown.number, shown.fails, printed, errors, whole)


def _printed(runner: Runner) -> int:
    """Bytes so far."""
    runner.printed()
    return len(runner.output)


def _lines(runner: Runner, before: int) -> list[str]:
    """What the program has printed since then."""
    runner.printed()
    text = bytes(runner.output[before:]).decode("utf-8", "replace")
    return [line for line in text.splitlines() if not line.startswith(OF_DEVICE)]
