"""An API server and a Helm for tests that run where there are no real ones: they keep what they are given."""

from __future__ import annotations

import base64
import json
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

from tests.integration.kubernetes.cluster import TOKEN

_BUILT = Path(__file__).parents[3] / ".build" / "helm"
#: The real Helm, if there is one.
HELM = str(_BUILT) if _BUILT.is_file() else shutil.which("helm")
_WITHIN = re.compile(r"/api/v1/namespaces/([^/]+)/[^/]+/[^/]+")
_KINDS = {"Namespace": "namespaces", "Secret": "secrets", "ConfigMap": "configmaps"}


class _Server(BaseHTTPRequestHandler):
    """Keeps objects by their paths."""

    objects: dict[str, dict[str, Any]]

    def answer(self, status: int, body: Any) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def parse_request(self) -> bool:
        if not super().parse_request():
            return False
        if self.headers["Authorization"] == f"Bearer {TOKEN}":
            return True
        self.answer(401, {"reason": "Unauthorized"})
        return False

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if path == "/version":
            self.answer(200, {"gitVersion": "v1.0.0"})
        elif path == "/api/v1":
            found = [{"kind": kind, "name": name, "namespaced": kind != "Namespace"} for kind, name in _KINDS.items()]
            self.answer(200, {"resources": found})
        elif path == "/api/v1/namespaces":
            self.answer(200, {"items": []})
        else:
            self.answer(*((200, self.objects[path]) if path in self.objects else (404, {"reason": "NotFound"})))

    def do_PATCH(self) -> None:
        given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        url = urlsplit(self.path)
        merged = _merged(self.objects.get(url.path, {"metadata": {"uid": url.path}}), given)
        within = _WITHIN.fullmatch(url.path)
        if within:
            merged["metadata"]["namespace"] = within[1]
        texts = merged.pop("stringData", {})
        if texts:
            encoded = {name: base64.b64encode(text.encode()).decode() for name, text in texts.items()}
            merged["data"] = {**merged.get("data", {}), **encoded}
        if "dryRun" not in url.query:
            self.objects[url.path] = merged
        self.answer(200, merged)

    def do_DELETE(self) -> None:
        self.answer(200 if self.objects.pop(urlsplit(self.path).path, None) else 404, {})

    def log_message(self, *_: Any) -> None:
        pass


def _merged(one: Any, other: Any) -> Any:
    if isinstance(one, dict) and isinstance(other, dict):
        return {name: _merged(one.get(name), other[name]) if name in other else one[name] for name in {**one, **other}}
    return other


@contextmanager
def api_server() -> Iterator[str]:
    """The address of an API server that knows namespaces, secrets and configuration maps."""
    with ThreadingHTTPServer(("127.0.0.1", 0), type("OfTest", (_Server,), {"objects": {}})) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


def write_helm(folder: Path) -> None:
    """Write a program helm into a folder; it keeps its releases there."""
    program = folder / "helm"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {Path(__file__).with_name("stand_in_helm.py")} "$@"\n')
    program.chmod(0o755)
