"""What is made of a compiler's text: the first error in words, its place, each warning once."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from autograder.build.compiler import compile_error, task_names, told, warnings

TASKS = ["naive", "hillis_steele", "block_sums"]
STUDENT = """#include "scan.h"
// void naive(int) is said here only
__global__ void naive_kernel(const int* d_in, int* d_out, int n) {
    __syncthread();
}

void NAME(const int* d_in, int* d_out, int n, Workspace&) {
    naive_kernel<<<1, 1>>>(d_in, d_out, n);
}
"""
LINKER = (
    "/usr/bin/ld: x.o: in function `main':\nx.cc:(.text+0x1): undefined reference to `NAME(int const*, int*)'\n" * 2
)
NESTED = """scan.cu(7): error: expected a ";"
  __attribute__((global)) void blelloch_kernel(const int* d_in, int* d_out, int n) {
                                                                                   ^

scan.cu(9): error: a template declaration is not allowed here
  template <Scan kind, class Op>
  ^

2 errors detected in the compilation of "scan.cu".
"""
TEMPLATE = (
    'scan.cu(9): error: function "block_sums<kind,Op>(const Op::type *) [with kind=Scan::exclusive, Op=Sum<int>]"'
    " cannot be instantiated -- no template definition was supplied\n"
)
INSTANCE = """../labs/x.cu: In instantiation of ‘void f(int) [with T = {0}]’:
../labs/x.cu:126:133:   required from here
../labs/x.cu:56:61: warning: unused parameter ‘d_out’ [-Wunused-parameter]
   56 | void f(T* d_out)
      |        ~~~^~~~~
"""


def student(folder: Path, name: str) -> Path:
    path = folder / "scan.cu"
    path.write_text(STUDENT.replace("NAME", name))
    return path


@pytest.mark.parametrize(
    ("written", "missing", "where", "says"),
    [
        ("naiv", "naive", "scan.cu:7", "scan.cu:7 defines `naiv`: write `naive`"),
        ("hilis_steele", "hillis_steele", "scan.cu:7", "scan.cu:7 defines `hilis_steele`: write `hillis_steele`"),
        ("naive", "naive", "scan.cu:7", "naive has different parameters here than in scan.h"),
        ("naive", "hillis_steele", "scan.cu", "is hillis_steele deleted, or commented out?"),
        ("other", "naive", "scan.cu", "is naive deleted"),  # neither a kernel of that name nor a comment defines it
    ],
)
def test_a_function_that_is_not_there(tmp_path: Path, written: str, missing: str, where: str, says: str) -> None:
    error = compile_error(LINKER.replace("NAME", missing), [], TASKS, student(tmp_path, written), "scan.h")
    assert error.where == where
    assert says in str(error)
    assert error.text == f"undefined reference to `{missing}(int const*, int*)'"


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("primitives::sum", "this lab has no ready-made sum"),
        ("unsigned int* primitives::counts<int>", "this lab has no ready-made counts"),
        ("Tile::kSize", "Tile::kSize is declared, but not defined: only your one file is compiled"),
    ],
)
def test_a_name_of_a_class_or_namespace_is_no_task(tmp_path: Path, name: str, says: str) -> None:
    error = compile_error(LINKER.replace("NAME", name), [], TASKS, student(tmp_path, "naive"), "scan.h", "#include <x>")
    assert says in str(error)


def test_global_arrays_that_are_too_large_are_told() -> None:
    text = "x.cc:(.text+0x1): relocation truncated to fit: R_X86_64_PC32 against `.bss'\ncollect2: error: ld returned 1"
    assert "arrays outside of functions have more than 2 GB" in str(compile_error(text, []))


def test_a_misspelt_template_is_named_by_its_definition(tmp_path: Path) -> None:
    error = compile_error(TEMPLATE, [], TASKS, student(tmp_path, "block_sum"), "scan.h")
    assert error.where == "scan.cu:7"
    assert "scan.cu:7 defines `block_sum`: write `block_sums`" in str(error)


def test_the_first_error_is_explained_and_the_compilers_text_kept(tmp_path: Path) -> None:
    source = student(tmp_path, "naive")
    error = compile_error(NESTED, [], TASKS, source, "scan.h")
    lines = told(error, "make lab3 && ./grader", source, "build/setup.log")
    assert lines[:2] == [
        "a function begins inside another one: a } is missing above",
        ">     7  void naive(const int* d_in, int* d_out, int n, Workspace&) {",
    ]
    assert '  scan.cu(7): error: expected a ";"' in lines
    assert "and 1 more error, often caused by the first · full output: build/setup.log" in lines
    assert not any("scan.cu(9)" in line for line in lines)
    assert lines[-1] == "next: fix scan.cu:7 · then: make lab3 && ./grader"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('identifier "__syncthread" is undefined', "did you mean `__syncthreads`?"),
        ('identifier "naive_kernl" is undefined', "did you mean `naive_kernel`?"),
        ('identifier "xyzzy" is undefined', "xyzzy is not known here: is it spelt right"),
        ("this declaration has no storage class or type specifier", "one } too many above"),
        ("a __global__ function call must be configured", "<<<blocks, threads>>>"),
        ("a variable length array cannot have static storage duration", "extern __shared__"),
        ('cannot open source file "thrust/sort.h"', "thrust/sort.h is not among"),
    ],
)
def test_advice(tmp_path: Path, text: str, says: str) -> None:
    error = compile_error(f"scan.cu(4): error: {text}\n", [], TASKS, student(tmp_path, "naive"))
    assert (error.where, says in str(error)) == ("scan.cu:4", True), str(error)


def test_a_place_in_another_file_is_not_looked_for_in_the_students(tmp_path: Path) -> None:
    source = student(tmp_path, "naive")
    error = compile_error("toolbox/basics.h(3): error: no instance of function\n", [], TASKS, source)
    assert not any(line.startswith(">") for line in told(error, "make", source))


def test_a_warning_is_told_once_for_all_instantiations() -> None:
    unused = 'x.cu(58): warning #177-D: variable "k" was declared but never referenced\n      int k = 3;\n          ^\n'
    during = '          detected during instantiation of "void f()"\n\nRemark: The warnings can be suppressed\n'
    text = unused + during + "".join(INSTANCE.format(kind) for kind in ("int", "float", "Pair")) + unused
    assert warnings(text) == [
        'x.cu(58): warning #177-D: variable "k" was declared but never referenced',
        "      int k = 3;",
        "          ^",
        "x.cu:56:61: warning: unused parameter ‘d_out’ [-Wunused-parameter]",
        "   56 | void f(T* d_out)",
        "      |        ~~~^~~~~",
    ]


def test_names_of_tasks(tmp_path: Path) -> None:
    assert task_names(tmp_path) == []
    (tmp_path / "grading").mkdir()
    (tmp_path / "grading" / "lab.toml").write_text('[[task]]\nname = "naive"\n[[task]]\nname = "look_back"\n')
    assert task_names(tmp_path) == ["naive", "look_back"]


def test_what_is_shown_is_fit_for_a_terminal() -> None:
    """A file may hold characters that turn a line's direction; the compiler repeats them."""
    error = compile_error('scan.cu(1): error: identifier "a\u202eb\x1b[31m" is undefined\n', [])
    assert error.text == 'scan.cu(1): error: identifier "ab[31m" is undefined'


def test_compiler_messages() -> None:
    text = '/x/y/scan.cu(12): error: identifier "blokDim" is undefined\n        int i = blokDim.x;\n1 error detected\n'
    error = compile_error(text, [Path("/x/y")])
    assert error.where == "scan.cu:12"
    assert error.text.startswith("scan.cu(12): error: identifier")
    assert "did you mean `blockDim`?" in str(error)
    linker = "/usr/bin/ld: scan_lab.o: in function `x':\nundefined reference to `naive(int const*, int*, int)'\n"
    assert str(compile_error(linker, [Path("/x")])).startswith("undefined reference to `naive(int const*, int*, int)")
    assert str(compile_error("", [Path("/x")])) == "the compiler gave no message"


def test_advice_is_about_the_first_error() -> None:
    text = (
        'scan.cu(37): error: expected a ";"\nscan.cu(69): error: identifier "blokcs" is undefined\n2 errors detected\n'
    )
    advice, number = str(compile_error(text, [])).splitlines()
    assert "semicolon is missing" in advice
    assert number == "and 1 more error, often caused by the first"
    assert "spelt right" in str(compile_error("\n".join(text.splitlines()[1:]), []))


def test_a_template_that_is_missing_is_named() -> None:
    text = (
        'labs/04-compact/grading/instantiations.h(9): error: function "fused(const T *, int, Keep) [with T=int]"'
        " cannot be instantiated -- no template definition was supplied\n"
    )
    error = compile_error(text, [], ["fused"], Path("compact.cu"), "compact.h")
    assert str(error).startswith("fused is not defined")
    assert error.where == "compact.cu"


def test_a_file_without_its_last_line_is_told_so(tmp_path: Path) -> None:
    source = tmp_path / "compact.cu"
    source.write_text("void fused(int n) {}\n")
    text = "ld: main.o: undefined reference to `void fused<int>(int)'\n"
    error = compile_error(text, [], ["fused"], source, "compact.h", '#include "grading/instantiations.h"')
    assert "compact.cu must end with this line" in str(error)


@pytest.mark.parametrize("number", [0, 5, 5000, 10**30])
def test_a_line_that_is_not_there(tmp_path: Path, number: int) -> None:
    source = tmp_path / "scan.cu"
    source.write_text("one\ntwo\n")
    error = compile_error(f"scan.cu({number}): error: expected an expression\n", [], TASKS, source)
    assert told(error, "make", source)[:2] == [
        "the compiler says:",
        f"  scan.cu({number}): error: expected an expression",
    ]
    source.unlink()
    assert told(error, "make", source)[:2] == [
        "the compiler says:",
        f"  scan.cu({number}): error: expected an expression",
    ]


def test_names_with_spaces_and_brackets() -> None:
    error = compile_error("/x/my scan (1).cu(12): error: expected an expression\n", [Path("/x")])
    assert error.where == "my scan (1).cu:12"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            'identifier "__reduce_add_sync" is undefined',
            "needs a GPU of compute capability 8.0, and labs are built for 7.5",
        ),
        ('namespace "primitives" has no member "sort_keys"', "this lab has no ready-made sort_keys"),
    ],
)
def test_what_a_lab_does_not_have(text: str, says: str) -> None:
    assert says in str(compile_error(f"scan.cu(4): error: {text}\n", []))


