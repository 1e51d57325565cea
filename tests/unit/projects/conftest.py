"""A stand-in for an LFS server's locking API that, other than the ones at hand, tells owners apart."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlparse

import pytest


@dataclass
class LfsServer:
    """A running server; `url` gives the address as a user. One that `keeps` frees no lock."""

    port: int = 0
    locks: dict[str, dict[str, Any]] = field(default_factory=dict)
    keeps: bool = False
    last: int = 0

    def url(self, user: str) -> str:
        return f"http://{user}:canary-password@127.0.0.1:{self.port}/lfs"

    def lock(self, path: str, owner: str) -> dict[str, Any]:
        self.last += 1
        made = {
            "id": str(self.last),
            "path": path,
            "locked_at": "2026-01-02T03:04:05Z",
            "owner": {"name": owner},
        }
        self.locks[made["id"]] = made
        return made


def _handler(server: LfsServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def answer(self, status: int, body: dict[str, Any]) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            if status == 401:
                self.send_header("WWW-Authenticate", 'Basic realm="x"')
            self.send_header("Content-Type", "application/vnd.git-lfs+json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def user(self) -> str | None:
            kind, _, value = self.headers.get("Authorization", "").partition(" ")
            return base64.b64decode(value).decode().partition(":")[0] if kind == "Basic" else None

        def do_GET(self) -> None:
            if self.user() is None:
                return self.answer(401, {"message": "who is it?"})
            path = parse_qs(urlparse(self.path).query).get("path")
            found = [lock for lock in server.locks.values() if not path or lock["path"] == path[0]]
            return self.answer(200, {"locks": found})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
            user = self.user()
            if user is None:
                return self.answer(401, {"message": "who is it?"})
            route = urlparse(self.path).path.removeprefix("/lfs/locks").strip("/")
            if route == "":
                for lock in server.locks.values():
                    if lock["path"] == body["path"]:
                        return self.answer(409, {"lock": lock, "message": "already created lock"})
                return self.answer(201, {"lock": server.lock(body["path"], user)})
            if route == "verify":
                mine = [lock for lock in server.locks.values() if lock["owner"]["name"] == user]
                theirs = [lock for lock in server.locks.values() if lock["owner"]["name"] != user]
                return self.answer(200, {"ours": mine, "theirs": theirs})
            if server.keeps:
                return self.answer(403, {"message": "not today"})
            lock = server.locks.get(route.removesuffix("/unlock"))
            if lock is None:
                return self.answer(404, {"message": "not found"})
            if lock["owner"]["name"] != user and not body.get("force"):
                return self.answer(403, {"message": "not yours"})
            del server.locks[lock["id"]]
            return self.answer(200, {"lock": lock})

    return Handler


@pytest.fixture
def lfs_server() -> Iterator[LfsServer]:
    state = LfsServer()
    with ThreadingHTTPServer(("127.0.0.1", 0), _handler(state)) as server:
        state.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield state
        server.shutdown()
        thread.join()
