"""./grader watch: builds and grades a lab's file each time it is saved, and listens to single keys meanwhile."""

from __future__ import annotations

import queue
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from rich.console import Console

from autograder.build.builder import Builder
from autograder.errors import CompileError, GraderError, UsageError
from autograder.plan.labs import folders
from autograder.plan.manifest import load
from autograder.report.terminal import console
from learn import state
from learn.file_changes import Changes
from learn.grading import Grading
from learn.journal import Journal
from learn.keyboard import keys
from learn.messages import Graded, Looked, Message, Order, Part
from learn.model import Model
from learn.page import Page
from learn.reset import reset


@dataclass(frozen=True)
class Key:
    """ "" is the end of the keyboard."""

    name: str


@dataclass(frozen=True)
class Saved:
    there: bool


@dataclass(frozen=True)
class Heard:
    number: int
    message: Message


@dataclass(frozen=True)
class Redraw:
    pass


SECONDS_AWAKE = 0.2
MOST_HINTS = 5  # those of lab.toml, where the cause is, and how to see the edit
Event = Key | Saved | Heard | Redraw


def watch(root: Path, lab: Path, device: str = "", sandbox: bool = True, worker: Sequence[str] = ()) -> int:
    """Until q or ^C. Returns the exit status. `worker`: another grading process, for tests."""
    out = console()
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()  # may be used by handlers of signals
    _first_build(root, lab, worker)
    with ExitStack() as stack:
        stack.enter_context(_terminated())
        grading = Grading(root, lambda number, message: events.put(Heard(number, message)), worker)
        stack.callback(grading.close)
        pressed: Callable[[str], None] = lambda key: events.put(Key(key))  # noqa: E731
        keyboard = stack.enter_context(keys(pressed, lambda: events.put(Redraw())))
        following: Path | None = lab
        while following is not None:
            following = Watch(root, following, grading, events, out, keyboard, device, sandbox).run()
    if out.is_terminal:
        out.print()
    return 0


class Watch:
    """One lab."""

    def __init__(
        self,
        root: Path,
        lab: Path,
        grading: Grading,
        events: queue.SimpleQueue[Event],
        out: Console,
        keyboard: bool,
        device: str,
        sandbox: bool,
    ) -> None:
        self._model = Model(root, lab, load(lab), _before(lab))
        self._grading, self._events, self._out = grading, events, out
        self._device, self._sandbox = device, sandbox
        self._page = Page(out, keyboard) if out.is_terminal else None
        self._journal = Journal(out)
        self._view, self._hints, self._note, self._asked = "", 0, "", False
        self._told_of_reset = False
        self._following: Path | None = None

    def run(self) -> Path | None:
        """Until q; or the next lab, where that is wanted."""
        model = self._model
        with Changes(model.file, lambda there: self._events.put(Saved(there))):
            self._begin(model.file.exists())
            while True:
                match self._event():
                    case Key(""):  # the terminal is gone
                        return None
                    case Key(name):
                        if self._key(name):
                            return self._following
                    case Saved(there):
                        self._view, self._hints = "", 0
                        self._note, self._told_of_reset = (self._note if self._told_of_reset else ""), False
                        self._begin(there)
                    case Heard(number, message):
                        if number == self._grading.number:
                            self._hear(message)
                    case Redraw():
                        self._draw()

    def _event(self) -> Event:
        """The next event. Wakes up at times: a signal just before get() begins to wait would be handled after it."""
        while True:
            with suppress(queue.Empty):
                return self._events.get(timeout=SECONDS_AWAKE)

    def _begin(self, there: bool, look: bool = True) -> None:
        model = self._model
        model.saved(there)
        self._draw()
        self._journal_tell(None)
        if not there:
            self._grading.stop()
            return
        self._grading.order(Order(model.folder.name, model.to_look_at(), self._device, self._sandbox, look))

    def _hear(self, message: Message) -> None:
        model = self._model
        model.hear(message)
        if model.phase == "idle":
            self._grading.done()
        if isinstance(message, Graded):
            model.before = _before(model.folder)
        self._journal_tell(message)
        if self._page is None:
            return
        if isinstance(message, Part) or (self._view and not isinstance(message, Looked)):
            self._page.status(model)
        else:
            self._draw()

    def _key(self, name: str) -> bool:
        """Whether this lab is to be left."""
        asked, self._asked, self._note = self._asked, False, ""
        view, self._view = self._view, ""
        match name:
            case "x" | "y" if asked:
                self._reset()
            case _ if asked:
                pass
            case "q" | "\x04":
                return True
            case "n":
                return self._next()
            case "h":
                self._hints = min(self._hints + 1, MOST_HINTS)
            case "l" | "e":
                wanted = {"l": "list", "e": "explain"}[name]
                self._view = "" if view == wanted else wanted
            case "c":
                self._begin(self._model.file.exists(), look=False)
                return False
            case "x":
                self._asked = True
                self._note = f"x again: {self._model.manifest.file} becomes the skeleton; your file is saved first"
        self._draw()
        return False

    def _next(self) -> bool:
        model = self._model
        self._hints = 0
        if model.full_marks():
            self._following = folders(model.root).get(model.number + 1)
            if self._following:
                return True
            self._note = "this is the last lab"
        elif not model.go_on():
            self._note = "no other task is left to do"
        self._draw()
        return False

    def _reset(self) -> None:
        try:
            lines = reset(self._model.root, self._model.folder)
        except (UsageError, GraderError) as error:
            lines = [str(error)]
        self._model.before = _before(self._model.folder)
        self._note, self._told_of_reset = " · ".join(lines), True  # is shown while the skeleton is graded

    def _draw(self) -> None:
        if self._page is not None:
            self._page.draw(self._model, self._view, self._hints, self._note)

    def _journal_tell(self, message: Message | None) -> None:
        if self._page is None:
            self._journal.tell(self._model, message)


def _before(lab: Path) -> state.LabState:
    try:
        return state.read(lab)
    except UsageError:  # ./grader list says what is wrong with it
        return state.LabState()


def _first_build(root: Path, lab: Path, worker: Sequence[str]) -> None:
    """Sets up what is missing, before we take the screen: it takes minutes, and says what it does."""
    builder = Builder(root)
    if worker or builder.configured():
        return
    with suppress(CompileError):  # is shown on the screen
        builder.lab(int(lab.name[:2]), False)


@contextmanager
def _terminated() -> Iterator[None]:
    """Makes kill and a closed terminal end this as ^C does: with nothing left behind."""

    def end(number: int, _frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
