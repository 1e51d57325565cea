"""A stand-in for the managers of packages and accounts: an entry is a file in a folder of the host."""

from __future__ import annotations

from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

DOCUMENTATION = """
module: registry
short_description: Add and remove entries of a registry
options:
  folder: {description: The folder that stands for the registry., type: path, required: true}
  name: {description: The entries., type: list, elements: str, required: true}
  version: {description: What they hold., type: str, default: "1"}
  state: {description: Whether they are there., type: str, choices: [present, absent], default: present}
"""


def main() -> None:
    module = AnsibleModule(
        {
            "folder": {"type": "path", "required": True},
            "name": {"type": "list", "elements": "str", "required": True},
            "version": {"default": "1"},
            "state": {"choices": ["present", "absent"], "default": "present"},
        },
        supports_check_mode=True,
    )
    wanted = module.params["version"] if module.params["state"] == "present" else None
    changed = []
    for name in module.params["name"]:
        entry = Path(module.params["folder"], name)
        if (entry.read_text() if entry.exists() else None) == wanted:
            continue
        changed.append(name)
        if module.check_mode:
            continue
        if wanted is None:
            entry.unlink()
        else:
            entry.write_text(wanted)
    module.exit_json(changed=bool(changed), entries=changed)


if __name__ == "__main__":
    main()
