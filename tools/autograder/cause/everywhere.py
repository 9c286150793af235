"""Changes of all places at once: a name that is wrong wherever a statement has it, and x for y in a whole kernel."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from autograder.cause.accumulations import LEAVES, Accumulations
from autograder.cause.names import INTEGERS
from autograder.cause.source import text_of, within
from autograder.cause.writer import LAMBDA, on_one_line, short

MOST_REPEATED, MOST_OTHERS = 2, 2
AXES = {"x": "y", "y": "x"}
OTHER_PART = {"/": "%", "%": "/"}
OF_GRID = ("threadIdx", "blockIdx", "blockDim", "gridDim")


class Everywhere(Accumulations):
    """Plans changes of several places before these are written."""

    def repeated_names(self, node: Node) -> None:
        """`sort(d_keys + j, count - j)` with i for each j."""
        if not self._on_device or self._stays(node) or any(one.type == LAMBDA for one in within(node)):
            return
        places: dict[str, list[Node]] = {}
        for one in _read_in(node):
            places.setdefault(text_of(one), []).append(one)
        several = [its for its in places.values() if len(its) > 1]
        for its in several[:MOST_REPEATED]:
            others = [one for one in self._like(its[0]) if one.type in INTEGERS and not one.depth]
            for other in [one.name for one in others if one.name not in places][:MOST_OTHERS]:
                now = re.sub(rf"(?<![.\w]){text_of(its[0])}\b", other, on_one_line(node))
                self.at_once("name", node, now, [(one, other) for one in its])

    def other_array_of_host(self, node: Node) -> None:
        """`if (to != d_out) cudaMemcpy(d_out, to, ...)` with from for each to: the two were exchanged before."""
        places: dict[str, list[Node]] = {}
        for one in within(node):
            if one.type == "identifier" and any(other.depth == 1 for other in self._like(one)):
                places.setdefault(text_of(one), []).append(one)
        for its in [its for name, its in places.items() if len(its) > 1 and name not in self._parameters]:
            others = [one for one in self._like(its[0]) if one.name not in (*places, *self._parameters)]
            for other in others[:MOST_OTHERS]:
                now = re.sub(rf"(?<![.\w]){text_of(its[0])}\b", other.name, on_one_line(node))
                self.at_once("name", node, now, [(one, other.name) for one in its])

    def quotients_exchanged(self, body: Node) -> None:
        """`a / b` and `a % b` in each other's place: the warp and the lane, or a row and a column."""
        places: dict[tuple[str, str], list[Node]] = {}
        for one in within(body) if self._on_device else ():
            if one.type == "binary_expression" and text_of(one.children[1]) in OTHER_PART:
                places.setdefault((short(one.children[0]), short(one.children[2])), []).append(one)
        for (a, b), its in places.items():
            if {text_of(one.children[1]) for one in its} == set(OTHER_PART):
                parts = [(one, f"{a} {OTHER_PART[text_of(one.children[1])]} {b}") for one in its]
                self.at_once("layout", its[0], f"{parts[0][1]}, and the reverse in all of the function", parts)

    def axes_exchanged(self, body: Node) -> None:
        """x in place of y, and y in place of x, in all of a kernel: rows go where columns should."""
        places = [
            one
            for one in within(body)
            if one.type == "field_expression"
            and text_of(one.named_children[0]) in OF_GRID
            and text_of(one.named_children[1]) in AXES
        ]
        own = {text_of(one) for one in places}
        if not {"threadIdx.x", "threadIdx.y"} <= own:
            return
        parts = [(one, text_of(one)[:-1] + AXES[text_of(one)[-1]]) for one in places]
        first = places[0]
        self.at_once("layout", first, f"{parts[0][1]}, and x for y in all of the kernel", parts)

    def each_of_tile(self, node: Node) -> str:
        """`s[t] = ...` for each element of a shared array, which may have more of them than the block has threads."""
        assignment = node.named_children[0]
        left = assignment.child_by_field_name("left") if assignment.type == "assignment_expression" else None
        if left is None or left.type != "subscript_expression" or not self._on_device:
            return ""
        out = ""
        for index, size in self._sizes_of_shared(left):
            axis = self._axis_of(index, node)
            if not axis or any(one in self._loop_names() for one in re.findall(r"\w+", index)):
                continue
            again = re.sub(rf"(?<![.\w]){re.escape(index)}(?!\w)", "at_", on_one_line(node))
            head = f"for (int at_ = {index}; at_ < {size}; at_ += blockDim.{axis})"
            above = self._ifs[-1] if self._ifs and index in short(self._ifs[-1]).partition(")")[0] else node
            number = self._add("one_each", above, (short(node), f"{head} {again}"))
            out += f"if (what_if::is({number})) {{ {head} {again} }} else "
        return out

    def _sizes_of_shared(self, stored: Node) -> Iterator[tuple[str, str]]:
        """The indices of an element of a shared array, each with the array's size."""
        indices: list[str] = []
        base = stored
        while base.type == "subscript_expression":
            indices.insert(0, short(base.child_by_field_name("indices") or base)[1:-1])
            base = base.child_by_field_name("argument") or base.named_children[0]
        yield from zip(indices, self.shared_sizes(text_of(base)), strict=False)

    def rest_of_tile(self, block: Node, child: Node) -> str:
        """Behind `if (row < n) s[y][x] = d[row];`, with `row` made of y, which is threadIdx.y: the same for each y."""
        if child.type not in ("if_statement", "for_statement", "expression_statement") or not self._on_device:
            return ""
        lefts = [one.child_by_field_name("left") for one in within(child) if one.type == "assignment_expression"]
        stored = [one for one in lefts if one is not None and one.type == "subscript_expression"]
        known = [one for one in self._variables if one.is_known(child) and one.type in INTEGERS and not one.depth]
        out = ""
        for index, size in dict.fromkeys(pair for one in stored for pair in self._sizes_of_shared(one)):
            axis, made = self._axis_of(index, child), {index}
            again = ""
            for one in known:
                if made & set(re.findall(r"(?<!\.)\b[A-Za-z_]\w*", one.value)):
                    made.add(one.name)
                    again += f"{one.type} {one.name} = {one.value}; "
            own = [one for one in known if one.name == index and one.until == block.end_byte]
            if axis and own and again:
                place = block.descendant_for_byte_range(own[-1].at - 1, own[-1].at - 1) or child
                head = f"at_ < {size}; at_ += blockDim.{axis})"
                now = head.replace("at_", index)
                number = self._add(
                    "one_each", place, (f"{index} = {own[-1].value}", f"for (int {index} = {own[-1].value}; {now}")
                )
                out += f" if (what_if::is({number})) for (int at_ = {index} + blockDim.{axis}; {head} "
                out += f"{{ const int {index} = at_; {again}{on_one_line(child)} }}"
        return out

    def _loop_names(self) -> set[str]:
        """The variables of the loops around this place."""
        heads = [one.child_by_field_name("initializer") for one in self._loops]
        return {text_of(name) for one in heads if one is not None for name in within(one) if name.type == "identifier"}

    def _axis_of(self, index: str, node: Node) -> str:
        """x or y, if an index is the thread's place in its block."""
        known = [one.value for one in self._variables if one.name == index and one.is_known(node) and not one.depth]
        found = re.fullmatch(r"threadIdx\.([xy])", (known or [index])[-1])
        return found[1] if found else ""

    def again_by_threads(self, node: Node) -> str:
        """`if (threadIdx.x < count) ...` as a loop."""
        condition, done = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
        value = condition.child_by_field_name("value") if condition is not None else None
        if value is None or done is None or not self._on_device or node.child_by_field_name("alternative") is not None:
            return ""
        if not re.fullmatch(r"threadIdx\.x < [\w.]+( \+ 1)?", short(value)) or LEAVES.search(text_of(done)):
            return ""
        again, asked = on_one_line(done).replace("threadIdx.x", "at_"), short(value).replace("threadIdx.x", "at_")
        head = f"for (int at_ = threadIdx.x; {asked}; at_ += blockDim.x)"
        number = self._add("one_each", node, (f"if ({short(value)})", head))
        return f"if (what_if::is({number})) {{ {head} {again} }} else "


def _read_in(node: Node) -> Iterator[Node]:
    """The variables that a statement reads."""
    for one in within(node):
        above = one.parent
        if one.type != "identifier" or above is None:
            continue
        is_stored = above.type in (
            "assignment_expression",
            "update_expression",
            "init_declarator",
            "pointer_expression",
        )
        if is_stored and one == (above.child_by_field_name("left") or above.named_children[0]):
            continue
        yield one
