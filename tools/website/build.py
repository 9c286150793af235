"""Sphinx over the repository's Markdown: pages are read where they are, links and pictures are led to their places."""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.console import nocolor
from sphinx.util.docutils import docutils_namespace, patch_docutils

from bench.ladder import Row
from bench.rows import read_csv
from website import front, labpage, sources
from website.links import SOURCES, Links, Problem, line_of, relative, repository_path
from website.tree import SECTIONS, Page, Tree

STATIC = Path(__file__).resolve().parent / "static"
TIMES = Path("docs/data/ladder_h200.csv")
ICON = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<path fill="#0072b2" d="M2 2h12v12H2zM18 2h12v12H18zM2 18h12v12H2z"/><path fill="#b06f00" d="M18 18h12v12H18z"/></svg>
"""
SCROLLS = 576  # pixels, 36rem in site.css: on a narrower screen a picture of this width scrolls
FIRST = 100  # before Sphinx's own readers of a page, which collect its pictures and its sections
SETTINGS: dict[str, Any] = {
    "project": "CUDA Labs",
    "html_title": "CUDA Labs",
    "extensions": ["myst_parser"],
    "myst_gfm_only": True,  # Markdown as a forge reads it, nothing more
    "myst_heading_anchors": 6,
    "highlight_language": "text",
    "html_theme": "furo",
    "html_copy_source": False,
    "html_use_index": False,
    "html_show_sourcelink": False,
    "html_show_copyright": False,
    "html_static_path": [str(STATIC)],
    "html_css_files": ["site.css"],
    "html_search_scorer": str(STATIC.with_name("scorer.js")),
    "html_favicon": "icon.svg",
    "pygments_style": "tango",
    "pygments_dark_style": "github-dark",
    "exclude_patterns": [],
    "suppress_warnings": ["misc.highlighting_failure"],
}


class Site:
    """One making of the site."""

    def __init__(self, root: Path, work: Path, reports: Path | None = None) -> None:
        """`work` is a folder of its own; `reports` may hold what ./grader report LAB --solution has written."""
        self.root, self.work = root, work
        self.tree = Tree(root)
        self.links = Links(self.tree)
        self.reports = {page.lab: path for page in self.tree.pages if (path := report_of(page, reports))}
        self.page_named = {page.name: page for page in self.tree.pages}
        self.rows = read_csv(Row, root / TIMES) if (root / TIMES).exists() else []
        self.out = work / "html"
        self.navigations: dict[int, str] = {}  # of pages of files, by their depth

    def make(self) -> list[Problem]:
        """The site in `out`, and what is wrong with it."""
        shutil.rmtree(self.work, ignore_errors=True)
        staged = self.work / "pages"
        for page in self.tree.pages:
            self.put(page.source, staged / f"{page.name}.md")
        settings = "".join(f"{name} = {value!r}\n" for name, value in SETTINGS.items())
        (self.work / "conf.py").write_text(settings, "utf-8")  # a theme's own settings can only be made in a file
        (self.work / "icon.svg").write_text(ICON, "utf-8")
        nocolor()
        said = io.StringIO()
        with patch_docutils(self.work), docutils_namespace():  # so that a process can make a second site
            app = Sphinx(
                staged, self.work, self.out, self.work / "doctrees", "html", status=None, warning=said, freshenv=True
            )
            app.connect("doctree-read", self.read, priority=FIRST)
            app.connect("html-collect-pages", self.source_pages)
            app.connect("html-page-context", self.navigation, priority=FIRST)
            app.build()
        for path in self.reports.values():
            self.put(str(path), self.out / "reports" / path.name, copy=True)
        (self.out / ".nojekyll").touch()  # GitHub Pages would leave out folders that begin with _
        shutil.rmtree(self.out / "_sources", ignore_errors=True)  # empty
        (self.out / ".buildinfo").unlink(missing_ok=True)
        return sorted({*self.links.problems, *self.links.unmet(), *self.warnings(said.getvalue(), staged)})

    def put(self, source: str, to: Path, *, copy: bool = False) -> None:
        to.parent.mkdir(parents=True, exist_ok=True)
        if copy:
            shutil.copyfile(self.root / source, to)
        elif not to.exists():
            to.symlink_to((self.root / source).resolve())

    def warnings(self, said: str, staged: Path) -> Iterator[Problem]:
        """What Sphinx complains of, with the names of the repository's files."""
        for line in said.splitlines():
            found = re.match(
                r"(?:(?P<path>.*?\.md)(?::(?P<line>\d+))?: )?(?:WARNING|ERROR|CRITICAL): (?P<what>.*)", line
            )
            if not found:
                continue
            path = Path(found["path"] or "")
            name = path.relative_to(staged).with_suffix("").as_posix() if path.is_relative_to(staged) else ""
            page = self.page_named.get(name)
            yield Problem(page.source if page else "make site", int(found["line"] or 0), found["what"])

    def read(self, app: Sphinx, document: nodes.document) -> None:
        """A page has been parsed: its links, its pictures, what is added to it."""
        page = self.page_named[app.env.docname]
        lines = (self.root / page.source).read_text("utf-8").splitlines()
        self.links.slugs[page.source] = {str(node["slug"]) for node in document.findall(has_slug)}
        for reference in document.findall(nodes.reference):
            target = str(reference.get("refuri", ""))
            to = self.links.resolve(page, line_of(lines, line_near(reference), target), target)
            if to != target:
                reference["refuri"], reference["internal"] = to, True
        for image in list(document.findall(nodes.image)):
            self.place(page, image, lines)
        if page.source == "README.md":
            self.make_front(page, document)
        elif page.lab is not None:
            self.make_lab(page, page.lab, document)

    def place(self, page: Page, image: nodes.image, lines: list[str]) -> None:
        """A picture's file is put where Sphinx finds it, and the picture into a box in which it can scroll."""
        uri = str(image["uri"])
        path = repository_path(page.source, uri)
        if not self.tree.has(path):
            what = (
                f"the picture {uri} is missing" if "//" not in uri else f"the picture {uri} is not of this repository"
            )
            self.links.problems.add(Problem(page.source, line_of(lines, line_near(image), uri), what))
            image.parent.remove(image)
            return
        self.put(path, self.work / "pages" / path)
        image["uri"] = f"/{path}"
        if is_small(self.root / path):
            image["classes"].append("small")
        if isinstance(image.parent, nodes.paragraph) and len(image.parent) == 1:
            paragraph = image.parent
            image.parent.remove(image)
            paragraph.replace_self(nodes.container("", image, classes=["picture"]))

    def make_front(self, page: Page, document: nodes.document) -> None:
        for section in SECTIONS:
            names = [
                (None, "self") if one == page else (None, one.name) for one in self.tree.pages if one.section == section
            ]
            if names:
                document.children[0].append(toctree(page.name, section, names))
        picture = next(iter(document.findall(is_picture)), None)
        if picture is not None:
            html = front.ways(lambda source: address(self.tree, page, source))
            picture.parent.insert(picture.parent.index(picture), raw(html))

    def make_lab(self, page: Page, lab: int, document: nodes.document) -> None:
        section = next(iter(document.findall(nodes.section)))
        manifest = labpage.manifest_of(self.root, lab)
        solution = address(self.tree, page, page.source.replace("labs/", "solutions/", 1)) or ""
        report = relative(page.name, f"reports/{self.reports[lab].name}") if lab in self.reports else None
        course = address(self.tree, page, "docs/course.md") or ""
        added: list[nodes.Node] = [raw(labpage.facts(manifest, solution, course, report))]
        pictures = {str(next(iter(box.findall(nodes.image)))["uri"]): box for box in document.findall(is_picture)}
        chosen = labpage.opening(lab, list(pictures))
        if chosen:
            box = pictures[chosen]
            top = box.deepcopy()
            top["classes"] = ["picture", "opening"]
            added.append(top)
            if box.parent is section:  # in the introduction: once is enough
                section.remove(box)
        section[1:1] = added
        times = address(self.tree, page, "docs/times-h200.md") or ""
        end = nodes.section("", ids=["the-ladder-in-figures"], names=["the ladder in figures"])
        end += nodes.title("", labpage.LADDER)
        end += raw(labpage.ladder(manifest, self.rows, times))
        section.append(end)

    def navigation(self, app: Sphinx, name: str, template: str, context: dict[str, Any], _: nodes.Node | None) -> None:
        """Hundreds of file pages share their navigation: it depends only on how deep they are."""
        make, depth = context.get("toctree"), name.count("/")

        def once(**options: Any) -> str:
            if depth not in self.navigations:
                self.navigations[depth] = str(make(**options)) if make else ""
            return self.navigations[depth]

        if name.startswith(f"{SOURCES}/"):
            context["toctree"] = once

    def source_pages(self, app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
        for name, title, body in sources.pages(self.tree, self.links.shown, self.out):
            yield name, {"title": title, "body": body, "parents": []}, "page.html"


def report_of(page: Page, reports: Path | None) -> Path | None:
    """The report of a lab's reference solution: 03-scan-solution.html."""
    if page.lab is None or reports is None:
        return None
    path = reports / f"{Path(page.source).parent.name}-solution.html"
    return path.resolve() if path.is_file() else None


def address(tree: Tree, page: Page, source: str) -> str | None:
    other = tree.page_of.get(source)
    return relative(page.name, f"{other.name}.html") if other else None


def has_slug(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Element) and bool(node.get("slug"))


def is_picture(node: nodes.Node) -> bool:
    return isinstance(node, nodes.container) and "picture" in node["classes"]


def is_small(picture: Path) -> bool:
    """Whether an SVG is narrower than a phone lets a picture be (site.css): it is not to be made larger."""
    if picture.suffix != ".svg":
        return False
    width = re.search(r"<svg\b[^>]*?\swidth=\"(\d+)", picture.read_text("utf-8"))
    return width is not None and int(width[1]) < SCROLLS


def line_near(node: nodes.Node) -> int:
    """The line of a node or of the nearest one above it that has any."""
    at: nodes.Node | None = node
    while at is not None:
        if at.line:
            return int(at.line)
        at = at.parent
    return 0


def raw(html: str) -> nodes.raw:
    return nodes.raw("", html, format="html")


def toctree(parent: str, caption: str, entries: list[tuple[None, str]]) -> nodes.compound:
    tree = addnodes.toctree(
        "",
        parent=parent,
        entries=entries,
        includefiles=[name for _, name in entries if name != "self"],
        caption=caption,
        rawcaption=caption,
        maxdepth=1,
        hidden=True,
        includehidden=False,
        numbered=0,
        titlesonly=True,
        glob=False,
    )
    return nodes.compound("", tree, classes=["toctree-wrapper"])
