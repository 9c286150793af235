"""System calls that a program in the cage may not make."""

from __future__ import annotations

import os
import signal

import pytest

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
