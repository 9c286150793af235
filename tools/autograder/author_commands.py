"""./grader mistake and package: for who writes labs and hands them out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from autograder.errors import UsageError
from autograder.options import Lab, Tasks
from autograder.plan.labs import find

Device = Annotated[
    str,
    typer.Option(
        envvar="CUDA_LABS_DEVICE",
        help="gpu, virtual, or a profile of the virtual GPU; default: both, if there is a GPU",
    ),
]


def add_to(app: typer.Typer, root: Path, which: Callable[[str | None, bool], tuple[Path, bool]]) -> None:
    """Adds the commands. `which`: the lab's folder for what the command line says."""

    @app.command("mistake")
    def mistake_command(
        lab: Lab = None,
        name: Annotated[str | None, typer.Argument(help="the mistake; without it, all of the lab's are listed")] = None,
        renew: Annotated[bool, typer.Option("--renew", help="make its edit again from the generated file")] = False,
        new: Annotated[bool, typer.Option("--new", help="add it, with --task and --from")] = False,
        task: Tasks = None,
        source: Annotated[Path | None, typer.Option("--from", help="the solution with the mistake in it")] = None,
        device: Device = "",
    ) -> None:
        """Lists mistakes that students make in a lab, or shows one: its edit, and what the grader says about it."""
        folder, _ = which(lab, False)
        if not (root / "tools" / "mistakes").is_dir():
            raise UsageError("mistake: this archive has no solutions and no mistakes")
        from autograder.report.progress import task_lines
        from mistakes import command as mistake

        if renew or new:
            mistake.change(folder, name, new, task or [], source)
            return
        with task_lines() as progress:
            raise typer.Exit(mistake.show(root, folder, name, device, progress))

    @app.command("package")
    def package_command(
        lab: Annotated[str | None, typer.Argument(help="3, scan or 03-scan; for github, none means all")] = None,
        platform: Annotated[str, typer.Option("--for", help="gradescope or github")] = "",
        out: Annotated[Path | None, typer.Option("--out", help="gradescope: the zip; github: the repository")] = None,
        limit: Annotated[int, typer.Option("--limit", min=60, help="gradescope: seconds for one submission")] = 540,
    ) -> None:
        """Packs a lab as an autograder of Gradescope, or writes the workflow of students' repositories on GitHub."""
        if not (root / "tools" / "release").is_dir():
            raise UsageError("package: this is a students' archive; labs are packed in a clone of the repository")
        from autograder.report.fold import console
        from release.package import package

        people = console()
        folder = find(root, lab) if lab is not None else None
        for line in package(root, folder, platform, out, limit, lambda text: print(f"  {text}", flush=True)):
            people.print(f"  {line}", markup=False, soft_wrap=True)
