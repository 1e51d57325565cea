"""A stand-in for the manager of services of a machine: a service is a file of what it last read when it started."""

from __future__ import annotations

import hashlib
from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

DOCUMENTATION = """
module: daemon
short_description: Start, stop and restart a service of a user
options:
  name: {description: Its name., type: str, required: true}
  root: {description: The folder that stands for the machine., type: path, required: true}
  config: {description: A file that it reads when it starts., type: path}
  state: {description: What it should be., type: str, choices: [started, stopped, restarted, absent], default: started}
"""


def main() -> None:
    module = AnsibleModule(
        {
            "name": {"required": True},
            "root": {"type": "path", "required": True},
            "config": {"type": "path"},
            "state": {"choices": ["started", "stopped", "restarted", "absent"], "default": "started"},
        },
        supports_check_mode=True,
    )
    given = module.params
    running = Path(given["root"], "run", f"{given['name']}.pid")
    log = Path(given["root"], "log", f"{given['name']}.log")
    config = Path(given["config"]) if given["config"] else None
    read = hashlib.sha256(config.read_bytes()).hexdigest()[:12] if config and config.exists() else "nothing"
    begins, ends = given["state"] in ("started", "restarted"), given["state"] in ("stopped", "absent")
    was_running = running.exists()
    changed = given["state"] == "restarted" or begins != was_running
    changed = changed or (given["state"] == "absent" and log.exists())
    if changed and not module.check_mode:
        for one in (running, log):
            one.parent.mkdir(exist_ok=True)
        if begins:
            running.write_text(f"{given['name']} read {read}\n")
        elif ends:
            running.unlink(missing_ok=True)
        with log.open("a") as lines:
            lines.write(f"{given['state']}\n")
        if given["state"] == "absent":
            log.unlink()
    before, after = (f"{given['name']} {'runs' if one else 'rests'}\n" for one in (was_running, begins))
    module.exit_json(changed=changed, name=given["name"], diff={"before": before, "after": after})


if __name__ == "__main__":
    main()
