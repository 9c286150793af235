"""How a runner's process ended without an answer, in words: what it was, where, and what helps."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass
from typing import Literal

from autograder.run.protocol import FINDING_KINDS, Reply
from autograder.sanitize import clean

HOST_ACCESS_STATUS = 86  # the virtual GPU's handler for host code that uses a device pointer has written why
HOST_CODE = "host code at "  # how it begins
STOPPED = "virtual GPU: stopped: "  # what vgpuStop writes
SEEN = "virtual GPU: seen before: "  # and then KIND: FILE:LINE: what, for the first findings of the call
SO_FAR = "virtual GPU: so far: "  # and then a sentence: in which loop a thread is, how many blocks have ended
MANY_LAUNCHES = 100  # of one call; more mean that the loop around the launch does not end
_PLACE = re.compile(r"[\w.+-]+\.(?:cuh?|h|hpp|cc):\d+")
_LAUNCH = re.compile(r"; launch (\d+), made at (\S+)$")
_STEPS = re.compile(r"after (\d+)( million)? warp instructions")


@dataclass(frozen=True)
class Death:
    """The process ended without a valid answer. What it printed affects the message, never the verdict."""

    kind: Literal["crash", "timeout", "memory"]
    reason: str
    where: str = ""  # file:line
    details: tuple[str, ...] = ()
    finding: str = ""  # the kind of finding, if one is known
    of_device: bool = False  # the device process: the submission's fault unless the reference ends it, too
    instructions: int = 0  # of the launch that was running when the time was up
    launches: int = 0  # of the call until then


def device_ended(status: int | None) -> Death:
    """A Death of the device process. `status`: its exit status, or minus the signal; None: it runs, but is silent."""
    if status is None:
        return of_device("the device process closed its channel to the grader")
    if status < 0:
        return of_device(f"the device process was ended by {_name(-status)}")
    return of_device(f"the device process ended with status {status}")


def of_device(reason: str) -> Death:
    """A Death of the device process, or of its protocol."""
    help_text = "the reference solution's call with this input does not end it"
    return Death("crash", f"{reason} during this call", details=(help_text,), of_device=True)


def ended(status: int, printed: str) -> Death:
    """A Death from the exit status, or minus the signal, of a process that ended by itself."""
    if status < 0:
        return Death("crash", f"the process was ended by {_name(-status)}{_meaning(-status)}")
    if status == HOST_ACCESS_STATUS:
        return _host_access(printed)
    help_text = "what helps: return from the task; exit() ends the whole program before its output is checked"
    reason = f"the process exited with status {status} before it answered"
    return Death("crash", reason, details=(help_text,) if status == 0 else ())


def refused(reply: Reply) -> Death | None:
    """A Death of a process that the device process has refused before its first call."""
    return Death("crash", reply.message, reply.where) if reply.lost else None


def timeout(seconds: float, printed: str) -> Death:
    """A Death by timeout, with the place where the virtual GPU stopped if it still answered the signal."""
    reason = f"no answer within {seconds:g} s"
    told = next((line for line in printed.splitlines() if line.startswith(STOPPED)), "")
    if not told:
        return Death("timeout", reason)
    seen = [re.match(r"(\w+): ([^:]+:\d+): (.*)", clean(line.removeprefix(SEEN), 400))
            for line in printed.splitlines() if line.startswith(SEEN)]  # fmt: skip
    what = clean(told.removeprefix(STOPPED), 400)
    so_far = [clean(line.removeprefix(SO_FAR), 400) for line in printed.splitlines() if line.startswith(SO_FAR)]
    loops = [one for one in so_far if " the loop " in one]
    place, launch, steps = _PLACE.search(loops[0] if loops else what), _LAUNCH.search(what), _STEPS.search(what)
    where = place[0] if place else ""
    details = [*loops, f"running when the time was up: {what}", *(one for one in so_far if one not in loops)]
    instructions = int(steps[1]) * (1_000_000 if steps[2] else 1) if steps else 0
    launches = int(launch[1]) if launch else 0
    if launch and int(launch[1]) > MANY_LAUNCHES:
        where = launch[2]
        loop = "does the host's loop that leads there ever end?"
        details.append(f"too many launches in one call, the last at {where}: {loop}")
    found = [one for one in seen if one and one[1] in FINDING_KINDS]
    if found:  # likely the cause: a loop on garbage may not end
        details[:0] = [f"what the virtual GPU saw before: {one[3]}" for one in found]
        return Death("timeout", reason, found[0][2], tuple(details), found[0][1], False, instructions, launches)
    return Death("timeout", reason, where, tuple(details), "", False, instructions, launches)


def _host_access(printed: str) -> Death:
    """The handler writes one line with the place, the source line, and what helps, after all other output."""
    lines = [clean(line, 400) for line in printed.splitlines() if line.strip()]
    at = max((i for i, line in enumerate(lines) if line.startswith(HOST_CODE)), default=None)
    if at is None:
        return Death("crash", "host code used a device pointer", finding="host_access")
    what = lines[at]
    place = _PLACE.search(what)
    more = [line.strip() for line in lines[at + 1 :]]
    details = [f"what helps: {line}" if number == len(more) - 1 else f"> {line}" for number, line in enumerate(more)]
    return Death("crash", what, place[0] if place else "", tuple(details), "host_access")


def _name(number: int) -> str:
    return signal.Signals(number).name if number in {s.value for s in signal.Signals} else f"signal {number}"


def _meaning(number: int) -> str:
    meanings: dict[int, str] = {
        signal.SIGSEGV: ": host code used an invalid address",
        signal.SIGABRT: ": it called abort, or an exception was not caught",
        signal.SIGFPE: ": a division by zero on the host",
        signal.SIGKILL: ": perhaps by itself, or because memory ran out",
        signal.SIGILL: ": an instruction that this machine does not have",
        signal.SIGPIPE: ": it wrote to a pipe that nobody reads any more",
        signal.SIGBUS: ": host code used memory that does not exist",
    }
    return meanings.get(number, "")
