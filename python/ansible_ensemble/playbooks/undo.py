"""What takes away what a task made: its own module with another state, or the removal of its file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from msgspec import Struct

from ansible_ensemble.configurators.made_files import FILE, MAKES_FILE
from ansible_ensemble.configurators.module_spec import ModuleSpec
from ansible_ensemble.configurators.teardown import Way, removal_of, way_of

#: Modules that fill a folder of their own.
_MAKES_FOLDER = {"git": "dest", "subversion": "dest"}


class Undo(Struct, frozen=True):
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
    """The task that takes away what another one made, of which nothing is noted; or why there is none.

    `name` is that of a module, `item` the name and the value of the variable of a loop. Without a note of what was
    there before, a file is removed only where its name says that it is one.
    """
    found = removal_of(name, spec, args)
    if isinstance(found, str):
        return found
    way = way_of(name, args)
    if way in (Way.SERVICE, Way.RESTORE):
        return "what was there before is not known"
    if found.module == name or way is not Way.FILES:
        kept = {new: args[old] for old, new in found.kept.items()}
        return Undo(found.told, {**kept, **found.more})
    path = str(args.get(_MAKES_FOLDER.get(name, "")) or "") or _path_made(name, args, item)
    if path:
        return Undo(f"removes {path}", {"path": path, "state": "absent"}, FILE)
    return "its dest may be a folder that was there before"


def _path_made(name: str, args: Mapping[str, Any], item: tuple[str, Any]) -> str | None:
    """The file that a module makes, if its name says that it is one; None if it may be a folder, or a file in one."""

    def last_of(path: str) -> str:
        return PurePosixPath(path.replace(f"{{{{ {item[0]} }}}}", str(item[1]))).name

    path, source = _text(args, MAKES_FILE.get(name, "")), _text(args, "src") or _text(args, "url")
    base = last_of(source).removesuffix(".j2")
    is_file = "content" in args or name in ("template", "assemble") or ("." in base and not base.endswith(".d"))
    if not path or source.endswith("/") or not is_file:
        return None
    if path.endswith("/"):
        return f"{path}{base}" if base and name in ("copy", "template") else None
    last = last_of(path)
    suffix = PurePosixPath(last).suffix
    like_a_file = suffix not in ("", ".d") and (name == "template" or suffix == PurePosixPath(base).suffix)
    return path if last == base or like_a_file or "content" in args or name == "assemble" else None


def _text(args: Mapping[str, Any], name: str) -> str:
    return value if isinstance(value := args.get(name), str) else ""
