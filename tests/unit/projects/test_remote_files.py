"""Imports over https: consent, the cache, digests, and a server that is away; against a server on the loopback."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.tls import tls_context
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_specification
from ansible_ensemble.jobs.validate import validate_path
from ansible_ensemble.projects.pins import pins
from ansible_ensemble.projects.remote_files import RemoteFiles, allowed_urls
from ansible_ensemble.projects.trust import trust
from ansible_ensemble.provision.server.certificate import own_certificate

VERSION = "tosca_definitions_version: tosca_simple_yaml_1_3\n"
TYPES = VERSION + "node_types: {T: {interfaces: {Standard: {create: echo hi}}}}\n"


class Server:
    """Serves texts by path; what has none is a redirection if it names another place, else not there."""

    def __init__(self, cert: Path, key: Path) -> None:
        self.files: dict[str, str] = {}
        self.asked: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append(self.path)
                text = outer.files.get(self.path)
                moved = text is not None and text.startswith("->")
                self.send_response(404 if text is None else 302 if moved else 200)
                body = b"" if text is None or moved else text.encode()
                if moved:
                    self.send_header("Location", str(text)[2:])
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.socket = tls_context(cert, key).wrap_socket(self.http.socket, server_side=True)
        self.url = f"https://127.0.0.1:{self.http.server_address[1]}/"
        self.thread = threading.Thread(target=self.http.serve_forever, daemon=True)
        self.thread.start()

    def stop(self) -> None:
        self.http.shutdown()
        self.http.server_close()
        self.thread.join()


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nothing_trusted: Path) -> Iterator[Server]:
    cert, key = own_certificate(tmp_path / "certificate", "127.0.0.1")
    monkeypatch.setenv("SSL_CERT_FILE", str(cert))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    made = Server(cert, key)
    yield made
    made.stop()


@pytest.fixture
def ensemble(tmp_path: Path, server: Server) -> Path:
    """An ensemble in a project that is trusted, and whose environments allow the server's files."""
    server.files |= {"/types/a.yaml": VERSION + "imports: [b.yaml]\n", "/types/b.yaml": TYPES}
    folder = tmp_path / "project"
    folder.mkdir()
    allowed = f"environments: {{defaults: {{import_from: ['{server.url}types/']}}}}\n"
    (folder / "ensemble-project.yaml").write_text(allowed)
    template = (
        f"{VERSION}imports: ['{server.url}types/a.yaml']\ntopology_template: {{node_templates: {{t: {{type: T}}}}}}\n"
    )
    (folder / "service.yaml").write_text(template)
    trust(folder)
    return folder / "service.yaml"


def digests(ensemble: Path) -> dict[str, str]:
    return read_specification(locate(ensemble), JobOptions()).topology.fetched


def pin(ensemble: Path, url: str, digest: str) -> None:
    lock = f"lock: {{imports: [{{url: '{url}', sha256: '{digest}'}}]}}\n"
    text = f"apiVersion: tosca-ensemble/v1\nkind: Ensemble\nspec: {{service_template: service.yaml}}\n{lock}"
    ensemble.with_name("ensemble.yaml").write_text(text)


def messages(ensemble: Path) -> list[str]:
    return [error["text"] for error in validate_path(str(ensemble), JobOptions())["errors"]]


def test_what_is_allowed_is_read_with_what_it_imports(server: Server, ensemble: Path) -> None:
    assert messages(ensemble) == []
    assert list(digests(ensemble)) == [f"{server.url}types/a.yaml", f"{server.url}types/b.yaml"]
    assert [file.name for file in read_specification(locate(ensemble), JobOptions()).topology.files] == ["service.yaml"]


def test_one_reading_fetches_a_file_once(server: Server, ensemble: Path) -> None:
    server.files["/types/a.yaml"] = VERSION + "imports: [b.yaml, c.yaml]\n"
    server.files["/types/c.yaml"] = VERSION + "imports: [b.yaml]\n"
    assert len(digests(ensemble)) == 3
    assert sorted(server.asked) == ["/types/a.yaml", "/types/b.yaml", "/types/c.yaml"]


def test_nothing_is_fetched_without_consent(server: Server, ensemble: Path) -> None:
    ensemble.with_name("ensemble-project.yaml").write_text("environments: {}\n")
    (message,) = messages(ensemble)
    assert "service.yaml:2:" in message
    assert f"imports are not fetched from the network: {server.url}types/a.yaml" in message
    assert "`import_from` of an environment" in message
    assert server.asked == []


def test_a_stranger_allows_nothing(server: Server, ensemble: Path, tmp_path: Path) -> None:
    stranger = tmp_path / "stranger"
    ensemble.parent.rename(stranger)
    (message,) = messages(stranger / "service.yaml")
    assert "imports are not fetched from the network" in message
    assert server.asked == []