@pytest.mark.parametrize("part", ["a\n", "a ", "/* ", "a\n\n", "a*"], ids=lambda part: repr(part))
def test_any_file_is_explained_in_a_moment(tmp_path: Path, part: str) -> None:
    source = tmp_path / "scan.cu"
    source.write_text("#if 0\n" + part * 100_000)
    start = time.process_time()
    missing = compile_error("undefined reference to `naive(int)'\n", [], ["naive"], source, "scan.h")
    misspelt = compile_error('scan.cu(1): error: identifier "nayve" is undefined\n', [], ["naive"], source)
    assert "naive is not defined" in str(missing) and "nayve" in str(misspelt)
    assert time.process_time() - start < 4


def test_a_compiler_that_is_ended_after_its_warnings_says_what_ended_it() -> None:
    warned = "scan.cu: In function ‘void f(int)’:\nscan.cu:{0}:5: warning: unused parameter ‘n’\n    3 | f\n      | ~\n"
    error = compile_error("".join(warned.format(i) for i in range(40)) + "as: out of memory\n", [])
    assert str(error) == "as: out of memory"
    assert error.text.splitlines()[0] == "as: out of memory"


HEADER = """toolbox/basics.h(33): error: no operator "<" matches these operands
            operand types are: const Pair < const Pair
      return a < b;
               ^
          detected during:
            instantiation of "T Max<T>::operator()(T, T) const [with T=Pair]" at line 40
            instantiation of "void kernel<Op>(int *) [with Op=Max<Pair>]" at line 4 of scan.cu

toolbox/basics.h(34): error: another
"""
REQUIRED = """In file included from scan.cu:1:
toolbox/basics.h: In instantiation of ‘int f(T) [with T = Pair]’:
scan.cu:4:13:   required from here
toolbox/basics.h:9:5: error: ‘struct Pair’ has no member named ‘x’
    9 |     x.x = 1;
      |       ^
"""


