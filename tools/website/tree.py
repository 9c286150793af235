"""What is on the site: pages made of Markdown, their order, and the repository's other files."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

# A section's pages in their order. A page that no section names goes where REST says.
SECTIONS: dict[str, tuple[str, ...]] = {
    "Start": ("README.md", "docs/course.md"),
    "The labs": (),
    "Working and grading": ("docs/working.md", "docs/grading.md", "docs/glossary.md", "virtual_gpu/README.md"),
    "For instructors": (
        "docs/instructors.md",
        "docs/class.md",
        "docs/handing-out.md",
        "course/README.md",
        "docs/cluster.md",
        "course/mistakes.md",
        "docs/times-h200.md",
        "docs/result-schema.md",
    ),
    "For authors": (
        "CONTRIBUTING.md",
        "docs/architecture.md",
        "docs/adding-a-lab.md",
        "docs/style.md",
        "docs/performance.md",
        "virtual_gpu/docs/corpus.md",
        "docs/measured/public-programs.md",
        "virtual_gpu/docs/counters-h200.md",
        "virtual_gpu/docs/model-h200.md",
        "docs/mutants.md",
        "docs/changelog.md",
    ),
    "Reference solutions": (),
}
REST = (
    (re.compile(r"labs/\d\d-[^/]+/(?:README|costs)\.md"), "The labs"),
    (re.compile(r"solutions/\d\d-[^/]+/README\.md"), "Reference solutions"),
    (re.compile(r"(?:virtual_gpu/)?docs/(?:performance/)?[^/]+\.md"), "For authors"),
)
# Students read the site: answers and exams stay with the instructors.
HIDDEN = re.compile(r"course/[^/]+/(?:answers|exam)\.md")


@dataclass(frozen=True)
class Page:
    """A Markdown file and its place on the site, both with / and relative to their roots."""

    source: str  # "labs/03-scan/README.md"
    name: str  # "labs/03-scan/index": the page's address without .html
    section: str

    @property
    def lab(self) -> int | None:
        """The number of the lab whose handout this is."""
        found = re.fullmatch(r"labs/(\d\d)-[^/]+/README\.md", self.source)
        return int(found[1]) if found else None


def name_of(source: str) -> str:
    """A folder's README is its index page, as on a forge."""
    path = PurePosixPath(source)
    return str(path.with_name("index") if path.name == "README.md" else path.with_suffix(""))


def section_of(source: str) -> str | None:
    named = (section for section, names in SECTIONS.items() if source in names)
    rest = (section for pattern, section in REST if pattern.fullmatch(source))
    return next(named, None) or next(rest, None)


class Tree:
    """The repository's files, and which of them are pages."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files = sorted(name for name in repository_files(root) if not HIDDEN.fullmatch(name))
        self.folders = {str(parent) for name in self.files for parent in PurePosixPath(name).parents}
        self._all = frozenset(self.files)
        self.pages = list(in_order(self.files))
        self.page_of = {page.source: page for page in self.pages}

    def has(self, path: str) -> bool:
        return path in self._all or path in self.folders

    def entries(self, folder: str) -> list[str]:
        """The contents of a folder: folders first."""
        depth = 0 if folder == "." else folder.count("/") + 1
        inside = [name for name in self.files if folder == "." or name.startswith(f"{folder}/")]
        heads = {"/".join(name.split("/")[: depth + 1]) for name in inside}
        return sorted(heads, key=lambda name: (name not in self.folders, name))


def repository_files(root: Path) -> Iterable[str]:
    """Committed files and those about to be; without git, what is there except for what tools make."""
    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "-z"], capture_output=True, check=False
    )
    if listed.returncode == 0:
        names = [name.decode() for name in listed.stdout.split(b"\0") if name]
    else:
        made = {".git", ".venv", "build", "__pycache__"}
        paths = (path.relative_to(root) for path in root.rglob("*"))
        names = [path.as_posix() for path in paths if not made.intersection(path.parts)]
    return (name for name in names if (root / name).is_file())


def in_order(files: Iterable[str]) -> Iterable[Page]:
    """The pages, section by section."""
    placed = {name: section for name in files if name.endswith(".md") and (section := section_of(name))}
    for section, named in SECTIONS.items():
        rest = sorted(name for name, where in placed.items() if where == section and name not in named)
        for name in [*(name for name in named if name in placed), *rest]:
            yield Page(name, name_of(name), section)
