"""The command line: ./grader [LAB] …, and ./grader hint, explain, solution or mistake LAB; classes/ has its own."""

from __future__ import annotations

import contextlib
import difflib
import re
import sys
from pathlib import Path
from typing import Annotated

import click
import typer

from autograder import __version__, reporting, showing
from autograder.arguments import seed_of, size_of
from autograder.cage.cage import unavailable
from autograder.classes import command as classes
from autograder.errors import CompileError, GraderError, UsageError
from autograder.files import write_whole
from autograder.plan.labs import find, need_solution
from autograder.plan.manifest import load
from autograder.plan.request import Request
from autograder.report import hints, listing, terminal
from autograder.report.progress import task_lines
from autograder.report.result import Result, compile_failure, encode
from autograder.session import grade
from learn import commands as learn
from learn import state

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = (
    "grade", "hint", "explain", "solution", "mistake", "report", "show", "package", *learn.NAMES, *classes.COMMANDS,
)  # fmt: skip

app = typer.Typer(add_completion=False, no_args_is_help=False, rich_markup_mode=None, pretty_exceptions_enable=False)
for name, function in classes.COMMANDS.items():
    app.command(name)(function)
Lab = Annotated[str | None, typer.Argument(help="3, lab3, scan or 03-scan; default: the lab that was built last")]
Tasks = Annotated[list[str] | None, typer.Option("--task", help="only this task; may be repeated")]
Solution = Annotated[bool, typer.Option("--solution", help="grade the reference solution")]
File = Annotated[Path | None, typer.Option("--file", help="grade this file instead of the one in labs/")]
Unsafe = Annotated[bool, typer.Option("--no-sandbox", help="run the file without a sandbox, with your permissions")]
Seed = Annotated[
    str | None, typer.Option(envvar="CUDA_LABS_SEED", help="hexadecimal, from an `again:` line; default: a secret one")
]
Device = Annotated[
    str, typer.Option(envvar="CUDA_LABS_DEVICE", help="gpu, virtual, or a profile of the virtual GPU; default: both")
]
record = showing.keeping(state.record)


@app.command("grade")
def grade_command(
    lab: Lab = None,
    task: Tasks = None,
    n: Annotated[str | None, typer.Option("--n", help="only this size: 1000000, 1,000,000, 1e6, 2^20")] = None,
    variant: Annotated[str | None, typer.Option(help="only this variant of the task")] = None,
    seed: Seed = None,
    solution: Solution = False,
    file: File = None,
    output: Annotated[str, typer.Option("--output", "-o", help="table or json")] = "table",
    out: Annotated[Path | None, typer.Option("--out", help="also write the result to this file, as JSON")] = None,
    jobs: Annotated[int, typer.Option(min=0, help="tasks graded in parallel; 0: one per core")] = 0,
    no_time: Annotated[bool, typer.Option("--no-time", help="do not measure times")] = False,
    max_n: Annotated[str | None, typer.Option(help="skip larger sizes")] = None,
    seconds: Annotated[float | None, typer.Option(min=0.1, help="wall-clock limit of one call")] = None,
    device: Device = "",
    no_sandbox: Unsafe = False,
    private: Annotated[Path | None, typer.Option(help="TOML file of private cases: docs/class.md")] = None,
) -> None:
    """Grades a lab: output, checks, time against the reference. Exit status: 0 full marks, 1 less."""
    if output not in ("table", "json"):
        raise UsageError(f"-o {output}: must be table or json")
    request = Request(
        *_which(lab, solution),
        file=file,
        tasks=task or (),
        n=size_of("--n", n),
        variant=variant,
        max_n=size_of("--max-n", max_n),
        seed=seed_of(seed),
        timed=not no_time,
        jobs=jobs,
        seconds=seconds,
        device=device,
        sandbox=not no_sandbox,
        private=private,
    )
    raise typer.Exit(_grade(request, output == "json", out))


