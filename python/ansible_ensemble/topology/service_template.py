"""Loads a TOSCA service template: from files to a resolved topology, or to every error there is in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ansible_ensemble.core.errors import InvalidInputs, Place
from ansible_ensemble.core.hints import nearest_or_known
from ansible_ensemble.core.notices import NoticeCode, Reading
from ansible_ensemble.documents.merge import FileReader
from ansible_ensemble.documents.places import Map, key_place_of, place_of
from ansible_ensemble.documents.scalars import as_read, is_written
from ansible_ensemble.documents.yaml import Document, read_yaml
from ansible_ensemble.language.entities import ParameterDefinition, Topology
from ansible_ensemble.language.function_check import FunctionCheck
from ansible_ensemble.language.given import as_given, meant_by
from ansible_ensemble.language.given_input import GivenInput
from ansible_ensemble.language.problems import Problems, kind_of
from ansible_ensemble.language.schema import read_definition
from ansible_ensemble.language.short_form import template_in_long_form
from ansible_ensemble.language.types import UNFURL_VERSION, Scope, Types
from ansible_ensemble.language.values import check_value, resolve
from ansible_ensemble.language.version_2 import VERSION_2
from ansible_ensemble.topology.blueprints import blueprint_templates
from ansible_ensemble.topology.building import Building, FindMatches, FunctionUse
from ansible_ensemble.topology.cycles import check_cycles
from ansible_ensemble.topology.definitions import build_type
from ansible_ensemble.topology.directives import mark_unconnected
from ansible_ensemble.topology.imports import Importer, IsMet
from ansible_ensemble.topology.limits import limit_fault
from ansible_ensemble.topology.nodes import check_capabilities, name_artifacts, read_nodes, read_relationship_templates
from ansible_ensemble.topology.operations import check_operations
from ansible_ensemble.topology.policies import check_triggers, read_groups, read_policies
from ansible_ensemble.topology.remote import Remote
from ansible_ensemble.topology.requirements import resolve_requirements
from ansible_ensemble.topology.substitution import check_substitution, find_substitutes, mapped_requirements, substitute
from ansible_ensemble.topology.workflows import read_workflows


def load_topology(
    source: Path | Document,
    *,
    inputs: Mapping[str, Any] | None = None,
    lasting: Mapping[str, GivenInput] | None = None,
    data: Mapping[str, Any] | None = None,
    repositories: Mapping[str, Path] | None = None,
    roots: Sequence[Path] = (),
    leaves: bool = False,
    remote: Remote | None = None,
    read_file: FileReader = read_yaml,
    find_clone: Callable[[str], Path | None] | None = None,
    check_files: bool = True,
    complete: bool = True,
    find_matches: FindMatches = lambda *_arguments: (),
    is_met: IsMet = lambda *_arguments: True,
    instances: Mapping[str, Any] | None = None,
    connections: Mapping[str, Any] | None = None,
    reading: Reading | None = None,
    blueprint: str = "",
    blueprints: Mapping[str, Any] | None = None,
    unfurl: bool = False,
) -> Topology:
    """Load a service template of TOSCA 1.0 to 1.3 or of Unfurl's dialect.

    Args:
        source: the file, or the document that was read from it.
        inputs: values of topology inputs that the user gives; they are checked like those in the file.
        lasting: inputs that earlier jobs were given, which win over those of `inputs`; one that there is no more is
            left out, with a notice.
        data: the service template where it is a part of `source` (`spec.service_template` of an ensemble); it need
            not name its version then.
        repositories: local folders by repository name, for imports.
        roots: folders that imported files must lie in, beside the repositories' own; none is no limit.
        leaves: whether an import by a relative path may lead to a service template outside of these, too.
        remote: fetches what is imported over https; None fetches nothing.
        read_file: reads what is imported from this machine.
        find_clone: gives the folder that a repository by URL is cloned to, None if it is not on this machine.
        check_files: whether a file that implements an operation must be there; else its absence is a warning.
        complete: whether a requirement that names no node template and that none meets is an error; else it is a
            warning: the topology is valid TOSCA then, but a part of a whole.
        find_matches: evaluates the `match` expressions of node filters; without it they lead to nothing.
        is_met: evaluates the `when` of imports; without it all are read.
        instances: node templates beside the service template's own, which win: an ensemble's `spec.instances`.
        connections: relationship templates of the environment, each the default for any target unless it has
            which; one whose type is not known here is left out, with a warning.
        reading: takes what is found of the files, also where they are wrong.
        blueprint: the name of the deployment blueprint to use, if any.
        blueprints: deployment blueprints beside the service template's own: an ensemble's `spec.deployment_blueprints`.
        unfurl: whether every file counts as written in Unfurl's dialect, whatever version it names.

    Returns:
        The resolved topology.
    """
    document = source if isinstance(source, Document) else read_yaml(source)
    reading = reading if reading is not None else Reading()
    problems = Problems(notices=reading.notices, file=Place(str(document.path)))
    types = Types(problems, build_type, is_unfurl=unfurl)
    types.is_part = not complete
    importer = Importer(
        types,
        repositories or {},
        (*roots, *(repositories or {}).values()) if roots else (),
        find_clone,
        is_met,
        leaves,
        remote,
        read_file,
    )
    importer.versions = reading.versions
    reading.topologies.add(document.path)
    scope = importer.read(document, data, version=UNFURL_VERSION if data is not None else None)
    types.is_strict = scope.version == VERSION_2
    if not importer.is_complete:
        problems.raise_all()  # further errors would only be about names in the missing files
    more = _more(scope, instances or {}, connections or {})
    instead = {
        **blueprint_templates(scope, blueprints or {}, blueprint, connections or {}),
        **_named_by_instances(scope, instances or {}),
    }
    building = _Builder(types, check_files, complete, find_matches, reading=reading, lasting=lasting or {}).build(
        scope, "", inputs or {}, more, instead
    )
    topology = building.topology
    _flatten(topology)
    mark_unconnected(topology, problems)
    _check_values(types)
    if topology.node_templates or unfurl:
        _check_unused(types)
    else:
        _check_all(types)  # a library of types is there for them
    topology.data_types = types.data_types()
    topology.seen_types = partial(types.seen, scope)
    check_cycles(topology.node_templates, building)
    problems.raise_all()
    topology.files, topology.fetched, topology.is_unfurl = importer.files, importer.fetched, unfurl
    topology.notices = list(dict.fromkeys(problems.notices))
    return topology


#: The type of an instance in `spec.instances` that names none.
_ANY_NODE = "tosca.nodes.Root"
#: The same in Unfurl's dialect, where it may have any properties.
_OPEN_NODE = "unfurl.nodes.Default"

_NOTHING: Mapping[str, Mapping[str, Any]] = MappingProxyType({})


def _more(
    scope: Scope, instances: Mapping[str, Any], connections: Mapping[str, Any]
) -> Mapping[str, Mapping[str, Any]]:
    """Templates that stand outside of the service template, by section, as they would be written in it."""
    nodes, relationships = Map(), Map()
    for name, raw in instances.items():
        own = _template_of_instance(name, raw, scope) if scope.is_unfurl else None
        long = template_in_long_form(raw if own is None else own, instances)
        whole = _with(long, "type", _OPEN_NODE if scope.is_unfurl else _ANY_NODE)
        nodes.adopt(name, whole, instances)
    for name, raw in connections.items():
        kind = raw.get("type") if isinstance(raw, Mapping) else None
        if isinstance(kind, str) and scope.types.find("relationship", kind, scope) is not None:
            relationships.adopt(name, _with(raw, "default_for", "ANY"), connections)
        else:
            message = f"the connection '{name}' is left out: its type {kind_of(kind)} is not known here"
            scope.problems.warn(NoticeCode.UNKNOWN_CONNECTION, message, place_of(connections, name))
    return {"node_templates": nodes, "relationship_templates": relationships}


def _named_by_instances(scope: Scope, instances: Mapping[str, Any]) -> Mapping[str, Any]:
    """The node templates of the file that entries of Unfurl's `spec.instances` are of, with what those give."""
    found = Map()
    for name, raw in instances.items() if scope.is_unfurl else ():
        own = _template_of_instance(name, raw, scope) if name in (scope.template.get("node_templates") or {}) else None
        if own is not None:
            found.adopt(name, own, instances)
    return found


