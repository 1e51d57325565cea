"""Servers on the loopback interface that states live on: Terraform's HTTP protocol, and git over HTTP."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

USER, PASSWORD = "robot", "canary-password"
_BASIC = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()


@dataclass
class StateServer:
    """A server of states by path, as Terraform's backends are; one that is `down` answers 503."""

    port: int = 0
    states: dict[str, bytes] = field(default_factory=dict)
    locks: dict[str, bytes] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    down: bool = False
    #: How many writes are still taken before it goes down; None is any number.
    writes: int | None = None
    #: A text that no state may have which is written; a server of which a part is out of order.
    refused: str = ""
    #: The method that it does as it is told, but does not answer.
    silent: str = ""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/state"

    def answer(self, method: str, path: str, body: bytes) -> tuple[int, bytes]:
        name, query = urlsplit(path).path, parse_qs(urlsplit(path).query)
        held = self.locks.get(name)
        if method == "POST" and self.writes is not None:
            self.down |= self.writes == 0
            self.writes -= 1
        if self.down or (method == "POST" and self.refused and self.refused.encode() in body):
            return 503, b""
        if method == "GET":
            return (200, self.states[name]) if name in self.states else (404, b"")
        if method == "LOCK":
            return (423, held) if held is not None else self._taken(name, body)
        same = held is not None and json.loads(held)["ID"] == (query.get("ID") or [""])[0]
        if method == "UNLOCK":
            return self._freed(name, held, body)
        if held is not None and not same:
            return 409, held
        self.states[name] = body
        return 200, b""

    def _taken(self, name: str, body: bytes) -> tuple[int, bytes]:
        self.locks[name] = body
        return 200, b""

    def _freed(self, name: str, held: bytes | None, body: bytes) -> tuple[int, bytes]:
        if held is None:
            return 404, b""
        if json.loads(held)["ID"] != json.loads(body)["ID"]:
            return 409, held
        del self.locks[name]
        return 200, b""


@contextmanager
def _serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def state_server() -> Iterator[StateServer]:
    state = StateServer()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            state.asked.append(self.command)
            known = self.headers.get("Authorization") in (_BASIC, f"Bearer {PASSWORD}")
            status, answer = state.answer(self.command, self.path, body) if known else (401, b"")
            if self.command == state.silent:
                self.close_connection = True
                return
            self.send_response(status)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        do_GET = do_POST = do_LOCK = do_UNLOCK = handle_any

    with _serving(Handler) as port:
        state.port = port
        yield state


@contextmanager
def git_server(root: Path) -> Iterator[str]:
    """The URL of a server of the repositories in a folder, by git's own program for HTTP."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def handle_any(self) -> None:
            if self.headers.get("Authorization") != _BASIC:
                self.send_response(401)
                self.send_header("WWW-Authenticate", 'Basic realm="git"')
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            parts = urlsplit(self.path)
            body = self._body()
            environment = {
                "PATH": os.environ["PATH"],
                "GIT_PROJECT_ROOT": str(root),
                "GIT_HTTP_EXPORT_ALL": "1",
                "PATH_INFO": parts.path,
                "QUERY_STRING": parts.query,
                "REQUEST_METHOD": self.command,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "CONTENT_LENGTH": str(len(body)),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
                "REMOTE_USER": USER,
                "REMOTE_ADDR": "127.0.0.1",
            }
            done = subprocess.run(["git", "http-backend"], input=body, env=environment, capture_output=True, check=True)
            head, _, answer = done.stdout.partition(b"\r\n\r\n")
            headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
            self.send_response(int(headers.pop("Status", "200").split()[0]))
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def _body(self) -> bytes:
            if self.headers.get("Transfer-Encoding") != "chunked":
                return self.rfile.read(int(self.headers.get("Content-Length") or 0))
            chunks = []
            while size := int(self.rfile.readline().strip(), 16):
                chunks.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(chunks)

        do_GET = do_POST = handle_any

    with _serving(Handler) as port:
        yield f"http://127.0.0.1:{port}"
