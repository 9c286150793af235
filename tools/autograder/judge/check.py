"""One call from end to end: input made, output poisoned, called, a copy of the output judged."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

import numpy as np

from autograder.explain.evidence import Errors, Pattern, operator_of, pairs_of
from autograder.explain.matrix_patterns import row_lengths
from autograder.explain.patterns import candidates
from autograder.judge.oracles import Array, Checked, Oracles, Shape
from autograder.plan.cases import Case
from autograder.run.death import Death
from autograder.run.memory import layout, poisoned, same_bits
from autograder.run.process import Runner
from autograder.run.protocol import Call, Finding, KernelReport, Reply


@dataclass
class Example:
    """One wrong element."""

    index: int
    expected: str
    got: str
    owner: str


@dataclass
class Wrong:
    """What is wrong with one call's output."""

    output: str
    count: int
    of: int
    examples: list[Example]
    patterns: list[Pattern]
    modified: str = ""  # the input that was changed
    worst_error: float | None = None
    tolerance: float | None = None


@dataclass
class Outcome:
    """One call, judged."""

    case: Case
    reply: Reply | None = None
    death: Death | None = None
    wrong: Wrong | None = None
    bits: bytes = b""  # digest of the outputs
    elapsed: float = 0.0  # seconds by the grader's clock, the call alone
    bytes: float = 0.0
    input_bytes: int = 0
    input: str = ""  # what the call was made with, in words: "5 x 7 pixels, ..."
    on_host: bool = False  # the task takes host arrays: copies are part of it
    empty: bool = False  # no output has an element, so that nothing is to be done

    @property
    def ok(self) -> bool:
        return self.death is None and self.wrong is None and self.reply is not None and self.reply.status == "ok"

    @property
    def skipped(self) -> bool:
        return self.reply is not None and self.reply.status == "skip"

    @property
    def findings(self) -> list[Finding]:
        """Defects, not notes."""
        report = self.reply.report if self.reply else None
        return [finding for finding in report.findings if not finding.is_note] if report else []

    @property
    def kernels(self) -> list[KernelReport]:
        return self.reply.report.kernels if self.reply and self.reply.report else []


class Judge:
    """Runs and judges the calls of one task of one lab."""

    def __init__(
        self, oracles: Oracles, lab: int, clock: Callable[[], float], device: AbstractContextManager[object]
    ) -> None:
        self._oracles = oracles
        self._lab = lab
        self._clock = clock
        self.device = device  # held during each call
        self.device_limit = 0

    def shape(self, case: Case) -> Shape:
        return self._oracles.shape(self._lab, case.task, case.variant, case.n, case.seed)

    def inputs(self, case: Case) -> tuple[Shape, list[Array]]:
        shape = self.shape(case)
        return shape, self._oracles.generate(self._lab, case.task, case.variant, case.n, case.seed, shape)

    def room(self, cases: list[Case]) -> int:
        """Bytes of shared memory that any of these cases takes; a smaller n may have larger arrays."""
        return max(layout(self.shape(case))[1] for case in cases)

    def fits(self, runner: Runner, case: Case) -> bool:
        """Whether there is room for a case that was not planned."""
        return self.room([case]) <= runner.shared.size

    def run(
        self,
        runner: Runner,
        case: Case,
        *,
        checks: bool = True,
        counters: bool = False,
        timed: bool = False,
        prepared: tuple[Shape, list[Array]] | None = None,
        as_right_as: Outcome | None = None,
    ) -> Outcome:
        """One call. `prepared`: the inputs, where two runners are to get the same.

        `as_right_as`: the outcome of the other, already judged; the same bits need no second look.
        """
        shape, inputs = prepared or self.inputs(case)
        places, _ = layout(shape)
        poison = 0x81 + os.urandom(1)[0] % 0x7D
        runner.shared.put(places, inputs, poison)
        call = Call(
            id=os.urandom(8).hex(),
            task=case.task,
            variant=case.variant,
            n=case.n,
            arrays=places,
            scalars=shape.scalars,
            schedule=0 if timed else case.schedule,  # one order for all times: waiting costs what it costs
            poison=poison,
            checks=checks,
            counters=counters or timed,
            timed=timed,
            device_limit=self.device_limit,
        )
        death = runner.start()
        with self.device:
            start = self._clock()
            answer = death or runner.call(call)
            elapsed = self._clock() - start
        outcome = Outcome(case, elapsed=elapsed, bytes=shape.bytes, input=shape.text)
        outcome.input_bytes = sum(spec.bytes for spec in shape.inputs)
        outcome.on_host = any(spec.on_host for spec in [*shape.inputs, *shape.outputs])
        outcome.empty = all(spec.count == 0 for spec in shape.outputs)
        if isinstance(answer, Death):
            outcome.death = answer
            return outcome
        outcome.reply = answer
        if answer.status == "skip":
            return outcome
        outputs = [runner.shared.take(place) for place in places if place.role == "out"]
        back = [runner.shared.take(place, back=True) for place in places if place.role == "in"]
        instance = (self._lab, case.task, case.variant, case.n, case.seed)
        outcome.bits = _digest(outputs)
        if as_right_as is not None and as_right_as.ok and as_right_as.bits == outcome.bits:
            return outcome
        checked = self._oracles.check(*instance, inputs, outputs, poison)
        # What lies past a result of variable size is poison, which is another one in every call.
        outcome.bits = _digest([output[:count] for output, count in zip(outputs, checked.counts, strict=True)])
        changed = [spec.name for spec, a, b in zip(shape.inputs, inputs, back, strict=True) if not same_bits(a, b)]
        if answer.status != "ok" or all(poisoned(array, poison).all() for array in back):
            changed = []  # nothing was sent back, so nothing is known
        if not checked.ok or changed:
            outcome.wrong = _describe(case, shape, inputs, outputs, outcome.kernels, checked, poison, changed)
        return outcome


