#!/usr/bin/env python3
"""A simulated machine: a process with a folder, whose boot takes a second.

    machine.py on|off|cycle|pxe NAME UUID    its power, and what it boots from next; nothing where it is so already
    machine.py run NAME UUID                 the machine itself: it boots, and runs an agent until that reboots it

The folder is NAME in $MACHINES. What the process does there is what firmware, a boot server and an installed service do
for real machines: it asks the server which bootenv to boot, gets a token for the machine, and starts its agent.
"""

from __future__ import annotations

import base64
import json
import os
import shlex
import signal
import ssl
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path
from typing import Any

import background

BOOT_SECONDS = 1.0


def on(folder: Path, uuid: str) -> None:
    """Power on."""
    folder.mkdir(parents=True, exist_ok=True)
    background.start(folder, [sys.executable, str(Path(__file__).resolve()), "run", folder.name, uuid])


def off(folder: Path, _: str) -> None:
    """Power off."""
    background.stop(folder)


def cycle(folder: Path, uuid: str) -> None:
    """Power off and on."""
    off(folder, uuid)
    on(folder, uuid)


def pxe(folder: Path, _: str) -> None:
    """Boot from the network next."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "next-boot").write_text("network\n", encoding="ascii")


def run(folder: Path, uuid: str) -> None:
    """Be the machine: boot, and boot again whenever the agent has rebooted it, until it is powered off."""
    boots, switched_off = folder / "boots", threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: switched_off.set())  # the agent hears it too, and leaves
    while True:
        number = len(boots.read_text().splitlines()) + 1 if boots.exists() else 1
        if switched_off.wait(BOOT_SECONDS):
            return
        bootenv = ask(f"machines/{uuid}")["BootEnv"]
        source = "network" if (folder / "next-boot").exists() else "disk"
        (folder / "next-boot").unlink(missing_ok=True)
        with boots.open("a", encoding="utf-8") as history:
            history.write(f"boot {number} from {source}: {bootenv}\n")
        if not agent(folder, uuid, number) or switched_off.is_set():
            return


def agent(folder: Path, uuid: str, number: int) -> bool:
    """Run the agent until it ends; whether the machine boots again then."""
    wish = folder / "wish"
    wish.unlink(missing_ok=True)
    say = [sys.executable, "-c", "import pathlib, sys; pathlib.Path(sys.argv[1]).write_text(sys.argv[2])", str(wish)]
    command = ["ansible-ensemble", "provision", "agent", uuid, "--state-dir", str(folder / "agent")]
    command += ["--boot-id", f"boot-{number}", "--ca-file", os.environ["MACHINES_CERTIFICATE"]]
    command += ["--reboot-command", shlex.join([*say, "reboot"]), "--poweroff-command", shlex.join([*say, "off"])]
    token = ask(f"machines/{uuid}/token?ttl=1h")["Token"]
    variables = {"RS_ENDPOINT": os.environ["MACHINES_ENDPOINT"], "RS_TOKEN": token}
    subprocess.run(command, cwd=folder, env={**os.environ, **variables}, check=False)
    return wish.exists() and wish.read_text() == "reboot"


def ask(path: str) -> Any:
    """What the server answers."""
    key = base64.b64encode(Path(os.environ["MACHINES_KEY"]).read_bytes()).decode("ascii")
    request = urllib.request.Request(f"{os.environ['MACHINES_ENDPOINT']}/api/v3/{path}")
    request.add_header("Authorization", f"Basic {key}")
    trust = ssl.create_default_context(cafile=os.environ["MACHINES_CERTIFICATE"])
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=trust))
    with direct.open(request, timeout=background.PATIENCE) as answer:
        return json.load(answer)


if __name__ == "__main__":
    what, name, key = sys.argv[1:]
    {"on": on, "off": off, "cycle": cycle, "pxe": pxe, "run": run}[what](Path(os.environ["MACHINES"], name), key)
