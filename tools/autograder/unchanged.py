"""Verdicts that still hold: of tasks whose code, and all that could change their verdict, is as it was.

Only full points are kept, and only of a run of the student's own file for the student alone. Nothing is kept that names
a line: a task with a note is graded again. In doubt a task is graded.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import re
import sys
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import msgspec
from tree_sitter import Node

from autograder.build.builder import Builder
from autograder.build.keys import program_key
from autograder.cause.source import Source, names_in, text_of, within
from autograder.errors import GraderError
from autograder.files import write_whole
from autograder.plan.request import Request
from autograder.report.result import TaskResult
from autograder.run.machine import gpu_answers

FOLDER = Path("build/unchanged")
# Names that do not show in the tree, lines that count, and code that can be refused for the whole file.
_HIDDEN = re.compile(rb"#\s*(define|line)|\b(asm|__asm\w*|__LINE__|__FILE__|__COUNTER__|__DATE__|__TIME__)\b|##")
_NAME = re.compile(r"[A-Za-z_]\w*")
_OF_MACHINE = re.compile(r"(VGPU|CUDA|NVIDIA|CUDA_LABS|NVCC)_|LD_LIBRARY_PATH$|PATH$")


class Stood(msgspec.Struct, frozen=True):
    """A task's result, and what it depended on."""

    key: str
    when: str
    device: str
    result: TaskResult


class Kept(msgspec.Struct, frozen=True):
    """All of a lab."""

    task: dict[str, Stood] = {}


@dataclass(frozen=True)
class Unchanged:
    """What is known of a lab's own file before a run."""

    path: Path
    keys: Mapping[str, str]  # of each task as it is now
    kept: Mapping[str, Stood]

    @property
    def results(self) -> dict[str, TaskResult]:
        """The tasks that need not be graded."""
        return {
            name: msgspec.structs.replace(one.result, unchanged=_since(one.when))
            for name, one in self.kept.items()
            if self.keys.get(name) == one.key
        }

    def device(self, name: str) -> str:
        return self.kept[name].device

    def keep(self, found: Mapping[str, tuple[TaskResult, str]]) -> None:
        """Adds what a run has found, result and device. A failure to write costs only time."""
        when = datetime.now().isoformat(" ", "minutes")
        tasks = {name: one for name, one in self.kept.items() if name in self.results and name not in found}
        for name, (result, device) in found.items():
            if name in self.keys and _holds(result):
                short = msgspec.structs.replace(result, kernels=(), sizes=(), trace=None, seconds=0.0)
                tasks[name] = Stood(self.keys[name], when, device, short)
        with contextlib.suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self.path, msgspec.json.encode(Kept(tasks)))


def unchanged(builder: Builder, request: Request, number: int, names: Sequence[str]) -> Unchanged:
    """Compares the file with the last runs. Where it cannot be compared, there are no keys, and all is graded."""
    path = builder.root / FOLDER / f"{request.folder.name}.json"
    try:
        kept = msgspec.json.decode(path.read_bytes(), type=Kept).task
    except (OSError, msgspec.MsgspecError):
        kept = {}
    try:
        around = _around(builder, request, number)
        lab = [*request.folder.rglob("*.h"), *request.folder.glob("grading/bindings*.cc")]
        called = {word for path in lab for word in _NAME.findall(path.read_text("utf-8"))}
        codes = codes_of(request.source_file(builder.root).read_bytes(), names, called)
    except (OSError, ValueError, GraderError):
        return Unchanged(path, {}, {})
    keys = {name: hashlib.sha256(repr((around, name, code)).encode()).hexdigest() for name, code in codes.items()}
    return Unchanged(path, keys, kept)


def codes_of(text: bytes, tasks: Sequence[str], called: Set[str] = frozenset()) -> dict[str, list[str]]:
    """For each task the code that it can reach, without comments and spaces; nothing for a file that hides names.

    All that is not a function counts for every task; so do methods and operators. For a task that is made of functions
    of other names, all count; what the lab itself calls (`called`) and is no task counts for every task. Raises
    GraderError or ValueError where the parser does not understand the file.
    """
    if _HIDDEN.search(text):
        return {}
    source = Source("", text)
    free = {function.node.id: function for function in source.functions if not function.owner}
    functions = [(one.name, _with_template(one.node)) for one in free.values() if _NAME.fullmatch(one.name)]
    apart = {node.id for _, node in functions}
    rest = [node for node in _parts(source.root, apart) if node.id not in apart]
    named = set().union(*(names_in(node) for node in rest if not _only_declares(node)))
    common = [_tokens(node) for node in rest]
    every, found = {name for name, _ in functions}, {}
    others = (every & called) - set(tasks)
    for task in tasks:
        names, reached = {*named, *others, *({task} if task in every else every)}, set[int]()
        while new := [node for name, node in functions if name in names and node.id not in reached]:
            reached |= {node.id for node in new}
            names |= set().union(*map(names_in, new))
        found[task] = [*common, *(_tokens(node) for _, node in functions if node.id in reached)]
    return found


def _with_template(node: Node) -> Node:
    while node.parent is not None and node.parent.type == "template_declaration":
        node = node.parent
    return node


def _parts(node: Node, apart: set[int]) -> Iterator[Node]:
    """The functions that stand apart, and between them the largest pieces of all other code."""
    if node.id in apart or not any(one.id in apart for one in within(node)):
        yield node
    else:
        for child in node.children:
            yield from _parts(child, apart)


def _only_declares(node: Node) -> bool:
    """Whether it names functions without using them: a prototype, or for what types a template is compiled."""
    if node.type == "template_instantiation":
        return True
    prototype = any(one.type == "function_declarator" for one in within(node)) and "=" not in text_of(node)
    return prototype and node.type in ("declaration", "template_declaration")


def _tokens(node: Node) -> str:
    return " ".join(text_of(one) for one in within(node) if not one.children and one.type != "comment")


def _since(when: str) -> str:
    """A time of today without its day."""
    return when.removeprefix(f"{datetime.now():%Y-%m-%d} ")


def _holds(result: TaskResult) -> bool:
    full = result.verdict == "AC" and result.points == result.of and result.clean is not False
    told = result.reason or result.details or result.notes or result.findings or result.printed
    return full and not (told or result.private)


def _around(builder: Builder, request: Request, number: int) -> list[object]:
    """All but the submission that decides a verdict: the lab, the grader, what they were built to, the machine."""
    root, lab = builder.root, request.folder
    own = request.source_file(root)
    commands = builder.commands(number)
    headers = [*lab.glob("*.h"), *lab.glob("*.cuh"), *(lab / "grading").rglob("*"), *(root / "common").rglob("*")]
    code = [path for path in (root / "tools/autograder").rglob("*.py") if "tests" not in path.parts]
    texts = sorted(path for path in (*headers, *code) if path.is_file() and path != own)
    built = [builder.build / name for name in ("device", f"liboracle{number}.so")]
    built += [*(builder.build / "virtual_gpu").rglob("*.so*"), *(root / "solutions" / lab.name).rglob("*")]
    files = [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in sorted(built) if path.is_file()]
    digests = [hashlib.sha256(path.read_bytes()).digest() for path in texts]
    settings = {key: value for key, value in os.environ.items() if _OF_MACHINE.match(key)}
    machine = (
        platform.node(),
        os.cpu_count(),
        platform.release(),
        sys.version,
        gpu_answers(),
        sorted(settings.items()),
    )
    return [
        [str(path) for path in texts], digests, files, commands, builder.cuda_version(), program_key(commands.link),
        machine, request.device, request.sandbox,
    ]  # fmt: skip
