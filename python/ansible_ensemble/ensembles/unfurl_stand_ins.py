"""Modules that stand in for the package `unfurl` while a service template in Python is converted.

They have what such files name: configurators, which become an operation's `className` and inputs, and Unfurl's types,
which are built in here. Nothing of the package is needed, and nothing of it runs.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any

from ansible_ensemble.ensembles.python_expressions import EXPRESSIONS, expressions, functions

#: The module that types of Unfurl's own are of: the converter does not declare them.
_BUILT_IN = "unfurl.tosca_plugins.tosca_ext"
_CONFIGURATORS: Mapping[str, tuple[str, ...]] = {
    "unfurl.configurators": ("CmdConfigurator", "TemplateConfigurator", "DelegateConfigurator"),
    "unfurl.configurators.shell": ("ShellConfigurator",),
    "unfurl.configurators.ansible": ("AnsibleConfigurator",),
    "unfurl.configurators.terraform": ("TerraformConfigurator",),
}
#: Names that a file has for annotations, or for maps of inputs.
_MAPS: Mapping[str, tuple[str, ...]] = {
    "unfurl.configurator": ("TaskView",),
    "unfurl.configurators": ("DoneDict", "TemplateInputs"),
    "unfurl.configurators.shell": ("ShellInputs",),
    "unfurl.configurators.ansible": ("AnsibleInputs",),
    "unfurl.configurators.terraform": ("TerraformInputs",),
}
_TYPES = "unfurl.tosca_plugins.artifacts"
_FUNCTIONS = "unfurl.tosca_plugins.functions"


def _take_inputs(self: Any, given: Mapping[str, Any] | None = None, /, **inputs: Any) -> None:
    self.inputs = {**(given or {}), **inputs}


def unfurl_modules(tosca: ModuleType, types: Iterable[str]) -> dict[str, ModuleType]:
    """The modules by name.

    Args:
        tosca: the package that service templates are written with.
        types: names of Unfurl's own types, as `unfurl.nodes.Generic`.
    """
    names = ("unfurl", "unfurl.tosca_plugins", _BUILT_IN, _TYPES, EXPRESSIONS, _FUNCTIONS, *_CONFIGURATORS, *_MAPS)
    made = {name: ModuleType(name) for name in names}
    sys.modules[_BUILT_IN] = made[_BUILT_IN]  # the package looks up the modules of types there
    for module, classes in _CONFIGURATORS.items():
        for name in classes:
            setattr(made[module], name, type(name, (), {"__module__": module, "__init__": _take_inputs}))
    for module, maps in _MAPS.items():
        for name in maps:
            setattr(made[module], name, type(name, (dict,), {"__module__": module}))
    for module, calls in ((EXPRESSIONS, expressions(tosca)), (_FUNCTIONS, functions(tosca))):
        vars(made[module]).update(calls)
    for name in sorted(types):
        _add_type(made, name, tosca)
    for name, one in made.items():
        parent, _separator, child = name.rpartition(".")
        if parent:
            setattr(made[parent], child, one)
        one.__file__ = f"{__file__}/{name}"  # nothing is there, so that no other module is found beside it
    return {name: one for name, one in made.items() if name != _BUILT_IN}


def _add_type(modules: Mapping[str, ModuleType], name: str, tosca: ModuleType) -> None:
    """Add a type under its names, of which the converter writes no more than that.

    `unfurl.relationships.ConnectsTo.AWSAccount` is `relationships.ConnectsToAWSAccount` of the package; types of other
    files, as `artifact.AsdfTool`, have their whole name with underscores, in the module of those.
    """
    first, *middle, _other = name.split(".")
    kind = f"{first}s" if first == "artifact" else middle[0]
    root = getattr(getattr(tosca, kind, None), "Root", None)
    if root is None:
        return
    whole = name.replace(".", "_")
    made = type(root)(whole, (root,), {"_type_name": name, "__module__": _BUILT_IN})
    setattr(modules[_TYPES], whole, made)
    if first != "unfurl":
        return
    package = modules["unfurl"]
    if not hasattr(package, kind):
        setattr(package, kind, type(kind, (), {"__module__": _BUILT_IN}))
    own = name.split(".", 2)[2]
    for spelling in (own.replace(".", "_"), own.replace(".", "")):
        setattr(getattr(package, kind), spelling, made)
