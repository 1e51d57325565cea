"""Jobs on an execution node, which is not the one that controls them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest

from tests.awx.client import Object
from tests.awx.conftest import Site
from tests.awx.test_interruptions import (
    cancel,
    kill_container,
    launch_held,
    let_go,
    nothing_lost_and_nothing_twice,
    start_anew,
)

pytestmark = pytest.mark.timeout(3600)


@pytest.fixture(scope="module")
def remote(web: Site) -> Iterator[Site]:
    """The project, whose deploys and undeploys run on the execution node."""
    [node] = web.awx.all("instances/", hostname="awx-2")
    web.awx.ask(f"{node['url']}health_check/", {})
    web.awx.wait("the execution node", lambda: web.awx.ask(node["url"])["capacity"])
    group = web.awx.named("instance_groups", "remote")["id"]
    groups = [
        web.awx.named("job_templates", name)["related"]["instance_groups"] for name in ("web deploy", "web undeploy")
    ]
    for one in groups:
        web.awx.ask(one, {"id": group})
    yield web
    for one in groups:
        web.awx.ask(one, {"id": group, "disassociate": True})


def kill_its_receptor(site: Site, _job: Object) -> None:
    start_anew(site, "node", os.kill)


def test_a_job_there_knows_what_those_before_it_did(remote: Site) -> None:
    remote.run("web undeploy")
    job, _ = remote.run("web deploy")
    assert (job["controller_node"], job["execution_node"]) == ("awx-1", "awx-2")
    nothing_lost_and_nothing_twice(remote)
    check, _ = remote.run("web check")
    assert check["execution_node"] == "awx-1"


def test_its_lock_holds_for_jobs_on_the_other(remote: Site) -> None:
    first = launch_held(remote)
    job, output = remote.attempt("web check")
    let_go(remote)
    assert (remote.awx.ended(first)["status"], job["status"]) == ("successful", "failed")
    assert f"job {first['id']} of AWX, template web deploy, launched by admin" in " ".join(output.split())


@pytest.mark.parametrize("kill", [cancel, kill_container, kill_its_receptor])
def test_after_a_kill_there_the_next_launch_goes_on(remote: Site, kill: Callable[[Site, Object], None]) -> None:
    job = launch_held(remote)
    kill(remote, job)
    let_go(remote)
    remote.awx.ended(job, events=False)
    nothing_lost_and_nothing_twice(remote)
