"""Ansible's settings, from where Ansible takes them: environment variables and `ansible.cfg`.

Ansible is imported only where a setting may differ from its default; its import takes longer than most plans.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_LOCAL = "ansible.cfg"
_OWN = ("~/.ansible.cfg", "/etc/ansible/ansible.cfg")
_NAMED = "ANSIBLE_CONFIG"
#: Stands for a configuration without settings: Ansible looks further where a named file is not there.
_EMPTY = Path(__file__).with_name("no_settings.cfg")


def may_be_set(word: str, variables: Sequence[str]) -> bool:
    """Whether a look at Ansible's settings is worth the time its import takes.

    Args:
        word: what an `ansible.cfg` with such a setting holds.
        variables: the environment variables for it.
    """
    if any(os.environ.get(name) for name in variables):
        return True
    named = os.environ.get(_NAMED)
    own = (*filter(None, (local_settings(),)), *map(_expanded, _OWN))
    for path in (Path(named).expanduser(), Path(named) / _LOCAL) if named else own:
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


def local_settings() -> Path | None:
    """The `ansible.cfg` of the working directory, if Ansible takes its settings from there."""
    try:
        if os.environ.get(_NAMED) or Path.cwd().stat().st_mode & stat.S_IWOTH:
            return None
        path = Path.cwd() / _LOCAL
        return path if path.is_file() else None
    except OSError:
        return None


def is_public_folder() -> bool:
    """Whether there is an `ansible.cfg` here that Ansible ignores, since it is world-writable."""
    try:
        here = Path.cwd()
        return not os.environ.get(_NAMED) and bool(here.stat().st_mode & stat.S_IWOTH) and (here / _LOCAL).exists()
    except OSError:
        return False


def withhold_local_settings() -> None:
    """Have Ansible take the user's own settings in place of those of the working directory, here and in what we start.

    It must be called before Ansible is imported.
    """
    os.environ[_NAMED] = str(next((path for path in map(_expanded, _OWN) if path.is_file()), _EMPTY))


def _expanded(path: str) -> Path:
    return Path(os.path.expanduser(path))  # noqa: PTH111  (it raises nothing for a user without a home)
