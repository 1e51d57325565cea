"""The command that serves the pages."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

from tests.integration.ui.conftest import begun, ended

PATIENCE = 120


@contextmanager
def serving(project: Path, *words: str, **variables: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command, and the first address that it prints."""
    process = begun(project, "ui", *words, **variables)
    assert process.stdout is not None
    try:
        printed = ""
        while not (found := re.search(r"https?://\S+", printed)):
            line = process.stdout.readline()
            assert line, printed
            printed += line
        yield process, found[0]
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_job_outlives_the_pages(project: Path, number: signal.Signals) -> None:
    go_on = project / "go-on"
    with serving(project, WAITS_FOR=str(go_on)) as (process, address):
        browser = requests.Session()
        browser.get(address, timeout=PATIENCE)
        api, query = f"{address.partition('?')[0]}api/1", {"ensemble": "web/ensemble.yaml"}
        made = browser.post(f"{api}/plans", params=query, json={"workflow": "deploy"}, timeout=PATIENCE).json()
        browser.post(f"{api}/plans/{made['id']}/approval", params=query, json={}, timeout=PATIENCE)
        process.send_signal(number)
        process.wait(PATIENCE)
    go_on.touch()
    end = time.monotonic() + PATIENCE
    while not (project / "web" / "jobs.tsv").exists():
        assert time.monotonic() < end
        time.sleep(0.05)
    assert "deploy" in (project / "web" / "jobs.tsv").read_text()


def test_nothing_is_taken_away_for_a_socket(project: Path) -> None:
    note = project / "note.txt"
    note.write_text("mine")
    taken = project / "taken"
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(taken))
        for file in (note, taken):
            code, printed = ended(project, "ui", "--socket", str(file))
            assert code == 2
            assert "exists already" in printed
    assert note.read_text() == "mine"
    assert taken.is_socket()


def test_a_socket_that_took_the_place_of_ours_stays(project: Path) -> None:
    file = project / "socket"
    with serving(project, "--socket", str(file)) as (process, _address), socket.socket(socket.AF_UNIX) as other:
        file.unlink()
        other.bind(str(file))
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)
    assert file.is_socket()


def test_a_socket_is_its_users_and_is_gone_afterwards(project: Path) -> None:
    file = project / "socket"
    with serving(project, "--socket", str(file)) as (process, _address):
        assert file.stat().st_mode & 0o777 == 0o600
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)
    assert not file.exists()


@pytest.mark.parametrize("words", [("nowhere",), ("--port", "70000")])
def test_what_cannot_be_served_is_refused(project: Path, words: tuple[str, ...]) -> None:
    code, printed = ended(project, "ui", *words)
    assert code == 2, printed
    assert "Traceback" not in printed


def test_that_a_port_is_in_use_is_said(project: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        code, printed = ended(project, "ui", "--port", str(other.getsockname()[1]))
    assert code == 2, printed
    assert "cannot be used: Address already in use" in printed
