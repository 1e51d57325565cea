"""What takes away what a task made: its own module with another state, or the removal of its file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from ansible_ensemble.configurators.locations import BUILTIN
from ansible_ensemble.configurators.module_spec import ModuleSpec
from ansible_ensemble.configurators.resources import GONE, REFUSED_WHEN_GONE

#: Modules that make a file, and have no state in which it is not there -> the argument that names it.
_MAKES_FILE = {"copy": "dest", "template": "dest", "get_url": "dest", "assemble": "dest"}
#: Modules that fill a folder of their own.
_MAKES_FOLDER = {"git": "dest", "subversion": "dest"}
_FILE = f"{BUILTIN}file"


@dataclass(frozen=True, slots=True)
class Undo:
    """What takes something away.

    Attributes:
        told: in words.
        args: the arguments of the module.
        module: another module than the one that made it.
    """

    told: str
    args: Mapping[str, Any]
    module: str = ""


def undo_of(name: str, spec: ModuleSpec, args: Mapping[str, Any], item: tuple[str, Any] = ("", "")) -> Undo | str:
    """What takes away what a module, by its short name, made with arguments; or why nothing does.

    `item` is the name and the value of the variable of a loop.
    """
    option = spec.options.get("state")
    gone = next((state for state in GONE if option is not None and state in option.choices), None)
    if args.get("state") in GONE:
        return "it takes something away"
    if gone is not None:
        refused = REFUSED_WHEN_GONE.get(BUILTIN + name, frozenset())
        left = {key: value for key, value in args.items() if key not in refused}
        return Undo(f"{name} with state {gone}", {**left, "state": gone})
    path = _path_made(name, args, item)
    if path is not None:
        return Undo(f"removes {path}", {"path": path, "state": "absent"}, _FILE)
    return "its dest may be a folder that was there before" if name in _MAKES_FILE else "its module has no state absent"


def _path_made(name: str, args: Mapping[str, Any], item: tuple[str, Any]) -> str | None:
    """The file that a module makes, if it is certain that it is one; or the folder that it fills."""

    def last_of(path: str) -> str:
        return PurePosixPath(path.replace(f"{{{{ {item[0]} }}}}", str(item[1]))).name

    if name in _MAKES_FOLDER:
        return str(args[_MAKES_FOLDER[name]]) if args.get(_MAKES_FOLDER[name]) else None
    path, source = str(args.get(_MAKES_FILE.get(name, "")) or ""), str(args.get("src") or args.get("url") or "")
    base = last_of(source).removesuffix(".j2")
    is_file = "content" in args or name in ("template", "assemble") or "." in base
    if not path or source.endswith("/") or not is_file:
        return None
    if path.endswith("/"):
        return f"{path}{base}" if base and name in ("copy", "template") else None
    last = last_of(path)
    certain = "content" in args or last == base or PurePosixPath(last).suffix not in ("", ".d")
    return path if certain else None
