#!/usr/bin/python
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of a DNS zone, by a provider of octodns."""

from __future__ import annotations

DOCUMENTATION = r"""
module: dns_records
short_description: Records of a DNS zone, by octodns
version_added: 0.1.0
author: The tosca.ensemble contributors (@tosca-ensemble)
description:
  - Creates, changes and deletes records of a zone, at any provider that octodns has.
requirements:
  - octodns, and the package of the provider, where the module runs
attributes:
  check_mode:
    support: full
    description: It says what it would change.
  diff_mode:
    support: full
    description: It shows the records of the zone.
options:
  zone:
    description: The name of the zone.
    type: str
    required: true
    aliases: [name]
  provider:
    description: The provider's C(class), and what it is made with, as octodns has it in its configuration.
    type: dict
    required: true
  records:
    description: Of each name, empty for the zone itself, a record or a list of records, as octodns has them in YAML.
    type: dict
    default: {}
  exclusive:
    description: Delete the other records of the zone.
    type: bool
    default: false
  keep:
    description: Names of records that stay where O(exclusive) deletes others.
    type: list
    elements: str
    default: []
  default_ttl:
    description: The seconds that a record without C(ttl) is valid.
    type: int
    default: 300
  state:
    description: Whether the records are there. Where they are not, others stay, unless it is V(exclusive).
    type: str
    choices: [present, absent]
    default: present
"""

EXAMPLES = r"""
- name: Have a record in a zone
  tosca.ensemble.dns_records:
    zone: example.com.
    provider:
      class: octodns.provider.yaml.YamlProvider
      directory: /srv/zones
    records:
      www: {type: A, value: 192.0.2.1}
"""

RETURN = r"""
zone:
  description: The records of the zone, as octodns has them in YAML.
  returned: success
  type: dict
  sample: {www: [{type: A, ttl: 300, value: 192.0.2.1}]}
managed_records:
  description: Those of them that the task is about.
  returned: success
  type: dict
  sample: {www: [{type: A, ttl: 300, value: 192.0.2.1}]}
"""

import fcntl
import hashlib
import importlib
import json
import traceback
from pathlib import Path
from typing import Any

from ansible.module_utils.basic import AnsibleModule, missing_required_lib

try:
    from octodns.record import Record
    from octodns.zone import Zone

    MISSING = None
except ImportError:
    MISSING = traceback.format_exc()


def main() -> None:
    """Compare the zone with what it should have, and have the provider change it."""
    module = AnsibleModule(
        argument_spec={
            "zone": {"type": "str", "required": True, "aliases": ["name"]},
            "provider": {"type": "dict", "required": True, "no_log": True},
            "records": {"type": "dict", "default": {}},
            "exclusive": {"type": "bool", "default": False},
            "keep": {"type": "list", "elements": "str", "default": []},
            "default_ttl": {"type": "int", "default": 300},
            "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        },
        supports_check_mode=True,
    )
    if MISSING is not None:
        module.fail_json(msg=missing_required_lib("octodns"), exception=MISSING)
    given = module.params
    name = given["zone"].rstrip(".") + "."
    try:
        lock = locked(module, name)
        provider = made(given["provider"])
        existing, own = Zone(name, []), Zone(name, [])
        provider.populate(existing, target=True, lenient=True)
        for key, entry in given["records"].items():
            for one in entry if isinstance(entry, list) else [entry]:
                own.add_record(Record.new(own, "" if key == "@" else key, {"ttl": given["default_ttl"], **one}))
        wanted = desired(existing, own, given)
        plan = provider.plan(wanted)
        if plan is not None and not module.check_mode:
            provider.apply(plan)
    except Exception as error:  # a provider may raise anything
        module.fail_json(msg=f"the zone {name}: {error}")
    lock.close()
    before, after = written(existing), written(wanted)
    module.exit_json(
        changed=plan is not None,
        zone=after,
        managed_records=written(own) if given["state"] == "present" else {},
        diff={"before": text(before), "after": text(after), "before_header": name, "after_header": name},
    )


def locked(module: AnsibleModule, zone: str) -> Any:
    """A file that is locked while a zone is read and changed: many providers write all of it."""
    key = hashlib.sha256(zone.encode()).hexdigest()[:16]
    lock = (Path(module.tmpdir).parent / f"dns-{key}.lock").open("w", encoding="utf-8")
    fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def made(settings: dict[str, Any]) -> Any:
    """The provider of a class and what it is made with."""
    folder, dot, name = str(settings.get("class", "")).rpartition(".")
    if not dot:
        raise ValueError("the provider has no class, such as octodns.provider.yaml.YamlProvider")
    arguments = {key: value for key, value in settings.items() if key != "class"}
    return getattr(importlib.import_module(folder), name)("provider", **arguments)


def desired(existing: Any, own: Any, given: dict[str, Any]) -> Any:
    """The zone as it should be."""
    zone = Zone(existing.name, [])
    ours = {(one.name, one._type) for one in own.records}
    others = [one for one in existing.records if (one.name, one._type) not in ours]
    kept = [one for one in others if not given["exclusive"] or one.name in given["keep"]]
    for record in [*kept, *(own.records if given["state"] == "present" else ())]:
        zone.add_record(record, lenient=True)
    return zone


def written(zone: Any) -> dict[str, Any]:
    """The records of a zone by name, as in YAML."""
    found: dict[str, Any] = {}
    for record in sorted(zone.records):
        found.setdefault(record.name, []).append({**record.data, "type": record._type})
    plain: dict[str, Any] = json.loads(json.dumps(found, default=str))
    return plain


def text(records: dict[str, Any]) -> str:
    """The records for a diff."""
    return json.dumps(records, indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    main()
