"""Folders of the user, as the XDG Base Directory Specification has them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def with_home(path: str | Path) -> Path:
    """A path with a folder for its `~`; one of somebody whom the system does not know stays as it is, as in shells."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


def state_folder(environment: Mapping[str, str]) -> Path:
    """Where what lasts is kept that is neither the user's work nor configuration."""
    home = Path(environment.get("HOME") or "~").expanduser()
    return Path(environment.get("XDG_STATE_HOME") or home / ".local/state") / "ansible-ensemble"
