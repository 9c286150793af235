"""Has files graded by an executor, as many at a time as it takes, and stores each result at once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.classes.executor import MOST_RESULT, SOURCE, Code, Ended, Executor, Task
from autograder.classes.items import shown
from autograder.classes.store import Grading, Store
from autograder.errors import GraderError
from autograder.plan.cases import derive

FAULTS_IN_A_ROW = 5  # then the machine is at fault, and the other files would fail as well
LOST_AT_MOST = 3  # machines lost with one file; after that, the file itself may be the cause
_WAIT = 5.0


@dataclass(frozen=True)
class Plan:
    """How each file is graded. `command` gets the file as its last word."""

    command: Callable[[Path], Sequence[str]]
    file: str  # scan.cu
    seconds: float  # for one submission in all
    variables: Mapping[str, str]
    grader: str  # versions, to be stored with each result
    lab: str
    seed: int  # the class's, a secret


def grade_all(
    store: Store, digests: Iterable[str], plan: Plan, executor: Executor, tell: Callable[[Grading], None]
) -> None:
    """Grades each of `digests`. Stopped by an exception, it keeps what is finished; the caller closes the executor.

    Raises GraderError if one file after the other meets a fault of the grader or the machine.
    """
    waiting, again = iter(digests), list[str]()
    running, faults, lost = 0, 0, Counter[str]()
    while True:
        while running < executor.slots and (digest := again.pop() if again else next(waiting, "")):
            executor.start(_task(store, digest, plan))
            running += 1
        if not running:
            return
        for ended in executor.wait(_WAIT):
            running -= 1
            lost[ended.digest] += ended.code == "lost"
            if ended.code == "lost" and lost[ended.digest] < LOST_AT_MOST:
                again.append(ended.digest)  # not its fault: it can be graded elsewhere
                continue
            lost.pop(ended.digest, None)
            grading = store.add(_grading(ended, plan))
            tell(grading)
            faults = faults + 1 if grading.outcome == "fault" else 0
            if faults >= FAULTS_IN_A_ROW:
                many = f"{faults} submissions in a row could not be graded, the last because: {grading.message}"
                raise GraderError(f"{many}\nwhen that is repaired, run the same command again")


def _task(store: Store, digest: str, plan: Plan) -> Task:
    data = store.source(digest, plan.file).read_bytes()
    variables = {**plan.variables, "CUDA_LABS_SEED": f"{derive(plan.seed, digest):x}"}
    return Task(digest, plan.file, data, tuple(plan.command(Path(SOURCE))), variables, plan.seconds)


def _grading(ended: Ended, plan: Plan) -> Grading:
    outcome, points, maximum, message = _read(ended.output, ended.errors, ended.code, plan)
    return Grading(
        ended.digest,
        outcome,
        points,
        maximum,
        result=ended.output if points is not None else b"",
        message=f"{message} (on {shown(ended.place)})" if outcome == "fault" and ended.place else message,
        seconds=ended.seconds,
        memory_mb=round(ended.memory / (1 << 20), 1),
        time_limit=plan.seconds,
        grader=plan.grader,
        lab=plan.lab,
    )


def _read(output: bytes, errors: str, code: Code, plan: Plan) -> tuple[str, float | None, float | None, str]:
    """Outcome, points, maximum and message. Whatever is not a whole result is a fault."""
    if code == "time":
        return "time", None, None, f"grading took longer than {plan.seconds:g} s in all (--limit)"
    if code == "lost":
        return "fault", None, None, f"{LOST_AT_MOST} machines were lost while they graded it, the last: {errors}"
    said = shown(errors.strip().rpartition("\n")[2], 300)
    if len(output) > MOST_RESULT:
        return "fault", None, None, "the grader wrote too long a result"
    try:
        result = json.loads(output)
        points, maximum = float(result["points"]), float(result["of"])
        verdicts = [(task["verdict"], task["reason"]) for task in result["tasks"]]
    except (ValueError, KeyError, TypeError):
        how = f"was ended by signal {-code}" if code < 0 else f"ended with status {code}"
        return "fault", None, None, said if said != "(no name)" else f"the grader {how} without a result"
    for verdict, reason in verdicts:
        if verdict == "IE":
            return "fault", points, maximum, f"IE: {shown(reason, 300)}"
    return "graded", points, maximum, ""
