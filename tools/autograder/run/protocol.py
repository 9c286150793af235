"""Messages between grader and runner, one JSON object a line, and what is accepted of them.

Everything that a runner says is a claim by the student's process: it is checked for shape here,
and for truth elsewhere (judge/ looks at the outputs, timing/ at the times).
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from autograder.plain import clean

Text = Annotated[str, msgspec.Meta(max_length=20_000)]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e6)]
Index3 = tuple[int, int, int]

ZERO3: Index3 = (0, 0, 0)

# What a finding of the virtual GPU may be, as common/virtual_gpu/report.h names it; notes have kinds of their own.
FINDING_KINDS = (
    "out_of_bounds", "misaligned", "use_after_free", "uninitialized", "race", "divergent_barrier", "deadlock",
    "host_access", "invalid_access", "trap", "device_assert", "unsupported", "leak", "ignored_error",
    "deep_launch", "failed_call",
)  # fmt: skip


class ArrayPlace(msgspec.Struct, frozen=True, kw_only=True):
    """One array of a call: what it is, and where its bytes lie in the shared memory."""

    name: str
    dtype: str
    count: int
    shift: int
    on_host: bool
    role: Literal["in", "out"]
    at: int
    back: int = -1  # inputs: where the runner puts what it finds in them afterwards


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """What the runner is asked to do."""

    op: Literal["call"] = "call"
    id: str
    task: str
    variant: str
    n: int
    arrays: list[ArrayPlace]
    scalars: dict[str, int] = {}  # width, height, bins, ...
    seed: int = 0  # the seed of the data is a secret of the grader; the runner does not need it
    schedule: int = 0
    poison: int = 0xA5
    checks: bool = True
    counters: bool = False
    timed: bool = False
    device_limit: int = 0  # bytes of device memory, 0: what there is


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """Asks whether the runner is ready ("hello"), or how fast the device copies."""

    id: str
    op: Literal["hello", "bandwidth"]


class Place(msgspec.Struct, frozen=True):
    """A source line."""

    file: Text = ""
    line: int = 0
    text: Text = ""


class Finding(msgspec.Struct, frozen=True):
    """A defect that the virtual GPU saw; field names as in common/virtual_gpu/report.h."""

    kind: Text
    is_note: bool = False
    kernel: Text = ""
    what: Text = ""
    help: Text = ""
    access: Text = ""
    space: Text = ""
    place: Place = msgspec.field(default_factory=Place)
    other_place: Place = msgspec.field(default_factory=Place)
    thread: Index3 = ZERO3
    block: Index3 = ZERO3
    other_thread: Index3 = ZERO3
    other_block: Index3 = ZERO3
    array: Text = ""
    index: int = 0
    array_bytes: int = 0
    access_bytes: int = 0
    count: int = 1


class Counters(msgspec.Struct, frozen=True):
    """Counted per warp instruction, summed over warps."""

    instructions: int = 0
    lanes: int = 0
    branches: int = 0
    divergent_branches: int = 0
    global_loads: int = 0
    global_stores: int = 0
    load_sectors: int = 0
    store_sectors: int = 0
    ideal_load_sectors: int = 0
    ideal_store_sectors: int = 0
    shared_loads: int = 0
    shared_stores: int = 0
    shared_wavefronts: int = 0
    ideal_wavefronts: int = 0
    bank_conflicts: int = 0
    atomics: int = 0
    atomic_lanes: int = 0
    most_lanes_on_one_address: int = 0
    local_sectors: int = 0
    barriers: int = 0


class LineCounters(msgspec.Struct, frozen=True):
    """The counters of one source line."""

    place: Place = msgspec.field(default_factory=Place)
    counters: Counters = msgspec.field(default_factory=Counters)


class KernelReport(msgspec.Struct, frozen=True):
    """One launch; or all launches of a kernel by kernels in one launch by the host."""

    name: Text = ""
    by_kernel: bool = False
    launches: int = 1
    grid: Index3 = ZERO3
    block: Index3 = ZERO3
    shared_bytes: int = 0
    registers: int = 0
    seconds: float = 0.0
    limited_by: Text = ""
    total: Counters = msgspec.field(default_factory=Counters)
    lines: list[LineCounters] = []

    @property
    def blocks(self) -> int:
        return self.grid[0] * self.grid[1] * self.grid[2]

    @property
    def block_threads(self) -> int:
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def is_line(self) -> bool:
        """Whether blocks and threads are counted in one dimension, so that element i is likely thread i's."""
        return (*self.grid[1:], *self.block[1:]) == (1, 1, 1, 1)


class Report(msgspec.Struct, frozen=True):
    """What the virtual GPU tells about one call."""

    version: int = 1
    findings: list[Finding] = []
    kernels: list[KernelReport] = []
    seconds: float = 0.0
    bytes_to_host: int = 0  # by copies made inside the task
    bytes_to_device: int = 0


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What the runner answers."""

    status: Literal["ok", "skip", "cuda_error", "exception", "memory", "bad_request"]
    id: Annotated[str, msgspec.Meta(max_length=64)] = ""
    message: Text = ""
    where: Text = ""
    todo: Text = ""
    cuda_code: int = 0
    seconds: Seconds = 0.0
    wall_seconds: Seconds = 0.0
    transfer_seconds: Seconds = 0.0
    virtual: bool = False
    device: Text = ""
    lost: bool = False  # the process ends after this reply: the device is of no more use to it
    copy_bandwidth: Annotated[float, msgspec.Meta(gt=0, le=1e15)] | None = None  # bytes/s, op "bandwidth"
    report: Report | None = None


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Reply)


def encode_call(call: Call | Question) -> bytes:
    return bytes(_encoder.encode(call)) + b"\n"


def decode_reply(line: bytes, expected_id: str) -> Reply:
    """The reply to the call `expected_id`. Raises ValueError, with a sentence, if it is not one."""
    try:
        reply = _decoder.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"the reply is invalid ({clean(str(error), 120)})") from None
    if reply.id != expected_id:
        raise ValueError("the process answered a different call from the one it was asked")
    return reply
