"""What people do with an ensemble in AWX. Its jobs take their time, so a test goes on where the one before it ended."""

from __future__ import annotations

import json
import os
import random
import subprocess
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
#: The files that a deploy makes on each host.
MADE = ("settings", "pin", "step1", "step2")
#: How often a job is killed, each time at another moment of it.
KILLS = int(os.environ.get("AWX_KILLS", "3"))


def run(site: Site, template: str, **answers: Any) -> tuple[Object, str]:
    """Launch a template; its job, which has to succeed, and what that printed."""
    job, output = attempt(site, template, **answers)
    assert job["status"] == "successful", output
    return job, output


def attempt(site: Site, template: str, **answers: Any) -> tuple[Object, str]:
    job = site.awx.run(template, **answers)
    return job, site.awx.output(job)


def settings(site: Site) -> list[Any]:
    """What the hosts' files say."""
    return [json.loads(text) for text in site.found("settings").values()]


@pytest.fixture
def answered(web: Site) -> Site:
    """The project, deployed with an answer to each question."""
    if settings(web) != [ANSWERED] * 3:
        run(web, "web deploy", **ANSWERS)
    return web


def test_the_second_run_of_the_role_changes_nothing(web: Site) -> None:
    changed, output = web.set_up()
    assert changed == 0, output


def test_without_answers_the_defaults_are_deployed(web: Site) -> None:
    _, output = run(web, "web deploy")
    assert "12 added, 0 changed, 0 destroyed" in output
    assert settings(web) == [DEFAULTS] * 3


def test_an_empty_answer_is_refused_by_awx(web: Site) -> None:
    with pytest.raises(AssertionError, match="'input_text' value  is too small"):
        web.awx.launch("web deploy", input_text="")


def test_answers_of_each_type_reach_the_hosts(web: Site) -> None:
    job, output = run(web, "web deploy", **ANSWERS)
    assert settings(web) == [ANSWERED] * 3
    assert {*web.found("pin").values()} == {SECRET}
    assert SECRET not in output
    assert job["artifacts"]["ensemble_stats"]["job"]["status"] == "ok"


def test_answers_last(answered: Site) -> None:
    for template in ("web check", "web deploy"):
        job, output = run(answered, template)
        assert job["artifacts"]["ensemble_stats"]["drift"] == [], output
    assert settings(answered) == [ANSWERED] * 3


def test_an_input_goes_back_to_what_the_ensemble_has(answered: Site) -> None:
    run(answered, "web deploy", ensemble_reset_inputs=["size", "labels"])
    assert settings(answered) == [ANSWERED | {"size": 1, "labels": {}}] * 3
    run(answered, "web check")


@pytest.mark.parametrize("template", ["web discover", "web stop", "web start", "web plan"])
def test_other_templates_run(web: Site, template: str) -> None:
    run(web, template)


def test_the_scheduled_check_tells_drift(answered: Site) -> None:
    (answered.awx.folder / "hosts" / "web2" / "settings").write_text("changed by hand")
    schedule = answered.awx.named("schedules", "web check")
    assert schedule["summary_fields"]["unified_job_template"]["name"] == "web check"
    before = len(answered.hooks)
    job, output = attempt(answered, "web check")
    assert job["status"] == "failed", output
    [drift] = job["artifacts"]["ensemble_stats"]["drift"]
    assert drift["instance"] == "settings@web2"
    told = answered.awx.wait("the notification", lambda: [one for one in answered.hooks[before:] if "drift" in one])
    assert [one["instance"] for one in told[0]["drift"]] == ["settings@web2"]
    run(answered, "web deploy")
    assert settings(answered) == [ANSWERED] * 3


def approval(site: Site, workflow: Object) -> Object:
    """The approval that a workflow waits for."""

    def look() -> Object | None:
        nodes = site.awx.all(f"{workflow['url']}workflow_nodes/", identifier="approval")
        found = [node["summary_fields"].get("job") for node in nodes if node["job"]]
        seen = site.awx.ask(f"workflow_approvals/{found[0]['id']}/") if found else {}
        ended = site.awx.ask(workflow["url"])
        assert ended["status"] not in ("failed", "error"), ended
        return seen if seen.get("status") == "pending" else None

    found: Object = site.awx.wait("the approval", look)
    return found


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
    asked = approval(answered, workflow)
    answered.awx.ask(f"{asked['url']}deny/", {})
    answered.awx.ended(workflow)
    assert {*jobs_of(answered, workflow)} == {"plan"}
    assert settings(answered) == [ANSWERED] * 3


def test_a_plan_that_is_approved_is_deployed(answered: Site) -> None:
    before = len(answered.hooks)
    workflow = launch_workflow(answered, input_size=6, input_pin=SECRET)
    asked = approval(answered, workflow)
    told = answered.awx.wait("the notification", lambda: [one for one in answered.hooks[before:] if "plan" in one])
    assert "size:   5 -> 6" in told[0]["plan"]
    answered.awx.ask(f"{asked['url']}approve/", {})
    done = answered.awx.ended(workflow)
    jobs = jobs_of(answered, workflow)
    assert done["status"] == "successful", answered.awx.output(jobs["deploy"])
    assert settings(answered) == [ANSWERED | {"size": 6}] * 3
    run(answered, "web check")


