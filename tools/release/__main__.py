"""python -m release: what make release runs. LABS="1 3" and WITH_SOLUTIONS=1 come from the environment."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from autograder.errors import CompileError, GraderError, UsageError
from release.release import Wanted, make

ROOT = Path(__file__).resolve().parents[2]
SWITCH = {"": False, "0": False, "1": True}


def main() -> int:
    """Exit status: 0 written, 1 not."""
    asked = os.environ.get("WITH_SOLUTIONS", "")
    try:
        if asked not in SWITCH:
            raise UsageError(f"WITH_SOLUTIONS={asked}: must be 1, or left out")
        wanted = Wanted(os.environ.get("LABS", "").replace(",", " ").split(), SWITCH[asked])
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


if __name__ == "__main__":
    sys.exit(main())
