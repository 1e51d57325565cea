"""Playbooks and roles that carry out actions.

They get `machine` and `params` as extra variables, in a file that its owner alone can read. Whoever may set a machine's
params says what is in them: so no param is a variable by its own name, and no text in them is evaluated as a template.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from ansible_ensemble.provision.service.commands import output_of

#: Output that is an answer; the server's own host needs no inventory.
_QUIET = {
    "ANSIBLE_NOCOLOR": "1",
    "ANSIBLE_FORCE_COLOR": "0",
    "ANSIBLE_LOCALHOST_WARNING": "False",
    "ANSIBLE_INVENTORY_UNPARSED_WARNING": "False",
}


class _Text(str):
    """A text that Ansible takes as it is."""


class _Dumper(yaml.SafeDumper):
    """Writes YAML for Ansible; in its JSON, maps with certain keys would mean something."""


_Dumper.add_representer(_Text, lambda dumper, text: dumper.represent_scalar("!unsafe", str(text), style='"'))


def run_playbook(file: Path, seconds: float, machine: Any, params: Mapping[str, Any]) -> str:
    """What a playbook prints."""
    return _played(file, file.parent, seconds, {"machine": machine, "params": params}, file.name)


def run_role(role: str, base: Path, seconds: float, machine: Any, params: Mapping[str, Any]) -> str:
    """What a role prints that runs on the server's host."""
    play = [{"name": role, "hosts": "localhost", "gather_facts": False, "roles": [role]}]
    with TemporaryDirectory() as folder:
        file = Path(folder, "play.yml")
        file.write_text(json.dumps(play), encoding="utf-8")
        return _played(file, base, seconds, {"machine": machine, "params": params}, f"the role {role}")


def _played(file: Path, folder: Path, seconds: float, variables: Mapping[str, Any], called: str) -> str:
    with TemporaryDirectory() as private:  # its mode is 0700
        extra = Path(private, "variables.yml")
        extra.write_text(yaml.dump(_inert(variables), Dumper=_Dumper, allow_unicode=True), encoding="utf-8")
        command = [sys.executable, "-m", "ansible", "playbook", "-e", f"@{extra}", str(file)]
        roles = os.pathsep.join(filter(None, (str(folder / "roles"), os.environ.get("ANSIBLE_ROLES_PATH"))))
        environment = {**_QUIET, "ANSIBLE_ROLES_PATH": roles}
        printed = output_of(command, seconds, called, folder=folder, environment=environment)
    return printed.decode(errors="replace").strip()


def _inert(value: Any) -> Any:
    """A value whose texts Ansible takes as they are."""
    if isinstance(value, str):
        return _Text(value)
    if isinstance(value, Mapping):
        return {_inert(name): _inert(one) for name, one in value.items()}
    return [_inert(one) for one in value] if isinstance(value, list) else value
