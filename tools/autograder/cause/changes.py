"""The small changes of a program that might repair it, all in one text: each is switched on by its number.

The text is compiled once (what_if.cuh is included before it) and called with one change after the other. It has the
same lines as the student's file, so that the compiler's messages and findings name those.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tree_sitter import Node

from autograder.cause.source import Function, text_of, within

COMPARISONS = {
    "<": ("less", ("<=", ">", ">=")),
    "<=": ("less_equal", ("<", ">=", ">")),
    ">": ("greater", (">=", "<", "<=")),
    ">=": ("greater_equal", (">", "<=", "<")),
    "==": ("equal", ("!=", "<=", ">=")),
    "!=": ("not_equal", ("==", "<", ">")),
}
ARITHMETIC = {
    "+": ("plus", ("{a} - {b}", "{a} * {b}")),
    "-": ("minus", ("{a} + {b}", "{b} - {a}")),
    "*": ("times", ("{a} + {b}", "{a}")),
    "/": ("over", ("{a} / {b}, rounded up", "{a} * {b}")),
    "<<": ("shifted_left", ("{a} >> {b}", "{a} << ({b} + 1)")),
    ">>": ("shifted_right", ("{a} << {b}", "{a} >> ({b} + 1)")),
    "%": ("remainder", ("{a} / {b}", "{a}")),
    "&": ("bits_and", ("{a} | {b}", "{a}")),
    "|": ("bits_or", ("{a} & {b}", "{a} ^ {b}")),
    "^": ("bits_xor", ("{a} | {b}", "{a} & {b}")),
}
BUILT_IN = {"threadIdx": "blockIdx", "blockIdx": "threadIdx", "blockDim": "gridDim", "gridDim": "blockDim"}
AXES = {"x": "y", "y": "x", "z": "x"}
OTHER = {"min": "max", "max": "min", "std::min": "std::max", "std::max": "std::min"}
OTHER |= {"__shfl_up_sync": "__shfl_down_sync", "__shfl_down_sync": "__shfl_up_sync"}
OTHER |= {"shuffle_up": "shuffle_down", "shuffle_down": "shuffle_up"}
BARRIER = re.compile(r"(__syncthreads|__syncwarp)\s*\(|[\w.]+\.sync\s*\(")
MACROS = ("CUDA_CHECK", "todo")  # a statement of these is never left out
CONSTANT = (  # what is computed while compiling stays as it is
    "template_argument_list", "array_declarator", "static_assert_declaration", "case_statement", "attribute_specifier",
    "preproc_call", "preproc_def", "preproc_if", "preproc_ifdef", "parameter_list", "enumerator_list",
    "sizeof_expression", "decltype", "string_literal", "char_literal", "template_parameter_list",
)  # fmt: skip


@dataclass(frozen=True)
class Change:
    """One small change: with it, `now` stands where the file has `was`."""

    number: int
    kind: str
    line: int
    was: str
    now: str
    function: str
    start: int = 0  # byte of the part that is replaced, for showing the changed line
    end: int = 0


@dataclass(frozen=True)
class Changeable:
    """A file with all its changes."""

    text: bytes
    changes: tuple[Change, ...]

    def change(self, number: int) -> Change:
        return next(one for one in self.changes if one.number == number)


def changeable(
    text: bytes, functions: Sequence[Function], tasks: Collection[str], without: Collection[int]
) -> Changeable:
    """The file with the changes of these functions; `tasks`: those that begin a call. `without`: lines that stay."""
    writer = _Writer(text, without, {one.name: _types_of(one) for one in functions})
    pieces: list[bytes] = []
    at = 0
    for function in sorted(functions, key=lambda one: one.node.start_byte):
        body = function.node.child_by_field_name("body")
        if body is None or body.start_byte < at or "constexpr" in function.head or body.type != "compound_statement":
            continue
        pieces += [text[at : body.start_byte], writer.body(function, body, function.name in tasks).encode()]
        at = body.end_byte
    return Changeable(b"".join([*pieces, text[at:]]), tuple(writer.changes))


def _short(node: Node) -> str:
    return " ".join(text_of(node).split())


class _Writer:
    """Writes nodes with their changes, from the inside out. An alternative repeats the text without changes."""

    def __init__(self, text: bytes, without: Collection[int], types: Mapping[str, list[str]]) -> None:
        self.changes: list[Change] = []
        self._text = text
        self._without = without
        self._function: Function | None = None
        self._parameters: list[str] = []
        self._bounds: list[str] = []  # integer parameters
        self._moved: dict[int, list[int]] = {}  # barriers that may stand behind an if, by its first byte
        self._layouts: dict[tuple[str, str, str], int] = {}
        self._ifs: list[Node] = []  # around what is written now
        self._types = types  # of each function's parameters

    def body(self, function: Function, body: Node, begins: bool) -> str:
        self._function = function
        self._parameters = re.findall(r"(\w+)\s*(?:,|\)|=)", function.head)
        self._bounds = re.findall(r"\b(?:int|unsigned|size_t|long long)\s+(\w+)\s*(?=[,)])", function.head)
        text = self._compound(body)
        return text.replace("{", "{what_if::begin(); ", 1) if begins else text

    # ---- numbering ----

    def _add(self, kind: str, node: Node, *alternatives: tuple[str, str]) -> int:
        """Numbers for (was, now) texts; the first one."""
        first = len(self.changes) + 1
        for was, now in alternatives:
            assert self._function is not None
            self.changes.append(
                Change(
                    len(self.changes) + 1, kind, node.start_point.row + 1, " ".join(was.split()), " ".join(now.split()),
                    self._function.label, node.start_byte, node.end_byte,
                )
            )  # fmt: skip
        return first

    def _stays(self, node: Node) -> bool:
        lines = range(node.start_point.row + 1, node.end_point.row + 2)
        return any(line in self._without for line in lines)

    # ---- statements ----

    def _plain(self, node: Node, render: Callable[[Node], str] | None = None) -> str:
        """The node's own text with its children rendered."""
        render = render or self.write
        if not node.children:
            return text_of(node)
        out, at = [], node.start_byte
        for child in node.children:
            out += [self._text[at : child.start_byte].decode(), render(child)]
            at = child.end_byte
        return "".join(out) + self._text[at : node.end_byte].decode()

    def _compound(self, node: Node) -> str:
        """Statements, and between them what may be missing: a barrier, a fence, an end for threads without work."""
        if not self._on_device:
            return self._plain(node)
        out, at = [], node.start_byte
        waits = [one for one in node.children if one.is_named and not self._stays(one) and _may_wait_after(one)]
        every = self._add("barriers", waits[0], ("", "__syncthreads(); after each statement")) if len(waits) > 1 else 0
        for child in node.children:
            out += [self._text[at : child.start_byte].decode(), self.write(child)]
            if child in waits:
                number = self._add("barrier", child, ("", "__syncthreads();"))
                fence = self._add("fence", child, ("", "__threadfence();"))
                out.append(f" what_if::barrier({number}); what_if::fence({fence});")
                out += [f" what_if::barrier({every});"] if every else []
                out += [f" what_if::barrier({moved});" for moved in self._moved.pop(child.start_byte, [])]
                out += self._ends(child)
            at = child.end_byte
        return "".join(out) + self._text[at : node.end_byte].decode()

    @property
    def _on_device(self) -> bool:
        return self._function is not None and self._function.on_device

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

    def write(self, node: Node) -> str:
        """The node's text with its changes."""
        if node.type in CONSTANT or (
            self._stays(node) and node.type != "compound_statement" and not _holds_statements(node)
        ):
            return text_of(node)
        writer = getattr(self, f"_{node.type}", None)
        return str(writer(node)) if writer else self._plain(node)

    def _compound_statement(self, node: Node) -> str:
        return self._compound(node)

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
            number = self._add("moved_barrier", node, (text, f"{text} behind the if"))
            self._moved.setdefault(self._ifs[-1].start_byte, []).append(number)
            return f"{{ if (!what_if::is({number - 1}) && !what_if::is({number})) {{ {inner} }} }}"
        swapped = self._swapped_launch(node)
        return f"{{ if (!what_if::is({number})) {{ {inner} }} {swapped}}}"

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
                if _short(first) == _short(left):
                    added = text_of(second)
                elif _short(second) == _short(left):
                    added = text_of(first)
        if added is None:
            return ""
        number = self._add("atomic", node, (text_of(node), f"atomicAdd(&{_short(left)}, {added})"))
        dropped = self._add("statement", node, (text_of(node), ""))
        text = self._plain(node)
        return (
            f"{{ if (what_if::is({number})) {{ what_if::add_to({number}, {text_of(left)}, {added}); }} "
            f"else if (!what_if::is({dropped})) {{ {text} }} }}"
        )

    def _swapped_launch(self, node: Node) -> str:
        """A launch with two neighbouring arguments in the other order."""
        call = node.named_children[0]
        arguments = call.child_by_field_name("arguments")
        if call.type != "call_expression" or arguments is None or "<<<" not in text_of(call):
            return ""
        given = [one for one in arguments.named_children if one.type != "comment"]
        name = re.match(r"\w+", text_of(call))
        types = self._types.get(name[0] if name else "", [])
        out = ""
        for at, (first, second) in enumerate(pairwise(given)):
            if first.type != "identifier" or second.type != "identifier" or len(types) != len(given):
                continue
            if types[at] != types[at + 1]:
                continue
            swapped = f"{text_of(second)}, {text_of(first)}"
            text = self._text[node.start_byte : first.start_byte].decode() + swapped
            text += self._text[second.end_byte : node.end_byte].decode()
            number = self._add("arguments", first, (f"{text_of(first)}, {text_of(second)}", swapped))
            out += f"if (what_if::is({number})) {{ {' '.join(text.split())} }} "
        return out

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
        if value is None or node.child_by_field_name("initializer") is not None or value.type == "declaration":
            return self._plain(node)
        text = text_of(value)
        number = self._add("condition", value, (text, "true"), (text, "false"), (text, f"!({text})"))
        inner = self.write(value)
        changed = (
            f"what_if::is({number}) || (!what_if::is({number + 1}) && (static_cast<bool>({inner}) != "
            f"what_if::is({number + 2})))"
        )
        before, after = value.start_byte - node.start_byte, value.end_byte - node.start_byte
        whole = node.text or b""
        return whole[:before].decode() + changed + whole[after:].decode()

    def _for_statement(self, node: Node) -> str:
        return self._plain(node, lambda child: self._loop_part(node, child))

    def _while_statement(self, node: Node) -> str:
        return self._plain(node, lambda child: self._loop_part(node, child))

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
        return before + self._value(value) + self._text[value.end_byte : node.end_byte].decode()

    def _value(self, node: Node) -> str:
        """A value that is stored: another first value, or one beside it."""
        inner = self.write(node)
        if node.type == "number_literal":
            text = text_of(node)
            if text in ("0", "1", "0.0", "0.0f", "0.f"):
                other = [(text, "0"), (text, "1")]
                number = self._add("first_value", node, *other)
                inner = f"what_if::first_value({number}, {inner})"
                if self._function is not None and re.search(r"\bclass Op\b|\btypename Op\b", self._function.head):
                    number = self._add("first_value", node, (text, "Op::identity()"))
                    inner = f"(what_if::is({number}) ? Op::identity() : {inner})"
                return inner
        if node.type in (
            "identifier",
            "number_literal",
            "binary_expression",
            "call_expression",
            "parenthesized_expression",
        ):
            return self._beside(node, inner)
        return inner

    # ---- expressions ----

    def _beside(self, node: Node, inner: str, kind: str = "value") -> str:
        text = _short(node)
        number = self._add(kind, node, (text, f"{_bracketed(node)} + 1"), (text, f"{_bracketed(node)} - 1"))
        return f"what_if::beside({number}, {inner})"

    def _assignment_expression(self, node: Node) -> str:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return self._plain(node)
        between = self._text[left.end_byte : right.start_byte].decode()
        value = self._value(right) if between.strip() == "=" else self.write(right)
        return self.write(left) + between + value

    def _binary_expression(self, node: Node) -> str:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if left is None or right is None or operator is None:
            return self._plain(node)
        sign, a, b = text_of(operator), self.write(left), self.write(right)
        if sign in COMPARISONS:
            name, others = COMPARISONS[sign]
            one, two = _short(left), _short(right)
            wordings = [(f"{one} {sign} {two}", f"{one} {other} {two}") for other in others]
            wordings.append((f"{one} {sign} {two}", f"int({one}) {sign} int({two})"))
            number = self._add("comparison", node, *wordings)
            if right.type in ("identifier", "binary_expression", "number_literal") and text_of(right) != "nullptr":
                b = self._beside(right, b, "bound")
            return f"what_if::{name}({number}, {a}, {b})"
        if sign in ARITHMETIC:
            name, patterns = ARITHMETIC[sign]
            words = {"a": _bracketed(left), "b": _bracketed(right)}
            number = self._add("arithmetic", node, *((_short(node), one.format(**words)) for one in patterns))
            text = f"what_if::{name}({number}, {a}, {b})"
            return self._exchanged(node, left, right, text) if sign == "+" else text
        if sign in ("&&", "||"):
            number = self._add("part_of_condition", node, (_short(node), _short(right)), (_short(node), _short(left)))
            add = "|| what_if::is({})" if sign == "&&" else "&& !what_if::is({})"
            return f"((({a}) {add.format(number)}) {sign} (({b}) {add.format(number + 1)}))"
        return self._plain(node)

    def _exchanged(self, node: Node, left: Node, right: Node, text: str) -> str:
        """x * height + y: rows and columns exchanged, with another size."""
        parts = [left.child_by_field_name(name) for name in ("left", "operator", "right")]
        if (
            left.type != "binary_expression"
            or parts[1] is None
            or text_of(parts[1]) != "*"
            or right.type != "identifier"
        ):
            return text
        for factor, old in ((parts[0], parts[2]), (parts[2], parts[0])):
            if factor is None or old is None or factor.type != "identifier" or text_of(factor) in self._bounds:
                continue
            for size in self._bounds:
                other = f"{text_of(right)} * {size} + {text_of(factor)}"
                # All of a function at once: they are wrong together.
                key = self._function.label if self._function else "", text_of(old), size
                if key not in self._layouts:
                    self._layouts[key] = self._add("layout", node, (_short(node), other))
                text = f"(what_if::is({self._layouts[key]}) ? {other} : {text})"
        return text

    def _subscript_expression(self, node: Node) -> str:
        indices = node.child_by_field_name("indices")
        base = node.child_by_field_name("argument")
        if indices is None or base is None or len(indices.named_children) != 1:
            return self._plain(node)
        index = indices.named_children[0]
        return f"{self.write(base)}[{self._beside(index, self.write(index), 'index')}]"

    def _conditional_expression(self, node: Node) -> str:
        parts = [node.child_by_field_name(name) for name in ("condition", "consequence", "alternative")]
        if any(part is None for part in parts):
            return self._plain(node)
        asked, yes, no = (part for part in parts if part is not None)
        text = _short(asked)
        swapped = f"{text} ? {_short(no)} : {_short(yes)}"
        number = self._add(
            "choice", node, (_short(node), _short(yes)), (_short(node), _short(no)), (_short(node), swapped)
        )
        condition = (
            f"(what_if::is({number}) || (!what_if::is({number + 1}) && (static_cast<bool>({self.write(asked)}) != "
            f"what_if::is({number + 2}))))"
        )
        return f"({condition} ? {self._same(yes)} : {self._same(no)})"

    def _same(self, node: Node) -> str:
        """An arm of a choice. A changed one may have another type, so numbers stay as they are."""
        return text_of(node) if node.type == "number_literal" else self.write(node)

    def _field_expression(self, node: Node) -> str:
        of, name = node.child_by_field_name("argument"), node.child_by_field_name("field")
        if of is None or name is None or text_of(of) not in BUILT_IN:
            return self._plain(node)
        built_in, axis = text_of(of), text_of(name)
        others = [f"{BUILT_IN[built_in]}.{axis}"]
        if axis in AXES:
            others.append(f"{built_in}.{AXES[axis]}")
        if built_in == "blockDim":
            others.append(f"(gridDim.{axis} * blockDim.{axis})")
        number = self._add("thread_index", node, *((text_of(node), other) for other in others))
        text = text_of(node)
        for at, other in enumerate(others):
            text = f"(what_if::is({number + at}) ? {other} : {text})"
        return text

    def _call_expression(self, node: Node) -> str:
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None or arguments is None:
            return self._plain(node)
        if any(child.type == "kernel_call_syntax" for child in node.children):
            return self._launch(node)
        given = [one for one in arguments.named_children if one.type != "comment"]
        name = re.sub(r"<.*", "", text_of(function), flags=re.DOTALL)
        if name in (
            "cudaMemcpy",
            "cudaMemcpyAsync",
            "cudaMemset",
            "cudaMemcpyToSymbol",
            "cudaMemcpyFromSymbol",
            "cudaMemcpyToSymbolAsync",
            "cudaMemcpyFromSymbolAsync",
            "cudaMemsetAsync",
        ):
            return self._copy(node, name, given)
        written = [self._argument(name, one) for one in given]
        text = f"{self.write(function)}({', '.join(written)})"
        if name in OTHER:
            other = text_of(node).replace(name, OTHER[name], 1)
            number = self._add("function", node, (_short(node), " ".join(other.split())))
            return f"(what_if::is({number}) ? {' '.join(other.split())} : {text})"
        if re.fullmatch(r"op|\w*(Op|Order)\(\)(\.\w+)?", name) and len(given) == 2:
            other = f"{text_of(function)}({_short(given[1])}, {_short(given[0])})"
            number = self._add("operands", node, (_short(node), other))
            return f"(what_if::is({number}) ? {other} : {text})"
        return text

    def _argument(self, name: str, node: Node) -> str:
        inner = self.write(node)
        is_number = node.type == "number_literal" and not text_of(node).lower().startswith("0x")
        if is_number or node.type == "binary_expression" or name in ("ceil_div", "work.get"):
            return self._beside(node, inner, "argument") if node.type != "lambda_expression" else inner
        return inner

    def _launch(self, node: Node) -> str:
        syntax = next(child for child in node.children if child.type == "kernel_call_syntax")
        given = [one for one in syntax.named_children if one.type != "comment"]
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if len(given) < 2 or function is None or arguments is None or self._on_device:
            return self._plain(node)
        grid, block = text_of(given[0]), text_of(given[1])
        n = "n" if "n" in self._parameters else "0"
        wordings = [(grid, f"{grid} + 1"), (grid, f"2 * {grid}"), (grid, f"ceil_div(n, {block})"), (grid, "1")]
        number = self._add("blocks", given[0], *wordings)
        more = self._add("threads", given[1], (block, "256"), (f"<<<{grid}, {block}>>>", f"<<<{block}, {grid}>>>"))
        both = self._add("threads", given[1], (f"<<<{grid}, {block}>>>", "<<<max(1, ceil_div(n, 256)), 256>>>"))
        rest = [self.write(one) for one in given[2:]]
        if len(given) > 2:
            bytes_ = self._add("shared_bytes", given[2], (_short(given[2]), f"4 * ({_short(given[2])})"))
            rest[0] = f"what_if::bytes({bytes_}, {rest[0]}, 4)"
        blocks = f"what_if::blocks({number}, {self.write(given[0])}, dim3({block}), {n}, {both})"
        threads = f"what_if::threads({more}, {self.write(given[1])}, dim3({grid}), {both})"
        listed = ", ".join(self._argument("", one) for one in arguments.named_children if one.type != "comment")
        return f"{text_of(function)}<<<{', '.join([blocks, threads, *rest])}>>>({listed})"

    def _copy(self, node: Node, name: str, given: Sequence[Node]) -> str:
        written = [self.write(one) for one in given]
        if len(given) >= 3 and "Symbol" not in name:
            element = f"sizeof(*({text_of(given[0])}))"
            if text_of(given[0]).startswith("&"):
                element = f"sizeof({text_of(given[0])[1:]})"
        else:
            element = f"sizeof(*({text_of(given[1])}))" if len(given) > 1 else "1"
        if len(given) >= 3:
            size = _short(given[2])
            number = self._add("bytes", given[2], (size, f"{_bracketed(given[2])} * {element}"))
            written[2] = f"what_if::bytes({number}, {written[2]}, {element})"
        if len(given) >= 4 and text_of(given[3]).startswith("cudaMemcpy"):
            others = ("cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice")
            number = self._add("direction", given[3], *((text_of(given[3]), other) for other in others))
            written[3] = f"what_if::kind({number}, {text_of(given[3])})"
        return f"{name}({', '.join(written)})"

    def _return_statement(self, node: Node) -> str:
        values = [one for one in node.named_children if one.type != "comment"]
        if not values:
            return self._leaves(node)
        before = self._text[node.start_byte : values[0].start_byte].decode()
        return before + self._value(values[0]) + self._text[values[0].end_byte : node.end_byte].decode()

    def _lambda_expression(self, node: Node) -> str:
        return text_of(node)


def _types_of(function: Function) -> list[str]:
    declared = next((one for one in within(function.node) if one.type == "parameter_list"), None)
    found = []
    for one in declared.named_children if declared is not None else []:
        name = next((text_of(part) for part in within(one) if part.type == "identifier"), "")
        text = text_of(one).replace("__restrict__", "")
        found.append("".join(text.removesuffix(name).split()))
    return found


def _may_wait_after(node: Node) -> bool:
    if node.type in ("comment", "return_statement", "break_statement", "continue_statement", "case_statement"):
        return False
    return not node.type.startswith("preproc") and not BARRIER.match(text_of(node))


def _holds_statements(node: Node) -> bool:
    return node.type in ("if_statement", "for_statement", "while_statement", "do_statement", "else_clause")


def _bracketed(node: Node) -> str:
    text = _short(node)
    return f"({text})" if node.type in ("binary_expression", "conditional_expression") else text


def calls_in(function: Function) -> Iterator[str]:
    """The names of what a function calls."""
    for node in within(function.node):
        called = node.child_by_field_name("function") if node.type == "call_expression" else None
        if called is not None:
            yield re.sub(r"<.*", "", text_of(called), flags=re.DOTALL)
