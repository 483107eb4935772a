"""The page in its own process: numbers go over by the board, words back and forth through a pipe."""

from __future__ import annotations

import contextlib
import multiprocessing
import re
import secrets
from importlib.util import find_spec
from typing import Any

from linkwork.errors import OptionError, RunError
from linkwork.viewer import panel
from linkwork.viewer.board import Board

MISSING = 'the live page needs viser; install it with: pip install "linkwork[view]"'
HERE = ("127.0.0.1", "localhost", "::1")
PATIENCE = 60.0  # s until the page has to be there


class Link:
    """Starts the page; `show` is what it has to know, made by `live.staged`.

    On 127.0.0.1 anybody on this machine may look. Another host is served only with a token, which the address holds.
    """

    def __init__(self, show: dict[str, Any], host: str = "127.0.0.1", port: int = 0, token: str | None = None) -> None:
        if find_spec("viser") is None:
            raise OptionError(MISSING)
        if token is not None and not re.fullmatch(r"[\w-]{8,200}", token, re.ASCII):
            raise OptionError("a token is 8 letters, digits, - or _ at least, hard to guess; leave it out to get one")
        if host not in HERE and token is None:
            token = secrets.token_urlsafe(16)
        spawn = multiprocessing.get_context("spawn")
        self.board = Board(len(show["bodies"]), len(show["joints"]))
        self.pipe, theirs = spawn.Pipe()
        self.process = spawn.Process(
            target=panel.serve,
            args=(show, self.board.name, theirs, host, port, token),
            daemon=True,
            name="linkwork page",
        )
        try:
            self.process.start()
            theirs.close()
            word, fact = self.pipe.recv() if self.pipe.poll(PATIENCE) else ("failed", "the page did not start in time")
        except EOFError:
            word, fact = "failed", "the process of the page ended at once"
        except BaseException:
            self.close()
            raise
        if word != "ready":
            self.close()
            raise RunError(str(fact))
        self.address = f"http://{f'[{host}]' if ':' in host else host}:{fact}" + (f"/?token={token}" if token else "")

    @property
    def alive(self) -> bool:
        return self.process.is_alive()

    def words(self) -> list[tuple[Any, ...]]:
        """What was clicked since the last look."""
        found = []
        try:
            while self.pipe.poll():
                found.append(self.pipe.recv())
        except (EOFError, OSError):
            pass
        return found

    def tell(self, *words: Any) -> None:
        """Say something to the page: ("note", text), ("gone", names of joints), ("label", text)."""
        with contextlib.suppress(OSError):
            self.pipe.send(words)

    def __enter__(self) -> Link:
        return self

    def __exit__(self, kind: Any, *_: Any) -> bool:
        self.close()
        return kind is KeyboardInterrupt  # Ctrl-C is how one ends it

    def close(self) -> None:
        """End the page's process and give the memory back."""
        self.tell("end")
        self.process.join(3.0)
        if self.process.is_alive():
            self.process.terminate()
            self.process.join(3.0)
        self.board.close()
