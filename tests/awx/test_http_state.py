"""State on a server that speaks Terraform's protocol, whose locks are no leases: a killed job keeps its lock."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator

import pytest

from tests.awx.client import Object
from tests.awx.conftest import Site
from tests.awx.test_interruptions import asking_awx, kill_container
from tests.unit.state.servers import PASSWORD, state_server

pytestmark = pytest.mark.timeout(3600)

PROJECT = "environments: {{defaults: {{state: {{http: '{url}'}}}}}}\n"
SERVICE = """\
resources:
  first:
    module: ansible.builtin.shell
    args: {cmd: echo done >> far-first, chdir: /srv/web1, creates: far-first}
    absent: {module: ansible.builtin.file, args: {path: /srv/web1/far-first, state: absent}}
  second:
    module: ansible.builtin.shell
    args:
      cmd: while test -e far-hold; do sleep 0.2; done && echo done >> far-second
      chdir: /srv/web1
      creates: far-second
    absent: {module: ansible.builtin.file, args: {path: /srv/web1/far-second, state: absent}}
    requirements: [{dependency: first}]
"""
VARIABLES = {
    "awx_name": "far",
    "awx_ensemble": "far/service.yaml",
    "awx_state_credential": {"token": PASSWORD},
    "awx_inventory": "",
    "awx_workflows": ["deploy", "undeploy", "check"],
    "awx_notification_type": "",
    "awx_check_schedule": "",
}


@pytest.fixture(scope="module")
def far(web: Site) -> Iterator[Site]:
    """An ensemble of the project, whose state is on such a server."""
    with state_server() as server:
        web.write(**{"far/ensemble-project.yaml": PROJECT.format(url=server.url), "far/service.yaml": SERVICE})
        web.set_up(**VARIABLES, awx_update_secrets=True)
        web.awx.change(web.awx.named("projects", "far project"), scm_update_cache_timeout=86400)
        yield web


@pytest.fixture
def killed(far: Site) -> Object:
    """A job that was killed in the midst of its work."""
    far.run("far undeploy")
    hold = far.awx.folder / "hosts" / "web1" / "far-hold"
    hold.touch()
    job = far.awx.launch("far deploy")
    far.awx.wait("the first step", lambda: far.found("far-first"))
    kill_container(far, job)
    far.awx.ended(job)
    hold.unlink()
    return job


def test_the_next_job_is_refused_until_the_lock_is_released(far: Site, killed: Object) -> None:
    job, output = far.attempt("far deploy")
    said = " ".join(output.split())
    assert job["status"] == "failed"
    assert f"job {killed['id']} of AWX, template far deploy, launched by admin" in said
    [lock] = {*re.findall(r"launch the template of `unlock` with the lock id (\w+)", said)}
    environment = {**os.environ, "ENSEMBLE_STATE_TOKEN": PASSWORD, "ANSIBLE_ENSEMBLE_TRUST": str(far.clone / "far")}
    command = ["ansible-ensemble", "status", "far/service.yaml"]
    looked = subprocess.run(command, cwd=far.clone, env=environment, capture_output=True, text=True, check=True)
    assert "is running, or was killed: the server of the state does not say." in looked.stdout + looked.stderr
    far.run("far unlock", ensemble_lock_id=lock)
    far.run("far deploy")
    assert (far.found("far-first"), far.found("far-second")) == ({"web1": "done\n"}, {"web1": "done\n"})


def test_a_job_that_may_ask_awx_takes_over_there_too(far: Site, killed: Object) -> None:
    with asking_awx(far, "far deploy"):
        _, output = far.run("far deploy")
    assert f"job {killed['id']} of AWX, template far deploy, launched by admin has ended; taken over" in " ".join(
        output.split()
    )
    assert (far.found("far-first"), far.found("far-second")) == ({"web1": "done\n"}, {"web1": "done\n"})
