"""What the preprocessor leaves of a file: the list of what it opened, and the text with all macros expanded."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path, PurePath

from autograder.source import lines_of, text_of

# A directive that is still in preprocessed text, spelled with #, %: or ??=, except the preprocessor's own: line markers
# and pragmas. Attack: `#define HASH #`, `HASH include "secret"`; nvcc's front end follows it, and no list has the file.
_DIRECTIVE = r"^[^\S\n]*(?:#|%:|\?\?=)(?!\s*(?:\d|pragma\b|ident\b))"
# All that may look like a directive, or hide one. Each character is looked at only a few times, whatever the text: an
# unclosed literal ends with its line, an unclosed raw string with the text.
_TOKENS = (
    r"(?:u8|u|U|L)?R\"([^\s()\\\"]{0,16})\(.*?(?:\)\1\"|\Z)",  # a raw string: its lines are no directives
    r"[^\W\d]\w*",  # a word: the R of FOR"( opens no raw string
    r"\.?\d(?:'?[\w.])*",  # a number: the ' of 1'000 opens no character
    r"\"(?:\\.|[^\"\\\n])*\"?",  # a string: "R\"x(" opens no raw string, which would hide what follows
    r"'(?:\\.|[^'\\\n])*'?",  # a character: '"' opens no string, which would hide a quotation mark
    rf"(?P<directive>{_DIRECTIVE})",
)
_ANY_DIRECTIVE = re.compile(_DIRECTIVE, re.MULTILINE)
_TOKEN = re.compile("|".join(_TOKENS), re.MULTILINE | re.DOTALL)
_INCLUDE = re.compile(r"[ \t]*#[ \t]*(?:include|include_next|import)[ \t]*(?:<([^>\n]*)>|\"([^\"\n]*)\"|(\w))")


def makes_directive(preprocessed: str) -> bool:
    """Whether a preprocessed text still has a directive other than a line marker."""
    # A backslash before the line's end continues `#` as `# include`; a lone carriage return may end a line, too.
    text = re.sub(r"\\[ \t]*\r?\n", "", preprocessed).replace("\r", "\n")
    return bool(_ANY_DIRECTIVE.search(text)) and any(found["directive"] for found in _TOKEN.finditer(text))


def dependencies(text: str) -> list[list[str]]:
    """The files of each rule in a Makefile's text, which escapes characters of names: `\\ `, `\\#`, `$$`."""
    rules = []
    for rule in text.replace("\\\n", " ").split("\n"):
        if not rule:
            continue
        names = re.findall(r"(?:\\.|[^\s\\])+", rule.partition(": ")[2])
        rules.append([re.sub(r"\\(.)", r"\1", name).replace("$$", "$") for name in names])
    return rules


def include_of(source: Path, read: Sequence[str], at: int) -> int:
    """The line of `source` that led to file `at` of those read; 0 if that cannot be told."""
    owner = computed = 0
    nearest = -1
    for number, line in enumerate(lines_of(text_of(source)), 1):
        include = _INCLUDE.match(line)
        if include is None:
            continue
        if include[3]:  # a macro's name
            computed = computed or number
            continue
        ending = str(PurePath("/", re.sub(r"^(\.\./|\./|/)+", "", include[1] or include[2])))
        first = next((i for i, name in enumerate(read) if str(PurePath("/", name)).endswith(ending)), len(read))
        if nearest < first <= at:
            owner, nearest = number, first
    return owner if nearest == at or not computed else computed