def test_a_stale_plan_is_refused(answered: Site) -> None:
    workflow = launch_workflow(answered, input_size=7)
    asked = approval(answered, workflow)
    run(answered, "web deploy", input_size=8)
    answered.awx.ask(f"{asked['url']}approve/", {})
    done = answered.awx.ended(workflow)
    assert done["status"] == "failed"
    assert "stale" in answered.awx.output(jobs_of(answered, workflow)["deploy"])
    assert settings(answered) == [ANSWERED | {"size": 8}] * 3


def test_the_approved_deploy_alone_says_what_it_lacks(web: Site) -> None:
    job, output = attempt(web, "web deploy approved")
    assert job["status"] == "failed"
    assert "undefined" not in output


def test_a_failed_operation_is_on_its_host(web: Site) -> None:
    run(web, "web undeploy")
    broken = web.awx.folder / "hosts" / "web2" / "broken"
    broken.touch()
    job, _output = attempt(web, "web deploy")
    broken.unlink()
    assert job["status"] == "failed"
    stats = job["artifacts"]["ensemble_stats"]
    assert stats["job"]["status"] != "ok", stats["job"]
    failed = {event["host_name"] for event in web.awx.events(job) if event["event"] == "runner_on_failed"}
    assert failed & {*HOSTS} == {"web2"}
    summaries = {one["host_name"]: one for one in web.awx.all(f"{job['url']}job_host_summaries/")}
    assert {host: summaries[host]["failed"] for host in HOSTS} == {"web1": False, "web2": True, "web3": False}
    assert ({*web.found("step1")}, web.found("step2")) == ({"web1", "web3"}, {})
    run(web, "web deploy")
    assert web.found("step2") == dict.fromkeys(HOSTS, "done\n")


def kill(site: Site, job: Object) -> None:
    """Kill the container of a job, as AWX's own cancel does."""
    environment = {**os.environ, "AWX_FOLDER": str(site.awx.folder)}
    program = site.awx.folder / "bin" / "podman"
    subprocess.run([program, "kill", site.awx.container(job)], env=environment, check=False)


def nothing_lost_and_nothing_twice(site: Site) -> None:
    """The next deploy goes on by itself; each step was done once on each host."""
    _, output = run(site, "web deploy")
    for step in ("step1", "step2"):
        assert site.found(step) == dict.fromkeys(HOSTS, "done\n"), output
    assert "There was nothing to do." in run(site, "web deploy")[1]


@pytest.mark.parametrize("seed", range(KILLS))
def test_after_a_kill_the_next_launch_goes_on(web: Site, seed: int) -> None:
    run(web, "web undeploy")
    moment = random.Random(seed).randrange(len(HOSTS) * len(MADE))
    job = web.awx.launch("web deploy")
    web.awx.container(job)
    web.awx.wait("the moment", lambda: sum(len(web.found(name)) for name in MADE) >= moment)
    kill(web, job)
    web.awx.ended(job)
    nothing_lost_and_nothing_twice(web)


def launch_held(site: Site) -> Object:
    """A deploy whose first step on web1 lasts until the file `hold` is gone."""
    run(site, "web undeploy")
    (site.awx.folder / "hosts" / "web1" / "hold").touch()
    job = site.awx.launch("web deploy")
    site.awx.wait("the other hosts", lambda: {*site.found("step1")} == {"web2", "web3"})
    return job


def let_go(site: Site) -> None:
    (site.awx.folder / "hosts" / "web1" / "hold").unlink()


def test_after_a_cancel_the_next_launch_goes_on(web: Site) -> None:
    job = launch_held(web)
    web.awx.ask(f"{job['url']}cancel/", {})
    assert web.awx.ended(job)["status"] == "canceled"
    let_go(web)
    nothing_lost_and_nothing_twice(web)


def test_of_two_at_once_the_second_is_told_of_the_first(web: Site) -> None:
    first = launch_held(web)
    job, output = attempt(web, "web check")
    let_go(web)
    assert web.awx.ended(first)["status"] == "successful"
    assert job["status"] == "failed"
    assert f"job {first['id']} of AWX, template web deploy, launched by admin" in " ".join(output.split())


def test_secrets_are_in_nothing_that_awx_keeps(web: Site) -> None:
    run(web, "web deploy", input_pin=f"{SECRET}-again")
    assert {*web.found("pin").values()} == {f"{SECRET}-again"}
    environment = {**os.environ, "PGHOST": str(web.awx.folder / "run"), "PGUSER": "postgres"}
    dump = subprocess.run(
        ["pg_dump", "--data-only", "awx"], env=environment, capture_output=True, text=True, check=True
    ).stdout
    assert "web deploy" in dump
    for secret in (SECRET, VAULT, PASSWORD):
        assert [line[:300] for line in dump.splitlines() if secret in line] == []
    for log in (web.awx.folder / "log").glob("*.log"):
        assert SECRET not in log.read_text(errors="replace"), log
