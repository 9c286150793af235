"""What is read of a preprocessor's output."""

from __future__ import annotations

import time

import pytest

from autograder.build.preprocessed import dependencies, makes_directive


def test_the_lists_of_all_passes_are_read() -> None:
    text = "x.o: /a/b.h \\\n  /a/c\\ d.h /$$e\nx.o: /a/f\\#.h\n\nx.o:\n"
    assert dependencies(text) == [["/a/b.h", "/a/c d.h", "/$e"], ["/a/f#.h"], []]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('# 1 "x.cu"\n#pragma unroll\n#ident "me"\nint a;\n', False),
        ('# 1 "x.cu"\n # include "/etc/passwd"\n', True),
        ("int a;\n%:include <cub/cub.cuh>\n", True),
        ("# \\ \ninclude <cub/cub.cuh>\n", True),
        ('const char* s = R"x(\n#include <cub/cub.cuh>\n)x";\n', False),  # the text of another program
        ('const char* s = "R\\"x(";\n#include <cub/cub.cuh>\n// )x"\n', True),
        ('f(1\'000, R"(\n#define x\n)");\n', False),
        ("char c = u8'\"';\n#define x\n// '\"'\n", True),
    ],
)
def test_a_directive_that_a_macro_made(text: str, left: bool) -> None:
    assert makes_directive(text) is left


@pytest.mark.parametrize(
    "part", ['R"', 'R"a(\n', '\\"', "'", "1'", "\n", " ", "\\ ", "a", '"\\\n', "# 1\n"], ids=lambda part: repr(part)
)
def test_any_text_is_searched_in_a_moment(part: str) -> None:
    start = time.process_time()
    assert isinstance(makes_directive('"' + part * 100_000 + "\n#define x\n"), bool)
    assert time.process_time() - start < 2
