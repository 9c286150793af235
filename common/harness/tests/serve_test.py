"""The device process and a runner: the grader's protocol, spoken to directly. Only the standard library."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import struct
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

BUILD = Path(sys.argv.pop(1)).resolve()
N = 1025


class Served(unittest.TestCase):
    PROGRAM = "solution1"

    def setUp(self) -> None:
        self.memory = os.memfd_create("arrays", os.MFD_ALLOW_SEALING)
        os.ftruncate(self.memory, 1 << 20)
        seals = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
        fcntl.fcntl(self.memory, fcntl.F_ADD_SEALS, seals)
        commands, self.commands = os.pipe()
        replies, reply_end = os.pipe()
        self.replies = os.fdopen(replies)
        calls, session = socket.socketpair(), socket.socketpair()
        program = str(BUILD / self.PROGRAM)
        fds = (commands, reply_end, self.memory, calls[0].fileno(), session[0].fileno())
        environment = os.environ | {
            "VGPU_SESSION": str(session[1].fileno()),
            "LD_LIBRARY_PATH": str(BUILD / "virtual_gpu/for_runners"),
        }
        ends = (calls[1].fileno(), session[1].fileno())
        self.runner = subprocess.Popen(
            self.runner_command(program, calls[1].fileno()),
            pass_fds=ends,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        words = [str(BUILD / "device"), *map(str, fds), program, "virtual", f"pid:{self.runner.pid}"]
        self.device = subprocess.Popen(words, pass_fds=fds, stdout=subprocess.PIPE, text=True)
        for end in (*calls, *session):
            end.close()
        os.close(commands)
        os.close(reply_end)
        self.addCleanup(self.end)

    def runner_command(self, program: str, calls: int) -> list[str]:
        return [program, "--serve", str(calls), "--device", "virtual"]

    def end(self) -> None:
        os.close(self.commands)
        self.replies.close()
        for process in (self.device, self.runner):
            assert process.stdout is not None
            self.assertEqual(process.stdout.read(), "", "nothing on stdout")
            process.stdout.close()
            self.assertEqual(process.wait(timeout=20), 0)
        os.close(self.memory)

    def ask(self, line: str) -> dict[str, Any]:
        os.write(self.commands, line.encode() + b"\n")
        reply = json.loads(self.replies.readline())
        assert isinstance(reply, dict)
        return reply


class Serve(Served):
    def call(self, task: str, **more: Any) -> dict[str, Any]:
        spec = {"dtype": "float32", "count": N, "shift": 0, "on_host": task == "one_block"}
        arrays = [
            {"name": "in", "role": "in", "at": 0, "back": 1 << 17, **spec},
            {"name": "out", "role": "out", "at": 1 << 18, **spec},
        ]
        request = {"op": "call", "task": task, "variant": "", "n": N, "seed": 1, "arrays": arrays, **more}
        return self.ask(json.dumps(request))

    def test_calls(self) -> None:
        data = struct.pack(f"<{N}f", *range(N))
        for task in ("one_block", "grid", "grid_stride", "vectorized"):
            os.pwrite(self.memory, data, 0)
            os.pwrite(self.memory, b"\x5b" * len(data), 1 << 18)
            reply = self.call(task, schedule=3, checks=True, counters=True, timed=True)
            self.assertEqual((reply["status"], reply["message"], reply["lost"]), ("ok", "", False), reply)
            self.assertGreater(reply["seconds"], 0)
            out = struct.unpack(f"<{N}f", os.pread(self.memory, len(data), 1 << 18))
            self.assertEqual(out, tuple(float(i * i) for i in range(N)))
            self.assertEqual(os.pread(self.memory, len(data), 1 << 17), data, "the input came back")
            self.assertEqual([f for f in reply["report"]["findings"] if not f["is_note"]], [])

    def test_calls_in_one_batch(self) -> None:
        spec = {"dtype": "float32", "shift": 0, "on_host": False}
        counts = (5, N, 40)
        calls: list[dict[str, Any]] = []
        for call, count in enumerate(counts):
            at = call << 16
            os.pwrite(self.memory, struct.pack(f"<{count}f", *range(call, call + count)), at)
            given = {"name": "in", "role": "in", "at": at, "count": count, **spec}
            out = {"name": "out", "role": "out", "at": at + (1 << 15), "count": count, **spec}
            calls.append({"task": "grid", "variant": "", "n": count, "arrays": [out, given]})
        request = {"op": "call", **calls[0], "further": calls[1:]}

        def outputs() -> list[tuple[float, ...]]:
            return [
                struct.unpack(f"<{count}f", os.pread(self.memory, 4 * count, (call << 16) + (1 << 15)))
                for call, count in enumerate(counts)
            ]

        self.assertEqual(self.ask(json.dumps(request | {"nothing": True}))["status"], "ok")
        self.assertEqual([set(out) for out in outputs()], [{0.0}] * 3, "nothing was called")
        reply = self.ask(json.dumps(request))
        self.assertEqual((reply["status"], len(reply["report"]["kernels"])), ("ok", 3), reply)
        for call, out in enumerate(outputs()):
            self.assertEqual(out, tuple(float((call + i) ** 2) for i in range(counts[call])))
        calls[1]["task"] = "nope"
        self.assertIn("no function is bound to task nope", self.ask(json.dumps(request))["message"])

    def test_a_call_under_a_rule(self) -> None:
        once = self.call("grid")["report"]["kernels"][0]
        rules = f"rewind; launch {once['name'].split('(')[0].split('::')[-1]} grid*2"
        self.assertEqual(self.call("grid", what_if=rules)["report"]["kernels"][0]["grid"][0], 2 * once["grid"][0])

    def test_bad_requests(self) -> None:
        for line in ("", "{}", "[1]", "not json", '{"op":"dance"}', '{"op":"call"}', '{"op":"call","task":7}'):
            self.assertEqual(self.ask(line)["status"], "bad_request", line)
        self.assertIn("no function is bound to task nope", self.call("nope")["message"])
        beyond = [{"name": "in", "role": "in", "at": (1 << 20) - 4, "dtype": "float32", "count": N}]
        self.assertIn("outside of the shared memory", self.call("grid", arrays=beyond)["message"])
        huge = [{"name": "in", "role": "in", "at": 0, "dtype": "float32", "count": 1 << 62}]
        self.assertEqual(self.call("grid", arrays=huge)["status"], "bad_request")
        self.assertIn("no such what-if rule", self.call("grid", what_if="nonsense")["message"])
        self.assertEqual(self.call("grid")["status"], "ok", "and goes on")


HOSTILE = """
import os, random, socket, struct, sys
calls = socket.socket(fileno=int(sys.argv[1]))
session = socket.socket(fileno=int(os.environ["VGPU_SESSION"]))
random.seed(int(sys.argv[2]))
answers = [
    random.randbytes(random.randrange(100)),
    struct.pack("<QQ", 1 << random.randrange(63), 1 << random.randrange(63)),
    struct.pack("<QQ", 2, 0) + b"{}",
    struct.pack("<QQ", 4, 0) + b"null",
    struct.pack("<QQ", 50000, 0) + b"[" * 50000,
    struct.pack("<QQ", 15, 0) + b'{"status":"ok"}',
    struct.pack("<QQ", 39, 0) + b'{"op":"workspace","index":9,"bytes":-1}',
]
calls.recv(1 << 16)
try:  # until the device process has had enough
    for _ in range(random.randrange(3)):  # questions of the right form, with anything in them
        size = random.randrange(200)
        session.sendall(struct.pack("<IBBH", size, random.randrange(40), random.randrange(256), 0))
        session.sendall(random.randbytes(size))
    calls.sendall(random.choice(answers))
