"""What is said about a lab in several places must agree: table of tasks, lab.toml, the solution's map of the ladder.

Also that every figure of a handout is there, and that a skeleton names its TODOs in order. Only the standard library.
"""

from __future__ import annotations

import ctypes
import functools
import json
import re
import sys
import tomllib
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any

BUILD = Path(sys.argv.pop(1)).resolve()
ROOT = Path(__file__).resolve().parents[3]


@functools.cache
def library(lab: int) -> ctypes.CDLL:
    found = ctypes.CDLL(str(BUILD / f"liboracle{lab}.so"))
    for name in ("lab", "shape", "generate"):
        getattr(found, f"oracle_{name}").restype = ctypes.c_char_p
    return found


def labs() -> list[dict[str, Any]]:
    numbers = sorted(int(path.stem.removeprefix("liboracle")) for path in BUILD.glob("liboracle[0-9]*.so"))
    assert numbers, f"no oracles in {BUILD}"
    return [json.loads(library(number).oracle_lab()) for number in numbers]


def folder(parent: str, lab: dict[str, Any]) -> Path:
    return ROOT / parent / f"{lab['number']:02}-{lab['name']}"


class Labs(unittest.TestCase):
    def test_manifest(self) -> None:
        for lab in labs():
            with self.subTest(lab["name"]):
                manifest = tomllib.loads((folder("labs", lab) / "grading" / "lab.toml").read_text("utf-8"))
                for key in ("number", "name", "title"):
                    self.assertEqual(manifest[key], lab[key])
                self.assertEqual([t["name"] for t in manifest["task"]], [t["name"] for t in lab["tasks"]])
                self.assertEqual(sum(t["points"] for t in manifest["task"]), 100)

    def test_map_of_the_ladder(self) -> None:
        for lab in labs():
            with self.subTest(lab["name"]):
                home = folder("solutions", lab)
                rows = re.findall(
                    r"^\| \[`(\w+)`\]\((\S+)\) \|[^|]*\| (.*) \|$", (home / "README.md").read_text("utf-8"), re.M
                )
                self.assertEqual(
                    [(name, idea) for name, _, idea in rows], [(t["name"], t["idea"]) for t in lab["tasks"]]
                )
                self.assertEqual([file for _, file, _ in rows], [f"{task['name']}.cu" for task in lab["tasks"]])
                files = {path.name for path in home.glob("*.cu")} - {"tuned.cu"}  # a record
                self.assertEqual(files, {file for _, file, _ in rows})

    def test_skeleton(self) -> None:
        for lab in labs():
            with self.subTest(lab["name"]):
                source = (folder("labs", lab) / f"{lab['name']}.cu").read_text("utf-8")
                todos = [int(number) for number in re.findall(r'todo\("(\d+)"\)', source)]
                if len(todos) < len(lab["tasks"]):
                    self.skipTest("somebody has begun this lab")
                self.assertEqual(todos, list(range(1, len(lab["tasks"]) + 1)))
                questions = re.findall(r"^ *// (\d+)\.(\d+) ", source, re.MULTILINE)
                by_task: dict[str, list[int]] = {}
                for task, question in questions:
                    by_task.setdefault(task, []).append(int(question))
                self.assertEqual([int(task) for task in by_task], todos)
                for task, numbers in by_task.items():
                    self.assertEqual(numbers, list(range(1, len(numbers) + 1)), f"questions of task {task}")

    def test_handout(self) -> None:
        for lab in labs():
            with self.subTest(lab["name"]):
                home = folder("labs", lab)
                handout = (home / "README.md").read_text("utf-8")
                for target in re.findall(r"\]\(([^)#:]+)\)", handout):
                    self.assertTrue((home / target).exists(), f"the handout points to {target}")
                for task in lab["tasks"]:
                    self.assertIn(f"`{task['name']}`", handout)

    def test_sizes(self) -> None:
        """Up to half as much again as the size that is timed: beyond that, checking takes too long."""
        edges = {0, 1, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 2**16 - 1, 2**16, 2**16 + 1, 10**6 + 3}
        sides = {0, 1, 31 * 31, 32 * 32, 32 * 33, 2**18 - 1}  # of a matrix the sides meet the edges, not its elements
        for lab in labs():
            for task in lab["tasks"]:
                with self.subTest(f"{lab['name']} {task['name']}"):
                    variant = (task["variants"] or [""])[0]
                    arrays = shape(lab["number"], task["name"], variant, 1000, 0)
                    is_matrix = any(array["columns"] for array in arrays["inputs"] + arrays["outputs"])
                    wanted = sides if is_matrix else edges
                    most = min(task["max_n"], task["timed_n"] * 3 // 2)
                    self.assertEqual({n for n in wanted if n <= most} - set(task["sizes"]), set())
                    self.assertEqual(task["sizes"], sorted(set(task["sizes"])))
                    self.assertLessEqual(task["timed_n"], task["max_n"])

    def test_seed_0_makes_ordinary_input(self) -> None:
        """Who gives no --seed gets values that tell: not all equal, as some other seeds make them on purpose.

        Of what is alive or not there are two values.
        """
        for lab, task, variant in variants():
            with self.subTest(f"{lab['name']} {task['name']} {variant}"):
                n = min(1000, task["max_n"])
                first = generated(lab["number"], task["name"], variant, n)[0]
                self.assertGreater(len(set(first)), 1 if max(first) == b"\1" else min(2, len(first) - 1))

    def test_a_timed_call_is_as_large_with_any_seed(self) -> None:
        for lab, task, variant in variants():
            shapes = [shape(lab["number"], task["name"], variant, task["timed_n"], seed) for seed in (1, 2, 12345)]
            with self.subTest(f"{lab['name']} {task['name']} {variant}"):
                for part in ("inputs", "outputs"):
                    sizes = [[(array["name"], array["count"]) for array in one[part]] for one in shapes]
                    self.assertEqual(sizes, [sizes[0]] * len(sizes))


def variants() -> Iterator[tuple[dict[str, Any], dict[str, Any], str]]:
    for lab in labs():
        for task in lab["tasks"]:
            for variant in task["variants"] or [""]:
                yield lab, task, variant


def instance(task: str, variant: str, n: int, seed: int) -> tuple[Any, ...]:
    return task.encode(), variant.encode(), ctypes.c_int64(n), ctypes.c_uint64(seed), None


def shape(lab: int, task: str, variant: str, n: int, seed: int) -> dict[str, Any]:
    found = json.loads(library(lab).oracle_shape(*instance(task, variant, n, seed)))
    assert isinstance(found, dict) and "error" not in found, found
    return found


def generated(lab: int, task: str, variant: str, n: int) -> list[list[bytes]]:
    """The elements of each input for seed 0."""
    specs = shape(lab, task, variant, n, 0)["inputs"]
    widths = [8 if spec["dtype"].endswith("64") else 1 if spec["dtype"] == "uint8" else 4 for spec in specs]
    arrays = [ctypes.create_string_buffer(max(spec["count"] * w, 1)) for spec, w in zip(specs, widths, strict=True)]
    pointers = (ctypes.c_void_p * len(arrays))(*(ctypes.addressof(array) for array in arrays))
    said = json.loads(library(lab).oracle_generate(*instance(task, variant, n, 0), pointers))
    assert said == {}, said
    return [
        [array.raw[i * w : i * w + w] for i in range(spec["count"])]
        for spec, w, array in zip(specs, widths, arrays, strict=True)
    ]


if __name__ == "__main__":
    unittest.main()
