"""The server of machines as users start it: a process, found on a loopback port over TLS."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import ssl
import subprocess
import sys
import urllib.error
import urllib.request
from base64 import b64encode
from pathlib import Path
from typing import Any

#: No test waits longer for what has to come.
PATIENCE = 90


COMMAND = "from ansible_ensemble.cli.main import main; raise SystemExit(main())"


class Served:
    """A server process.

    Args:
        folder: where it keeps what is its own; another one may go on there.
        options: of the command.
        before: what runs before the command in its process, as a line of Python.
    """

    def __init__(self, folder: Path, *options: str, before: str = "", **said: Any) -> None:
        self.folder = folder
        self.data = folder / "data"
        words = ["provision", "serve", "--host", "127.0.0.1", "--data", str(self.data), *options]
        variables = {**os.environ, "ANSIBLE_ENSEMBLE_PROVISION_PORT": "0"}
        self.errors = (folder / "errors").open("ab")
        self.process = subprocess.Popen(
            [sys.executable, "-c", f"{before}\n{COMMAND}", *words],
            env=variables, stdout=subprocess.PIPE, stderr=self.errors, text=True, **said,
        )  # fmt: skip
        self.said: list[str] = []
        self.password = "r0cketsk8ts"
        self.base = self._ready()

    def _ready(self) -> str:
        """Read what the server says until it is ready; its address."""
        assert self.process.stdout
        for line in self.process.stdout:
            self.said.append(line.rstrip())
            if line.startswith("The password of"):
                self.password = line.split()[-1]
            if line.startswith("Ready at "):
                return line.split()[-1]
        raise AssertionError(f"the server did not start: {(self.folder / 'errors').read_text()}")

    def context(self) -> ssl.SSLContext:
        """Trusts the server's own certificate and no other."""
        return ssl.create_default_context(cafile=str(self.data / "tls" / "server.crt"))

    def __call__(self, method: str, path: str, body: Any = None, token: str = "") -> Any:
        """The JSON of an answer, after a status that is no error."""
        secret = b64encode(f"rocketskates:{self.password}".encode()).decode()
        headers = {"Authorization": f"Bearer {token}" if token else f"Basic {secret}"}
        data = None if body is None else json.dumps(body).encode()
        if data is not None:
            headers["Content-Type"] = "application/json"
        request = urllib.request.Request(f"{self.base}/api/v3{path}", data, headers, method=method)
        opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=self.context())
        )
        with opener.open(request, timeout=PATIENCE) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def status(self, method: str, path: str, body: Any = None, token: str = "") -> int:
        """The status of a refusal, 0 if there was none."""
        try:
            self(method, path, body, token)
        except urllib.error.HTTPError as error:
            return error.code
        return 0

    def stop(self, number: int = signal.SIGTERM) -> int:
        """End the process; its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(PATIENCE)
        assert self.process.stdout
        self.process.stdout.close()
        self.errors.close()
        return code

    @property
    def log(self) -> str:
        """What the process wrote as errors."""
        return (self.folder / "errors").read_text(encoding="utf-8")

    async def until(self, path: str, name: str, value: Any) -> None:
        """Wait until a field of an object has a value."""
        async with asyncio.timeout(PATIENCE):
            while (await asyncio.to_thread(self, "GET", path))[name] != value:
                await asyncio.sleep(0.05)
