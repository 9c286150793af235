"""Changes of what is stored to memory that threads share: added, replaced, as one atomic; and by which threads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import combinations, product

from tree_sitter import Node

from autograder.cause.launches import Launches
from autograder.cause.names import INTEGERS
from autograder.cause.source import text_of, within
from autograder.cause.variables import Variable
from autograder.cause.writer import LAMBDA, on_one_line, short

SHARED = ("subscript_expression", "pointer_expression")
THREAD = re.compile(r"\bthreadIdx\.x\b")
OWN_THREAD = re.compile(r"threadIdx\.x|\(int\)\s*threadIdx\.x|static_cast<int>\(threadIdx\.x\)|int\(threadIdx\.x\)")
LEAVES = re.compile(r"\b(break|continue|return|__sync\w+|sync)\b")


class Accumulations(Launches):
    """Writes assignments, guards and loops around them."""

    def _indices(self, node: Node) -> list[Variable]:
        """The integers of this statement that depend on the thread."""
        names = {text_of(one) for one in within(node) if one.type == "identifier"}
        known = [one for one in self._variables if one.depth == 0 and one.name in names and one.is_known(node)]
        return [one for one in known if one.type in INTEGERS and re.search(r"threadIdx|\bthread_rank", one.value)]

    def _guards(self, node: Node) -> str:
        """Conditions that let only threads below a bound run this statement."""
        if not self._on_device:
            return ""
        out = ""
        indices, bounds = self._indices(node), self.bounds_at(node)
        conditions = [f"{one.name} < {bound}" for one in indices for bound in bounds]
        for one, other in combinations(indices, 2):
            if _axes(one).isdisjoint(_axes(other)):  # a grid of two dimensions
                conditions += [f"{one.name} < {a} && {other.name} < {b}" for a, b in product(bounds, repeat=2)]
        for condition in conditions:
            number = self._add("guard", node, (short(node), f"if ({condition}) {short(node)}"))
            out += f" && (!what_if::is({number}) || ({condition}))"
        return out

    def repeated(self, node: Node, text: str) -> str:
        """`if (i < n) ...` as a loop over all the elements that are this thread's."""
        condition = node.child_by_field_name("condition")
        value = condition.child_by_field_name("value") if condition is not None else None
        if value is None or self._function is None or not self._on_device or self._stays(node):
            return text
        while value.type == "binary_expression" and text_of(value.children[1]) == "&&":
            value = value.children[0]
        left = value.child_by_field_name("left")
        if value.type != "binary_expression" or left is None or not re.match(r"<=?$", text_of(value.children[1])):
            return text
        if node.child_by_field_name("alternative") is not None or LEAVES.search(text_of(node)):
            return text
        if OWN_THREAD.fullmatch(short(left)):
            return self._repeated_by_threads(node, value, text)
        own = [one for one in self._indices(value) if one.name == text_of(left)]
        if not own:
            return text
        step = "gridDim.x * blockDim.x" if "blockIdx" in own[0].value else "blockDim.x"
        key = self._function.label, own[0].name, step
        if key not in self._layouts:  # all of a function at once
            now = f"for (; {short(value)}; {own[0].name} += {step})"
            self._layouts[key] = self._add("one_each", node, (f"if ({short(value)})", now))
        self._made_here(self._layouts[key])
        number, v = self._layouts[key], own[0].name
        return (
            f"for (what_if::Again<decltype({v})> again_({v}); again_.goes_on && (!what_if::is({number}) || "
            f"({short(value)})); again_.next(what_if::is({number}), {step})) {{ {text} }}"
        )

    def _repeated_by_threads(self, node: Node, value: Node, text: str) -> str:
        """`if (threadIdx.x < m) ...` as a loop of all threads of a block."""
        done = node.child_by_field_name("consequence")
        assert self._function is not None
        if done is None or LAMBDA in {one.type for one in within(node)}:
            return text
        loop = f"for (int k = threadIdx.x; {THREAD.sub('k', short(value))}; k += blockDim.x)"
        key = self._function.label, "threadIdx.x", "blockDim.x"
        if key not in self._layouts:  # all of a function at once
            self._layouts[key] = self._add("one_each", node, (f"if ({short(value)})", loop))
        number = self._layouts[key]
        self._made_here(number)
        again = THREAD.sub("own_", f"{short(value)}; own_ += blockDim.x) {{ {on_one_line(done)} }}")
        return f"{{ if (what_if::is({number})) {{ for (int own_ = threadIdx.x; {again} }} else {{ {text} }} }}"

    def accumulated(self, node: Node, plain: Callable[[Node], str]) -> str:
        """x += v, x = x + v and ++x of memory that threads share, as one atomic; x = v, added. "": it is none."""
        assignment = node.named_children[0]
        if not self._on_device:
            return ""
        if assignment.type == "update_expression":
            target, added = assignment.child_by_field_name("argument"), "1"
            if target is None or target.type not in SHARED or "--" in text_of(assignment):
                return ""
            return self._chosen(node, plain, self._ways(node, short(target), added, is_added=True))
        left, right = assignment.child_by_field_name("left"), assignment.child_by_field_name("right")
        if assignment.type != "assignment_expression" or left is None or right is None or left.type not in SHARED:
            return ""
        sign = self._text[left.end_byte : right.start_byte].decode().strip()
        if sign == "+=":
            return self._chosen(node, plain, self._ways(node, short(left), text_of(right), is_added=True))
        if sign != "=":
            return ""
        for other, summand in _sides(right):
            if short(other) == short(left):
                return self._chosen(node, plain, self._ways(node, short(left), text_of(summand), is_added=True))
        if re.search(r"[<{]", text_of(right)) or short(left) in short(right):
            return ""
        return self._chosen(node, plain, self._ways(node, short(left), text_of(right), is_added=False))

    def _ways(self, node: Node, target: str, value: str, *, is_added: bool) -> Iterator[tuple[int, str]]:
        was, atomic = text_of(node), f"atomicAdd(&{target}, {value})"
        if is_added:
            number = self._add("atomic", node, (was, atomic))
            yield number, f"what_if::add_to({number}, {target}, {value});"
            yield self._add("stored", node, (was, f"{target} = {value};")), f"{target} = {value};"
        else:
            number = self._add("added", node, (was, atomic))
            yield number, f"what_if::add_to({number}, {target}, {value});"
        yield self._add("statement", node, (was, "")), ""

    def _chosen(self, node: Node, plain: Callable[[Node], str], ways: Iterator[tuple[int, str]]) -> str:
        text = "".join(f"if (what_if::is({number})) {{ {way} }} else " for number, way in ways)
        return f"{{ {text}if (true{self._guards(node)}) {{ {plain(node)} }} }}"


def _axes(index: Variable) -> set[str]:
    """Of a thread's place, from which an index is made: x, y or z."""
    return set(re.findall(r"\bthreadIdx\.([xyz])", index.value)) or {"x"}  # a rank counts along x


def _sides(node: Node) -> list[tuple[Node, Node]]:
    """The two sides of a sum, in both orders."""
    first, second = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    if node.type != "binary_expression" or first is None or second is None or operator is None:
        return []
    return [(first, second), (second, first)] if text_of(operator) == "+" else []
