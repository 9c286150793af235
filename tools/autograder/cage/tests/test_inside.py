"""Programs in the cage that want more than they may have, and those that want to stay."""

from __future__ import annotations

import mmap
import os
import secrets
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from autograder.cage.cage import Limits, Room, start
from autograder.cage.tests.hostile import (
    BASE,
    LIMITS,
    MANY,
    ONE,
    PYTHON,
    REPOSITORY,
    both,
    caged_only,
    exceeded,
    launched,
    living,
    ran,
    wait_for,
)

pytestmark = pytest.mark.usefixtures("nothing_left")

HOARDERS = {
    "private memory": "a = bytearray(400 << 20)",
    "shared mappings": """
        for _ in range(40):
            m = mmap.mmap(-1, 10 << 20); kept.append(m)
            for at in range(0, len(m), 4096): m[at] = 1
    """,
    "shared mappings taken out of the page table": """
        for _ in range(40):
            m = mmap.mmap(-1, 10 << 20); kept.append(m)
            for at in range(0, len(m), 4096): m[at] = 1
            m.madvise(mmap.MADV_DONTNEED)
    """,
    "shared by many children": """
        m = mmap.mmap(-1, 300 << 20)
        for at in range(0, len(m), 4096): m[at] = 1
        for _ in range(8):
            if os.fork() == 0:
                for at in range(0, len(m), 4096): m[at]
                time.sleep(30)
    """,
    "much in each child": """
        for _ in range(8):
            if os.fork() == 0:
                os.setsid()
                a = bytearray(50 << 20)
                time.sleep(30)
    """,
    "in a process that cannot be dumped": """
        import ctypes
        ctypes.CDLL(None).prctl(4, 0)
        for _ in range(40): kept.append(mmap.mmap(-1, 10 << 20)); kept[-1].write(bytes(10 << 20))
    """,
    "anonymous files": """
        for _ in range(40):
            fd = os.memfd_create("a"); kept.append(fd)
            os.write(fd, bytes(9 << 20))
    """,
    "page tables": """
        m = mmap.mmap(-1, 110 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ)
        for at in range(0, len(m), 2 << 20): m[at]
    """,
    "empty files": "for k in range(250_000): os.mkdir(str(k))",
}


@caged_only
@pytest.mark.parametrize("code", HOARDERS.values(), ids=list(HOARDERS))
def test_memory_of_every_kind_is_counted(code: str) -> None:
    mark = secrets.token_hex(8)
    whole = f"import mmap, os, time\nkept = []\n{textwrap.dedent(code)}\ntime.sleep(30)"
    with launched(whole, MANY, mark=mark) as program:
        assert exceeded(program) == "the process used more than 200 MB of memory"
        program.kill()
    assert living(mark) == []


@caged_only
def test_what_is_not_used_is_not_counted() -> None:
    code = """
        import mmap, os, time
        a = mmap.mmap(-1, 4 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        b = bytearray(30 << 20)
        print("ready", flush=True)
        time.sleep(5)
    """
    with launched(code, MANY) as program:
        wait_for(program, "ready")
        time.sleep(0.1)
        assert program.excess() == ""
        assert 30 < program.memory_mb() < 150


@caged_only
def test_memory_of_the_grader_is_not_the_programs() -> None:
    fd = os.memfd_create("arrays")
    os.ftruncate(fd, 300 << 20)
    with mmap.mmap(fd, 300 << 20) as ours:
        for at in range(0, len(ours), 4096):
            ours[at] = 1
        code = f"""import mmap, time
m = mmap.mmap({fd}, 300 << 20)
for at in range(0, len(m), 4096): m[at]
print('ready', flush=True)
time.sleep(5)"""
        with start([*PYTHON, code], ONE, LIMITS, pass_fds=(fd,)) as program:
            wait_for(program, "ready")
            assert program.excess() == ""
    os.close(fd)


