"""The job of AWX that a process runs in, and whether AWX says that another one has ended."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from ansible_ensemble.projects.controller import ControllerJob, has_ended, launched_template, running_job
from ansible_ensemble.projects.lock import Lock, describe, lock_text, parse_lock
from ansible_ensemble.projects.process import Process

JOB = ControllerJob(42, "web deploy", "ann", "https://awx.example/#/jobs/playbook/42")
VARIABLES = {"awx_job_template_name": "web deploy", "awx_user_name": "ann"}


@pytest.mark.parametrize(
    ("environ", "variables", "job"),
    [
        ({"JOB_ID": "42", "AWX_HOST": "https://awx.example"}, VARIABLES, JOB),
        ({"JOB_ID": "42", "AWX_HOST": "https://awx.example/"}, {}, replace(JOB, template="", user="")),
        ({"JOB_ID": "42"}, VARIABLES, None),
        ({"AWX_HOST": "https://awx.example"}, VARIABLES, None),
        ({"JOB_ID": "a build of another server", "AWX_HOST": "https://awx.example"}, VARIABLES, None),
    ],
)
def test_a_job_knows_itself(environ: dict[str, str], variables: dict[str, str], job: ControllerJob | None) -> None:
    assert running_job(environ, variables) == job


@pytest.mark.parametrize(
    ("environ", "variables", "template"),
    [
        ({"JOB_ID": "42", "AWX_HOST": "https://awx.example"}, VARIABLES, "web deploy"),
        ({"JOB_ID": "42", "AWX_HOST": "https://awx.example"}, VARIABLES | {"awx_workflow_job_name": "web"}, "web"),
        ({}, VARIABLES, ""),
    ],
)
def test_what_is_launched_again(environ: dict[str, str], variables: dict[str, str], template: str) -> None:
    assert launched_template(environ, variables) == template


def test_a_lock_names_the_job_and_is_read_again() -> None:
    lock = Lock("/runner/project/ensemble.yaml", "a1", "deploy", "root@pod", Process(29, "pod"), "1", "", job=JOB)
    assert parse_lock(lock_text(lock), lock.path) == lock
    assert str(JOB) == "job 42 of AWX, template web deploy, launched by ann"
    assert str(replace(JOB, template="", user="")) == "job 42 of AWX"


def test_a_lock_of_a_job_says_where_the_ensemble_is_in_its_repository(tmp_path: Path) -> None:
    (tmp_path / "project/.git").mkdir(parents=True)
    lock = Lock(f"{tmp_path}/project/web/ensemble.yaml", "a1", "deploy", "a@pod", Process(29, "pod"), "1", "", job=JOB)
    assert describe(lock) == f"web/ensemble.yaml is locked by {JOB} for deploy: {JOB.url} (lock id a1)"


@pytest.mark.parametrize("damaged", [{"id": "x"}, {}, 7, ["a"]])
def test_a_damaged_job_makes_the_lock_unreadable_and_respected(damaged: Any) -> None:
    lock = Lock("/a/ensemble.yaml", "a1", "deploy", "root@pod", Process(29, "pod"), "1", "", job=JOB)
    text = json.dumps(json.loads(lock_text(lock)) | {"ControllerJob": damaged})
    read = parse_lock(text, lock.path)
    assert read.id == ("a1" if not damaged else "unreadable")


@contextmanager
def api(answer: Any, asked: list[tuple[str, str]]) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def do_GET(self) -> None:
            asked.append((self.path, self.headers.get("Authorization", "")))
            body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.parametrize(
    ("answer", "ended"),
    [
        ({"results": [{"id": 42, "status": "canceled"}]}, True),
        ({"results": [{"id": 42, "status": "failed"}]}, True),
        ({"results": [{"id": 42, "status": "running"}]}, False),
        ({"results": [{"id": 42, "status": "waiting"}]}, False),
        ({"results": [{"id": 41, "status": "canceled"}]}, False),
        ({"results": []}, False),
        ({"detail": "Authentication credentials were not provided."}, False),
        ([], False),
        (b"<html>a login page</html>", False),
    ],
)
def test_awx_is_asked_whether_a_job_has_ended(answer: Any, ended: bool) -> None:
    asked: list[tuple[str, str]] = []
    with api(answer, asked) as host:
        environ = {"CONTROLLER_HOST": f"{host}/", "CONTROLLER_OAUTH_TOKEN": "t0ken"}
        assert has_ended(replace(JOB, url=f"{host}/#/jobs/playbook/42"), environ) is ended
    assert asked == [("/api/v2/unified_jobs/?id=42", "Bearer t0ken")]


def test_a_job_asks_the_awx_that_it_runs_in_by_whatever_name() -> None:
    asked: list[tuple[str, str]] = []
    with api({"results": [{"id": 42, "status": "canceled"}]}, asked) as host:
        login = {"TOWER_HOST": host, "TOWER_USERNAME": "robot", "TOWER_PASSWORD": "secret"}
        assert has_ended(JOB, login | {"AWX_HOST": "https://awx.example"})
        assert asked == [("/api/v2/unified_jobs/?id=42", "Basic cm9ib3Q6c2VjcmV0")]
        assert not has_ended(JOB, login), "its number means another job there"
        assert not has_ended(JOB, login | {"AWX_HOST": "https://other.example"})
        assert not has_ended(JOB, {"TOWER_HOST": host, "AWX_HOST": "https://awx.example"}), "without a credential"
    assert not has_ended(JOB, login | {"AWX_HOST": "https://awx.example"}), "it does not answer"
