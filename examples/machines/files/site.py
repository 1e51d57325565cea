#!/usr/bin/env python3
"""The operations of a site: start, stop, check.

The environment holds the operation's inputs: `disk`, the folder of the machine, on which the stage `software` has
installed the program; and `port`.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.request
from pathlib import Path

import background

DISK = Path(os.environ["disk"])
FOLDER = DISK / "srv"


def start() -> None:
    """Start the program that the machine has, and wait until it answers."""
    background.start(FOLDER, [sys.executable, str(DISK / "opt" / "httpd"), os.environ["port"], str(FOLDER)])
    background.until(lambda: answers() or not background.is_running(FOLDER))
    if not answers():
        sys.exit(f"{url()} does not answer: {background.last_line(FOLDER)}")
    print(json.dumps({"url": url()}))


def stop() -> None:
    """Stop it if it runs."""
    background.stop(FOLDER)


def check() -> None:
    """Whether it answers."""
    print(json.dumps({"status": "ok" if answers() else "error" if FOLDER.exists() else "absent"}))


def answers() -> bool:
    """Whether the page is there."""
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url(), timeout=10):
            return background.is_running(FOLDER)
    except OSError:
        return False


def url() -> str:
    """Where it answers."""
    return f"http://127.0.0.1:{os.environ['port']}/"


if __name__ == "__main__":
    {"start": start, "stop": stop, "check": check}[sys.argv[1]]()
