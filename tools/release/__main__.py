"""python -m release: what make release runs. LABS="1 3", WITH_SOLUTIONS=1 and READY_BUILT=0 are in the environment."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from autograder.errors import CompileError, GraderError, UsageError
from release.release import Wanted, make

ROOT = Path(__file__).resolve().parents[2]
SWITCH = {"0": False, "1": True}


def main() -> int:
    """Exit status: 0 written, 1 not."""
    try:
        folders = os.environ.get("LABS", "").replace(",", " ").split()
        wanted = Wanted(folders, _switch("WITH_SOLUTIONS", "0"), _switch("READY_BUILT", "1"))
        release = make(ROOT, wanted, lambda text: print(f"  {text}", flush=True))
        path, digest, told = release.write(ROOT / "build" / "release")
    except (UsageError, GraderError, CompileError) as error:
        print(f"  {error}", file=sys.stderr)
        return 1
    size = path.stat().st_size / 1e6
    labs = f"{len(release.labs)} lab{'s' * (len(release.labs) != 1)}"
    print(f"  {path.relative_to(ROOT)} · {labs} · {len(release.files)} files · {size:.1f} MB{told}")
    print(f"  commit {release.commit.name[:12]} · sha256 {digest}")
    return 0


def _switch(name: str, default: str) -> bool:
    asked = os.environ.get(name) or default
    if asked not in SWITCH:
        raise UsageError(f"{name}={asked}: must be 0 or 1, or left out")
    return SWITCH[asked]


if __name__ == "__main__":
    sys.exit(main())