@pytest.mark.parametrize("text", [HEADER, REQUIRED])
def test_an_error_in_a_header_is_shown_where_the_student_leads_there(tmp_path: Path, text: str) -> None:
    source = student(tmp_path, "naive")
    error = compile_error(text, [], TASKS, source)
    assert error.where == "scan.cu:4"
    lines = told(error, "make", source)
    assert ">     4      __syncthread();" in lines
    assert "         the error is in what is instantiated from here" in lines
    assert any(line.startswith("  basics.h") for line in lines)


def test_the_same_error_in_every_instantiation_counts_once() -> None:
    text = "".join(
        f"x.cu(3): error: this is wrong\n          detected during instantiation at line {n}\n\n" for n in (7, 8)
    )
    assert str(compile_error(text, [])) == "this is wrong"


def test_a_caret_points_into_the_line_as_it_was_written(tmp_path: Path) -> None:
    source = tmp_path / "scan.cu"
    source.write_text("    CUDA_CHECK(cudaMalloc(d_x, n));\n__global__ int k() {}\n")
    macro = (
        'scan.cu(1): error: no\n      cuda_check((cudaMalloc(d_x, n)), "cudaMalloc(d_x, n)", 1);\n                  ^\n'
    )
    assert told(compile_error(macro, [], TASKS, source), "make", source)[1] == "                        ^"
    word = "scan.cu(2): error: no\n  __attribute__((global)) int k() {}\n                          ^\n"
    lines = told(compile_error(word, [], TASKS, source), "make", source)
    assert lines[lines.index(">     2  __global__ int k() {}") + 1] == "                    ^"
