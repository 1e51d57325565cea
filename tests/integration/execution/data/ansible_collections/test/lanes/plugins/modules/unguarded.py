#!/usr/bin/python
"""A module that runs when it is imported."""

from __future__ import annotations

from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

module = AnsibleModule(argument_spec={"path": {"type": "path", "required": True}})
with Path(module.params["path"]).open("a") as file:
    file.write("ran\n")
module.exit_json(changed=True)
