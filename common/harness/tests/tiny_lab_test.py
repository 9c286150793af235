"""A lab's own files, settings, scalars and results of variable size, on the tiny lab. Only the standard library."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

BUILD = Path(sys.argv.pop(1)).resolve()
TINY = BUILD / "tests/tiny_lab/tiny_lab"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k != "CUDA_LABS_VIRTUAL"}
    return subprocess.run([str(TINY), *arguments], env=environment, capture_output=True, text=True, timeout=120)


class WithFiles(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.picture = self.folder / "in.pgm"
        self.picture.write_bytes(b"P5\n3 2\n255\n" + bytes([0, 5, 10, 20, 250, 255]))

    def right(self, *arguments: str) -> str:
        got = run(*arguments)
        self.assertEqual((got.returncode, got.stderr), (0, ""), got)
        return got.stdout

    def refused(self, says: str, *arguments: str) -> None:
        got = run(*arguments)
        self.assertEqual((got.returncode, got.stdout), (2, ""), got)
        self.assertEqual(got.stderr.count("\n"), 1, got.stderr)
        self.assertIn(says, got.stderr)

    def test_image_in_image_out(self) -> None:
        out = self.folder / "out.ppm"
        said = self.right("--task", "raise", "--input", str(self.picture), "--output", str(out), "--check", "--cpu")
        self.assertIn("raise · 6 pixels, 3 a row (in.pgm) · 6 pixels raised", said)
        self.assertIn("check: right", said)
        expected = b"".join(bytes([v] * 3) for v in (10, 15, 20, 30, 255, 255))
        self.assertEqual(out.read_bytes(), b"P6\n3 2\n255\n" + expected)

    def test_settings_decide(self) -> None:
        out = self.folder / "out.raw"
        self.right("--task", "raise", "--input", str(self.picture), "--by", "1", "--check", "--output", str(out))
        self.assertEqual(list(out.read_bytes()), [1, 6, 11, 21, 251, 255])
        self.assertIn("check: right", self.right("--task", "raise", "--n", "100", "--by", "0", "--check"))
        self.assertIn("check: right", self.right("--task", "raise", "--n", "100", "--seed", "3", "--check"))

    def test_settings_are_in_help(self) -> None:
        said = self.right("--help")
        for text in ("--by N", "how much; default 10", "--border WORD", "(clamp, wrap)", "PGM, PPM or PNG"):
            self.assertIn(text, said)

    def test_only_elements_that_count_are_written(self) -> None:
        out, count, picture = (self.folder / name for name in ("out.raw", "count.raw", "kept.png"))
        files = ("--output", str(out), "--output", str(count))
        said = self.right("--task", "keep", "--input", str(self.picture), *files, "--check")
        self.assertIn("4 values kept", said)
        self.assertEqual(list(out.read_bytes()), [10, 20, 250, 255])
        self.assertEqual(count.read_bytes(), (4).to_bytes(4, "little"))
        self.refused("gives 2 outputs, 3 files named", "--task", "keep", "--n", "9", *files, "--output", str(out))
        if run("--task", "raise", "--input", str(self.picture), "--output", str(picture)).returncode == 0:
            self.assertIn("(kept.png)", self.right("--task", "keep", "--input", str(picture), *files, "--check"))

    def test_elements_past_the_result(self) -> None:
        got = run("--task", "sloppy", "--input", str(self.picture), "--check")
        self.assertEqual(got.returncode, 1, got)
        self.assertIn("1 of 6 values of d_out wrong, the first at 4: 0, expected untouched", got.stdout)

    def test_arrays_of_different_lengths(self) -> None:
        one, two, out = (self.folder / name for name in ("one.raw", "two.raw", "out.raw"))
        one.write_bytes(bytes([7, 8, 9]))
        two.write_bytes(bytes([1]))
        both = ("--input", str(one), "--input", str(two))
        said = self.right(*both, "--output", str(out), "--check")  # the last task that takes two
        self.assertIn("join · 4 pixels, 4 a row (one.raw, two.raw) · 4 pixels joined", said)
        self.assertIn("check: right", said)
        self.assertEqual(list(out.read_bytes()), [7, 8, 9, 1])
        self.assertIn("3 pixels", self.right("--task", "raise", "--input", str(one), "--check"))
        self.refused("one.raw cannot be joined alone", "--task", "join", "--input", str(one))
        self.refused("two.raw hold 4 elements", *both, "--n", "5")
        self.refused("takes 2 inputs, 3 files given", "--task", "join", *both, "--input", str(one))

    def test_mistakes(self) -> None:
        picture = ("--task", "raise", "--input", str(self.picture))
        self.refused("--by: '256' is not from 0 to 255", *picture, "--by", "256")
        self.refused("--border: 'zero' is none of clamp, wrap", *picture, "--border", "zero")
        self.refused("--border wrap needs --by above 0", *picture, "--border", "wrap", "--by", "0")
        self.refused("there is a second --input", *picture, "--input", str(self.picture))
        self.refused(f"--n 7: for {self.picture} n is 6", *picture, "--n", "7")
        self.refused("none.png: cannot be read: No such file", "--task", "raise", "--input", "/none.png")
        self.refused("is a folder", "--task", "raise", "--input", str(self.folder))
        broken = self.folder / "broken.pgm"
        broken.write_bytes(b"P5\n3 2\n255\nab")
        self.refused("broken.pgm: is cut off", "--task", "raise", "--input", str(broken))
        self.refused("output, 2 files named", *picture, "--output", "a.npy", "--output", "b.npy")
        got = run(*picture, "--output", str(self.folder / "out.jpg"))
        self.assertEqual((got.returncode, got.stderr.count("\n")), (2, 1), got)
        self.assertIn("out.jpg: an image can be written as .pgm, .ppm or .png", got.stderr)


class EndsOfAProgram(unittest.TestCase):
    """A task that ends the program never looks like one that is right."""

    def ends(self, task: str, *statuses: int) -> str:
        got = run("--task", task)
        self.assertIn(got.returncode, statuses, got)
        return got.stderr.splitlines()[0]

    def test_exit(self) -> None:
        self.assertEqual(self.ends("leaves", 1), "lab 99: task leaves: called exit(0); a task must return")

    def test_exit_at_once(self) -> None:
        """_exit() runs no handler of the C library."""
        said = "lab 99: task leaves_at_once: called _exit(0); a task must return"
        self.assertEqual(self.ends("leaves_at_once", 1), said)

    def test_crash(self) -> None:
        self.assertRegex(self.ends("crash", -11), "^lab 99: task crash: crashed in its host code: is a device pointer")

    def test_host_access(self) -> None:
        if "Virtual GPU" in run("--task", "raise").stdout:
            said = self.ends("host_access", 86)
            self.assertRegex(
                said, r"^host code at tiny_lab\.cc:\d+ uses device memory: byte 0 of d_out, device pointer"
            )
        else:
            self.assertIn("crashed in its host code", self.ends("host_access", -11))


class Oracle(unittest.TestCase):
    """What the grader asks the oracle."""

    def setUp(self) -> None:
        self.library = ctypes.CDLL(str(TINY.parent / "liboracle99.so"))
        self.library.oracle_shape.restype = ctypes.c_char_p
        self.library.oracle_check.restype = ctypes.c_char_p

    def shape(self, seed: int, scalars: bytes | None) -> dict[str, Any]:
        call = (b"raise", b"", ctypes.c_int64(6), ctypes.c_uint64(seed), scalars)
        answer = json.loads(self.library.oracle_shape(*call))
        assert isinstance(answer, dict)
        return answer

    def test_scalars(self) -> None:
        self.assertEqual(self.shape(0, None)["scalars"], {"border": 0, "by": 10, "width": 6})
        self.assertEqual(self.shape(0, None)["text"], "6 pixels, 6 a row")
        self.assertEqual(self.shape(5, None), self.shape(5, None))
        self.assertNotEqual(self.shape(5, None)["scalars"]["by"], self.shape(6, None)["scalars"]["by"])
        self.assertEqual(self.shape(0, b'{"by":3,"width":2}')["scalars"], {"border": 0, "by": 3, "width": 2})
        for bad in (b"{", b"[]", b'{"by":"x"}', b'{"by":1.5}'):
            self.assertIn("error", self.shape(0, bad))

    def check(self, out: bytes, count: int, poison: int) -> dict[str, Any]:
        given, counted = ctypes.create_string_buffer(bytes([1, 10, 20]), 3), ctypes.c_int32(count)
        result = ctypes.create_string_buffer(out, 3)
        pointers = ctypes.c_void_p * 2
        outputs = pointers(ctypes.addressof(result), ctypes.addressof(counted))
        inputs = pointers(ctypes.addressof(given), 0)
        call = (b"keep", b"", ctypes.c_int64(3), ctypes.c_uint64(0), None)
        answer = json.loads(self.library.oracle_check(*call, inputs, outputs, poison, None, None))
        assert isinstance(answer, dict)
        return answer

    def test_results_of_variable_size(self) -> None:
        right = self.check(bytes([10, 20, 0x99]), 2, 0x99)
        self.assertTrue(right["ok"])
        self.assertEqual([output["count"] for output in right["outputs"]], [2, 1])
        self.assertEqual(self.check(bytes([10, 20, 0x98]), 2, 0x99)["outputs"][0], {"wrong": 1, "first": 2, "count": 2})
        self.assertTrue(self.check(bytes([10, 20, 0x98]), 2, -1)["ok"], "nobody knows what was there before")
        self.assertFalse(self.check(bytes([10, 20, 0x99]), 3, 0x99)["ok"])


if __name__ == "__main__":
    unittest.main()
