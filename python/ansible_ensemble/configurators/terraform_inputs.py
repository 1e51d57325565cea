"""What an operation's inputs say to Terraform: its module, variables and backend."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible_ensemble.configurators.protocol import Task
from ansible_ensemble.configurators.results import RESERVED_INPUTS, as_map
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.sensitive import reveal
from ansible_ensemble.documents.paths import is_folder, resolved

#: Inputs that are no variables.
OWN_INPUTS = RESERVED_INPUTS | {
    *("main", "tfvars", "stateLocation", "command", "workdir", "backend", "dryrun_outputs"),
    *("workspace", "import", "lock_timeout", "unlock", "arguments"),
}
#: Seconds that a command waits for a locked state.
_LOCK_TIMEOUT = 60


def module_of(task: Task, target: str) -> tuple[Path, dict[str, str]]:
    """The folder of the root module, and the files that are to be written there if it is the task's own.

    Raises:
        InvalidInput: there is no module.
    """
    main = task.inputs.get("main")
    if isinstance(main, Mapping):
        return task.folder, {"main.tf.json": json.dumps(reveal(main), indent=1)}
    text = str(reveal(main)) if main is not None else target
    if not text.strip():
        raise InvalidInput(
            "there is no Terraform module to run",
            task.operation.place,
            "name its folder by the implementation or the input main",
        )
    if "\n" not in text and not text.lstrip().startswith("{"):
        workdir = task.inputs.get("workdir")
        base = task.base / str(reveal(workdir)) if workdir else task.base
        folder = resolved(base / text)
        if is_folder(folder):
            if main is not None:
                task.query({"file": str(folder)})  # its contents are a part of what the operation read
            return folder, {}
        if main is None or "{" not in text:
            raise InvalidInput(f'there is no folder "{text}" with a Terraform module', task.operation.place)
    return task.folder, {"main.tf.json" if text.lstrip().startswith("{") else "main.tf": text}


def variables_of(task: Task) -> dict[str, Any]:
    """Values of the module's variables: the inputs `arguments` and `tfvars`, and all inputs that mean nothing else.

    Raises:
        InvalidInput: one of the two is not a map, and `tfvars` no text, either.
    """
    given = {name: task.inputs[name] for name in task.inputs if name not in OWN_INPUTS}
    for name in ("arguments", "tfvars"):
        if name != "tfvars" or text_of_variables(task) is None:
            given |= as_map(task.inputs.get(name), f"the input {name} must be", task)
    return given


def text_of_variables(task: Task) -> str | None:
    """The input `tfvars` where it is in Terraform's own language, and no map."""
    given = task.inputs.get("tfvars")
    return given if isinstance(given, str) else None


def state_location(task: Task) -> str | None:
    """Who keeps the state: `secrets`, the ensemble; `remote`, the module's backend; None, that backend if it has one.

    Raises:
        InvalidInput: it says something else.
    """
    location = task.inputs.get("stateLocation")
    if location not in (None, "secrets", "remote"):
        raise InvalidInput(f'the state cannot be kept in "{location}"', task.operation.place, "secrets or remote")
    return None if location is None else str(location)


def workspace_of(task: Task) -> str:
    """The workspace that an operation is in; empty for the default one."""
    name = str(reveal(task.inputs.get("workspace") or ""))
    return "" if name == "default" else name


def imports_of(task: Task) -> dict[str, str]:
    """What exists already and belongs to the module: identifiers by the addresses of resources.

    Raises:
        InvalidInput: it is not a map.
    """
    given = as_map(task.inputs.get("import"), "the input import must be", task)
    return {str(address): str(reveal(identifier)) for address, identifier in given.items()}


def lock_timeout(task: Task) -> int:
    """Seconds that a command waits for a locked state.

    Raises:
        InvalidInput: it is no number of seconds.
    """
    given = task.inputs.get("lock_timeout")
    if given is None:
        return _LOCK_TIMEOUT
    if isinstance(given, bool) or not isinstance(given, int) or given < 0:
        raise InvalidInput(f"the input lock_timeout must be a number of seconds, not {given!r}", task.operation.place)
    return given


def backend_of(task: Task) -> dict[str, Any]:
    """Settings of the module's backend.

    Raises:
        InvalidInput: they are not a map.
    """
    backend = task.inputs.get("backend")
    if backend is not None and not isinstance(backend, Mapping):
        raise InvalidInput("the input backend must be a map of the backend's settings", task.operation.place)
    return {str(name): reveal(value) for name, value in (backend or {}).items()}


def unlock_of(task: Task) -> str | None:
    """The lock of the state that was left behind, which a person says that nothing holds."""
    given = reveal(task.inputs.get("unlock"))
    return None if given is None else str(given)


def as_variable(value: Any) -> str:
    """A value as an environment variable gives it to Terraform: a text, or an expression."""
    value = reveal(value)
    if isinstance(value, str):
        return value
    return json.dumps(value).replace("${", "$${").replace("%{", "%%{")


def cache_folder(environment: Mapping[str, str]) -> Path:
    """Where providers are kept for all instances and ensembles, unless TF_PLUGIN_CACHE_DIR is set."""
    base = environment.get("XDG_CACHE_HOME") or str(Path(environment.get("HOME") or "/tmp") / ".cache")
    return Path(base) / "ansible-ensemble" / "terraform"