def test_the_users_own_project_allows_for_all(
    server: Server, ensemble: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, stranger = tmp_path / "home", tmp_path / "stranger"
    home.mkdir()
    ensemble.parent.rename(stranger)
    (stranger / "ensemble-project.yaml").rename(home / "ensemble-project.yaml")
    monkeypatch.setenv("ANSIBLE_ENSEMBLE_HOME", str(home))
    assert messages(stranger / "service.yaml") == []
    assert server.asked == ["/types/a.yaml", "/types/b.yaml"]


def test_what_is_pinned_is_taken_from_the_cache(server: Server, ensemble: Path) -> None:
    server.files["/types/a.yaml"] = TYPES
    ((url, digest),) = digests(ensemble).items()
    pin(ensemble, url, digest)
    server.files["/types/a.yaml"] = VERSION
    server.asked.clear()
    assert messages(ensemble.parent) == []
    assert server.asked == []


def test_what_is_pinned_and_lost_is_fetched_and_has_to_be_the_same(
    server: Server, ensemble: Path, tmp_path: Path
) -> None:
    server.files["/types/a.yaml"] = TYPES
    ((url, digest),) = digests(ensemble).items()
    pin(ensemble, url, digest)
    (file,) = (file for file in (tmp_path / "cache").rglob("*") if file.is_file())
    file.write_text("cut")
    assert messages(ensemble.parent) == []
    file.write_text("cut")
    changed = server.files["/types/a.yaml"] = TYPES + "# another\n"
    (message,) = messages(ensemble.parent)
    assert (
        f"is not the one that is pinned: its digest is {sha256(changed.encode()).hexdigest()}, not {digest}" in message
    )
    assert "remove its entry" in message


def test_a_server_that_is_away(server: Server, ensemble: Path) -> None:
    url = f"{server.url}types/a.yaml"
    known = digests(ensemble)
    server.files.clear()
    assert digests(ensemble) == known
    found = validate_path(str(ensemble), JobOptions())
    assert found["errors"] == []
    assert f"{url} cannot be fetched: 404 Not Found; what was fetched earlier counts" in found["warnings"][0]
    pin(ensemble, url, "0" * 64)
    (message,) = messages(ensemble.parent)
    assert f"{url} cannot be fetched: 404 Not Found" in message


def test_an_error_in_a_fetched_file_names_its_url(server: Server, ensemble: Path) -> None:
    server.files["/types/b.yaml"] = VERSION + "node_types: {T: {derived_from: U}}\n"
    (message,) = messages(ensemble)
    assert message.startswith(f"{server.url}types/b.yaml:2:32: unknown node type 'U'")


def test_a_token_in_a_query_is_neither_told_nor_recorded(server: Server, ensemble: Path) -> None:
    ensemble.write_text(ensemble.read_text().replace("a.yaml", "a.yaml?token=geheim"))
    (message,) = messages(ensemble)
    assert f"{server.url}types/a.yaml?... cannot be fetched: 404" in message
    server.files["/types/a.yaml?token=geheim"] = VERSION + "node_types: {T: {derived_from: U}}\n"
    (message,) = messages(ensemble)
    assert message.startswith(f"{server.url}types/a.yaml?...:2:32: unknown node type 'U'")
    server.files["/types/a.yaml?token=geheim"] = TYPES
    ((entry),) = pins({}, digests(ensemble))["imports"]
    assert "geheim" not in entry["url"]
    pin(ensemble, entry["url"], entry["sha256"])
    server.asked.clear()
    assert messages(ensemble.parent) == []
    assert server.asked == [], "it is what is pinned"


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        ("/types/../b.yaml", None, "imports are not fetched from the network"),
        ("/typesandmore/a.yaml", None, "imports are not fetched from the network"),
        ("/types/none.yaml", None, "404 Not Found"),
        ("/types/moved.yaml", "->https://127.0.0.1:1/elsewhere.yaml", "which is not allowed"),
        ("/types/moved.yaml", "->http://127.0.0.1:1/types/a.yaml", "which is not allowed"),
    ],
)
def test_what_cannot_be_fetched(server: Server, path: str, text: str | None, message: str, tmp_path: Path) -> None:
    if text is not None:
        server.files[path] = text
    files = RemoteFiles([f"{server.url}types"], {})
    with pytest.raises(InvalidInput, match=message):
        files.fetch(server.url.rstrip("/") + path)
    assert list((tmp_path / "cache").rglob("*.yaml")) == []


def test_an_unknown_certificate(server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    other, _ = own_certificate(tmp_path / "other", "127.0.0.1")
    monkeypatch.setenv("SSL_CERT_FILE", str(other))
    with pytest.raises(InvalidInput, match="certificate verify failed"):
        RemoteFiles([server.url], {}).fetch(server.url + "a.yaml")


@pytest.mark.parametrize(
    "written", ["https://a.b/", ["http://a.b/"], ["https://"], ["https://me:secret@a.b/"], [1], ["https://a.b/../c"]]
)
def test_what_is_no_list_of_urls(written: object) -> None:
    with pytest.raises(InvalidInput, match="must be a list of URLs that begin with https://"):
        allowed_urls({"import_from": written})


def test_a_name_that_begins_as_an_allowed_one() -> None:
    files = RemoteFiles(["https://example.com"], {})
    assert [files.allows(url) for url in ("https://example.com/a", "https://example.com.org/a")] == [True, False]
    assert not files.allows("https://example.com@other.org/a")
