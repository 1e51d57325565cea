"""Pages for others than who started them: TLS, users, and what each may do."""

from __future__ import annotations

import re
import socket
import time
from getpass import getuser
from pathlib import Path

import pytest
import requests

from ansible_ensemble.core.passwords import hashed
from ansible_ensemble.provision.server.certificate import own_certificate
from ansible_ensemble.ui.users import Users
from tests.integration.ui.conftest import Served, ended
from tests.integration.ui.test_serve import PATIENCE, serving

PASSWORD = "correct horse"
ENSEMBLE = {"ensemble": "web/ensemble.yaml"}


@pytest.fixture
def users(tmp_path: Path) -> Path:
    file = tmp_path / "users.yaml"
    file.touch(mode=0o600)
    kept = hashed(PASSWORD)
    file.write_text(
        f"users:\n  olga: {{roles: [operate], password: {kept}}}\n  axel: {{roles: [approve], password: {kept}}}\n"
    )
    return file


def logged_in(name: str, url: str, certificate: Path) -> requests.Session:
    browser = requests.Session()
    browser.trust_env, browser.verify = False, str(certificate)
    given = {"name": name, "password": PASSWORD}
    assert browser.post(f"{url}api/1/session", json=given, timeout=PATIENCE).status_code == 204
    return browser


def exit_code(browser: requests.Session, url: str) -> int:
    """How the only job that was begun ends."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        (run,) = browser.get(f"{url}api/1/runs", params=ENSEMBLE, timeout=PATIENCE).json()
        if not run["running"]:
            return int(run["exit_code"])
        time.sleep(0.05)
    raise AssertionError("it does not end")


def approvers(browser: requests.Session, url: str) -> list[str | None]:
    """Who approved each job, oldest first, as the page of history is told."""
    jobs = browser.get(f"{url}api/1/history", params=ENSEMBLE, timeout=PATIENCE).json()["jobs"]
    return [job.get("approved_by") for job in sorted(jobs, key=lambda job: job["change_id"])]


def test_who_operates_plans_and_who_approves_approves(project: Path, tmp_path: Path, users: Path) -> None:
    cert, key = own_certificate(tmp_path / "tls", "")
    words = ("--host", "0.0.0.0", "--cert", str(cert), "--key", str(key), "--users", str(users))
    with serving(project, *words) as (_process, address):
        assert address.startswith(f"https://{socket.gethostname()}:")
        url = re.sub(r"//[^:]*", "//localhost", address)
        olga, axel = logged_in("olga", url, cert), logged_in("axel", url, cert)
        plans = f"{url}api/1/plans"
        assert axel.post(plans, params=ENSEMBLE, json={}, timeout=PATIENCE).status_code == 403
        made = olga.post(plans, params=ENSEMBLE, json={}, timeout=PATIENCE).json()["id"]
        approval = f"{plans}/{made}/approval"
        assert olga.post(approval, params=ENSEMBLE, json={}, timeout=PATIENCE).status_code == 403
        (waiting,) = axel.get(plans, params=ENSEMBLE, timeout=PATIENCE).json()
        assert waiting == {"id": made, "workflow": "deploy", "summary": "Plan: 2 to add, 0 to change, 0 to destroy."}
        assert axel.post(approval, params=ENSEMBLE, json={}, timeout=PATIENCE).status_code == 202
        assert exit_code(axel, url) == 0
        assert approvers(axel, url) == ["axel"]
        code, printed = ended(project, "check", "web")
        assert code == 0, printed
        code, printed = ended(project, "undeploy", "web", "--approve")
        assert code == 0, printed
        assert approvers(axel, url) == ["axel", None, f"{getuser()}@{socket.gethostname()}"], "a check needs nobody"
        other_name = {"Host": "attacker.example"}
        assert axel.get(url, headers=other_name, timeout=PATIENCE).status_code == 403
        with pytest.raises(requests.ConnectionError):
            requests.get(url.replace("https:", "http:"), timeout=PATIENCE)


def test_a_stream_of_events_ends_with_its_session(project: Path, users: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ansible_ensemble.ui.application._ALIVE", 0.05)
    served = Served(project, Users(users))
    try:
        browser = requests.Session()
        given = {"name": "olga", "password": PASSWORD}
        assert browser.post(f"{served.url}/api/1/session", json=given, timeout=PATIENCE).status_code == 204
        events = f"{served.url}/api/1/events"
        with browser.get(events, params=ENSEMBLE, stream=True, timeout=PATIENCE) as told:
            lines = told.iter_lines(chunk_size=1)
            assert next(lines) == b"event: ready"
            users.write_text("users: {}\n")
            assert set(lines) <= {b"", b"data: {}", b": alive"}, "and they end"
    finally:
        served.close()


REFUSED = {
    "others without TLS": ("--host", "0.0.0.0"),
    "others without users": ("--host", "0.0.0.0", "--cert", "server.crt", "--key", "server.key"),
    "users and no TLS": ("--host", "::", "--users", "users.yaml"),
    "a certificate without its key": ("--cert", "server.crt"),
    "a socket with a certificate": ("--socket", "here", "--cert", "server.crt", "--key", "server.key"),
    "a socket of others": ("--socket", "here", "--host", "0.0.0.0"),
    "passwords in clear text": ("--users", "users.yaml", "--url", "http://ensembles.example.com"),
    "no URL": ("--url", "ensembles.example.com"),
    "a URL with a path": ("--url", "https://example.com/ensembles"),
    "a name of no machine": ("--host", "nowhere.invalid", "--cert", "server.crt", "--key", "server.key"),
}


@pytest.mark.parametrize("words", REFUSED.values(), ids=REFUSED)
def test_what_would_show_the_pages_to_anybody_is_refused(project: Path, users: Path, words: tuple[str, ...]) -> None:
    code, printed = ended(project, "ui", *words)
    assert code == 2, printed
    assert "Traceback" not in printed


def test_a_file_of_users_that_others_may_read_is_refused(project: Path, users: Path) -> None:
    users.chmod(0o644)
    code, printed = ended(project, "ui", "--users", str(users))
    assert code == 3, printed
    assert "chmod 600" in printed
