"""One call from end to end: input made, output poisoned, called, a copy of the output judged."""

from __future__ import annotations

import copy
import hashlib
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import TypedDict, TypeVar, Unpack

from autograder.judge.batch import Afterwards, Made, Prepared, Seen, outlasting, to_agree, without_note
from autograder.judge.oracles import Checked, Oracles
from autograder.judge.outcome import Outcome, Wrong
from autograder.plan.cases import Case
from autograder.plan.manifest import HOST_BYTES, Manifest, described
from autograder.plan.tables import Array, Shape
from autograder.run.death import Death
from autograder.run.memory import PIECE, Bytes, fill, first_difference, layout, same_bits
from autograder.run.process import Runner
from autograder.run.protocol import Call, FurtherCall

One = TypeVar("One")
T = TypeVar("T")
CORES_FOR_TIMES = 8  # for each core on which an oracle works while calls are timed
KEPT_SHAPES = 1024  # a large matrix's shape takes a tenth of a second and is asked for several times


class How(TypedDict, total=False):
    """What a call may be told besides its case."""

    checks: bool
    counters: bool
    timed: bool
    nothing: bool  # prepare the calls, but do not make them
    trace: str  # a line whose addresses are wanted
    what_if: str  # rules under which the device runs it: virtual_gpu/README.md, "What-if rules"
    change: int  # of a program with changes, the one that is on
    max_steps: int


