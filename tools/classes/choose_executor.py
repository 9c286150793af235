"""Which executor a class gets: this machine's, or a cluster's, with what is checked and copied there."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from pathlib import Path

from autograder.build.builder import SCRATCH, Builder
from autograder.errors import UsageError
from autograder.run.machine import gpu_answers
from classes.cluster import Cluster, try_submission
from classes.executor import Executor
from classes.local_executor import LocalExecutor
from classes.node import Check
from classes.process import FOLDER
from classes.store import Store

Where = int | Cluster  # how many at a time on this machine, or a cluster
INSTALL = "make setup WITH=class"


def on_gpu(where: Where, device: str) -> bool:
    """Whether times are measured on a GPU, rather than modelled."""
    if device not in ("", "gpu"):
        return False
    return where.gpu if isinstance(where, Cluster) else gpu_answers()


def prepared(where: Where, device: str) -> None:
    """Raises UsageError where a cluster would fail for every submission."""
    if not isinstance(where, Cluster):
        return
    if device == "gpu" and not where.gpu:
        raise UsageError('--device gpu: the nodes have no GPU without gres = "gpu:1" in the file of --cluster')
    _slurm_executor()
    try_submission(where)


def variables(where: Where, device: str) -> dict[str, str]:
    """Environment variables of the grader, in addition to those for every class."""
    if not isinstance(where, Cluster):
        return {}
    # build/ is shared and made before: nodes change nothing there.
    found = {SCRATCH: FOLDER, "TMPDIR": FOLDER}
    if where.gpu and device == "":
        found["CUDA_LABS_DEVICE"] = "gpu"  # a GPU or nothing: a virtual GPU would have other times
    if not where.gpu:
        found["CUDA_VISIBLE_DEVICES"] = ""  # the job has no share of the node's GPU
    return found


def executor(
    root: Path, store: Store, where: Where, lab: int, sandbox: bool, check: Sequence[str], files: int, limit: float,
    tell: Callable[[str], None],
) -> Executor:  # fmt: skip
    """An executor for `files` files of a class. `check`: arguments of a run of the grader that must succeed there."""
    if not isinstance(where, Cluster):
        return LocalExecutor(where, store.folder / ".grading")
    build = Builder(root).fingerprint(lab) if check else ""
    name = store.fact("cluster", secrets.token_hex(4))
    needed = Check(str(root), lab, build, sandbox, where.gpu, tuple(check))
    return _slurm_executor()(where, name, root / "build" / "cluster" / name, needed, files, limit, tell)


def _slurm_executor() -> Callable[..., Executor]:
    try:
        from classes.slurm import SlurmExecutor
    except ModuleNotFoundError as error:
        raise UsageError(f"--executor slurm needs Parsl ({error}); install it with: {INSTALL}") from None
    return SlurmExecutor
