"""A class on a Slurm cluster: a real one, of two nodes on this machine; the grader itself is a fake in all
tests but one."""

from __future__ import annotations

import contextlib
import io
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from rich.console import Console

from autograder.errors import GraderError, UsageError
from autograder.plan.labs import find
from classes.cluster import Cluster, read_cluster, seconds_of, try_submission
from classes.grading import Run, run_class
from classes.options import Options
from classes.store import DATABASE, Store
from classes.tests.slurm_cluster import TestCluster, missing
from classes.tests.support import ROOT, fake_grader, grade_class, outcomes, put, table
from mistakes.catalog import find_mistake
from mistakes.pretend import Lab

FILES = 12
pytestmark = pytest.mark.xdist_group("slurm")  # one cluster for all
needs_slurm = pytest.mark.skipif(bool(missing()), reason=missing() or "-")
DEFAULT = Cluster(jobs=2, cpus=3, workers=2, lost_after=6, time="01:00:00")


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestCluster]:
    try:
        cluster = TestCluster(tmp_path_factory.mktemp("slurm"))
    except RuntimeError as error:  # Slurm itself, before anything of ours
        pytest.skip(f"Slurm does not start on this machine: {error}")
    before = {name: os.environ.get(name) for name in cluster.environment}
    os.environ.update(cluster.environment)
    try:
        yield cluster
    finally:
        cluster.stop()
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


@pytest.fixture
def top(tmp_path: Path) -> Path:
    for number in range(FILES):
        put(tmp_path / f"top/s{number:02}/scan.cu", f"// {number}\n")
    put(tmp_path / "top/twin.cu", "// 3\n")
    put(tmp_path / "top/empty.cu", "")
    return tmp_path / "top"


def on_slurm(top: Path, out: Path, grader: Path, cluster: Cluster = DEFAULT) -> tuple[int, str]:
    """As grade_class, on the cluster."""
    people = Console(file=io.StringIO(), width=160)

    def command(file: Path) -> Sequence[str]:
        return ["/bin/sh", str(grader), str(file)]

    try:
        status = run_class(Run(ROOT, out, cluster, 60.0, people, command), Options(3), top)
    finally:
        said = people.file
        assert isinstance(said, io.StringIO)
        print(said.getvalue())
    return status, said.getvalue()


def start(top: Path, out: Path, grader: Path) -> subprocess.Popen[bytes]:
    """The same in a process of its own, to be ended from outside."""
    words = [sys.executable, "-m", "classes.tests.test_slurm", *map(str, (top, out, grader))]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "tools")}
    return subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def times_graded(out: Path) -> list[int]:
    """How often each different file was graded, and stored."""
    store = Store(out, create=False)
    digests = {row.digest for row in store.submissions() if row.digest}
    found = [len(outcomes(store, digest)) for digest in sorted(digests)]
    store.close()
    return found


