"""Nodes of the types `ansible.*`: what their properties say decides their operations, so that nobody writes these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from ansible_ensemble.configurators.argument_types import (
    hide_keywords,
    hide_own,
    hide_secrets,
    hide_whole,
    with_credentials,
)
from ansible_ensemble.configurators.arguments import argument_faults
from ansible_ensemble.configurators.containers import as_resource, is_container
from ansible_ensemble.configurators.implementation import MODULE, resolve
from ansible_ensemble.configurators.locations import collection_folders, library_folders
from ansible_ensemble.configurators.module_spec import (
    ModuleSpec,
    Option,
    module_spec,
    role_folder,
    role_spec,
    secret_arguments,
)
from ansible_ensemble.configurators.own_arguments import own_arguments
from ansible_ensemble.configurators.shipped_values import value_faults
from ansible_ensemble.configurators.teardown import GONE, Removal, removal_of, way_of
from ansible_ensemble.configurators.vars_files import take_vars_files
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.hints import nearest_or_known
from ansible_ensemble.documents.places import Map, place_of
from ansible_ensemble.language.entities import Assignment, Implementation, NodeTemplate, Operation, Topology
from ansible_ensemble.language.functions import is_computed
from ansible_ensemble.language.problems import kind_of
from ansible_ensemble.topology.building import static_value
from ansible_ensemble.topology.directives import STAND_FOR_OTHERS
from ansible_ensemble.topology.host_copies import INVENTORY_HOST
from ansible_ensemble.topology.tools import comes, tool_names

#: The type that all of them derive from.
ROOT = "ansible.Root"
_FACTS = "ansible.builtin.setup"
#: What runs, by the property that names it -> the property with what it is given.
_GIVEN = {"module": "args", "role": "vars", "tasks": "vars", "playbook": "vars"}
_PRESENT = "present"
_STATE = "state"
_DERIVED = "ansible.Resource, ansible.Role, ansible.Tasks and ansible.Playbook derive from it"


class _Run(Struct, frozen=True):
    """What an operation of a node runs.

    Attributes:
        kind: a key of `_GIVEN`.
        name: of the module, role or file.
        values: what it is given -> where that stands, from SELF on.
        more: what it is given beside that.
        settings: keys of its implementation.
        path: leads to the properties that say so, from the node's own.
        removal: what it is, where it takes away what another run made.
    """

    kind: str
    name: str
    values: Mapping[str, tuple[Any, ...]]
    more: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    path: tuple[str, ...] = ()
    removal: Removal | None = None


def add_operations(topology: Topology, root: Path) -> list[InvalidInput]:
    """Give nodes of the types `ansible.*`, and containers, the operations that they do not have themselves.

    `configure` is what the properties say, `check` is that in check mode, `delete` is the module with the state in
    which nothing is there, or what the property `absent` says. Where there is neither, there is no `delete`.

    Returns:
        What is wrong with the arguments, by the specs of modules and roles.
    """
    faults: list[InvalidInput] = []
    for node in topology.node_templates.values():
        if node.type.is_a(INVENTORY_HOST):
            _without_facts(node, topology)
        container = is_container(node)
        if (container or node.type.is_a(ROOT)) and not STAND_FOR_OTHERS.intersection(node.directives):
            try:
                if container:
                    as_resource(node)
                take_vars_files(node, topology, root)
                faults += _Resource(node, topology, root).complete()
            except InvalidInput as error:
                faults.append(error)
    return faults


def _without_facts(node: NodeTemplate, topology: Topology) -> None:
    """Let a host whose property says so gather no facts."""
    gathers = node.properties.get("gather_facts")
    configure = node.operation("Standard", "configure")
    if gathers is None or static_value(topology, gathers.value) != (False, True) or configure is None:
        return
    if configure.implementation is not None and configure.implementation.primary == _FACTS:
        standard = node.interfaces["Standard"]
        left = {name: one for name, one in standard.operations.items() if name != "configure"}
        node.interfaces = {**node.interfaces, "Standard": replace(standard, operations=left)}


class _Resource:
    """A node of one of the types."""

    def __init__(self, node: NodeTemplate, topology: Topology, root: Path) -> None:
        self._node = node
        self._topology = topology
        self._root = root
        self._host = self._text("inventory_host")
        if self._host is not None and self._has("hosts"):
            raise InvalidInput(f"'{node.name}' has both host and hosts", self._place("hosts"), "remove one of them")
        self._absent = node.properties["absent"] if self._has("absent") else None
        self._own = own_arguments(node)

    def _has(self, name: str) -> bool:
        return name in self._node.properties and self._node.properties[name].value is not None

    def complete(self) -> list[InvalidInput]:
        """Add its operations; returns what is wrong with its arguments."""
        node = self._node
        kind = next((kind for kind in _GIVEN if kind in node.type.properties), None)
        if kind is None:
            raise InvalidInput(
                f"the type {node.type.name} of '{node.name}' says nothing that runs", node.place, _DERIVED
            )
        if self._keywords().get("no_log") is True:
            hide_whole(node, _GIVEN[kind], "absent", *self._own)
        hide_keywords(node, self._topology, "keywords")
        run = self._run(kind, {name: one.value for name, one in node.properties.items()}, ())
        configure = self._operation("Standard", "configure", run)
        spec = self._spec(configure, run)
        is_unknown = kind in ("module", "role") and spec is None and comes(run.name, tool_names(self._topology))
        if is_unknown:  # its collection is installed first; nobody knows yet which of its arguments are secrets
            hide_whole(node, _GIVEN[kind], *self._own)
        elif spec is None:
            self._hide_by_source(configure, run)
        if spec is not None and kind == "module":
            run = replace(run, more=_state_of(spec, self._given(run)))
            configure = self._operation("Standard", "configure", run)
        faults = self._faults(run, spec, ())
        operations = [configure]
        if spec is None or _can_be_checked(spec, self._given(run)):
            checking = replace(run, settings={**run.settings, "check_mode": True})
            operations.append(self._operation("Install", "check", checking))
        gone = self._gone(run, spec)
        if gone is None and is_unknown and kind == "module":
            gone = replace(run, more={_STATE: GONE[0]})
        if gone is not None:
            operations.append(self._operation("Standard", "delete", gone))
            operations = self._noting(operations, run, gone)
            if self._absent is not None:
                if spec is None:
                    self._hide_by_source(operations[-1], gone)
                faults += self._faults(gone, self._spec(operations[-1], gone), ("absent",))
        self._add(operations)
        return faults

    def _noting(self, operations: list[Operation], run: _Run, gone: _Run) -> list[Operation]:
        """Operations, such that they note what they make, or what was there before, for what takes it away."""
        if gone.removal is not None:
            kept, more = dict(gone.removal.kept), dict(gone.removal.more)
            noted = {"module": gone.removal.module, "kept": kept, "more": more}
            noting = replace(run, settings={**run.settings, "teardown": noted})
            return [self._operation("Standard", "configure", noting), *operations[1:]]
        if run.kind != MODULE and gone.kind in ("tasks", "playbook"):
            return [_removed_by(one, gone) for one in operations]
        return operations

    def _text(self, name: str) -> str | None:
        """A property that has to be known before anything runs."""
        return self._known(name, self._node.properties[name].value) if self._has(name) else None

    def _known(self, name: str, raw: Any) -> str | None:
        value, is_known = static_value(self._topology, raw)
        if value is None or (is_known and isinstance(value, str) and value.strip()):
            return value
        message = f"the {name} of '{self._node.name}' is {kind_of(value)}: it must be a name"
        raise InvalidInput(message, self._place(name), None if is_known else "it is known before anything runs")

    def _place(self, *path: str) -> Any:
        """Where a part of a property stands, or what is nearest to it."""
        assignment = self._node.properties.get(path[0]) if path else None
        if assignment is None or assignment.is_default:  # a default stands in the type's file, which is not the user's
            return self._node.place
        place, value = assignment.place, assignment.value
        for key in path[1:]:
            place = place_of(value, key) or place
            value = value.get(key) if isinstance(value, Mapping) else None
        return place

    def _run(self, kind: str, written: Mapping[str, Any], path: tuple[str, ...]) -> _Run:
        """What properties say is run; `path` leads to them, from the node's own."""
        name = self._known(kind, written.get(kind))
        if name is None:
            raise InvalidInput(f"'{self._node.name}' does not say which {kind}", self._node.place, f"add {kind}:")
        given, keywords = written.get(_GIVEN[kind]) or {}, self._keywords()
        if not isinstance(given, Mapping) or is_computed(given):
            message = f"the {_GIVEN[kind]} of '{self._node.name}' must be a map, each entry of which may be computed"
            raise InvalidInput(message, self._place(*path, _GIVEN[kind]))
        entry = self._known("tasks_from", written.get("tasks_from"))
        settings = {**keywords, **({"tasks_from": entry} if entry is not None else {})}
        values = {one: (one,) for one in self._own if not path}
        values |= {str(key): (*path, _GIVEN[kind], key) for key in given}
        return _Run(kind, name, values, settings=settings, path=path)

    def _keywords(self) -> Mapping[str, Any]:
        keywords = self._node.properties.get("keywords")
        value = keywords.value if keywords is not None else {}
        return value if isinstance(value, Mapping) else {}

    def _given(self, run: _Run) -> Map:
        """What a run is given, as written."""
        made = Map()
        for name, path in run.values.items():
            container: Any = {key: one.value for key, one in self._node.properties.items()}
            for key in path[:-1]:
                container = container[key]
            made.adopt(name, container[path[-1]], container, path[-1])
        return made

    def _operation(self, interface: str, name: str, run: _Run) -> Operation:
        node = self._node
        named = node.properties.get(run.kind) or node.properties.get("absent")
        place, base = self._place(run.kind), named.base if named is not None else None
        inputs = {
            key: Assignment({"get_property": ["SELF", *path]}, place=place, base=base)
            for key, path in run.values.items()
        }
        inputs |= {key: Assignment(value, place=place, base=base) for key, value in run.more.items()}
        implementation = Implementation(
            run.name, class_name=run.kind, operation_host=self._host, settings=dict(run.settings)
        )
        return Operation(interface, name, implementation, inputs, place=place, base=base, resource=node.name)

    def _spec(self, operation: Operation, run: _Run) -> ModuleSpec | None:
        """What a module or role takes, if that is known."""
        if run.kind not in ("module", "role"):
            return None
        target = resolve(operation, self._root).target
        collections = collection_folders(self._root)
        if run.kind == MODULE:
            return module_spec(target, collections, tuple(library_folders(operation, self._root)))
        entry = str(run.settings.get("tasks_from") or "main")
        folder = role_folder(target, collections)
        names = {file.stem for file in (folder / "tasks").glob("*.y*ml")} if folder is not None else {entry}
        if entry != "main" and Path(entry).stem not in names:
            message = f"the role {run.name} of '{self._node.name}' has no tasks {entry}"
            raise InvalidInput(message, self._place(*run.path, "tasks_from"), nearest_or_known(entry, names))
        return role_spec(target, entry, collections)

    def _hide_by_source(self, operation: Operation, run: _Run) -> None:
        """Mark the secrets of a module without documentation; all that it is given, if its source cannot be read."""
        if run.kind != MODULE:
            return
        target, libraries = resolve(operation, self._root).target, tuple(library_folders(operation, self._root))
        names = secret_arguments(target, collection_folders(self._root), libraries)
        if names is None:
            hide_whole(self._node, run.path[0] if run.path else _GIVEN[run.kind], *self._own)
            return
        within = {key for key, value in self._given(run).items() if not names.isdisjoint(_keys_within(value))}
        options = {name: Option(secret=True) for name in names | within}
        options |= with_credentials(self._given(run), self._topology)
        hide_secrets(self._node, self._topology, (*run.path, _GIVEN[run.kind]), options)
        own = self._own if not run.path else []
        hide_own(self._node, self._topology, {name: options[name] for name in own if name in options})

    def _faults(self, run: _Run, spec: ModuleSpec | None, path: tuple[str, ...]) -> list[InvalidInput]:
        """What is wrong with what a run is given; its secrets are marked."""
        if spec is None:
            return []
        credentials = with_credentials(self._given(run), self._topology)
        hide_secrets(self._node, self._topology, (*path, _GIVEN[run.kind]), {**spec.options, **credentials})
        own = {name: credentials.get(name) or spec.option(name) for name in (self._own if not path else [])}
        hide_own(self._node, self._topology, {name: found for name, found in own.items() if found is not None})
        where = self._place(*path, _GIVEN[run.kind]) or self._node.place
        what = f"{run.kind} {run.name} of '{self._node.name}'"
        places = {name: self._place(name) for name in own}
        given = self._given(run)
        given.update(run.more)
        is_role = run.kind == "role"
        partly = is_role and self._has_variables()
        faults = list(
            argument_faults(spec, given, what, where, others=is_role, partly=partly, places=places, makes=True)
        )
        if not path:
            faults += value_faults(run.name, given, what, lambda name: places.get(name) or where, partly=partly)
        return faults

    def _has_variables(self) -> bool:
        """Whether a role may have variables of a host of the inventory, which Ansible judges when it runs."""
        hosted = any(one.is_hosted_on for one in self._node.requirements)
        return hosted or self._host is not None or self._has("hosts")

    def _gone(self, run: _Run, spec: ModuleSpec | None) -> _Run | None:
        """What takes away what another run made; None if nothing does."""
        absent = self._absent
        if absent is None:
            return _without(run, spec, self._given(run)) if run.kind == MODULE and spec is not None else None
        written = absent.value if isinstance(absent.value, Mapping) else {}
        kinds = [kind for kind in _GIVEN if kind in written]
        if not kinds and "tasks_from" in written and run.kind == "role":
            kinds, written = ["role"], {**written, "role": run.name}
        if len(kinds) != 1 or is_computed(written):
            message = f"the property absent of '{self._node.name}' names one of {', '.join(_GIVEN)}"
            raise InvalidInput(message, absent.place, "or tasks_from, of the role itself")
        gone = self._run(kinds[0], written, ("absent",))
        shared = run.values if run.kind != "module" and gone.kind != "module" else {}
        return replace(gone, values={**shared, **gone.values})

    def _add(self, operations: Iterable[Operation]) -> None:
        """Add operations, but for those that the node has an implementation of."""
        interfaces = dict(self._node.interfaces)
        for one in operations:
            interface = interfaces[one.interface]
            if self._node.operation(one.interface, one.name) is None:
                interfaces[one.interface] = replace(interface, operations={**interface.operations, one.name: one})
        self._node.interfaces = interfaces


