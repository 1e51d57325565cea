"""Sites as people write them for ansible-playbook, brought under an ensemble; their hosts are servers for SSH."""

from __future__ import annotations

import json
import shutil
import tarfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from tests.integration.sshd import SSHD, Servers, serving

from .conftest import Run

HERE = Path(__file__).parent / "sites"
INVENTORY = ("-i", "hosts.ini")

pytestmark = [pytest.mark.matrix, pytest.mark.skipif(SSHD is None, reason="there is no sshd")]

#: Of a file what counts: its mode and content, or where it leads.
Tree = dict[str, tuple[int, bytes]]


class Silent(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@dataclass(frozen=True)
class Site:
    """A site: its hosts, what is changed by hand there, and what follows.

    Attributes:
        drift: host and file -> its new content, or None if it is removed.
        drifted: the instances that this is found of.
        follows: files that the repair writes beside those, as handlers do.
        edit: a file of the site, a text in it, and another one; what the next plan changes for that.
        kept: instances that an undeploy leaves, since nothing takes them away.
        left: what is left of them.
    """

    name: str
    hosts: tuple[str, ...]
    drift: dict[tuple[str, str], str | None]
    drifted: set[str]
    follows: set[tuple[str, str]]
    edit: tuple[str, str, str, set[str]]
    kept: tuple[str, ...]
    left: dict[str, set[str]]


LAMP = Site(
    "lamp",
    ("lb1", "web1", "web2", "db1"),
    {
        ("lb1", "etc/haproxy/haproxy.cfg"): "backend by hand\n",
        ("web2", "var/www/shop.example/404.html"): None,
        ("db1", "run/mysql.pid"): None,
    },
    {"the_balancers_configuration@lb1", "the_pages_of_errors_404@web2", "mysql@db1"},
    {("lb1", "run/haproxy.pid"), ("lb1", "log/haproxy.log"), ("db1", "log/mysql.log")},
    ("roles/php/tasks/main.yml", '"0755"', '"0750"', {"php@web1", "php@web2"}),
    ("mysql@db1", "apache@web1", "php@web2"),
    {},  # since the role of all hosts takes its folders away, with all that is in them
)
_RELEASE = "opt/shop/releases/1.4.0"
APPLICATION = {
    "log/shop.log",
    "run/shop.pid",
    "opt/shop/current",
    "opt/shop/shared/app.ini",
    "opt/shop/shared/shop-1.4.0.tar.gz",
    *(f"{_RELEASE}/{name}" for name in ("VERSION", "app.ini", "installed")),
}
THREE_TIER = Site(
    "three_tier",
    ("front", "app1", "app2", "store"),
    {
        ("front", "etc/balancer/balancer.conf"): "listen by hand\n",
        ("app2", "opt/shop/shared/app.ini"): "workers = 99\n",
        ("store", "etc/cron.d/dump"): None,
    },
    {"the_balancers_configuration@front", "the_application_one_host_at_a_time", "a_dump_each_night@store"},
    {("app2", "run/shop.pid"), ("app2", "log/shop.log")},
    ("roles/postgres/defaults/main.yml", "50", "60", {"postgres@store", "who_may_enter@store"}),
    ("the_application_one_host_at_a_time",),
    # the balancer's file was there before anything was deployed
    {"front": {"etc/balancer/balancer.conf"}, "app1": APPLICATION, "app2": APPLICATION},
)
HARDENING = Site(
    "hardening",
    ("bastion",),
    {("bastion", "etc/issue"): "Welcome!\n", ("bastion", "etc/at.allow"): None},
    {"hardening@bastion"},
    set(),
    ("roles/hardening/defaults/main.yml", "password_days: 90", "password_days: 30", {"hardening@bastion"}),
    (),
    {},
)


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    with serving(tmp_path_factory.mktemp("servers") / "ssh", ["a", "b", "c", "d"]) as found:
        yield found


@pytest.fixture(scope="module")
def mirror(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the application's releases are."""
    folder = tmp_path_factory.mktemp("mirror")
    (folder / "VERSION").write_text("1.4.0\n")
    with tarfile.open(folder / "shop-1.4.0.tar.gz", "w:gz") as archive:
        archive.add(folder / "VERSION", "VERSION")
    with HTTPServer(("127.0.0.1", 0), partial(Silent, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@dataclass
class Hosts:
    """The hosts of a site, each in a folder of its own."""

    folders: dict[str, Path]

    def files(self) -> dict[str, Tree]:
        return {name: dict(self._files(folder)) for name, folder in self.folders.items()}

    def _files(self, folder: Path) -> Iterator[tuple[str, tuple[int, bytes]]]:
        for file in sorted(folder.rglob("*")):
            content = bytes(file.readlink()) if file.is_symlink() else b"" if file.is_dir() else file.read_bytes()
            yield str(file.relative_to(folder)), (file.lstat().st_mode, content)

    def versions(self) -> dict[tuple[str, str], int]:
        """When each file was written last; folders count by what is in them."""
        return {
            (name, str(file.relative_to(folder))): file.lstat().st_mtime_ns
            for name, folder in self.folders.items()
            for file in folder.rglob("*")
            if file.is_symlink() or not file.is_dir()
        }

    def spoil(self, drift: dict[tuple[str, str], str | None]) -> None:
        for (name, path), text in drift.items():
            file = self.folders[name] / path
            file.write_text(text) if text is not None else file.unlink()


def without_logs(files: dict[str, Tree]) -> dict[str, Tree]:
    """What there is but for the lines that services write each time they start."""
    return {name: {path: told for path, told in tree.items() if "log/" not in path} for name, tree in files.items()}


def prepared(site: Site, servers: Servers, mirror: str, folder: Path) -> Hosts:
    """A copy of the site, with an inventory whose hosts are the servers."""
    shutil.copytree(HERE / site.name, folder, dirs_exist_ok=True)
    shutil.copytree(HERE / "library", folder / "library", ignore=shutil.ignore_patterns("__pycache__"))
    hosts = Hosts({name: servers.work / f"{site.name}-{name}" for name in site.hosts})
    lines = []
    for (name, root), port in zip(hosts.folders.items(), servers.ports.values(), strict=False):
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir()
        lines.append(f"{name} ansible_host=127.0.0.1 ansible_port={port} root={root}")
    given = {**servers.variables(folder / "known"), "ansible_pipelining": True, "mirror": mirror}
    variables = [f"{name}={value}" for name, value in given.items()]
    file = folder / "hosts.ini"
    file.write_text("\n".join([*lines, "", file.read_text(), "[all:vars]", *variables, ""]))
    return hosts


def planned(command: Callable[..., Run], *options: str) -> set[str]:
    done = command("plan", *INVENTORY, "--output", "json", *options)
    assert done.code == 0, done.output
    changes = json.loads(done.stdout)["resource_changes"]
    return {one["name"] for one in changes if one["change"]["actions"] != ["no-op"]}


@pytest.mark.parametrize("site", [LAMP, THREE_TIER, HARDENING], ids=lambda site: site.name)
def test_a_site_comes_under_an_ensemble(
    command: Callable[..., Run], site: Site, servers: Servers, mirror: str, tmp_path: Path
) -> None:
    hosts = prepared(site, servers, mirror, tmp_path)
    done = command(*INVENTORY, "site.yml", program="ansible-playbook")
    assert done.code == 0, done.output
    made, versions = hosts.files(), hosts.versions()

    done = command("import", "site.yml", *INVENTORY, "--adopt", "--approve", "--output", "json")
    assert done.code == 0, done.output
    adoption = json.loads(done.stdout)["adoption"]
    assert (adoption["differ"], adoption["absent"], adoption["unseen"]) == ({}, {}, {})
    assert hosts.versions() == versions, "adoption changes nothing"
    assert planned(command) == set()

    hosts.spoil(site.drift)
    done = command("check", *INVENTORY, "--output", "json")
    assert {one["instance"] for one in json.loads(done.stdout)["drift"]} == site.drifted, done.output
    assert planned(command) == site.drifted
    done = command("deploy", *INVENTORY, "--approve")
    assert done.code == 0, done.output
    assert without_logs(hosts.files()) == without_logs(made)
    now = hosts.versions()
    assert {file for file in now if now[file] != versions.get(file)} == site.drift.keys() | site.follows

    path, before, after, changed = site.edit
    (tmp_path / path).write_text((tmp_path / path).read_text().replace(before, after))
    assert planned(command) == changed, "what was adopted is known by what it was compared with"

    # what was adopted is not the ensemble's to take away, and nothing takes away some of it, which needs the rest
    done = command("undeploy", *INVENTORY, "--approve", "--destroyunmanaged", "--force")
    assert done.code == 0, done.output
    left = {name: {path for path, (_, text) in tree.items() if text} for name, tree in hosts.files().items()}
    assert left == {name: site.left.get(name, set()) for name in site.hosts}, done.output
    assert set(site.kept) == {one for one in site.kept if f"  {one} " in done.stdout}, "it says what it leaves"

    if site is THREE_TIER:
        anew = tmp_path / "anew"
        hosts = prepared(site, servers, mirror, anew)
        for arguments in (("import", "site.yml", *INVENTORY), ("trust", "."), ("deploy", *INVENTORY, "--approve")):
            done = command(*arguments, cwd=anew)
            assert done.code == 0, done.output
        assert hosts.files() == made, "an ensemble makes what the playbooks make"
