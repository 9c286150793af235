"""Changes of tiles: the last one has fewer elements, and one may belong where that of another block is."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from autograder.cause.names import INTEGERS
from autograder.cause.source import text_of, within
from autograder.cause.variables import changed_in
from autograder.cause.writer import LAMBDA, Writer, bracketed, short

BLOCKS = {"blockIdx.x": "blockIdx.y", "blockIdx.y": "blockIdx.x"}
OF_BLOCK = re.compile(r"\bblockIdx\.[xy]\b")
STEP = re.compile(r"(\w+) \+= ([\w.]+)")


class Tiles(Writer):
    """Plans what a block does with tiles."""

    def last_tile(self, loop: Node, condition: Node) -> None:
        """In `for (first = 0; first < n; first += kTile)`: min(kTile, n - first) for each kTile that counts."""
        update, body = loop.child_by_field_name("update"), loop.child_by_field_name("body")
        step = STEP.fullmatch(short(update)) if update is not None else None
        left, right = condition.children[0], condition.children[2]
        if step is None or body is None or text_of(left) != step[1] or text_of(condition.children[1]) != "<":
            return
        rest = f"{bracketed(right)} - {step[1]}"
        for one in within(body):
            if text_of(one) == step[2] and _counts(one) and not self._stays(one):
                other = f"min({step[2]}, {rest})"
                self.at_once("last_tile", one, other, [(one, f"what_if::min_int({step[2]}, {rest})")])

    def blocks_exchanged(self, body: Node) -> None:
        """Behind a barrier, blockIdx.x and blockIdx.y exchanged in a statement that stores, and in what it names."""
        changed = changed_in(body)
        made = {
            one.name: f"static_cast<{one.type}>({_exchanged(one.value)})"
            for one in self._variables
            if OF_BLOCK.search(one.value) and one.type in INTEGERS and not one.depth and one.name not in changed
        }
        own = {one.name: one.value for one in self._variables if one.name in made and one.until == body.end_byte}
        waits = False
        for statement in body.named_children if self._on_device else ():
            stored = next(self._stored_in(statement), None) if waits and statement.type != "declaration" else None
            parts = [
                (one, made.get(text_of(one)) or BLOCKS[text_of(one)])
                for one in within(statement)
                if (one.type == "identifier" and text_of(one) in own) or text_of(one) in BLOCKS
            ]
            named = " ".join(own.get(text_of(one), text_of(one)) for one, _ in parts)
            is_whole = not self._stays(statement) and not any(one.type == LAMBDA for one in within(statement))
            if stored is not None and is_whole and all(one in named for one in BLOCKS):
                now = f"{short(parts[0][0])} with blockIdx.x and blockIdx.y exchanged, here and in {short(stored)}"
                self.at_once("blocks_exchanged", parts[0][0], now, parts)
            waits = waits or "__syncthreads" in text_of(statement)

    def _stored_in(self, statement: Node) -> Iterator[Node]:
        """Where a statement stores to an array that the function is given."""
        for one in within(statement):
            left = one.child_by_field_name("left") if one.type == "assignment_expression" else None
            base = left.child_by_field_name("argument") if left is not None else None
            if base is not None and text_of(base) in self._parameters:
                yield one


def _exchanged(text: str) -> str:
    return OF_BLOCK.sub(lambda one: BLOCKS[one[0]], text)


def _counts(node: Node) -> bool:
    """Whether it is all that a variable begins with, or what a loop's variable stays below."""
    above = node.parent
    if above is None or above.type not in ("init_declarator", "binary_expression"):
        return False
    if above.type == "init_declarator":
        return node == above.child_by_field_name("value")
    is_below = text_of(above.children[1]) == "<" and node == above.children[2]
    return is_below and above.parent is not None and above.parent.type == "for_statement"
