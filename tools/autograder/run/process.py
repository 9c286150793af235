"""The two processes of a task: start, ask, watch, kill.

The device process has arrays, clock and findings, and is trusted. The runner has the student's code; it talks to the
device process alone. Both are caged, every wait has an end, and what they print is drained and capped.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from autograder.cage.cage import Caged, Limits, start
from autograder.errors import GraderError
from autograder.run import death as deaths
from autograder.run.budget import Budget
from autograder.run.cpu_time import seen
from autograder.run.death import Death
from autograder.run.machine import Machine
from autograder.run.memory import SharedMemory
from autograder.run.protocol import Call, Question, Reply, decode_reply, encode_call
from autograder.sanitize import clean

MAX_REPLY = 16 << 20
MAX_OUTPUT = 64 << 20
KEPT_OUTPUT = 16 << 10
LAST_WORDS = 2 << 10  # kept in addition, for what a process says when its time is up
LAST_SECONDS = 2.0
MOST_WAITED = 4  # times a call's seconds: the most that a busy machine may add
_POLL = 0.05
_MEASURED = 0.1  # seconds between two looks at a process's memory, each of which takes nearly a millisecond


@dataclass(frozen=True)
class ProcessLimits:
    """Limits of a task's processes; seconds are for one call, without the time spent waiting for a processor."""

    seconds: float
    host_mb: float
    device_mb: float = 0  # added in the device process, if that holds the device's memory
    start_seconds: float = 10.0
    total_seconds: float = float("inf")  # for all calls together, counted in the same way
    last_words: bool = True  # ask a process whose time is up where it is


