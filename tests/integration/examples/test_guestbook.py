"""The life of the guestbook, by the collection's playbooks."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.preloaded import PROGRAMS, run

#: a progress line of an operation that ended, e.g. `[ 3/10] app: configure changed (0.1s)`
ENDED = re.compile(r"^\[ *\d+/\d+\] (\w+): (\w+) (ok|changed|failed|skipped|blocked)\b", re.MULTILINE)


class Guestbook:
    """A copy of the example, on free ports."""

    def __init__(self, example: Path, folder: Path, collections: Path) -> None:
        self.folder = Path(shutil.copytree(example, folder, ignore=shutil.ignore_patterns("site", "jobs*", "changes")))
        self.ensemble = self.folder / "ensemble.yaml"
        self.collections = collections
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            second.bind(("127.0.0.1", 0))
            self.port, self.app_port = first.getsockname()[1], second.getsockname()[1]
        self.edit("  inputs:\n", f"  inputs:\n    port: {self.port}\n    app_port: {self.app_port}\n")

    def edit(self, old: str, new: str) -> None:
        text = self.ensemble.read_text()
        assert old in text
        self.ensemble.write_text(text.replace(old, new))

    def play(self, name: str, *arguments: str) -> str:
        done = run(
            [PROGRAMS / "ansible-playbook", f"tosca.ensemble.{name}", "-e", f"ensemble={self.ensemble}", *arguments],
            env={**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(self.collections), "ANSIBLE_NOCOLOR": "1"},
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def ran(self, name: str, *arguments: str) -> list[str]:
        """The operations that a playbook ran, in the order in which they ended."""
        ended = ENDED.findall(self.play(name, *arguments))
        return [f"{instance} {operation}" for instance, operation, how in ended if how != "skipped"]

    def page(self) -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/", timeout=10) as response:
            return str(response.read().decode())


@pytest.fixture
def guestbook(repository: Path, tmp_path: Path, collections: Path) -> Iterator[Guestbook]:
    guestbook = Guestbook(repository / "examples" / "guestbook", tmp_path / "guestbook", collections)
    yield guestbook
    for pid in guestbook.folder.glob("site/*/pid"):
        os.kill(int(pid.read_text()), signal.SIGKILL)


@pytest.mark.slow
def test_it_is_deployed_changed_repaired_and_taken_down(guestbook: Guestbook) -> None:
    ran = guestbook.ran("deploy")
    assert sorted(ran) == sorted(
        ["workspace create"]
        + [
            f"{name} {operation}"
            for name in ("database", "app", "proxy")
            for operation in ("create", "configure", "start")
        ]
    )
    assert ran.index("database start") < ran.index("app start") < ran.index("proxy start")
    assert "<title>Guestbook</title>" in guestbook.page()

    again = guestbook.play("deploy")
    assert not ENDED.findall(again)
    assert "changed=0" in again
    assert "changed=0" in guestbook.play("check"), "to look changes nothing"

    guestbook.edit("title: Guestbook #", "title: Our guests #")
    assert guestbook.ran("deploy") == ["app configure", "app stop", "app start"]
    assert "<title>Our guests</title>" in guestbook.page()
    assert "title: Our guests # change it" in guestbook.ensemble.read_text()

    os.kill(int((guestbook.folder / "site/app/pid").read_text()), signal.SIGKILL)
    assert re.search(r"~ app\n +~ status: ok -> error", guestbook.play("check"))
    assert "app start" in guestbook.ran("deploy")
    assert "<title>Our guests</title>" in guestbook.page()

    ran = guestbook.ran("undeploy")
    assert ran[0] == "proxy stop"
    assert ran[-1] == "workspace delete"
    assert not (guestbook.folder / "site").exists()
    with pytest.raises(urllib.error.URLError):
        guestbook.page()


@pytest.mark.slow
def test_a_dry_run_changes_nothing(guestbook: Guestbook) -> None:
    before = guestbook.ensemble.read_text()
    guestbook.play("deploy", "--check", "--diff")
    assert guestbook.ensemble.read_text() == before
    assert not (guestbook.folder / "site").exists()
