"""What the process of an installer does: all of it or nothing."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from ansible_ensemble.configurators.install_main import main

TEXT = b"#!/bin/sh\necho hello\n"


@pytest.fixture
def order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    (tmp_path / "hello").write_bytes(TEXT)

    def give(operation: str = "install", **given: Any) -> dict[str, Any]:
        wanted = {"kind": "program", "folder": str(tmp_path / "made"), "base": str(tmp_path), "program": "hello"}
        file = given.setdefault("file", "hello")
        path = tmp_path / str(file).removeprefix("file://")
        if path.is_file():
            given.setdefault("checksum", f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}")
        wanted |= {"operation": operation, "look": operation == "check", **given}
        monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(wanted)))
        main()
        report: dict[str, Any] = json.loads(capsys.readouterr().out)
        return report

    return give


def test_a_program_is_installed_once(order: Any, tmp_path: Path) -> None:
    assert order("check") == {"status": "absent", "changed": False}
    assert order(look=True) == {"status": "absent", "changed": True}
    assert not (tmp_path / "made").exists()
    assert order() == {"status": "ok", "changed": True}
    assert (tmp_path / "made" / "bin" / "hello").stat().st_mode & 0o777 == 0o755
    assert order() == {"status": "ok", "changed": False}
    assert order("check", file=f"file://{tmp_path}/hello") == {"status": "ok", "changed": False}
    assert order("delete", look=True) == {"status": "absent", "changed": True}
    assert order("delete") == {"status": "absent", "changed": True}
    assert not (tmp_path / "made").exists()
    assert order("delete") == {"status": "absent", "changed": False}


def test_what_was_changed_by_hand_is_not_there(order: Any, tmp_path: Path) -> None:
    order()
    (tmp_path / "made" / "bin" / "hello").write_bytes(b"other")
    assert order("check")["status"] == "absent"
    assert order() == {"status": "ok", "changed": True}
    assert (tmp_path / "made" / "bin" / "hello").read_bytes() == TEXT


def collection(folder: Path, name: str = "tools") -> Path:
    """The archive of a collection `acme.tools`."""
    content = {
        "README.md": b"",
        "galaxy.yml": f"namespace: acme\nname: {name}\nversion: 1.0.0\nreadme: README.md\nauthors: [us]\n".encode(),
        "plugins/modules/hello.py": b"HELLO = 1\n",
    }
    for file, data in content.items():
        (folder / name / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / name / file).write_bytes(data)
    built = ["-m", "ansible.cli.galaxy", "collection", "build", "--output-path", str(folder), str(folder / name)]
    subprocess.run([sys.executable, *built], check=True, capture_output=True)
    return folder / f"acme-{name}-1.0.0.tar.gz"


def test_a_collection_is_installed_into_the_project(order: Any, tmp_path: Path) -> None:
    given = {"kind": "collection", "name": "acme.tools", "root": str(tmp_path), "program": None}
    given["file"] = collection(tmp_path).name
    home = tmp_path / "collections" / "ansible_collections" / "acme" / "tools"
    assert order(**given) == {"status": "ok", "changed": True}
    assert (home / ".gitignore").read_text() == "*\n"
    assert order(**given) == {"status": "ok", "changed": False}
    (home / "plugins/modules/hello.py").write_text("HELLO = 2\n")
    assert order("check", **given)["status"] == "absent"
    assert order(**given) == {"status": "ok", "changed": True}
    assert (home / "plugins/modules/hello.py").read_text() == "HELLO = 1\n"
    assert order("delete", **given) == {"status": "absent", "changed": True}
    assert not home.parent.exists() and not (tmp_path / "made").exists()


def test_a_collection_that_somebody_put_there_stays(order: Any, tmp_path: Path) -> None:
    home = tmp_path / "collections" / "ansible_collections" / "acme" / "tools"
    home.mkdir(parents=True)
    given = {"kind": "collection", "name": "acme.tools", "root": str(tmp_path), "version": "1.0.0", "file": None}
    assert "is there already, and no job has installed it" in order(**given)["error"]
    order("delete", **given)
    assert home.is_dir()


def test_another_collection_is_refused(order: Any, tmp_path: Path) -> None:
    given = {"kind": "collection", "name": "acme.tools", "root": str(tmp_path)}
    assert "is not the collection acme.tools" in order(file=collection(tmp_path, "others").name, **given)["error"]
    assert not (tmp_path / "collections").exists()


class _Login(SimpleHTTPRequestHandler):
    """Serves one file to those who log in, and notes who asked for what."""

    asked: ClassVar[list[tuple[str, str | None]]] = []

    def do_GET(self) -> None:
        self.asked.append((self.path, self.headers["Authorization"]))
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", f"http://localhost:{self.server.server_port}/hello")  # type: ignore[attr-defined]
            self.end_headers()
            return
        self.send_response(200 if self.path == "/hello" else 401)
        self.end_headers()
        self.wfile.write(TEXT)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    _Login.asked.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), _Login) as made:
        made.daemon_threads = True
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield made
        made.shutdown()
        thread.join()


@pytest.mark.parametrize("login", ["", "us:w%20rd@"])
def test_a_server_alone_gets_the_login(order: Any, server: ThreadingHTTPServer, login: str) -> None:
    sha256 = f"sha256:{hashlib.sha256(TEXT).hexdigest()}"
    given = {"username": "us", "password": "w rd"} if not login else {}
    url = f"http://{login}127.0.0.1:{server.server_port}/moved"
    assert order(file=url, checksum=sha256, **given) == {"status": "ok", "changed": True}
    assert _Login.asked == [("/moved", "Basic dXM6dyByZA=="), ("/hello", None)]


def archive(file: Path, names: list[str]) -> Path:
    if file.suffix == ".zip":
        with zipfile.ZipFile(file, "w") as opened:
            for name in names:
                opened.writestr(name, TEXT)
        return file
    with tarfile.open(file, "w:gz") as tar:
        for name in names:
            member = tarfile.TarInfo(name)
            member.size = len(TEXT)
            tar.addfile(member, io.BytesIO(TEXT))
    return file


@pytest.mark.parametrize("name", ["one.zip", "one.tar.gz"])
def test_a_member_of_an_archive(order: Any, tmp_path: Path, name: str) -> None:
    archive(tmp_path / name, ["a/hello", "../../away"])
    assert order(file=name, member="a/hello")["status"] == "ok"
    assert (tmp_path / "made" / "bin" / "hello").read_bytes() == TEXT
    error = order(file=name, member="b")["error"]
    assert error == f"{name} has no file b: there are a/hello, ../../away"
    assert order("check", file=name, member="a/hello")["status"] == "ok", "what was there is kept"


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"checksum": "sha256:" + "0" * 64}, "hello has the checksum sha256:"),
        ({"file": "nowhere", "checksum": "sha256:0"}, "nowhere cannot be fetched: [Errno 2]"),
        ({"file": "ftp://host/a", "checksum": "sha256:0"}, "ftp://host/a cannot be fetched: name a path, or a URL"),
        ({"file": "http://u:s3cret@127.0.0.1:1/a", "checksum": "sha256:0"}, "http://"),
        ({"member": "a"}, "file could not be opened successfully"),
    ],
)
def test_what_fails_puts_nothing_in_place(order: Any, tmp_path: Path, given: dict[str, str], error: str) -> None:
    report = order(**given)
    assert report["error"].startswith(error)
    assert "s3cret" not in report["error"]
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("name", ["mine", ".gitignore"])
def test_a_folder_with_other_files_is_left_alone(order: Any, tmp_path: Path, name: str) -> None:
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / name).touch()
    assert order()["error"].startswith(f"the folder {tmp_path}/made has other files")
    assert order("delete") == {"status": "absent", "changed": False}
    assert [file.name for file in (tmp_path / "made").iterdir()] == [name]


def test_a_program_that_is_a_path_is_refused(order: Any, tmp_path: Path) -> None:
    assert order(program="../../elsewhere")["error"] == "the program '../../elsewhere' is no name"
    assert not (tmp_path / "elsewhere").exists()
