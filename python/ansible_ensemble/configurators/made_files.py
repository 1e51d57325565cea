"""Files that modules make which have no state in which these are not there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
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


def path_made(name: str, args: Mapping[str, Any], item: tuple[str, Any] = ("", "")) -> str | None:
    """The file that a module, by its short name, makes with arguments; None if it may make a folder, or write into one.

    `item` is the name and the value of the variable of a loop.
    """

    def last_of(path: str) -> str:
        return PurePosixPath(path.replace(f"{{{{ {item[0]} }}}}", str(item[1]))).name

    path, source = _text(args.get(MAKES_FILE.get(name, ""))), _text(args.get("src") or args.get("url"))
    base = last_of(source).removesuffix(".j2")
    is_file = "content" in args or name in ("template", "assemble") or ("." in base and not base.endswith(".d"))
    if not path or source.endswith("/") or not is_file:
        return None
    if path.endswith("/"):
        return f"{path}{base}" if base and name in ("copy", "template") else None
    last = last_of(path)
    suffix = PurePosixPath(last).suffix
    alike = last == base or (suffix not in ("", ".d") and suffix == PurePosixPath(base).suffix)
    return path if alike or "content" in args or name == "assemble" else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
