"""Which lines of a file with changes do not compile."""

from autograder.cause.program import lines_of_errors

OF_THE_FILE = """\
/tmp/.making-a/scan.cu(194): error: expression must have arithmetic or unscoped enum type
      word = what_if::plus(1294, d_words, k);
                    ^

/tmp/.making-a/scan.cu(20): warning #177-D: variable "k" was declared but never referenced
      int k;
          ^

/tmp/.making-a/scan.cu(213): error: no instance of function template "what_if::plus" matches the argument list
            argument types are: (int, <error-type>, int)
/tmp/.making-a/what_if.h(145): note #3327-D: candidate function template "what_if::plus" failed deduction

2 errors detected in the compilation of "/tmp/.making-a/scan.cu".
"""
OF_A_HEADER = """\
/tmp/.making-a/what_if.h(389): error: initialization with "{...}" expected for aggregate object
      const X before = x;
                       ^
          detected during:
            instantiation of "void what_if::exchanged(int, X &, X &)" at line 198 of /tmp/.making-a/scan.cu
            instantiation of "T wait_for(int, T &) const [with T=int]" at line 227 of /tmp/.making-a/scan.cu

1 error detected in the compilation of "/tmp/.making-a/scan.cu".
"""
OF_THE_HOST = """\
/tmp/.making-a/what_if.h: In instantiation of 'void what_if::exchanged(int, X&, X&)':
scan.cu:12:31:   required from here
/tmp/.making-a/what_if.h:389:15: error: array must be initialized with a brace-enclosed initializer
"""


def test_the_lines_that_do_not_compile_are_known_also_where_a_header_does_not() -> None:
    assert lines_of_errors(OF_THE_FILE, "scan.cu") == {194, 213}
    assert lines_of_errors(OF_A_HEADER, "scan.cu") == {198}  # and not where the function around it is called
    assert lines_of_errors(OF_THE_FILE + OF_A_HEADER, "scan.cu") == {194, 198, 213}
    assert lines_of_errors(OF_THE_HOST, "scan.cu") == {12}
    assert lines_of_errors("nvcc: out of memory", "scan.cu") == set()
