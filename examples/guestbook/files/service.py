#!/usr/bin/env python3
"""The operations of a service: start, stop, check.

The environment holds the operation's inputs: `folder`, with the service's `service.py` and `settings.json`, where its
process id and log go as well, and `port`, where it answers on localhost.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

PATIENCE = 10  # seconds that a service may take to start or to stop

FOLDER = Path(os.environ["folder"])
PID_FILE = FOLDER / "pid"
LOG_FILE = FOLDER / "log"
PROGRAM = FOLDER / "service.py"


def start() -> None:
    """Start the service unless it runs, and wait until it answers; a dry run only says where it would."""
    if "--dry-run" in sys.argv:
        print(json.dumps({"url": url()}))
        return
    if running() is None:
        if listening():
            sys.exit(f"port {os.environ['port']} is taken by another program")
        with LOG_FILE.open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, str(PROGRAM), str(FOLDER / "settings.json")],
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # it outlives this script and the job
            )
        PID_FILE.write_text(f"{process.pid}\n", encoding="ascii")
        wait(lambda: process.poll() is not None or answer() is None)
        if process.poll() is not None:
            PID_FILE.unlink()
            last = LOG_FILE.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
            sys.exit(f"it ended at once: {' '.join(last)}")
    reason = answer()
    if reason is not None:
        sys.exit(f"it runs, but {url()} does not answer: {reason}")
    print(json.dumps({"url": url()}))


def stop() -> None:
    """Stop the service if it runs, and wait until it is gone."""
    process = running()
    if process is not None:
        os.kill(process, signal.SIGTERM)
        if not wait(lambda: running() is None):
            os.kill(process, signal.SIGKILL)
            wait(lambda: running() is None)
    PID_FILE.unlink(missing_ok=True)


def check() -> None:
    """Ask the service for its page, and say what came of it as the operation's status."""
    if not PROGRAM.exists():
        print(json.dumps({"status": "absent"}))
        return
    reason = answer()
    if reason is not None:
        print(json.dumps({"status": "error"}))
        sys.exit(f"{url()}: {reason}")
    print(json.dumps({"status": "ok", "attributes": {"url": url()}}))


def url() -> str:
    """Where the service answers."""
    return f"http://127.0.0.1:{os.environ['port']}/"


def listening() -> bool:
    """Whether any program listens on the service's port."""
    try:
        socket.create_connection(("127.0.0.1", int(os.environ["port"])), timeout=PATIENCE).close()
    except OSError:
        return False
    return True


def answer() -> str | None:
    """Why the service gives no good answer, or None if it does."""
    try:
        with urllib.request.urlopen(url(), timeout=PATIENCE) as response:
            return None if b"<title>" in response.read() else "this is not our page"
    except urllib.error.HTTPError as error:
        return f"HTTP {error.code}"
    except OSError as error:
        return str(getattr(error, "reason", error))


def running() -> int | None:
    """The service's process id if it runs; another process that got the number since does not count."""
    try:
        process = int(PID_FILE.read_text(encoding="ascii"))
        command = subprocess.run(
            ["ps", "-ww", "-o", "stat=,args=", "-p", str(process)], capture_output=True, text=True, check=False
        ).stdout
    except (OSError, ValueError):
        return None
    return process if str(PROGRAM) in command and not command.startswith("Z") else None


def wait(condition: Callable[[], bool]) -> bool:
    """Wait until the condition holds; whether it did in time."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


if __name__ == "__main__":
    {"start": start, "stop": stop, "check": check}[sys.argv[1]]()
