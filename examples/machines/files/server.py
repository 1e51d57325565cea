#!/usr/bin/env python3
"""The operations of the server of machines: start, stop, check.

The environment holds the operation's inputs: `folder`, where all that it keeps goes; `port`; `machines`, the folder of
the simulated machines; and `actions`, the file that says who carries out actions of machines.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import background

FOLDER = Path(os.environ["folder"])
KEY, CERTIFICATE = FOLDER / "key", FOLDER / "data" / "tls" / "server.crt"


def start() -> None:
    """Start the server unless it runs, wait until it is ready, and keep the password that its first start says."""
    FOLDER.mkdir(parents=True, exist_ok=True, mode=0o700)
    log = FOLDER / "log"
    if not background.is_running(FOLDER):
        log.unlink(missing_ok=True)
        command = ["ansible-ensemble", "provision", "serve", "--host", "127.0.0.1", "--port", os.environ["port"]]
        command += ["--data", str(FOLDER / "data"), "--actions", os.environ["actions"]]
        background.start(FOLDER, command, **known(), PYTHONUNBUFFERED="1")
    background.until(lambda: "Ready at" in log.read_text() or not background.is_running(FOLDER))
    if not background.is_running(FOLDER):
        sys.exit(f"the server ended at once: {background.last_line(FOLDER)}")
    if said := re.search(r"^The password of the user (\w+) is (\S+)$", log.read_text(), re.MULTILINE):
        KEY.touch(mode=0o600)
        KEY.write_text(f"{said[1]}:{said[2]}", encoding="ascii")
    print(json.dumps({"endpoint": endpoint(), "ca_file": str(CERTIFICATE), "key_file": str(KEY)}))


def stop() -> None:
    """Stop the server if it runs."""
    background.stop(FOLDER)


def check() -> None:
    """Whether the server runs."""
    status = "ok" if background.is_running(FOLDER) else "error" if FOLDER.exists() else "absent"
    print(json.dumps({"status": status}))


def endpoint() -> str:
    """Where the server answers."""
    return f"https://127.0.0.1:{os.environ['port']}"


def known() -> dict[str, str]:
    """What the power of the simulated machines knows: where they are, and the server that they boot from."""
    return {
        "MACHINES": os.environ["machines"],
        "MACHINES_ENDPOINT": endpoint(),
        "MACHINES_CERTIFICATE": str(CERTIFICATE),
        "MACHINES_KEY": str(KEY),
    }


if __name__ == "__main__":
    {"start": start, "stop": stop, "check": check}[sys.argv[1]]()
