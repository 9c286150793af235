"""What a program in the cage can see and reach: its own room, and nothing of the machine."""

from __future__ import annotations

import os
import resource
import secrets
import signal
import socket
import time
from pathlib import Path

import pytest

from autograder.cage.cage import Room, start
from autograder.cage.tests.hostile import (
    BASE,
    LIMITS,
    MANY,
    ONE,
    PYTHON,
    REPOSITORY,
    both,
    caged_only,
    launched,
    living,
    ran,
    said,
    wait_for,
)

pytestmark = pytest.mark.usefixtures("nothing_left")


@both
@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("pass", 0),
        ("raise SystemExit(3)", 3),
        ("raise SystemExit(86)", 86),
        ("import os; os.kill(os.getpid(), 11)", -signal.SIGSEGV),
        ("import os; os.abort()", -signal.SIGABRT),
        ("import os; os.kill(os.getpid(), 9)", -signal.SIGKILL),
    ],
)
def test_it_ends_as_it_would_outside(code: str, status: int, caged: bool) -> None:
    assert ran(code, caged=caged)[0] == status


@both
def test_it_is_signalled_and_killed(caged: bool) -> None:
    code = """
        import os, signal, time
        signal.signal(signal.SIGUSR1, lambda *_: os.write(1, b"here"))
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        print("ready", flush=True)
        while True: time.sleep(1)
    """
    mark = secrets.token_hex(8)
    with launched(code, caged=caged, mark=mark) as program:
        wait_for(program, "ready")
        assert program.poll() is None
        program.signal(signal.SIGUSR1)
        wait_for(program, "here")
        program.signal(signal.SIGTERM)
        program.signal(signal.SIGSTOP)
        begin = time.monotonic()
        program.kill()
        program.kill()
        assert time.monotonic() - begin < 4
        assert program.poll() == program.wait(0.0) == -signal.SIGKILL
        assert program.pid == 0
        assert living(mark) == []


@both
def test_it_gets_the_descriptors_and_the_environment_that_it_is_given(caged: bool) -> None:
    read, write = os.pipe()
    code = 'import os; print(sorted(os.environ)); print(os.listdir("/proc/self/fd"), os.environ["ONE"], os.getcwd())'
    with start([*PYTHON, code], ONE, LIMITS, pass_fds=(write,), environment={"ONE": "1"}, caged=caged) as program:
        assert program.stdout is not None
        names, fds = program.stdout.read().decode().splitlines()
        assert program.wait(5.0) == 0
    os.close(read)
    os.close(write)
    if caged:
        assert names == "['HOME', 'LANG', 'ONE', 'PATH', 'PWD', 'TMPDIR']"
        assert fds.endswith("1 /tmp")
    assert sorted(eval(fds.partition("]")[0] + "]")) == sorted(
        ["0", "1", "2", "3", str(write)]
    )  # 3: the listing itself


@caged_only
def test_it_sees_only_its_room(tmp_path: Path) -> None:
    mine, other, out = (tmp_path / name for name in ("mine", "other", "out"))
    for folder in (mine, other, out):
        folder.mkdir()
        (folder / "file").write_text(folder.name)
    room = Room(read=(BASE, mine, out / "file"), write=(out,))
    hidden = [other, REPOSITORY / "Makefile", REPOSITORY / "build", Path.home(), Path("/etc/passwd"), Path("/run")]
    code = f"""
        import os
        print([path for path in {[str(path) for path in hidden]} if os.path.exists(path) and os.listdir(path)])
        print(open("{mine}/file").read(), open("{out}/file").read())
        open("{out}/new", "w").write("made")
        for path in ("{mine}/new", "{mine}/file", "{out}/file", "/usr/new", "/new", "/etc/new", "/dev/new",
                     "{tmp_path}/new", "/proc/sys/kernel/core_pattern", "/proc/1/mem"):
            try:
                open(path, "r+" if os.path.exists(path) else "w")
                print("open:", path)
            except OSError:
                pass
    """
    told = said(code, room).splitlines()
    assert [line for line in told[2:] if line != f"open: {tmp_path}/new"] == []  # REPOSITORY may hold this Python
    assert told[1] == "mine out"
    assert [path for path in eval(told[0]) if not BASE.is_relative_to(path)] == []
    assert (out / "new").read_text() == "made"
    assert not (tmp_path / "new").exists()


@caged_only
def test_it_cannot_write_into_a_repository_under_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.cage.bubblewrap._REPOSITORY", tmp_path)
    program, out = tmp_path / "build/program", tmp_path / "build/graded/out"
    out.mkdir(parents=True)
    program.write_text("program")
    code = f"""
        import os
        for path in ("{tmp_path}", "{tmp_path}/build", "{tmp_path}/build/graded", "{out}", "/tmp"):
            try:
                open(path + "/new", "w")
                print("open:", path)
            except OSError:
                pass
        print(open("{program}").read())
    """
    told = said(code, Room(read=(BASE, program), write=(out,)))
    assert told.splitlines() == [f"open: {out}", "open: /tmp", "program"]


@caged_only
def test_no_other_process_is_in_reach() -> None:
    code = f"""
        import os, resource, signal
        print([name for name in os.listdir("/proc") if name.isdigit() and int(name) not in (1, os.getpid())])
        print(os.path.exists("/proc/{os.getpid()}/mem"))
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        for act in (
            lambda: os.kill({os.getpid()}, signal.SIGSTOP),
            lambda: resource.prlimit({os.getpid()}, resource.RLIMIT_NOFILE, (3, 3)),
            lambda: resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (3, 3)),
            lambda: os.kill(-1, signal.SIGTERM),
        ):
            try:
                act()
                print("done")
            except OSError:
                pass
        os.kill(os.getppid(), signal.SIGSTOP)
        os.kill(os.getppid(), signal.SIGKILL)
    """
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert said(code).splitlines() == ["[]", "False"]
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == before


@both
def test_there_is_no_network(caged: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        code = f"""
            import os, socket
            a, b = socket.socketpair()
            for family in (socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK, socket.AF_PACKET):
                try:
                    socket.socket(family, socket.SOCK_STREAM).connect(("127.0.0.1", {server.getsockname()[1]}))
                    print("connected")
                except OSError as error:
                    print(error.errno == 97)
            print(os.uname().nodename)
        """
        assert said(code, caged=caged).split() == ["True"] * 4 + ["cage" if caged else os.uname().nodename]
        if caged:
            assert said(code, MANY).split() == ["True"] * 4 + ["cage"]


@caged_only
def test_it_has_no_privileges() -> None:
    code = """
        import os
        for line in open("/proc/self/status"):
            name, _, value = line.partition(":")
            if name in ("CapEff", "CapPrm", "CapAmb", "NoNewPrivs", "Seccomp"): print(int(value, 16))
        print(os.getsid(0) == os.getpid() or os.getsid(0) == 1)
    """
    assert said(code).split() == ["0", "0", "0", "1", "2", "True"]


@caged_only
def test_with_a_gpu_it_sees_the_devices_and_the_drivers_settings() -> None:
    devices, system = said('import os; print(os.listdir("/dev")); print(os.listdir("/sys"))',
                           Room(read=(BASE,), gpu=True)).splitlines()  # fmt: skip
    others = {"null", "zero", "full", "random", "urandom", "shm", "fd", "stdin", "stdout", "stderr", "dxg"}
    assert [name for name in eval(devices) if name not in others and not name.startswith("nvidia")] == []
    assert "devices" in system
