"""Which actions of jobs are Ansible's tasks."""

from __future__ import annotations

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
    """Whether it has that shape, whatever its tags and values are: they are Ansible's to judge."""
    import yaml  # most agents meet no such action

    try:
        node = yaml.compose(content, yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError):
        return False
    items = node.value if isinstance(node, yaml.SequenceNode) else []
    return bool(items) and all(isinstance(item, yaml.MappingNode) for item in items)
