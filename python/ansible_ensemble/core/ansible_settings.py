"""Ansible's settings, from where Ansible takes them: environment variables and `ansible.cfg`.

Ansible is imported only where a setting may differ from its default; its import takes longer than most plans.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_FILES = ("ansible.cfg", "~/.ansible.cfg", "/etc/ansible/ansible.cfg")


def may_be_set(word: str, variables: Sequence[str]) -> bool:
    """Whether a look at Ansible's settings is worth the time its import takes.

    Args:
        word: what an `ansible.cfg` with such a setting holds.
        variables: the environment variables for it.
    """
    if any(os.environ.get(name) for name in variables):
        return True
    named = os.environ.get("ANSIBLE_CONFIG")
    for path in (Path(named).expanduser(), Path(named) / "ansible.cfg") if named else map(_expanded, _FILES):
        try:
            if word in path.read_text(encoding="utf-8", errors="replace"):
                return True
        except OSError:
            continue
    return False


def setting(name: str) -> Any:
    """The value of a setting by the name that `ansible-config list` gives it."""
    from ansible import constants

    return constants.config.get_config_value(name)


def _expanded(path: str) -> Path:
    return Path(os.path.expanduser(path))  # noqa: PTH111  (it raises nothing for a user without a home)
