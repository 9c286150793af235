"""Has files graded by an executor, as many at a time as it takes, and stores each result at once.

After several faults in a row, the reference solution is graded. If that fails as well, the machine is at fault, and the
class stops. Otherwise the files are: it goes on, and they are listed at the end for a person.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.errors import GraderError
from autograder.plan.cases import derive
from classes.executor import MOST_RESULT, SOURCE, Code, Ended, Executor, Task
from classes.store import Grading, Store
from classes.submitted_files import shown

FAULTS_IN_A_ROW = 5  # then the machine may be at fault, and the other files would fail as well
REFERENCE = "reference"  # in place of a file's digest
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
    reference: Sequence[str] = ()  # the command that grades the reference solution in the same way


def grade_all(
    store: Store, digests: Iterable[str], plan: Plan, executor: Executor, tell: Callable[[Grading], None],
    say: Callable[[str], None],
) -> None:  # fmt: skip
    """Grades each of `digests`. Stopped by an exception, it keeps what is finished; the caller closes the executor.

    `tell` gets each result, `say` what people should read. Raises GraderError if one file after the other meets a fault
    of the grader or the machine, and so does the reference solution.
    """
    waiting, again = iter(digests), list[str]()
    running, faults, lost = 0, 0, Counter[str]()
    asking = ""  # the fault after which the reference is asked; no file starts meanwhile
    while True:
        while running < executor.slots and (digest := _next(waiting, again, asking)):
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
            if ended.digest == REFERENCE:
                reference = _grading(ended, plan)
                if reference.outcome != "graded":
                    raise _stopped(faults, asking, reference.message)
                say("  the reference solution can be graded: it is these files, so the class goes on")
                faults, asking = 0, ""
                continue
            grading = store.add(_grading(ended, plan))
            tell(grading)
            faults = faults + 1 if grading.outcome == "fault" else 0
            if faults >= FAULTS_IN_A_ROW and not asking:
                if not plan.reference:
                    raise _stopped(faults, grading.message)
                say(f"  {faults} files in a row could not be graded: is it the machine? Grading the reference solution")
                asking = grading.message
                again.append(REFERENCE)


def _next(waiting: Iterator[str], again: list[str], asking: str) -> str:
    """What is graded next; "" for nothing. While the reference is asked, that is the reference alone."""
    if asking:
        return again.pop(again.index(REFERENCE)) if REFERENCE in again else ""
    return again.pop() if again else next(waiting, "")


def _stopped(faults: int, last: str, reference: str = "") -> GraderError:
    many = f"{faults} submissions in a row could not be graded, the last because: {last}"
    more = f"\nnor can the reference solution: {reference}" if reference else ""
    return GraderError(f"{many}{more}\nwhen that is repaired, run the same command again")


def _task(store: Store, digest: str, plan: Plan) -> Task:
    is_file = digest != REFERENCE
    data = store.source(digest, plan.file).read_bytes() if is_file else b""
    words = tuple(plan.command(Path(SOURCE)) if is_file else plan.reference)
    variables = {**plan.variables, "CUDA_LABS_SEED": f"{derive(plan.seed, digest):x}"}
    return Task(digest, plan.file, data, words, variables, plan.seconds)


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
