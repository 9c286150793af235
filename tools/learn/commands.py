"""./grader watch, list, reset, compare and run: what they do with their arguments."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from autograder.errors import UsageError
from autograder.plan.labs import find, folders

NAMES = ("watch", "list", "reset", "compare", "run")

Lab = Annotated[str | None, typer.Argument(help="3, lab3, scan or 03-scan; default: the lab that was built last")]
Device = Annotated[str, typer.Option(envvar="CUDA_LABS_DEVICE", help="gpu, virtual, or a profile of the virtual GPU")]
Which = Callable[[str | None, bool], tuple[Path, bool]]


def add(app: typer.Typer, root: Path, which: Which) -> None:
    """Adds the commands. `which`: the lab's folder for what the command line says."""

    @app.command("watch")
    def watch_command(
        lab: Lab = None,
        device: Device = "",
        no_sandbox: Annotated[bool, typer.Option("--no-sandbox", help="run without a sandbox")] = False,
    ) -> None:
        """Builds and grades on every save, until q or ^C."""
        from learn.watch import watch

        folder = which(lab, False)[0] if lab is not None else _latest(root, which)
        raise typer.Exit(watch(root, folder, device, not no_sandbox))

    @app.command("list")
    def list_command(lab: Annotated[str | None, typer.Argument(help="one lab only")] = None) -> None:
        """Shows all labs and tasks: points so far, hours, what is next."""
        from learn import overview, plain

        plain.show(overview.rows(root, plain.width(), find(root, lab) if lab is not None else None))

    @app.command("reset")
    def reset_command(lab: Annotated[str, typer.Argument(help="3, lab3, scan or 03-scan")]) -> None:
        """Saves your file of a lab under another name, and puts the skeleton back."""
        from autograder.report.fold import console, fold
        from learn.reset import reset

        fold(console(), *reset(root, find(root, lab)))

    @app.command("compare")
    def compare_command(
        lab: Annotated[str, typer.Argument(help="3, lab3, scan or 03-scan")],
        task: Annotated[str, typer.Argument(help="a task that is right")],
        number: Annotated[int, typer.Argument(min=1, help="how many of the ideas to show")] = 1,
        device: Device = "",
        no_sandbox: Annotated[bool, typer.Option("--no-sandbox", help="run without a sandbox")] = False,
    ) -> None:
        """Shows what the reference does differently, for a task that is right: one idea at a time."""
        from autograder.report.fold import console
        from autograder.report.progress import task_lines
        from learn.compare import compare

        with task_lines() as lines:
            differences = compare(root, find(root, lab), task, device, not no_sandbox, lines)
        differences.show(console(), number)

    @app.command("run", context_settings={"ignore_unknown_options": True})
    def run_command(
        file: Annotated[Path, typer.Argument(help="a CUDA program: one source file, or what nvcc has made of it")],
        arguments: Annotated[list[str] | None, typer.Argument(help="for the program; after --, all are")] = None,
        counters: Annotated[bool, typer.Option("--counters", help="print what each line of a kernel did")] = False,
        seeds: Annotated[int | None, typer.Option("--seeds", help="run it with so many schedules")] = None,
        seed: Annotated[str | None, typer.Option("--seed", help="run it with this schedule")] = None,
        notes: Annotated[bool, typer.Option("--notes", help="print notes, too")] = False,
        leaks: Annotated[bool, typer.Option("--leaks", help="report memory that is never freed")] = False,
        json: Annotated[Path | None, typer.Option("--json", help="write the findings and counters there")] = None,
        sarif: Annotated[Path | None, typer.Option("--sarif", help="write the findings there, for editors")] = None,
        profile: Annotated[str, typer.Option("--profile", help="the modelled device")] = "",
    ) -> None:
        """Runs a CUDA program of your own on the virtual GPU. Exit status: 1 with findings, or the program's own."""
        from learn.run_file import run

        flags = {"--counters": counters, "--notes": notes, "--leaks": leaks}
        values = {"--seeds": seeds, "--seed": seed, "--json": json, "--sarif": sarif}
        options = [flag for flag, chosen in flags.items() if chosen]
        options += [f"{name}={value}" for name, value in values.items() if value is not None]
        raise typer.Exit(run(root, file, options, profile, arguments or []))


def _latest(root: Path, which: Which) -> Path:
    """The lab that was built last; where none was, the first that is not done."""
    from learn import overview

    try:
        return which(None, False)[0]
    except UsageError:
        labs = [overview.known(folder) for folder in folders(root).values()]
        return next((lab.folder for lab in labs if lab.next), labs[0].folder)
