"""A device process and a runner without CUDA, for tests: one task adds 1 to every element, the others misbehave.

Its name for a misbehaviour is the task's name. As a device process it speaks the protocol of build/device; what a
student's code does to its own process, the runner does.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np


def report(findings: list[dict[str, Any]] | None = None, kernels: bool = True, threads: int = 256) -> dict[str, Any]:
    kernel = {"name": "add_one(int const*)", "grid": [4096, 1, 1], "block": [threads, 1, 1], "seconds": 1e-5}
    return {"version": 1, "findings": findings or [], "kernels": [kernel] if kernels else [], "seconds": 1e-5}


RACE = {
    "kind": "race", "what": "thread 32 read s[31] while thread 31 wrote it", "help": "a barrier", "space": "shared",
    "place": {"file": "scan.cu", "line": 41, "text": "s[t] += s[t - 1];"}, "count": 12,
}  # fmt: skip


IN_ONE_WARP = RACE | {"thread": [0, 0, 0], "other_thread": [1, 0, 0], "place": {"file": "scan.cu", "line": 39}}
BETWEEN_WARPS = RACE | {"thread": [0, 0, 0], "other_thread": [64, 0, 0]}
GLOBAL_RACE = RACE | {"space": "global", "other_place": {"file": "scan.cu", "line": 47}}
NEVER_SET = {"kind": "uninitialized", "space": "global", "place": {"file": "scan.cu", "line": 55}}
RACED_READ = NEVER_SET | {"place": {"file": "scan.cu", "line": 47}}
OUTSIDE = {"kind": "out_of_bounds", "access": "read", "space": "shared", "place": {"file": "scan.cu", "line": 52}}
LEFT = {
    "kind": "early_exit",
    "is_note": True,
    "what": "255 threads had left the kernel, at scan.cu:49",
    "other_place": {"file": "scan.cu", "line": 49, "text": "}"},
}
REFUSED = {
    "kind": "failed_call",
    "is_note": True,
    "what": "the launch of add at add.cu:30 was refused: 2,048 threads in a block; 1,024 is the most",
    "launch": {"place": {"file": "add.cu", "line": 30}, "grid": [1, 1, 1], "block": [2048, 1, 1]},
}
IN_BLOCK_ORDER = {
    "kind": "block_order",
    "is_note": True,
    "what": "thread 0 of block 3 waited at scan.cu:60 for a block that had not started",
    "help": "a ticket",
    "place": {"file": "scan.cu", "line": 60},
}


def watched(task: str, request: dict[str, Any], out: Any) -> list[dict[str, Any]]:
    """What the virtual GPU tells of elements that are watched: thread 0 wrote each of them, after another thread."""
    _, _, array, *elements = request["what_if"].split()
    told = []
    for element in elements:
        at, size = map(int, element.split("+"))
        value = int(out[at // 4 : at // 4 + 1].view(np.uint32)[0]) if size == 4 else 0
        place = {"file": "add.cu", "line": 31, "text": "out[i] = in[i] - 4;"}
        by = {"by": "thread", "access": "write", "name": "add_one(int const*)", "launch": 1, "place": place}
        writes = [{"writer": by | {"who": f"thread {who} of block 1"}, "value": f"{value:x}"} for who in (9, 0)]
        if task == "second_block_unseen":
            writes[-1]["value"] = "1"
        read = {"space": "global", "access": "read", "array": "d_in", "index": at // 4, "value": "7", "place": place}
        if task == "last_block":  # through shared memory
            source = {"file": "add.cu", "line": 29, "text": "s[t] = in[t];"}
            of = {"read_count": 4, "reads": [read | {"value": "9"}]}
            read = read | {"space": "shared", "array": "s", "index": 12} | of
            read["writer"] = by | {"who": "thread 12 of block 1", "place": source}
        one = {"array": array, "at": at, "bytes": size, "count": 2, "writes": writes, "read_count": 1, "reads": [read]}
        told.append(one if task != "nothing" else one | {"count": 0, "writes": [], "read_count": 0, "reads": []})
    return told if task != "second_tile" else []


class Memory:
    def __init__(self, fd: int) -> None:
        self.bytes = np.frombuffer(mmap.mmap(fd, os.fstat(fd).st_size), np.uint8)

    def array(self, place: dict[str, Any], at: str = "at") -> Any:
        kind = np.dtype(place["dtype"])
        return self.bytes[place[at] : place[at] + kind.itemsize * place["count"]].view(kind)


def run(task: str, request: dict[str, Any], memory: Memory) -> dict[str, Any]:
    n = request["n"]
    if task.startswith("device_dies") and n > 1000:
        os.kill(os.getpid(), signal.SIGSEGV)
    if task == "device_exits":
        os._exit(7)
    if task == "device_closes":
        os.closerange(3, 100)
        time.sleep(1000)
    reply: dict[str, Any] = {
        "status": "ok", "id": request["id"], "seconds": 2e-5, "wall_seconds": 1e-3,
        "virtual": True, "device": "fake GPU", "report": report(),
    }  # fmt: skip
    source = next(place for place in request["arrays"] if place["role"] == "in")
    target = next(place for place in request["arrays"] if place["role"] == "out")
    data, out = memory.array(source), memory.array(target)
    out.view(np.uint8)[:] = out.view(np.uint8)[:1]  # an output's first byte says what fills it before the call
    if task not in ("nothing", "forged"):
        is_variable = request["task"].startswith("variable")  # half of the elements are the result
        count = request["scalars"]["half"] + (task == "variable_more") if is_variable else n
        out[:count] = data[:count] + 1
    memory.array(source, "back")[:] = data
    if task == "skip":
        return reply | {"status": "skip", "todo": "1", "where": "add.cu:24"}
    if task == "last_block" and n % 256:
        out[n // 256 * 256 :] = -7
    if task in ("second_block", "second_block_unseen"):
        out[256:] -= 5
    if task == "second_tile":
        out[256:] -= 5
        reply["report"]["kernels"][0] |= {"grid": [64, 64, 1], "block": [16, 16, 1]}
    if task == "every_fourth":
        out[::4] = 0
    if task == "modifies":
        memory.array(source, "back")[:1] = 99
    if task == "flaky" and request["schedule"] // 8 % 2:
        out[:1] = 0
    if task == "race":
        reply["report"] = report([RACE])
    if task == "two_races":
        out[:] = -1
        reply["report"] = report([IN_ONE_WARP, BETWEEN_WARPS, LEFT])
    if task == "races_sometimes" and request["schedule"] // 8 % 2:
        out[:1] = 0
        reply["report"] = report([RACE])
    if task == "every_fourth_and_race":
        out[::4] = 0
        reply["report"] = report([IN_ONE_WARP])
    if task == "second_block_and_later_race":
        out[256:] -= 5
        reply["report"] = report([RACE] if n > 1000 else [])
    if task == "first_and_race":
        out[:1] = 0
        reply["report"] = report([BETWEEN_WARPS])
    if task == "never_set":
        reply["report"] = report([GLOBAL_RACE, RACED_READ, NEVER_SET])
    if task == "outside":
        out[:] = -1
        reply["report"] = report([OUTSIDE, RACE])
        reply |= {"status": "cuda_error", "message": "cudaErrorIllegalAddress", "where": "scan.cu:60"}
    if task == "in_block_order" and request["schedule"] % 8 == 5:
        reply["report"] = report([IN_BLOCK_ORDER])
    if task == "note":
        reply["report"] = report([RACE | {"kind": "early_exit", "is_note": True}])
    if task == "on_host":
        reply["report"] = report(kernels=False)
    if task == "cuda_error":
        out[:] = 0
        reply |= {
            "status": "cuda_error",
            "message": "/labs/add.cu:30: launch(n / 2): invalid configuration",
            "cuda_code": 9,
        }
    if task == "refused":
        reply["report"] = report([REFUSED])
        reply |= {"status": "cuda_error", "message": "/labs/add.cu:31: cudaErrorInvalidConfiguration", "cuda_code": 9}
    if task == "slow":
        reply["seconds"] = 8e-5
    if task == "liar" and request["timed"]:
        reply["seconds"] = 1e-12
    if task == "cached" and request["timed"]:
        out[:] = 0
    if task == "escape":
        reply |= {"status": "exception", "message": "\x1b[2Jgone [bold]x[/]"}
    if task == "long_message":
        reply |= {"status": "exception", "message": "m" * 16_405, "where": "w" * 16_405}
    if "watch writes" in request.get("what_if", "") and reply.get("report"):
        reply["report"]["watched"] = watched(task, request, out)
    if task == "no_memory":
        reply |= {"status": "memory", "message": "cudaMalloc: out of memory"}
    if task == "bad_request":
        reply |= {"status": "bad_request", "message": "unknown op call"}
    return reply


def misbehave(task: str, calls: int, grader: socket.socket) -> None:
    """What a student's code does to its own process."""
    if task == "exit0":
        os._exit(0)
    if task == "late_exit" and calls == 3:
        os._exit(0)
    if task == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if task == "host_access":
        what = "host code at add.cu:35 uses device memory: byte 0 of d_in, device pointer 0x10"
        os.write(2, f"hello\n{what}\n    35: d_in[0]\n    copy it with cudaMemcpy first\n".encode())
        os._exit(86)
    if task.startswith("stopped_"):
        signal.signal(signal.SIGUSR1, lambda *_: say_where(task, grader))
        while True:
            time.sleep(0.01)
    if task == "hang":
        time.sleep(1000)
    if task == "hang_with_child":
        with contextlib.suppress(PermissionError):
            os.fork()
        time.sleep(1000)
    if task == "insists_on_children":
        children = 0
        while children < 300:
            with contextlib.suppress(PermissionError):
                if os.fork() == 0:
                    time.sleep(1000)
                children += 1
    if task == "long_words":
        os.write(1, b"w" * 15_000 + b"\n" + b"x\n" * 200)
        os.kill(os.getpid(), signal.SIGSEGV)
    if task == "closes":
        grader.close()
        time.sleep(1000)
    if task == "prints":
        while True:
            os.write(1, b"spam " * 1000)
    if task == "prints_some":
        os.write(1, b"hello \x1b[31mred\n")
    if task == "eats_memory":
        hoard = []
        while True:
            hoard.append(np.ones(1 << 22, np.uint8))
            time.sleep(0.001)


