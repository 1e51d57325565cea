"""The files of a project that a module copies or renders: change one, and what was made of it is out of date."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible_ensemble.configurators.locations import BUILTIN

_TEMPLATE = f"{BUILTIN}template"
#: Modules that take `src` from the controller -> the folder in which Ansible looks for it first.
_FOLDERS = {f"{BUILTIN}copy": "files", _TEMPLATE: "templates", f"{BUILTIN}unarchive": "files"}


def sent_file(module: str, args: Mapping[str, Any], base: Path) -> Path | None:
    """The file or folder that a module by its FQCN takes from the controller; None if it takes none that is there."""
    source = args.get("src")
    if module not in _FOLDERS or not isinstance(source, str) or not source or args.get("remote_src"):
        return None
    found = (folder / source for folder in (base / _FOLDERS[module], base))
    return next((path for path in found if path.exists()), None)
