from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from msgspec.structs import replace

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.kubernetes.access import Access
from ansible_ensemble.kubernetes.connection import Connections, RequestRefused


class Handler(BaseHTTPRequestHandler):
    """Answers what the path says, and how often it was connected to."""

    protocol_version = "HTTP/1.1"
    connections = 0
    busy = 1
    asked = ""

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
        elif self.path == "/overloaded" and self.busy:
            type(self).busy -= 1
            self.answer(503, {}, Retry_After="86400")
        elif self.path == "/hangup":
            self.answer(200, {"token": self.headers["Authorization"]})
            self.close_connection = True
        elif self.path == "/forbidden":
            self.answer(403, {"message": "pods is forbidden", "reason": "Forbidden"})
        elif self.path == "/page":
            self.answer(500, b"<html>broken</html>")
        else:
            self.answer(200, {"path": self.path, "connections": self.connections})

    def do_CONNECT(self) -> None:
        type(self).asked = f"{self.path} {self.headers['Proxy-Authorization']}"
        self.answer(407, {})

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


def test_a_server_cannot_have_a_job_wait_for_a_day(access: Access, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr("ansible_ensemble.kubernetes.connection.time.sleep", waited.append)
    assert connections(access).request("GET", "/overloaded")["path"] == "/overloaded"
    assert waited == [30]


def test_several_threads_find_credentials_anew_once(access: Access) -> None:
    renewed: list[Access] = []

    def renew() -> Access:
        renewed.append(access)
        return access

    to = Connections(replace(access, token="expired"), renew)
    with ThreadPoolExecutor(8) as pool:
        assert {one["path"] for one in pool.map(lambda _number: to.request("GET", "/a"), range(16))} == {"/a"}
    assert len(renewed) == 1


def test_a_proxy_gets_its_user_and_password() -> None:
    handler = type("Proxy", (Handler,), {})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        Thread(target=server.serve_forever, daemon=True).start()
        proxy = f"http://us%40er:p%3Aw@127.0.0.1:{server.server_port}"
        with pytest.raises(EnsembleError, match="407"):
            connections(Access("http://api.test:80", "the test", proxy=proxy)).request("GET", "/a")
        server.shutdown()
    assert handler.asked == "api.test:80 Basic " + b64encode(b"us@er:p:w").decode()
