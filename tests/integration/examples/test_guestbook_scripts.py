"""The scripts of the guestbook, by hand: what a job runs, without a job."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest


class Site:
    """A guestbook put together by hand in a folder."""

    def __init__(self, example: Path, folder: Path) -> None:
        self.example = example
        self.database = folder / "guestbook.db"
        self.app, self.proxy = folder / "app", folder / "proxy"
        self.ports = {self.app: free_port(), self.proxy: free_port()}

    def run(self, script: str, operation: str, **inputs: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, self.example / "files" / script, operation],
            env={**os.environ, **{name: str(value) for name, value in inputs.items()}},
            capture_output=True,
            text=True,
            check=False,
        )

    def store(self, operation: str) -> subprocess.CompletedProcess[str]:
        return self.run("database.py", operation, database=self.database, schema=self.example / "files" / "schema.sql")

    def service(self, operation: str, folder: Path) -> subprocess.CompletedProcess[str]:
        return self.run("service.py", operation, folder=folder, port=self.ports[folder])

    def status(self, folder: Path) -> str:
        return str(json.loads(self.service("check", folder).stdout)["status"])

    def install(self) -> None:
        app = {"title": "Our <guests>", "port": self.ports[self.app], "database": str(self.database)}
        proxy = {"port": self.ports[self.proxy], "backend": f"http://127.0.0.1:{self.ports[self.app]}/"}
        for folder, program, settings in ((self.app, "app.py", app), (self.proxy, "proxy.py", proxy)):
            folder.mkdir()
            shutil.copy(self.example / "files" / program, folder / "service.py")
            (folder / "settings.json").write_text(json.dumps(settings))
        for operation in ("create", "migrate", "open"):
            assert self.store(operation).returncode == 0

    def get(self, path: str = "") -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.ports[self.proxy]}/{path}", timeout=10) as response:
            return str(response.read().decode())

    def post(self, **form: str) -> str:
        data = urllib.parse.urlencode(form).encode()
        with urllib.request.urlopen(f"http://127.0.0.1:{self.ports[self.proxy]}/", data, timeout=10) as response:
            return str(response.read().decode())


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@pytest.fixture
def site(tmp_path: Path, repository: Path) -> Iterator[Site]:
    site = Site(repository / "examples" / "guestbook", tmp_path)
    yield site
    for folder in (site.proxy, site.app):
        site.service("stop", folder)


def test_the_database_is_made_migrated_and_checked(site: Site) -> None:
    assert json.loads(site.store("check").stdout) == {"status": "absent"}
    for operation in ("create", "migrate", "migrate", "open", "close"):
        assert site.store(operation).returncode == 0, operation
    assert json.loads(site.store("check").stdout) == {"status": "ok"}
    site.database.write_text("this is not a database, and long enough to be read as one" * 20)
    broken = site.store("check")
    assert broken.returncode != 0
    assert "file is not a database" in broken.stderr


def test_visitors_read_and_sign_through_the_proxy(site: Site) -> None:
    site.install()
    for folder in (site.app, site.proxy):
        assert json.loads(site.service("start", folder).stdout) == {"url": f"http://127.0.0.1:{site.ports[folder]}/"}
    assert "<title>Our &lt;guests&gt;</title>" in site.get()
    assert "<b>Ann</b>: &lt;hello&gt;" in site.post(name="Ann", message="<hello>")
    for refused, action in (
        (400, lambda: site.post(name="Ann")),
        (404, lambda: site.get("nowhere")),
        (413, lambda: site.post(name="Ann", message="x" * 20_000)),
    ):
        with pytest.raises(urllib.error.HTTPError) as error:
            action()
        assert error.value.code == refused


def test_a_killed_service_is_seen_and_started_again(site: Site) -> None:
    site.install()
    assert site.service("start", site.app).returncode == site.service("start", site.proxy).returncode == 0
    assert (site.status(site.app), site.status(site.proxy)) == ("ok", "ok")
    os.kill(int((site.app / "pid").read_text()), signal.SIGKILL)
    assert (site.status(site.app), site.status(site.proxy)) == ("error", "error")
    assert site.service("start", site.app).returncode == 0
    assert (site.status(site.app), site.status(site.proxy)) == ("ok", "ok")


def test_starting_and_stopping_twice_is_once(site: Site) -> None:
    site.install()
    assert site.service("start", site.app).returncode == 0
    process = (site.app / "pid").read_text()
    assert site.service("start", site.app).returncode == 0
    assert (site.app / "pid").read_text() == process
    for _time in range(2):
        assert site.service("stop", site.app).returncode == 0
        assert not (site.app / "pid").exists()
    assert site.status(site.app) == "error"


def test_a_start_that_fails_says_why(site: Site) -> None:
    site.install()
    with socket.socket() as other:
        other.bind(("127.0.0.1", site.ports[site.app]))
        other.listen()
        taken = site.service("start", site.app)
        assert taken.returncode != 0
        assert "is taken by another program" in taken.stderr
    (site.app / "settings.json").write_text("{}")
    ended = site.service("start", site.app)
    assert ended.returncode != 0
    assert "it ended at once: TypeError" in ended.stderr
    assert not (site.app / "pid").exists()


def test_a_service_that_is_not_installed_is_absent(site: Site) -> None:
    assert site.status(site.app) == "absent"
