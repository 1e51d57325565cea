"""Secrets that are easy to find, and the hunt for them in whatever a job wrote, printed and ran."""

from __future__ import annotations

import os
import subprocess
import threading
from pathlib import Path

#: What each secret here begins with; tests that run beside this look at the same processes.
CANARY = f"k9z-canary-{os.getpid()}-"


class Watch(threading.Thread):
    """Reads the command lines of all processes until it is stopped, and keeps those with a canary in them."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.done = threading.Event()
        self.found: set[str] = set()

    def run(self) -> None:
        while not self.done.wait(0.01):
            for process in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208 # a glob takes ten times as long
                try:
                    with open(f"/proc/{process}/cmdline", "rb") as file:  # noqa: PTH123
                        words = file.read()
                except OSError:
                    continue
                if CANARY.encode() in words:
                    self.found.add(words.replace(b"\0", b" ").decode(errors="replace"))


def hunt(folder: Path, *outputs: str) -> list[str]:
    """Where a canary is, among files, git objects and outputs."""
    found = [f"{path}" for path in folder.rglob("*") if path.is_file() and CANARY.encode() in path.read_bytes()]
    objects = subprocess.run(
        ["git", "cat-file", "--batch-all-objects", "--batch"], cwd=folder, capture_output=True, check=True
    )
    found += ["a git object"] * (CANARY.encode() in objects.stdout)
    return found + [f"output: {text}" for text in outputs if CANARY in text]
