"""./grader watch without a terminal: what happens, line by line, as it happens."""

from __future__ import annotations

from datetime import datetime

from rich.console import Console

from autograder.report.progress import line
from learn import messages
from learn.messages import Message
from learn.model import Model
from learn.page import doing, tell


class Journal:
    """Output for a pipe or a file."""

    def __init__(self, out: Console) -> None:
        self._out = out

    def tell(self, model: Model, message: Message | None) -> None:
        """`message`: the message, after the model has taken it in; None for a save."""
        out = self._out
        match message:
            case None:
                what = "building" if model.phase == "building" else "the file is gone"
                out.print(f"\n{datetime.now():%H:%M:%S}  {model.file.relative_to(model.root)}: {what}", markup=False)
            case messages.Built(seconds):
                out.print(f"  built in {seconds:.1f} s")
            case messages.Looked(task) if task.verdict != "SKIP" and task.name == model.focus:
                tell(out, model)
            case messages.Finished(task):
                out.print(f"  {task.name:<18}", line(task), soft_wrap=True, markup=False)
            case messages.NotBuilt() | messages.Failed():
                tell(out, model)
                out.print(f"  {doing(model)}", markup=False, soft_wrap=True)
            case messages.Graded(result):
                tell(out, model)
                out.print(f"  {result.points:g} of {result.of:g} points · {doing(model)}", markup=False, soft_wrap=True)
        out.file.flush()