def say_where(task: str, grader: socket.socket) -> None:
    """As the virtual GPU does when time is up; one of them answers its call after all."""
    where = "host code at add.cu:12"
    if task != "stopped_host":
        launch = 4000 if task == "stopped_launches" else 1
        where = f"kernel add_one at add.cu:31, thread 0 of block 2, after 9 warp instructions; launch {launch}, "
        where += "made at add.cu:40"
    if task == "stopped_answers":
        grader.send(b"done")
    os.write(2, f"virtual GPU: stopped: {where}\n".encode())
    if task == "stopped_seen":
        os.write(
            2, b"virtual GPU: seen before: uninitialized: add.cu:25: thread 3 read d_x at index 3: nobody wrote it\n"
        )


def device_main(words: list[str]) -> None:
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)  # it has no kernel to end
    commands, replies, shared, calls = map(int, words[:4])
    is_good = Path(words[5]).name == "good"  # a program that does every task right
    memory, runner = Memory(shared), socket.socket(fileno=calls)
    pending = b""
    while data := os.read(commands, 65536):
        pending += data
        while b"\n" in pending:
            line, _, pending = pending.partition(b"\n")
            request = json.loads(line)
            reply = {"status": "ok", "device": "fake GPU", "copy_bandwidth": 1e12}
            if request["op"] == "hello" and not answers(runner, "hello"):
                reply = {"status": "gone"}
            if request["op"] == "call":
                of_any = request["task"] == "device_dies_of_any"  # whatever program calls it
                task = "good" if is_good and not of_any else request["task"]
                if task == "device_dies_timed" and not request["timed"]:
                    task = "good"
                reply = run(task, request, memory) if answers(runner, task) else {"status": "gone"}
            if request.get("task") == "device_babbles" and not is_good:
                reply["seconds"] = -1
            os.write(replies, json.dumps(reply | {"id": request["id"]}).encode() + b"\n")


def answers(runner: socket.socket, task: str) -> bool:
    """Whether the runner has made the call."""
    try:
        runner.send(task.encode() + b"\n")
        return bool(runner.recv(64))
    except OSError:
        return False


def runner_main(grader: socket.socket) -> None:
    calls = 0
    while task := grader.recv(4096).decode().strip():
        calls += task != "hello"
        misbehave(task, calls, grader)
        grader.send(b"done")


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        runner_main(socket.socket(fileno=int(sys.argv[2])))
    else:
        device_main(sys.argv[1:])
