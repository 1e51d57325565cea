"""Playbooks of all kinds do as ensembles what they do by ansible-playbook, and can be taken away again."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tarfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler
from pathlib import Path
from typing import Any, Protocol

import pytest
import yaml

from tests.integration.debian import ROOT, Debian, debian
from tests.integration.jobs.conftest import Run
from tests.integration.sshd import SSHD, Servers, serving

HERE = Path(__file__).parent
DATA = yaml.load((HERE / "cases.yaml").read_text(), yaml.CSafeLoader)
SITES: dict[str, dict[str, Any]] = yaml.load((HERE / "sites.yaml").read_text(), yaml.CSafeLoader)
CASES: dict[str, dict[str, Any]] = DATA["cases"] | SITES
DEBIAN: dict[str, dict[str, Any]] = yaml.load((HERE / "debian.yaml").read_text(), yaml.CSafeLoader)
COLLECTIONS = HERE.parents[3] / ".build" / "community"
HOSTS = ("w1", "w2")
LOCAL = {"ansible_connection": "local", "ansible_python_interpreter": "{{ ansible_playbook_python }}"}

IDENTITY = {"NAME": "a", "EMAIL": "a@example.org", "DATE": "2026-01-01T00:00:00Z"}

#: Path -> its mode, owner and group, and what it holds or where it leads.
Tree = dict[str, tuple[str, int, int, bytes | str | None]]


class Silent(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def mirror(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("mirror")
    for name in ("fetched", "other"):
        (folder / name).write_text(f"{name}\n")
    with HTTPServer(("127.0.0.1", 0), partial(Silent, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def hosts_of(case: Mapping[str, Any]) -> tuple[str, ...]:
    return HOSTS[: case.get("hosts", len(HOSTS))]


def as_text(content: Any) -> str:
    return content if isinstance(content, str) else yaml.safe_dump(content, sort_keys=False)


def write_site(folder: Path, case: Mapping[str, Any]) -> None:
    plays = [
        play if "import_playbook" in play else {"hosts": "web", "gather_facts": False, **play} for play in case["plays"]
    ]
    config = "[defaults]\ninventory = hosts.yaml\n"
    config += f"collections_path = {COLLECTIONS}\n" if case.get("needs") == "community" else ""
    files = {"ansible.cfg": config, "site.yml": plays, **case.get("files", {})}
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(as_text(content))
    for library in (HERE / "library", HERE.parent / "sites" / "library"):
        shutil.copytree(library, folder / "library", dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))


def write_inventory(folder: Path, variables: Mapping[str, Any], hosts: Mapping[str, Mapping[str, Any]]) -> None:
    (folder / "hosts.yaml").write_text(yaml.safe_dump({"web": {"hosts": dict(hosts), "vars": dict(variables)}}))


class Hosts(Protocol):
    """Hosts on which a playbook lives."""

    def reset(self) -> None:
        """Make them what they are before anything runs."""

    def tree(self) -> Tree:
        """What is on them."""


@dataclass(frozen=True)
class Folders:
    """Hosts that are folders of this machine; another user may own them."""

    folder: Path
    case: Mapping[str, Any]
    owner: str | None = None

    def reset(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        for name in hosts_of(self.case):
            for path, told in {".": {"mode": "0755"}, **DATA["common"], **self.case.get("before", {})}.items():
                write_path(self.folder / name / path, told)
        (self.folder / "tree" / "sub").mkdir(parents=True)
        (self.folder / "tree" / "sub" / "a").write_text("a")
        with tarfile.open(self.folder / "tree.tar.gz", "w:gz") as archive:
            archive.add(self.folder / "tree", "tree")
        shutil.rmtree(self.folder / "tree")
        make_repository(self.folder / "repository")
        if self.owner:
            subprocess.run(["chown", "-hR", f"{self.owner}:", self.folder], check=True)

    def tree(self) -> Tree:
        paths = self.folder.glob("w?/**/*")
        return tree(self.folder, (path for path in paths if ".git" not in path.parent.parts))  # which tells the time


def make_repository(folder: Path) -> None:
    """A repository of git with two versions, which are the same commits each time."""
    dated = {f"GIT_{who}_{what}": told for who in ("AUTHOR", "COMMITTER") for what, told in IDENTITY.items()}
    git = partial(subprocess.run, cwd=folder, env={**os.environ, **dated}, check=True)
    folder.mkdir()
    git(["git", "init", "--quiet", "--template=", "--initial-branch=main"])
    for version in ("v1", "v2"):
        (folder / "run.sh").write_text(f"#!/bin/sh\necho {version}\n")
        git(["git", "add", "."])
        git(["git", "commit", "--quiet", "--message", version])
        git(["git", "tag", version])


def write_path(path: Path, told: Any) -> None:
    told = {"text": told} if isinstance(told, str) else told or {}
    if "link" in told:
        path.symlink_to(told["link"])
    elif "text" in told:
        path.write_text(told["text"])
    else:
        path.mkdir()
    if "mode" in told:
        path.chmod(int(told["mode"], 8))


def tree(folder: Path, paths: Iterable[Path]) -> Tree:
    """What is at paths of a folder; of the backups of a file, whose names tell the time and a process, the last one."""
    found: Tree = {}
    for path in sorted(paths, key=lambda one: one.lstat().st_ctime_ns):
        told = path.lstat()
        content = str(path.readlink()) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        if path.parent.name == "crontabs" and isinstance(content, bytes):  # cron writes the time into its first lines
            content = re.sub(rb"\A(# .*\n)+", b"", content)
        name = re.sub(r"\.\d+\.\d{4}-\d\d-\d\d@\d\d:\d\d:\d\d~$", "~", str(path.relative_to(folder)))
        found[name] = (oct(told.st_mode), told.st_uid, told.st_gid, content)
    return found


def difference(one: Tree, other: Tree) -> dict[str, tuple[Any, Any]]:
    return {name: (one.get(name), other.get(name)) for name in one.keys() | other if one.get(name) != other.get(name)}


def change(folder: Path, case: Mapping[str, Any]) -> None:
    for name, values in case["change"].items():
        file = folder / name
        file.write_text(as_text({**yaml.safe_load(file.read_text()), **values}))


class Life:
    """A playbook's life on its hosts, once by ansible-playbook and once as an ensemble, in the same folders."""

    def __init__(self, command: Callable[..., Run], site: Path, hosts: Hosts, case: Mapping[str, Any]) -> None:
        self._command, self._site, self._hosts, self._case = command, site, hosts, case

    def run(self) -> None:
        write_site(self._site, self._case)
        self._hosts.reset()
        before = self._hosts.tree()
        made, changed = self._made_by_ansible_playbook()
        write_site(self._site, self._case)
        self._hosts.reset()
        assert difference(before, self._hosts.tree()) == {}

        self._succeed("import", "site.yml", "--approve")
        planned = self._succeed("deploy", "--approve").output
        if self._case.get("left") and not self._case.get("unsaid"):
            assert "undeploy leaves" in planned
        assert difference(made, self._hosts.tree()) == {}
        self._nothing_to_do()
        self._change(changed)
        self._undeploy(before)

    def _made_by_ansible_playbook(self) -> tuple[Tree, Tree]:
        quickly = {"ANSIBLE_PIPELINING": "1"}  # a shell for each module, not six
        self._succeed("site.yml", program="ansible-playbook", extra=quickly)
        made = self._hosts.tree()
        change(self._site, self._case)
        self._succeed("site.yml", program="ansible-playbook", extra=quickly)
        return made, self._hosts.tree()

    def _nothing_to_do(self) -> None:
        made = self._hosts.tree()
        assert self._operations("deploy", "--approve") == []
        checked = self._succeed("check", "--detailed-exitcode", "--output", "json")
        assert json.loads(checked.stdout)["drift"] == []
        assert difference(made, self._hosts.tree()) == {}

    def _change(self, changed: Tree) -> None:
        change(self._site, self._case)
        done = self._operations("deploy", "--approve")
        assert sorted(done) == sorted(self._case["planned"])
        assert difference(changed, self._hosts.tree()) == {}
        assert self._operations("deploy", "--approve") == []

    def _undeploy(self, before: Tree) -> None:
        done = self._succeed("undeploy", "--approve")
        left = {name.partition("/")[2] for name in difference(before, self._hosts.tree())}
        assert left == set(self._case.get("left", {})), done.output

    def _operations(self, *words: str) -> list[str]:
        """The instances that a job works on, which succeeds."""
        told = json.loads(self._succeed(*words, "--output", "json").stdout)
        return [one["instance"] for one in told["tasks"]]

    def _succeed(self, *words: str, program: str = "ansible-ensemble", extra: Mapping[str, str] | None = None) -> Run:
        done = self._command(*words, program=program, cwd=self._site, extra=extra)
        assert done.code == 0, f"{program} {' '.join(words)}: {done.output}"
        return done