def _grade(request: Request, as_json: bool, out: Path | None) -> int:
    _check_out(out)  # before minutes of grading
    _tell_of_sandbox(request)
    people = terminal.console()
    try:
        with task_lines() as lines:
            result, manifest = grade(ROOT, request, lines, lines.begin, lines.finished)
    except CompileError as error:
        failure = compile_failure(request, error)
        _write(failure, as_json, out)
        if not as_json:
            command = request.command(int(request.folder.name[:2]))
            terminal.show_compile_error(people, error, command, request.source_file(ROOT))
        return 1
    _write(result, as_json, out)
    trouble = record(ROOT, request, result)
    if trouble:
        print(f"grader: {trouble}", file=sys.stderr)
    if not as_json:
        no_gpu = result.modelled and not request.device
        terminal.show(people, result, manifest, request.folder, ROOT, request.command(result.lab.number), no_gpu)
    return result.exit_status


def _tell_of_sandbox(request: Request) -> None:
    """Says in a line that there is no sandbox. Other people's files then run only if asked for."""
    why = unavailable() if request.sandbox else ""
    if why and request.file is not None:
        raise UsageError(f"--file needs a sandbox: {why} (or, if you trust the file: --no-sandbox)")
    if why:
        print(f"no sandbox: {why}", file=sys.stderr)


def _check_out(out: Path | None) -> None:
    """A file that is not a result of ours is left alone. Missing folders are made."""
    if out is None:
        return
    try:
        if out.is_dir():
            raise UsageError(f"--out {out}: is a folder; name a file in it")
        if out.exists() and not out.is_file():
            raise UsageError(f"--out {out}: is a device or a pipe, not a file; for standard output: -o json")
        if out.exists() and (there := out.read_bytes()) and b'"cuda-labs/result/' not in there[:100]:
            raise UsageError(f"--out {out}: exists and is not a result; choose another name")
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--out {out}: {error.strerror}") from None


def _write(result: Result, as_json: bool, out: Path | None) -> None:
    if as_json:
        sys.stdout.buffer.write(encode(result))
        sys.stdout.flush()
    if out is not None:
        try:
            write_whole(out, encode(result))
        except OSError as error:
            raise UsageError(f"--out {out}: {error.strerror}") from None


@app.command()
def hint(lab: Lab = None, number: Annotated[int, typer.Argument(help="1, 2 or 3")] = 1, task: Tasks = None) -> None:
    """Shows the first NUMBER hints for the next task, or for --task."""
    folder, _ = _which(lab, False)
    manifest = load(folder)
    hints.show(terminal.console(), manifest, state.next_name(manifest, state.read(folder)), number, task or [])


@app.command("explain")
def explain_command(
    lab: Lab = None,
    task: Tasks = None,
    solution: Solution = False,
    file: File = None,
    device: Device = "",
    no_sandbox: Unsafe = False,
) -> None:
    """Shows the source with the counters and findings of each line."""
    counts = device or "virtual"  # a GPU does not
    request = Request(*_which(lab, solution), file=file, tasks=task or (), device=counts, sandbox=not no_sandbox)
    if request.solution and file is None:
        need_solution(ROOT, request.folder.name, "explain --solution")
    _tell_of_sandbox(request)
    with task_lines() as progress:
        result, _ = grade(ROOT, request, progress)
    listing.show(terminal.console(), result, task or [])


@app.command("solution")
def solution_command(lab: Lab = None) -> None:
    """Shows where the reference solution is, once the lab has full marks."""
    folder, _ = _which(lab, False)
    need_solution(ROOT, folder.name, "solution")
    people = terminal.console()
    with task_lines() as progress:
        result, _ = grade(ROOT, Request(folder), progress)
    terminal.show_solution(people, result)
    raise typer.Exit(0 if result.full_marks else 1)


@app.command("mistake")
def mistake_command(
    lab: Lab = None,
    name: Annotated[str | None, typer.Argument(help="the mistake; without it, all of the lab's are listed")] = None,
    renew: Annotated[bool, typer.Option("--renew", help="make its edit again from the generated file")] = False,
    new: Annotated[bool, typer.Option("--new", help="add it, with --task and --from")] = False,
    task: Tasks = None,
    source: Annotated[Path | None, typer.Option("--from", help="the rung with the mistake in it")] = None,
    device: Device = "",
) -> None:
    """Lists the mistakes that the lab's tests must find, or shows one: its edit, and what the grader says about it."""
    folder, _ = _which(lab, False)
    if not (ROOT / "tools" / "mistakes").is_dir():
        raise UsageError("mistake: this archive has no solutions and no mistakes")
    from mistakes import command as mistake

    if renew or new:
        mistake.change(folder, name, new, task or [], source)
        return
    with task_lines() as progress:
        raise typer.Exit(mistake.show(ROOT, folder, name, device, progress))


