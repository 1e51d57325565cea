"""Servers for SSH on the loopback interface, as hosts of inventories."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SSHD = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
#: Core would discover the first `python3.*` of the path, which with pyenv is a program that runs none of them; and
#: another user has to be able to run it.
PYTHON = next(path for path in ("/usr/bin/python3", os.path.realpath(sys.executable)) if Path(path).exists())


@dataclass
class Servers:
    """The servers' ports by host, the user's key, where the connections' sockets are, and what the hosts hold.

    The folders are short, for a socket's path has little room, and such as another user may enter.
    """

    ports: dict[str, int]
    key: Path
    control: Path
    work: Path

    @property
    def home(self) -> Path:
        """The user's home on the hosts."""
        return self.work.parent

    def variables(self, known: Path) -> dict[str, Any]:
        """Variables of all hosts; `known` is where keys of hosts would be kept."""
        return {
            "ansible_user": getpass.getuser(),
            "ansible_ssh_private_key_file": str(self.key),
            "ansible_ssh_common_args": f"-o StrictHostKeyChecking=no -o UserKnownHostsFile={known}",
            "ansible_control_path_dir": str(self.control),
            "ansible_python_interpreter": PYTHON,
        }


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def serving(folder: Path, names: Sequence[str], settings: str = "") -> Iterator[Servers]:
    """Servers of these names, with more settings, which end with the block; the folder is made."""
    folder.mkdir(mode=0o700)
    Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # sshd wants it for the separation of privileges
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
    (folder / "authorized").write_text((folder / "user.pub").read_text())
    ports = {name: free_port() for name in names}
    outside = Path(tempfile.mkdtemp(dir="/tmp"))
    outside.chmod(0o755)
    control, work = outside / "control", outside / "work"
    control.mkdir(mode=0o700)
    for name in names:
        (work / name).mkdir(parents=True)
    running = []
    for name, port in ports.items():
        config = folder / f"{name}.conf"
        config.write_text(
            f"ListenAddress 127.0.0.1\nPort {port}\nHostKey {folder / 'host'}\nPidFile none\nUsePAM no\n"
            f"AuthorizedKeysFile {folder / 'authorized'}\nStrictModes no\nPermitRootLogin yes\nMaxStartups 50\n"
            # what the user has the shell do at its start is not of interest
            f"Subsystem sftp internal-sftp\nSetEnv HOME={outside}\n{settings}"
        )
        running.append(subprocess.Popen([str(SSHD), "-D", "-e", "-f", config], stderr=subprocess.DEVNULL))
    try:
        for port in ports.values():
            while not answers(port):
                time.sleep(0.02)
        yield Servers(ports, folder / "user", control, work)
    finally:
        for connection in control.iterdir():
            subprocess.run(["ssh", "-O", "exit", "-S", connection, "127.0.0.1"], capture_output=True, check=False)
        shutil.rmtree(outside)
        for server in running:
            server.terminate()
            server.wait()
