"""How the device process sees the processor time of a runner, which does not tell it itself."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from autograder.cage.caged import Caged


@contextlib.contextmanager
def seen(runner: Caged, caged: bool) -> Iterator[tuple[str, tuple[int, ...]]]:
    """A word for the device process (virtual_gpu/session/host_time.h), and the descriptors that it needs.

    Without cages a process number is enough. In a cage no other process has one; but files of /proc that are open
    already can be read there, and lead nowhere else. (A folder would lead out of the cage.)
    """
    with contextlib.ExitStack() as opened:
        pid, files = runner.pid, []
        with contextlib.suppress(OSError):  # it may have ended already: then there is nothing to see
            for name in ("schedstat", "stat") if caged and pid else ():
                files.append(os.open(f"/proc/{pid}/{name}", os.O_RDONLY | os.O_CLOEXEC))
                opened.callback(os.close, files[-1])
        if caged:
            yield (f"files:{files[0]},{files[1]}", tuple(files)) if len(files) == 2 else ("", ())
        else:
            yield f"pid:{pid}" if pid else "", ()
