"""What takes away what a task made: its own module with another state, or the removal of its file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ansible_ensemble.configurators.locations import BUILTIN
from ansible_ensemble.configurators.made_files import FILE, MAKES_FILE, path_made
from ansible_ensemble.configurators.module_spec import ModuleSpec
from ansible_ensemble.configurators.resources import GONE, REFUSED_WHEN_GONE

#: Modules that fill a folder of their own.
_MAKES_FOLDER = {"git": "dest", "subversion": "dest"}


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
    path = str(args.get(_MAKES_FOLDER.get(name, "")) or "") or path_made(name, args, item)
    if path:
        return Undo(f"removes {path}", {"path": path, "state": "absent"}, FILE)
    return "its dest may be a folder that was there before" if name in MAKES_FILE else "its module has no state absent"