@caged_only
def test_tmp_is_small_and_counted() -> None:
    code = """
        import os, time
        files = 0
        try:
            while True:
                with open(f"/tmp/{files}", "wb") as file: file.write(bytes(1 << 20))
                files += 1
        except OSError as error:
            print(files, error.errno, os.path.exists("/dev/shm/0"), flush=True)
        time.sleep(5)
    """
    with launched(code) as program:
        files, error, shared = wait_for(program, "True").split()
        assert int(files) <= 20 and error == "28" and shared == "True"
        assert program.memory_mb() > 19


@both
def test_files_are_limited(caged: bool, tmp_path: Path) -> None:
    room = Room(read=(BASE,), write=(tmp_path,))
    code = f"""
        import signal
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        open("{tmp_path}/large", "wb", buffering=0).write(bytes(9 << 20) + bytes(9 << 20))
        with open("{tmp_path}/large", "ab") as file: file.write(bytes(1 << 20))
    """
    assert ran(code, room, caged=caged)[0] == -signal.SIGXFSZ
    assert (tmp_path / "large").stat().st_size <= 10 << 20
    assert ran("kept = [open('/dev/null') for _ in range(80)]", caged=caged)[0] == 1


@both
def test_time_of_the_processor_is_limited(caged: bool) -> None:
    begin = time.monotonic()
    assert ran("while True: pass", limits=Limits(200, cpu_seconds=1), caged=caged)[0] in (-signal.SIGXCPU, -9)
    assert time.monotonic() - begin < 20


@both
@pytest.mark.parametrize("start", ["os.fork()", "threading.Thread(target=time.sleep, args=(10,)).start()"])
def test_a_bomb_is_noticed_and_ended(start: str, caged: bool) -> None:
    code = f"""
        import os, threading, time
        try:
            for _ in range(200): {start}
        except (OSError, RuntimeError): pass
        time.sleep(30)
    """.replace("range(200)", "range(7)" if "fork" in start else "range(200)")
    mark = secrets.token_hex(8)
    with launched(code, MANY, mark=mark, caged=caged) as program:
        excess = exceeded(program)
        begin = time.monotonic()
        program.kill()
        assert time.monotonic() - begin < 4
    assert living(mark) == []
    # where the kernel counts (not for root), the bomb stops below the limit
    assert excess == "the process started more than 40 processes and threads" or os.geteuid() != 0


DAEMON = """
    import os, signal, sys, time
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT): signal.signal(number, signal.SIG_IGN)
    if os.fork() == 0:
        os.setsid()
        if os.fork(): os._exit(0)
        print("daemon", flush=True)
        for fd in (0, 1, 2): os.close(fd)
        time.sleep(60)
    time.sleep(0.2)
"""


@both
@pytest.mark.parametrize("after", ["", "    time.sleep(60)", "    os.kill(os.getpid(), 9)"])
def test_a_daemon_does_not_outlive_it(after: str, caged: bool) -> None:
    mark = secrets.token_hex(8)
    with launched(DAEMON + after, MANY, caged=caged, mark=mark) as program:
        wait_for(program, "daemon")
        if "60" not in after:
            program.wait(5.0)
            assert not caged or living(mark) == []
    assert living(mark) == []


@caged_only
def test_it_ends_with_the_grader() -> None:
    mark = secrets.token_hex(8)
    grader = f"""
import sys
sys.path.insert(0, {str(REPOSITORY / "tools")!r})
from pathlib import Path
from autograder.cage.cage import Limits, Room, start
program = start({PYTHON!r} + ["print('ready', flush=True); import time; time.sleep(60)", {mark!r}],
                Room(read=(Path({str(BASE)!r}),)), Limits(200))
program.stdout.read(1)
print("started", flush=True)
import time
time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", grader], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"started\n"
        process.kill()
        process.wait()
    end = time.monotonic() + 8.0
    while living(mark) and time.monotonic() < end:
        time.sleep(0.02)
    assert living(mark) == []