class Checker:
    """Runs and judges the calls of one task of one lab."""

    def __init__(self, oracles: Oracles, lab: int, manifest: Manifest | None = None) -> None:
        """`manifest`: what its tasks may do, and the limit of device memory; without it, all that there is."""
        self._oracles = oracles
        self._pool = ThreadPoolExecutor(os.cpu_count(), "arrays")
        self._judges = ThreadPoolExecutor(max(1, (os.cpu_count() or 1) // CORES_FOR_TIMES), "judges")
        self._lab = lab
        self._manifest = manifest
        self._given: Sequence[Array] | None = None
        self._shape = lru_cache(KEPT_SHAPES)(lambda *call: described(oracles.shape(lab, *call), manifest, call[0]))

    def with_inputs(self, inputs: Sequence[Array]) -> Checker:
        """A checker that calls with these inputs in place of generated ones."""
        other = copy.copy(self)
        other._given = inputs
        return other

    def shape(self, case: Case) -> Shape:
        return self._shape(case.task, case.variant, case.n, case.seed)

    def prepare(self, cases: Sequence[Case]) -> list[Prepared]:
        """Generates the inputs of calls that are made in one batch, and lays out their arrays."""
        return self.prepare_batches([cases])[0]

    def prepare_batches(self, batches: Sequence[Sequence[Case]]) -> list[list[Prepared]]:
        """The same for several batches, with all inputs generated side by side."""
        inputs = iter(self._each(self._inputs, [case for cases in batches for case in cases]))
        return [[replace(one, inputs=next(inputs)) for one in self.place(cases)] for cases in batches]

    def place(self, cases: Sequence[Case]) -> list[Prepared]:
        """Lays out the arrays only, for calls that are not made."""
        ready: list[Prepared] = []
        end = 0
        for case in cases:
            shape = self.shape(case)
            places, end = layout(shape, end)
            ready.append(Prepared(case, shape, [], places))
        return ready

    def _inputs(self, case: Case) -> list[Array]:
        if self._given is not None:
            return [array.copy() for array in self._given]
        shape = self.shape(case)
        return self._oracles.generate(self._lab, case.task, case.variant, case.n, case.seed, shape)

    def room(self, cases: Sequence[Case]) -> int:
        """Bytes of shared memory that any of these cases takes; a smaller n may have larger arrays."""
        return max(layout(self.shape(case))[1] for case in cases)

    def input_bytes(self, case: Case) -> int:
        return sum(spec.bytes for spec in self.shape(case).inputs)

    def takes(self, case: Case) -> bool:
        """Whether the task may be called with so many elements: a case that was not planned may have too many."""
        return case.n <= self._oracles.max_n(self._lab, case.task)

    def fits(self, runner: Runner, case: Case) -> bool:
        """Whether the task takes a case that was not planned, and there is room for it."""
        return self.takes(case) and self.room([case]) <= runner.shared.size

    def run(self, runner: Runner, case: Case, **how: Unpack[How]) -> Outcome:
        """Makes one call and judges it. Races and the like are looked for, unless `how` says no."""
        return self.batch(runner, self.prepare([case]), **(How(checks=True) | how))

    def batch(
        self, runner: Runner, prepared: Sequence[Prepared], *, as_right_as: Outcome | None = None, **how: Unpack[How]
    ) -> Outcome:
        """Makes calls of one task at once. Returns the outcome of the first that failed, or of all together.

        `as_right_as`: the outcome of the same calls by another runner, already judged; equal outputs are not judged
        again.
        """
        outcome, poison = self._call(runner, prepared, **how)
        if not _to_judge(outcome) or how.get("nothing"):
            return outcome
        if as_right_as is not None and as_right_as.ok:
            bits = b"".join(self._each(lambda one: _digest(_outputs(runner, one)), prepared))
            if as_right_as.bits == bits:
                return replace(outcome, bits=bits)
        return self.judge(self._collect(outcome, runner, prepared, poison))

    def watch(self, runner: Runner, case: Case, **how: Unpack[How]) -> Seen:
        """Makes one call, judges it, and keeps its arrays, to be shown."""
        prepared = self.prepare([case])
        outcome, poison = self._call(runner, prepared, **(How(checks=True) | how))
        if not _to_judge(outcome):
            return Seen(outcome, prepared[0].shape, prepared[0].inputs)
        made = self._collect(outcome, runner, prepared, poison)
        return Seen(
            self.judge(made),
            prepared[0].shape,
            prepared[0].inputs,
            [output.copy() for output in made.arrays[0].outputs],
        )

    def make(
        self, runner: Runner, prepared: Sequence[Prepared], like: Made | None = None, *, timed: bool = True
    ) -> Made:
        """Makes calls, to be judged later. `like`: the same calls by another runner, whose outputs may be the same."""
        outcome, poison = self._call(runner, prepared, timed=timed, poison=like.poison if like else None)
        if not _to_judge(outcome):
            return Made(outcome, prepared, poison)
        return self._collect(outcome, runner, prepared, poison)

    def _collect(self, outcome: Outcome, runner: Runner, prepared: Sequence[Prepared], poison: int) -> Made:
        def arrays(one: Prepared) -> Afterwards:
            back = [runner.shared.view(place, back=True) for place in one.places if place.role == "in"]
            return Afterwards(_outputs(runner, one), back)

        return Made(outcome, prepared, poison, self._each(arrays, prepared))

    def expected(self, case: Case, inputs: Sequence[Array], wrong: Wrong) -> Sequence[Array]:
        """What the outputs of this wrong call must be if these are its inputs."""
        checked = self._checked(case, inputs, wrong.outputs, wrong.poison)
        return wrong.outputs if checked.ok else checked.expected

    def judge(self, made: Made) -> Outcome:
        """Asks the oracle. Returns the outcome of the first call that failed, or of all together."""
        if not made.arrays:
            return made.outcome
        calls = list(zip(made.prepared, made.arrays, strict=True))
        judged = self._each(lambda one: self._ask_oracle(made.outcome, *one, made.poison), calls)
        bits = b"".join(one.bits for one in judged)
        return next((one for one in judged if not one.ok), replace(made.outcome, bits=bits))

    def judge_beside(self, made: Made, right: Made) -> Outcome:
        """Compares with `right`, the same calls by a program that is known to be right.

        Equal outputs need no oracle, which takes seconds where a sort has 2^24 keys. Where they differ, it decides:
        a task may have several right outputs.
        """
        return made.outcome if self.are_alike(made, right) else self.judge(made)

    def are_alike(self, made: Made, right: Made) -> bool:
        """Whether both ended with the same outputs, and `made` has left its inputs as they were."""
        if not made.arrays or not right.arrays or not made.outcome.ok or not right.outcome.ok:
            return False
        calls = zip(made.prepared, made.arrays, right.arrays, strict=True)
        pieces = list(chain.from_iterable(to_agree(*call) for call in calls))
        return all(self._each_piece(lambda piece: same_bits(*piece), pieces))

    def judge_later(self, made: Made) -> Future[Outcome]:
        """Judges in the background, on copies of the arrays."""
        kept = [outlasting(*call) for call in zip(made.prepared, made.arrays, strict=True)]
        return self._judges.submit(self.judge, replace(made, arrays=kept))

    def _call(
        self, runner: Runner, prepared: Sequence[Prepared], *, poison: int | None = None, **how: Unpack[How]
    ) -> tuple[Outcome, int]:
        """Makes the calls. Returns what the device answers, and the byte that filled the outputs before."""
        case, shape = prepared[0].case, prepared[0].shape
        timed, nothing = how.get("timed", False), how.get("nothing", False)
        entry = self._manifest.entry(case.task) if self._manifest else None
        if poison is None:
            poison = 0x81 + os.urandom(1)[0] % 0x7D
        if not nothing:
            # A timed call that fails is told by its death or its status, not by its outputs.
            pieces = (runner.shared.pieces(one.places, one.inputs, poison, whole=not timed) for one in prepared)
            self._each_piece(fill, list(chain.from_iterable(pieces)))
        call = Call(
            id=os.urandom(8).hex(),
            task=case.task,
            variant=case.variant,
            n=case.n,
            arrays=list(prepared[0].places),
            scalars=shape.scalars,
            further=[_further(one) for one in prepared[1:]],
            nothing=nothing,
            schedule=0 if timed else case.schedule,  # one schedule for all times, so that waiting costs the same
            poison=poison,
            checks=how.get("checks", False),
            counters=how.get("counters", False) or timed,
            timed=timed,
            trace=how.get("trace", ""),
            what_if=how.get("what_if", ""),
            change=how.get("change", 0),
            max_steps=how.get("max_steps", 0),
            device_limit=int(self._manifest.limits.device_mb * 2**20) if self._manifest else 0,
        )
        death = runner.start()
        answer = death or runner.call(call)
        outcome = Outcome(
            case,
            with_checks=call.checks,
            bytes=shape.bytes,
            input=shape.text,
            input_bytes=sum(spec.bytes for spec in shape.inputs),
            output_bytes=sum(spec.bytes for spec in shape.outputs),
            host_bytes=entry.host_bytes if entry else HOST_BYTES,
            on_host=any(spec.on_host for spec in [*shape.inputs, *shape.outputs]),
            empty=all(spec.count == 0 for spec in shape.outputs),
        )
        if "zero outputs" in call.what_if:
            poison = 0
        if isinstance(answer, Death):
            return replace(outcome, death=answer), poison
        if entry and entry.any_order:
            answer = without_note(answer, ("block_order", "co_residency"))
        return replace(outcome, reply=answer, seconds=answer.seconds), poison

    def _each(self, work: Callable[[One], T], calls: Sequence[One]) -> list[T]:
        """The work on each call of a batch, side by side."""
        return [work(calls[0])] if len(calls) == 1 else list(self._pool.map(work, calls))

    def _each_piece(self, work: Callable[[tuple[Bytes, One]], T], pieces: Sequence[tuple[Bytes, One]]) -> list[T]:
        """The work on each piece of arrays, side by side if there are many bytes."""
        if sum(there.nbytes for there, _ in pieces) <= PIECE:
            return [work(piece) for piece in pieces]
        return list(self._pool.map(work, pieces))

    def _checked(self, case: Case, inputs: Sequence[Array], outputs: Sequence[Array], poison: int) -> Checked:
        return self._oracles.check(self._lab, case.task, case.variant, case.n, case.seed, inputs, outputs, poison)

    def _ask_oracle(self, outcome: Outcome, prepared: Prepared, afterwards: Afterwards, poison: int) -> Outcome:
        """The outcome with what the oracle says of the outputs, and whether an input was changed."""
        case, shape, inputs = prepared.case, prepared.shape, prepared.inputs
        outputs, back = afterwards
        checked = self._checked(case, inputs, outputs, poison)
        # Past a result of variable size there is poison, which differs from call to call.
        bits = _digest([output[:count] for output, count in zip(outputs, checked.counts, strict=True)])
        arrays = zip(shape.inputs, inputs, back, strict=True)
        changed = [(spec.name, first_difference(a, b)) for spec, a, b in arrays if not same_bits(a, b)]
        assert outcome.reply is not None
        if outcome.reply.status != "ok":
            changed = []  # possibly nothing was sent back
        if checked.ok and not changed:
            return replace(outcome, case=case, bits=bits)
        kept = [output.copy() for output in outputs]  # the next call writes there
        wrong = Wrong(shape, inputs, kept, checked, poison, *(changed[0] if changed else ()))
        return replace(outcome, case=case, bits=bits, wrong=wrong)


def _to_judge(outcome: Outcome) -> bool:
    """Whether the call was answered, so that there are outputs."""
    return outcome.death is None and not outcome.skipped


def _outputs(runner: Runner, prepared: Prepared) -> list[Array]:
    return [runner.shared.view(place) for place in prepared.places if place.role == "out"]


def _further(one: Prepared) -> FurtherCall:
    task, variant, n = one.case.task, one.case.variant, one.case.n
    return FurtherCall(task=task, variant=variant, n=n, arrays=list(one.places), scalars=one.shape.scalars)


def _digest(outputs: Sequence[Array]) -> bytes:
    return b"".join(hashlib.blake2b(output.data).digest() for output in outputs)
