"""Files that modules make which have no state in which these are not there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_ensemble.configurators.locations import BUILTIN

#: Modules that make a file, and have no state in which it is not there -> the argument that names it.
MAKES_FILE = {"copy": "dest", "template": "dest", "get_url": "dest", "assemble": "dest"}
#: What removes it.
FILE = f"{BUILTIN}file"


def is_certain_file(name: str, args: Mapping[str, Any]) -> bool:
    """Whether a module, by its short name, makes just one file with arguments, whatever was there before.

    It is so of `content`, which Ansible never writes into a folder, and of links; with any `src` a `dest` that is a
    folder is taken for the place of a file in it.
    """
    if name == "copy":
        return "content" in args and args.get("force", True) is True and not _text(args.get("dest")).endswith("/")
    return name == "file" and args.get("state") in ("link", "hard")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
