"""Sphinx's settings for the project's site, which make site builds: the repository's Markdown, read where it is.

Links to other files of the repository become downloads. Links to folders lead to their README.md, if it is a page.
"""

from __future__ import annotations

import posixpath
import shutil
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[2]
REPORTS = ROOT / "build/reports"

# Each section's pages in their order; * stands for all others that match.
SECTIONS = {
    "Start": ["README.md", "docs/README.md", "docs/course.md"],
    "The labs": ["labs/*/README.md", "labs/*/costs.md"],
    "Working and grading": ["docs/working.md", "docs/grading.md", "docs/glossary.md", "virtual_gpu/README.md"],
    "For instructors": [
        "docs/instructors.md", "docs/class.md", "docs/handing-out.md", "course/README.md", "docs/cluster.md",
        "course/mistakes.md", "docs/measured/times-h200.md", "docs/result-schema.md",
    ],
    "For authors": [
        "CONTRIBUTING.md", "docs/architecture.md", "docs/adding-a-lab.md", "docs/style.md", "docs/performance.md",
        "docs/performance/*.md", "docs/measured/*.md", "virtual_gpu/docs/*.md", "docs/*.md",
        "tests/submissions/README.md",
    ],
    "Reference solutions": ["solutions/README.md", "solutions/*/README.md"],
}  # fmt: skip


def pages(root: Path) -> dict[str, list[str]]:
    """The pages of each section, by their names without .md. A page is in the first section that names it."""
    placed = [name for names in SECTIONS.values() for name in names if "*" not in name]
    found: dict[str, list[str]] = {}
    for section, patterns in SECTIONS.items():
        found[section] = []
        for pattern in patterns:
            paths = sorted(path.relative_to(root).as_posix() for path in root.glob(pattern))
            new = [path for path in paths if "*" not in pattern or path not in placed]
            placed += new
            found[section] += [path.removesuffix(".md") for path in new]
    return found


PAGES = pages(ROOT)
project = html_title = "CUDA Labs"
root_doc = "README"
include_patterns = [f"{name}.md" for names in PAGES.values() for name in names]
exclude_patterns = [".venv", ".git", "build"]
extensions = ["myst_parser"]
# Markdown as a forge reads it, nothing more.
myst_disable_syntax = ["myst_line_comment", "myst_target", "myst_block_break", "myst_role"]
myst_heading_anchors = 6
highlight_language = "text"
smartquotes = False
suppress_warnings = ["misc.highlighting_failure"]
html_theme = "furo"
html_copy_source = html_use_index = html_show_sourcelink = html_show_copyright = False
html_static_path = ["static"]
html_css_files = ["site.css"]
pygments_style, pygments_dark_style = "tango", "github-dark"


def setup(app: Sphinx) -> None:
    app.connect("doctree-read", add_sections, priority=100)  # before the collector of sections
    app.connect("doctree-read", lead_to_folders)
    app.connect("build-finished", finish)


def add_sections(app: Sphinx, document: nodes.document) -> None:
    """The navigation, from the first page; and pictures in boxes, in which they scroll on a small screen."""
    for title in document.findall(nodes.title):  # a link in a title has no place in the contents of a page
        for link in list(title.findall(nodes.reference)):
            link.replace_self(link.children)
    for image in list(document.findall(nodes.image)):
        paragraph = image.parent
        if isinstance(paragraph, nodes.paragraph) and len(paragraph) == 1:
            paragraph.replace_self(nodes.container("", image, classes=["picture"]))
    if app.env.docname != root_doc:
        return
    for section, names in PAGES.items():
        entries = [(None, "self" if name == root_doc else name) for name in names]
        tree = addnodes.toctree(
            "", parent=root_doc, entries=entries, includefiles=[name for name in names if name != root_doc],
            caption=section, rawcaption=section, maxdepth=1, hidden=True, includehidden=False, numbered=0,
            titlesonly=True, glob=False,
        )  # fmt: skip
        document.children[0].append(nodes.compound("", tree, classes=["toctree-wrapper"]))


def lead_to_folders(app: Sphinx, document: nodes.document) -> None:
    """A link to a folder of the repository leads to its README.md; it is its text alone where that is no page."""
    here = posixpath.dirname(app.env.docname)
    for link in list(document.findall(addnodes.pending_xref)):
        path = posixpath.normpath(posixpath.join(here, link["reftarget"]))
        if not path.startswith("..") and (ROOT / path).is_dir():
            page = posixpath.relpath(f"{path}/README.html", here or ".")
            leads = f"{path}/README.md" in include_patterns
            link.replace_self(nodes.reference("", "", *link.children, refuri=page) if leads else link.children)


def finish(app: Sphinx, error: Exception | None) -> None:
    """The first page under its usual name, and the reports of the solutions beside the pages."""
    if error is None:
        shutil.copyfile(app.outdir / "README.html", app.outdir / "index.html")
        for report in REPORTS.glob("[0-9][0-9]-*-solution.html"):
            (app.outdir / "reports").mkdir(exist_ok=True)
            shutil.copyfile(report, app.outdir / "reports" / report.name)
        (app.outdir / ".nojekyll").touch()  # GitHub Pages would leave out folders that begin with _
