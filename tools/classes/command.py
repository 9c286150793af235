"""The command line of a class: ./grader class, export, regrade, replay, similarity. Only parses and calls."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from autograder.arguments import size_of
from autograder.build.builder import Builder
from autograder.cage.cage import unavailable
from autograder.errors import UsageError
from autograder.page.requirements import need
from autograder.plan.labs import find
from autograder.plan.manifest import load
from autograder.plan.private_file import read_file
from autograder.plan.request import check_tasks
from autograder.report.terminal import console
from autograder.run.machine import chosen_device, gpu_answers
from classes.batches import batch_folder
from classes.choose_executor import Where, prepared
from classes.cluster import Cluster, read_cluster
from classes.export_command import ALL_FORMATS, export
from classes.grading import SECONDS, Run, regrade, rescore, run_class
from classes.options import Options, kept_options
from classes.private_results import checked
from classes.similarity import run_similarity

ROOT = Path(__file__).resolve().parents[2]
Workers = Annotated[int, typer.Option("--jobs", "-j", min=0, help="submissions at a time; 0: one per core")]
Runs = Annotated[str, typer.Option("--executor", help="local, or slurm for a cluster: docs/cluster.md")]
OfCluster = Annotated[
    Path | None, typer.Option("--cluster", help="TOML file for --executor slurm: partition, account, …")
]
Limit = Annotated[float, typer.Option("--limit", min=1, help="total seconds for one submission")]
Private = Annotated[
    Path | None, typer.Option("--private", help="TOML file of private cases; default: those of the last run")
]
Batch = Annotated[str, typer.Option("--batch", help="a batch of late work: late; default: the class itself")]
Results = Annotated[Path, typer.Argument(help="the --out of ./grader class")]


def class_command(
    submissions: Annotated[
        Path, typer.Argument(help="a folder or a zip, as downloaded, or with one folder per student")
    ],
    lab: Annotated[str, typer.Option("--lab", help="3, scan or 03-scan")],
    roster: Annotated[
        list[Path] | None,
        typer.Option(help="a CSV with name, login, email or id, or a platform's roster; several are joined"),
    ] = None,
    out: Annotated[Path, typer.Option("--out", help="where results go; give it again to continue")] = Path("results"),
    jobs: Workers = 0,
    limit: Limit = SECONDS,
    task: Annotated[list[str] | None, typer.Option("--task", help="only this task; may be repeated")] = None,
    max_n: Annotated[str | None, typer.Option(help="skip larger sizes")] = None,
    no_time: Annotated[bool, typer.Option("--no-time", help="do not measure times")] = False,
    device: Annotated[str, typer.Option(envvar="CUDA_LABS_DEVICE", help="as for ./grader grade")] = "",
    no_sandbox: Annotated[bool, typer.Option("--no-sandbox", help="run all files with your own permissions")] = False,
    private: Private = None,
    batch: Batch = "",
    runs: Runs = "local",
    cluster: OfCluster = None,
) -> None:
    """Grades all submissions of a class, and continues where it was stopped."""
    folder = find(ROOT, lab)
    check_tasks(load(folder), task or [])
    size_of("--max-n", max_n)
    more = [word for name in task or [] for word in ("--task", name)]
    more += ["--max-n", max_n] if max_n else []
    more += ["--no-time"] if no_time else []
    options = Options(int(folder.name[:2]), device, not no_sandbox, tuple(more))
    run = _run(out, options, _where(jobs, device, runs, cluster, limit), limit, private)
    if no_time:
        console().print(
            "  --no-time: the share for time follows the evidence; a task that asks for none gets all of it"
        )
    others = [private] if private else []
    raise typer.Exit(run_class(run, options, submissions, roster or [], others, batch))


def export_command(
    results: Annotated[Path, typer.Argument(help="the --out of ./grader class, or one result as JSON")],
    form: Annotated[str, typer.Option("--format", help=f"{', '.join(ALL_FORMATS)}")],
    out: Annotated[Path | None, typer.Option("--out", help="file or folder; default: in results")] = None,
    title: Annotated[str | None, typer.Option(help="the column's name in your gradebook: Lab 3 (1234)")] = None,
    file: Annotated[
        Path | None,
        typer.Option("--file", help="the gradebook or worksheet that your platform gave; default: a roster"),
    ] = None,
    batch: Batch = "",
) -> None:
    """Writes the grades of a class in another system's format."""
    print(export(results, form, out, title, file, batch))


