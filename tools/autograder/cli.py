"""The command line: ./grader [LAB] …, and ./grader hint, explain, solution or mistake LAB; classes/ has its own.

What takes long to import is imported by the command that needs it: help and the list of labs come at once.
"""

from __future__ import annotations

import contextlib
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import click
import typer

from autograder import __version__, author_commands
from autograder.arguments import seed_of, size_of
from autograder.errors import CompileError, GraderError, UsageError
from autograder.options import File, Lab, Solution, Tasks, Unsafe
from autograder.plan.labs import find, need_solution
from autograder.plan.request import Request
from learn import commands as learn

ROOT = Path(__file__).resolve().parents[2]
OF_CLASSES = ("class", "export", "rescore", "regrade", "replay", "similarity")  # of classes/command.py
COMMANDS = (
    "grade", "hint", "explain", "solution", "mistake", "report", "show", "package", "doctor", *learn.NAMES, *OF_CLASSES,
)  # fmt: skip
# What is said of the course file, which is gone.
REPLACED = (
    "./grader export hands the points to your platform, which keeps late rules and totals; "
    "for private cases: ./grader class … --private FILE"
)

app = typer.Typer(add_completion=False, no_args_is_help=False, rich_markup_mode=None, pretty_exceptions_enable=False)
Seed = Annotated[
    str | None, typer.Option(envvar="CUDA_LABS_SEED", help="hexadecimal, from an `again:` line; default: a secret one")
]
Device = Annotated[
    str, typer.Option(envvar="CUDA_LABS_DEVICE", help="gpu, virtual, or a profile of the virtual GPU; default: both")
]


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
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="all that is known of each failure")] = False,
    every: Annotated[bool, typer.Option("--all", help="grade also what has not changed")] = False,
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
    # What goes to others, or asks for more than usual, is graded.
    alone = request == Request(*_which(lab, solution), tasks=(), jobs=jobs, device=device, sandbox=not no_sandbox)
    if alone and not (every or solution or request.solution or output == "json" or out):
        request = replace(request, unchanged=True)
    raise typer.Exit(_grade(request, output == "json", out, verbose))


def _grade(request: Request, as_json: bool, out: Path | None, verbose: bool) -> int:
    from autograder import result_output, show_command
    from autograder.report import terminal
    from autograder.report.progress import task_lines
    from autograder.report.result import compile_failure
    from autograder.session import grade
    from learn import state

    result_output.check(out)  # before minutes of grading
    _tell_of_sandbox(request)
    people = terminal.console()
    try:
        with task_lines() as lines:
            result, manifest = grade(ROOT, request, lines, lines.begin, lines.finished)
    except CompileError as error:
        failure = compile_failure(request, error)
        result_output.write(failure, as_json, out)
        if not as_json:
            command = request.command(int(request.folder.name[:2]))
            terminal.show_compile_error(people, error, command, request.source_file(ROOT))
        return 1
    result_output.write(result, as_json, out)
    trouble = show_command.keeping(state.record)(ROOT, request, result)
    if trouble:
        tell(f"grader: {trouble}")
    if not as_json:
        no_gpu = result.modelled and not request.device
        command = request.command(result.lab.number)
        terminal.show(
            people, result, manifest, request.folder, ROOT, command, no_gpu, file=request.file, verbose=verbose
        )
    return result.exit_status


def _tell_of_sandbox(request: Request) -> None:
    """Says in a line that there is no sandbox. Other people's files then run only if asked for."""
    from autograder.cage.cage import unavailable

    why = unavailable() if request.sandbox else ""
    if why and request.file is not None:
        raise UsageError(f"--file needs a sandbox: {why} (or, if you trust the file: --no-sandbox)")
    if why:
        tell(f"no sandbox: {why}")


@app.command()
def hint(
    lab: Lab = None,
    number: Annotated[int, typer.Argument(help="1, 2, 3; more if the cause is proved")] = 1,
    task: Tasks = None,
) -> None:
    """Shows the first NUMBER hints for the next task, or for --task."""
    from autograder.plan.manifest import load
    from autograder.report import hints
    from autograder.report.fold import console
    from learn import proved_hints, state

    folder, _ = _which(lab, False)
    manifest = load(folder)
    upcoming = state.next_name(manifest, state.read(folder))
    hints.show(
        console(), manifest, upcoming, number, task or [], lambda name: proved_hints.hints(ROOT, folder, manifest, name)
    )


