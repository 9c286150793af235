"""Changes of steps: what a loop does not hand on to its next step, and threads that leave before a barrier."""

from __future__ import annotations

import re
from itertools import combinations, permutations

from tree_sitter import Node

from autograder.cause.carried import Carried
from autograder.cause.choices import LOOPS
from autograder.cause.names import INTEGERS, MOST_NAMES
from autograder.cause.source import text_of, within
from autograder.cause.variables import Variable, changed_in, names_of

WAITS = re.compile(r"__syncthreads\s*\(|\.sync\s*\(")


class Forgotten(Carried):
    """Writes what is missing in the body of a loop, and where threads leave."""

    def forgotten_before(self, block: Node, child: Node) -> str:
        """What may be missing before a statement of a loop's body, or at its end."""
        loop = block.parent
        if loop is None or loop.type not in LOOPS or child == block.children[0] or self._stays(child):
            return ""
        if child == block.children[1] and self._on_device:
            return self.restarted(loop, block) + self._passed_on(block, child, is_end=False)
        is_end = child == block.children[-1]
        at_end = self._moved_on(loop, block) + self.carried_at_end(loop, block) if is_end else ""
        return self._passed_on(block, child, is_end) + at_end

    def _pointers(self, block: Node) -> list[Variable]:
        """Arrays by their names that are known when the loop begins, and that its calls and indices name."""
        uses = [one for one in within(block) if one.type in ("call_expression", "subscript_expression")]
        named = set().union(*(names_of(one) for one in uses))
        known = [one for one in self._variables if one.at <= block.start_byte < one.until and one.name in named]
        return [one for one in known if one.depth == 1 or (one.type == "auto" and ".get<" in one.value)]

    def _made_in(self, block: Node) -> list[Variable]:
        """The arrays that each step chooses anew."""
        return [one for one in self._variables if one.depth == 1 and one.value and one.until == block.end_byte]

    def _passed_on(self, block: Node, child: Node, is_end: bool) -> str:
        """`from = to`, where the next step must read what this one has written, and `to` becomes another array."""
        pointers, changed = self._pointers(block), changed_in(block)
        here = changed_in(child) if child.type == "expression_statement" else set()
        alternates = any(one.name in changed for one in pointers)
        out, before = "", child.prev_named_sibling or child
        for x, y in permutations(pointers, 2):
            if x.name in changed or y.name not in here or (y.is_const and not x.is_const) or not _alike(x, y):
                continue
            number = self._add("passed_on", before, ("", f"{x.name} = {y.name};"))
            out += f"what_if::passed_on({number}, {x.name}, {y.name}); "
        made = self._made_in(block) if is_end else []
        for x, y in [(x, y) for x in pointers for y in made if x.name not in changed and _alike(x, y)][:MOST_NAMES]:
            if x.is_const or not y.is_const:
                number = self._add("passed_on", before, ("", f"{x.name} = {y.name};"))
                out += f"what_if::passed_on({number}, {x.name}, {y.name}); "
        pairs = combinations(pointers, 2) if is_end and not alternates else []
        for x, y in list(pairs)[:MOST_NAMES]:
            if x.type == y.type != "auto" and x.depth == y.depth and x.is_const == y.is_const:
                number = self._add("passed_on", before, ("", f"std::swap({x.name}, {y.name});"))
                out += f"what_if::exchanged({number}, {x.name}, {y.name}); "
        return out

    def _moved_on(self, loop: Node, block: Node) -> str:
        """`base += count` at the end of a step, where what is stored begins at `base` and its number is known."""
        if not self._on_device:
            return ""
        changed = changed_in(loop) | names_of(loop.child_by_field_name("initializer"))
        integers = [one for one in self._variables if one.depth == 0 and one.type in (*INTEGERS, "auto")]
        before = {one.name for one in integers if one.at <= loop.start_byte < one.until}
        steps = [one for one in integers if block.start_byte < one.at and one.until == block.end_byte]
        values = {one.name: one.value for one in integers if block.start_byte < one.at and one.until <= block.end_byte}
        bases: dict[str, None] = {}
        for one in within(block):
            left = one.child_by_field_name("left") if one.type == "assignment_expression" else None
            index = left.child_by_field_name("indices") if left is not None else None
            for name in _summands(text_of(index)[1:-1] if index is not None else "", values):
                if name in before and name not in changed and name not in self._parameters:
                    bases[name] = None
        own = {one.name for one in integers if re.search(r"threadIdx|thread_rank", one.value)}
        out = ""
        for base in [one for one in bases if one not in own][:1]:
            every = [f"__popc({one.name})" if "ballot" in one.value else one.name for one in reversed(steps)]
            for by in dict.fromkeys([*self.counted_before(block)[:2], *every[:MOST_NAMES]]):
                number = self._add("moved_on", block.children[-1], ("", f"{base} += {by};"))
                out += f"what_if::moved_on({number}, {base}, {by}); "
        return out

    def returns_in(self, block: Node) -> dict[int, str]:
        """Behind which statements, by their first byte, threads leave that would have left before them.

        `if (i >= n) return;` before a barrier: these threads have not done their part of what the block shares. What a
        statement writes for its return is left in _late, and declared before its if.
        """
        behind: dict[int, str] = {}
        statements = [one for one in block.named_children if one.type != "comment"]
        for at, one in enumerate(statements):
            leaves = _return_of(one)
            if leaves is None or self._stays(one):
                continue
            waits = [later for later in statements[at + 1 :] if WAITS.search(text_of(later))]
            for barrier in dict.fromkeys((waits[0], waits[-1])) if waits else ():
                line = barrier.end_point.row + 1
                number = self._add("leaves", leaves, (text_of(leaves), f"return behind the barrier in line {line}"))
                self._late.setdefault(one.start_byte, []).append(number)
                self._late.setdefault(leaves.start_byte, []).append(number)
                behind[barrier.start_byte] = behind.get(barrier.start_byte, "") + f" if (leaves_{number}) return;"
        return behind

    def declared_late(self, node: Node) -> str:
        return "".join(f"bool leaves_{number} = false; " for number in self._late.get(node.start_byte, []))

    def left_late(self, node: Node) -> str:
        """What a return does that another statement does for it."""
        late = self._late.get(node.start_byte, [])
        return "".join(f"if (what_if::is({number})) leaves_{number} = true; else " for number in late)


def _alike(x: Variable, y: Variable) -> bool:
    return x.type == y.type or "auto" in (x.type, y.type)


def _summands(index: str, values: dict[str, str]) -> list[str]:
    """The variables whose sum is an index; a variable of the same step by what it is made of."""
    parts = re.split(r" \+ ", index) if index else []
    found = []
    for part in parts:
        value = values.get(part, "")
        found += re.split(r" \+ ", value) if " + " in value else [part]
    return found


def _return_of(node: Node) -> Node | None:
    """The return of `if (...) return;`, without a value and without an else."""
    if node.type != "if_statement" or node.child_by_field_name("alternative") is not None:
        return None
    done = node.child_by_field_name("consequence")
    if done is not None and done.type == "compound_statement" and len(done.named_children) == 1:
        done = done.named_children[0]
    is_plain = done is not None and done.type == "return_statement" and not done.named_children
    return done if is_plain else None
