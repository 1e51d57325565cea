"""Undeploy leaves what is on another machine under the name of the one on which tasks made something."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.integration.debian import ROOT, debian
from tests.integration.sshd import SSHD

TASKS = """\
- name: Made
  ansible.builtin.copy: {content: made, dest: /srv/made, mode: "0644"}
  when: true
- name: Group
  ansible.builtin.group: {name: made}
  when: true
"""
#: The machines' ids; the name of the host of the second inventory, and the address; whether what was made there goes.
CASES = {
    "another machine": (("a" * 32, "b" * 32), "other", "127.0.0.1", False),
    "another machine, without ids": (("", ""), "other", "127.0.0.1", False),
    "another address": (("a" * 32, "b" * 32), "web", "localhost", True),
    "another address, without ids": (("", ""), "web", "localhost", False),
}


@pytest.mark.skipif(not ROOT.exists() or SSHD is None or os.getuid() != 0, reason="needs root and make debian")
@pytest.mark.parametrize("case", CASES)
def test_what_another_machine_has_stays(case: str, command: Callable[..., Any], tmp_path: Path) -> None:
    ids, name, address, goes = CASES[case]
    site = tmp_path / "site"
    site.mkdir()
    (site / "made.yml").write_text(TASKS)
    (site / "site.yml").write_text(
        "- {hosts: web, gather_facts: false, tasks: [{import_tasks: made.yml}, {meta: noop}]}"
    )
    with debian(tmp_path / "hosts", ("web", "other")) as hosts:
        shared, each = hosts.inventory()
        for machine, one in zip(each, ids, strict=True):
            (hosts.folder / machine / "etc/machine-id").write_text(f"{one}\n" if one else "")

        def reach(machine: str, address: str) -> None:
            web = {**shared, **each[machine], "ansible_host": address}
            (site / "hosts.yaml").write_text(yaml.safe_dump({"web": {"hosts": {"web1": web}}}))

        def job(*words: str) -> str:
            done = command(*words, "-i", "hosts.yaml", "--approve", cwd=site)
            assert done.code == 0, done.output
            return str(done.output)

        reach("web", "127.0.0.1")
        job("import", "site.yml")
        job("deploy")
        made = hosts.folder / name / "srv/made"
        if name == "other":
            made.write_text("other")
            (hosts.folder / name / "etc/group").open("a").write("made:x:1234:\n")
        reach(name, address)
        told = job("undeploy", "--force")
        assert made.exists() is not goes
        assert ("made:x:" in (hosts.folder / name / "etc/group").read_text()) is not goes
        for thing in ("Made", "Group"):
            assert (f"{thing}: what was made is on another machine, and it stays" in told) is not goes, told