def parameters(names: Mapping[str, Mapping[str, Any]]) -> list[Any]:
    """The cases; but for the quick ones, `make test-all` alone has them."""
    found = []
    for name, case in names.items():
        marks = [pytest.mark.slow if case.get("quick") else pytest.mark.matrix]
        if case.get("needs") == "root":
            marks.append(pytest.mark.skipif(os.getuid() != 0, reason="only root gives files away"))
        if case.get("needs") == "community":
            marks.append(pytest.mark.skipif(not COLLECTIONS.is_dir(), reason="make community installs the collections"))
        found.append(pytest.param(name, id=name, marks=marks))
    return found


class Installed:
    """Hosts with Debian."""

    def __init__(self, hosts: Debian, case: Mapping[str, Any]) -> None:
        self._hosts, self._setup = hosts, case.get("setup", "true")

    def reset(self) -> None:
        self._hosts.reset()
        for name in HOSTS:
            subprocess.run(["chroot", self._hosts.folder / name, "sh", "-ec", self._setup], check=True)

    def tree(self) -> Tree:
        return tree(self._hosts.folder, self._hosts.paths())


def test_of_thirty_playbooks_nothing_is_left() -> None:
    """All cases assert all else."""
    assert sum("left" not in case for case in CASES.values()) >= 30


