"""One call from end to end: input made, output poisoned, called, a copy of the output judged."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

import msgspec

from autograder.judge.oracles import Oracles
from autograder.judge.outcome import Outcome, Wrong
from autograder.plan.cases import Case
from autograder.plan.manifest import HOST_BYTES
from autograder.plan.tables import Array, Shape
from autograder.run.death import Death
from autograder.run.memory import layout, poisoned, same_bits
from autograder.run.process import Runner
from autograder.run.protocol import ArrayPlace, Call, Reply


class Checker:
    """Runs and judges the calls of one task of one lab."""

    def __init__(
        self,
        oracles: Oracles,
        lab: int,
        clock: Callable[[], float],
        device: AbstractContextManager[object],
        device_limit: int = 0,
        host_bytes: Callable[[str], int] = lambda task: HOST_BYTES,
        any_order: Callable[[str], bool] = lambda task: False,
    ) -> None:
        """`device` is held during each call; `device_limit`: bytes of device memory, 0: what there is.

        `host_bytes`: how many a call of a task may copy to the host.
        `any_order`: whether a task has to be right in whatever order its blocks start.
        """
        self._oracles = oracles
        self._lab = lab
        self._clock = clock
        self.device = device
        self._device_limit = device_limit
        self._host_bytes = host_bytes
        self._any_order = any_order

    def shape(self, case: Case) -> Shape:
        return self._oracles.shape(self._lab, case.task, case.variant, case.n, case.seed)

    def inputs(self, case: Case) -> tuple[Shape, list[Array]]:
        shape = self.shape(case)
        return shape, self._oracles.generate(self._lab, case.task, case.variant, case.n, case.seed, shape)

    def room(self, cases: Sequence[Case]) -> int:
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
            device_limit=self._device_limit,
        )
        death = runner.start()
        with self.device:
            start = self._clock()
            answer = death or runner.call(call)
            elapsed = self._clock() - start
        outcome = Outcome(
            case,
            elapsed=elapsed,
            bytes=shape.bytes,
            input=shape.text,
            input_bytes=sum(spec.bytes for spec in shape.inputs),
            host_bytes=self._host_bytes(case.task),
            on_host=any(spec.on_host for spec in [*shape.inputs, *shape.outputs]),
            empty=all(spec.count == 0 for spec in shape.outputs),
        )
        if isinstance(answer, Death):
            return replace(outcome, death=answer)
        if self._any_order(case.task):
            answer = _without_note(answer, ("block_order", "co_residency"))
        outcome = replace(outcome, reply=answer)
        if answer.status == "skip":
            return outcome
        return self._checked(outcome, runner, shape, inputs, places, poison, as_right_as)

    def _checked(
        self,
        outcome: Outcome,
        runner: Runner,
        shape: Shape,
        inputs: list[Array],
        places: Sequence[ArrayPlace],
        poison: int,
        as_right_as: Outcome | None,
    ) -> Outcome:
        """The outcome with what the oracle says of the outputs, and whether an input was changed."""
        case = outcome.case
        outputs = [runner.shared.take(place) for place in places if place.role == "out"]
        back = [runner.shared.take(place, back=True) for place in places if place.role == "in"]
        if as_right_as is not None and as_right_as.ok and as_right_as.bits == _digest(outputs):
            return replace(outcome, bits=as_right_as.bits)
        checked = self._oracles.check(self._lab, case.task, case.variant, case.n, case.seed, inputs, outputs, poison)
        # What lies past a result of variable size is poison, which is another one in every call.
        bits = _digest([output[:count] for output, count in zip(outputs, checked.counts, strict=True)])
        changed = [spec.name for spec, a, b in zip(shape.inputs, inputs, back, strict=True) if not same_bits(a, b)]
        assert outcome.reply is not None
        if outcome.reply.status != "ok" or all(poisoned(array, poison).all() for array in back):
            changed = []  # nothing was sent back, so nothing is known
        if checked.ok and not changed:
            return replace(outcome, bits=bits)
        wrong = Wrong(shape, inputs, outputs, checked, poison, changed[0] if changed else "")
        return replace(outcome, bits=bits, wrong=wrong)


def _without_note(reply: Reply, kinds: Sequence[str]) -> Reply:
    """The reply with findings of these kinds as defects, not notes."""
    if reply.report is None:
        return reply
    findings = [
        msgspec.structs.replace(one, is_note=one.is_note and one.kind not in kinds) for one in reply.report.findings
    ]
    return msgspec.structs.replace(reply, report=msgspec.structs.replace(reply.report, findings=findings))


def _digest(outputs: Sequence[Array]) -> bytes:
    return b"".join(hashlib.blake2b(output.data).digest() for output in outputs)
