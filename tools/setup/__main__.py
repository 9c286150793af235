"""`python3 tools/setup COMMAND`. Checks Python's version first, in syntax that an old Python can read."""

import os
import shutil
import sys

if sys.version_info < (3, 11):  # noqa: UP036
    for name in ("python3.14", "python3.13", "python3.12", "python3.11"):
        newer = shutil.which(name)
        if newer:
            os.execv(newer, [newer] + sys.argv)
    sys.exit(
        "Python 3.11 or newer is needed, not %s; use another: make PYTHON=/path/to/python3" % sys.version.split()[0]
    )

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))  # noqa: PTH100, PTH118, PTH120

from setup.cli import main

sys.exit(main(sys.argv[1:]))
