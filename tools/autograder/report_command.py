"""./grader report: grades a lab, or takes a result that was kept, and writes it as one HTML page."""

from __future__ import annotations

import re
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from autograder.arguments import seed_of
from autograder.errors import CompileError, UsageError
from autograder.options import File, Solution, Tasks, Unsafe
from autograder.page.requirements import need
from autograder.plan.labs import file_of
from autograder.plan.request import Request
from autograder.report.progress import task_lines
from autograder.report.result import SCHEMA, Result, compile_failure
from autograder.session import grade

FOLDER = Path("build/reports")
LARGEST = 1 << 28  # bytes of a kept result
Which = Callable[[str | None, bool], tuple[Path, bool]]
Tell = Callable[[Request], None]
Record = Callable[[Path, Request, Result], str]


def kept_result(path: Path) -> Result:
    """What `--out` or `-o json` wrote. Nothing in it is trusted."""
    how = "one is written by ./grader 3 --out result.json"
    try:
        if path.stat().st_size > LARGEST:
            raise UsageError(f"{path}: too large for a result; {how}")
        data = path.read_bytes()
        if msgspec.json.decode(data, type=_Named).schema != SCHEMA:
            raise UsageError(f"{path}: is not a result of ./grader; {how}")
        return msgspec.json.decode(data, type=Result)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}; {how}") from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{path}: cannot be read as a result ({error}); {how}") from None


class _Named(msgspec.Struct):
    schema: str = ""


def own_file(root: Path, result: Result, file: Path | None) -> Path | None:
    """The graded file, if known: --file, the one beside a saved result, or the lab's."""
    if file is not None:
        return file
    if result.source == "lab" and re.fullmatch(r"\d\d-[\w-]+", result.lab.folder):
        return file_of(root, result.lab.folder)
    return None


def default_path(root: Path, result: Result) -> Path:
    """build/reports/03-scan.html; what is not the lab's own file has its name in it."""
    folder = re.sub(r"[^\w-]+", "_", result.lab.folder) or "lab"
    stem = re.sub(r"[^\w-]+", "_", Path(result.source).stem)[:60]
    return root / FOLDER / (f"{folder}.html" if result.source == "lab" else f"{folder}-{stem or 'file'}.html")


def graded(root: Path, request: Request, record: Record) -> Result:
    """The result to show; a file that does not compile gets a page, too."""
    try:
        with task_lines() as lines:
            result, _ = grade(root, request, lines)
    except CompileError as error:
        return compile_failure(request, error)
    trouble = record(root, request, result)
    if trouble:
        typer.echo(f"grader: {trouble}", err=True)
    return result


def add_to(app: typer.Typer, root: Path, which: Which, tell_of_sandbox: Tell, record: Record) -> None:
    """Makes the command known to ./grader.

    `which`: the lab's folder for what the command line says. `record`: keeps the points; returns what went wrong.
    """

    @app.command("report")
    def report_command(
        lab: Annotated[str | None, typer.Argument(help="a lab, or a result.json written by ./grader")] = None,
        task: Tasks = None,
        solution: Solution = False,
        file: File = None,
        out: Annotated[Path | None, typer.Option("--out", help="the page; default: in build/reports")] = None,
        open_: Annotated[bool, typer.Option("--open", help="also open it in the browser")] = False,
        seed: Annotated[str | None, typer.Option(envvar="CUDA_LABS_SEED", help="hexadecimal; repeats a run")] = None,
        device: Annotated[str, typer.Option(envvar="CUDA_LABS_DEVICE", help="as for ./grader grade")] = "",
        no_sandbox: Unsafe = False,
    ) -> None:
        """Writes one HTML page: verdicts, failures with their picture, source with counters, times, addresses."""
        need()
        from autograder.page.page import check, write
        from autograder.page.result_page import report

        if out is not None:
            check(out)  # before minutes of grading
        if lab is not None and lab.endswith(".json"):
            if solution or task:
                raise UsageError(f"{lab} is a result: --solution and --task are for a lab that is graded now")
            result = kept_result(Path(lab))
        else:
            request = Request(
                *which(lab, solution), file=file, tasks=task or (), seed=seed_of(seed), device=device, study=True,
                sandbox=not no_sandbox,
            )  # fmt: skip
            tell_of_sandbox(request)
            result = graded(root, request, record)
        path = out or default_path(root, result)
        write(path, report(result, root, own_file(root, result, file)))
        shown = path.relative_to(root) if path.is_relative_to(root) else path
        typer.echo(f"  {result.points:g} of {result.of:g} points · {shown}")
        if open_ and not webbrowser.open(path.resolve().as_uri()):
            typer.echo(f"  no browser could be started; open it yourself: {path.resolve().as_uri()}", err=True)
