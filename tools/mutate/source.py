"""Which code belongs to a task: its function, and all that this reaches within the solution's folder."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from tree_sitter import Node

from autograder.cause.source import Function, Source, reached, text_of, within
from autograder.errors import GraderError


@dataclass
class TaskCode:
    """One task of a solution: the file that is compiled, and the functions that take part."""

    task: str
    unit: str  # the .cu
    functions: list[Function] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)  # other .cu files, of whose tasks it makes use


class Solution:
    """The files of solutions/NN-name, without the submissions beside them."""

    def __init__(self, folder: Path) -> None:
        paths = sorted(path for path in folder.iterdir() if path.suffix in (".cu", ".cuh", ".h"))
        paths = [path for path in paths if path.name != "tuned.cu"]  # a record is nobody's task
        self.folder = folder
        self.sources = {path.name: Source(path.name, path.read_bytes()) for path in paths}

    def unit_of(self, task: str) -> str:
        """The .cu that defines the task's function."""
        found = [
            source.name
            for source in self.sources.values()
            if source.name.endswith(".cu")
            and any(one.name == task and not one.owner and one.on_host for one in source.functions)
        ]
        if len(found) != 1:
            raise GraderError(f"{self.folder.name}: {task} is defined in {' and '.join(found) or 'no .cu file'}")
        return found[0]

    def included(self, unit: str) -> list[Source]:
        """The file and what it includes of the solution's own, each once."""
        found: dict[str, Source] = {}
        waiting = [unit]
        while waiting:
            name = waiting.pop(0)
            if name in self.sources and name not in found:
                found[name] = self.sources[name]
                waiting += found[name].includes
        return list(found.values())

    def code_of(self, task: str) -> TaskCode:
        """All functions that the task's function reaches, by the names that they use."""
        unit = self.unit_of(task)
        sources = self.included(unit)
        every = [function for source in sources for function in source.functions]
        aliases = {name: names for source in sources for name, names in source.aliases.items()}
        names = {task} | set().union(*(source.instantiated(task) for source in sources))
        found = reached(every, aliases, names)
        return TaskCode(task, unit, found, self._calls(unit, found))

    def _calls(self, unit: str, found: list[Function]) -> list[str]:
        """The files that define what is called and is not among the unit's own."""
        own = {function.name for source in self.included(unit) for function in source.functions}
        names = set().union(*(_called_in(function.node) for function in found)) - own
        return [
            source.name
            for source in self.sources.values()
            if source.name.endswith(".cu")
            and source.name != unit
            and any(one.on_host and not one.owner and one.name in names for one in source.functions)
        ]


def _called_in(node: Node) -> set[str]:
    """The names of plain functions that are called."""
    functions = (one.child_by_field_name("function") for one in within(node) if one.type == "call_expression")
    found = [one for one in functions if one is not None and one.type in ("identifier", "template_function")]
    return {re.sub(r"<.*", "", text_of(one), flags=re.DOTALL) for one in found}
