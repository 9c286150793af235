"""What of a commit goes into the students' archive: what is named here, and nothing else."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from autograder.errors import UsageError

# Whole folders, and single files. A new file beside them is left out until it is named.
FOLDERS = (
    "common", "datasets", "docs/data", "docs/figures", "labs", "tools/autograder", "tools/classes",
    "tools/learn", "tools/setup", "virtual_gpu",
)  # fmt: skip
FILES = (
    ".clang-format", ".clangd", ".devcontainer/devcontainer.json", ".editorconfig", ".gitignore",
    ".vscode/extensions.json", ".vscode/settings.json", ".vscode/tasks.json", "CMakeLists.txt", "LICENSE", "Makefile",
    "README.md", "docs/README.md", "docs/architecture.md", "docs/changelog.md", "docs/class.md", "docs/course.md",
    "docs/glossary.md",
    "docs/grading.md", "docs/handing-out.md", "docs/instructors.md", "docs/measured/times-h200.md",
    "docs/performance.md", "docs/result-schema.md", "docs/working.md", "grader", "pyproject.toml",
)  # fmt: skip
# In those folders: tests of the grader, and tests and bench of the virtual GPU, hold kernels, mistakes and attacks.
_NEVER = re.compile(r"(^|/)(tests|bench|__pycache__)/|^labs/.*_test\.cc$|^labs/[^/]+/\.?progress\.toml|\.saved-")
# With WITH_SOLUTIONS=1: the ladder and its map, but not what is tried on the grader with it.
_SOLUTION = re.compile(r"solutions/[^/]+/([^/]+\.cuh?|README\.md)")
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(<?([^)\s>]+)>?\)")
_FENCE = re.compile(r"(^ *(?:```|~~~).*?^ *(?:```|~~~))", re.MULTILINE | re.DOTALL)
# Of README.md: what is not meant for students.
_OTHERS = re.compile(
    r"^## Run the tests\n.*?(?=^## )|^\| (?:grade a class|plan a course|contribute) \|.*?\n", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class File:
    """A file of a commit or of the archive."""

    data: bytes
    executable: bool = False


@dataclass(frozen=True)
class Commit:
    """What git has of it; the working tree is not looked at."""

    name: str
    seconds: int  # of its date
    files: Mapping[str, File]
    changed: bool  # whether files of the working tree differ from it

    def below(self, folder: str) -> dict[str, File]:
        return {path: file for path, file in self.files.items() if path.startswith(f"{folder}/")}

    @property
    def labs(self) -> list[str]:
        """Folders such as 03-scan."""
        found = (re.match(r"labs/(\d\d-[^/]+)/grading/lab\.toml$", path) for path in self.files)
        return sorted(match[1] for match in found if match)


def commit_of(root: Path) -> Commit:
    """Reads this repository's commit. UsageError, if there is none."""
    known = _git(root, "rev-parse", "--verify", "-q", "HEAD^{commit}").decode().strip()
    seconds = int(_git(root, "log", "-1", "--format=%ct", known))
    entries = [entry.partition(b"\t") for entry in _git(root, "ls-tree", "-rz", known).split(b"\0") if entry]
    rows = [(path.decode(), *about.decode().split()) for about, _, path in entries]
    blobs = [(path, mode, blob) for path, mode, kind, blob in rows if kind == "blob"]
    texts = _git(root, "cat-file", "--batch", question="".join(f"{blob}\n" for _, _, blob in blobs).encode())
    files, at = {}, 0
    for path, mode, _ in blobs:
        end = texts.index(b"\n", at)
        size = int(texts[at:end].split()[2])
        if mode != "120000":  # a link could lead anywhere
            files[path] = File(texts[end + 1 : end + 1 + size], mode == "100755")
        at = end + size + 2
    changed = bool(_git(root, "status", "--porcelain", "--untracked-files=no").strip())
    return Commit(known, seconds, files, changed)


def _git(root: Path, *arguments: str, question: bytes = b"") -> bytes:
    try:
        done = subprocess.run(["git", "-C", str(root), *arguments], input=question, capture_output=True, check=False)
    except OSError:
        raise UsageError("git is not installed; make release packs a commit: apt-get install git") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().partition("\n")[0] or "no commit"
        raise UsageError(f"{root} is not a git repository with a commit, which is what make release packs ({said})")
    return done.stdout


def chosen_labs(commit: Commit, wanted: Iterable[str]) -> list[str]:
    """The folders of LABS="1 3"; of all labs, if it is empty."""
    words = list(wanted)
    found = []
    for word in words:
        number = word.removeprefix("lab")
        match = [
            lab for lab in commit.labs if word in (lab, lab[3:]) or (number.isdigit() and int(lab[:2]) == int(number))
        ]
        if not match:
            raise UsageError(f"LABS: there is no lab {word!r} in this commit; there are {', '.join(commit.labs)}")
        found += match
    return sorted(set(found)) if words else commit.labs


def students_files(commit: Commit, labs: Collection[str], with_solutions: bool) -> dict[str, File]:
    """The files taken from the commit. Links to files that are left out become their text."""

    def goes_in(path: str) -> bool:
        parts = path.split("/")
        if _NEVER.search(path):
            return False
        if parts[0] == "labs" and len(parts) > 2:
            return parts[1] in labs
        if parts[0] == "solutions":
            return with_solutions and parts[1] in labs and _SOLUTION.fullmatch(path) is not None
        return path in FILES or any(path.startswith(f"{folder}/") for folder in FOLDERS)

    files = {path: file for path, file in commit.files.items() if goes_in(path)}
    files |= {path: commit.files[_skeleton(path)] for path in begun(commit, labs)}
    return {path: _fitted(path, file, files) for path, file in files.items()}


def begun(commit: Commit, labs: Collection[str]) -> list[str]:
    """The labs' files to edit that are no longer the skeleton in this commit."""
    paths = [f"labs/{lab}/{lab[3:]}.cu" for lab in labs]
    missing = [_skeleton(path) for path in paths if _skeleton(path) not in commit.files]
    if missing:
        raise UsageError(f"this commit has no {missing[0]}, which is what students begin with")
    return [path for path in paths if path not in commit.files or commit.files[path] != commit.files[_skeleton(path)]]


def _skeleton(path: str) -> str:
    return f"{path.rpartition('/')[0]}/grading/skeleton.cu.txt"


def _fitted(path: str, file: File, files: Mapping[str, File]) -> File:
    if not path.endswith(".md"):
        return file
    text = file.data.decode("utf-8")
    if path == "README.md":
        text = _OTHERS.sub("", text)
    pieces = _FENCE.split(text)
    pieces[::2] = [_LINK.sub(lambda link: _kept(link, path, files), piece) for piece in pieces[::2]]
    return File("".join(pieces).encode(), file.executable)


def without_links(text: bytes) -> bytes:
    """Markdown with each link turned into its text."""
    return _LINK.sub(lambda link: link[1], text.decode("utf-8")).encode()


def _kept(link: re.Match[str], path: str, files: Mapping[str, File]) -> str:
    """The link, or its text alone if it leads to what is not in the archive."""
    target = unquote(link[2].partition("#")[0])
    if not target or re.match(r"[a-z]+:", target):
        return link[0]
    parts: list[str] = []
    for part in (*PurePosixPath(path).parent.parts, *PurePosixPath(target).parts):
        if part == "..":
            if not parts:
                return link[1]
            parts.pop()
        elif part != ".":
            parts.append(part)
    there = "/".join(parts)
    return link[0] if there in files or any(name.startswith(f"{there}/") for name in files) else link[1]
