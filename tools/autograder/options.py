"""Options that several commands of ./grader have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Lab = Annotated[str | None, typer.Argument(help="3, lab3, scan or 03-scan; default: the lab that was built last")]
Tasks = Annotated[list[str] | None, typer.Option("--task", help="only this task; may be repeated")]
Solution = Annotated[bool, typer.Option("--solution", help="the reference solution")]
File = Annotated[Path | None, typer.Option("--file", help="this file instead of the one in labs/")]
Unsafe = Annotated[bool, typer.Option("--no-sandbox", help="run the file without a sandbox, with your permissions")]
Size = Annotated[str | None, typer.Option("--n", help="a call of this size: 1000, 1e6, 2^20")]
Variant = Annotated[str | None, typer.Option(help="a call of this variant")]
Virtual = Annotated[str, typer.Option("--device", help="virtual, or a profile of the virtual GPU")]
