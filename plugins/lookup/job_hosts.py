# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lookup plugin ``tosca.ensemble.job_hosts``."""

from __future__ import annotations

DOCUMENTATION = r"""
name: job_hosts
short_description: The hosts of a play that runs a job
version_added: 0.1.0
author: The tosca.ensemble contributors (@tosca-ensemble)
description:
  - Gives C(localhost), or C(all) where C(--limit) leaves hosts of the inventory. A job runs once, on the controller;
    this is for the C(hosts) of its play, which Ansible skips where the limit leaves none of them.
  - Gives the O(pattern) of a play that works on hosts itself, if the inventory and C(--limit) leave any of them.
  - Fails where the play would be skipped, and where C(ansible-playbook) runs a playbook of this collection with
    C(--tags), C(--skip-tags) or C(--start-at-task), which would leave out parts of the job. O(tags) are excepted.
  - The playbooks of this collection use it.
options:
  limited:
    description:
      - Whether the play takes a limit. One that does not fails with C(--limit), unless that names the controller.
    type: bool
    default: true
  pattern:
    description:
      - The hosts of a play that works on them itself, rather than running a job.
    type: str
  tags:
    description:
      - Tags of the playbook by which parts of it may be chosen.
    type: list
    elements: str
    default: []
"""

EXAMPLES = r"""
- name: Deploy what the limit leaves
  hosts: "{{ lookup('tosca.ensemble.job_hosts') }}"
  gather_facts: false
  run_once: true
  roles:
    - role: tosca.ensemble.job
      delegate_to: localhost
      vars:
        ensemble: web/ensemble.yaml
        ensemble_limit: "{{ ansible_limit | default(omit) }}"
"""

RETURN = r"""
_raw:
  description: The pattern of hosts.
  type: list
  elements: str
"""

import re
from collections.abc import Mapping, Set
from pathlib import Path
from typing import Any

from ansible import context
from ansible.errors import AnsibleLookupError
from ansible.inventory.manager import InventoryManager
from ansible.plugins.lookup import LookupBase
from ansible_collections.tosca.ensemble.plugins.plugin_utils.package import COLLECTION

_CONTROLLER = frozenset({"localhost", "127.0.0.1", "::1"})
_INSTEAD = "limit a job by -l or -e ensemble_limit=PATTERN, or run one operation: tosca.ensemble.run"
# options by which ansible-playbook runs nothing
_LISTING = ("syntax", "listhosts", "listtasks", "listtags")


class LookupModule(LookupBase):
    """Decides where the play of a job runs."""

    def run(
        self,
        terms: list[str],  # noqa: ARG002 - it has none; the signature is Ansible's
        variables: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> list[str]:
        """The pattern of hosts.

        Raises:
            AnsibleLookupError: the play, or a part of it, would be skipped.
        """
        self.set_options(var_options=variables, direct=kwargs)
        given, pattern, tags = context.CLIARGS, self.get_option("pattern"), self.get_option("tags")
        if any(given.get(name) for name in _LISTING):
            return [pattern or "localhost"]
        if any(_is_ours(str(playbook)) for playbook in given.get("args") or ()):
            _refuse_parts(given, set(tags), is_job=pattern is None)
        if pattern is not None:
            return [self._matched(pattern, variables or {})]
        return [_hosts(variables or {}, takes_limit=self.get_option("limited"))]

    def _matched(self, pattern: str, variables: Mapping[str, Any]) -> str:
        """The pattern, if it means any host that the limit leaves."""
        inventory, limit = InventoryManager(self._loader, parse=False), variables.get("ansible_limit")
        for group, hosts in variables.get("groups", {}).items():
            inventory.add_group(group)
            for host in hosts:
                inventory.add_host(host, group=group)
        inventory.subset(limit)
        if inventory.list_hosts(pattern):
            return pattern
        left = f" that --limit {limit} leaves" if limit else ""
        raise AnsibleLookupError(f"{pattern} means no host of the inventory{left}; -i names the inventory")


def _is_ours(playbook: str) -> bool:
    return playbook.startswith("tosca.ensemble.") or Path(playbook).resolve().parent == COLLECTION / "playbooks"


def _refuse_parts(given: Mapping[str, Any], tags: Set[str], *, is_job: bool) -> None:
    """Refuse options that leave out tasks: a job is one, and its operations are no tasks of the playbook."""
    chosen, skipped = set(given.get("tags") or ()) - {"all"}, set(given.get("skip_tags") or ())
    refused = {
        "--tags": chosen - tags,
        "--skip-tags": skipped - tags or (skipped and not (chosen or tags) - skipped),
        "--start-at-task": given.get("start_at_task"),
    }
    instead = f"choose parts by --tags {','.join(sorted(tags))}" if tags else "choose hosts by -l"
    for option, is_refused in refused.items():
        if is_refused:
            what, instead = ("a job", _INSTEAD) if is_job else ("this playbook", instead)
            raise AnsibleLookupError(f"{what} is run as a whole, without {option}: {instead}")


def _hosts(variables: Mapping[str, Any], *, takes_limit: bool) -> str:
    limit = variables.get("ansible_limit")
    if limit is None:
        return "localhost"
    if takes_limit and variables.get("groups", {}).get("all"):
        return "all"  # Ansible has made sure that the limit leaves one of them
    if not _CONTROLLER.isdisjoint(re.split("[,:]", limit)):
        return "localhost"
    if not takes_limit:
        raise AnsibleLookupError(f"this is of the whole ensemble, without --limit {limit}")
    raise AnsibleLookupError(
        f"--limit {limit} matches no host of an inventory; instances are named by -e ensemble_limit={limit}"
    )
