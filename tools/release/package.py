"""./grader package: a lab as other systems want it, ready to be uploaded or committed."""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

from autograder.errors import UsageError
from autograder.files import write_saving
from release.contents import File
from release.release import Release, Wanted, make

TEMPLATES = Path(__file__).resolve().parent / "templates"
PLATFORMS = ("gradescope", "github")
SECONDS = 540  # Gradescope ends an autograder after ten minutes unless the assignment says otherwise
WORKFLOW = ".github/workflows/grade.yml"


def package(
    root: Path, lab: Path | None, platform: str, out: Path | None, seconds: int, say: Callable[[str], None]
) -> list[str]:
    """Writes it. Returns what a person reads: where it is, and what to do with it."""
    if platform not in PLATFORMS:
        asked = f"--for {platform}" if platform else "for which platform? Use --for"
        raise UsageError(f"{asked}: choose from: {', '.join(PLATFORMS)}")
    if platform == "github":
        return _github(lab, out or Path())
    if lab is None:
        raise UsageError("which lab? An assignment on Gradescope has one: ./grader package 3 --for gradescope")
    number = int(lab.name[:2])
    to = out or Path(f"lab{number}-gradescope.zip")
    if to.is_dir():
        to /= f"lab{number}-gradescope.zip"
    if to.suffix != ".zip":
        raise UsageError(f"--out {to}: must be a folder, or a name that ends in .zip")
    if to.exists() and not _is_ours(to):
        raise UsageError(f"--out {to}: exists and is not an autograder for Gradescope; choose another name")
    data = gradescope(make(root, Wanted([lab.name]), say), number, seconds)
    saved = _write(data, to, to)
    return [
        f"{to} · {len(data) / 1e6:.1f} MB{saved}",
        "next: in the assignment's settings choose Ubuntu 22.04, upload it under Configure Autograder,",
        "      and hand in your own solution as a test · docs/handing-out.md",
    ]


def gradescope(release: Release, number: int, seconds: int = SECONDS) -> bytes:
    """The autograder's zip: the students' archive of one lab, and two scripts. No source of a solution."""
    archive = f"{release.name}.tar.gz"
    values = {"LAB": str(number), "ARCHIVE": archive, "SECONDS": str(seconds)}
    files = {
        archive: File(release.pack()),
        "setup.sh": File(filled("setup.sh", values), True),
        "run_autograder": File(filled("run_autograder", values), True),
    }
    made = io.BytesIO()
    date = time.gmtime(release.commit.seconds)[:6]
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, file in sorted(files.items()):
            entry = zipfile.ZipInfo(name, date)
            entry.create_system = 3  # Unix: the next line is its mode
            entry.external_attr = (0o100755 if file.executable else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(entry, file.data)
    return made.getvalue()


def _is_ours(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as packed:
            return "run_autograder" in packed.namelist()
    except (OSError, zipfile.BadZipFile):
        return False


def _github(lab: Path | None, out: Path) -> list[str]:
    """The workflow of a student's repository, which holds the students' archive."""
    to = out / WORKFLOW
    text = workflow(lab)
    if to.exists() and to.read_bytes() != text:
        raise UsageError(f"{to} is there already, and differs; move it away, or choose another --out")
    _write(text, to, out)
    return [
        f"{to}: grades {_what(lab)} on every push",
        "next: commit it to the repository that students start from, with what make release has packed",
    ]


def _write(data: bytes, to: Path, named: Path) -> str:
    """`named`: what the person gave as --out. Returns what to tell of what was there."""
    try:
        return write_saving(to, data)
    except OSError as error:
        raise UsageError(f"--out {named}: {error.strerror}") from None


# What the reporter of GitHub Classroom reads: the results of all labs as one, in base64. In the workflow, so that it
# works in a repository whose tools are older.
JOIN = (
    "import base64, json, sys; all = [json.load(open(path)) for path in sys.argv[1:]];"
    ' error = any(one["status"] == "error" for one in all);'
    ' made = {"version": 1, "status": "error" if error else "pass",'
    ' "max_score": sum(one["max_score"] for one in all), "tests": [test for one in all for test in one["tests"]]};'
    " print(base64.b64encode(json.dumps(made).encode()).decode())"
)


def workflow(lab: Path | None) -> bytes:
    folders = f"labs/{lab.name}" if lab else "labs/[0-9][0-9]-*"
    return filled("grade.yml", {"WHAT": _what(lab), "FOLDERS": folders, "JOIN": JOIN})


def _what(lab: Path | None) -> str:
    return f"lab {int(lab.name[:2])}" if lab else "every lab that has been begun"


def filled(template: str, values: dict[str, str]) -> bytes:
    text = (TEMPLATES / template).read_text("utf-8")
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    return text.encode()
