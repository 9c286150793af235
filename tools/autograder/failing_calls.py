"""The failing calls that grades have found, kept in build/show, so that one of them can be made again."""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

import msgspec

from autograder.files import write_whole
from autograder.plan.cases import Case
from autograder.plan.request import Request
from autograder.report.result import Result, TaskResult
from autograder.sanitize import clean
from autograder.verdict import RIGHT, Verdict

FOLDER = Path("build/show")
KEPT = 30  # files whose failing calls are kept
LARGEST = 1 << 20  # bytes of one
USUAL = ("virtual", "gpu")  # what fails on either is shown on the virtual GPU


class Failing(msgspec.Struct, frozen=True):
    """What a grade found out about a task: its verdict and, if it is not right, the call that decides."""

    verdict: Verdict
    reason: str = ""
    n: int | None = None
    variant: str = ""
    seed: int = 0  # of the data
    schedule: int = 0
    master: str = ""  # the seed of the run, as --seed takes it
    device: str = ""  # another one than usual
    where: str = ""
    slow: tuple[str, ...] = ()  # where the time goes
    tried: str = ""  # what proved the cause that `reason` names; "": none is proved

    def case(self, task: str) -> Case | None:
        return None if self.n is None else Case(task, self.variant, self.n, self.seed, self.schedule)


class Kept(msgspec.Struct, frozen=True):
    """All that is known of one file, by task."""

    task: dict[str, Failing] = {}


def failing(task: TaskResult, result: Result) -> Failing:
    reason, where = clean(task.reason, 300), clean(task.where, 200)
    slow = tuple(clean(line, 300) for line in task.details) if task.verdict in RIGHT and reason else ()
    tried = clean(task.cause.tried, 300) if task.cause else ""
    device = _device_of(task)
    found = Failing(task.verdict, reason, master=result.seed, device=device, where=where, slow=slow, tried=tried)
    if task.failure is None or task.verdict in RIGHT:
        return found
    of = task.failure
    return msgspec.structs.replace(found, n=of.n, variant=of.variant, seed=of.seed, schedule=of.schedule)


def keep(root: Path, request: Request, result: Result) -> Kept:
    """Adds what a run found to what is known of its file. Returns what it found; a failure to write spoils no grade."""
    chosen = request.n is not None or request.max_n is not None or request.variant is not None
    found = {task.name: failing(task, result) for task in result.tasks if task.verdict not in ("IE", "CE")}
    kept = (read(root, request) or Kept()).task
    # What is right for some sizes may fail at others.
    kept |= {name: one for name, one in found.items() if one.n is not None or not chosen}
    with contextlib.suppress(OSError):
        path = _path(root, request)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, msgspec.json.encode(Kept(kept)))
        for old in sorted(path.parent.iterdir(), key=lambda one: one.stat().st_mtime)[:-KEPT]:
            old.unlink(missing_ok=True)
    return Kept(found)


def read(root: Path, request: Request) -> Kept | None:
    """What is known of the file as it is now; None: nothing. What cannot be read is as if it were not there."""
    with contextlib.suppress(OSError, msgspec.MsgspecError, UnicodeDecodeError):
        path = _path(root, request)
        if path.stat().st_size <= LARGEST:
            return msgspec.json.decode(path.read_bytes(), type=Kept)
    return None


def _path(root: Path, request: Request) -> Path:
    """By what the file says, so that it is found under any name, and not once it has changed."""
    text = request.source_file(root).read_bytes()
    contract = b"".join(path.read_bytes() for path in sorted(request.folder.glob("*.h")))
    device = "" if request.device in USUAL else request.device
    name = hashlib.sha256(b"\0".join([text, contract, device.encode()])).hexdigest()[:24]
    return root / FOLDER / "kept" / f"{request.folder.name}-{name}.json"


def _device_of(task: TaskResult) -> str:
    """The device of the call that decides, if `again:` names one."""
    words = task.again.split()
    device = words[words.index("--device") + 1] if "--device" in words[:-1] else ""
    return "" if device in USUAL else device
