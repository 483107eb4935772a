"""`linkwork serve` in another process, for the tests."""

from __future__ import annotations

import os
import subprocess
import sys


class Process:
    """`linkwork serve`, in another process over TCP."""

    def __init__(self, component: str, *options: str) -> None:
        command = [sys.executable, "-m", "linkwork.cli", "serve", component, "--port", "0", *options]
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert " at " in line, self.process.communicate()
        self.address = line.split(" at ")[1].strip()

    def end(self) -> tuple[int, str]:
        try:
            _, err = self.process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        return self.process.returncode, err
