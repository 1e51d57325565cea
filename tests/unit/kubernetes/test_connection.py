from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.kubernetes.access import Access
from ansible_ensemble.kubernetes.connection import Connections, RequestRefused


class Handler(BaseHTTPRequestHandler):
    """Answers what the path says, and how often it was connected to."""

    protocol_version = "HTTP/1.1"
    connections = 0
    busy = 1

    def setup(self) -> None:
        super().setup()
        type(self).connections += 1

    def answer(self, status: int, body: Any, **headers: str) -> None:
        content = json.dumps(body).encode() if not isinstance(body, bytes) else body
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def do_GET(self) -> None:
        if self.headers["Authorization"] == "Bearer expired":
            self.answer(401, {"message": "Unauthorized", "reason": "Unauthorized"})
        elif self.path == "/busy" and self.busy:
            type(self).busy -= 1
            self.answer(429, {}, Retry_After="0")
        elif self.path == "/hangup":
            self.answer(200, {"token": self.headers["Authorization"]})
            self.close_connection = True
        elif self.path == "/forbidden":
            self.answer(403, {"message": "pods is forbidden", "reason": "Forbidden"})
        elif self.path == "/page":
            self.answer(500, b"<html>broken</html>")
        else:
            self.answer(200, {"path": self.path, "connections": self.connections})

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def access() -> Iterator[Access]:
    handler = type("OfTest", (Handler,), {})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        serving = Thread(target=server.serve_forever)
        serving.start()
        yield Access(f"http://127.0.0.1:{server.server_port}", "the test", token="t")
        server.shutdown()
        serving.join()


def connections(access: Access, renewed: Access | None = None) -> Connections:
    return Connections(access, lambda: renewed or access)


def test_a_connection_is_used_again(access: Access) -> None:
    to = connections(access)
    assert [to.request("GET", "/a", {"b": "c d"}) for _ in range(2)] == [{"path": "/a?b=c+d", "connections": 1}] * 2


def test_one_that_the_server_closed_is_made_anew(access: Access) -> None:
    to = connections(access)
    assert to.request("GET", "/hangup") == {"token": "Bearer t"}
    assert to.request("GET", "/a")["connections"] == 2


def test_a_busy_server_is_asked_again(access: Access) -> None:
    assert connections(access).request("GET", "/busy")["path"] == "/busy"


def test_credentials_that_expired_are_found_anew(access: Access) -> None:
    expired = replace(access, token="expired")
    assert connections(expired, access).request("GET", "/a")["path"] == "/a"
    with pytest.raises(RequestRefused, match="refuses the credentials of the test"):
        connections(expired).request("GET", "/a")


@pytest.mark.parametrize(
    ("path", "code", "message"), [("/forbidden", 403, "forbids it: pods is forbidden"), ("/page", 500, "<html>broken")]
)
def test_a_refusal_is_told(access: Access, path: str, code: int, message: str) -> None:
    with pytest.raises(RequestRefused, match=message) as caught:
        connections(access).request("GET", path)
    assert caught.value.code == code


def test_a_server_that_is_not_there_is_told() -> None:
    access = Access("http://127.0.0.1:1", "the test")
    with pytest.raises(EnsembleError, match=r"http://127.0.0.1:1 \(the test\) cannot be reached: Connection refused"):
        connections(access).request("GET", "/")


def test_what_is_no_certificate_is_told() -> None:
    access = Access("https://127.0.0.1:1", "the test", authority="none")
    with pytest.raises(EnsembleError, match="a certificate or key of the test cannot be used"):
        connections(access)
