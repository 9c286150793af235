"""Valid replies, and changes of them: what a runner, or whoever writes in its place, might send."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

from autograder.tests.fake_device import LEFT, OUTSIDE, RACE, report

ID = "0123456789abcdef"
HERE = str(Path(__file__))
COUNTERS = {"instructions": 4000, "lanes": 9000, "global_loads": 9, "load_sectors": 80, "ideal_load_sectors": 9}
PLACE = {"file": "add.cu", "line": 12, "text": "d_out[i] = d_in[i] + 1;"}
WORDS = (
    "", "{0}", "{x}", "{space.__class__}", "%s%n", "\x1b[2J\x1b]0;x\x07", "[bold]x[/bold]", "[/]", "[link=x]",
    "\x00", "\r\n",
    "\u202e\u2066", "\u2028", "a" * 30_000, "../../../etc/passwd", "/dev/zero", "x" * 300 + ".cu", "\x00.cu",
    HERE, "add.cu:²",
    "add.cu:99999999999999999999", "add.cu:-1", "race", "early_exit", "failed_call", "deadlock", "unsupported",
    "cudaErrorInvalidValue",
    "/labs/add.cu:30: launch(n / 2): invalid", "ok", "skip", "memory", "cuda_error", "exception",
    "bad_request", "🙂", "é\u0301",
    "}", "add.cu", "void f<(int)3>(", "((((((", "virtual GPU: stopped: x; launch 999, made at \x1b.cu:1",
)  # fmt: skip
NUMBERS = (0, -1, 1, 31, 2**31 - 1, 2**31, -(2**31), 2**63 - 1, 2**63, -(2**63), 2**64, 10**100, -(10**100), 10**5000)
FLOATS = (0.0, -0.0, -1.0, 1e-320, 1e-9, 1e6, 1e7, 1e300, 1e308, float("nan"), float("inf"), float("-inf"), 0.5)
RAW = (b"\xff", b"\x00", b"\xed\xa0\x80", b"\\ud800", b"\\u0000", b"\\u001b[2J", b"NaN", b"Infinity", b"1e999",
b"-", b'"', b"}",
       b"]", b"{", b"[" * 2000, b",", b":", b"null", b"true", b"9" * 100, b"\\", b"\n", b" ", b"/*",
       b"\xef\xbb\xbf")  # fmt: skip


def valid_replies() -> list[dict[str, Any]]:
    """One of each kind, with every field somewhere."""
    kernel = {
        "name": "void add_one<int>(int const*, int*)", "by_kernel": False, "launches": 2, "grid": [2, 1, 1],
        "block": [256, 1, 1],
        "shared_bytes": 0, "registers": 16, "seconds": 1e-5, "limited_by": "dram", "total": COUNTERS,
        "lines": [{"place": PLACE, "counters": COUNTERS | {"bank_conflicts": 7, "atomics": 1, "local_sectors": 1}}],
    }  # fmt: skip
    finding = RACE | {
        "is_note": False, "kernel": "add_one", "access": "read", "place": PLACE, "other_place": PLACE | {"line": 14},
        "thread": [3, 0, 0], "block": [0, 0, 0], "other_thread": [70, 0, 0], "other_block": [0, 0, 0],
        "array": "s", "index": 31,
        "array_bytes": 1024, "access_bytes": 4,
    }  # fmt: skip
    full = {"version": 1, "seconds": 2e-5, "bytes_to_host": 0, "bytes_to_device": 0, "kernels": [kernel, kernel]}
    failed_call = LEFT | {"kind": "failed_call", "count": 3}
    ok = {
        "status": "ok", "id": ID, "message": "", "where": "", "todo": "", "cuda_code": 0, "seconds": 2e-5,
        "wall_seconds": 1e-3,
        "virtual": True, "device": "a GPU", "lost": False, "report": full | {"findings": []},
    }  # fmt: skip
    replies = [
        ok,
        ok | {"report": full | {"findings": [finding, LEFT, failed_call]}},
        ok | {"report": report([RACE, OUTSIDE, LEFT, {"kind": "leak"}, {"kind": "uninitialized", "space": "global"}])},
        ok | {"status": "cuda_error", "message": "/a/add.cu:3: f(): cudaErrorInvalidValue", "where": "add.cu:3"},
        ok | {"status": "cuda_error", "report": full | {"findings": [OUTSIDE]}},
        ok | {"status": "exception", "message": "std::bad_function_call", "report": None},
        ok | {"status": "skip", "todo": "1", "where": "add.cu:24"},
        ok | {"report": None, "copy_bandwidth": 1e12},
    ]
    return [json.loads(json.dumps(one)) for one in replies]  # each of its own


class Changes:
    """Changes of a reply, drawn from one seed."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def reply(self, valid: dict[str, Any]) -> bytes:
        """The bytes of one changed reply."""
        rng = self._rng
        value: Any = json.loads(json.dumps(valid))
        kind = rng.random()
        if kind < 0.75:
            for _ in range(rng.choice((1, 1, 2, 5))):
                value = self._value(value)
        text = dumps(value)
        if kind > 0.6:
            for _ in range(rng.choice((1, 1, 3))):
                text = self._bytes(text)
        return text

    def _value(self, value: Any) -> Any:
        """The structure with one place changed, any depth equally likely."""
        places = list(_places(value))
        parent, key = self._rng.choice(places)
        if parent is None:
            return self._other(value)
        how = self._rng.random()
        if how < 0.75:
            parent[key] = self._other(parent[key])
        elif isinstance(parent, dict):
            if how < 0.85:
                del parent[key]
            else:
                parent[self._rng.choice(WORDS)] = parent[key]
        elif how < 0.85:
            del parent[key]
        else:
            parent.extend(parent[key : key + 1] * self._rng.choice((1, 1, 40)))
        return value

    def _other(self, before: Any) -> Any:
        """Mostly of the same type, since another one is refused at once."""
        rng = self._rng
        same = rng.random() < 0.8
        if isinstance(before, bool) and same:
            return not before
        if isinstance(before, str) and same:
            return rng.choice(
                (*WORDS, before + rng.choice(WORDS), "".join(chr(rng.randrange(1, 0x3000)) for _ in range(9)))
            )
        if isinstance(before, int) and same:
            return rng.choice((*NUMBERS, before + 1, rng.getrandbits(rng.randrange(1, 70))))
        if isinstance(before, float) and same:
            return rng.choice(FLOATS)
        if isinstance(before, list) and same:
            return rng.choice(([], before * 2, before[:-1], [None], before * 30))
        return rng.choice((None, True, {}, [], before, [before], {"a": before}, *NUMBERS[:4], *FLOATS[:4], *WORDS[:6]))

    def _bytes(self, text: bytes) -> bytes:
        rng = self._rng
        at = rng.randrange(len(text) + 1)
        until = min(len(text), at + rng.choice((0, 1, 1, 4, 40)))
        new = rng.choice(
            (rng.choice(RAW), bytes([rng.randrange(256)]), b"", text[: rng.randrange(60)], text[at:until] * 2)
        )
        return text[:at] + new + text[until:]


def _places(value: Any, parent: Any = None, key: Any = None) -> Any:
    yield parent, key
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, one in items:
        yield from _places(one, value, name)


def dumps(value: Any) -> bytes:
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        return json.dumps(value).encode("utf-8", "surrogatepass")
    finally:
        sys.set_int_max_str_digits(before)
