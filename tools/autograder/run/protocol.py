"""Messages between grader and device process, one JSON object a line, and what is accepted of them.

Everything that a runner says is a claim by the student's process. Here its shape and bounds are checked and its texts
are made safe to print; whether it is true is checked elsewhere (judge/ checks the outputs, timing/ the times).
"""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Iterable
from functools import cache
from typing import Annotated, Any, Literal

import msgspec

from autograder.run.site import ZERO3, Count, Index, Index3, LaunchSite, Offset, Seconds, Word
from autograder.run.site import Place as Place  # as a part of the protocol
from autograder.run.unread import Unread
from autograder.run.watched import Watched
from autograder.sanitize import LINE, clean

FINDING_KINDS = (  # of the virtual GPU, as virtual_gpu/report.h names them; notes have kinds of their own
    "out_of_bounds", "misaligned", "use_after_free", "uninitialized", "race", "divergent_barrier", "deadlock",
    "endless", "host_access", "invalid_access", "trap", "device_assert", "invalid_ptx", "internal_error", "unsupported",
    "leak", "ignored_error", "deep_launch", "failed_call", "block_order", "plain_read", "co_residency", "shuffle_order",
    "shuffle_place", "overflow",
)  # fmt: skip
Kind = Annotated[str, msgspec.Meta(pattern=f"^({'|'.join((*FINDING_KINDS, 'early_exit'))})$")]


class ArrayPlace(msgspec.Struct, frozen=True, kw_only=True):
    """One array of a call: its type, and the position of its bytes in the shared memory."""

    name: str
    dtype: str
    count: int
    shift: int
    on_host: bool
    role: Literal["in", "out"]
    at: int
    back: int = -1  # inputs: where the runner puts their contents after the call


class FurtherCall(msgspec.Struct, frozen=True, kw_only=True):
    """A further call in the same batch as another call of its task."""

    task: str
    variant: str
    n: int
    arrays: list[ArrayPlace]
    scalars: dict[str, int] = {}


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
    trace: str = ""  # the line whose addresses are wanted: "41 /path/of/scan.cu"
    what_if: str = ""  # rules of virtual_gpu/README.md, "What-if rules", separated by ';'
    max_steps: int = 0  # warp instructions that a launch may take; 0: as many as it needs
    change: int = 0  # of a program with changes: which one it is called with
    device_limit: int = 0  # bytes of device memory, 0: what there is
    further: list[FurtherCall] = []
    nothing: bool = False  # do everything that a batch of these calls needs, except the calls


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """Asks whether the runner is ready ("hello"), or how fast the device copies."""

    id: str
    op: Literal["hello", "bandwidth"]


class Finding(msgspec.Struct, frozen=True):
    """A defect that the virtual GPU saw; field names as in virtual_gpu/report.h."""

    kind: Kind
    is_note: bool = False
    kernel: str = ""
    what: str = ""
    help: str = ""
    access: Word = ""
    space: Word = ""
    place: Place = msgspec.field(default_factory=Place)
    other_place: Place = msgspec.field(default_factory=Place)
    thread: Index3 = ZERO3
    block: Index3 = ZERO3
    other_thread: Index3 = ZERO3
    other_block: Index3 = ZERO3
    array: str = ""
    index: Offset = 0
    array_bytes: Count = 0
    access_bytes: Count = 0
    count: Count = 1
    threads: Count = 0  # that did it; `thread` is the first of them. 0: not counted
    launch: LaunchSite = msgspec.field(default_factory=LaunchSite)
    of_race: bool = False  # an access at an address that was computed from what was read in a race


class Counters(msgspec.Struct, frozen=True):
    """Counted per warp instruction, summed over warps."""

    instructions: Count = 0
    lanes: Count = 0
    branches: Count = 0
    divergent_branches: Count = 0
    global_loads: Count = 0
    global_stores: Count = 0
    load_sectors: Count = 0
    store_sectors: Count = 0
    ideal_load_sectors: Count = 0
    ideal_store_sectors: Count = 0
    shared_loads: Count = 0
    shared_stores: Count = 0
    shared_wavefronts: Count = 0
    ideal_wavefronts: Count = 0
    bank_conflicts: Count = 0
    atomics: Count = 0
    atomic_lanes: Count = 0
    most_lanes_on_one_address: Count = 0
    atomic_sectors: Count = 0  # of those on global memory
    local_sectors: Count = 0
    barriers: Count = 0


class LineCounters(msgspec.Struct, frozen=True):
    """The counters of one source line."""

    place: Place = msgspec.field(default_factory=Place)
    counters: Counters = msgspec.field(default_factory=Counters)


def texts_of(places: Iterable[Place]) -> dict[str, dict[int, str]]:
    """The text that the device process read, by file and line."""
    found: dict[str, dict[int, str]] = {}
    for place in places:
        if place.line:
            found.setdefault(place.file, {})[place.line] = place.text
    return found