def lines_of(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def stored(out: Path) -> int:
    """While somebody else is at work there."""
    if not (out / DATABASE).exists():
        return 0
    with contextlib.closing(sqlite3.connect(f"file:{out / DATABASE}?mode=ro", uri=True)) as database:
        try:
            return int(database.execute("SELECT count(*) FROM gradings").fetchone()[0])
        except sqlite3.OperationalError:  # just being made
            return 0


def until_stored(process: subprocess.Popen[bytes], out: Path, number: int) -> None:
    end = time.monotonic() + 300
    while stored(out) < number:
        assert process.poll() is None and time.monotonic() < end, process.stdout and process.stdout.read()
        time.sleep(0.05)


def until_no_jobs(slurm: TestCluster) -> None:
    end = time.monotonic() + 120
    while slurm.jobs():
        assert time.monotonic() < end, slurm.jobs()
        time.sleep(0.2)


@needs_slurm
def test_the_same_table_as_on_this_machine(tmp_path: Path, slurm: TestCluster, top: Path) -> None:
    """With a GPU in each job, as Slurm believes: no two gradings ever share one."""
    seen = (
        'echo "$SLURMD_NODENAME-$CUDA_VISIBLE_DEVICES" >> "$0.seen"; lock="$0.$SLURMD_NODENAME.$CUDA_VISIBLE_DEVICES"'
    )
    alone = f'{seen}; mkdir "$lock" || {{ echo shared >> "$0.shared"; exit 3; }}; sleep 0.3; rmdir "$lock"'
    assert grade_class(top, tmp_path / "local", fake_grader(tmp_path), roster=None)[0] == 0
    scratch = tmp_path / "node"
    cluster = Cluster(jobs=4, cpus=1, gres="gpu:1", lost_after=20, time="01:00:00", scratch=str(scratch))
    grader = fake_grader(tmp_path, alone)
    status, said = on_slurm(top, tmp_path / "slurm", grader, cluster)
    assert status == 0 and "the first node is ready after" in said
    local, remote = ((tmp_path / name / "grades.csv").read_text() for name in ("local", "slurm"))
    assert local == remote and local.count("graded") == FILES + 1
    assert times_graded(tmp_path / "slurm") == [1] * FILES
    assert lines_of(Path(f"{grader}.seen")) and not lines_of(Path(f"{grader}.shared"))
    assert set(lines_of(Path(f"{grader}.seen"))) <= {f"{node}-{gpu}" for node in ("n1", "n2") for gpu in (0, 1)}
    until_no_jobs(slurm)
    assert not list(scratch.iterdir())  # what was made on the node is gone


@needs_slurm
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_cluster_by_hand_ends_with_its_daemons(tmp_path: Path, how: signal.Signals) -> None:
    words = [sys.executable, "-m", "classes.tests.slurm_cluster", str(tmp_path / "cluster")]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "tools")}
    with subprocess.Popen(words, env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout and process.stdout.readline().startswith(b"export SLURM_CONF=")
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        assert len(children) == 4
        process.send_signal(how)
    assert process.returncode == 0 and not [pid for pid in children if Path(f"/proc/{pid}").exists()]


@needs_slurm
@pytest.mark.slow
def test_a_node_that_dies_in_the_middle(tmp_path: Path, slurm: TestCluster, top: Path) -> None:
    grader = fake_grader(tmp_path, 'sleep 1; echo "$SLURMD_NODENAME" >> "$0.nodes"')
    process = start(top, tmp_path / "out", grader)
    while "n2" not in lines_of(Path(f"{grader}.nodes")):
        assert process.poll() is None
        time.sleep(0.05)
    slurm.kill_node("n2")
    try:
        said, _ = process.communicate(timeout=300)
        assert process.returncode == 0, said.decode()
        assert re.search(rb"node .* gave no sign of life: [12] files? that it was grading will be graded again", said)
        assert times_graded(tmp_path / "out") == [1] * FILES  # a lost one is stored once, when it is done
        assert {row.status for row in table(tmp_path / "out").values()} == {"graded", "refused"}
    finally:
        slurm.start_node("n2")


@needs_slurm
@pytest.mark.slow
def test_killed_and_stopped_and_started_again(tmp_path: Path, slurm: TestCluster, top: Path) -> None:
    out, grader = tmp_path / "out", fake_grader(tmp_path, "sleep 0.7")
    process = start(top, out, grader)
    until_stored(process, out, 3)
    process.kill()
    process.wait()
    before = stored(out)
    process = start(top, out, grader)  # which cancels what the first has left
    until_stored(process, out, before + 3)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=300)
    assert b"finished results are safe" in said and b"KeyboardInterrupt" in said
    until_no_jobs(slurm)
    assert before + 3 <= stored(out) < FILES
    process = start(top, out, grader)
    said, _ = process.communicate(timeout=300)
    assert process.returncode == 0, said.decode()
    assert times_graded(out) == [1] * FILES
    assert grade_class(top, tmp_path / "local", fake_grader(tmp_path), roster=None)[0] == 0
    assert (out / "grades.csv").read_text() == (tmp_path / "local/grades.csv").read_text()


