"""Words of the standard, and ours in it: for what writes FMUs and for what reads them. Imports nothing."""

from __future__ import annotations

# what FMI 2 and 3 call a system
PLATFORMS = {
    "linux-x86_64": ("linux64", "x86_64-linux"),
    "linux-aarch64": ("aarch64-linux", "aarch64-linux"),
    "win32-x86_64": ("win64", "x86_64-windows"),
    "darwin-x86_64": ("darwin64", "x86_64-darwin"),
    "darwin-aarch64": ("aarch64-darwin", "aarch64-darwin"),
}
BORDER = "org.linkwork.border"  # kind of the terminal with D and r, and of the annotation
BORDER_FORMAT = 1  # of the annotation and of the variables of the border
