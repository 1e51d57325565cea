"""What says which file a node makes: where it changes, the node makes another file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from ansible_ensemble.configurators.locations import BUILTIN
from ansible_ensemble.configurators.made_files import FILE, MAKES_FILE, is_certain_file
from ansible_ensemble.configurators.teardown import GONE
from ansible_ensemble.language.entities import NodeTemplate

_TEMPLATE = "file.Template"
_RESOURCE = "ansible.Resource"
#: What modules call the path of their file; `file` knows it by three names.
_PATHS = ("path", "dest", "name")


class Identity(Struct, frozen=True):
    """The property that says which file a node makes.

    Attributes:
        path: leads to it, from the node's properties: `("args", "dest")`.
        given: the input by which the node's delete operation gets it; None if that would not remove this very file.
        module: the module that makes it, by its short name; None for a `file.Template`.
    """

    path: tuple[str, ...]
    given: str | None
    module: str | None = None

    def is_certain(self, properties: Mapping[str, Any]) -> bool:
        """Whether with such properties the node makes just one file, and no folder with whatever is in it."""
        return self.is_same_kind(properties) and (
            self.module is None or is_certain_file(self.module, properties["args"])
        )

    def is_same_kind(self, properties: Mapping[str, Any]) -> bool:
        """Whether the same module made it, in a way that its delete operation undoes."""
        args, module = properties.get("args"), properties.get("module")
        if self.module is None or not isinstance(args, Mapping):
            return self.module is None
        if module is not None and str(module).removeprefix(BUILTIN) != self.module:
            return False
        return BUILTIN + self.module == FILE or is_certain_file(self.module, args)


def identity_of(node: NodeTemplate) -> Identity | None:
    """What says which file a node makes; None if it makes none, or nothing is known of what it makes."""
    found = _path(node)
    if found is None:
        return None
    delete = node.operation("Standard", "delete")
    inputs = delete.inputs if delete is not None else {}
    wanted = {"get_property": ["SELF", *found]}
    given = next((name for name in _PATHS if name in inputs and inputs[name].value == wanted), None)
    return Identity(found, given, None if node.type.is_a(_TEMPLATE) else _module(node))


def _module(node: NodeTemplate) -> str:
    return str(node.properties["module"].value).removeprefix(BUILTIN)


def _path(node: NodeTemplate) -> tuple[str, ...] | None:
    if node.type.is_a(_TEMPLATE):
        return ("path",)
    module, args = (node.properties.get(name) for name in ("module", "args"))
    if not node.type.is_a(_RESOURCE) or module is None or args is None or not isinstance(args.value, Mapping):
        return None
    if args.value.get("state") in GONE:
        return None
    name = _module(node)
    names = _PATHS if BUILTIN + name == FILE else (MAKES_FILE.get(name, ""),)
    used = next((one for one in names if one in args.value), None)
    return ("args", used) if used is not None else None
