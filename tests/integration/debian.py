"""Hosts with Debian on the loopback interface: layers over the one that `make debian` builds, each with its sshd."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.integration.sshd import answers, free_port

#: What `make debian` builds.
ROOT = Path(__file__).parents[2] / ".build" / "debian"
#: Folders that every host has, which hold what a run leaves beside what it makes.
_VOLATILE = ("dev", "proc", "run", "sys", "tmp", "root/.ansible", "var/backups", "var/cache", "var/lib/apt", "var/log")
_CONFIG = "ListenAddress 127.0.0.1\nPort {port}\nPidFile none\nUsePAM no\nPermitRootLogin yes\nMaxStartups 50\n"


class Debian:
    """Hosts of these names; each is a folder, in which its server for SSH runs."""

    def __init__(self, folder: Path, names: Sequence[str]) -> None:
        self.folder = folder
        self._ports = {name: free_port() for name in names}
        self._servers: dict[str, subprocess.Popen[bytes]] = {}
        self._key, self.control = folder / "key", Path("/tmp") / f"debian-{os.getpid()}"  # a socket's path is short
        folder.mkdir()
        self.control.mkdir(mode=0o700)
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self._key], check=True)

    def inventory(self) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Variables of all hosts, and of each."""
        shared = {
            "ansible_user": "root",
            "ansible_host": "127.0.0.1",
            "ansible_ssh_private_key_file": str(self._key),
            "ansible_ssh_common_args": "-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null",
            "ansible_control_path_dir": str(self.control),
            "ansible_python_interpreter": "/usr/bin/python3",
        }
        return shared, {name: {"ansible_port": port} for name, port in self._ports.items()}

    def paths(self) -> Iterator[Path]:
        """What is on the hosts, but for what any run leaves."""
        for name in self._ports:
            root = self.folder / name
            kept_out = {root / one for one in _VOLATILE}
            for base, folders, files in os.walk(root):
                folders[:] = [one for one in folders if Path(base, one) not in kept_out]
                # backups of the users' files, and of dpkg's
                yield from (Path(base, one) for one in (*folders, *files) if not one.endswith(("-", "-old", "-new")))

    def reset(self) -> None:
        """Make them what they were when they were built."""
        self.stop()
        for name, port in self._ports.items():
            self._mount(name)
            root = self.folder / name
            (root / "root/.ssh").mkdir(mode=0o700, exist_ok=True)
            shutil.copy(self._key.with_suffix(".pub"), root / "root/.ssh/authorized_keys")
            (root / "etc/ssh/sshd_config").write_text(_CONFIG.format(port=port))
            sshd = ["chroot", str(root), "/usr/sbin/sshd", "-D"]
            self._servers[name] = subprocess.Popen(sshd, start_new_session=True)
        for port in self._ports.values():
            while not answers(port):
                time.sleep(0.02)

    def _mount(self, name: str) -> None:
        layers = {kind: self.folder / f"{name}.{kind}" for kind in ("upper", "work")}
        for one in (*layers.values(), self.folder / name):
            one.mkdir()
        options = f"lowerdir={ROOT},upperdir={layers['upper']},workdir={layers['work']}"
        subprocess.run(["mount", "-t", "overlay", "overlay", "-o", options, self.folder / name], check=True)

    def stop(self) -> None:
        """End the servers, and take away what is on the hosts."""
        for socket in self.control.iterdir():
            subprocess.run(["ssh", "-O", "exit", "-S", socket, "127.0.0.1"], capture_output=True, check=False)
        for name, server in self._servers.items():
            server.terminate()
            server.wait()
            subprocess.run(["umount", "--lazy", self.folder / name], check=True)
            for one in (name, f"{name}.upper", f"{name}.work"):
                shutil.rmtree(self.folder / one)
        self._servers.clear()


@contextmanager
def debian(folder: Path, names: Sequence[str]) -> Iterator[Debian]:
    """Hosts that end with the block; the folder is made."""
    hosts = Debian(folder, names)
    try:
        hosts.reset()
        yield hosts
    finally:
        hosts.stop()
        shutil.rmtree(hosts.control)
