"""Changes of statements: barriers, guards, conditions, what is left out."""

from __future__ import annotations

import re

from tree_sitter import Node

from autograder.cause.choices import LOOPS
from autograder.cause.declarations import Declarations
from autograder.cause.ends import Ends
from autograder.cause.launches import Launches
from autograder.cause.leaving import Leaving
from autograder.cause.names import LANES
from autograder.cause.neighbours import Neighbours
from autograder.cause.orders import Orders
from autograder.cause.source import text_of, within
from autograder.cause.tiles import Tiles
from autograder.cause.turned import Turned
from autograder.cause.writer import LAMBDA, LEAST_TWICE, on_one_line

BARRIER = re.compile(r"(__syncthreads|__syncwarp)\s*\(|[\w.]+\.sync\s*\(")
REFERENCE = re.compile(r"[\w:]+\s*\(\s*[&*]\s*\w+\s*\)\s*\[")  # int(&s)[8] = s_room; no call, as the parser thinks
STARTS = re.compile(r"<<<|cuda[A-Z]|\bwork\b")  # what takes time in a loop of the host
MACROS = ("CUDA_CHECK", "todo")  # a statement of these is never left out


class Statements(Neighbours, Leaving, Turned, Tiles, Ends, Launches, Declarations, Orders):
    """Writes statements."""

    def _compound_statement(self, node: Node) -> str:
        """Statements, and between them what may be missing: a barrier, a fence, an end for threads without work."""
        if not self._on_device:
            return self.of_host(node)
        if self._function is not None and node == self._function.node.child_by_field_name("body"):
            return self._body_twice(node)
        return "".join(self._listed(node)) + self.forgotten_before(node, node.children[-1]) + "}"

    def _body_twice(self, node: Node) -> str:
        """A function's statements with changes, if one of them is tried; else as they are. Shared arrays exist once."""
        assert self._function is not None
        first, children = len(self.changes) + 1, node.children
        self._regions.append(first)
        self.axes_exchanged(node)
        self.blocks_exchanged(node)
        self.quotients_exchanged(node)
        self.stays_and_stores(node)
        self.wrapped_everywhere(node)
        self.other_buffers(node)
        self.tails_left_out(node)
        out = self._listed(node)
        self._regions.pop()
        if len(self.changes) - first < LEAST_TWICE or "auto" in self._function.head.split("(")[0]:
            return "".join(out) + "}"
        split = 1 + max((at for at, one in enumerate(children) if "__shared__" in text_of(one)), default=0)
        at = children[split - 1]
        plain = self._text[at.end_byte : node.end_byte - 1].decode()
        both = self._either(first, at.end_point.row, "".join(out[split:]), plain, node.end_point.row)
        return "".join(out[:split]) + both + "}"

    def _listed(self, node: Node) -> list[str]:
        """Each child with what is before it, and with what may be missing behind it; at the end, what is before }."""
        out, at = [], node.start_byte
        shared = node.children if self._may_wait else []
        waits = [one for one in shared if one.is_named and not self._stays(one) and _may_wait_after(one)]
        first = next((one for one in waits if one.type != "declaration"), None)  # where threads begin to share
        every = (
            self._add("barriers", first, ("", "__syncthreads(); after each statement")) if first and waits[1:] else 0
        )
        behind = self.returns_in(node) if self._may_leave_late(node) else {}
        if waits and node.parent is not None and node.parent.type in LOOPS:
            number = self._add("barrier", node.children[0], ("", "__syncthreads();"))
            behind[node.children[0].start_byte] = f" what_if::barrier({number});"
        for child in node.children[:-1]:
            written, moved = self.in_other_order(child, self.write(child)), self._moved.pop(child.start_byte, [])
            before = "".join(f"what_if::barrier({one + 1}); " for one in moved)
            before += self.forgotten_before(node, child) + self.declared_late(child)
            text = self._text[at : child.start_byte].decode() + before + written + self.rest_of_tile(node, child)
            if child in waits:
                number = self._add("barrier", child, ("", "__syncthreads();"))
                self._add("fence", child, ("", "__threadfence()"))
                self._add("warp_barrier", child, ("", "__syncwarp();"))
                text += f" what_if::behind({number});"
                text += "".join(f" what_if::barrier({one});" for one in ([every] if every else []) + moved)
                text += "".join(self.left_behind(child))
            out.append(text + behind.get(child.start_byte, ""))
            at = child.end_byte
        return [*out, self._text[at : node.end_byte - 1].decode()]

    def _may_leave_late(self, node: Node) -> bool:
        """Whether it is all that a kernel does: behind its barriers nothing is left to come back to."""
        function = self._function
        return (
            function is not None and "__global__" in function.head and node == function.node.child_by_field_name("body")
        )

    @property
    def _may_wait(self) -> bool:
        """Whether a barrier may stand here: the host has none."""
        return self._function is not None and not self._function.on_host

    def _expression_statement(self, node: Node) -> str:
        text = text_of(node)
        if not node.named_children or self._stays(node) or REFERENCE.match(text):
            return text
        first = len(self.changes) + 1
        self.repeated_names(node)
        written = self._statement(node)
        holds_lambda = any(one.type == LAMBDA for one in within(node))
        if len(self.changes) < first or not self._on_device or BARRIER.match(text) or holds_lambda:
            return written
        self._has_own_region(first)
        return f"{{ if ({self._is_one_from(first)}) {written} else {{ {on_one_line(node)} }} }}"

    def _statement(self, node: Node) -> str:
        text = text_of(node)
        name = re.match(r"[\w:]+", text)
        if name and name[0] in MACROS:
            return self._plain(node)
        of_tile = self.each_of_tile(node)
        if alternatives := self.accumulated(node, self._plain):
            return f"{{ {of_tile}{alternatives} }}" if of_tile else alternatives
        alone = self.summed_up(node)
        cleared = self.cleared_before(node)
        inner = self._plain(node)
        kind = "barrier" if BARRIER.match(text) else "statement"
        number = self._add(kind, node, (text, ""))
        if text.startswith("__syncwarp"):
            wider = self._add("weak_barrier", node, (text, "__syncthreads();"))
            inner = f"if (what_if::is({wider})) __syncthreads(); else {inner}"
        if kind == "barrier" and (around := self._leaves_out(node)) is not None:
            of = "if" if around.type == "if_statement" else "loop"
            moved = self._add("moved_barrier", node, *((text, f"{text} {to} the {of}") for to in ("behind", "before")))
            self._moved.setdefault(around.start_byte, []).append(moved)
            here = " && ".join(f"!what_if::is({one})" for one in (number, moved, moved + 1))
            return f"{{ if ({here}) {{ {inner} }} }}"
        first = len(self.changes) + 1
        others = self._other_launches(node)
        last = len(self.changes)
        usual = f"!what_if::is({number})" + (f" && what_if::which({first}, {last - first + 1}) < 0" if others else "")
        guards = "" if alone else self._guards(node) + self.not_met(node)
        return f"{{ {alone}{cleared}if ({usual}{guards}) {{ {inner} }} {others}}}"

    def _leaves(self, node: Node) -> str:
        number = self._add("leaves", node, (text_of(node), ""))
        before = f"{self.left_late(node)}{self.gone_on(node)}{self.stored_first(node)}"
        return f"{{ {before}if (!what_if::is({number})) {self._plain(node)} }}"

    _break_statement = _leaves
    _continue_statement = _leaves

    def _leaves_out(self, node: Node) -> Node | None:
        """The innermost if around a barrier, or loop that takes other steps in each thread."""
        above = node.parent
        while above is not None and above.type != "function_definition":
            head = [above.child_by_field_name(name) for name in ("initializer", "condition")]
            names = {text_of(one) for part in head if part is not None for one in within(part)}
            own = names & {"threadIdx", *(one.name for one in self._variables if "threadIdx" in one.value)}
            if above.type == "if_statement" or (above.type in LOOPS and own):
                return above
            if above.type in (*LOOPS, LAMBDA):
                return None
            above = above.parent
        return None

    def _for_statement(self, node: Node) -> str:
        return self.twice(node, lambda one: self.in_reverse(one, self._loop(one)))

    def _while_statement(self, node: Node) -> str:
        return self.twice(node, self._loop)

    def _do_statement(self, node: Node) -> str:
        return self.twice(node, lambda one: self._plain(one, lambda child: self._loop_part(one, child)))

    def _loop(self, node: Node) -> str:
        self._loops.append(node)
        first, condition = node.child_by_field_name("initializer"), node.child_by_field_name("condition")
        begin = first.child_by_field_name("declarator") if first is not None and first.type == "declaration" else None
        if begin is not None and condition is not None and condition.type == "binary_expression":
            is_last = "=" in text_of(condition.children[1])
            ends = begin.child_by_field_name("value"), condition.child_by_field_name("right")
            self.limited_range(node, *ends, is_last=is_last)
            self.turned(node)
            self.counted_down(node)
            self.last_tile(node, condition)
        text = self._plain(node, lambda child: self._loop_part(node, child))
        self._loops.pop()
        more = self.remaining(node) if node.type == "while_statement" else ""
        return f"{{ {text}{more} }}" if more else text

    def _loop_part(self, parent: Node, child: Node) -> str:
        is_body = child == parent.child_by_field_name("body")
        if is_body and child.type != "compound_statement" and self._may_wait:
            number = self._add("barrier", child, ("", "__syncthreads();"))
            return f"{{ {self.write(child)} what_if::barrier({number}); }}"
        if is_body and not self._on_device and STARTS.search(text_of(child)):
            text = self.write(child)
            return f"{{ what_if::turn(); {text} }}"
        if child == parent.child_by_field_name("condition") and parent.type == "for_statement":
            first = len(self.changes) + 1
            return self._only_if_tried(child, first, self.with_part(child, parent, self.write))
        if child.type == "condition_clause" and (value := child.child_by_field_name("value")) is not None:
            if value.type == "declaration" or child.child_by_field_name("initializer") is not None:
                return self._plain(child)
            first = len(self.changes) + 1
            changed = self._only_if_tried(value, first, self.with_part(value, child, self.write))
            before = self._text[child.start_byte : value.start_byte].decode()
            return before + changed + self._text[value.end_byte : child.end_byte].decode()
        if child == parent.child_by_field_name("update") and child.type == "assignment_expression":
            return self._plain(child, self._step)
        return self.write(child)

    def _step(self, node: Node) -> str:
        """What a loop's variable moves on by."""
        text = self.write(node)
        if node.type == "number_literal":
            text = self._scaled(node, self._beside(node, text), "value")
        if text_of(node) in (LANES, "warpSize") and self._on_device:
            number = self._add("thread_index", node, (text_of(node), "blockDim.x"))
            text = f"what_if::in_its_place({number}, {text}, blockDim.x)"
        return text

    def _return_statement(self, node: Node) -> str:
        values = [one for one in node.named_children if one.type != "comment"]
        if not values:
            return self._leaves(node)
        if self._function is not None and re.match(r"(.*\s)?void\s", self._function.head, re.DOTALL):
            return self._plain(node)
        before = self._text[node.start_byte : values[0].start_byte].decode()
        first = len(self.changes) + 1
        written = self.in_wide(values[0], self.returned_type(), self._value(values[0]))
        if values[0].type != "initializer_list":
            written = self._only_if_tried(values[0], first, written)
        whole = before + written + self._text[values[0].end_byte : node.end_byte].decode()
        return f"{{ {goes_on}{whole} }}" if (goes_on := self.gone_on(node)) else whole


def _may_wait_after(node: Node) -> bool:
    if node.type in ("comment", "return_statement", "break_statement", "continue_statement", "case_statement"):
        return False
    return not node.type.startswith("preproc") and not BARRIER.match(text_of(node))
