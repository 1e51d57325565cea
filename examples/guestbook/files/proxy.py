#!/usr/bin/env python3
"""A small reverse proxy: it passes every request on to one backend. Called with its settings file."""

from __future__ import annotations

import http.client
import json
import sys
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

PATIENCE = 10  # seconds that the backend may take
LONGEST = 1_000_000  # bytes of a request's body

#: headers that are about one connection, not about what goes through it [RFC 9110, 7.6.1], and those set here
OWN_HEADERS = {"connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "host", "date", "server"}


class Proxy(ThreadingHTTPServer):
    """The server, with where it passes requests on to."""

    daemon_threads = True

    def __init__(self, port: int, backend: str) -> None:
        super().__init__(("127.0.0.1", port), Request)
        self.backend = urlsplit(backend).netloc


class Request(BaseHTTPRequestHandler):
    """One request of a visitor."""

    server: Proxy

    def forward(self) -> None:
        """Ask the backend, and answer what it answers."""
        length = self.headers.get("Content-Length", "0")
        if not length.isdigit() or int(length) > LONGEST:
            self.send_error(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
            return
        body = self.rfile.read(int(length))
        headers = {name: value for name, value in self.headers.items() if name.lower() not in OWN_HEADERS}
        connection = http.client.HTTPConnection(self.server.backend, timeout=PATIENCE)
        try:
            connection.request(self.command, self.path, body or None, headers)
            response = connection.getresponse()
            content = response.read()
        except (OSError, http.client.HTTPException) as error:
            self.send_error(HTTPStatus.BAD_GATEWAY, explain=f"{self.server.backend} does not answer: {error}")
            return
        finally:
            connection.close()
        self.send_response(response.status, response.reason)
        for name, value in response.getheaders():
            if name.lower() not in OWN_HEADERS:
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_HEAD = forward


if __name__ == "__main__":
    Proxy(**json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))).serve_forever()
