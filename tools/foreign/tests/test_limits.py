import os
import sys
from pathlib import Path

from foreign.building import first_error, resized, with_sizes
from foreign.limits import Ended, run


def ended(code: str, seconds: float = 20, memory: int = 1 << 30, given: str = "") -> Ended:
    return run([sys.executable, "-c", code], Path(), os.environ, seconds, memory, given)


def test_output_and_status() -> None:
    one = ended("import sys; print(input()); print('bad', file=sys.stderr); sys.exit(3)", given="seven\n")
    assert (one.status, one.stopped) == (3, "")
    assert {"seven", "bad"} <= set(one.output.splitlines())


def test_time_ends_all_of_its_processes(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    child = f"import time; time.sleep(3); open({str(mark)!r}, 'w')"
    one = ended(f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {child!r}]).wait()", seconds=0.2)
    assert one.stopped == "time"
    assert not mark.exists()


def test_processor_time_of_all_its_processes() -> None:
    child = "while True: pass"
    one = ended(f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {child!r}]).wait()", seconds=0.5)
    assert one.stopped == "time"
    assert one.seconds > 0.1


def test_memory() -> None:
    assert ended("x = bytearray(300 << 20)\nwhile True: pass", memory=100 << 20).stopped == "memory"


def test_sizes_replace_the_values_of_a_constant() -> None:
    text = "#define N 1024 // wide\nint M = 1 << 20, k = 3;\nfor (M = 0;;);\n"
    assert with_sizes(text, {"N": "8", "M": "1 << 4"}).splitlines() == [
        "#define N 8// wide",
        "int M = 1 << 4, k = 3;",
        "for (M = 0;;);",
    ]
    assert with_sizes("int NX = 4;", {"N": "8"}) == "int NX = 4;"
    assert with_sizes("n = 5;\nn = 6;", {"n": "1"}) == "n = 1;\nn = 6;"
    assert with_sizes("int n = 5;\n{ size_t n = 6; }", {"n": "1"}) == "int n = 1;\n{ size_t n = 1; }"


def test_sources_are_as_they_were_after_a_build(tmp_path: Path) -> None:
    source = tmp_path / "a.cu"
    source.write_bytes(b"const int N = 100;  // \xff\n")
    with resized(tmp_path, {"N": "2"}):
        assert source.read_bytes() == b"const int N = 2;  // \xff\n"
    assert source.read_bytes() == b"const int N = 100;  // \xff\n"


def test_first_error() -> None:
    assert first_error("nvcc warning\n/a/b/x.cu(3): error: no such\n") == "x.cu(3): error: no such"
