"""What people do with an ensemble in AWX. Its jobs take their time, so a test goes on where the one before it ended."""

from __future__ import annotations

import json
from base64 import b64decode
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.awx.client import Object
from tests.awx.conftest import HOSTS, PASSWORD, SECRET, VAULT, Site

pytestmark = pytest.mark.timeout(3600)

ANSWERS: dict[str, Any] = {
    "input_text": "two words",
    "input_size": 5,
    "input_rate": 2.5,
    "input_safe": "false",
    "input_place": "there",
    "input_zones": ["a", "c"],
    "input_labels": "{tier: front}",
    "input_pin": SECRET,
}
DEFAULTS = {"text": "", "size": 1, "rate": 0.5, "safe": True, "place": "here", "zones": ["a"], "labels": {}}
ANSWERED = {
    "text": "two words",
    "size": 5,
    "rate": 2.5,
    "safe": False,
    "place": "there",
    "zones": ["a", "c"],
    "labels": {"tier": "front"},
}


def settings(site: Site) -> list[Any]:
    """What the hosts' files say."""
    return [json.loads(text) for text in site.found("settings").values()]


@pytest.fixture
def answered(web: Site) -> Site:
    """The project, deployed with an answer to each question."""
    if settings(web) != [ANSWERED] * 3:
        web.run("web deploy", **ANSWERS)
    return web


def test_the_second_run_of_the_role_changes_nothing(web: Site) -> None:
    changed, output = web.set_up()
    assert changed == 0, output


def test_without_answers_the_defaults_are_deployed(web: Site) -> None:
    web.run("web undeploy")
    _, output = web.run("web deploy")
    assert "12 added, 0 changed, 0 destroyed" in output
    assert settings(web) == [DEFAULTS] * 3


