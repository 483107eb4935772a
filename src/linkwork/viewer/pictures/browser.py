"""A browser without a window: a page is opened, asked by JavaScript, and its pictures are taken.

Chromium, Chrome or Edge of the machine is spoken to through a pair of pipes (the DevTools protocol), so no port is
opened and no further package is needed. Not on Windows, where programs have no pipes of that kind.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from linkwork.errors import RunError

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")
ON_MACOS = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
# the protocol reads from 3 and writes to 4; nothing is overwritten that is still to be moved
START = """
import os, sys
a, b, *words = sys.argv[1:]
a, b = int(a), int(b)
b = os.dup(b) if b == 3 else b
os.dup2(a, 3)
os.dup2(b, 4)
os.set_inheritable(3, True)
os.set_inheritable(4, True)
os.execv(words[0], words)
"""
SECONDS = 60.0  # for one answer
OPTIONS = (
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--hide-scrollbars",
    "--enable-unsafe-swiftshader",  # draws where there is no graphics card
)


def find_browser() -> str | None:
    """The program of a browser that can be asked; None where there is none.

    The environment variable LINKWORK_BROWSER names another one; "none" stands for no browser.
    """
    wanted = os.environ.get("LINKWORK_BROWSER")
    if wanted == "none" or sys.platform == "win32":
        return None
    found = [shutil.which(name) for name in ((wanted,) if wanted else PROGRAMS)]
    if sys.platform == "darwin" and not wanted:
        found.append(ON_MACOS if Path(ON_MACOS).exists() else None)
    return next((program for program in found if program), None)


class Browser:
    """One page in a browser without a window, `width` by `height` points.

    Use it in a `with` statement: its process and its folder are gone afterwards.
    """

    def __init__(self, program: str, width: int, height: int) -> None:
        self.program, self.size = program, (width, height)

    def __enter__(self) -> Browser:
        self._folder = tempfile.TemporaryDirectory(prefix="linkwork-browser-", ignore_cleanup_errors=True)
        here_in, its_out = os.pipe()
        its_in, here_out = os.pipe()
        width, height = self.size
        words = [self.program, *OPTIONS, f"--window-size={width},{height}", f"--user-data-dir={self._folder.name}"]
        if os.geteuid() == 0:
            words.append("--no-sandbox")  # its sandbox refuses root
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-c", START, str(its_in), str(its_out), *words, "about:blank"],
            pass_fds=(its_in, its_out),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for pipe in (its_in, its_out):
            os.close(pipe)
        self._in, self._out, self._rest, self._count = here_in, here_out, b"", 0
        try:
            made = self._call("Target.createTarget", {"url": "about:blank"}, None)
            joined = self._call("Target.attachToTarget", {"targetId": made["targetId"], "flatten": True}, None)
            self._session = joined["sessionId"]
            size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
            self._call("Emulation.setDeviceMetricsOverride", size)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        os.close(self._out)
        os.close(self._in)
        self._process.terminate()
        try:
            self._process.wait(10.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()

    def open(self, text: str, ready: str) -> None:
        """Show a page, given by its text, and wait until the expression `ready` is true."""
        file = Path(self._folder.name) / "page.html"
        file.write_text(text, encoding="utf-8")
        self._call("Page.navigate", {"url": file.as_uri()})
        last = time.monotonic() + SECONDS
        while not self.ask(f"Boolean({ready})"):
            told = self.ask("document.getElementById('problem')?.textContent || ''")
            if told:
                raise RunError(f"the page could not be drawn in {self.program}: {told}")
            if time.monotonic() > last:
                raise RunError(f"the page was not drawn within {SECONDS:g} s in {self.program}")
            time.sleep(0.05)

    def ask(self, expression: str) -> Any:
        """The value of a JavaScript expression; a promise is waited for."""
        asked = {"expression": expression, "returnByValue": True, "awaitPromise": True}
        found = self._call("Runtime.evaluate", asked)
        if "exceptionDetails" in found:
            told = found["exceptionDetails"].get("exception", {}).get("description", "an error")
            raise RunError(f"the page failed in {self.program}: {told.splitlines()[0]}")
        return found["result"].get("value")

    def picture(self) -> bytes:
        """What the page shows now, a PNG file."""
        return base64.b64decode(self._call("Page.captureScreenshot", {"format": "png"})["data"])

    def _call(self, method: str, parameters: dict[str, Any], session: str | None = "") -> dict[str, Any]:
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = self._session
        try:
            os.write(self._out, json.dumps(message).encode() + b"\0")
        except BrokenPipeError:
            raise RunError(f"{self.program} has ended by itself; try it in a shell") from None
        last = time.monotonic() + SECONDS
        while True:
            answer = self._receive(last)
            if answer.get("id") == self._count:
                if "error" in answer:
                    raise RunError(f"{self.program} refused {method}: {answer['error'].get('message', '')}")
                found: dict[str, Any] = answer["result"]
                return found

    def _receive(self, last: float) -> dict[str, Any]:
        """The next message; events are messages too."""
        while b"\0" not in self._rest:
            readable, _, _ = select.select([self._in], [], [], max(0.0, last - time.monotonic()))
            if not readable:
                raise RunError(f"{self.program} did not answer within {SECONDS:g} s")
            piece = os.read(self._in, 1 << 20)
            if not piece:
                raise RunError(f"{self.program} has ended by itself; try it in a shell")
            self._rest += piece
        line, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        return message
