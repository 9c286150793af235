"""One call, judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from autograder.judge.oracles import Checked
from autograder.plan.cases import Case
from autograder.plan.manifest import HOST_BYTES
from autograder.plan.tables import Array, Shape
from autograder.run.death import Death
from autograder.run.protocol import Finding, KernelReport, Reply
from autograder.verdict import Verdict

REFUSED = ("cuda_error", "exception", "bad_request")  # statuses of a reply to a call that did not complete


@dataclass(frozen=True, repr=False)  # its arrays would fill a screen
class Wrong:
    """What is wrong with the output of a call: the arrays, by which the mistake is explained."""

    shape: Shape
    inputs: Sequence[Array]
    outputs: Sequence[Array]
    checked: Checked
    poison: int  # the byte that filled the outputs before the call
    modified: str = ""  # the input that was changed
    modified_at: int = 0  # its first element that was

    @property
    def first(self) -> int:
        """The number of the first output that is wrong."""
        return next((at for at, mask in enumerate(self.checked.wrong) if mask.any()), 0)

    @property
    def only_modified(self) -> bool:
        """Whether the outputs are right."""
        return bool(self.modified) and not any(mask.any() for mask in self.checked.wrong)


@dataclass(frozen=True)
class Outcome:
    """One call, judged."""

    case: Case
    reply: Reply | None = None
    death: Death | None = None
    wrong: Wrong | None = None
    with_checks: bool = False  # races and the like were looked for
    unfinished: bool = False  # todo() was reached, though the task is begun: other calls were answered
    bits: bytes = b""  # digest of the outputs
    seconds: float = 0.0  # device time that the device process reports, for all calls of a batch
    bytes: float = 0.0
    input_bytes: int = 0
    output_bytes: int = 0
    host_bytes: int = HOST_BYTES  # that it may copy to the host
    input: str = ""  # what the call was made with, in words: "5 x 7 pixels, ..."
    on_host: bool = False  # the task takes host arrays: copies are part of it
    empty: bool = False  # no output has an element, so there is nothing to do

    @property
    def ok(self) -> bool:
        return self.death is None and not self.is_wrong and self.reply is not None and self.reply.status == "ok"

    @property
    def is_wrong(self) -> bool:
        """The call was answered, but not with the right output."""
        return self.wrong is not None or self.unfinished

    @property
    def ended_device(self) -> bool:
        """The device process died in the call, or was no longer to be understood."""
        return self.death is not None and self.death.of_device

    @property
    def skipped(self) -> bool:
        return self.reply is not None and self.reply.status == "skip"

    @property
    def findings(self) -> list[Finding]:
        """Defects, not notes."""
        report = self.reply.report if self.reply else None
        return [finding for finding in report.findings if not finding.is_note] if report else []

    @property
    def host_seconds(self) -> float:
        """CPU time of host code that is in the modelled time: the one part of it that a busy machine changes."""
        return self.reply.report.host_seconds if self.reply and self.reply.report else 0.0

    @property
    def kernels(self) -> list[KernelReport]:
        return self.reply.report.kernels if self.reply and self.reply.report else []


def are_pairs(n: int, inputs: Sequence[Array], output: Array) -> bool:
    """Whether an element is two numbers: n elements go in and come out, and both are 2 n numbers of one type."""
    given = sum(array.size for array in inputs if array.dtype == output.dtype)
    return 0 < 2 * n == output.size == given


def verdict_of(outcome: Outcome) -> Verdict | None:
    """The verdict that this call alone deserves; None: nothing is wrong but, perhaps, what the virtual GPU found."""
    if outcome.death:
        verdicts: dict[str, Verdict] = {"crash": "RTE", "timeout": "TLE", "memory": "MLE"}
        return verdicts[outcome.death.kind]
    assert outcome.reply is not None
    kinds = {finding.kind for finding in outcome.findings}
    if "invalid_ptx" in kinds:
        return "CE"  # with a GPU, it does not become a program
    if "internal_error" in kinds:
        return "RTE"
    if "deadlock" in kinds or "endless" in kinds:
        return "TLE"  # found instead of a hang
    if outcome.reply.status in REFUSED:
        if outcome.findings and not outcome.is_wrong and outcome.reply.status == "cuda_error":
            return None  # right output, and the check says what was done wrong: CHECK
        return "RTE"
    return "WA" if outcome.is_wrong else None


def failing(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The outcomes that failed, the smallest first; without elements there is little to see, so these come last."""
    return sorted((one for one in outcomes if verdict_of(one)), key=lambda one: (one.case.n == 0, one.case.n))
