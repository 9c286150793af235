"""The lab program as people use it: every mistake gets one clear line and status 2. Only the standard library."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD = Path(sys.argv.pop(1)).resolve()
LAB1 = BUILD / "solution1"
LAB5 = BUILD / "solution5"
DATASETS = Path(__file__).resolve().parents[3] / "datasets"


def run(*arguments: str, folder: str = "/", program: Path = LAB1) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k != "CUDA_LABS_VIRTUAL"}
    command = [str(program), *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def npy(descr: str, shape: str, data: bytes) -> bytes:
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


class WithFiles(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name: str, data: bytes) -> str:
        path = self.folder / name
        path.write_bytes(data)
        return str(path)


class BadUse(WithFiles):
    def assert_refused(self, says: str, *arguments: str) -> None:
        got = run(*arguments)
        self.assertEqual((got.returncode, got.stdout), (2, ""), got)
        self.assertEqual(got.stderr.count("\n"), 1, got.stderr)
        self.assertIn(says, got.stderr)

    def test_arguments(self) -> None:
        self.assert_refused("unknown option '--fast'", "--fast")
        self.assert_refused("it has one_block, grid, grid_stride, vectorized", "--task", "girid")
        self.assert_refused("--task needs a value", "--task")
        self.assert_refused("'many' is not a whole number", "--n", "many")
        self.assert_refused("'-1' is less than 0", "--task", "grid", "--n", "-1")
        self.assert_refused("takes n from 0 to 67,108,864", "--task", "grid", "--n", "67108865")
        self.assert_refused("takes n from 0 to 67,108,864", "--n", "67108865")
        self.assert_refused("has no variant 'sum'; it has none", "--task", "grid", "--variant", "sum")
        self.assert_refused("--variant needs --task", "--variant", "sum")
        self.assert_refused("--dtype is for --input", "--dtype", "int32")

    def test_input_files(self) -> None:
        grid = ("--task", "grid", "--input")
        self.assert_refused("/none.npy: cannot be read: No such file", *grid, "/none.npy")
        self.assert_refused("is a folder", *grid, str(self.folder))
        self.assert_refused("is not a .npy file", *grid, self.file("a.npy", b"hello"))
        whole = self.file("b.npy", npy("<i4", "(1,)", bytes(4)))
        self.assert_refused("holds int32, task grid takes float32", *grid, whole)
        fits = "; with --variant diamonds_uint8 it takes uint8"  # names what would do
        cards = self.file("cards.npy", npy("|u1", "(2,)", bytes(2)))
        got = run("--task", "fused", "--input", cards, program=BUILD / "solution4")
        self.assertIn(fits, got.stderr)
        matrix = self.file("c.npy", npy("<f4", "(2, 2)", bytes(16)))
        self.assert_refused("has shape (2, 2), expected one dimension", *grid, matrix)
        self.assert_refused("its header says 3 values", *grid, self.file("d.npy", npy("<f4", "(3,)", bytes(8))))
        self.assert_refused("is 1 byte long, no multiple of the 4 bytes", *grid, self.file("e.bin", bytes(1)))
        self.assert_refused("unknown type 'int33'", *grid, self.file("f.bin", bytes(8)), "--dtype", "int33")
        self.assert_refused("holds float64, task grid takes", *grid, self.file("g.bin", bytes(8)), "--dtype", "float64")
        good = self.file("h.bin", bytes(8))
        self.assert_refused("--n 3: ", *grid, good, "--n", "3")
        self.assert_refused("takes 1 input, 2 files given", *grid, good, "--input", good)
        self.assert_refused("task vectorized takes 1 input, 2 files given", "--input", good, "--input", good)

    @unittest.skipIf(os.access("/root", os.R_OK), "root reads everything")
    def test_unreadable_file(self) -> None:
        path = self.file("secret.bin", bytes(4))
        Path(path).chmod(0)
        self.assert_refused("cannot be read: Permission denied", "--task", "grid", "--input", path)

    def test_devices(self) -> None:
        if not Path("/dev/nvidiactl").exists():
            self.assert_refused("no NVIDIA GPU answers", "--device", "gpu")


class WithoutADevice(unittest.TestCase):
    def test_help_version_list(self) -> None:
        for option, says in (("--help", "usage: solution1"), ("--version", "lab 1 square"), ("--list", "grid_stride")):
            got = run(option)
            self.assertEqual((got.returncode, got.stderr), (0, ""))
            self.assertIn(says, got.stdout)


@unittest.skipUnless(LAB5.exists(), "solution5 is not built")
class RealFiles(WithFiles):
    """What is in datasets/, by the lab that reads it: a text, triangles, elements with counts."""

    def right(self, *arguments: str) -> str:
        got = run(*arguments, "--check", program=LAB5)
        self.assertEqual((got.returncode, got.stderr), (0, ""), got)
        self.assertIn("check: right", got.stdout)
        return got.stdout

    def test_words_of_a_text(self) -> None:
        text, out, table = DATASETS / "word_market.txt", self.folder / "words.txt", self.folder / "words.tsv"
        said = self.right("--input", str(text), "--output", str(out), "--output", str(table))
        data = text.read_bytes()
        words = data.split()  # at the same six blanks
        self.assertFalse(data.endswith(b"\n"))
        self.assertIn(f"words · {len(data):,} bytes (word_market.txt) · {len(words)} words, the longest 25 bytes", said)
        self.assertEqual(out.read_bytes(), b"".join(word + b"\n" for word in words))
        for line in table.read_bytes().splitlines()[1:]:
            offset, length, word = line.split(b"\t")
            self.assertEqual(data[int(offset) :][: int(length)], word)

    def test_triangles_in_a_window(self) -> None:
        out, picture = self.folder / "found.npy", self.folder / "found.svg"
        rosette = ("--input", str(DATASETS / "rosette.csv"), "--output", str(out), "--output", str(picture))
        self.assertIn("count_scan_scatter · 72 triangles, window 0..1000 x 0..1000", self.right(*rosette))
        self.assertIn(b"(696,)", out.read_bytes()[:128], "116 triangles of six numbers")
        self.assertEqual(picture.read_text("utf-8").count('class="out"'), 116)
        said = self.right("--task", "max_slots", *rosette, "--right", "500")
        self.assertRegex(said, r"62 triangles in 360 slots: 83 % empty, 6.98 KiB wasted · .* · workspace 9.00 KiB")

    def test_elements_with_counts(self) -> None:
        out = self.folder / "out.txt"
        self.right("--task", "load_balanced", "--input", str(DATASETS / "runs.csv"), "--output", str(out))
        self.assertEqual(out.read_text("utf-8").split(), ["7"] * 3 + ["-1"] + ["42"] * 20 + ["5"] * 2000 + ["9"])


class OnADevice(WithFiles):
    def test_summary(self) -> None:
        got = run("--task", "grid", "--n", "1000", "--seed", "5", "--cpu", "--check")
        self.assertEqual(got.returncode, 0, got)
        self.assertIn("grid · 1,000 float32 (seed 5) · sum ", got.stdout)
        self.assertIn("GB/s", got.stdout)
        self.assertIn("% of copy", got.stdout)
        # Of the device and in the speed-up's line, once each; a GPU's times are measured.
        self.assertEqual(got.stdout.count("modelled"), 2 if "Virtual GPU" in got.stdout else 0, got.stdout)
        self.assertRegex(
            got.stdout, r"plain CPU version, one thread: \S+ \w+ · speed-up [\d.]+x, with transfers [\d.]+x"
        )
        self.assertIn("check: right", got.stdout)

    def test_all_tasks_without_task(self) -> None:
        got = run("--n", "1000", "--check")
        self.assertEqual(got.returncode, 0, got)
        self.assertEqual(got.stdout.count("(seed 0)"), 4)
        self.assertEqual(got.stdout.count("check: right"), 4)

    def test_files(self) -> None:
        values = [1.5, -2.0, 0.0, 1e30, 3.0]
        data = struct.pack("<5f", *values)
        for name in ("in.npy", "in.bin"):
            path = self.file(name, npy("<f4", "(5,)", data) if name.endswith("npy") else data)
            for task in ("one_block", "vectorized"):
                out = self.folder / ("out" + name[2:])
                got = run("--task", task, "--input", path, "--output", str(out))
                self.assertEqual(got.returncode, 0, got)
                raw = out.read_bytes()
                self.assertEqual(struct.unpack("<5f", raw[-20:]), (2.25, 4.0, 0.0, float("inf"), 9.0))
                self.assertEqual(raw[:6] == b"\x93NUMPY", name.endswith("npy"))

    def test_device_is_said_to_be_modelled_once(self) -> None:
        for profile in ("teaching", "h200"):
            got = run("--task", "grid", "--n", "1e3", "--device", profile)
            self.assertEqual(got.stdout.count("modelled"), 1, got.stdout)

    def test_empty_input(self) -> None:
        got = run("--task", "grid", "--input", self.file("in.bin", b""), "--output", str(self.folder / "out.bin"))
        self.assertEqual(got.returncode, 0, got)
        self.assertEqual((self.folder / "out.bin").read_bytes(), b"")

    def test_output_that_cannot_be_written(self) -> None:
        got = run("--task", "grid", "--n", "10", "--output", "/no/such/folder/out.npy")
        self.assertEqual(got.returncode, 2, got)
        self.assertEqual(got.stderr.count("\n"), 1)
        got = run("--task", "grid", "--n", "10", "--output", "a", "--output", "b")
        self.assertEqual(got.returncode, 2, got)

    def test_unknown_profile(self) -> None:
        got = run("--task", "grid", "--n", "10", "--device", "no_such_profile")
        self.assertEqual(got.returncode, 2, got)
        self.assertEqual(got.stderr.count("\n"), 1, got.stderr)

    def test_skeleton_is_not_started(self) -> None:
        skeleton = BUILD / "lab1"
        if not skeleton.exists():
            self.skipTest("lab1 is not built")
        got = run("--task", "grid", program=skeleton)
        if "not started" not in got.stdout:
            self.skipTest("somebody has begun lab 1")
        self.assertEqual(got.returncode, 1)
        self.assertRegex(got.stdout, r"not started: square\.cu:\d+ TODO 2")
        files = (
            "--input",
            self.file("in.bin", struct.pack("<5f", *range(5))),
            "--output",
            str(self.folder / "out.bin"),
        )
        got = run(*files, program=skeleton)  # the last task that takes the file, then those before it
        self.assertEqual(got.returncode, 1)
        self.assertEqual(
            re.findall(r"not started: square\.cu:\d+ TODO (\d)", got.stdout), ["4", "3", "2"]
        )  # 1 has host arrays
        self.assertFalse((self.folder / "out.bin").exists())
        self.assertEqual(run("--task", "grid_stride", *files, program=skeleton).stdout.count("not started"), 1)


if __name__ == "__main__":
    unittest.main()