def rescore_command(results: Results) -> None:
    """Computes points again after a change of points, core, slow_below, far_behind or evidence in lab.toml."""
    raise typer.Exit(rescore(Run(ROOT, results, 1, SECONDS, console())))


def regrade_command(
    results: Results,
    names: Annotated[list[str], typer.Argument(help="people, named as in grades.csv")],
    jobs: Workers = 0,
    limit: Limit = SECONDS,
    batch: Batch = "",
    runs: Runs = "local",
    cluster: OfCluster = None,
) -> None:
    """Grades these people's files again, and says what changed."""
    _again(batch_folder(results, batch), names, jobs, limit, runs, cluster)


def replay_command(
    results: Results,
    jobs: Workers = 0,
    limit: Limit = SECONDS,
    private: Private = None,
    batch: Batch = "",
    runs: Runs = "local",
    cluster: OfCluster = None,
) -> None:
    """Grades again what an older version of grader, lab or private cases graded, and says which grades changed."""
    _again(batch_folder(results, batch), [], jobs, limit, runs, cluster, private)


def similarity_command(
    results: Annotated[Path, typer.Argument(help="the --out of ./grader class, or what a class has handed in")],
    out: Annotated[Path | None, typer.Option("--out", help="folder of the page; default: in results")] = None,
    against: Annotated[
        list[Path] | None, typer.Option("--against", help="also compare with these: last year's results or files")
    ] = None,
    lab: Annotated[str | None, typer.Option("--lab", help="before grading: 3, scan or 03-scan")] = None,
    roster: Annotated[list[Path] | None, typer.Option("--roster", help="before grading: as for class")] = None,
    least: Annotated[
        int, typer.Option(min=10, max=100, help="list pairs with at least this percentage in common")
    ] = 60,
    limit: Annotated[float, typer.Option("--limit", min=1, help="total seconds")] = 600.0,
) -> None:
    """Finds similar files in a class, whatever their names and order of functions; also before it is graded."""
    run_similarity(ROOT, results, out, least, limit, console(), against or (), lab, roster or ())


def _again(
    results: Path,
    names: list[str],
    jobs: int,
    limit: float,
    runs: str,
    cluster: Path | None,
    private: Path | None = None,
) -> None:
    options = kept_options(results)
    run = _run(results, options, _where(jobs, options.device, runs, cluster, limit), limit, private)
    raise typer.Exit(regrade(run, names, options))


def _run(out: Path, options: Options, where: Where, limit: float, private: Path | None) -> Run:
    """Checks and builds all that a run needs, so that what would fail for every submission fails now."""
    cases = read_file(private, ROOT, options.lab) if private else None
    _build(options.lab, options.device, not options.sandbox, where)
    return Run(ROOT, out, where, limit, console(), private=checked(ROOT, cases) if cases else None)


def _build(lab: int, device: str, no_sandbox: bool, where: Where) -> None:
    why = "" if no_sandbox or isinstance(where, Cluster) else unavailable()
    if why:
        raise UsageError(f"a class needs a sandbox: {why} (or, if you trust all files: --no-sandbox)")
    need()
    if device != "gpu" or not isinstance(where, Cluster):
        chosen_device(ROOT, device)
    prepared(where, device)
    builder = Builder(ROOT)
    builder.lab(lab, solution=True)
    builder.target(builder.commands(lab).parts)


def _where(jobs: int, device: str, runs: str, cluster: Path | None, limit: float) -> Where:
    """Where to grade. On a GPU one at a time: two would share it and disturb each other's times."""
    if runs == "slurm":
        if jobs:
            raise UsageError("-j is for this machine; for --executor slurm, jobs and workers in the file of --cluster")
        return read_cluster(cluster, limit)
    if runs != "local" or cluster:
        if runs == "local":
            raise UsageError(f"--cluster {cluster}: is for --executor slurm")
        raise UsageError(f"--executor {runs}: choose from: local, slurm")
    if device in ("", "gpu") and gpu_answers():
        return 1
    return jobs or len(os.sched_getaffinity(0))


COMMANDS: dict[str, Callable[..., None]] = {
    "class": class_command,
    "export": export_command,
    "rescore": rescore_command,
    "regrade": regrade_command,
    "replay": replay_command,
    "similarity": similarity_command,
}
