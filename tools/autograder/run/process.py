"""A runner's process: start, ask, watch, kill. One process serves the calls of one task.

Nothing that the student's code does here may hurt the grader: the process has its own group, a clean
environment, limits, pipes that are drained and capped, and every wait has an end.
"""

from __future__ import annotations

import contextlib
import os
import resource
import select
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from autograder.errors import GraderError
from autograder.plain import clean
from autograder.run import death as deaths
from autograder.run.death import Death
from autograder.run.memory import SharedMemory
from autograder.run.protocol import Call, Question, Reply, decode_reply, encode_call

MAX_REPLY = 16 << 20
MAX_OUTPUT = 64 << 20
KEPT_OUTPUT = 16 << 10
LAST_WORDS = 2 << 10  # kept on top of it, of what a process says when its time is up
LAST_SECONDS = 2.0
_POLL = 0.05


@dataclass(frozen=True)
class ProcessLimits:
    """What one process may use; seconds are wall-clock time of one call."""

    seconds: float
    memory_mb: float
    start_seconds: float = 10.0


class Runner:
    """`build/labN --serve`, started at the first call."""

    def __init__(
        self, command: list[str], shared: SharedMemory, limits: ProcessLimits, environment: dict[str, str]
    ) -> None:
        self.shared = shared
        self.output = bytearray()
        self.device = ""
        self._command = command
        self._limits = limits
        self._environment = environment
        self._seconds = limits.seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._pending = bytearray()
        self._printed = 0
        self._kept = KEPT_OUTPUT
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def start(self) -> Death | None:
        """Makes sure that a process is there and ready; what a driver needs to wake is not the call's time."""
        if self._process is not None:
            return None
        self._start()
        answer = self._ask(Question(id=os.urandom(8).hex(), op="hello"), self._limits.start_seconds)
        return answer if isinstance(answer, Death) else None

    def call(self, call: Call | Question) -> Reply | Death:
        """Asks for one call. After a Death the next call starts a new process."""
        death = self.start()
        if death:
            return death
        if self._early():
            return self._die(Death("crash", "the process replied before it was asked"))
        return self._ask(call, self._limits.seconds)

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
            return self._die(Death("crash", str(error)))
        self.device = clean(reply.device, 100) or self.device
        if reply.status == "memory":
            return self._die(Death("memory", clean(reply.message) or "out of memory"))
        if reply.lost:
            self._kill()
        return reply

    def close(self) -> None:
        """Ends the process and whatever it has started."""
        if self._process is not None:
            with contextlib.suppress(OSError):
                os.write(self._to, b'{"op":"quit"}\n')
            self._kill()

    def printed(self) -> str:
        return clean(bytes(self.output).decode("utf-8", "replace"), self._kept)

    def _start(self) -> None:
        command_read, self._to = os.pipe()
        self._from, reply_write = os.pipe()
        os.set_blocking(self._to, False)
        self._folder = tempfile.TemporaryDirectory(prefix="cuda-labs-")
        fds = (command_read, reply_write, self.shared.fd)
        environment = self._environment | {"HOME": self._folder.name, "TMPDIR": self._folder.name}
        try:
            self._process = subprocess.Popen(
                [*self._command, "--serve", *map(str, fds)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=fds,
                start_new_session=True,
                cwd=self._folder.name,
                env=environment,
            )
        except OSError as error:
            raise GraderError(f"{self._command[0]} cannot be started: {error.strerror}") from None
        os.close(command_read)
        os.close(reply_write)
        assert self._process.stdout is not None
        os.set_blocking(self._process.stdout.fileno(), False)
        self._pending = bytearray()
        self._printed = 0
        with contextlib.suppress(OSError, ValueError):
            resource.prlimit(self._process.pid, resource.RLIMIT_CORE, (0, 0))
            resource.prlimit(self._process.pid, resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))

    def _early(self) -> bool:
        """Whether something lies in the reply pipe that nobody asked for."""
        readable, _, _ = select.select([self._from], [], [], 0)
        if not readable:
            return bool(self._pending)
        data = os.read(self._from, 4096)
        return bool(data)  # nothing: the process has closed its end, which the next read will find

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

    def _outputs(self) -> list[int]:
        assert self._process is not None and self._process.stdout is not None
        return [] if self._process.stdout.closed else [self._process.stdout.fileno()]

    def _drain(self) -> None:
        for fd in self._outputs():
            try:
                data = os.read(fd, 1 << 16)
            except BlockingIOError:
                return
            if not data:
                assert self._process is not None and self._process.stdout is not None
                self._process.stdout.close()
                return
            self._printed += len(data)
            self.output += data[: max(0, self._kept - len(self.output))]

    def _watch(self, deadline: float) -> Death | None:
        self._drain()
        if self._printed > MAX_OUTPUT:
            return Death("crash", f"the process printed more than {MAX_OUTPUT >> 20} MB")
        if time.monotonic() > deadline:
            return deaths.timeout(self._seconds, self._last_words())
        used = self._memory_mb()
        if used > self._limits.memory_mb:
            return Death("memory", f"the process used more than {self._limits.memory_mb:,.0f} MB of memory")
        return None

    def _memory_mb(self) -> float:
        """Private memory of the process; what it shares with the grader does not count."""
        assert self._process is not None
        try:
            with Path(f"/proc/{self._process.pid}/status").open("rb") as status:
                for line in status:
                    if line.startswith(b"RssAnon:"):
                        return int(line.split()[1]) / 1024
        except (OSError, ValueError, IndexError):
            pass
        return 0.0

    def _ended(self) -> Death:
        """The reply pipe was closed: how did the process end?"""
        assert self._process is not None
        try:
            code = self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            return Death("crash", "the process closed its channel to the grader")
        for _ in range(8):
            self._drain()
        return deaths.ended(code, self.printed())

    def _last_words(self) -> str:
        """What the process says to the signal that asks where it is; the virtual GPU answers with kernel and line."""
        assert self._process is not None
        self._kept, before = len(self.output) + LAST_WORDS, len(self.output)
        with contextlib.suppress(OSError):
            os.kill(self._process.pid, signal.SIGUSR1)
        end = time.monotonic() + LAST_SECONDS
        while time.monotonic() < end:
            self._drain()
            words = bytes(self.output[before:]).decode("utf-8", "replace")
            if self._process.poll() is not None or any(
                line.startswith(deaths.STOPPED) for line in words.splitlines()[: words.count("\n")]
            ):
                return words
            time.sleep(_POLL)
        return ""

    def _die(self, death: Death) -> Death:
        self._kill()
        return death

    def _kill(self) -> None:
        process = self._process
        if process is None:
            return
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if process.stdout is not None:
            with contextlib.suppress(OSError):
                self._drain()
            process.stdout.close()
        os.close(self._to)
        os.close(self._from)
        if self._folder is not None:
            with contextlib.suppress(OSError):
                self._folder.cleanup()
        self._process = None