@pytest.mark.parametrize(
    ("name", "message"),
    [
        *((name, "'input_[a-z]+' value  is too small") for name in ("text", "labels", "pin")),
        *((name, "Value  for 'input_[a-z]+' expected to be one of") for name in ("place", "safe")),
        ("size", "Value  for 'input_size' expected to be an integer"),
        ("rate", "Value  for 'input_rate' expected to be a numeric type"),
    ],
)
def test_an_empty_answer_is_refused_by_awx(web: Site, name: str, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        web.awx.launch("web deploy", **{f"input_{name}": ""})


def test_a_template_in_an_answer_is_refused(web: Site) -> None:
    before = settings(web)
    job, output = web.attempt("web deploy", input_text="{{ 6 * 7 }}")
    assert job["status"] == "failed"
    assert "the input text is computed, and here inputs are plain values" in " ".join(output.split())
    assert settings(web) == before


def test_no_choice_of_several_is_an_empty_list(web: Site) -> None:
    web.run("web deploy", input_zones=[])
    assert settings(web) == [DEFAULTS | {"zones": []}] * 3


def test_answers_of_each_type_reach_the_hosts(web: Site) -> None:
    job, output = web.run("web deploy", **ANSWERS)
    assert settings(web) == [ANSWERED] * 3
    assert {*web.found("pin").values()} == {SECRET}
    assert SECRET not in output
    assert job["artifacts"]["ensemble_stats"]["job"]["ensemble_status"] == "ok"


def test_answers_last(answered: Site) -> None:
    for template in ("web check", "web deploy"):
        job, output = answered.run(template)
        assert job["artifacts"]["ensemble_stats"]["drift"] == [], output
    assert settings(answered) == [ANSWERED] * 3
    assert {*answered.found("pin").values()} == {SECRET}


def test_an_input_goes_back_to_what_the_ensemble_has(answered: Site) -> None:
    answered.run("web deploy", ensemble_reset_inputs=["size", "labels"])
    assert settings(answered) == [ANSWERED | {"size": 1, "labels": {}}] * 3
    answered.run("web check")


@pytest.mark.parametrize("template", ["web discover", "web stop", "web start", "web plan"])
def test_other_templates_run(web: Site, template: str) -> None:
    web.run(template)


def test_a_lock_that_nobody_holds_is_released(web: Site) -> None:
    web.run("web unlock", ensemble_lock_id="none")


def test_the_hosts_of_the_project_are_in_the_inventory(web: Site) -> None:
    inventory = web.awx.named("inventories", "web inventory")
    hosts = web.awx.all(f"{inventory['url']}hosts/")
    assert {
        host["name"]: [group["name"] for group in host["summary_fields"]["groups"]["results"]] for host in hosts
    } == {host: ["web"] for host in HOSTS}


def test_the_scheduled_check_tells_drift(answered: Site) -> None:
    (answered.awx.folder / "hosts" / "web2" / "settings").write_text("changed by hand")
    before, soon = len(answered.hooks), datetime.now(UTC) + timedelta(seconds=5)
    rule = f"DTSTART:{soon:%Y%m%dT%H%M%SZ} RRULE:FREQ=DAILY;INTERVAL=1"
    answered.awx.change(answered.awx.named("schedules", "web check"), rrule=rule)
    job = answered.awx.ended(answered.awx.wait("the schedule", lambda: scheduled(answered)))
    assert (job["name"], job["status"]) == ("web check", "failed"), answered.awx.output(job)
    [drift] = job["artifacts"]["ensemble_stats"]["drift"]
    assert drift["instance"] == "settings@web2"
    assert [one["instance"] for one in answered.told("drift", before)["drift"]] == ["settings@web2"]
    answered.run("web deploy")
    assert settings(answered) == [ANSWERED] * 3


def scheduled(site: Site) -> Object | None:
    """The job of the schedule, if it has one yet."""
    return next(iter(site.awx.all("jobs/", launch_type="scheduled")), None)


def jobs_of(site: Site, workflow: Object) -> dict[str, Object]:
    """The jobs of a workflow by the names of its nodes."""
    nodes = site.awx.all(f"{workflow['url']}workflow_nodes/")
    return {
        node["identifier"]: site.awx.ask(f"jobs/{node['job']}/")
        for node in nodes
        if node["job"] and node["identifier"] != "approval"
    }


def launch_workflow(site: Site, **answers: Any) -> Object:
    return site.awx.launch("web", endpoint="workflow_job_templates", **answers)


def test_a_plan_that_is_denied_is_not_deployed(answered: Site) -> None:
    workflow = launch_workflow(answered, input_size=6)
    asked = answered.awx.approval(workflow)
    answered.awx.ask(f"{asked['url']}deny/", {})
    answered.awx.ended(workflow)
    assert {*jobs_of(answered, workflow)} == {"plan"}
    assert settings(answered) == [ANSWERED] * 3


def test_a_plan_that_nobody_approves_in_time_is_not_deployed(answered: Site) -> None:
    answered.awx.change(answered.approval(), timeout=3)
    workflow = launch_workflow(answered, input_size=6)
    ended = answered.awx.ended(workflow)
    answered.awx.change(answered.approval(), timeout=0)
    assert ended["status"] == "failed"
    [asked] = answered.awx.all("workflow_approvals/", timed_out=True)
    assert asked["summary_fields"]["workflow_job"]["id"] == workflow["id"]
    assert {*jobs_of(answered, workflow)} == {"plan"}
    assert settings(answered) == [ANSWERED] * 3


def test_a_plan_that_is_approved_is_deployed(answered: Site) -> None:
    before = len(answered.hooks)
    workflow = launch_workflow(answered, input_size=6, input_pin=SECRET)
    asked = answered.awx.approval(workflow)
    assert "size:   5 -> 6" in answered.told("plan", before)["plan"]
    answered.awx.ask(f"{asked['url']}approve/", {})
    done = answered.awx.ended(workflow)
    jobs = jobs_of(answered, workflow)
    assert done["status"] == "successful", answered.awx.output(jobs["deploy"])
    assert b"/runner/" not in b64decode(jobs["plan"]["artifacts"]["ensemble_stats"]["plan_document"])
    assert settings(answered) == [ANSWERED | {"size": 6}] * 3
    answered.run("web check")


def test_a_stale_plan_is_refused(answered: Site) -> None:
    workflow = launch_workflow(answered, input_size=7)
    asked = answered.awx.approval(workflow)
    answered.run("web deploy", input_size=8)
    answered.awx.ask(f"{asked['url']}approve/", {})
    done = answered.awx.ended(workflow)
    assert done["status"] == "failed"
    assert "stale" in answered.awx.output(jobs_of(answered, workflow)["deploy"])
    assert settings(answered) == [ANSWERED | {"size": 8}] * 3


def test_the_approved_deploy_alone_says_what_it_lacks(web: Site) -> None:
    job, output = web.attempt("web deploy approved")
    assert job["status"] == "failed"
    assert "undefined" not in output


def test_a_failed_operation_is_on_its_host(web: Site) -> None:
    web.run("web undeploy")
    broken = web.awx.folder / "hosts" / "web2" / "broken"
    broken.touch()
    before = len(web.hooks)
    job, output = web.attempt("web deploy")
    broken.unlink()
    assert job["status"] == "failed"
    stats = job["artifacts"]["ensemble_stats"]
    assert (stats["job"]["ensemble_status"], stats["job"]["outcome"]) == ("error", "failed")
    assert "/runner/" not in json.dumps(stats)
    summary = " ".join(output.partition("Record the job")[2].split())
    assert "Fix the cause, then launch web deploy again: only what is left will run." in summary
    assert "/runner/" not in summary
    told = web.told("failure", before)
    assert told["job"] == "web deploy"
    assert "step1@web2" in told["failure"]
    failed = {event["host_name"] for event in web.awx.events(job) if event["event"] == "runner_on_failed"}
    assert failed & {*HOSTS} == {"web2"}
    summaries = {one["host_name"]: one for one in web.awx.all(f"{job['url']}job_host_summaries/")}
    assert {host: summaries[host]["failed"] for host in HOSTS} == {"web1": False, "web2": True, "web3": False}
    shown = {host: web.awx.named("hosts", host) for host in HOSTS}
    assert {host: one["has_active_failures"] for host, one in shown.items()} == {
        "web1": False,
        "web2": True,
        "web3": False,
    }
    assert {one["summary_fields"]["last_job"]["id"] for one in shown.values()} == {job["id"]}
    assert ({*web.found("step1")}, web.found("step2")) == ({"web1", "web3"}, {})
    web.run("web deploy")
    assert web.found("step2") == dict.fromkeys(HOSTS, "done\n")


def test_secrets_are_in_nothing_that_is_kept(answered: Site) -> None:
    def pins() -> set[str]:
        return {*answered.found("pin").values()}

    workflow = launch_workflow(answered, input_pin=f"{SECRET}-approved")
    answered.awx.ask(f"{answered.awx.approval(workflow)['url']}approve/", {})
    assert answered.awx.ended(workflow)["status"] == "successful"
    assert pins() == {f"{SECRET}-approved"}
    deploy = answered.awx.named("job_templates", "web deploy")
    answered.awx.change(deploy, verbosity=4, diff_mode=True)
    answered.run("web deploy", input_pin=f"{SECRET}-told-by-all-means")
    assert pins() == {f"{SECRET}-told-by-all-means"}
    pin = answered.awx.folder / "hosts" / "web2" / "pin"
    pin.unlink()
    pin.mkdir()
    job, output = answered.attempt("web deploy", input_pin=f"{SECRET}-where-it-fails")
    pin.rmdir()
    answered.awx.change(deploy, verbosity=0, diff_mode=False)
    assert (job["status"], "pin@web2" in output) == ("failed", True)
    answered.run("web deploy")
    assert pins() == {f"{SECRET}-where-it-fails"}
    assert answered.kept(SECRET, VAULT, PASSWORD) == []
    assert SECRET not in json.dumps(answered.hooks)
