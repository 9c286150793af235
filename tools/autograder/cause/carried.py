"""Changes of what a step of a loop keeps for the next one: a number of the step before, or of the warp's last lane."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from autograder.cause.names import LANES, MOST_NAMES
from autograder.cause.source import text_of, within
from autograder.cause.values import FIRST
from autograder.cause.variables import Variable, changed_in, names_of
from autograder.cause.writer import Writer, short

OF_WARP = re.compile(r"__shfl|__ballot|\bshuffle|\blane\b|% 32\b|& 31\b")
LAST = f"__shfl_sync(0xffffffff, {{0}}, {int(LANES) - 1})"  # the value of the last lane


class Carried(Writer):
    """Writes the ends of loops, and what is read from other lanes."""

    def carried_at_end(self, loop: Node, block: Node) -> str:
        """`before = sum`, where a step reads `before`, which is never anything else than in the first step."""
        if not self._on_device:
            return ""
        changed, named = changed_in(loop), names_of(block)
        numbers = [one for one in self._variables if not one.depth and one.name in named and not one.is_const]
        kept = [
            one
            for one in numbers
            if one.at <= loop.start_byte < one.until and one.name not in changed and FIRST.fullmatch(one.value)
        ]
        steps = [one for one in numbers if block.start_byte < one.at and one.until == block.end_byte]
        out = ""
        for variable in kept[:1]:
            for step in [one for one in reversed(steps) if one.type in (variable.type, "auto")][:MOST_NAMES]:
                for value in self._handed_on(step):
                    number = self._add("carried", block.children[-1], ("", f"{variable.name} {value};"))
                    out += f"if (what_if::is({number})) {variable.name} {value}; "
        for one in [one for one in kept if re.search(rf"\b1 - {one.name}\b|\b{one.name} \^ 1\b", text_of(block))]:
            number = self._add("passed_on", block.children[-1], ("", f"{one.name} = 1 - {one.name};"))
            out += f"if (what_if::is({number})) {one.name} = 1 - {one.name}; "
        return out

    def restarted(self, loop: Node, block: Node) -> str:
        """`sum = 0` at the beginning of a step, where steps add to a variable, and each keeps what it has."""
        if not self._on_device:
            return ""
        added = {
            text_of(left)
            for one in within(block)
            if one.type == "assignment_expression"
            and text_of(one.children[1]) in ("+=", "*=", "|=")
            and (left := one.child_by_field_name("left")) is not None
        }
        kept = re.findall(r"\] = ([^;]*);", text_of(block))
        out = ""
        for one in self._variables:
            is_before = one.at <= loop.start_byte < one.until and not one.depth and not one.is_const
            if (
                is_before
                and one.name in added
                and FIRST.fullmatch(one.value)
                and any(re.search(rf"\b{one.name}\b", its) for its in kept)
            ):
                number = self._add("not_restarted", block.children[0], ("", f"{one.name} = {one.value};"))
                out += f" if (what_if::is({number})) {one.name} = {one.value};"
        return out

    def _handed_on(self, step: Variable) -> Iterator[str]:
        yield f"= {step.name}"
        yield f"+= {step.name}"
        if self._function is not None and OF_WARP.search(text_of(self._function.node)):
            yield f"= {LAST.format(step.name)}"

    def counted_before(self, block: Node) -> list[str]:
        """How far a place moves on where it is beside `__popc(votes & before)`: by all the votes."""
        found = []
        for one in within(block):
            given = one.child_by_field_name("arguments") if one.type == "call_expression" else None
            if given is None or not text_of(one).startswith("__popc(") or len(given.named_children) != 1:
                continue
            votes = given.named_children[0]
            if votes.type == "binary_expression" and text_of(votes.children[1]) == "&":
                found += [f"__popc({short(votes.children[at])})" for at in (0, 2)]
        return list(dict.fromkeys(found))

    def of_last_lane(self, node: Node, right: Node, value: str) -> str:
        """`before = sum` in a loop: the sum of the last lane, which has all of the step."""
        known = [one for one in self._variables if one.name == text_of(right) and one.is_known(right)]
        if right.type != "identifier" or not self._on_device or not known or known[-1].depth or not self._loops:
            return value
        body = self._loops[-1].child_by_field_name("body")
        is_of_step = body is not None and body.start_byte < known[-1].at
        if not is_of_step or not OF_WARP.search(text_of(self._loops[-1])):
            return value
        other = LAST.format(text_of(right))
        number = self._add("other_lane", node, (short(right), other))
        return f"what_if::of_last_lane({number}, {value}, {text_of(right)})"