except OSError:
    pass
calls.close()
"""


class ServeTheHostile(Served):
    """A runner that sends anything: the device process says that it is gone, and ends itself in order."""

    seed = 0

    def runner_command(self, program: str, calls: int) -> list[str]:
        return [sys.executable, "-c", HOSTILE, str(calls), str(self.seed)]

    def test_the_runner_is_gone(self) -> None:
        spec = {"dtype": "float32", "count": N}
        arrays = [{"name": "in", "role": "in", "at": 0, **spec}, {"name": "out", "role": "out", "at": 1 << 18, **spec}]
        for self.seed in range(60):
            if self.seed != 0:
                self.setUp()
            reply = self.ask(json.dumps({"op": "call", "task": "grid", "variant": "", "n": N, "arrays": arrays}))
            self.assertIn(reply["status"], ("gone", "bad_request", "exception"), self.seed)
            if self.seed != 59:
                self.doCleanups()


SCRIPTED = """
import json, os, socket, struct, sys, time
calls = socket.socket(fileno=int(sys.argv[1]))
session = socket.socket(fileno=int(os.environ["VGPU_SESSION"]))
when, kind = sys.argv[2], int(sys.argv[3])

def ask(answered=True):
    message = bytes.fromhex(sys.argv[4])
    session.sendall(struct.pack("<IBBH", len(message), kind, 0, 0) + message)
    if answered:
        session.recv(4096)

def play():
    if when == "starting":
        ask()
    while head := calls.recv(16, socket.MSG_WAITALL):
        text, data = struct.unpack("<QQ", head)
        op = json.loads(calls.recv(text, socket.MSG_WAITALL))["op"]
        if op == when or (op, when) == ("call_one", "twice"):
            ask()
        if when == "after_" + op:
            ask(False)  # another thread asks while this one answers
        answer = {"status": "ok", "message": "", "where": "", "todo": "", "cuda_code": 0, "workspace": 0, "lost": False}
        if (op, when) == ("prepare", "forged"):
            answer = {"op": "workspace", "index": 0, "bytes": 64}
        reply = json.dumps(answer)
        for _ in range(2 if (op, when) == ("call_one", "twice") else 1):
            calls.sendall(struct.pack("<QQ", len(reply), 0) + reply.encode())

