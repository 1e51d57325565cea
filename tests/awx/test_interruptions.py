"""Jobs in AWX that end in other ways than by themselves: killed, cancelled, or refused."""

from __future__ import annotations

import os
import random
import signal
import subprocess
from collections.abc import Callable
from itertools import cycle

import pytest

from tests.awx.client import URL, Object
from tests.awx.conftest import HOSTS, REPOSITORY, Site

pytestmark = pytest.mark.timeout(3600)

#: The files that a deploy makes on each host.
MADE = ("settings", "pin", "step1", "step2")
#: How many jobs are killed, each at another moment of it.
KILLS = int(os.environ.get("AWX_KILLS", "4"))


def cancel(site: Site, job: Object) -> None:
    """As people do."""
    site.awx.ask(f"{job['url']}cancel/", {})


def kill_container(site: Site, job: Object) -> None:
    """As AWX itself does in the end, where a container does not end."""
    environment = {**os.environ, "AWX_FOLDER": str(site.awx.folder)}
    program = site.awx.folder / "bin" / "podman"
    subprocess.run([program, "kill", site.awx.container(job)], env=environment, check=False)


def kill_receptor(site: Site, _job: Object) -> None:
    """What runs the containers is killed, and started anew by what watches over it."""
    os.kill(pid_of(site, "receptor"), signal.SIGKILL)
    start_anew(site)


def kill_dispatcher(site: Site, _job: Object) -> None:
    """What follows the jobs is killed, with the processes that it has for them."""
    os.killpg(pid_of(site, "dispatcher"), signal.SIGKILL)
    start_anew(site)


def pid_of(site: Site, name: str) -> int:
    return int((site.awx.folder / "run" / f"{name}.pid").read_text())


def start_anew(site: Site) -> None:
    subprocess.run([REPOSITORY / "tests/awx/up", site.awx.folder], check=True, capture_output=True)


def nothing_lost_and_nothing_twice(site: Site) -> None:
    """The next deploy goes on by itself; each step was done once on each host."""
    _, output = site.run("web deploy")
    for step in ("step1", "step2"):
        assert site.found(step) == dict.fromkeys(HOSTS, "done\n"), output
    assert "There was nothing to do." in site.run("web deploy")[1]


KILLED = {
    f"{seed}-{kill.__name__}": (seed, kill)
    for seed, kill in zip(range(KILLS), cycle((kill_container, kill_receptor, kill_dispatcher, cancel)), strict=False)
}


@pytest.mark.parametrize(("seed", "kill"), KILLED.values(), ids=KILLED)
def test_after_a_kill_the_next_launch_goes_on(web: Site, seed: int, kill: Callable[[Site, Object], None]) -> None:
    web.run("web undeploy")
    moment = random.Random(seed).randrange(len(HOSTS) * len(MADE))
    job = web.awx.launch("web deploy")
    web.awx.container(job)
    web.awx.wait("the moment", lambda: sum(len(web.found(name)) for name in MADE) >= moment)
    kill(web, job)
    web.awx.ended(job, events=False)
    nothing_lost_and_nothing_twice(web)


def launch_held(site: Site) -> Object:
    """A deploy whose first step on web1 lasts until the file `hold` is gone."""
    site.run("web undeploy")
    (site.awx.folder / "hosts" / "web1" / "hold").touch()
    job = site.awx.launch("web deploy")
    site.awx.wait("the other hosts", lambda: {*site.found("step1")} == {"web2", "web3"})
    return job


def let_go(site: Site) -> None:
    (site.awx.folder / "hosts" / "web1" / "hold").unlink()


def test_after_a_cancel_the_next_launch_goes_on(web: Site) -> None:
    job = launch_held(web)
    cancel(web, job)
    assert web.awx.ended(job)["status"] == "canceled"
    let_go(web)
    nothing_lost_and_nothing_twice(web)


def test_a_job_that_may_ask_awx_takes_over_from_one_that_has_ended(web: Site) -> None:
    given = {
        "name": "AWX itself",
        "credential_type": web.awx.named("credential_types", "Red Hat Ansible Automation Platform")["id"],
        "organization": web.awx.named("organizations", "Default")["id"],
        "inputs": {"host": URL, "oauth_token": web.awx.token},
    }
    credential = web.awx.ask("credentials/", given)
    web.awx.ask(f"{web.awx.named('job_templates', 'web deploy')['url']}credentials/", {"id": credential["id"]})
    job = launch_held(web)
    kill_container(web, job)
    web.awx.ended(job)
    let_go(web)
    _, output = web.run("web deploy")
    web.awx.ask(credential["url"], method="DELETE")
    assert f"job {job['id']} of AWX, template web deploy, launched by admin has ended; taken over" in " ".join(
        output.split()
    )
    assert web.found("step1") == dict.fromkeys(HOSTS, "done\n")


def test_a_job_that_awx_has_given_up_keeps_the_lock_while_it_runs(web: Site) -> None:
    job = launch_held(web)
    kill_dispatcher(web, job)
    assert web.awx.ended(job, events=False)["status"] == "failed"
    refused, output = web.attempt("web deploy")
    let_go(web)
    assert refused["status"] == "failed"
    assert f"job {job['id']} of AWX, template web deploy, launched by admin" in " ".join(output.split())
    web.awx.wait("the last steps", lambda: {*web.found("step2")} == {*HOSTS})
    nothing_lost_and_nothing_twice(web)


def test_of_two_at_once_the_second_is_told_of_the_first(web: Site) -> None:
    first = launch_held(web)
    job, output = web.attempt("web check")
    let_go(web)
    assert web.awx.ended(first)["status"] == "successful"
    assert job["status"] == "failed"
    assert f"job {first['id']} of AWX, template web deploy, launched by admin" in " ".join(output.split())