@app.command("solution")
def solution_command(lab: Lab = None) -> None:
    """Shows where the reference solution is, once the lab has full marks."""
    from autograder.report import terminal
    from autograder.report.progress import task_lines
    from autograder.session import grade

    folder, _ = _which(lab, False)
    need_solution(ROOT, folder.name, "solution")
    people = terminal.console()
    with task_lines() as progress:
        result, _ = grade(ROOT, Request(folder), progress)
    terminal.show_solution(people, result)
    raise typer.Exit(0 if result.full_marks else 1)


def _which(lab: str | None, solution: bool) -> tuple[Path, bool]:
    """The lab's folder, and whether the solution is meant. The default is what was built last, while that is there."""
    if lab is not None:
        return find(ROOT, lab), solution or lab.startswith("solution")
    with contextlib.suppress(OSError, UsageError):
        built = (ROOT / "build" / "last").read_text("utf-8").strip()
        return find(ROOT, built), solution or built.startswith("solution")
    raise UsageError("which lab? Run ./grader 3, or build one first: make lab3")


@app.command("doctor")
def doctor_command() -> None:
    """Lists what is installed, what is missing, and the commands that install it: as make doctor."""
    import subprocess

    command = [sys.executable, str(ROOT / "tools" / "setup"), "doctor"]
    raise typer.Exit(subprocess.run(command, check=False).returncode)


author_commands.add_to(app, ROOT, _which)
learn.add(app, ROOT, _which)


def _register(command: str) -> None:
    """Adds the commands of a module that takes long to import, if one of them is called."""
    if command in OF_CLASSES:
        from classes import command as classes

        for name, function in classes.COMMANDS.items():
            app.command(name)(function)
    if command in ("report", "show"):
        from autograder import report_command, show_command
        from learn import state

        report_command.add_to(app, ROOT, _which, _tell_of_sandbox, show_command.keeping(state.record))
        show_command.add_to(app, ROOT, _which, _tell_of_sandbox)
    if command == "explain":
        from autograder import explain_command

        explain_command.add_to(app, ROOT, _which, _tell_of_sandbox)


def _no_command(word: str) -> str:
    """What to say of a word that was a command, or resembles one; "" if it is a lab."""
    if word == "course":
        return f"course: {REPLACED}"
    import difflib

    close = difflib.get_close_matches(word, COMMANDS, 1, 0.7)
    if not close or re.fullmatch(r"(lab|solution)?\d+", word):
        return ""
    try:
        find(ROOT, word)
    except UsageError:
        return f"unknown command {word!r}; did you mean ./grader {close[0]}?"
    return ""


def tell(text: str) -> None:
    from autograder.report.fold import tell as folded

    folded(text)


def _wrong_use(error: click.ClickException | UsageError) -> int:
    said = error.format_message() if isinstance(error, click.ClickException) else str(error)
    gone = isinstance(error, click.NoSuchOption) and error.option_name == "--course"
    tell(f"grader: {f'--course: {REPLACED}' if gone else said}")
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
            "reset LAB, solution LAB, mistake LAB, doctor, --version. ./grader run FILE.cu runs your own program.\n"
            "For a class: class, export, rescore, regrade, replay, similarity; package for Gradescope and GitHub."
        )
    elif not arguments or arguments[0] not in COMMANDS:
        if said := _no_command(arguments[0]) if arguments else "":
            sys.exit(_wrong_use(UsageError(said)))
        arguments = ["grade", *arguments]
    _register(arguments[0])
    try:
        sys.exit(app(args=arguments, prog_name="./grader", standalone_mode=False))
    except (click.ClickException, UsageError) as error:
        sys.exit(_wrong_use(error))
    except CompileError as error:
        from autograder.report import terminal

        terminal.show_compile_error(terminal.console(stderr=True), error, "./grader")
        sys.exit(1)
    except GraderError as error:
        tell(f"grader: IE, not your fault: {error}")
        sys.exit(3)
    except (KeyboardInterrupt, click.Abort):
        print("stopped", file=sys.stderr)
        sys.exit(130)
