"""Changes of what is stored to memory that threads share: added, replaced, as one atomic; and by which threads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import combinations, product

from tree_sitter import Node

from autograder.cause.edges import Edges
from autograder.cause.missing import COLLECTIVE
from autograder.cause.names import INTEGERS, LANES
from autograder.cause.source import text_of, within
from autograder.cause.values import FIRST
from autograder.cause.variables import Variable, changed_in, names_of
from autograder.cause.writer import LAMBDA, on_one_line, short

DISTANCE = re.compile(r"([*/]|<<|>>)=")
SHARED = ("subscript_expression", "pointer_expression")
THREAD = re.compile(r"\bthreadIdx\.x\b")
OWN_THREAD = re.compile(r"threadIdx\.x|\(int\)\s*threadIdx\.x|static_cast<int>\(threadIdx\.x\)|int\(threadIdx\.x\)")
OF_LANE = re.compile(r"\blane\b|% 32\b|& 31\b")
LEAVES = re.compile(r"\b(break|continue|return|__sync\w+|sync)\b")


class Accumulations(Edges):
    """Writes assignments, guards and loops around them."""

    def _indices(self, node: Node) -> list[Variable]:
        """The integers of this statement that depend on the thread."""
        names = {text_of(one) for one in within(node) if one.type == "identifier"}
        known = [one for one in self._variables if one.depth == 0 and one.name in names and one.is_known(node)]
        return [one for one in known if one.type in INTEGERS and re.search(r"threadIdx|\bthread_rank", one.value)]

    def _thread_made(self, node: Node) -> list[Variable]:
        """The same, or integers that are made of such ones."""
        names = {text_of(one) for one in within(node) if one.type == "identifier"}
        known = [one for one in self._variables if one.depth == 0 and one.type in INTEGERS]
        own = {one.name for one in known if re.search(r"threadIdx|\bthread_rank", one.value)} | {"threadIdx"}
        return [
            one
            for one in known
            if one.name in names and one.is_known(node) and own & set(re.findall(r"[A-Za-z_]\w*", one.value))
        ]

    def _guards(self, node: Node) -> str:
        """Conditions that let only threads below a bound run this statement."""
        if not self._on_device:
            return ""
        out = ""
        indices, bounds = self._indices(node), self.bounds_at(node)
        conditions = [f"{one.name} < {bound}" for one in indices for bound in bounds]
        for one, other in combinations(indices, 2):
            if axes_of(one).isdisjoint(axes_of(other)):  # a grid of two dimensions
                conditions += [f"{one.name} < {a} && {other.name} < {b}" for a, b in product(bounds, repeat=2)]
        conditions += self._inside_shared(node)
        kinds = [("guard", one) for one in conditions] + [("partner", one) for one in self._partners(node)]
        kinds += [("one_thread", one) for one in self._leaders(node)]
        for kind, condition in kinds:
            number = self._add(kind, node, (short(node), f"if ({condition}) {short(node)}"))
            out += f" && (!what_if::is({number}) || ({condition}))"
        return out

    def shared_sizes(self, name: str) -> list[str]:
        """How many elements a shared array of the function has along each dimension."""
        assert self._function is not None
        body = text_of(self._function.node)
        found = re.search(rf"__shared__[^;]*\b{re.escape(name)}((?:\[[^\]]+\])+)", body)
        return re.findall(r"\[([^\]]+)\]", found[1]) if found else []

    def _inside_shared(self, node: Node) -> list[str]:
        """A condition that what is stored to a shared array stays inside."""
        stored = node.named_children[0].child_by_field_name("left")
        indices = stored.child_by_field_name("indices") if stored is not None else None
        base = stored.child_by_field_name("argument") if stored is not None else None
        if indices is None or base is None or base.type != "identifier" or len(indices.named_children) != 1:
            return []
        index, sizes = indices.named_children[0], self.shared_sizes(text_of(base))
        if len(sizes) != 1 or index.type not in ("identifier", "binary_expression"):
            return []
        least = f"{short(index)} >= 0 && " if "-" in short(index) else ""
        inside = f"{least}{short(index)} < {sizes[0]}"
        return [] if self.is_asked(node, inside) else [inside]

    def _leaders(self, node: Node) -> Iterator[str]:
        """Conditions that hold for one thread, where all threads of a block write to one place."""
        names = set(re.findall(r"[A-Za-z_]\w*", short(node).partition(" = ")[0]))
        threads = self._thread_names()
        is_atomic = text_of(node).startswith("atomic")
        place = re.match(r"atomic\w+\(&?([^,]*),", short(node))
        names = set(re.findall(r"[A-Za-z_]\w*", place[1])) if place else names
        is_store = is_atomic or (" = " in short(node) and "[" in short(node).partition(" = ")[0])
        if not is_store or names & threads or any(re.search(r"== 0\b", short(one)) for one in self._ifs_around()):
            return
        yield "threadIdx.x == 0"
        if "lane" in {one.name for one in self._variables if one.is_known(node)}:
            yield "lane == 0"

    def _thread_names(self) -> set[str]:
        """Variables that depend on the thread within its block, as far as their first values say."""
        own = {"threadIdx", "lane"}
        for one in self._variables:
            if own & set(re.findall(r"[A-Za-z_]\w*", one.value)):
                own.add(one.name)
        return own

    def _ifs_around(self) -> list[Node]:
        return [one for one in (self._condition_of(above) for above in self._ifs) if one is not None]

    def _partners(self, node: Node) -> Iterator[str]:
        """In a loop over distances: conditions that leave out threads without a partner so far away."""
        loop = self._loops[-1] if self._loops else None
        update, first = (loop.child_by_field_name(one) if loop else None for one in ("update", "initializer"))
        if loop is None or update is None or first is None or not DISTANCE.search(text_of(update)):
            return
        names = [text_of(one) for one in within(update) if one.type == "identifier"][:1]
        known = [one for one in self._variables if one.depth == 0 and one.type in INTEGERS and one.is_known(node)]
        own = [one.name for one in reversed(known) if "threadIdx" in one.value or one.name == "lane"][:2]
        asked = " ".join(short(one) for one in self._ifs_around())
        for lane, distance in product(own or ["threadIdx.x"], names):
            for sign in (">=", "<"):
                if f"{lane} {sign} {distance}" not in asked:
                    yield f"{lane} {sign} {distance}"

    @staticmethod
    def _condition_of(node: Node) -> Node | None:
        return node.child_by_field_name("condition")

    def summed_up(self, node: Node) -> str:
        """`sum += __shfl_up_sync(...)`: all lanes shuffle, and only those with a partner add."""
        assignment = node.named_children[0]
        left, right = (assignment.child_by_field_name(name) for name in ("left", "right"))
        if assignment.type != "assignment_expression" or left is None or right is None or not self._on_device:
            return ""
        sign = self._text[left.end_byte : right.start_byte].decode().strip()
        if not COLLECTIVE.search(text_of(right)) or sign != "+=":
            return ""
        out = ""
        for condition in self._partners(node):
            summand, to = on_one_line(right), f"if ({condition}) {short(left)}"
            number = self._add("partner", node, (short(node), f"auto other = {summand}; {to} += other;"))
            out += f"if (what_if::is({number})) {{ const auto other_ = {summand}; {to} += other_; }} else "
        return out

    def repetition(self, node: Node) -> tuple[str, str]:
        """`if (i < n) ...` as a loop over all the elements that are this thread's: what stands before it and behind.

        What the if stores to a variable is added there, or only the last element would count.
        """
        condition, nothing = node.child_by_field_name("condition"), ("", "")
        value = condition.child_by_field_name("value") if condition is not None else None
        if value is None or self._function is None or not self._on_device or self._stays(node):
            return nothing
        while value.type == "binary_expression" and text_of(value.children[1]) == "&&":
            value = value.children[0]
        left = value.child_by_field_name("left")
        if value.type != "binary_expression" or left is None or not re.match(r"<=?$", text_of(value.children[1])):
            return nothing
        if node.child_by_field_name("alternative") is not None or LEAVES.search(text_of(node)):
            return nothing
        if OWN_THREAD.fullmatch(short(left)):
            return self._repeated_by_threads(node, value)
        own = [one for one in self._thread_made(value) if one.name == text_of(left)]
        if not own or self._stores_what_was_made(node, text_of(left)):
            return nothing
        step = "gridDim.x * blockDim.x" if "blockIdx" in own[0].value else "blockDim.x"
        step = LANES if OF_LANE.search(own[0].value) and "warp" not in own[0].value else step
        key = self._function.label, own[0].name, step
        if key not in self._layouts:  # all of a function at once
            now = f"for (; {short(value)}; {own[0].name} += {step})"
            self._layouts[key] = self._add("one_each", node, (f"if ({short(value)})", now))
        self._made_here(self._layouts[key])
        number, v = self._layouts[key], own[0].name
        for target, stored in self._kept_by(node):
            other = f"{text_of(target)} + ({on_one_line(stored)})"
            self._instead.setdefault((stored.start_byte, stored.end_byte), []).append((number, other))
        return (
            f"for (what_if::Again<decltype({v})> again_({v}); again_.goes_on && (!what_if::is({number}) || "
            f"({short(value)})); again_.next(what_if::is({number}), {step})) {{ "
        ), " }"

    def _stores_what_was_made(self, node: Node, index: str) -> bool:
        """Whether this if stores what was made before it for one element, such as a sum: it is not that of others."""
        assert self._function is not None
        made = changed_in(self._function.node)
        before = {
            one.name
            for one in self._variables
            if one.at < node.start_byte and one.name != index and one.name not in self._parameters
            if one.name in made or re.search(rf"\b{index}\b", one.value)
        }
        for one in within(node):
            left, right = one.child_by_field_name("left"), one.child_by_field_name("right")
            if one.type == "assignment_expression" and left is not None and left.type in SHARED and right is not None:
                names = names_of(right)
                if names & before and index not in names:
                    return True
        return False

    def _kept_by(self, node: Node) -> Iterator[tuple[Node, Node]]:
        """What this if stores to variables that are declared before it, and that it does not read."""
        for one in within(node):
            left, right = one.child_by_field_name("left"), one.child_by_field_name("right")
            if one.type != "assignment_expression" or left is None or right is None or left.type != "identifier":
                continue
            known = [its for its in self._variables if its.name == text_of(left) and its.is_known(node)]
            is_plain = self._text[left.end_byte : right.start_byte].decode().strip() == "="
            if known and is_plain and FIRST.fullmatch(known[-1].value):
                yield left, right

    def _repeated_by_threads(self, node: Node, value: Node) -> tuple[str, str]:
        """`if (threadIdx.x < m) ...` as a loop of all threads of a block."""
        assert self._function is not None
        if LAMBDA in {one.type for one in within(node)}:
            return "", ""
        loop = f"for (int k = threadIdx.x; {THREAD.sub('k', short(value))}; k += blockDim.x)"
        key = self._function.label, "threadIdx.x", "blockDim.x"
        if key not in self._layouts:  # all of a function at once
            self._layouts[key] = self._add("one_each", node, (f"if ({short(value)})", loop))
        number = self._layouts[key]
        self._made_here(number)
        again = THREAD.sub("own_", f"{short(value)}; own_ += blockDim.x) {{ {on_one_line(node)} }}")
        return f"{{ if (what_if::is({number})) {{ for (int own_ = threadIdx.x; {again} }} else {{ ", " } }"

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


def axes_of(index: Variable) -> set[str]:
    """Of a thread's place, from which an index is made: x, y or z."""
    return set(re.findall(r"\bthreadIdx\.([xyz])", index.value)) or {"x"}  # a rank counts along x


def _sides(node: Node) -> list[tuple[Node, Node]]:
    """The two sides of a sum, in both orders."""
    first, second = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    if node.type != "binary_expression" or first is None or second is None or operator is None:
        return []
    return [(first, second), (second, first)] if text_of(operator) == "+" else []
