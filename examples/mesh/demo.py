#!/usr/bin/env python3
"""Deploy over a mesh of three nodes on this machine, one of whose workers is killed in the middle.

It needs Receptor, and ends all that it starts. Run it in a copy of this folder: `python demo.py`.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

HERE = Path(__file__).parent
PAGES = HERE / "site"
#: A minute is enough for anything that is waited for here.
PATIENCE = 60.0


class Mesh:
    """The nodes a, b and c; jobs are started by a, and b and c have workers."""

    def __init__(self, receptor: str, folder: Path, stack: ExitStack) -> None:
        self._receptor, self._folder, self._stack = receptor, folder, stack
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / "key")], check=True)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = free.getsockname()[1]

    def start_node(self, name: str) -> None:
        """Start Receptor; b and c connect to a."""
        link: dict[str, object] = {"tcp-peer": {"address": f"127.0.0.1:{self._port}"}}
        if name == "a":
            link = {"tcp-listener": {"bindaddr": "127.0.0.1", "port": self._port}}
        published = {"service": "ensemble", "filename": str(self._folder / f"{name}.worker")}
        settings = [
            {"node": {"id": name, "datadir": str(self._folder / "data")}},
            {"log-level": {"level": "error"}},
            {"control-service": {"service": "control", "filename": str(self._folder / f"{name}.sock")}},
            link,
            *([] if name == "a" else [{"unix-socket-client": published}]),
        ]
        file = self._folder / f"{name}.yml"
        file.write_text(json.dumps(settings), encoding="utf-8")
        self._start(f"{name}.log", self._receptor, "--config", str(file))

    def start_worker(self, name: str) -> subprocess.Popen[bytes]:
        """Start the worker of a node, which executes what is signed by our key."""
        words = ["mesh", "worker", str(self._folder / f"{name}.worker"), "--node", name, "--folder"]
        words += [str(self._folder / f"{name}.orders"), "--keys", str(self._folder / "key.pub")]
        return self._start(f"{name}.log", "ansible-ensemble", *words)

    def _start(self, log: str, *command: str) -> subprocess.Popen[bytes]:
        with (self._folder / log).open("ab") as output:
            process = subprocess.Popen(command, stdout=output, stderr=output)
        self._stack.callback(_end, process)
        return process


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def run(*words: str, quiet: bool = False) -> subprocess.CompletedProcess[str]:
    """Run the command as a user would, and show what it prints."""
    if not quiet:
        print(f"\n$ ansible-ensemble {' '.join(words)}", flush=True)
    output = subprocess.PIPE if quiet else None
    return subprocess.run(["ansible-ensemble", *words], cwd=HERE, stdout=output, stderr=output, text=True, check=False)


def wait_until_workers_answer() -> None:
    """Nodes hear of each other within some seconds."""
    until = time.monotonic() + PATIENCE
    while run("mesh", "check", "b", "c", "--mesh", "nodes/a.sock", "--key", "nodes/key", quiet=True).returncode:
        if time.monotonic() > until:
            sys.exit("The workers do not answer; nodes/*.log say why.")
        time.sleep(0.5)


def deploy_and_kill(mesh: Mesh, worker: subprocess.Popen[bytes]) -> None:
    """Deploy; the worker of c is killed when a third of the pages is there, and started again."""
    words = ["deploy", "-v", "--approve", "--jobs", "4", "ensemble.yaml", "--input", f"folder={PAGES}"]
    print(f"\n$ ansible-ensemble {' '.join(words)}", flush=True)
    deploy = subprocess.Popen(["ansible-ensemble", *words], cwd=HERE)
    while deploy.poll() is None and len([*PAGES.glob("*.html")]) < 4:
        time.sleep(0.1)
    time.sleep(1.0)  # each node is in the middle of its next pages
    if deploy.poll() is None:
        print("\n--- the worker of c is killed, and started again ---\n", flush=True)
        _end(worker)
        mesh.start_worker("c")
    deploy.wait()


def main() -> None:
    """Tell the story."""
    receptor = os.environ.get("RECEPTOR") or shutil.which("receptor")
    if not receptor or not shutil.which("ssh-keygen"):
        sys.exit("Receptor and ssh-keygen are needed; in a checkout, `make receptor` builds the former with Go.")
    with ExitStack() as stack:
        # the path of a socket has little room
        short = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mesh-")))
        (HERE / "nodes").unlink(missing_ok=True)
        (HERE / "nodes").symlink_to(short)
        stack.callback((HERE / "nodes").unlink)
        print("Starting the nodes a, b and c, and workers on b and c.", flush=True)
        mesh = Mesh(receptor, short, stack)
        for name in "abc":
            mesh.start_node(name)
        workers = {name: mesh.start_worker(name) for name in "bc"}
        wait_until_workers_answer()
        run("mesh", "status", "--mesh", "nodes/a.sock")
        run("mesh", "check", "--mesh", "nodes/a.sock", "--key", "nodes/key")
        deploy_and_kill(mesh, workers["c"])
        print(
            "\nWhat the worker of c did when it was killed is unknown, and is done again; the rest stays.", flush=True
        )
        again = run("deploy", "--approve", "ensemble.yaml")
        found = run("status", "--output", "json", "ensemble.yaml", quiet=True)
        states = Counter(one["status"] for one in json.loads(found.stdout)["instances"])
        print(f"\n{len([*PAGES.glob('*.html')])} pages are there; instances: {dict(states)}.")
        run("undeploy", "--approve", "ensemble.yaml", quiet=True)
        print("They are taken away again, and the nodes end.")
    sys.exit(again.returncode)


if __name__ == "__main__":
    main()