def _digest(outputs: list[Array]) -> bytes:
    return b"".join(hashlib.blake2b(output.data).digest() for output in outputs)


def _describe(
    case: Case,
    shape: Shape,
    inputs: list[Array],
    outputs: list[Array],
    kernels: list[KernelReport],
    checked: Checked,
    poison: int,
    changed: list[str],
) -> Wrong:
    at = next((i for i, mask in enumerate(checked.wrong) if mask.any()), 0)
    count = checked.counts[at]
    got, expected, mask = outputs[at], checked.expected[at], checked.wrong[at]
    past_the_result = not mask[:count].any() and bool(mask.any())
    if not past_the_result:
        got, expected, mask = got[:count], expected[:count], mask[:count]
    still = poisoned(got, poison)
    pairs = not past_the_result and pairs_of(case.n, inputs, got)
    block = block_of(kernels, got.size // 2 if pairs else got.size)
    first_input = next((array for array in inputs if array.size in (case.n, got.size)), None)
    width = shape.scalars.get("width", 0) if got.size == case.n else 0
    rows = row_lengths(inputs[0], got.size) if shape.inputs and shape.inputs[0].name == "d_row_ptr" else None
    errors = Errors(
        case.n, mask, expected, got, still, block, first_input, operator_of(case.variant), width, rows, pairs
    )  # fmt: skip
    found = candidates(errors)
    if past_the_result:
        found = [Pattern("past_the_result", f"the result has {count:,} elements, and more were written")]
    if changed:
        found.insert(0, Pattern("input_modified", f"{changed[0]} is not what it was before the call"))
    elements = errors.by_element()
    size = elements.count
    examples = [
        Example(
            int(i),
            elements.text(elements.expected[i]) if i < count else "untouched",
            elements.text(elements.got[i]),
            owner(int(i), bool(elements.poisoned[i]), kernels, size),
        )
        for i in np.flatnonzero(elements.wrong)[:3]
    ]
    return Wrong(
        shape.outputs[at].name if shape.outputs else "",
        int(elements.wrong.sum()),
        size,
        examples,
        found,
        changed[0] if changed else "",
        checked.worst_error,
        checked.tolerance,
    )


def _last_wide(kernels: list[KernelReport], count: int) -> KernelReport | None:
    """The last kernel that has a thread for every element."""
    for kernel in reversed(kernels):
        if kernel.blocks * kernel.block_threads >= count:
            return kernel
    return None


def block_of(kernels: list[KernelReport], count: int) -> int:
    """Elements of the output that one block owns, as far as launches tell; 0: not known."""
    if any(kernel.by_kernel for kernel in kernels):
        return 0
    kernel = _last_wide(kernels, count)
    if kernel is None and kernels:
        kernel = max(kernels, key=lambda one: one.blocks * one.block_threads)
    return kernel.block_threads if kernel and kernel.is_line else 0


def owner(index: int, still_poison: bool, kernels: list[KernelReport], count: int) -> str:
    """Who should have written an element, if the launches tell."""
    if any(kernel.by_kernel for kernel in kernels):  # each of them has a part of its own
        return "nobody (still poisoned)" if still_poison else ""
    kernel = _last_wide(kernels, count) if count > 1 else None
    if kernel is None:
        launched = max((k.blocks * k.block_threads for k in kernels), default=0)
        if count > 1 and 0 < launched <= index and still_poison:
            return f"nobody (still poisoned); {launched:,} threads were launched"
    if kernel is None or not kernel.is_line:
        return "nobody (still poisoned)" if still_poison else ""
    block, thread = divmod(index, kernel.block_threads)
    place = f"block {block:,}, thread {thread:,}"
    return f"nobody (still poisoned); {place} would own it" if still_poison else place