def _which(lab: str | None, solution: bool) -> tuple[Path, bool]:
    """The lab's folder, and whether the solution is meant. The default is what was built last, while that is there."""
    if lab is not None:
        return find(ROOT, lab), solution or lab.startswith("solution")
    with contextlib.suppress(OSError, UsageError):
        built = (ROOT / "build" / "last").read_text("utf-8").strip()
        return find(ROOT, built), solution or built.startswith("solution")
    raise UsageError("which lab? Run ./grader 3, or build one first: make lab3")


@app.command("package")
def package_command(
    lab: Annotated[str | None, typer.Argument(help="3, scan or 03-scan; for github, none means all")] = None,
    platform: Annotated[str, typer.Option("--for", help="gradescope or github")] = "",
    out: Annotated[Path | None, typer.Option("--out", help="gradescope: the zip; github: the repository")] = None,
    limit: Annotated[int, typer.Option("--limit", min=60, help="gradescope: seconds for one submission")] = 540,
) -> None:
    """Packs a lab as an autograder of Gradescope, or writes the workflow of students' repositories on GitHub."""
    if not (ROOT / "tools" / "release").is_dir():
        raise UsageError("package: this is a students' archive; labs are packed in a clone of the repository")
    from release.package import package

    people = terminal.console()
    folder = find(ROOT, lab) if lab is not None else None
    for line in package(ROOT, folder, platform, out, limit, lambda text: print(f"  {text}", flush=True)):
        people.print(f"  {line}", markup=False, soft_wrap=True)


learn.add(app, ROOT, _which)
reporting.add_to(app, ROOT, _which, _tell_of_sandbox, record)
showing.add_to(app, ROOT, _which, _tell_of_sandbox)


def _no_command(word: str) -> str:
    """What to say of a word that was a command, or resembles one; "" if it is a lab."""
    if word == "course":
        return f"course: {classes.REPLACED}"
    close = difflib.get_close_matches(word, COMMANDS, 1, 0.7)
    if not close or re.fullmatch(r"(lab|solution)?\d+", word):
        return ""
    try:
        find(ROOT, word)
    except UsageError:
        return f"unknown command {word!r}; did you mean ./grader {close[0]}?"
    return ""


def _wrong_use(error: click.ClickException | UsageError) -> int:
    said = error.format_message() if isinstance(error, click.ClickException) else str(error)
    gone = isinstance(error, click.NoSuchOption) and error.option_name == "--course"
    print(f"grader: {f'--course: {classes.REPLACED}' if gone else said}", file=sys.stderr)
    return 2


def main() -> None:
    """Entry point. Exit status: 0 full marks, 1 not, 2 usage, 3 the grader's own fault."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["--version"]:
        print(f"grader {__version__}")
        return
    if arguments[:1] in (["--help"], ["-h"]):
        arguments = ["--help"] if len(arguments) > 1 else ["grade", "--help"]
        print(
            "./grader [LAB] grades, ./grader watch [LAB] grades on every save, ./grader list shows all labs.\n"
            "Also: show LAB (a failing call), hint LAB [N], explain LAB, report LAB (a page), compare LAB TASK,\n"
            "reset LAB, solution LAB, mistake LAB, --version. ./grader run FILE.cu runs a program of your own.\n"
            "For a class: class, export, regrade, replay, similarity; package for Gradescope and GitHub."
        )
    elif not arguments or arguments[0] not in COMMANDS:
        if said := _no_command(arguments[0]) if arguments else "":
            sys.exit(_wrong_use(UsageError(said)))
        arguments = ["grade", *arguments]
    try:
        sys.exit(app(args=arguments, prog_name="./grader", standalone_mode=False))
    except (click.ClickException, UsageError) as error:
        sys.exit(_wrong_use(error))
    except CompileError as error:
        terminal.show_compile_error(terminal.console(stderr=True), error, "./grader")
        sys.exit(1)
    except GraderError as error:
        print(f"grader: IE, not your fault: {error}", file=sys.stderr)
        sys.exit(3)
    except (KeyboardInterrupt, click.Abort):
        print("stopped", file=sys.stderr)
        sys.exit(130)