def _template_of_instance(name: str, raw: Any, scope: Scope) -> Any:
    """The template that an entry of `spec.instances` has or names, with its attributes; None if it is one itself."""
    given = raw.get("template") if isinstance(raw, Mapping) else None
    if isinstance(given, str):
        given = (scope.template.get("node_templates") or {}).get(given)
    if not isinstance(given, Mapping):
        return None
    for key in [one for one in raw if one not in ("template", "attributes")]:
        message = f"`{key}` of the instance '{name}' is ignored: it is beside its template"
        scope.problems.warn(NoticeCode.IGNORED_KEY, message, key_place_of(raw, key))
    if "attributes" not in raw:
        return given
    made, attributes = Map(), Map()
    for key, value in given.items():
        made.adopt(key, value, given)
    for section in (given.get("attributes"), raw["attributes"]):
        if isinstance(section, Mapping):
            for key, value in section.items():
                attributes.adopt(key, value, section)
    made.adopt("attributes", attributes, raw)
    return made


def _with(raw: Any, key: str, value: Any) -> Any:
    """A template with a key that it may lack; what is not a map is reported elsewhere."""
    if raw is None:
        return {key: value}
    if not isinstance(raw, Mapping):
        return raw
    made = Map({key: value})
    for name, own in raw.items():
        made.adopt(name, own, raw)
    return made


