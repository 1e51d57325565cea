"""The API of the pages: the documents of the command, and its jobs, lock and consent."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.integration.ui.conftest import HOSTILE, SECRET, Served, ended

PATIENCE = 120
GIVEN = "a secret word of this test alone"


class Browser:
    """One browser that opened the pages, and what it asks of the API."""

    def __init__(self, served: Served) -> None:
        self._served = served
        self._session = requests.Session()
        assert self._session.get(served.address(), timeout=PATIENCE).status_code == 200
        self.seen = ""

    def __call__(self, method: str, path: str, status: int = 200, **body: Any) -> Any:
        answer = self._session.request(
            method,
            f"{self._served.url}/api/1/{path}",
            params={"ensemble": self._served.ensemble},
            json=body if body or method == "POST" else None,
            timeout=PATIENCE,
        )
        assert answer.status_code == status, answer.text
        self.seen += answer.text
        return answer.json() if answer.text else None

    def until(self, path: str, holds: Callable[[Any], bool]) -> Any:
        """What is answered once it is so."""
        end = time.monotonic() + PATIENCE
        while not holds(found := self("GET", path)):
            assert time.monotonic() < end, found
            time.sleep(0.05)
        return found

    def events(self) -> Iterator[tuple[str, Any]]:
        """The events from now on."""
        url = f"{self._served.url}/api/1/events"
        with self._session.get(url, params={"ensemble": self._served.ensemble}, stream=True, timeout=PATIENCE) as told:
            event, end = "", time.monotonic() + PATIENCE
            for line in told.iter_lines(chunk_size=1, decode_unicode=True):
                assert time.monotonic() < end  # the server says now and then that it is there
                if line.startswith("event: "):
                    event = line.removeprefix("event: ")
                elif line.startswith("data: "):
                    yield event, json.loads(line.removeprefix("data: "))


@pytest.fixture
def browser(served: Served) -> Browser:
    return Browser(served)


def printed(project: Path, *words: str) -> str:
    """What the command prints."""
    code, text = ended(project, *words)
    assert code == 0, text
    return text


def over(runs: list[dict[str, Any]]) -> bool:
    return not any(run["running"] for run in runs)


def test_a_plan_is_made_approved_seen_live_and_recorded(browser: Browser, project: Path) -> None:
    graph = browser("GET", "graph")
    assert graph["words"]["summary"] == "Plan: 2 to add, 0 to change, 0 to destroy."
    assert {one["box"]["name"] for one in graph["drawing"]["boxes"]} == {"app", "db"}
    made = browser("POST", "plans", 201, workflow="deploy", inputs={"port": 8080, "names": ["x"]})
    assert made["plan"]["inputs"], "the plan says what it was given"
    assert not list(project.rglob("*.log")), "nothing has run"
    events = browser.events()
    assert next(events)[0] == "ready"
    browser("POST", f"plans/{made['id']}/approval", 202)
    seen = []
    for event, data in events:
        seen += data["entries"] if event == "entries" else []
        if any(entry["event"] == "job-finished" for entry in seen):
            break
    ran = [entry["key"] for entry in seen if entry["event"] == "finished" and entry["implementation"]]
    assert ran == ["db:Standard.create", "app:Standard.create"]
    (run,) = browser.until("runs", over)
    assert run["exit_code"] == 0, run["lines"]
    (job,) = browser("GET", "history")["jobs"]
    assert browser("GET", f"jobs/{job['change_id']}")["job"]["outcome"] == "ok"
    entries = browser("GET", f"jobs/{job['change_id']}/entries")
    assert (entries["running"], entries["damage"]) == (False, [])
    assert browser("GET", "outputs")["port"] == 8080
    assert browser("GET", "graph")["words"]["empty"]
    assert browser("GET", f"plans/{made['id']}", 404)["errors"], "a plan is approved once"
    assert SECRET not in browser.seen
    page = printed(project, "show", job["change_id"], "--output", "html", "--ensemble", str(project / "web"))
    assert page.count("<rect") == 2, "a bar for each operation"
    assert SECRET not in page
    assert HOSTILE not in page


def test_what_the_api_says_is_what_the_command_says(browser: Browser, project: Path) -> None:
    for name in ("status", "inputs", "outputs", "history"):
        said = printed(project, name, str(project / "web" / "ensemble.yaml"), "--output", "json")
        assert browser("GET", name) == json.loads(said)


def test_a_plan_of_what_changed_meanwhile_is_refused_as_by_the_command(browser: Browser, project: Path) -> None:
    made = browser("POST", "plans", 201, workflow="deploy")
    service = project / "web" / "service.yaml"
    service.write_text(service.read_text().replace("default: 80", "default: 81"))
    browser("POST", f"plans/{made['id']}/approval", 202)
    (run,) = browser.until("runs", over)
    assert run["exit_code"] != 0
    assert browser("GET", "history")["jobs"] == []


def test_a_rejected_plan_is_gone(browser: Browser) -> None:
    made = browser("POST", "plans", 201, workflow="deploy")
    browser("DELETE", f"plans/{made['id']}", 204)
    browser("POST", f"plans/{made['id']}/approval", 404)
    assert browser("GET", "runs") == []


def test_a_job_is_cancelled_as_by_ctrl_c(browser: Browser, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAITS_FOR", str(project / "never"))
    made = browser("POST", "plans", 201, workflow="deploy")
    run = browser("POST", f"plans/{made['id']}/approval", 202)
    journals = project / "web" / "jobs"
    end = time.monotonic() + PATIENCE
    while not any(b'"started"' in path.read_bytes() for path in journals.glob("*.journal")):
        assert time.monotonic() < end
        time.sleep(0.05)
    browser("DELETE", f"runs/{run['id']}", 202)
    (run,) = browser.until("runs", over)
    assert run["exit_code"] == 130, run["lines"]
    (job,) = browser("GET", "history")["jobs"]
    assert job["outcome"] == "stopped"
    browser("DELETE", f"runs/{run['id']}", 404)


def test_the_project_says_who_works_on_an_ensemble(
    browser: Browser, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = project / "go-on"
    monkeypatch.setenv("WAITS_FOR", str(go_on))
    (idle,) = browser("GET", "project")["ensembles"]
    assert (idle["lock"], idle["running"]) == (None, [])
    made = browser("POST", "plans", 201, workflow="deploy")
    browser("POST", f"plans/{made['id']}/approval", 202)
    (busy,) = browser.until("project", lambda found: found["ensembles"][0]["running"])["ensembles"]
    assert (busy["lock"]["operation"], busy["lock"]["left"]) == ("deploy", False)
    (name,) = busy["running"]
    planned = browser.until(f"jobs/{name}/entries", lambda found: found["planned"])["planned"]
    first, second = "db:Standard.create", "app:Standard.create"
    assert planned == [{"key": first, "waits_for": []}, {"key": second, "waits_for": [first]}]
    (plan,) = (project / "web").glob("planned/job-plan-*.json")
    plan.unlink()
    assert browser("GET", f"jobs/{name}/entries")["planned"] == [], "without the plan it says less"
    go_on.touch()
    browser.until("runs", over)
    (job,) = browser("GET", "history")["jobs"]
    assert job["change_id"] == name
    (after,) = browser("GET", "project")["ensembles"]
    assert after.pop("stamp") != idle.pop("stamp"), "there is something new"
    assert after == idle


def test_a_journal_that_is_damaged_is_shown_as_far_as_it_can_be_read(browser: Browser, project: Path) -> None:
    made = browser("POST", "plans", 201, workflow="deploy")
    browser("POST", f"plans/{made['id']}/approval", 202)
    browser.until("runs", over)
    (job,) = browser("GET", "history")["jobs"]
    (journal,) = (project / "web" / "jobs").glob("*.events.jsonl")
    lines = journal.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2][:20] + b"\n"
    journal.write_bytes(b"".join(lines))
    found = browser("GET", f"jobs/{job['change_id']}/entries")
    assert [entry["seq"] for entry in found["entries"]] == [1, *range(3, len(lines))]
    assert found["damage"]


def test_a_plan_goes_back_to_an_earlier_job_as_by_the_command(browser: Browser) -> None:
    browser("POST", "plans", 400, workflow="deploy", rollback="--force")
    (error,) = browser("POST", "plans", 422, workflow="deploy", rollback="A6BOLuUH0000")["errors"]
    assert "no record of a job" in error["text"]


def test_instances_of_a_group_are_drawn_as_one(browser: Browser, project: Path) -> None:
    service = project / "web" / "service.yaml"
    groups = "  groups: {backend: {type: tosca.groups.Root, members: [db, app]}}\n"
    service.write_text(service.read_text().replace("  outputs:", f"{groups}  outputs:"))
    drawn = browser("GET", "graph?group=group")["drawing"]
    assert [(one["box"]["name"], one["box"]["words"]) for one in drawn["boxes"]] == [("backend", "2 instances")]


def test_a_check_finds_what_changed_on_the_host(browser: Browser) -> None:
    assert browser("GET", "drift") is None
    browser("POST", "runs", 202, workflow="check")
    browser.until("runs", over)
    browser("POST", "runs", 400, workflow="deploy")


@pytest.mark.parametrize(
    "name",
    ["", "nowhere.yaml", "../web/ensemble.yaml", "web/../web/ensemble.yaml", "web/service.yaml", "/etc/passwd", "\x00"],
)
def test_only_ensembles_of_the_project_are_shown(served: Served, name: str) -> None:
    browser = Browser(served)
    served.ensemble = name
    for path in ("status", "graph", "events", "drift", "jobs/A6BOLuUH0000/entries"):
        assert browser("GET", path, 404)["errors"]


@pytest.mark.parametrize("job", ["A6BOLuUH0000", "..%2Fx", "nothing", "%00"])
def test_a_job_that_is_not_there_is_said_to_be_so(browser: Browser, job: str) -> None:
    assert browser("GET", f"jobs/{job}/entries", 404)["errors"]


def test_an_ensemble_that_does_not_parse_is_its_error(browser: Browser, project: Path) -> None:
    (project / "web" / "service.yaml").write_text("topology_template: [\n")
    for path in ("status", "graph", "inputs"):
        (error,) = browser("GET", path, 422)["errors"]
        assert error["file"].endswith("service.yaml")
        assert error["line"] == 2


def test_a_project_that_is_gone_is_said_to_be(browser: Browser, project: Path) -> None:
    project.rename(project.with_name("elsewhere"))
    for path in ("project", "status", "graph"):
        (error,) = browser("GET", path, 422)["errors"]
        assert "the project's folder is gone" in error["text"]
    project.with_name("elsewhere").rename(project)
    browser("GET", "status")


def test_nothing_of_the_project_is_imported(browser: Browser, project: Path) -> None:
    for folder in (project, project / "web"):
        for name in ("argparse.py", "json.py", "yaml.py"):
            (folder / name).write_text("import pathlib; pathlib.Path(__file__).with_name('ran').touch()\n")
    browser("GET", "status")
    browser("POST", "plans", 201, workflow="deploy")
    assert not list(project.rglob("ran"))


def test_a_secret_that_was_given_gets_to_the_job_and_is_in_no_file(browser: Browser, project: Path) -> None:
    (project / "web" / "create.sh").write_text(
        f'#!/bin/sh\ntest -z "$PORT" || test "$PIN" = "{GIVEN[:4]}""{GIVEN[4:]}"\n'
    )
    browser("POST", "plans", 422, inputs={"port": 0, "pin": GIVEN}, workflow="deploy")
    made = browser("POST", "plans", 201, inputs={"pin": GIVEN}, workflow="deploy")
    browser("POST", f"plans/{made['id']}/approval", 202)
    (run,) = browser.until("runs", lambda runs: not runs[0]["running"])
    assert run["exit_code"] == 0, run
    private = Path(tempfile.gettempdir()).glob("ansible-ensemble-ui-*/*")
    files = [file for file in (*private, *project.rglob("*")) if file.is_file()]
    assert not [file for file in files if GIVEN in file.read_text(errors="replace")]
    assert GIVEN not in browser.seen


@pytest.mark.parametrize(
    "given",
    ["{{ lookup('pipe', 'touch ran') }}", {"get_env": "HOME"}, [{"eval": "{{ lookup('pipe', 'touch ran') }}"}]],
    ids=["a template", "a function", "an expression in a list"],
)
def test_what_runs_while_a_plan_is_made_is_given_by_nobody(browser: Browser, project: Path, given: Any) -> None:
    told = browser("POST", "plans", 400, inputs={"names": given}, workflow="deploy")
    assert "the input names is computed" in told["errors"][0]["text"]
    assert not list(project.rglob("ran"))


def test_an_input_that_is_nested_too_deep_is_refused(browser: Browser) -> None:
    deep: list[Any] = []
    for _level in range(200):
        deep = [deep]
    told = browser("POST", "plans", 422, inputs={"names": deep}, workflow="deploy")
    assert "nested deeper" in told["errors"][0]["text"]


def test_a_body_that_is_no_object_is_refused(browser: Browser) -> None:
    browser("POST", "plans", 400, workflow="rm")
    browser("POST", "plans", 400, inputs=["x"], workflow="deploy")
    browser("POST", "plans", 400, options=["force"], workflow="deploy")
    assert "port" in browser("POST", "plans", 422, inputs={"port": "x"}, workflow="deploy")["errors"][0]["text"]
