"""Every file and every function exists that virtual_gpu/docs/INTERNALS.md or a header's comment names."""

from __future__ import annotations

import re

from tests.test_docs import ROOT, files

GPU = ROOT / "virtual_gpu"
PAGE = GPU / "docs/INTERNALS.md"
PATH = re.compile(r"[\w.-]+(/[\w.-]*)+|\w+\.(cc|h|inc|md|cu)")
NAME = re.compile(r"[A-Za-z_]\w*(::\w+)*(\(\))?")


def named() -> list[str]:
    return sorted(set(re.findall(r"`([^`\n]+)`", PAGE.read_text("utf-8"))))


def exists(name: str) -> bool:
    places = [GPU, GPU / "docs"]
    return any((place / name).exists() for place in places)


def test_files_exist() -> None:
    paths = [name for name in named() if PATH.fullmatch(name)]
    assert len(paths) > 30
    assert not [name for name in paths if not exists(name)]


def test_functions_and_types_exist() -> None:
    sources = [path for path in files(".cc", ".h", ".txt") if GPU in path.parents]
    text = "\n".join(path.read_text("utf-8") for path in sources)
    words = set(re.findall(r"\w+", text))
    names = [name for name in named() if NAME.fullmatch(name) and not PATH.fullmatch(name)]
    assert len(names) > 60
    assert not [name for name in names if not set(re.findall(r"\w+", name)) <= words]
    functions = [name[:-2].split("::")[-1] for name in names if name.endswith("()")]
    assert not [name for name in functions if not re.search(rf"\b{name}(<[^;()]*>)?\(", text)]


def test_functions_in_comments_of_headers_exist() -> None:
    """Our own: CUDA's functions, and those of a kernel, are none of ours."""
    code, said = "", set[str]()
    for path in files(".cc", ".h", ".inc"):
        if GPU not in path.parents:
            continue
        for line in path.read_text("utf-8").splitlines():
            before, _, comment = line.partition("//")
            code += f"{before}\n"
            said |= {*re.findall(r"(\w+)\(\)", comment)} if path.suffix == ".h" else set()
    of_cuda = re.compile(r"cuda\w+|clock64")
    called = set(re.findall(r"\b(\w+)(?:<[^;()]*>)?\(", code))
    assert len(said) > 30
    assert not [name for name in sorted(said - called) if not of_cuda.fullmatch(name)]