class _Builder:
    """Builds the topology of a file, and those nested in it."""

    def __init__(
        self,
        types: Types,
        check_files: bool,
        complete: bool,
        find_matches: FindMatches,
        *,
        reading: Reading,
        lasting: Mapping[str, GivenInput],
    ) -> None:
        self.types = types
        self.reading = reading
        self.lasting = lasting
        self.find_matches = find_matches
        self.check_files = check_files
        self.complete = complete

    def build(
        self,
        scope: Scope,
        namespace: str,
        inputs: Mapping[str, Any],
        more: Mapping[str, Mapping[str, Any]] = _NOTHING,
        instead: Mapping[str, Any] = _NOTHING,
    ) -> Building:
        """The topology of a file; see `Building` for the arguments."""
        topology = Topology(scope.file, version=scope.version)
        self.reading.topologies.add(scope.file)
        building = Building(topology, scope, self.find_matches, self.complete, namespace, mapped_requirements(scope))
        building.more, building.instead = more, instead
        topology.description = str(scope.template.get("description") or scope.document.get("description") or "")
        metadata = scope.document.get("metadata")
        topology.metadata = dict(metadata) if isinstance(metadata, Mapping) else {}
        topology.repositories = dict(scope.repositories)
        self._read_inputs(building, inputs)
        if not namespace:
            self._read_lasting_inputs(building)
        read_nodes(building)
        name_artifacts(building)
        read_relationship_templates(building)
        find_substitutes(building)
        check_capabilities(building)
        resolve_requirements(building)
        read_groups(building)
        read_policies(building)
        read_workflows(building)
        check_triggers(building)
        self._read_other_inputs(building, inputs)
        self._read_outputs(building)
        check_substitution(building)
        substitute(building, self.build)
        names = {one.name: one for one in topology.node_templates.values()} | topology.node_templates
        others = {one.type.name: one for one in topology.policies.values()} | topology.groups | topology.policies
        relationships = topology.relationship_templates
        check = FunctionCheck(scope, topology.inputs, names, relationships, others, topology.asked_outputs)
        for use in building.uses:
            check.check(use.value, use.place, use.owner, use.in_type)
        check_operations(building, check, check_files=self.check_files)
        return building

    def _read_inputs(self, building: Building, given: Mapping[str, Any]) -> None:
        topology = building.topology
        for name, entry in building.section("inputs").items():
            found = read_definition(name, entry.raw, entry.place, entry.scope, typed=False)
            if found is not None:
                topology.inputs[name] = found
        for name, value in given.items():
            definition = topology.inputs.get(name)
            place = place_of(given, name)
            if definition is not None:
                topology.input_values[name] = meant_by(value, definition, self.types.data_type)
                self._check_input(building, topology.input_values[name], definition, place)

    def _read_lasting_inputs(self, building: Building) -> None:
        """The inputs that earlier jobs were given; one of which the value was not kept has none."""
        topology = building.topology
        for name, kept in self.lasting.items():
            definition = topology.inputs.get(name)
            if definition is None:
                if kept.place is not None:  # else it may be one of a workflow, whose job is not recorded
                    message = f"the input '{name}', {kept.origin}, is left out: the topology has no such input any more"
                    building.problems.warn(NoticeCode.GONE_INPUT, message, kept.place)
            elif kept.is_lost:
                topology.lost_inputs[name] = kept
                topology.input_values.pop(name, None)
            else:
                topology.input_values[name] = value = meant_by(as_given(kept.value), definition, self.types.data_type)
                hint = f"--input {name}=VALUE gives another one, --reset-input {name} goes back to the specification's"
                self.types.check_later(value, definition, f"input '{name}' ({kept.origin})", kept.place, hint)

    def _check_input(
        self, building: Building, value: Any, definition: ParameterDefinition, place: Place | None
    ) -> None:
        """Have the value of an input checked; the command line hands on `1.50` as a text, for it may be a version."""
        with suppress(ValueError):  # one of too many digits stays a text
            number = as_read(value) if isinstance(value, str) else None
            if is_written(number) and resolve(definition.schema, self.types.data_type)[0] in ("integer", "float"):
                value = number
        is_of_file = place is not None or building.namespace
        origin = "" if is_of_file else " (given by an option or a variable)"
        self.types.check_later(value, definition, f"input '{definition.name}'{origin}", place)

    def _read_other_inputs(self, building: Building, given: Mapping[str, Any]) -> None:
        """Given inputs that are not the topology's: those of a workflow, or unknown ones."""
        topology = building.topology
        for name, value in given.items():
            # a property of a substituted node template need not feed an input
            if name in topology.inputs or building.namespace:
                continue
            declared = [workflow.inputs[name] for workflow in topology.workflows.values() if name in workflow.inputs]
            if not declared:
                hint = nearest_or_known(name, [*topology.inputs, *_inputs_of_workflows(topology)])
                place = key_place_of(given, name)
                if building.scope.is_unfurl and place is not None:  # not one of an option
                    message = f"the input '{name}' is ignored: the topology has no such input"
                    building.problems.warn(NoticeCode.IGNORED_KEY, message, place)
                else:
                    building.problems.add(f"there is no input '{name}'", place, hint)
                continue
            topology.input_values[name] = meant_by(value, declared[0], self.types.data_type)
            for definition in declared:
                self._check_input(building, topology.input_values[name], definition, place_of(given, name))

    def _read_outputs(self, building: Building) -> None:
        for name, entry in building.section("outputs").items():
            found = read_definition(name, entry.raw, entry.place, entry.scope, typed=False)
            if found is None:
                continue
            building.topology.outputs[name] = found
            value = entry.raw.get("value") if isinstance(entry.raw, Mapping) else None
            building.uses.append(FunctionUse(value, place_of(entry.raw, "value"), None))


