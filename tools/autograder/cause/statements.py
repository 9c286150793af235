"""Changes of statements: barriers, guards, conditions, what is left out."""

from __future__ import annotations

import re

from tree_sitter import Node

from autograder.cause.launches import Launches
from autograder.cause.source import text_of
from autograder.cause.writer import asked, bracketed, short

BARRIER = re.compile(r"(__syncthreads|__syncwarp)\s*\(|[\w.]+\.sync\s*\(")
MACROS = ("CUDA_CHECK", "todo")  # a statement of these is never left out


class Statements(Launches):
    """Writes statements."""

    def _compound_statement(self, node: Node) -> str:
        """Statements, and between them what may be missing: a barrier, a fence, an end for threads without work."""
        if not self._on_device:
            return self._plain(node)
        out, at = [], node.start_byte
        waits = [one for one in node.children if one.is_named and not self._stays(one) and _may_wait_after(one)]
        every = self._add("barriers", waits[0], ("", "__syncthreads(); after each statement")) if len(waits) > 1 else 0
        for child in node.children:
            written, moved = self.write(child), self._moved.pop(child.start_byte, [])
            before = "".join(f"what_if::barrier({one + 1}); " for one in moved)
            out += [self._text[at : child.start_byte].decode(), before, written]
            if child in waits:
                number = self._add("barrier", child, ("", "__syncthreads();"))
                fence = self._add("fence", child, ("", "__threadfence()"))
                out.append(f" what_if::barrier({number}); what_if::fence({fence});")
                out += [f" what_if::barrier({one});" for one in ([every] if every else []) + moved]
                out += self._ends(child)
            at = child.end_byte
        return "".join(out) + self._text[at : node.end_byte].decode()

    def _ends(self, node: Node) -> list[str]:
        """Behind a thread's index: threads beyond a bound leave."""
        if node.type != "declaration" or self._function is None or "void" not in self._function.head:
            return []
        out = []
        for one in node.named_children:
            name, value = one.child_by_field_name("declarator"), one.child_by_field_name("value")
            if one.type != "init_declarator" or name is None or value is None or "threadIdx" not in text_of(value):
                continue
            for bound in self._bounds:
                condition = f"{text_of(name)} >= {bound}"
                number = self._add("guard", one, ("", f"if ({condition}) return;"))
                out.append(f" if (what_if::is({number}) && {condition}) return;")
        return out

    def _expression_statement(self, node: Node) -> str:
        text, inner = text_of(node), self._plain(node)
        if not node.named_children or self._stays(node):
            return text
        name = re.match(r"[\w:]+", text)
        if name and name[0] in MACROS:
            return inner
        alternatives = self._accumulations(node)
        if alternatives:
            return alternatives
        kind = "barrier" if BARRIER.match(text) else "statement"
        number = self._add(kind, node, (text, ""))
        if kind == "barrier" and self._ifs:
            moved = self._add("moved_barrier", node, (text, f"{text} behind the if"), (text, f"{text} before the if"))
            self._moved.setdefault(self._ifs[-1].start_byte, []).append(moved)
            here = " && ".join(f"!what_if::is({one})" for one in (number, moved, moved + 1))
            return f"{{ if ({here}) {{ {inner} }} }}"
        first = len(self.changes) + 1
        others = self._other_launches(node)
        last = len(self.changes)
        usual = f"!what_if::is({number})" + (f" && what_if::which({first}, {last - first + 1}) < 0" if others else "")
        return f"{{ if ({usual}) {{ {inner} }} {others}}}"

    def _accumulations(self, node: Node) -> str:
        """x += v and x = x + v of memory that threads share, as one atomic."""
        assignment = node.named_children[0]
        left, right = assignment.child_by_field_name("left"), assignment.child_by_field_name("right")
        if assignment.type != "assignment_expression" or left is None or right is None or not self._on_device:
            return ""
        if left.type not in ("subscript_expression", "pointer_expression"):
            return ""
        sign = text_of(assignment)[
            left.end_byte - assignment.start_byte : right.start_byte - assignment.start_byte
        ].strip()
        added = None
        if sign == "+=":
            added = text_of(right)
        elif sign == "=" and right.type == "binary_expression":
            first, second = right.child_by_field_name("left"), right.child_by_field_name("right")
            operator = right.child_by_field_name("operator")
            if first is not None and second is not None and operator is not None and text_of(operator) == "+":
                if short(first) == short(left):
                    added = text_of(second)
                elif short(second) == short(left):
                    added = text_of(first)
        if added is None:
            return ""
        number = self._add("atomic", node, (text_of(node), f"atomicAdd(&{short(left)}, {added})"))
        stored = self._add("stored", node, (text_of(node), f"{short(left)} = {added};"))
        dropped = self._add("statement", node, (text_of(node), ""))
        text = self._plain(node)
        return (
            f"{{ if (what_if::is({number})) {{ what_if::add_to({number}, {text_of(left)}, {added}); }} "
            f"else if (what_if::is({stored})) {{ {text_of(left)} = {added}; }} "
            f"else if (!what_if::is({dropped})) {{ {text} }} }}"
        )

    def _leaves(self, node: Node) -> str:
        number = self._add("leaves", node, (text_of(node), ""))
        return f"{{ if (!what_if::is({number})) {self._plain(node)} }}"

    _break_statement = _leaves
    _continue_statement = _leaves

    def _if_statement(self, node: Node) -> str:
        if "constexpr" in text_of(node).split("(")[0]:
            condition = node.child_by_field_name("condition")
            return self._plain(node, lambda child: text_of(child) if child == condition else self.write(child))
        self._ifs.append(node)
        text = self._plain(node, lambda child: self._branch(node, child))
        self._ifs.pop()
        return text

    def _branch(self, parent: Node, child: Node) -> str:
        if child == parent.child_by_field_name("condition"):
            return self._condition(child)
        if child == parent.child_by_field_name("consequence") and child.type == "return_statement":
            return f"{{ {self.write(child)} }}"
        return self.write(child)

    def _condition(self, node: Node) -> str:
        value = node.child_by_field_name("value")
        declares = node.child_by_field_name("initializer") is not None
        if value is None or declares or value.type == "declaration" or self._stays(value):
            return self._plain(node)
        text = text_of(value)
        number = self._add("condition", value, (text, "true"), (text, "false"), (text, f"!({text})"))
        changed = asked(number, self.write(value))
        before, after = value.start_byte - node.start_byte, value.end_byte - node.start_byte
        whole = node.text or b""
        return whole[:before].decode() + changed + whole[after:].decode()

    def _for_statement(self, node: Node) -> str:
        return self._plain(node, lambda child: self._loop_part(node, child))

    _while_statement = _for_statement

    def _loop_part(self, parent: Node, child: Node) -> str:
        is_body = child == parent.child_by_field_name("body")
        if is_body and child.type != "compound_statement" and self._on_device:
            number = self._add("barrier", child, ("", "__syncthreads();"))
            return f"{{ {self.write(child)} what_if::barrier({number}); }}"
        if child == parent.child_by_field_name("update") and child.type == "assignment_expression":
            return self._plain(child)
        return self.write(child)

    def _declaration(self, node: Node) -> str:
        text = text_of(node)
        if re.match(r"(const\s+|static\s+|constexpr\s+)*constexpr|extern|typedef|using", text) or "__shared__" in text:
            return text
        if (
            re.match(r"(static\s+)?const\b", text)
            and "*" not in text
            and not re.search(r"\b(threadIdx|blockIdx)\b", text)
        ):
            return text  # it may be the size of an array
        return self._plain(node)

    def _init_declarator(self, node: Node) -> str:
        value, name = node.child_by_field_name("value"), node.child_by_field_name("declarator")
        if value is None or name is None or name.type != "identifier" or value.type == "initializer_list":
            return text_of(node) if name is None or name.type != "identifier" else self._plain(node)
        before = self._text[node.start_byte : value.start_byte].decode()
        written = self._value(value)
        if re.search(r"bytes|size", text_of(name)) and not self._on_device and "sizeof" not in text_of(value):
            number = self._add("bytes", value, (short(value), f"{bracketed(value)} * sizeof(float)"))
            written = f"what_if::bytes({number}, {written}, 4)"
        return before + written + self._text[value.end_byte : node.end_byte].decode()

    def _return_statement(self, node: Node) -> str:
        values = [one for one in node.named_children if one.type != "comment"]
        if not values:
            return self._leaves(node)
        before = self._text[node.start_byte : values[0].start_byte].decode()
        return before + self._value(values[0]) + self._text[values[0].end_byte : node.end_byte].decode()


def _may_wait_after(node: Node) -> bool:
    if node.type in ("comment", "return_statement", "break_statement", "continue_statement", "case_statement"):
        return False
    return not node.type.startswith("preproc") and not BARRIER.match(text_of(node))
