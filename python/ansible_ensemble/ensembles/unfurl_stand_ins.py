"""Modules that stand in for the package `unfurl` while a service template in Python is converted.

They have what such files name: configurators, which become an operation's `className` and inputs, and Unfurl's types,
which are built in here. Nothing of the package is needed, and nothing of it runs.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any

#: The module that types of Unfurl's own are of: the converter does not declare them.
_BUILT_IN = "unfurl.tosca_plugins.tosca_ext"
_CONFIGURATORS: Mapping[str, tuple[str, ...]] = {
    "unfurl.configurators": ("CmdConfigurator", "TemplateConfigurator", "DelegateConfigurator"),
    "unfurl.configurators.shell": ("ShellConfigurator",),
    "unfurl.configurators.ansible": ("AnsibleConfigurator",),
    "unfurl.configurators.terraform": ("TerraformConfigurator",),
}


def _take_inputs(self: Any, **inputs: Any) -> None:
    self.inputs = inputs


def unfurl_modules(tosca: ModuleType, types: Iterable[str]) -> dict[str, ModuleType]:
    """The modules by name.

    Args:
        tosca: the package that service templates are written with.
        types: names of Unfurl's own types, as `unfurl.nodes.Generic`.
    """
    made = {name: ModuleType(name) for name in ("unfurl", _BUILT_IN, *_CONFIGURATORS)}
    sys.modules[_BUILT_IN] = made[_BUILT_IN]  # the package looks up the modules of types there
    for module, classes in _CONFIGURATORS.items():
        for name in classes:
            setattr(made[module], name, type(name, (), {"__module__": module, "__init__": _take_inputs}))
        parent, _, child = module.rpartition(".")
        setattr(made[parent], child, made[module])
    for name in sorted(types):
        _add_type(made["unfurl"], name, tosca)
    return made


def _add_type(package: ModuleType, name: str, tosca: ModuleType) -> None:
    """Add a type under its name, of which the converter writes no more than that; its dots become underscores."""
    _, kind, own = name.split(".", 2)
    root = getattr(getattr(tosca, kind, None), "Root", None)
    if root is None:
        return
    if not hasattr(package, kind):
        setattr(package, kind, type(kind, (), {"__module__": _BUILT_IN}))
    body = {"_type_name": name, "__module__": _BUILT_IN}
    setattr(getattr(package, kind), own.replace(".", "_"), type(root)(own.replace(".", "_"), (root,), body))
