"""Data as Ansible has read it, without the marks that it bears."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from ansible_ensemble.lanes import core


def is_open(data: Any) -> bool:
    """Whether nothing in data is encrypted."""
    if isinstance(data, Mapping):
        return all(is_open(value) for value in data.values())
    if isinstance(data, list | tuple):
        return all(is_open(value) for value in data)
    return not core.is_vaulted(data)


def plain(data: Any) -> Any:
    """Data of Python's own types; nothing in it may be encrypted."""
    if isinstance(data, Mapping):
        return {str.__str__(key): plain(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [plain(value) for value in data]
    if isinstance(data, bool) or data is None:
        return data
    if isinstance(data, str):
        return str.__str__(data)
    return int(data) if isinstance(data, int) else float(data) if isinstance(data, float) else str(data)


def as_yaml(data: Any) -> str:
    """Data as Ansible reads it again; what is encrypted stays so."""
    from ansible.parsing.yaml.dumper import AnsibleDumper

    text: str = yaml.dump(data, Dumper=AnsibleDumper, sort_keys=False, default_flow_style=False, width=110)
    return text
