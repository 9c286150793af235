"""System calls that a program in the cage may not make."""

from __future__ import annotations

import errno
import os
import platform
import signal
import struct

import pytest

from autograder.cage import filter as seccomp
from autograder.cage.tests.hostile import (
    MANY,
    both,
    ran,
    said,
)

pytestmark = pytest.mark.usefixtures("nothing_left")


@both
@pytest.mark.parametrize(
    "call",
    [
        "ptrace(16, os.getppid(), 0, 0)",
        "ptrace(0, 0, 0, 0)",
        "process_vm_readv(os.getpid(), 0, 0, 0, 0, 0)",
        "process_vm_writev(os.getpid(), 0, 0, 0, 0, 0)",
        "unshare(0x10000000)",
        "setns(0, 0)",
        "mount(b'a', b'/tmp', b'tmpfs', 0, 0)",
        "umount2(b'/tmp', 2)",
        "chroot(b'/tmp')",
        "personality(0xffffffff)",
        "reboot(0)",
        "shmget(0, 4096, 0o1600)",
        "memfd_create(b'a', 0)",
        "inotify_init1(0)",
        "sethostname(b'a', 1)",
        "vmsplice(1, 0, 0, 0)",
        "setsockopt(0, 1, 7, 0, 0)",  # SO_SNDBUF
        "setsockopt(0, 1, 32, 0, 0)",
    ],
)
def test_calls_that_no_lab_needs_fail(call: str, caged: bool) -> None:
    code = f"""
        import ctypes, os
        libc = ctypes.CDLL(None, use_errno=True)
        print(libc.{call}, ctypes.get_errno())
    """
    assert said(code, caged=caged) == "-1 1"


@both
def test_calls_without_a_wrapper_fail(caged: bool) -> None:
    if os.uname().machine != "x86_64":
        pytest.skip("numbers of x86-64")
    numbers = {"bpf": 321, "perf_event_open": 298, "userfaultfd": 323, "io_uring_setup": 425, "keyctl": 250,
               "kexec_load": 246, "open_tree": 428, "fsopen": 430, "pidfd_getfd": 438}  # fmt: skip
    code = f"""
        import ctypes
        libc = ctypes.CDLL(None, use_errno=True)
        print([libc.syscall(number, 0, 0, 0, 0, 0, 0) * ctypes.get_errno() for number in {list(numbers.values())}])
        print(libc.syscall(435, 0, 0), ctypes.get_errno())  # clone3
    """
    assert said(code, caged=caged).splitlines() == [str([-1] * len(numbers)), "-1 38"]
    # 32-bit numbers of x86-64 (x32) would be a way around the filter
    assert ran("import ctypes; ctypes.CDLL(None).syscall(0x40000000 + 39)", caged=caged)[0] == -signal.SIGSYS


@both
def test_only_threads_unless_children_are_allowed(caged: bool) -> None:
    """In both layouts, so that a program that insists on children has the same verdict."""
    code = """
        import os, subprocess, threading
        thread = threading.Thread(target=lambda: print("thread", flush=True))
        thread.start()
        thread.join()
        spawn = lambda: os.posix_spawn("/bin/true", ["true"], {})
        for start in (os.fork, lambda: subprocess.run(["/bin/true"]), spawn):
            try:
                if start() == 0: os._exit(0)
                print("child", flush=True)
            except PermissionError:
                print("none", flush=True)
    """
    assert said(code, caged=caged).split() == ["thread", "none", "none", "none"]
    assert said(code, MANY, caged=caged).split() == ["thread", "child", "child", "child"]


def answer(code: bytes, number: int, arguments: tuple[int, ...] = (), architecture: int = 0xC000003E) -> int:
    """What the kernel makes of the filter for a call: these are the instructions of classic BPF that it has."""
    data = struct.pack("=IIQ6Q", number, architecture, 0, *(arguments + (0,) * 6)[:6])
    at = loaded = 0
    while True:
        kind, yes, no, operand = struct.unpack_from("HBBI", code, 8 * at)
        at += 1
        if kind == 0x20:
            loaded = struct.unpack_from("=I", data, operand)[0]
        elif kind == 0x06:
            return int(operand)
        else:
            is_so = {0x15: loaded == operand, 0x35: loaded >= operand, 0x45: bool(loaded & operand)}[kind]
            at += yes if is_so else no


@pytest.mark.parametrize(("machine", "column", "architecture"), [("x86_64", 0, 0xC000003E), ("aarch64", 1, 0xC00000B7)])
def test_the_filter_of_either_machine(
    machine: str, column: int, architecture: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: machine)
    code = seccomp.program.__wrapped__(children=False, memfd=False)

    def result(call: tuple[int, int], *arguments: int) -> int:
        return answer(code, call[column], arguments, architecture)

    allowed, killed, failed = 0x7FFF0000, 0x80000000, 0x00050000
    denied = [numbers for numbers in seccomp._DENIED.values() if numbers[column] >= 0]
    assert {result(call) for call in denied} == {failed | errno.EPERM}
    for read_write_exit in ((0, 63), (1, 64), (60, 93)):
        assert result(read_write_exit) == allowed
    assert result((435, 435)) == failed | errno.ENOSYS  # clone3
    assert result((56, 220), 0x10000) == allowed  # clone: a thread,
    assert result((56, 220), 0x11) == failed | errno.EPERM  # a process,
    assert result((56, 220), 0x10000 | 0x10000000) == failed | errno.EPERM  # a namespace
    assert result((41, 198), 1) == allowed and result((41, 198), 2) == failed | errno.EAFNOSUPPORT  # socket
    assert result((54, 208), 0, 1, 2) == allowed and result((54, 208), 0, 1, 7) == failed | errno.EPERM  # setsockopt
    assert answer(code, 0x40000000, (), architecture) == killed
    assert answer(code, 0, (), 0x40000003) == killed  # another machine's numbers
    with_children = seccomp.program.__wrapped__(children=True, memfd=True)
    assert answer(with_children, (56, 220)[column], (0x11,), architecture) == allowed
