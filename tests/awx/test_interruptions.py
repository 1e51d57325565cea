"""Jobs in AWX that end in other ways than by themselves: killed, cancelled, or refused."""

from __future__ import annotations

import os
import random
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path

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
    start_anew(site, "receptor", os.kill)


def kill_dispatcher(site: Site, _job: Object) -> None:
    """What follows the jobs is killed, with the processes that it has for them."""
    start_anew(site, "dispatcher", os.killpg)


def pid_of(site: Site, name: str) -> int:
    return int((site.awx.folder / "run" / f"{name}.pid").read_text())


def start_anew(site: Site, name: str, kill: Callable[[int, int], None]) -> None:
    """Kill a program, and start it again once it is gone: what still dies counts as running."""
    pid = pid_of(site, name)
    kill(pid, signal.SIGKILL)
    site.awx.wait(f"the end of {name}", lambda: not Path(f"/proc/{pid}/cwd").exists())
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


@contextmanager
def asking_awx(site: Site, template: str) -> Iterator[None]:
    """Let the jobs of a template ask AWX, by a credential of it."""
    given = {
        "name": "AWX itself",
        "credential_type": site.awx.named("credential_types", "Red Hat Ansible Automation Platform")["id"],
        "organization": site.awx.named("organizations", "Default")["id"],
        "inputs": {"host": URL, "oauth_token": site.awx.token},
    }
    credential = site.awx.ask("credentials/", given)
    site.awx.ask(f"{site.awx.named('job_templates', template)['url']}credentials/", {"id": credential["id"]})
    yield
    site.awx.ask(credential["url"], method="DELETE")


def test_a_job_that_may_ask_awx_takes_over_from_one_that_has_ended(web: Site) -> None:
    job = launch_held(web)
    kill_container(web, job)
    web.awx.ended(job)
    let_go(web)
    with asking_awx(web, "web deploy"):
        _, output = web.run("web deploy")
    assert f"job {job['id']} of AWX, template web deploy, launched by admin has ended; taken over" in " ".join(
        output.split()
    )
    assert web.found("step1") == dict.fromkeys(HOSTS, "done\n")


def pause(site: Site, job: Object, number: signal.Signals) -> None:
    """Send all processes of a job's container a signal, as `podman pause` and `unpause` do."""
    pid = (site.awx.folder / "run" / "containers" / f"{site.awx.container(job)}.pid").read_text()
    for process in below(pid):
        os.kill(int(process), number)


def below(pid: str) -> Iterator[str]:
    """The processes that a process has begun, and those that they have."""
    for thread in Path(f"/proc/{pid}/task").iterdir():
        for child in (thread / "children").read_text().split():
            yield child
            yield from below(child)


def test_a_job_that_was_paused_begins_nothing_more_once_its_lock_is_taken(web: Site) -> None:
    def state() -> str:
        command = ["git", "-C", str(web.root / "state.git"), "rev-parse", "web"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    job = launch_held(web)
    pause(web, job, signal.SIGSTOP)
    _, output = web.attempt("web check")
    assert "the lock was not renewed for 30 s; taken over from:" in " ".join(output.split())
    before = state()
    let_go(web)
    pause(web, job, signal.SIGCONT)
    assert web.awx.ended(job)["status"] == "failed"
    assert "What succeeded is recorded" not in web.awx.output(job)
    assert (state(), web.found("step2")) == (before, {})
    nothing_lost_and_nothing_twice(web)


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


def test_of_two_at_the_same_moment_one_goes_first(web: Site) -> None:
    web.run("web undeploy")
    jobs = [web.awx.launch(name) for name in ("web deploy", "web undeploy")]
    refused = [job for job in map(web.awx.ended, jobs) if job["status"] != "successful"]
    assert [job["status"] for job in refused] in ([], ["failed"])
    for job in refused:
        [other] = (one for one in jobs if one["id"] != job["id"])
        assert f"job {other['id']} of AWX, template {other['name']}" in " ".join(web.awx.output(job).split())
    nothing_lost_and_nothing_twice(web)