def _inputs_of_workflows(topology: Topology) -> Iterator[str]:
    return (name for workflow in topology.workflows.values() for name in workflow.inputs)


def _flatten(topology: Topology) -> None:
    """Add the node templates of nested topologies to the root's, under their full names, and what they read."""
    for nested in topology.nested.values():
        for operation, names in nested.asked_outputs.items():
            topology.asked_outputs.setdefault(operation, set()).update(names)
        for node in nested.node_templates.values():
            topology.node_templates[node.name] = node


def _check_all(types: Types) -> None:
    for declarations in types.by_name.values():
        for declaration in list(declarations.values()):
            types.entity(declaration)
    _check_values(types)


def _check_unused(types: Types) -> None:
    """Check the types that nothing uses: an error in one of them keeps nothing from working, and is a warning."""
    problems = types.problems
    errors, problems.errors = problems.errors, []
    with suppress(InvalidInputs):  # there are too many
        _check_all(types)
    unused, problems.errors = problems.errors, errors
    for error in unused:
        problems.warn(NoticeCode.UNUSED_TYPE, f"{error.message}; nothing uses the type", error.place)


def _check_values(types: Types) -> None:
    for schema, clauses, what, place in types.limits:
        base = resolve(schema, types.data_type)[0]
        for fault in (limit_fault(clause, base) for clause in clauses):
            if fault is not None:
                types.problems.add(f"constraint of {what}: {fault}", place)
    types.limits.clear()
    checks = types.checks
    for check in checks:
        definition = check.definition
        faults = check_value(
            check.value, definition.schema, types, check.what, check.place, hidden=definition.is_secret
        )
        for one in faults:
            one.hint = check.hint or one.hint
        types.problems.errors.extend(faults)
    checks.clear()