try:
    play()
except OSError:  # the device process has ended
    pass
"""
ALLOCATE, ALLOCATES = 5, struct.pack("<Q?iI", 4096, False, 0, 0).hex()  # wire::Op::allocate
STOPPED, STOPS = 28, struct.pack("<II", 0, 0).hex()
WAIT, WAITS = 22, struct.pack("<Bi?", 0, 0, False).hex()
# When the runner asks what, and what the device process says of it; "": nothing.
MOMENTS = (
    ("starting", ALLOCATE, ALLOCATES, "cudaMalloc outside of a call: before the first one"),
    ("starting", WAIT, WAITS, ""),
    ("recover", ALLOCATE, ALLOCATES, "cudaMalloc outside of a call: before the first one"),
    ("prepare", ALLOCATE, ALLOCATES, "cudaMalloc outside of a call: while the next one is prepared"),
    ("prepare", WAIT, WAITS, "cudaDeviceSynchronize outside of a call: while the next one is prepared"),
    ("prepare", STOPPED, STOPS, ""),
    ("after_prepare", ALLOCATE, ALLOCATES, "cudaMalloc outside of a call: "),
    ("call_one", ALLOCATE, ALLOCATES, ""),
    ("call_one", 200, "", "a question of kind 200"),
    ("call_one", ALLOCATE, "", "cudaMalloc, in a message that makes no sense"),
    ("collect", WAIT, WAITS, ""),
    ("collect", ALLOCATE, ALLOCATES, "cudaMalloc outside of a call: after the task has returned"),
    ("after_collect", ALLOCATE, ALLOCATES, "cudaMalloc outside of a call: "),
    ("twice", ALLOCATE, ALLOCATES, "cudaMalloc outside of a call"),  # its answers come before the questions
    ("forged", STOPPED, STOPS, "cannot be read"),  # an array of the Workspace before the call
)


class ServeTheStates(Served):
    """A runner that does all that it is asked, and at one moment asks for something itself."""

    moment: tuple[str, int, str, str] = MOMENTS[0]

    def runner_command(self, program: str, calls: int) -> list[str]:
        when, kind, message, _ = self.moment
        return [sys.executable, "-c", SCRIPTED, str(calls), when, str(kind), message]

    def test_each_moment(self) -> None:
        spec = {"dtype": "float32", "count": N}
        arrays = [{"name": "in", "role": "in", "at": 0, **spec}, {"name": "out", "role": "out", "at": 1 << 18, **spec}]
        call = json.dumps({"op": "call", "task": "grid", "variant": "", "n": N, "arrays": arrays})
        for self.moment in MOMENTS:
            if self.moment != MOMENTS[0]:
                self.setUp()
            replies = [self.ask('{"op":"hello"}')]
            while len(replies) < 3 and not replies[-1].get("lost") and replies[-1]["status"] != "gone":
                replies.append(self.ask(call))
            wanted = self.moment[3]
            if wanted:
                self.assertIn(wanted, replies[-1]["message"], self.moment)
                self.assertIn(replies[-1]["status"], ("exception", "gone"), self.moment)
            else:
                self.assertEqual([reply["status"] for reply in replies], ["ok"] * 3, (self.moment, replies))
            if self.moment != MOMENTS[-1]:
                self.doCleanups()


class ServeWithScalars(Served):
    PROGRAM = "tests/tiny_lab/tiny_lab"

    def call(self, scalars: Any) -> dict[str, Any]:
        spec = {"dtype": "uint8", "count": 3}
        arrays = [
            {"name": "d_in", "role": "in", "at": 0, **spec},
            {"name": "d_out", "role": "out", "at": 4096, **spec},
        ]
        return self.ask(json.dumps({"op": "call", "task": "raise", "variant": "", "n": 3, "arrays": arrays} | scalars))

    def test_scalars(self) -> None:
        os.pwrite(self.memory, bytes([1, 2, 250]), 0)
        reply = self.call({"scalars": {"by": 7}})
        self.assertEqual((reply["status"], reply["message"]), ("ok", ""), reply)
        self.assertEqual(os.pread(self.memory, 3, 4096), bytes([8, 9, 255]))

    def test_bad_scalars(self) -> None:
        for bad in ({"by": "7"}, {"by": 1.5}, [7], 7, {"by": None}):
            self.assertEqual(self.call({"scalars": bad})["status"], "bad_request", bad)
        reply = self.call({})
        self.assertEqual(reply["status"], "exception")
        self.assertEqual(reply["message"], "task raise was called without its by")


if __name__ == "__main__":
    unittest.main()
