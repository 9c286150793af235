"""Changes of what is missing in an expression: a factor, a term, a limit, a part of a condition."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cached_property

from tree_sitter import Node

from autograder.cause.names import BUILT_IN, INTEGERS, Names
from autograder.cause.source import Function, text_of, within
from autograder.cause.writer import bracketed, short

COUNT = re.compile(
    r"\.(n|rows|cols|columns|width|height|count|nonzeros|size|length|end)$"
)  # fields that bound an index
FACTOR = re.compile(r"(?:[*/%]\s*(k[A-Z]\w*|[1-9]\d+|[2-9])\b(?![.:])|(?<!:)\b(k[A-Z]\w*|[1-9]\d+|[2-9])\s*\*)")
SIZE = re.compile(r"(?=.*[A-Za-z])[\w.]+( [-+*/] [\w.]+){1,2}")
ORIGIN = re.compile(r"\w*(left|bottom|top|min|low|lowest|first|begin|origin|start|offset)\w*|[xy]0")
OF_ONE = re.compile(r"([a-z]\w*(?:bits|log|levels|digits|blocks|tiles|rounded|padded)\w*)\([a-z]\w*\)")
SUM = re.compile(r"^(?!.*[=<>?]).* [-+] ")  # no comparison
MOST_SIZES = 4
MOST_FACTORS, MOST_TERMS, MOST_FIELDS, MOST_LIMITS, MOST_FLAGS = 5, 4, 2, 4, 2
LEAVES = (
    "identifier", "subscript_expression", "field_expression", "number_literal", "parenthesized_expression",
    "cast_expression",
)  # fmt: skip
COLLECTIVE = re.compile(
    r"\b(__(shfl|ballot|any|all|reduce|match)\w*_sync|shuffle\w*|\w+\.(shfl|ballot|any|all)\w*)\s*\("
)
BOOLEAN = ("bool",)


class Missing(Names):
    """Writes expressions in which something may be missing."""

    @cached_property
    def _known(self) -> dict[tuple[str, int], list[str]]:
        """What is asked of a function again and again, by where that begins."""
        return {}

    def _of_function(self, what: str, find: Callable[[Function], list[str]]) -> list[str]:
        assert self._function is not None
        key = what, self._function.node.start_byte
        if key not in self._known:
            self._known[key] = find(self._function)
        return self._known[key]

    def bounds_at(self, node: Node) -> list[str]:
        """What an index may have to stay below: integer parameters and fields of parameters, first those named here."""
        structs = [one for one in self._variables if one.depth == 0 and one.type not in INTEGERS]
        its = {one.name: one.type for one in structs if one.name in self._parameters}
        fields = [one for one in self._fields if one.partition(".")[0] in its]
        fields += [f"{name}.{one}" for name, type_ in its.items() for one in self.fields_of(type_)]
        return [*self._bounds, *(one for one in dict.fromkeys(fields) if COUNT.search(one))]

    @property
    def _fields(self) -> list[str]:
        """The fields that the function names, as they are written there."""
        return self._of_function("fields", _fields_of)

    def fields_at(self, node: Node) -> list[str]:
        """Fields of structs that are known here by value, and that this expression does not name."""
        known = {one.name for one in self._variables if one.depth == 0 and one.is_known(node)}
        text = short(node)
        return [one for one in self._fields if one.partition(".")[0] in known and one not in text]

    def flags_at(self, node: Node) -> list[str]:
        """The truth values that are known here, the latest first."""
        text = text_of(node)
        known = [one for one in self._variables if one.depth == 0 and one.type in BOOLEAN and one.is_known(node)]
        return [one.name for one in reversed(known) if not re.search(rf"\b{one.name}\b", text)][:MOST_FLAGS]

    @cached_property
    def _constants_of_functions(self) -> set[str]:
        """Constants that are known in a part of the file only, or by more than their name."""
        text = self._text.decode()
        local = re.findall(r"^\s+(?:static )?constexpr [^;]*", text, re.MULTILINE)
        templates = re.findall(r"template <[^>]*>(?:\s*(?:inline )?constexpr [^;]*)?", text)
        return {name for one in [*local, *templates] for name in re.findall(r"\bk[A-Z]\w*", one)}

    def constants_here(self) -> list[str]:
        """Constants by their names, as this function has them."""
        assert self._function is not None
        names = re.findall(r"(?<![:\w.>])k[A-Z]\w*(?!\w*[:(<])", text_of(self._function.node))
        return list(dict.fromkeys(names))[:MOST_LIMITS]

    def factors(self) -> list[str]:
        """What is multiplied by, or divided by, in this function, and then elsewhere in the file."""
        return self._of_function("factors", self._found_factors)

    def _found_factors(self, function: Function) -> list[str]:
        here = self._text[function.node.start_byte : function.node.end_byte].decode()
        found = [a or b for text in (here, self._text.decode()) for a, b in FACTOR.findall(text)]
        before, after = (self._text.decode().partition(here)[at] for at in (0, 2))
        later = {name for name in found if not re.search(rf"\b{name} =", before) and re.search(rf"\b{name} =", after)}
        bare = {one for one in found if re.search(rf"(?<![:\w]){one}\b(?!<)", here)}  # and no Shape<T>::kItems
        known = [one for one in found if one in bare or one not in self._constants_of_functions | later]
        return list(dict.fromkeys(known))[:MOST_FACTORS]

    def _of_index(self, node: Node) -> str:
        """What an index or a comparison is made of."""
        before, self._in_index = self._in_index, True
        text = self.write(node)
        self._in_index = before
        return text

    def other_size(self, node: Node, text: str) -> str:
        """A number, or one by its name: a size that the file computes elsewhere from what is known here."""
        if node.type not in ("identifier", "number_literal") or text_of(node) in ("0", "1", "2"):
            return text
        here = [one for one in self._variables if one.depth == 0 and one.is_known(node)]
        known = {one.name + "." for one in here} | {one.name for one in here if one.type in (*INTEGERS, "auto")}
        sizes = [one for one in self._sizes if set(re.findall(r"(?<!\.)\b[A-Za-z_]\w*\b\.?", one)) <= known]
        own = text_of(node)
        listed = [one for one in sizes if not re.search(rf"\b{re.escape(own)}\b", one)][:MOST_SIZES]
        for other in listed:
            number = self._add("size", node, (own, f"({other})"))
            text = f"what_if::in_its_place({number}, {text}, {other})"
        return text

    @cached_property
    def _sizes(self) -> list[str]:
        """Sums, products and differences of the file, and differences of the ends of what its structs hold."""
        assert self._function is not None
        root = self._function.node
        while root.parent is not None:
            root = root.parent
        every = [short(one) for one in within(root) if one.type == "binary_expression"]
        fields = list(dict.fromkeys(short(one) for one in within(root) if one.type == "field_expression"))
        ends = [one for one in fields if one.endswith(".end")]
        every += [f"{end} - {end[:-4]}.begin" for end in ends if f"{end[:-4]}.begin" in fields]
        calls = [short(one) for one in within(root) if one.type == "call_expression"]
        names = {one[1] for one in map(OF_ONE.fullmatch, calls) if one}
        made = [f"{name}({one})" for name in sorted(names) for one in self._bounds]
        return list(dict.fromkeys([*(one for one in every if SIZE.fullmatch(one)), *made]))

    def with_factor(self, node: Node, text: str) -> str:
        """x + y, where 32 * x is meant, or x[i] in place of x[4 * i]."""
        own = short(node)
        if node.type not in LEAVES or not self._on_device or "*" in own or own in ("0", "1"):
            return text
        return self._one_of("factor", "times_one_of", node, text, [one for one in self.factors() if one != own], " * ")

    def with_term(self, node: Node, text: str, constants: Iterable[str] = ()) -> str:
        """x, where x + first or x - first is meant."""
        if not _may_lack(node) or not self._on_device or re.fullmatch(r"[1-9][\w.]*|0\.\w*", short(node)):
            return text  # a number with a name is likelier to lack a term than one without
        terms = [*self.integers_at(node)[:MOST_TERMS], *self.fields_at(node)[:MOST_FIELDS], *constants]
        text = self._one_of("missing_term", "plus_one_of", node, text, terms, " + ", " - ")
        return self._with_element(node, text) if node.type == "binary_expression" else text

    def _with_element(self, node: Node, text: str) -> str:
        """a - x[i], where a - x[i] - y[i] is meant, and another sum of the function has y[i]."""
        last, sign = node.children[2], text_of(node.children[1])
        at = last.child_by_field_name("indices")
        if at is None or sign not in ("+", "-") or self._function is None:
            return text
        elements = [one for one in within(self._function.node) if one.type == "subscript_expression"]
        same = [one for one in elements if short(one.child_by_field_name("indices") or one) == short(at)]
        summed = [short(one) for one in same if one.parent is not None and SUM.search(short(one.parent))]
        for other in [one for one in dict.fromkeys(summed) if one not in short(node)][:MOST_FLAGS]:
            whole = f"{short(node)} {sign} {other}"
            number = self._add("missing_element", node, (short(node), whole))
            text = f"(what_if::is({number}) ? {whole} : {text})"
        return text

    def with_unused(self, node: Node, text: str) -> str:
        """An index, where a term is missing that an array holds which the function is given and never uses."""
        if self._function is None or not self._in_unused:
            return text
        names = [text_of(one) for one in within(node) if one.type == "identifier"]
        known = [one for one in self.integers_at(node) if one not in self._parameters]
        for array in self._in_unused:
            for at in list(dict.fromkeys([*(one for one in names if one not in self._parameters), *known]))[
                :MOST_FIELDS
            ]:
                if any(one.name == at and one.type in INTEGERS and one.is_known(node) for one in self._variables):
                    other = f"{bracketed(node)} + {array}[{at}]"
                    number = self._add("missing_term", node, (short(node), other))
                    text = f"(what_if::is({number}) ? {other} : {text})"
        return text

    @property
    def _in_unused(self) -> list[str]:
        """Arrays of integers that the function is given and does not name."""
        assert self._function is not None
        body = text_of(self._function.node.child_by_field_name("body") or self._function.node)
        arrays = [one for one in self._variables if one.depth == 1 and one.type in INTEGERS and one.is_const]
        return [one.name for one in arrays if one.name in self._parameters and not re.search(rf"\b{one.name}\b", body)]

    def with_origin(self, node: Node, text: str) -> str:
        """x / width, where (x - first) / width is meant, or n / width, where (n - done) / width is."""
        known = [one for one in self._variables if not one.depth and one.is_known(node)]
        fields = [f"{one.name}.{field}" for one in known for field in self.fields_of(one.type)]
        every = [*fields, *(one.name for one in reversed(known) if one.type in (*INTEGERS, "float", "double"))]
        names = {one: one.rpartition(".")[2] for one in every}
        origins = [one for one, name in names.items() if ORIGIN.fullmatch(name) and not name.startswith("d_")]
        origins = origins if short(node).partition(".")[0] not in BUILT_IN else []
        if short(node) in self._bounds:
            origins = list(dict.fromkeys([*origins, *self.integers_at(node)]))
        for one in [one for one in origins if one not in short(node)][:MOST_FIELDS] if self._on_device else []:
            other = f"({short(node)} - {one})"
            number = self._add("missing_term", node, (short(node), other))
            text = (
                f"static_cast<std::remove_cvref_t<decltype({short(node)})>>(what_if::is({number}) ? {other} : {text})"
            )
        return text

    def with_limit(self, node: Node, text: str) -> str:
        """x, where min(x, n - first) is meant; 0, where max(0, n - first) is."""
        if not _may_lack(node) or self._function is None:
            return text
        whole, own = short(node), {text_of(one) for one in within(node) if one.type == "identifier"}
        bounds = [one for one in self.bounds_at(node) if one not in own][:MOST_LIMITS]
        others = [*self.integers_at(node)[:MOST_LIMITS], *(one for one in self._bounds if one not in own)]
        parts = [f"{a} - {b}" for a in bounds for b in dict.fromkeys(others) if a != b][: 3 * MOST_LIMITS]
        if re.fullmatch(r"\d+[uUlL]*|k[A-Z]\w*|[A-Z]", whole):
            limits = parts if whole == "0" else [*bounds, *parts]
        else:
            limits = bounds
        if not limits or whole == "1":
            return text
        name = "max" if whole == "0" else "min"
        number = self._add("limit", node, *((whole, f"{name}({whole}, {one})") for one in limits))
        return f"what_if::limited<{str(name == 'max').lower()}>({number}, {text}, {', '.join(limits)})"

    def constants_before(self) -> list[str]:
        """The file's constants of integers by their names, as far as this function knows them, the latest first."""
        assert self._function is not None
        before = self._text[: self._function.node.start_byte].decode()
        declared = " ".join(re.findall(r"(?<!>\n)^(?:inline )?constexpr int [^;]*;", before, re.MULTILINE))
        return list(reversed(re.findall(r"\b(k[A-Z]\w*)(?= = )", declared)))

    def _one_of(self, kind: str, name: str, node: Node, text: str, others: Iterable[str], *signs: str) -> str:
        listed = list(others)
        if not listed:
            return text
        words = ((short(node), f"{bracketed(node)}{sign}{other}") for other in listed for sign in signs)
        number = self._add(kind, node, *words)
        return f"what_if::{name}({number}, {text}, {', '.join(listed)})"

    def with_part(self, condition: Node, about: Node, write: Callable[[Node], str]) -> str:
        """A condition that lacks a part: an index is below its bound, or what a flag says.

        `about`: whose indices may have to stay below a bound.
        """
        text = write(condition)
        if not self._on_device or self._stays(condition):
            return text
        inside = [
            text_of(name)
            for one in within(about)
            if one.type == "subscript_expression" and (index := one.child_by_field_name("indices")) is not None
            for name in within(index)
            if name.type == "identifier"
        ]
        known = {
            one.name for one in self._variables if one.depth == 0 and one.type in INTEGERS and one.is_known(condition)
        }
        compared = set(re.findall(r"\b(\w+) <=? \w", short(condition)))
        indices = [one for one in dict.fromkeys(inside) if one in known and one not in compared][:MOST_LIMITS]
        counts = [one for one in self.integers_at(condition) if re.search(r"n$|count|end|size|total|last", one)]
        bounds = list(dict.fromkeys([*self.bounds_at(condition)[: MOST_LIMITS - 1], *counts[:2]]))
        below = [f"{a} < {b}" for a in indices for b in bounds if a != b]
        parts = [*below, *self.flags_at(condition)]
        if not parts:
            return text
        was, inner = short(condition), f"({short(condition)})" if "||" in text_of(condition) else short(condition)
        words = [(was, f"{one} && {inner}") for one in parts]
        words += [(was, f"{one.replace(' < ', ' >= ') if ' < ' in one else f'!{one}'} || {was}") for one in parts]
        number = self._add("missing_condition", condition, *words)
        listed = ", ".join(parts)
        if COLLECTIVE.search(was):  # which all lanes must reach
            every, any_ = f"what_if::all_of({number}, {listed})", f"what_if::any_of({number + len(parts)}, {listed})"
            return f"(({text}) || {any_}) && {every}"
        return f"what_if::all_of({number}, {listed}) && (what_if::any_of({number + len(parts)}, {listed}) || ({text}))"


def _fields_of(function: Function) -> list[str]:
    fields = [one for one in within(function.node) if one.type == "field_expression"]
    every = (short(one) for one in fields if one.parent is None or one.parent.type != "call_expression")
    return list(dict.fromkeys(one for one in every if re.fullmatch(r"\w+\.\w+", one)))


def _may_lack(node: Node) -> bool:
    """Whether a term or a limit may be missing here."""
    is_cast = node.type == "call_expression" and text_of(node).startswith("static_cast")
    return is_cast or node.type in (*LEAVES, "binary_expression")