@needs_slurm
@pytest.mark.slow
def test_real_grades_of_real_nodes(tmp_path: Path, slurm: TestCluster) -> None:
    """By the commands that an instructor types, with cases that only the instructor knows."""
    lab = Lab(find(ROOT, "1"))
    for name, text in (
        ("ada", lab.submission([lab.right[task] for task in lab.tasks])),
        ("grace", lab.skeleton),
        ("katherine", lab.submission([lab.of(find_mistake(lab.folder, "missing_guard"))])),
    ):
        put(tmp_path / f"top/{name}/square.cu", text)
    cluster = put(tmp_path / "cluster.toml", f'jobs = 1\ncpus = 2\ntime = "01:00:00"\nscratch = "{tmp_path}/node"\n')
    cases = put(tmp_path / "cases.toml", 'lab = 1\n[[cases]]\nname = "odd"\ntasks = ["grid"]\nsizes = [777]\n')
    tables = []
    for out, more in (("local", ""), ("slurm", f"--executor slurm --cluster {cluster}")):
        words = f"./grader class {tmp_path}/top --lab 1 --task grid --max-n 2000 --no-time"
        words += f" --private {cases} --out {tmp_path}/{out} {more}"
        done = subprocess.run(words.split(), cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        tables.append((tmp_path / out / "grades.csv").read_text())
    assert tables[0] == tables[1] and tables[0].count("graded") == 3, tables
    until_no_jobs(slurm)


@needs_slurm
def test_a_node_that_cannot_grade_gets_no_work(
    tmp_path: Path, slurm: TestCluster, top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a sandbox; and where jobs fail before anything of ours can say why."""
    monkeypatch.setattr("classes.slurm._POLL_JOBS", 2)
    hidden = tmp_path / "bin"  # all but bubblewrap
    hidden.mkdir()
    for name in ("mktemp", "rm", "mkdir", "mv", "hostname"):
        (hidden / name).symlink_to(f"/usr/bin/{name}")
    without = Cluster(jobs=1, cpus=1, time="01:00:00", setup=[f"export PATH={hidden}"])
    with pytest.raises(GraderError, match=r"no work: n[12]: no sandbox: bubblewrap is not installed: .*exclude"):
        on_slurm(top, tmp_path / "out", fake_grader(tmp_path), without)
    with pytest.raises(GraderError, match=r"3 jobs ended before they were ready; the last said: .*no such module"):
        on_slurm(top, tmp_path / "out", fake_grader(tmp_path),
                 Cluster(jobs=3, cpus=1, time="01:00:00", setup=["echo no such module >&2", "exit 1"]))  # fmt: skip
    assert not lines_of(tmp_path / "log")
    until_no_jobs(slurm)


@needs_slurm
def test_jobs_that_slurm_never_starts(tmp_path: Path, slurm: TestCluster, top: Path) -> None:
    closed = Cluster(jobs=2, cpus=1, time="01:00:00", partition="closed", give_up_after="00:00:05")
    with pytest.raises(
        GraderError, match=r"2 jobs wait in Slurm for a node \(PartitionDown\); given up after 00:00:05"
    ):
        on_slurm(top, tmp_path / "out", fake_grader(tmp_path), closed)
    until_no_jobs(slurm)
    for cluster, words in (
        (Cluster(partition="nowhere"), "invalid partition"),
        (Cluster(gres="gpu:h100:1"), "requested node configuration is not available"),
        (Cluster(cpus=64), "requested node configuration is not available"),
        (Cluster(sbatch=["--no-such-option"]), "no-such-option"),
    ):
        with pytest.raises(UsageError, match=f"(?i)Slurm would not start such a job: .*{words}"):
            try_submission(cluster)
    try_submission(DEFAULT)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("partition = ", "--cluster"), ("nodes = 50", "unknown field `nodes`; there are: partition, account"),
        ('jobs = "4"', "Expected `int`"), ("jobs = 0", "jobs = 0: must be 1 or more"),
        ('time = "soon"', "time = 'soon': a time such as 02:00:00"), ('time = "00:20:00"', "too short"),
        ('gres = "gpu:4"', "one GPU a job is expected"), ('gres = "gpu:1"\nworkers = 2', "one submission at a time"),
        ('scratch = "tmp"', "an absolute path"), ("ports = [7, 6]", "first and the last"),
        ('partition = "a\\n#SBATCH --x"', "must be one line"), ("lost_after = 0", "lost_after = 0: must be 5"),
    ],
)  # fmt: skip
def test_a_file_that_makes_no_sense(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_cluster(put(tmp_path / "cluster.toml", text), 1800)
    assert words in str(caught.value) and "cluster.toml" in str(caught.value)


def test_a_cluster_as_its_file_says(tmp_path: Path) -> None:
    text = (
        'partition = "gpu"\naccount = "cs"\ngres = "gpu:a100:1"\ntime = "1-12:00:00"\ncpus = 8\nsbatch = ["--nice=9"]'
    )
    cluster = read_cluster(put(tmp_path / "c.toml", text), 1800)
    assert cluster.gpu and cluster.per_job == 1
    assert cluster.directives() == [
        "--partition=gpu", "--account=cs", "--gres=gpu:a100:1", "--cpus-per-task=8", "--no-requeue", "--nice=9",
    ]  # fmt: skip
    assert Cluster().per_job == Cluster().cpus and not Cluster(gres="lscratch:10").gpu
    assert [seconds_of(text, "") for text in ("90", "10:30", "2:00:00", "1-12", "1-12:30", "2-00:00:01")] == [
        5400, 630, 7200, 129600, 131400, 172801,
    ]  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(on_slurm(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]))[0])
