"""Where the host of an instance changes, it is deleted where it is, and made on the other one; a host may be gone."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

HOSTS = """\
all:
  vars: {ansible_connection: local, ansible_python_interpreter: "{{ ansible_playbook_python }}"}
  hosts:
    web1: {here: %(folder)s/web1}
    web2: {here: %(folder)s/web2}
    localhost: {here: %(folder)s/localhost}
"""
TASKS = """\
- ansible.builtin.shell: echo {{ what }} {{ inventory_hostname }} >> %(folder)s/log
"""
#: What runs tells the host that it runs on.
RESOURCE = """\
resources:
  page:
    tasks: say.yml
    vars: {what: page}
    absent: {tasks: gone.yml}
    %(host)s
"""
NODES = """\
resources:
  web1: {type: ansible.Host, properties: {gather_facts: false}}
  web2: {type: ansible.Host, properties: {gather_facts: false}}
  app:
    tasks: say.yml
    vars: {what: app}
    absent: {tasks: gone.yml}
    %(host)s
"""
#: A form for each way to have an instance on each host of a group.
GROUPS = """\
resources:
  web: {type: ansible.Group, properties: {hosts: "web1:web2", gather_facts: false}}
  app:
    tasks: say.yml
    vars: {what: app}
    absent: {tasks: gone.yml}
    host: web  # %(host)s
"""
LISTS = """\
resources:
  app:
    tasks: say.yml
    vars: {what: app}
    absent: {tasks: gone.yml}
    hosts: "web*"  # %(host)s
"""
#: The path is another one on each host, so that what would delete it by the values of now would miss it.
READER = """\
resources:
  page:
    module: ansible.builtin.shell
    args: {cmd: "echo made on {{ here }} >> %(folder)s/log"}
    absent: {module: ansible.builtin.shell, args: {cmd: "echo gone from {{ here }} >> %(folder)s/log"}}
    %(host)s
