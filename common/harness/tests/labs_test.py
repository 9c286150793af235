"""What is said about a lab in several places must agree: table of tasks, lab.toml, the map in the solution's header.

Also that every figure of a handout is there, and that a skeleton names its TODOs in order. Only the standard library.
"""

from __future__ import annotations

import ctypes
import json
import re
import sys
import tomllib
import unittest
from pathlib import Path
from typing import Any

BUILD = Path(sys.argv.pop(1)).resolve()
ROOT = Path(__file__).resolve().parents[3]


def labs() -> list[dict[str, Any]]:
    library = ctypes.CDLL(str(BUILD / "liboracles.so"))
    library.oracles_labs.restype = ctypes.c_char_p
    found = json.loads(library.oracles_labs())
    assert isinstance(found, list) and found, "no labs in liboracles.so"
    return found


def folder(parent: str, lab: dict[str, Any]) -> Path:
    return ROOT / parent / f"{lab['number']:02}-{lab['name']}"


class Labs(unittest.TestCase):
    def test_manifest(self) -> None:
        for lab in labs():
            with self.subTest(lab["name"]):
                manifest = tomllib.loads((folder("labs", lab) / "lab.toml").read_text("utf-8"))
                for key in ("number", "name", "title"):
                    self.assertEqual(manifest[key], lab[key])
                self.assertEqual([t["name"] for t in manifest["task"]], [t["name"] for t in lab["tasks"]])
                self.assertEqual(sum(t["points"] for t in manifest["task"]), 100)

    def test_map_of_the_ladder(self) -> None:
        for lab in labs():
            with self.subTest(lab["name"]):
                source = (folder("solutions", lab) / f"{lab['name']}.cu").read_text("utf-8")
                header = source[: source.index("#include")]
                at = 0
                for task in lab["tasks"]:
                    line = re.compile(rf"^// {task['name']}\b.*{re.escape(task['idea'])}", re.MULTILINE)
                    hit = line.search(header, at)
                    self.assertIsNotNone(hit, f"no line with {task['name']} and its idea, in the order of the tasks")
                    assert hit is not None
                    at = hit.end()

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
        wanted = {0, 1, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 2**16 - 1, 2**16, 2**16 + 1, 10**6 + 3}
        for lab in labs():
            for task in lab["tasks"]:
                with self.subTest(f"{lab['name']} {task['name']}"):
                    self.assertEqual({n for n in wanted if n <= task["max_n"]} - set(task["sizes"]), set())
                    self.assertEqual(task["sizes"], sorted(set(task["sizes"])))
                    self.assertLessEqual(task["timed_n"], task["max_n"])


if __name__ == "__main__":
    unittest.main()
