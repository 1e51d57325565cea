"""Processes of one run log in once."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.machines.ansible import forget_login, shared_login
from ansible_ensemble.provision.client.failure import RequestFailed
from ansible_ensemble.provision.client.settings import Settings
from tests.unit.provision.client.conftest import KEY, answering, certificate, serving

__all__ = ["certificate", "serving"]  # fixtures

PROGRAM = """
import sys
from pathlib import Path
from ansible_ensemble.machines.ansible import shared_login
from ansible_ensemble.provision.client.settings import Settings
endpoint, ca_file, folder = sys.argv[1:]
settings = Settings(endpoints=(endpoint,), user="admin", password="secret", ca_file=ca_file, waits=(0.0,) * 3)
print(shared_login(settings, Path(folder)).token)
"""


async def log_in(settings: Settings, folder: Path) -> str:
    """The token that another process has."""
    words = [settings.endpoints[0], settings.ca_file, str(folder)]
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", PROGRAM, *words, stdout=subprocess.PIPE)
    output, _ = await process.communicate()
    return output.decode().strip()


def logins(server: Any) -> int:
    return sum(KEY in path for _method, path, *_ in server.requests)


def test_processes_share_a_login(serving: Callable[..., Any], tmp_path: Path) -> None:
    async def whole() -> None:
        async with serving(answering((200, {}))) as server:
            processes = [log_in(server.settings, tmp_path) for _ in range(4)]
            assert await asyncio.gather(*processes) == ["a-token"] * 4
            assert logins(server) == 1
            (file,) = tmp_path.iterdir()
            assert file.stat().st_mode & 0o777 == 0o600
            os.utime(file, (0, 0))
            await asyncio.to_thread(shared_login, server.settings, tmp_path)
            assert logins(server) == 2, "an old token is not used"
            forget_login(server.settings, tmp_path)
            await asyncio.to_thread(shared_login, server.settings, tmp_path)
            assert logins(server) == 3

    asyncio.run(whole())


def test_who_has_a_token_does_not_log_in(tmp_path: Path) -> None:
    settings = Settings(token="mine", user="ann", password="x")
    assert shared_login(settings, tmp_path) is settings
    assert shared_login(Settings(), tmp_path) == Settings()
    assert not list(tmp_path.iterdir())


def test_a_login_that_failed_is_shared_with_nobody(tmp_path: Path) -> None:
    settings = Settings(endpoints=("https://127.0.0.1:1",), user="ann", password="x", waits=())
    for _ in range(2):
        with pytest.raises(RequestFailed):
            shared_login(settings, tmp_path)
