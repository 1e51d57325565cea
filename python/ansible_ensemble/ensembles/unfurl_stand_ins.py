"""Modules that stand in for the package `unfurl` while a service template in Python is converted.

They have what such files name: configurators, which become an operation's `className` and inputs, and Unfurl's types,
which are built in here. Nothing of the package is needed, and nothing of it runs.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from copy import copy
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
#: Modules that have Unfurl's types by their long names.
_TYPES = (
    "unfurl.tosca_plugins.artifacts",
    "unfurl.tosca_plugins.googlecloud",
    "unfurl.tosca_plugins.k8s",
    *(f"unfurl.configurators.templates.{name}" for name in ("dns", "docker", "helm", "supervisor")),
)
_FUNCTIONS = "unfurl.tosca_plugins.functions"


#: What a property of a type of TOSCA is in Python; of others it is anything.
_PYTHON: Mapping[str, Any] = {
    **{"string": str, "integer": int, "float": float, "boolean": bool},
    **{"list": list[Any], "map": dict[str, Any]},
}


def _take_inputs(self: Any, given: Mapping[str, Any] | None = None, /, **inputs: Any) -> None:
    self.inputs = {**(given or {}), **inputs}


class Repository:
    """A repository that a file declares; the converter writes it into the section of its name."""

    _template_section = "repositories"

    def __init__(self, name: str, url: str, **more: Any) -> None:
        self.tosca_name, self._more = name, {"url": url, **more}
        vars(self)["__module__"] = ""  # it is no import

    def to_yaml(self, make: type = dict) -> Any:
        """Its entry in the section."""
        written = {key: one.to_yaml(make) if hasattr(one, "to_yaml") else one for key, one in self._more.items()}
        return {self.tosca_name: {key: one for key, one in written.items() if one is not None}}


def add_names(tosca: ModuleType) -> None:
    """Add what newer versions of the package have, for files that use it."""

    def placeholder(_kind: type) -> Any:
        return tosca.CONSTRAINED

    def to_target(self: Any, target: Any) -> Any:
        made = copy(self) if vars(self).get("_target") is not None else self
        made._target = target
        return made

    tosca.Repository = Repository  # type: ignore[attr-defined]
    tosca.placeholder = placeholder  # type: ignore[attr-defined]
    names: dict[str, Any] = vars(tosca)
    names["InputOption"] = tosca.PropertyOptions({"input_match": True})
    names["OutputOption"] = tosca.AttributeOptions({"output_match": True})
    names["__all__"] += ["InputOption", "OutputOption", "Repository", "placeholder"]
    tosca.Node._type_name = "tosca.nodes.Root"  # a requirement of any node says that type
    tosca.Relationship.__getitem__ = to_target
    tosca._tosca.PYTHON_TO_TOSCA_TYPES["EvalData"] = "any"


def _take_all(root: Any) -> Callable[..., None]:
    """How a template of one of Unfurl's types begins: what its root does not know is set as it is afterwards."""

    def take(self: Any, _name: str = "", **given: Any) -> None:
        known = {name: value for name, value in given.items() if name in root.__dataclass_fields__}
        root.__init__(self, _name, **known)
        for name, value in given.items():
            if name not in known:
                setattr(self, name, value)

    return take


def unfurl_modules(tosca: ModuleType, types: Mapping[str, Mapping[str, str]]) -> dict[str, ModuleType]:
    """The modules by name.

    Args:
        tosca: the package that service templates are written with.
        types: Unfurl's own types, as `unfurl.nodes.Generic`, each with the types of its properties.
    """
    packages = ("unfurl", "unfurl.tosca_plugins", "unfurl.configurators", "unfurl.configurators.templates")
    names = (*packages, _BUILT_IN, *_TYPES, EXPRESSIONS, _FUNCTIONS, *_CONFIGURATORS, *_MAPS)
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
    made["abc"] = ModuleType("abc")
    vars(made["abc"]).update(__all__=["ABC", "abstractmethod"], ABC=ABC, abstractmethod=abstractmethod)
    for name in sorted(types):
        _add_type(made, name, types[name], tosca)
    for name, one in made.items():
        parent, _separator, child = name.rpartition(".")
        if parent:
            setattr(made[parent], child, one)
        one.__file__ = f"{__file__}/{name}"  # nothing is there, so that no other module is found beside it
    return {name: one for name, one in made.items() if name != _BUILT_IN}


def _add_type(modules: Mapping[str, ModuleType], name: str, properties: Mapping[str, str], tosca: ModuleType) -> None:
    """Add a type under its names, of which the converter writes no more than that.

    `unfurl.relationships.ConnectsTo.AWSAccount` is `relationships.ConnectsToAWSAccount` of the package; types of other
    files, as `artifact.AsdfTool`, have their whole name with underscores, in the module of those.
    """
    first, *middle, _other = name.split(".")
    kind = f"{first}s" if first == "artifact" else middle[0]
    root = tosca.OpenDataEntity if kind == "datatypes" else getattr(getattr(tosca, kind, None), "Root", None)
    if root is None:
        return
    whole = name.replace(".", "_")
    fields = {one: _PYTHON.get(given, Any) for one, given in properties.items() if one not in root.__dataclass_fields__}
    body = {"_type_name": name, "__module__": _BUILT_IN, "__annotations__": {k: v | None for k, v in fields.items()}}
    made = type(root)(whole, (root,), {**body, **dict.fromkeys(fields), "__init__": _take_all(root)})
    for module in _TYPES:
        setattr(modules[module], whole, made)
    if first != "unfurl":
        return
    package = modules["unfurl"]
    if not hasattr(package, kind):
        setattr(package, kind, type(kind, (), {"__module__": _BUILT_IN}))
    own = name.split(".", 2)[2]
    for spelling in (own.replace(".", "_"), own.replace(".", "")):
        setattr(getattr(package, kind), spelling, made)
