"""The grading process as the watching one sees it: gets orders, sends messages, is ended with all its children."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from autograder.cage import tree
from autograder.sanitize import clean
from learn import messages
from learn.messages import Message, Order

LOG = "watch.log"  # in the build folder: what the grading process prints, which should be nothing
END_SECONDS = 5.0
MOST_PROCESSES = 10_000
_SET_CHILD_SUBREAPER = 36  # of prctl: processes left behind become our children, so that we can end them


class Grading:
    """One grading process at a time. A thread calls `hear` with each message and the number of its order."""

    def __init__(self, root: Path, hear: Callable[[int, Message], None], worker: Sequence[str] = ()) -> None:
        self.number = 0  # of the last order; messages for others are out of date
        self._root = root
        self._hear = hear
        self._command = [*(worker or (sys.executable, "-m", "learn.worker"))]
        self._process: subprocess.Popen[bytes] | None = None
        self._busy = False
        self._folder = tempfile.mkdtemp(prefix="cuda-labs-watch-")
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None, use_errno=True).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    @property
    def busy(self) -> bool:
        return self._busy

    def warm_up(self) -> None:
        """Starts the process, so that the first order finds it ready."""
        if self._process is None or self._process.poll() is not None:
            self._start()

    def order(self, order: Order) -> None:
        """Ends the current grading, and starts again."""
        if self._busy:
            self.stop()
        self.warm_up()
        self.number += 1
        self._busy = True
        assert self._process is not None and self._process.stdin is not None
        try:
            self._process.stdin.write(messages.encode(order))
            self._process.stdin.flush()
        except OSError:
            self._busy = False
            self._hear(self.number, messages.Failed(f"the grading process does not start: {self._last_words()}"))

    def done(self) -> None:
        """Marks the order as carried out."""
        self._busy = False

    def stop(self) -> None:
        """Ends the process and all its descendants, and removes what they have left in its folder."""
        process, self._process, self._busy = self._process, None, False
        self.number += 1
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGSTOP)  # starts nothing more
        mine = tree.descendants(process.pid, MOST_PROCESSES)
        process.kill()
        _kill(mine)
        process.wait()
        end = time.monotonic() + END_SECONDS
        while (left := tree.children(os.getpid())) and time.monotonic() < end:
            _kill([one for child in left for one in (child, *tree.descendants(child, MOST_PROCESSES))])
            for child in left:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(child, os.WNOHANG)
            time.sleep(0.005)
        if process.stdin is not None:
            with contextlib.suppress(OSError):
                process.stdin.close()
        for entry in Path(self._folder).iterdir():
            shutil.rmtree(entry, ignore_errors=True) if entry.is_dir() else entry.unlink(missing_ok=True)

    def close(self) -> None:
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _start(self) -> None:
        self.number += 1
        here, there = os.pipe()
        (self._root / "build").mkdir(exist_ok=True)
        with (self._root / "build" / LOG).open("wb") as log:
            self._process = subprocess.Popen(
                [*self._command, str(self._root), str(there)],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                pass_fds=(there,),
                env=os.environ | {"TMPDIR": self._folder},
                start_new_session=True,  # ^C is for the watching process
            )
        os.close(there)
        threading.Thread(target=self._listen, args=(here, self._process), daemon=True).start()

    def _listen(self, fd: int, process: subprocess.Popen[bytes]) -> None:
        with os.fdopen(fd, "rb") as lines:
            for line in lines:
                if process is not self._process:
                    return
                try:
                    message = messages.message_decoder.decode(line)
                except msgspec.MsgspecError as error:
                    message = messages.Failed(f"the grading process cannot be understood: {clean(str(error), 200)}")
                self._hear(self.number, message)
        if process is self._process and self._busy:
            self._hear(self.number, messages.Failed(f"the grading process has ended: {self._last_words()}"))

    def _last_words(self) -> str:
        try:
            text = (self._root / "build" / LOG).read_bytes()[-2000:].decode("utf-8", "replace")
        except OSError:
            text = ""
        said = [line for line in text.splitlines() if line.strip()]
        return clean(said[-1], 300) if said else f"build/{LOG} says nothing"


def _kill(pids: Sequence[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
