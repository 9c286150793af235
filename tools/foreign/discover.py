"""Which programs a checkout has, and what they need besides CUDA's runtime.

A folder with one main function is a program, with all sources beside it and in folders below that have no main
function; sources that others include are not compiled. In a folder with several, each main file is a program.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import lru_cache
from pathlib import Path

from foreign.recipes import Program, Recipe

SUFFIXES = (".cu", ".cpp", ".cc", ".cxx", ".c")
MAIN = re.compile(r"^[ \t]*(?:static |extern \"C\" )?(?:int|void|auto|signed)?[ \t]*\n?[ \t]*main\s*\(", re.MULTILINE)
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"]+)[>\"]", re.MULTILINE)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
DRIVER = re.compile(
    r"\bcu(?:Init|Ctx|Module|Launch|Link|Library|Func|Device|Stream|Event|Mem[A-Z]|TensorMap|Graph|GetProc|Kernel)\w*\s*\("
)
# The beginning of an included file, and what the program needs. CUDA's own libraries may be on this machine, so the
# sources are looked at before anything is built.
CUDA_LIBRARIES = {
    "cublas": "cuBLAS",
    "cufft": "cuFFT",
    "curand.h": "cuRAND on the host",
    "cusparse": "cuSPARSE",
    "cusolver": "cuSOLVER",
    "cudnn": "cuDNN",
    "cutensor": "cuTENSOR",
    "cutlass": "CUTLASS",
    "cute/": "CUTLASS",
    "cufile": "cuFile",
    "cudss": "cuDSS",
    "nccl": "NCCL",
    "nvshmem": "NVSHMEM",
    "npp": "NPP",
    "nvjpeg": "nvJPEG",
    "nvrtc": "NVRTC",
    "cupti": "CUPTI",
    "nvml": "NVML",
    "nvsci": "NvSci",
    "cudla": "cuDLA",
}
# The same for all others, whose file the compiler does not find.
OTHER_LIBRARIES = {
    "mpi": "MPI",
    "GL/": "graphics",
    "GLES": "graphics",
    "GLFW/": "graphics",
    "EGL/": "graphics",
    "vulkan": "graphics",
    "d3d": "graphics",
    "DirectX": "graphics",
    "opencv": "OpenCV",
    "boost/": "Boost",
    "gsl/": "GSL",
    "wb.h": "libwb",
    "mkl": "MKL",
    "tbb/": "TBB",
    "SDL": "SDL",
    "X11/": "X11",
    "windows.h": "Windows",
    "Windows.h": "Windows",
    "FreeImage": "FreeImage",
    "torch/": "PyTorch",
    "catch": "Catch2",
    "nvbench": "nvbench",
    "pybind11": "Python",
    "Python.h": "Python",
}


@dataclass(frozen=True)
class Found:
    """A program of a checkout."""

    path: str  # relative to the checkout
    main: Path
    sources: tuple[Path, ...]  # the main file first
    about: Program

    @property
    def folder(self) -> Path:
        return self.main.parent


@lru_cache(maxsize=4096)
def text_of(path: Path) -> str:
    try:
        return COMMENT.sub("", path.read_text("utf-8", "replace"))
    except OSError:
        return ""


def has_main(path: Path) -> bool:
    return MAIN.search(text_of(path)) is not None


def programs(recipe: Recipe, checkout: Path) -> list[Found]:
    """Those that the recipe chooses, in the order of their paths."""
    found: list[Found] = []
    for main in mains(recipe, checkout):
        together = [] if recipe.alone else beside(main)
        path = main.relative_to(checkout)
        is_file = recipe.alone or (recipe.build == "nvcc" and len([one for one in together if has_main(one)]) > 1)
        name = str(path if is_file or path.parent == Path() else path.parent)
        if any(fnmatch(name, pattern) for pattern in recipe.leave_out):
            continue
        about = recipe.of(name)
        others = [main.parent / one for one in about.sources]
        if not about.sources and not is_file:
            included = {Path(one).name for source in together for one in INCLUDE.findall(text_of(source))}
            others = [one for one in together if one != main and one.name not in included]
        if any(one.suffix == ".cu" for one in (main, *others)) or recipe.main:
            found.append(Found(name, main, (main, *others), about))
    found.sort(key=lambda one: one.path)
    return found[:: recipe.every]


def mains(recipe: Recipe, checkout: Path) -> list[Path]:
    if recipe.main:
        return sorted(path for folder in recipe.folders for path in (checkout / folder).glob(recipe.main))
    files = [path for folder in recipe.folders for path in (checkout / folder).rglob("*") if path.suffix in SUFFIXES]
    return sorted({path for path in files if has_main(path)})


@lru_cache(maxsize=4096)
def beside(main: Path) -> list[Path]:
    """The sources in a main file's folder, and in the folders below without a main function."""
    files = sorted(path for path in main.parent.iterdir() if path.suffix in SUFFIXES)
    for folder in sorted(path for path in main.parent.iterdir() if path.is_dir()):
        below = sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES)
        if not any(has_main(path) for path in below):
            files += below
    return files


def needs(found: Found, include: list[Path]) -> str:
    """What the program cannot do without, such as "cuBLAS"; "" if CUDA's runtime is enough."""
    seen: set[Path] = set()
    todo = list(found.sources)
    wanted: set[str] = set()
    while todo:
        source = todo.pop()
        if source in seen:
            continue
        seen.add(source)
        text = text_of(source)
        if DRIVER.search(text) and re.search(r"#\s*include\s*[<\"](?:cuda\.h|cudaTypedefs\.h|cuda_drvapi)", text):
            wanted.add("the driver API")
        for one in INCLUDE.findall(text):
            wanted |= {need for start, need in CUDA_LIBRARIES.items() if one.lower().startswith(start)}
            local = [folder / one for folder in (source.parent, *include)]
            todo += [path for path in local[:3] if path.is_file()]
    return ", ".join(sorted(wanted))


def missing(said: str) -> str:
    """What a program needs whose build has said that an included file is not there; "" if nothing is known of it."""
    for one in re.findall(r"fatal error: (\S+): No such file", said):
        for start, need in OTHER_LIBRARIES.items():
            if one.startswith(start):
                return need
    return "graphics" if re.search(r"undefined reference to `_?gl[A-Zuew]", said) else ""
