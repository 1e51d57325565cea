"""What the role `awx` makes in AWX, as a playbook of the collection awx.awx (docs/awx.md).

The role's own table says what that is; Ansible renders it here as it does in the role.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible_ensemble.configurators.locations import collection_folders
from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.jobs.inputs import surveys

_ROLE = Path("tosca", "ensemble", "roles", "awx")
_HINT = "give the variables of the role awx by -e @FILE"
_HEAD = """\
---
# Made by `ansible-ensemble awx export`; it needs the collection awx.awx, CONTROLLER_HOST and CONTROLLER_OAUTH_TOKEN.
"""


def awx_playbook(extra_vars: Sequence[str], options: Mapping[str, Any]) -> str:
    """The playbook that makes the same as the role.

    Args:
        extra_vars: the role's variables, as Ansible's `--extra-vars`; secrets among them are variables of the playbook.
        options: of a job, for vault passwords.
    """
    from ansible.errors import AnsibleError

    try:
        return _playbook(extra_vars, options)
    except AnsibleError as error:
        raise InvalidInput(str(error), hint=_HINT) from error


def _playbook(extra_vars: Sequence[str], options: Mapping[str, Any]) -> str:
    from ansible.template import Templar

    loader = JobOptions.from_mapping(options).open_vault().loader(Path.cwd())
    role, given = _role(), _extra_variables(loader, extra_vars)
    specification, defaults, values = (
        loader.load_from_file(str(role / part), trusted_as_template=True)
        for part in ("meta/argument_specs.yml", "defaults/main.yml", "vars/main.yml")
    )
    secrets = _plain(values["awx_secrets"])
    templates = re.findall(r"\{\{.*?\}\}", json.dumps(secrets))
    hidden = {name for name in re.findall(r"\bawx_\w+", "".join(templates)) if given.get(name)}
    variables = {**defaults, **given, **dict.fromkeys(hidden, "given"), **values, "awx_secrets": secrets}
    engine = Templar(loader=loader, variables=variables)
    asked = specification["argument_specs"]["main"]["options"]
    _check({name: value for name, value in given.items() if name in asked.keys() - hidden}, asked, engine)
    name, ensemble, further, environment = engine.template(
        [variables[f"awx_{one}"] for one in ("name", "ensemble", "further_ensembles", "ensemble_environment")]
    )
    read = JobOptions.from_mapping({**options, "environment": environment or None})
    variables["awx_surveys"] = surveys([locate(str(one)) for one in (ensemble, *further)], read)
    play = {
        "name": f"Set up AWX for {name}",
        "hosts": "localhost",
        "gather_facts": False,
        "tasks": list(_tasks(engine, variables)),
    }
    secrets = f"# Secrets are variables: {', '.join(sorted(hidden))}.\n" if hidden else ""
    return _HEAD + secrets + _text([_plain(play)], templates)


def _role() -> Path:
    found = (folder / _ROLE for folder in collection_folders(Path.cwd()))
    role = next(filter(Path.is_dir, found), None)
    if role is None:
        raise EnsembleError("the collection tosca.ensemble is not where Ansible looks for collections")
    return role


def _extra_variables(loader: Any, extra_vars: Sequence[str]) -> dict[str, Any]:
    from ansible import context
    from ansible.utils.context_objects import CLIArgs
    from ansible.utils.vars import load_extra_vars

    before = context.CLIARGS
    context.CLIARGS = CLIArgs({**before, "extra_vars": extra_vars})
    load_extra_vars.extra_vars = None  # it keeps those that it read
    try:
        return dict(load_extra_vars(loader))
    finally:
        context.CLIARGS, load_extra_vars.extra_vars = before, None


def _check(given: Mapping[str, Any], asked: Mapping[str, Any], engine: Any) -> None:
    from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

    if errors := ArgumentSpecValidator(asked).validate(_plain(engine.template(given))).error_messages:
        raise InvalidInput("; ".join(errors), hint=_HINT)


def _tasks(engine: Any, variables: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A task for each object of the role's table."""
    for name, kind in variables["awx_objects"].items():
        engine.available_variables = variables
        kept = {"state": "exists"} if name in engine.template(variables["awx_keep"]) else {}
        for item in engine.template(kind.get("each", [variables["awx_name"]])):
            engine.available_variables = {**variables, "item": item}
            arguments = engine.template(kind["arguments"]) | kept
            noun = kind["module"].rpartition(".")[2].replace("_", " ").capitalize()
            silent = {"no_log": True} if kind.get("no_log") else {}
            named = arguments.get("name") or arguments.get("identifier") or item["name"]
            yield {"name": f"{noun} {named}", kind["module"]: arguments, **silent}


def _plain(value: Any) -> Any:
    """Data without what Ansible notes of it, such as that a text is a template."""
    return json.loads(json.dumps(value))


def _text(plays: list[dict[str, Any]], templates: Sequence[str]) -> str:
    """Plays as YAML, in which these are the only templates."""
    import yaml

    class Dumper(yaml.SafeDumper):
        def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
            super().increase_indent(flow)

    def represent(dumper: Dumper, text: str) -> yaml.Node:
        unsafe = re.search(r"\{[{%#]", text) and text not in templates
        tag = "!unsafe" if unsafe else "tag:yaml.org,2002:str"
        return dumper.represent_scalar(tag, text, "|" if "\n" in text else None)

    Dumper.add_representer(str, represent)
    return str(yaml.dump(plays, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=120))