def _removed_by(operation: Operation, gone: _Run) -> Operation:
    """An operation that knows what takes away what its node made."""
    made = operation.implementation
    if made is None or operation.interface != "Standard":
        return operation
    from ansible_ensemble.configurators.there_before import REMOVAL

    settings = {**made.settings, REMOVAL: {gone.kind: gone.name}}
    return replace(operation, implementation=replace(made, settings=settings))


def _keys_within(value: Any) -> Iterator[str]:
    """The keys of maps in a value, at any depth."""
    if isinstance(value, Mapping):
        yield from (str(key) for key in value)
    if isinstance(value, Mapping | list):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _keys_within(one)


def _can_be_checked(spec: ModuleSpec, args: Mapping[str, Any]) -> bool:
    """Whether check mode tells anything: of a command it does so only by what the command creates or removes."""
    return spec.check_mode and (not spec.foreseen_by or any(args.get(name) is not None for name in spec.foreseen_by))


def _state_of(spec: ModuleSpec, args: Mapping[str, Any]) -> dict[str, Any]:
    """The state in which what a module makes is there, where neither the user nor the module says one."""
    option = spec.options.get(_STATE)
    if option is None or args.get(_STATE) is not None or option.default is not None:
        return {}
    return {_STATE: _PRESENT} if _PRESENT in option.choices else {}


def _without(run: _Run, spec: ModuleSpec, args: Mapping[str, Any]) -> _Run | None:
    """What takes away what a module makes; None if nothing does."""
    found = removal_of(run.name, spec, args)
    if isinstance(found, str):
        return None
    values = {new: run.values[old] for old, new in found.kept.items() if old in run.values}
    settings = {**run.settings, "teardown": {"way": way_of(run.name, args).value}}
    return replace(run, name=found.module, values=values, more=found.more, settings=settings, removal=found)
