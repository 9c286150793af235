"""A headless Chromium for tests of pages, spoken to through its debugging pipe; nothing is installed for it."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
SECONDS = 60.0


class Browser:
    """One tab. What it loads and complains of is kept in `requests` and `complaints`."""

    def __init__(self) -> None:
        assert CHROMIUM
        self._profile = tempfile.TemporaryDirectory(prefix="browser")
        to_read, self._to = os.pipe()
        self._from, to_write = os.pipe()
        words = [
            CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
            f"--user-data-dir={self._profile.name}", "about:blank",
        ]  # fmt: skip
        # Chromium reads at 3 and writes at 4, whatever numbers the pipes have here.
        shell = f'exec 8<&{to_read} 9>&{to_write}; exec 3<&8 4>&9 8<&- 9>&-; exec "$@"'
        self._process = subprocess.Popen(
            ["/bin/bash", "-c", shell, "chromium", *words],
            pass_fds=(to_read, to_write), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        os.close(to_read)
        os.close(to_write)
        self._rest, self._number, self._session = b"", 0, ""
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self._loaded = False
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for room in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{room}.enable")

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._to)
        os.close(self._from)
        with contextlib.suppress(OSError):  # its helpers may still write there
            self._profile.cleanup()

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """What the browser answers; everything that it tells meanwhile is kept."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        for told in self._messages():
            if told.get("id") == self._number:
                assert "error" not in told, told
                result: dict[str, Any] = told["result"]
                return result
        raise AssertionError(f"Chromium does not answer {method}")

    def open(self, page: Path) -> None:
        self.requests.clear()
        self.complaints.clear()
        self._loaded = False
        self.ask("Page.navigate", url=page.resolve().as_uri())
        while not self._loaded:
            next(self._messages())

    def value(self, script: str) -> Any:
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def show(self, width: int, *, dark: bool = False, media: str = "screen") -> None:
        """As on a screen of this width, or on paper."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=width < 500)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", media=media, features=[scheme])

    def picture(self) -> bytes:
        """All of the page, as PNG."""
        data = self.ask("Page.captureScreenshot", captureBeyondViewport=True)["data"]
        return base64.b64decode(data)

    def pdf(self) -> bytes:
        return base64.b64decode(self.ask("Page.printToPDF", printBackground=True)["data"])

    def _messages(self) -> Iterator[dict[str, Any]]:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            while b"\0" in self._rest:
                line, _, self._rest = self._rest.partition(b"\0")
                told = json.loads(line)
                self._note(told)
                yield told
            if select.select([self._from], [], [], 1.0)[0]:
                data = os.read(self._from, 1 << 20)
                assert data, "Chromium has ended"
                self._rest += data
        raise AssertionError("Chromium says nothing any more")

    def _note(self, told: dict[str, Any]) -> None:
        what, about = told.get("method", ""), told.get("params", {})
        if what == "Network.requestWillBeSent":
            self.requests.append(about["request"]["url"])
        elif what == "Log.entryAdded":
            self.complaints.append(about["entry"]["text"])
        elif what == "Runtime.consoleAPICalled":
            self.complaints.append(json.dumps(about["args"]))
        elif what in ("Runtime.exceptionThrown", "Page.javascriptDialogOpening"):
            self.complaints.append(json.dumps(about))
        elif what == "Page.loadEventFired":
            self._loaded = True
