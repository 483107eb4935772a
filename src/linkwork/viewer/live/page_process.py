"""The page in its own process: numbers go through the shared frame, messages as lines of JSON through its pipes.

The process is a new interpreter, not a copy of this one: a script needs no `if __name__ == "__main__"` to show a run.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import re
import secrets
import subprocess
import sys
import threading
from collections import deque
from importlib.util import find_spec
from typing import Any

from linkwork.errors import OptionError, RunError
from linkwork.model.checked import shown
from linkwork.viewer.live.gate import HERE, context_of
from linkwork.viewer.live.on_time import MESSAGES, set_priority
from linkwork.viewer.live.shared_frame import SharedFrame

MISSING = 'the live page needs websockets; install it with: pip install "linkwork[view]"'
LETTERS = 22  # of a token for other hosts: 64 kinds of them make 132 bits
NOTHING: dict[str, Any] = {"input": [], "key": [], "method": [], "body": [], "columns": [], "coordinates": 0}
PATIENCE = 60.0  # s until the page has to be there


class PageProcess:
    """Starts the page: `documents` are media type and content by path, `names` what messages may be about.

    `things` and `joints` are how many poses and forces a frame has. On 127.0.0.1 anybody on this machine may look.
    Another host is served only with a token, which the address holds. With `cert` and `key` (PEM files) the page is
    encrypted (HTTPS), and has a token too.
    """

    def __init__(
        self,
        documents: dict[str, tuple[str, bytes]],
        names: dict[str, Any] | None = None,
        things: int = 0,
        joints: int = 0,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        token: str | None = None,
        cert: str | None = None,
        key: str | None = None,
    ) -> None:
        if find_spec("websockets") is None:
            raise OptionError(MISSING)
        if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port <= 65535:
            raise OptionError(f"port must be a whole number from 0 to 65535, not {shown(port)}; correct port=")
        least = 8 if host in HERE else LETTERS
        if token is not None and not re.fullmatch(rf"[\w-]{{{least},200}}", token, re.ASCII):
            raise OptionError(
                f"a token is {least} letters, digits, - or _ at least, hard to guess; leave it out to get one"
            )
        if (cert is None) != (key is None):
            raise OptionError("an encrypted page needs cert= and key= together; give both, or neither")
        tls = None if cert is None or key is None else (str(cert), str(key))
        if tls is not None:
            context_of(*tls)  # a wrong file is reported before a process starts
        if token is None and (host not in HERE or tls is not None):
            token = secrets.token_urlsafe(16)
        self.frame = SharedFrame(things, joints)
        self._received: deque[tuple[Any, ...]] = deque()
        self._first = threading.Event()
        self.process = subprocess.Popen(
            [sys.executable, "-c", "from linkwork.viewer.live.page_server import main; main()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
            # Ctrl-C is for the process that steps. Not a session of its own: Linux shares time among sessions first,
            # and niceness counts within one only
            process_group=None if sys.platform == "win32" else 0,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
        threading.Thread(target=self._listen, daemon=True).start()
        try:
            sent = {path: (kind, base64.b64encode(data).decode()) for path, (kind, data) in documents.items()}
            shapes = {"things": things, "joints": joints, "frame": self.frame.name, "names": names or NOTHING}
            place = {"host": host, "port": port, "token": token, "tls": tls}
            self.send({"documents": sent, **shapes, **place})
            self._first.wait(PATIENCE)
            name, fact = (
                self._received.popleft() if self._received else ("failed", "the process of the page did not start")
            )
        except BaseException:
            self.close()
            raise
        if name != "ready":
            self.close()
            raise RunError(str(fact))
        scheme, name = "http" if tls is None else "https", f"[{host}]" if ":" in host else host
        self.address = f"{scheme}://{name}:{fact}" + (f"/?token={token}" if token else "")

    def _listen(self) -> None:
        assert self.process.stdout is not None
        set_priority(MESSAGES)
        for line in self.process.stdout:
            self._received.append(tuple(json.loads(line)))
            self._first.set()
        self._first.set()

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def messages(self) -> list[tuple[Any, ...]]:
        """What was clicked since the last look."""
        found = []
        while self._received:
            found.append(self._received.popleft())
        return found

    def send(self, *message: Any) -> None:
        """Send a message to the page: ("note", text), ("joints", …), ("label", text)."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            self.process.stdin.write(json.dumps(message, default=_plain) + "\n")
            self.process.stdin.flush()

    def __enter__(self) -> PageProcess:
        return self

    def __exit__(self, kind: Any, *_: Any) -> bool:
        self.close()
        return kind is KeyboardInterrupt  # Ctrl-C is how one ends it

    def close(self) -> None:
        """End the page's process and give the memory back."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()  # the end of its input is its end
        try:
            self.process.wait(3.0)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.frame.close()


def _plain(value: Any) -> Any:
    """Numbers and arrays of numpy as those of Python."""
    return value.tolist()
