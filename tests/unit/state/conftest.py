"""Stores of each kind, on servers that the tests start."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from ansible_ensemble.projects.lock import Lock
from ansible_ensemble.projects.process import Process
from ansible_ensemble.state.location import open_store
from ansible_ensemble.state.store import Store
from tests.unit.state.servers import PASSWORD, USER, StateServer, git_server, state_server

Opener = Callable[[], Store]


def lock(name: str, path: str = "/elsewhere/ensemble.yaml") -> Lock:
    """A lock of a process of another host."""
    return Lock(path, name, "deploy", f"{name}@pod", Process(7, "pod"), "1", "2026-01-02T03:04:05Z")


@pytest.fixture
def server() -> Iterator[StateServer]:
    with state_server() as server:
        yield server


def bare(folder: Path) -> Path:
    subprocess.run(["git", "init", "--quiet", "--bare", str(folder)], check=True)
    subprocess.run(["git", "-C", str(folder), "config", "http.receivepack", "true"], check=True)
    return folder


@contextmanager
def s3_bucket() -> Iterator[Mapping[str, str]]:
    """An empty bucket: how it is reached, as the values of a location."""
    moto = pytest.importorskip("moto.server", reason="moto is not installed")
    boto3 = pytest.importorskip("boto3")
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    try:
        host, port = server.get_host_and_port()
        values = {"endpoint": f"http://{host}:{port}", "region": "us-east-1"}
        values |= {"access_key": "AKIA", "secret_key": PASSWORD}
        boto3.client(
            "s3",
            endpoint_url=values["endpoint"],
            region_name=values["region"],
            aws_access_key_id=values["access_key"],
            aws_secret_access_key=values["secret_key"],
        ).create_bucket(Bucket="states")
        yield {"s3": "states", **values}
    finally:
        server.stop()


@pytest.fixture(params=["path", "git", "git over http", "http", "s3"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, Mapping[str, str]]]:
    """A location of each kind, empty: its kind and its values."""
    match request.param:
        case "path":
            yield "path", {"path": str(tmp_path / "store")}
        case "git":
            yield "git", {"git": str(bare(tmp_path / "store.git")), "path": "web", "folder": str(tmp_path / "web")}
        case "git over http":
            bare(tmp_path / "store.git")
            with git_server(tmp_path) as url:
                values = {"git": f"{url}/store.git", "path": "", "folder": str(tmp_path / "web")}
                yield "git", {**values, "username": USER, "token": PASSWORD}
        case "http":
            with state_server() as server:
                yield "http", {"http": server.url, "lock": server.url, "username": USER, "password": PASSWORD}
        case "s3":
            with s3_bucket() as values:
                # what a server holds outlives it within a process
                yield "s3", {**values, "key": f"{tmp_path.name}/state.json"}


@pytest.fixture
def opened(location: tuple[str, Mapping[str, str]], tmp_path: Path) -> Opener:
    """Opens the store as from one more machine."""
    kind, values = location
    opened: list[Store] = []

    def another() -> Store:
        folder = {"folder": f"{values['folder']}-{len(opened)}"} if "folder" in values else {}
        opened.append(open_store(kind, {**values, **folder}))
        return opened[-1]

    return another