class Runner:
    """A student's program with its device, started at the first call."""

    def __init__(self, program: Path, machine: Machine, shared: SharedMemory, limits: ProcessLimits) -> None:
        self.shared = shared
        self.output = bytearray()
        self.device = ""
        self._program = program
        self._machine = machine
        self._limits = limits
        self._seconds = limits.seconds
        self._waited_before = 0.0
        self.budget = Budget(limits.seconds, limits.total_seconds)
        self._student: Caged | None = None
        self._device: Caged | None = None
        self._pending, self._printed = bytearray(), 0
        self._kept, self._measured = KEPT_OUTPUT, 0.0

    def start(self) -> Death | None:
        """Makes sure that a process is ready, so that starting the driver does not count as the call's time."""
        if self._device is not None:
            return None
        self._start()
        self._waited_before = self._waited()
        answer = self._ask(Question(id=os.urandom(8).hex(), op="hello"), self._limits.start_seconds)
        self._waited_before = self._waited()
        return answer if isinstance(answer, Death) else deaths.refused(answer)

    def call(self, call: Call | Question) -> Reply | Death:
        """Asks for one call. After a Death the next call starts a new process."""
        if death := self.budget.refused() or self.start():
            return death
        begun, waited, seconds = time.monotonic(), self._waited_before, self.budget.of_call()
        answer = self._ask(call, seconds)
        taken, self._waited_before = time.monotonic() - begun, self._waited()  # until the next call they are idle
        return self.budget.after(answer, seconds, max(0.0, taken - max(0.0, self._waited_before - waited)))

    def _ask(self, call: Call | Question, seconds: float) -> Reply | Death:
        self._seconds = seconds
        deadline = time.monotonic() + seconds
        death = self._send(encode_call(call), deadline)
        line = b"" if death else self._receive(deadline)
        if isinstance(line, Death):
            death = line
        if death:
            return self._die(death)
        assert isinstance(line, bytes)
        try:
            reply = decode_reply(line, call.id)
        except ValueError as error:
            return self._die(deaths.of_device(f"the device process cannot be understood, {error},"))
        self.device = clean(reply.device, 100) or self.device
        if reply.status == "gone":
            return self._die(self._student_ended())
        if reply.status == "memory":
            return self._die(Death("memory", clean(reply.message) or "out of memory"))
        if reply.lost:
            self._kill()
        return reply

    def pause(self) -> None:
        """Stops the student's code until go_on()."""
        if self._student is not None:
            self._student.signal(signal.SIGSTOP)

    def go_on(self) -> None:
        if self._student is not None:
            self._student.signal(signal.SIGCONT)

    def close(self) -> None:
        """Ends both processes and whatever they have started."""
        self._kill()

    def printed(self) -> str:
        """What both processes have printed so far, as far as it is kept."""
        self._drain()
        return clean(bytes(self.output).decode("utf-8", "replace"), self._kept)

    def _start(self) -> None:
        commands, self._to = os.pipe()
        self._from, replies = os.pipe()
        os.set_blocking(self._to, False)
        to_device, to_student = [], []
        for _ in range(2 if self._machine.virtual else 1):  # for calls; on the virtual GPU also for CUDA's requests
            ends = socket.socketpair()
            to_device.append(ends[0].detach())
            to_student.append(ends[1].detach())
        session = to_device[1] if self._machine.virtual else -1
        limits, machine, program = self._limits, self._machine, str(self._program)
        on_virtual = ["--device", "virtual"] if machine.virtual else []
        words = [commands, replies, self.shared.fd, to_device[0], session, program, machine.device]
        try:
            self._student = start(
                [program, "--serve", str(to_student[0]), *on_virtual],
                machine.room(self._program),
                Limits(limits.host_mb),
                pass_fds=to_student,
                environment=machine.runner_environment(to_student[1:]),
                caged=machine.caged,
            )
            with seen(self._student, machine.caged) as (how, files):
                self._device = start(
                    [*machine.device_process, *map(str, words), how if machine.virtual else ""],
                    machine.device_room(self._program),
                    Limits(limits.host_mb + limits.device_mb),
                    pass_fds=(commands, replies, self.shared.fd, *to_device, *files),
                    environment=machine.environment,
                    caged=machine.caged and machine.virtual,  # CUDA IPC identifies processes by their number
                )
        except GraderError:
            os.close(self._to)
            os.close(self._from)
            self._kill()
            raise
        finally:
            for fd in (commands, replies, *to_device, *to_student):
                os.close(fd)
        for process in (self._device, self._student):
            assert process.stdout is not None
            os.set_blocking(process.stdout.fileno(), False)
        self._pending = bytearray()
        self._printed = 0

    def _send(self, message: bytes, deadline: float) -> Death | None:
        while message:
            try:
                message = message[os.write(self._to, message) :]
            except BlockingIOError:
                death = self._watch(deadline)
                if death:
                    return death
                select.select([], [self._to], [], _POLL)
            except OSError:
                return self._ended()
        return None

    def _receive(self, deadline: float) -> bytes | Death:
        """One line from the reply pipe, while output is drained and limits are watched."""
        data = bytes(self._pending)
        while b"\n" not in data:
            death = self._watch(deadline)
            if death:
                return death
            readable, _, _ = select.select([self._from, *self._outputs()], [], [], _POLL)
            if self._from not in readable:
                continue
            data = os.read(self._from, 1 << 20)
            if not data:
                return self._ended()
            self._pending += data
            if len(self._pending) > MAX_REPLY:
                return Death("crash", "the reply does not end")
        line, _, rest = self._pending.partition(b"\n")
        self._pending = rest
        return bytes(line)

    def _processes(self) -> list[Caged]:
        return [process for process in (self._device, self._student) if process is not None]

    def _outputs(self) -> list[int]:
        pipes = [process.stdout for process in self._processes()]
        return [pipe.fileno() for pipe in pipes if pipe is not None and not pipe.closed]

    def _drain(self) -> None:
        for process in self._processes():
            pipe = process.stdout
            if pipe is None or pipe.closed:
                continue
            try:
                data = os.read(pipe.fileno(), 1 << 16)
            except BlockingIOError:
                continue
            if not data:
                pipe.close()
            self._printed += len(data)
            self.output += data[: max(0, self._kept - len(self.output))]

    def _watch(self, deadline: float) -> Death | None:
        self._drain()
        if self._printed > MAX_OUTPUT:
            return Death("crash", f"the process printed more than {MAX_OUTPUT >> 20} MB")
        if self._is_late(deadline):
            return deaths.timeout(self._seconds, self._last_words() if self._limits.last_words else "")
        if time.monotonic() < self._measured + _MEASURED:
            return None
        self._measured = time.monotonic()
        excess = next(filter(None, (process.excess() for process in self._processes())), "")
        return Death("memory" if "memory" in excess else "crash", excess) if excess else None

    def _is_late(self, deadline: float) -> bool:
        """Whether the time of a call is over. Waiting for a busy machine does not count."""
        if time.monotonic() <= deadline:
            return False
        added = min(self._waited() - self._waited_before, MOST_WAITED * self._seconds)
        return time.monotonic() > deadline + added

    def _waited(self) -> float:
        return sum(process.waited() for process in self._processes())

    def _ended(self) -> Death:
        """The device process is gone: because of what the runner asked for, or by a fault of its own."""
        assert self._device is not None
        try:
            return deaths.device_ended(self._device.wait(1.0))
        except subprocess.TimeoutExpired:
            return deaths.device_ended(None)

    def _student_ended(self) -> Death:
        """How the runner ended, after its sockets were closed."""
        assert self._student is not None
        try:
            code = self._student.wait(1.0)
        except subprocess.TimeoutExpired:
            return Death("crash", "the process closed its channel to the grader")
        for _ in range(8):
            self._drain()
        return deaths.ended(code, self.printed())

    def _last_words(self) -> str:
        """The answer to the signal that asks where the processes are: the virtual GPU names kernel and line."""
        self._kept, before = len(self.output) + LAST_WORDS, len(self.output)
        for process in self._processes():
            process.signal(signal.SIGUSR1)
        end = time.monotonic() + LAST_SECONDS
        while time.monotonic() < end:
            self._drain()
            words = bytes(self.output[before:]).decode("utf-8", "replace")
            if any(line.startswith(deaths.STOPPED) for line in words.splitlines()[: words.count("\n")]):
                return words
            if any(process.poll() is not None for process in self._processes()):
                return words
            time.sleep(_POLL)
        return ""

    def _die(self, death: Death) -> Death:
        self._kill()
        return death

    def _kill(self) -> None:
        if self._device is not None and self._student is not None:
            os.close(self._to)
            os.close(self._from)
        for process in self._processes():
            process.kill()
            with contextlib.suppress(OSError):
                self._drain()
            if process.stdout is not None:
                process.stdout.close()
        self._device = self._student = None
