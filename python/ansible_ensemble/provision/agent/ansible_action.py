"""Which actions of jobs are Ansible's tasks."""

from __future__ import annotations

from typing import Any

import yaml

from ansible_ensemble.provision.objects.job import JobAction

#: The interpreter, in an action's Meta, that says so.
_INTERPRETER = "ansible"
_ENDINGS = (".yml", ".yaml")


def is_ansible(action: JobAction) -> bool:
    """Whether an action without a path is Ansible's: its Meta says so, or its name and content do.

    The name ends in `.yml` or `.yaml`, and the content is a list of maps, and no script with a first line `#!`.
    """
    interpreter = (action.meta or {}).get("Interpreter", "")
    if interpreter:
        return interpreter == _INTERPRETER
    named = action.name.endswith(_ENDINGS)
    return named and not action.content.startswith("#!") and _is_list_of_maps(action.content)


def _is_list_of_maps(content: str) -> bool:
    try:
        value: Any = yaml.load(content, _Tolerant)
    except yaml.YAMLError:
        return False
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


class _Tolerant(yaml.SafeLoader):
    """Reads what has tags, like `!vault` and `!unsafe`, for its shape alone."""


_Tolerant.add_multi_constructor("!", lambda *_: None)
