"""A Docker engine of the tests' own: its folders, its socket, and an image of one program."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

BUILT = Path(__file__).parents[4] / ".build"
#: What `make community` installs.
COLLECTIONS = BUILT / "community"
#: What `make docker-engine` unpacks.
ENGINE = BUILT / "docker"
#: The client's settings, with the plugin that `make docker-compose` builds.
COMPOSE = BUILT / "compose"
#: What `make python-tools` installs.
PYTHON_TOOLS = BUILT / "python-tools"
#: The page whose examples are deployed.
PAGE = Path(__file__).parents[4] / "docs/services.md"


def example(name: str) -> str:
    """The first service template of the page that has a type."""
    blocks = re.findall(r"^```yaml\n(.*?)^```$", PAGE.read_text(), flags=re.DOTALL | re.MULTILINE)
    text: str = next(one for one in blocks if f"type: {name}" in one)
    return text if "tosca_definitions_version" in text else f"tosca_definitions_version: tosca_simple_yaml_1_3\n{text}"


@dataclass(frozen=True)
class Docker:
    """An engine that runs: its client's environment, and the archive of an image `box:1`."""

    environment: dict[str, str]
    archive: Path

    def __call__(self, *words: str) -> str:
        """What the client says."""
        done = subprocess.run(
            [ENGINE / "bin/docker", *words], env=self.environment, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()


@pytest.fixture(scope="session")
def docker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Docker]:
    if not (ENGINE.is_dir() and COLLECTIONS.is_dir()):
        pytest.skip("make docker-engine community installs them")
    if os.geteuid() != 0:
        pytest.skip("a Docker engine is started as root")
    folder = tmp_path_factory.mktemp("docker")
    (folder / "daemon.json").write_text("{}")
    address = f"unix://{folder}/sock"
    path = f"{ENGINE / 'bin'}:{os.environ['PATH']}"
    settings = {**os.environ, "PATH": path, "LD_LIBRARY_PATH": str(ENGINE / "lib")}
    words = {
        "storage-driver": "vfs",
        "bridge": "none",
        "iptables": "false",
        "ip6tables": "false",
        "data-root": folder / "data",
        "exec-root": folder / "exec",
        "pidfile": folder / "pid",
        "config-file": folder / "daemon.json",
        "host": address,
    }
    with (folder / "log").open("w") as log:
        daemon = subprocess.Popen(
            [ENGINE / "bin/dockerd", *(f"--{name}={value}" for name, value in words.items())],
            env=settings,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    environment = {
        "DOCKER_HOST": address,
        "DOCKER_CONFIG": str(COMPOSE),
        "PATH": path,
        "ANSIBLE_COLLECTIONS_PATH": str(COLLECTIONS),
    }
    try:
        _await(daemon, environment, folder / "log")
        yield Docker(environment, _image(folder, environment))
    finally:
        daemon.terminate()
        daemon.wait()
        shutil.rmtree(folder / "data", ignore_errors=True)


def _await(daemon: subprocess.Popen[bytes], environment: dict[str, str], log: Path) -> None:
    while subprocess.run([ENGINE / "bin/docker", "info"], env=environment, capture_output=True, check=False).returncode:
        if daemon.poll() is not None:
            pytest.skip(f"no Docker engine starts here: {log.read_text()[-500:]}")


def _image(folder: Path, environment: dict[str, str]) -> Path:
    """The archive of an image with a shell and nothing else, which the engine does not have."""
    with tarfile.open(folder / "root.tar", "w") as tar:
        tar.add(ENGINE / "bin/busybox", "bin/busybox")
        for name in ("sh", "sleep", "cat"):
            link = tarfile.TarInfo(f"bin/{name}")
            link.type, link.linkname = tarfile.SYMTYPE, "busybox"
            tar.addfile(link)
    made = ("import", "--change", 'CMD ["/bin/sleep", "100000"]', folder / "root.tar", "box:1")
    for words in (made, ("save", "-o", folder / "box.tar", "box:1"), ("rmi", "box:1")):
        subprocess.run([ENGINE / "bin/docker", *words], env=environment, capture_output=True, check=True)
    return folder / "box.tar"
