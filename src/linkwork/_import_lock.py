"""One thread at a time opens a room for the first time: modules that import each other are not to be met half made."""

from __future__ import annotations

import threading

IMPORTING = threading.RLock()
