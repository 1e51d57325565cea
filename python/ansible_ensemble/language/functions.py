"""Functions in values: which values are computed, and a check of what can be checked before anything runs.

[TOSCA 1.3, 4]; the expressions room evaluates them.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ansible_ensemble.core.errors import Place
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.documents.places import place_of
from ansible_ensemble.language.entities import (
    Entity,
    Group,
    NodeTemplate,
    ParameterDefinition,
    Policy,
    Relationship,
)
from ansible_ensemble.language.paths import definition_of, fault_of_nested, fault_of_path
from ansible_ensemble.language.problems import kind_of
from ansible_ensemble.language.types import Scope

#: Functions that a value may be without `eval`; those with `True` take a list only, so that a map with one such key
#: and something else in it is plain data (a credential's `token`, for instance).
FUNCTIONS: dict[str, bool] = {
    "get_input": False,
    "get_property": False,
    "get_attribute": False,
    "get_operation_output": False,
    "get_nodes_of_type": False,
    "get_artifact": False,
    "concat": True,
    "join": True,
    "token": True,
    "eval": False,
    "ref": False,
    "q": False,
    "get_env": False,
    "has_env": False,
    "_generate": False,
}

#: Names that stand for an entity in functions [TOSCA 1.3, 4.1], the last two in Unfurl's dialect.
KEYWORDS = ("SELF", "SOURCE", "TARGET", "HOST", "ORCHESTRATOR", "OPERATION_HOST", "ANON")

#: Begins the text of a template whose first line says how it is written.
TEMPLATE_HEADER = "#jinja2:"
#: How like a function's name a key must be to be taken for it, and how short a name is too short to tell.
_LIKENESS, _SHORT = 0.85, 5
_EVAL_KEYS = frozenset({"eval", "ref", "vars", "select", "foreach", "trace", "strict", "base_dir", "kwargs"})


def function_name(value: Any) -> str | None:
    """The name of the function that a value is a call of, None if it is plain data."""
    if not isinstance(value, Mapping):
        return None
    if len(value) == 1:
        name = next(iter(value))
        takes_list = FUNCTIONS.get(name) if isinstance(name, str) else None
        if takes_list is None or (takes_list and not isinstance(value[name], list)):
            return None
        return str(name)
    if ("eval" in value or "ref" in value) and all(key in _EVAL_KEYS for key in value):
        return "eval"
    return None


def is_template(text: str) -> bool:
    """Whether text of the spec is a template."""
    return "{{" in text or "{%" in text or text.startswith(TEMPLATE_HEADER)


def is_computed(value: Any) -> bool:
    """Whether a value is known only when it is evaluated: a function, an expression or a template."""
    if isinstance(value, str):
        return is_template(value)
    return isinstance(value, Mapping) and function_name(value) is not None


def _mistaken(value: Mapping[Any, Any]) -> str | None:
    """The key of a map that is meant as a call of a function and is none: a name with a slip, `concat` of no list."""
    name = next(iter(value), None)
    if len(value) != 1 or not isinstance(name, str) or (name in FUNCTIONS and name != "concat"):
        return None
    return name if name == "concat" or meant(name) is not None else None


def meant(name: str) -> str | None:
    """The function that a name with a slip means; None for a word that is like none of them."""
    found = difflib.get_close_matches(name, [one for one in FUNCTIONS if len(one) > _SHORT], 1, _LIKENESS)
    return found[0] if found else None


def calls(value: Any, place: Place | None) -> Iterator[tuple[str, Any, Place | None]]:
    """Name, arguments and place of every TOSCA function in a value, however deep; expressions are left alone."""
    stack: list[tuple[Any, Place | None]] = [(value, place)]
    while stack:
        current, where = stack.pop()
        if isinstance(current, Mapping):
            name = function_name(current)
            if name in ("eval", "ref", "q"):
                continue
            name = name or _mistaken(current)
            if name is not None:
                yield name, current[name], place_of(current) or where
            for key, item in current.items():
                if isinstance(item, Mapping | list):
                    stack.append((item, place_of(current, key) or where))
        elif isinstance(current, list):
            for item in current:
                if isinstance(item, Mapping | list):
                    stack.append((item, place_of(item) or where))


@dataclass(slots=True)
class FunctionCheck:
    """Checks the functions of one topology.

    Attributes:
        scope: what its file sees.
        inputs: its declared inputs.
        nodes: its node templates by the name that functions use.
        relationships: its relationship templates by name.
        others: its policies and groups by name, policies by the name of their type, too.
        asked_outputs: outputs of operations that were found to be read, by `Interface.operation`.
    """

    scope: Scope
    inputs: Mapping[str, ParameterDefinition]
    nodes: Mapping[str, NodeTemplate]
    relationships: Mapping[str, Relationship]
    others: Mapping[str, Policy | Group]
    asked_outputs: dict[str, set[str]]

    @property
    def lenient(self) -> bool:
        """Whether attributes that are not declared may be read, as Unfurl's dialect allows."""
        return self.scope.is_unfurl

    def check(self, value: Any, place: Place | None, owner: Entity | None, in_type: bool = False) -> None:
        """Check every function of a value.

        Args:
            value: the raw value.
            place: where it stands.
            owner: the entity that SELF is; None in outputs.
            in_type: whether the value stands in a type, so that SELF has at least what the type has.
        """
        if not isinstance(value, Mapping | list):
            return
        for name, arguments, where in calls(value, place):
            fault = self._fault(name, arguments, owner, in_type)
            if fault is not None:
                message, hint = fault
                self.scope.problems.add(f"{name}: {message}", where, hint)

    def _fault(self, name: str, arguments: Any, owner: Entity | None, in_type: bool) -> tuple[str, str | None] | None:
        match name:
            case "get_input":
                return self._fault_of_input(arguments)
            case "get_property" | "get_attribute":
                return self._fault_of_path(name, arguments, owner, in_type)
            case "get_operation_output":
                self._note_output(arguments)
                return self._fault_of_output(arguments, owner, in_type)
            case "get_artifact":
                return self._fault_of_artifact(arguments, owner, in_type)
            case "get_nodes_of_type":
                return self._fault_of_type(arguments)
            case "concat":
                form = isinstance(arguments, list) and bool(arguments)
                return None if form else ("it takes a list of at least one value", 'concat: [a, "-", b]')
            case "join":
                form = len(arguments) in (1, 2) and isinstance(arguments[0], list | Mapping)
                return None if form else ("it takes a list of values and a delimiter", 'join: [[a, b], "-"]')
            case "token":
                form = len(arguments) == 3 and _may_be(arguments[2], int) and _may_be(arguments[1], str)
                hint = 'token: ["a:b", ":", 0]'
                return None if form else ("it takes a text, a separator and the number of a part", hint)
        return None if name in FUNCTIONS else ("there is no such function", f"did you mean {meant(name)}?")

    def _fault_of_input(self, arguments: Any) -> tuple[str, str | None] | None:
        path = arguments if isinstance(arguments, list) else [arguments]
        if not path or not isinstance(path[0], str):
            return "it takes the name of an input", None
        definition = self.inputs.get(path[0])
        if definition is None:
            if self.lenient and len(path) == 2:
                return None
            return f"there is no input '{path[0]}'", nearest(path[0], self.inputs)
        if self.lenient:
            return None
        return fault_of_nested(definition.schema, path[1:], f"input '{path[0]}'")

    def _entity(self, name: Any, owner: Entity | None) -> tuple[Entity | None, tuple[str, str | None] | None]:
        """The entity of a function's first argument, None where it is not known yet, or what is wrong with it."""
        if not isinstance(name, str):
            return None, None if isinstance(name, Mapping) else (f"{kind_of(name)} names no entity", None)
        if name not in KEYWORDS:
            found: Entity | None = self.nodes.get(name) or self.relationships.get(name)
            if found is None and name in self.others:
                other = self.others[name]
                found = Entity(other.name, other.type, other.properties)
            if found is None:
                hint = nearest(name, [*self.nodes, *KEYWORDS[:5]])
                return None, (f"there is no node template '{name}'", hint)
            return found, None
        if name in ("ORCHESTRATOR", "OPERATION_HOST", "ANON"):
            return None, None
        if owner is None:
            return None, (f"{name} means nothing here", "name a node template")
        if name in ("SOURCE", "TARGET"):
            if isinstance(owner, Relationship):
                return (owner.source if name == "SOURCE" else owner.target), None
            return None, None if self.lenient else (f"{name} is known in relationships only", "use SELF or HOST")
        return (owner if name == "SELF" else None), None

    def _fault_of_path(
        self, function: str, arguments: Any, owner: Entity | None, in_type: bool
    ) -> tuple[str, str | None] | None:
        if not isinstance(arguments, list) or len(arguments) < 2:
            return "it takes an entity and the name of a value of it", f"{function}: [SELF, name]"
        entity, fault = self._entity(arguments[0], owner)
        if fault is not None:
            return fault
        if arguments[0] == "HOST" and isinstance(owner, NodeTemplate):
            return self._fault_of_host(function, arguments[1:], owner, in_type)
        if entity is None or self.lenient:
            return None
        if arguments[0] == "TARGET" and isinstance(owner, Relationship) and owner.capability is not None:
            # the target of a relationship is a capability of a node [TOSCA 1.3, 4.1]
            offered = owner.target.capabilities[owner.capability].type
            if isinstance(arguments[1], str) and definition_of(offered, arguments[1], True) is not None:
                return None
        return fault_of_path(function, entity, arguments[1:], in_type)

    def _fault_of_host(
        self, function: str, path: list[Any], owner: NodeTemplate, in_type: bool
    ) -> tuple[str, str | None] | None:
        if in_type or self.lenient:
            return None
        hosts = list(hosts_of(owner))
        if not hosts:
            return f"'{owner.name}' is hosted on nothing", "add a requirement whose relationship is HostedOn"
        faults = [fault_of_path(function, host, path, False) for host in hosts]
        return None if None in faults else faults[0]

    def fault_of_target(self, target: list[Any], owner: Entity) -> tuple[str, str | None] | None:
        """What is wrong with the attribute that an operation's output is mapped to, and a hint [TOSCA 1.3, 3.6.15].

        Args:
            target: entity, and attribute or a path to it.
            owner: the entity that the operation belongs to.
        """
        entity, fault = self._entity(target[0], owner)
        if fault is not None or entity is None or self.lenient:
            return fault
        return fault_of_path("get_attribute", entity, target[1:], True)

    def _fault_of_output(self, arguments: Any, owner: Entity | None, in_type: bool) -> tuple[str, str | None] | None:
        if not isinstance(arguments, list) or len(arguments) < 4:
            return "it takes an entity, an interface, an operation and an output", None
        entity, fault = self._entity(arguments[0], owner)
        if fault is not None or entity is None:
            return fault
        interface = entity.interfaces.get(arguments[1]) if isinstance(arguments[1], str) else None
        if interface is None:
            return f"'{entity.name}' has no interface {arguments[1]!r}", nearest(str(arguments[1]), entity.interfaces)
        if isinstance(arguments[2], str) and arguments[2] not in interface.operations and not interface.is_open:
            hint = nearest(str(arguments[2]), interface.operations)
            return f"interface '{interface.name}' has no operation {arguments[2]!r}", hint
        operation = interface.operations.get(str(arguments[2]))
        if operation is not None and operation.implementation is None and not in_type:
            return f"nothing implements {operation.full_name} of '{entity.name}', it has no outputs", None
        return None

    def _note_output(self, arguments: Any) -> None:
        """Take down which output is read; of which node templates is not known where SELF stands in a type."""
        if isinstance(arguments, list) and len(arguments) >= 4 and all(isinstance(one, str) for one in arguments[1:4]):
            self.asked_outputs.setdefault(f"{arguments[1]}.{arguments[2]}", set()).add(arguments[3])

    def _fault_of_type(self, arguments: Any) -> tuple[str, str | None] | None:
        name = arguments[0] if isinstance(arguments, list) and len(arguments) == 1 else arguments
        if not isinstance(name, str):
            return None if is_computed(name) else ("it takes the name of a node type", None)
        if self.scope.types.find("node", name, self.scope) is not None:
            return None
        known = [*self.scope.names["node"], *self.scope.types.normative.names["node"]]
        return f"unknown node type '{name}'", nearest(name, known)

    def _fault_of_artifact(self, arguments: Any, owner: Entity | None, in_type: bool) -> tuple[str, str | None] | None:
        if not isinstance(arguments, list) or not 2 <= len(arguments) <= 4:
            return "it takes an entity, an artifact, a location and whether to remove it", None
        entity, fault = self._entity(arguments[0], owner)
        if fault is not None or not isinstance(entity, NodeTemplate) or in_type or self.lenient:
            return fault
        if isinstance(arguments[1], str) and arguments[1] not in entity.artifacts:
            return f"'{entity.name}' has no artifact '{arguments[1]}'", nearest(arguments[1], entity.artifacts)
        return None


def hosts_of(node: NodeTemplate) -> Iterator[NodeTemplate]:
    """The node templates that a node template is hosted on, nearest first."""
    seen = {node.name}
    current: NodeTemplate | None = node
    while current is not None:
        current = next((one.target for one in current.requirements if one.is_hosted_on), None)
        if current is None or current.name in seen:
            return
        seen.add(current.name)
        yield current


def _may_be(value: Any, kind: type) -> bool:
    return is_computed(value) or (isinstance(value, kind) and not isinstance(value, bool))
