"""How much memory is free."""

from __future__ import annotations

import os


def free_memory() -> float:
    """Bytes of memory that are free now, as far as the machine tells."""
    try:
        with open("/proc/meminfo") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return float(line.split()[1]) * 1024.0
    except OSError:
        pass
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")) * 0.5
    except (AttributeError, ValueError, OSError):
        return 4e9
