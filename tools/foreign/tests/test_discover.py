from pathlib import Path

import pytest

from foreign.discover import beside, missing, needs, programs, text_of
from foreign.recipes import Program, Recipe

MAIN = "#include <cstdio>\nint main(int argc, char** argv) { return 0; }\n"


@pytest.fixture(autouse=True)
def forget() -> None:
    beside.cache_clear()
    text_of.cache_clear()


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_cpp", ".cpp").replace("_cu", ".cu").replace("_h", ".h")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def recipe(**more: object) -> Recipe:
    return Recipe("owner/name", "all", **more)  # type: ignore[arg-type]


def names(root: Path, **more: object) -> dict[str, list[str]]:
    return {one.path: [path.name for path in one.sources] for one in programs(recipe(**more), root)}


def test_folder_with_one_main_is_a_program_with_what_lies_beside_it(tmp_path: Path) -> None:
    write(tmp_path, sort__main_cpp=MAIN, sort__kernel_cu="", sort__deep__more_cu="", sort__part_cu="")
    write(tmp_path, sort__kernel_cu='#include "part.cu"\n')
    assert names(tmp_path) == {"sort": ["main.cpp", "kernel.cu", "more.cu"]}


def test_folder_with_several_mains_has_a_program_for_each(tmp_path: Path) -> None:
    write(tmp_path, ex__a_cu=MAIN, ex__b_cu=MAIN, ex__c_cu="")
    assert names(tmp_path) == {"ex/a.cu": ["a.cu"], "ex/b.cu": ["b.cu"]}


def test_program_without_device_code_is_left_out(tmp_path: Path) -> None:
    write(tmp_path, host__a_cpp=MAIN, gpu__a_cu=MAIN)
    assert list(names(tmp_path)) == ["gpu"]


def test_main_in_a_comment_or_a_call_is_none(tmp_path: Path) -> None:
    write(
        tmp_path, a__a_cu="// int main()\n/* int main() {} */\nvoid f() { x.main(); }\n", b__b_cu="int\nmain(void) {}"
    )
    assert list(names(tmp_path)) == ["b"]


def test_every_second_by_path(tmp_path: Path) -> None:
    write(tmp_path, **{f"{name}__a_cu": MAIN for name in "cabd"})
    assert list(names(tmp_path, every=2)) == ["a", "c"]
    assert list(names(tmp_path, every=2, leave_out=["a"])) == ["b", "d"]


def test_recipe_names_sources(tmp_path: Path) -> None:
    write(tmp_path, p__main_cu=MAIN, p__other_cu="", p__third_cu="")
    about = Program("p", sources=["third.cu"])
    assert names(tmp_path, program=[about]) == {"p": ["main.cu", "third.cu"]}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("#include <cublas_v2.h>\n", "cuBLAS"),
        ("#include <curand_kernel.h>\n", ""),
        ("#include <cuda.h>\nvoid f() { cuInit(0); }\n", "the driver API"),
        ("#include <cuda.h>\nvoid f() { cudaFree(0); }\n", ""),
        ("// #include <nvrtc.h>\n", ""),
        ('#include "own.h"\n', "cuFFT"),
    ],
)
def test_needs(tmp_path: Path, text: str, wanted: str) -> None:
    write(tmp_path, p__main_cu=text + MAIN, p__own_h="#include <cufft.h>\n")
    (found,) = programs(recipe(), tmp_path)
    assert needs(found, []) == wanted


def test_missing_file_names_the_library() -> None:
    assert missing("a.cu:3:10: fatal error: GL/glew.h: No such file or directory") == "graphics"
    assert missing("a.cu:3:10: fatal error: mine.h: No such file or directory") == ""