class KernelReport(msgspec.Struct, frozen=True):
    """One launch; or all launches of a kernel by kernels in one launch by the host."""

    name: str = ""
    by_kernel: bool = False
    place: Place = msgspec.field(default_factory=Place)  # of the launch by the host, if elements were watched
    launches: Count = 1
    grid: Index3 = ZERO3
    block: Index3 = ZERO3
    shared_bytes: Count = 0
    registers: Count = 0
    seconds: Seconds = 0.0
    limited_by: Word = ""
    order_free: bool = False  # without races, it does the same in every schedule
    total: Counters = msgspec.field(default_factory=Counters)
    lines: Annotated[list[LineCounters], msgspec.Meta(max_length=100_000)] = []

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


class TraceStep(msgspec.Struct, frozen=True):
    """One access of a warp: which lane touched what."""

    space: Literal["global", "shared"]
    access: Literal["read", "write", "atomic"]
    array: str = ""
    bytes: Annotated[int, msgspec.Meta(ge=1, le=16)] = 4  # of a lane's access
    lanes: Annotated[int, msgspec.Meta(ge=0, le=2**32 - 1)] = 0  # the active ones, a bit each
    cost: Count = 0  # sectors of global memory, wavefronts of shared memory
    ideal: Count = 0
    # Bytes from the array's start, or from the start of the block's shared memory; 0 for lanes that are not active.
    at: Annotated[list[Offset], msgspec.Meta(min_length=32, max_length=32)] = msgspec.field(
        default_factory=lambda: [0] * 32
    )


class Trace(msgspec.Struct, frozen=True):
    """What the first warp that came to a line touched there, access by access."""

    place: Place = msgspec.field(default_factory=Place)
    kernel: str = ""
    block: Index3 = ZERO3
    warp: Index = 0  # of the block
    count: Count = 0  # accesses that the warp made there
    steps: Annotated[list[TraceStep], msgspec.Meta(max_length=64)] = []  # the first of them


class Report(msgspec.Struct, frozen=True):
    """The virtual GPU's report about one call."""

    version: Literal[1] = 1
    findings: Annotated[list[Finding], msgspec.Meta(max_length=10_000)] = []
    kernels: Annotated[list[KernelReport], msgspec.Meta(max_length=1_000_000)] = []
    seconds: Seconds = 0.0
    least_seconds: Seconds = 0.0  # that no program can beat with the same work
    least_by: Annotated[str, msgspec.Meta(max_length=64)] = ""  # the part of the device that decides it
    bytes_to_host: Count = 0  # by copies made inside the task
    bytes_to_device: Count = 0
    host_seconds: Seconds = 0.0  # of `seconds`: CPU time of host code that counts
    trace: Trace | None = None
    watched: Annotated[list[Watched], msgspec.Meta(max_length=16)] = []
    unread: Annotated[list[Unread], msgspec.Meta(max_length=256)] = []


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What the runner answers."""

    status: Literal["ok", "skip", "cuda_error", "exception", "memory", "bad_request", "gone"]
    id: Annotated[str, msgspec.Meta(max_length=64)] = ""
    message: str = ""
    where: str = ""
    todo: str = ""
    cuda_code: Count = 0
    seconds: Seconds = 0.0
    wall_seconds: Seconds = 0.0
    virtual: bool = False
    device: str = ""
    lost: bool = False  # the process ends after this reply, because the device can no longer be used
    copy_bandwidth: Annotated[float, msgspec.Meta(gt=0, le=1e15)] | None = None  # bytes/s, op "bandwidth"
    report: Report | None = None


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Reply)
# What a line has if any of its texts is long, or has other characters than ASCII's printable ones. Most have none.
_DOUBTFUL = re.compile(rb'\\|[^ -~]|"[^"]{%d}' % LINE)


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
    return typing.cast(Reply, _printable(reply)) if _DOUBTFUL.search(line) else reply


def _printable(value: Any) -> Any:
    """The same with every text on one line and without control characters; what is safe already is not copied."""
    if isinstance(value, str):
        return value if value.isprintable() and len(value) <= LINE else clean(value, LINE).replace("\n", " ")
    if isinstance(value, list):
        return [_printable(one) for one in value]
    if not isinstance(value, msgspec.Struct):
        return value
    changed = {}
    for name in _with_text(type(value)):
        before = getattr(value, name)
        after = _printable(before)
        if after is not before:
            changed[name] = after
    return msgspec.structs.replace(value, **changed) if changed else value


@cache
def _with_text(kind: type[msgspec.Struct]) -> tuple[str, ...]:
    """The fields that are texts, or hold some."""
    return tuple(name for name, hint in typing.get_type_hints(kind).items() if _holds_text(hint))


def _holds_text(hint: Any) -> bool:
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return bool(_with_text(hint))
    return hint is str or any(_holds_text(one) for one in typing.get_args(hint) if one is not types.NoneType)
