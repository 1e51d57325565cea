"""The page about booting over the network, lived: its server and dnsmasq in one namespace, a machine in another."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.integration.docs.test_provision import lived
from tests.integration.sshd import SSHD

MACHINE = Path(__file__).with_name("machine_without_a_system.py")
NEEDED = ("ip", "dnsmasq", "curl", "ssh-keygen")


def run(*words: str | Path) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def network() -> Iterator[tuple[str, str]]:
    """The namespaces of a server and of a machine, with a cable between them; what runs in them ends with the test."""
    if os.geteuid() or not SSHD or not all(map(shutil.which, NEEDED)):
        pytest.skip(f"needs root, sshd and {', '.join(NEEDED)}")
    server, machine = names = (f"server{os.getpid()}", f"machine{os.getpid()}")
    try:
        for name in names:
            run("ip", "netns", "add", name)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"there can be no namespaces of the network: {error.stderr}")
    try:
        far = ("peer", "name", "eth0", "address", "52:54:00:ab:cd:0f", "netns", machine)
        run("ip", "link", "add", "eth1", "netns", server, "type", "veth", *far)
        run("ip", "-n", server, "address", "add", "10.20.0.1/24", "dev", "eth1")
        for name, device in ((server, "lo"), (server, "eth1"), (machine, "lo"), (machine, "eth0")):
            run("ip", "-n", name, "link", "set", device, "up")
        yield names
    finally:
        for name in names:
            for process in map(int, run("ip", "netns", "pids", name).split()):
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            run("ip", "netns", "delete", name)


@pytest.mark.matrix
def test_a_machine_boots_and_is_let_in(network: tuple[str, str], short: Path) -> None:
    server, machine = network
    short.chmod(0o755)  # dnsmasq reads files as a user of its own
    for file, text in {
        "srv/live/vmlinuz": "kernel",
        "srv/live/initrd.img": "initrd",
        "ipxe/undionly.kpxe": "iPXE",
    }.items():
        (short / file).parent.mkdir(parents=True, exist_ok=True)
        (short / file).write_text(f"{text}\n")
    system, key = short / "system", short / "key"
    system.mkdir()
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)
    Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # sshd wants it for the separation of privileges
    switch = short / "srv" / "switch-on"
    switch.write_text(f"#!/bin/sh\nexec ip netns exec {machine} {sys.executable} {MACHINE} {system} {key}.pub\n")
    switch.chmod(0o755)
    words = {
        "/srv": str(short / "srv"),
        "/usr/lib/ipxe": str(short / "ipxe"),
        "/run/dnsmasq-boot": str(short / "dnsmasq"),
        "/var/lib/misc/dnsmasq-boot": str(short / "dnsmasq"),
    }
    work = short / "work"
    work.mkdir()
    lived(
        work,
        [("machines-boot.md", "Step by step")],
        within=["ip", "netns", "exec", server],
        words=words,
        ANSIBLE_PRIVATE_KEY_FILE=str(key),
        ANSIBLE_SSH_EXTRA_ARGS=f"-o UserKnownHostsFile={short / 'known'}",
    )
    assert (system / "sshd.conf").exists()