"""


class Site:
    """A project of one file, whose host can be set, and what ran where."""

    def __init__(self, command: Any, folder: Path, form: str) -> None:
        self._command = command
        self._folder = folder
        self._form = form
        self.inventory(HOSTS)
        (folder / "ansible.cfg").write_text("[defaults]\ninventory = hosts.yaml\n")
        (folder / "log").touch()
        (folder / "say.yml").write_text(TASKS % {"folder": folder})
        (folder / "gone.yml").write_text(TASKS.replace("{{ what }}", "{{ what }} no more,") % {"folder": folder})

    def inventory(self, text: str) -> None:
        (self._folder / "hosts.yaml").write_text(text % {"folder": self._folder})

    def on(self, host: str, more: str = "") -> None:
        text = (f"host: {host}" if host else "description: none") + more
        (self._folder / "service.yaml").write_text(self._form % {"folder": self._folder, "host": text})

    def run(self, *words: str, code: int = 0) -> str:
        done = self._command(*words, cwd=self._folder)
        assert done.code == code, done.output
        return str(done.output)

    def ran(self) -> list[str]:
        """What ran since this was asked, with the name of the host."""
        log = self._folder / "log"
        found = [line.replace(f"{self._folder}/", "") for line in log.read_text().splitlines()]
        log.write_text("")
        return found


@pytest.fixture
def site(command: Any, tmp_path: Path, request: pytest.FixtureRequest) -> Site:
    made = Site(command, tmp_path, request.param)
    made.on("web1")
    made.run("deploy", "service.yaml", "--approve")
    made.ran()
    return made


resource = pytest.mark.parametrize("site", [RESOURCE], indirect=True)
reader = pytest.mark.parametrize("site", [READER], indirect=True)
nodes = pytest.mark.parametrize("site", [NODES], indirect=True)
copies = pytest.mark.parametrize("site", [GROUPS, LISTS], indirect=True)


@resource
def test_a_resource_goes_from_host_to_host(site: Site) -> None:
    before = "web1"
    for after in ("web2", "", "web1"):
        site.on(after)
        assert f"its host changed: {before} -> {after or 'localhost'}" in site.run("plan")
        site.run("deploy", "--approve")
        assert site.ran() == [f"page no more, {before}", f"page {after or 'localhost'}"]
        assert "No changes" in site.run("plan")
        before = after or "localhost"


@resource
def test_other_jobs_find_it_where_it_is(site: Site) -> None:
    site.on("web2")
    assert "web1  ok=1" in site.run("check")
    site.ran()
    site.run("undeploy", "--approve")
    assert site.ran() == ["page no more, web1"]


@resource
def test_what_is_protected_stays_on_the_former_host(site: Site) -> None:
    site.on("web2", "\n    directives: [protected]")
    assert "what it made there stays, as it is protected" in site.run("plan")
    site.run("deploy", "--approve")
    assert site.ran() == ["page web2"]
    assert "No changes" in site.run("plan")


@resource
def test_a_host_that_left_the_inventory_keeps_what_it_has(site: Site) -> None:
    site.inventory(HOSTS.replace("web1", "web3"))
    site.on("web2")
    assert "what it made there stays, as web1 is not there any more" in site.run("plan")
    site.run("deploy", "--approve")
    assert site.ran() == ["page web2"]


@reader
def test_it_is_not_deleted_with_values_of_another_host(site: Site) -> None:
    site.on("web2")
    assert "it is on web1, and what would delete it has the values of web2 now" in site.run("undeploy", "--approve")
    assert site.ran() == []
    assert "what it made there stays, as what would delete it has the values of web2 now" in site.run("plan")
    site.run("deploy", "--approve")
    assert site.ran() == ["made on web2"]
    site.run("undeploy", "--approve")
    assert site.ran() == ["gone from web2"]


@nodes
def test_it_goes_from_node_to_node(site: Site) -> None:
    site.on("web2")
    assert "its host changed: web1 -> web2" in site.run("plan")
    site.run("deploy", "--approve")
    assert site.ran() == ["app no more, web1", "app web2"]
    assert "No changes" in site.run("plan")
    site.run("undeploy", "--approve")
    assert site.ran() == ["app no more, web2"]


@nodes
def test_the_name_of_a_node_and_of_its_host_in_the_inventory_are_one(site: Site, tmp_path: Path) -> None:
    file = tmp_path / "service.yaml"
    file.write_text(file.read_text().replace("  web1: {type: ansible.Host, properties: {gather_facts: false}}\n", ""))
    assert "its host changed" not in site.run("plan")


@copies
def test_what_was_on_a_host_that_is_gone_is_not_taken_from_the_controller(site: Site, tmp_path: Path) -> None:
    site.inventory(HOSTS.replace("web1", "web3"))
    file = tmp_path / "service.yaml"
    file.write_text(file.read_text().replace("web1:web2", "web2").replace("web*", "web2"))
    plan = site.run("plan", "--prune")
    assert "app@web1  its host web1 is not in the inventory (`ansible-ensemble forget`" in plan
    site.run("deploy", "--prune", "--approve")
    assert site.ran() == []
    refused = site.run("undeploy", "--approve", code=1)
    assert 'its host "web1" is no ' in refused
    assert "`ansible-ensemble forget app@web1` takes this off the status" in refused
    assert site.ran() == ["app no more, web2"]
    site.run("forget", "app@web1", "--approve")
    site.run("undeploy", "--approve")
    assert site.ran() == []


@nodes
def test_a_node_whose_host_is_gone_is_not_the_controller(site: Site) -> None:
    site.inventory(HOSTS.replace("web1", "web3"))
    assert 'its host "web1" is no host of the inventory' in site.run("undeploy", "--approve", code=1)
    assert 'no host and no group of the inventory is "web1"' in site.run("deploy", "--force", code=3)
    assert 'its host "web1" is no host of the inventory' in site.run("check", code=1)
    assert site.ran() == []


def test_a_machine_of_an_inventory_that_is_not_named_is_not_the_controller(command: Any, tmp_path: Path) -> None:
    site = Site(
        command, tmp_path, NODES.replace("ansible.Host, properties: {gather_facts: false}", "tosca.nodes.Compute")
    )
    (tmp_path / "ansible.cfg").unlink()
    site.on("web1")
    site.run("deploy", "service.yaml", "-i", "hosts.yaml", "--approve")
    assert site.ran() == ["app web1"]
    assert "no inventory is named: -i FILE" in site.run("deploy", "--force", "--approve", code=3)
    for words in (("check",), ("undeploy", "--approve")):
        assert 'its host "web1" is no host of the inventory (-i names the inventory' in site.run(*words, code=1)
    assert site.ran() == []
    site.run("undeploy", "-i", "hosts.yaml", "--approve")
    assert site.ran() == ["app no more, web1"]
    site.run("deploy", "--approve")
    assert site.ran() == ["app localhost"], "a machine without an address that was not there"


def test_a_node_with_the_name_of_no_host_is_refused(command: Any, tmp_path: Path) -> None:
    site = Site(command, tmp_path, NODES.replace("web1:", "wep1:"))
    site.on("wep1")
    for words in (("validate",), ("plan",), ("deploy", "--approve")):
        refused = site.run(*words, "service.yaml", code=3)
        assert 'service.yaml:2:9: no host and no group of the inventory is "wep1" (did you mean web1?' in refused
    assert site.ran() == []


def test_facts_are_those_of_the_host(command: Any, tmp_path: Path) -> None:
    inventory = HOSTS.replace("web1: {", "web1: {ansible_python_interpreter: %(folder)s/python, ")
    (tmp_path / "python").symlink_to(sys.executable)
    site = Site(
        command,
        tmp_path,
        NODES.replace("web1: {type: ansible.Host, properties: {gather_facts: false}}", "web1: {type: ansible.Host}"),
    )
    site.inventory(inventory)
    site.on("web1")
    assert "localhost" not in site.run("deploy", "service.yaml", "--approve")
    status = json.loads(site.run("status", "--output", "json"))
    [web1] = [one for one in status["instances"] if one["name"] == "web1"]
    assert web1["attributes"]["facts"]["ansible_python"]["executable"] == f"{tmp_path}/python"
    assert "web1  ok=" in site.run("check")
    assert "localhost" not in site.run("check")