@pytest.mark.parametrize("name", parameters(CASES))
def test_an_ensemble_does_what_the_playbook_does(
    command: Callable[..., Run], mirror: str, tmp_path: Path, name: str
) -> None:
    site, hosts, case = tmp_path / "site", tmp_path / "hosts", CASES[name]
    site.mkdir()
    write_inventory(site, {**LOCAL, "mirror": mirror}, {one: {"root": str(hosts / one)} for one in hosts_of(case)})
    Life(command, site, Folders(hosts, case), case).run()


def write_servers(site: Path, servers: Servers, mirror: str, more: Mapping[str, Any]) -> None:
    hosts = {
        one: {"root": str(servers.work / one), "ansible_host": "127.0.0.1", "ansible_port": port}
        for one, port in servers.ports.items()
    }
    write_inventory(site, {**servers.variables(site / "known"), "mirror": mirror, **more}, hosts)


@pytest.mark.matrix
@pytest.mark.skipif(SSHD is None, reason="there is no sshd")
@pytest.mark.parametrize("name", parameters(CASES))
def test_it_does_so_by_ssh(command: Callable[..., Run], mirror: str, tmp_path: Path, name: str) -> None:
    site, case = tmp_path / "site", CASES[name]
    site.mkdir()
    with serving(tmp_path / "ssh", hosts_of(case)) as servers:
        write_servers(site, servers, mirror, {})
        Life(command, site, Folders(servers.work, case), case).run()


@pytest.mark.matrix
@pytest.mark.skipif(SSHD is None or not shutil.which("sudo"), reason="there is no sshd, or no sudo")
@pytest.mark.skipif(os.getuid() != 0, reason="only root becomes another user without a password")
@pytest.mark.parametrize("name", parameters({name: case for name, case in CASES.items() if case.get("become")}))
def test_it_does_so_by_ssh_as_another_user(command: Callable[..., Run], mirror: str, tmp_path: Path, name: str) -> None:
    site, case = tmp_path / "site", CASES[name]
    site.mkdir()
    with serving(tmp_path / "ssh", hosts_of(case)) as servers:
        write_servers(site, servers, mirror, {"ansible_become": True, "ansible_become_user": "nobody"})
        Life(command, site, Folders(servers.work, case, owner="nobody"), case).run()


@pytest.mark.matrix
@pytest.mark.skipif(not ROOT.is_dir(), reason="make debian builds the hosts")
@pytest.mark.skipif(os.getuid() != 0, reason="hosts with Debian are mounted as root")
@pytest.mark.parametrize("name", parameters(DEBIAN))
def test_packages_users_and_services(command: Callable[..., Run], tmp_path: Path, name: str) -> None:
    site = tmp_path / "site"
    site.mkdir()
    with debian(tmp_path / "hosts", HOSTS) as hosts:
        write_inventory(site, *hosts.inventory())
        Life(command, site, Installed(hosts, DEBIAN[name]), DEBIAN[name]).run()
