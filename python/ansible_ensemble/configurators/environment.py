"""Environment variables of what implements an operation."""

from __future__ import annotations

import json
import os
from typing import Any

from ansible_ensemble.configurators.protocol import Task
from ansible_ensemble.configurators.results import as_map
from ansible_ensemble.core.environment import Changes, apply_rules, is_rule, with_changes
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.sensitive import reveal
from ansible_ensemble.documents.scalars import as_written, is_written


def implementation_environment(task: Task) -> Changes:
    """What is changed in the job's environment: by variables, by connections, and by its own rules."""
    rules = _rules(task)
    for name in rules:
        if not is_rule(name):
            raise InvalidInput(f"{name!r} cannot be the name of an environment variable", task.operation.place)
    own = {**task.environment, **_of_tools(task)}
    exports = task.exported()
    if not rules and not exports:
        return own
    environment = with_changes(os.environ, own)
    exported = apply_rules(exports, environment, as_text)
    changes = apply_rules(rules, with_changes(environment, exported), as_text)
    return {**own, **{name: reveal(value) for name, value in {**exported, **changes}.items()}}


def _of_tools(task: Task) -> Changes:
    """The variables by which operations find the tools that were installed for them, which are on the controller."""
    if not task.tools or not _is_on_controller(task):
        return {}
    given = with_changes(os.environ, task.environment)
    programs = [str(folder / "bin") for folder in task.tools]
    return {"PATH": os.pathsep.join([*programs, given.get("PATH") or os.defpath])}


def _is_on_controller(task: Task) -> bool:
    try:
        return task.host.name == "localhost"
    except InvalidInput:  # validate knows no hosts where no inventory is named; what runs asks for its host itself
        return False


def set_variables(task: Task) -> dict[str, str]:
    """The variables that Ansible sets where it runs; what is not there need not be removed."""
    return with_changes({}, implementation_environment(task))


def _rules(task: Task) -> dict[str, Any]:
    """The implementation's rules; Ansible takes a list of maps for one map."""
    written = task.setting("environment")
    rules: dict[str, Any] = {}
    for part in written if isinstance(written, (list, tuple)) else [written]:
        given = as_map(part, "the environment of the implementation must be", task)
        rules |= {str(name): value for name, value in given.items()}
    return rules


def as_text(value: Any) -> str:
    """A value as an environment variable holds it."""
    if is_written(value):
        return as_written(value)
    value = reveal(value)
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
