"""Node templates that represent existing instances (directive `select`) [TOSCA 1.3, 3.4.3].

That is an instance of another ensemble, which the environment names as `external`, or another node template of the
same topology. A property or attribute of such a node is read from what it selects each time, so that a change there
is seen here. A tool may be selected before it is installed: then it has an operation that has the other ensemble do it.
A tool of an implementation that another ensemble needs as well is one of that ensemble's, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.notices import NoticeCode
from ansible_ensemble.expressions.context import Evaluating
from ansible_ensemble.expressions.scope import Scope
from ansible_ensemble.instances.instance import Instance, Instances
from ansible_ensemble.instances.status import Status
from ansible_ensemble.language.entities import (
    Assignment,
    Capability,
    EntityType,
    Interface,
    NodeTemplate,
    Operation,
    Topology,
)
from ansible_ensemble.language.filters import mismatch
from ansible_ensemble.language.functions import is_computed
from ansible_ensemble.language.problems import Problems
from ansible_ensemble.projects.environment import Environment
from ansible_ensemble.topology.building import static_value
from ansible_ensemble.topology.directives import NOT_DEPLOYED
from ansible_ensemble.topology.installers import PACKAGES, folder_of, is_installer
from ansible_ensemble.topology.tools import NODE_TYPE, is_tool
from ansible_ensemble.views.data import plain
from ansible_ensemble.views.entities import NodeView
from ansible_ensemble.views.view import View

SELECT = "select"
#: How many candidates that do not fit a message lists.
_SHOWN = 3


class _Candidate(Struct, frozen=True):
    """An instance of another ensemble.

    Attributes:
        external: the name under which the environment has the ensemble.
        path: begins the paths that lead to its values: `lan::`, or nothing where the environment names it.
        view: the instance as expressions see it.
        template: its node template, with the values that are known as properties.
        status: its status, with what it needs considered; that of a tool whose files are not on this machine is absent.
    """

    external: str
    path: str
    instance: Instance
    view: NodeView
    template: NodeTemplate
    status: Status

    @property
    def name(self) -> str:
        """How the status and messages name it."""
        return f"{self.external}:{self.instance.name}"

    @property
    def is_there(self) -> bool:
        """Whether it can be used as it is."""
        return self.status in (Status.OK, Status.DEGRADED)


class _Values(Struct, frozen=True):
    """What filters see of a candidate: values that are evaluated already, or those of the topology as written."""

    topology: Topology

    def static_value(self, value: Any) -> tuple[Any, bool]:
        return static_value(self.topology, value)

    def data_type(self, canonical: str) -> EntityType | None:
        return self.topology.data_types.get(canonical)


def bind_selected(
    topology: Topology, instances: Instances, environment: Environment, find: Callable[[str], Scope]
) -> Problems:
    """Have each node template with the directive `select` represent the first match.

    What it stood for before comes first, then instances of other ensembles, then templates of the same topology.

    Args:
        topology: its node templates get the values of what they select.
        instances: get an imported instance for each that is elsewhere.
        environment: names other ensembles, in the order in which they are searched.
        find: gives the view from an external's instance, or from its topology.

    Returns:
        An error for each that nothing fits; warnings of those that more than one thing fits, or another than before.
    """
    externals, selection = environment.external, Problems()
    wanted = [template for template in topology.node_templates.values() if SELECT in template.directives]
    tools = [one for one in topology.node_templates.values() if one.type.name == NODE_TYPE] if externals else []
    if not wanted and not tools:
        return selection
    candidates, unreadable = _elsewhere(externals, find)
    for template in tools:
        known = instances.get(template.name)
        found = next((one for one in candidates if _is_same_tool(one.template, template)), None)
        if found is not None and (known is None or known.created is None):
            template.directives += (SELECT,)
            _bind(template, found, instances, environment)
    for template in wanted:
        reasons = list(unreadable.values())
        fitting = _fitting(template, candidates, topology, reasons)
        known = instances.get(template.name)
        before = known.imported if known is not None else None
        if before is not None and before.partition(":")[0] in unreadable:
            fitting = []  # it may still exist: nothing is selected instead
        found = next((one for one in fitting if one.name == before), fitting[0] if fitting else None)
        own = [] if fitting or unreadable else _own(template, topology, reasons)
        if found is not None:
            _bind(template, found, instances, environment)
            _tell(template, [found.name, *(one.name for one in fitting if one is not found)], before, selection)
        elif own:
            _redirect(template, own[0])
            _tell(template, [one.name for one in own], before, selection)
        else:
            _refuse(template, reasons, externals, selection)
            if before is not None:
                _keep(template, before, externals)
    return selection


def _elsewhere(externals: Mapping[str, Any], find: Callable[[str], Scope]) -> tuple[list[_Candidate], dict[str, str]]:
    """The instances of other ensembles, and by name why some of these cannot be looked at."""
    found, unreadable = list[_Candidate](), dict[str, str]()
    for name in externals:
        try:
            found += _candidates(name, find(name))
        except EnsembleError as error:
            unreadable[name] = f"{name} cannot be read: {error.message}"
    return found, unreadable


def _candidates(external: str, scope: Scope) -> Iterator[_Candidate]:
    evaluator = scope.evaluator
    named = scope.frame.instance
    for instance in _instances(evaluator):
        template = evaluator.topology.node_templates.get(instance.template)
        if template is None or (named is not None and named.name != instance.name):
            continue
        view = evaluator.graph.view(instance)
        capabilities = {
            name: replace(template.capabilities[name], properties=_known_properties(part))
            for name, part in view.capabilities().items()
        }
        known = replace(template, properties=_known_properties(view), capabilities=capabilities)
        path, status = _path(instance.name, is_named=named is not None), instance.effective or instance.status
        if is_installer(template) and not _is_here(template, evaluator):
            status = Status.ABSENT
        yield _Candidate(external, path, instance, view, known, status)


def _instances(evaluator: Evaluating) -> Iterator[Instance]:
    """The instances of an ensemble, and those of tools that it has not installed yet."""
    yield from evaluator.instances
    made = {instance.template for instance in evaluator.instances}
    for name, template in evaluator.topology.node_templates.items():
        if name not in made and is_tool(template) and NOT_DEPLOYED.isdisjoint(template.directives):
            yield Instance(name, name)


def _is_here(template: NodeTemplate, evaluator: Evaluating) -> bool:
    """Whether this machine has what an installer installs; it may be another one that recorded it."""
    return template.type.is_a(PACKAGES) or folder_of(template, evaluator.topology, evaluator.environment.root).is_dir()


def _is_same_tool(template: NodeTemplate, other: NodeTemplate) -> bool:
    """Whether two ensembles mean the same by a tool of theirs."""
    return (template.type.name, template.name) == (other.type.name, other.name) and all(
        _words(template.operation(interface, name)) == _words(other.operation(interface, name))
        for interface, name in (("Standard", "create"), ("Standard", "configure"), ("Install", "check"))
    )


def _words(operation: Operation | None) -> str | None:
    return operation.implementation.primary if operation is not None and operation.implementation is not None else None


def _known_properties(view: View) -> dict[str, Assignment]:
    """The values of the properties that are known."""
    known = {}
    for name, assignment in view.properties().items():
        try:
            value = view.property(name, view.evaluator.untracked())
        except EnsembleError:
            continue
        known[name] = Assignment(plain(value), assignment.definition)
    return known


def _fitting(
    template: NodeTemplate, candidates: list[_Candidate], topology: Topology, reasons: list[str]
) -> list[_Candidate]:
    """The candidates that a template may select; why the others do not fit is added to the reasons."""
    found = []
    for candidate in candidates:
        reason = _unfit(template, candidate.template, topology)
        if reason is None and not candidate.is_there and not is_tool(candidate.template):
            reason = f"it is {candidate.status.value}"
        if reason is None:
            found.append(candidate)
        else:
            reasons.append(f"{candidate.name}: {reason}")
    return sorted(found, key=lambda one: not one.is_there)


def _unfit(template: NodeTemplate, candidate: NodeTemplate, topology: Topology) -> str | None:
    # another ensemble has types of its own: the names count
    if template.type.name not in {one.name for one in candidate.type.lineage()}:
        return f"it is a {candidate.type.name}"
    values = _Values(topology)
    given = {name: one.value for name, one in template.properties.items() if not one.is_default}
    wanted = {name: value for name, value in given.items() if value is not None and not is_computed(value)}
    return mismatch(candidate, {"properties": wanted}, values) or mismatch(
        candidate, template.node_filter or {}, values
    )


def _own(template: NodeTemplate, topology: Topology, reasons: list[str]) -> list[NodeTemplate]:
    """The templates of the same topology that fit, without those that need the selected one themselves."""
    needing = _needing(template)
    found = []
    for candidate in topology.node_templates.values():
        if candidate in needing or not NOT_DEPLOYED.isdisjoint(candidate.directives):
            continue
        reason = _unfit(template, candidate, topology)
        if reason is None:
            found.append(candidate)
        elif not reason.startswith("it is a "):
            reasons.append(f"{candidate.name}: {reason}")
    return found


def _needing(template: NodeTemplate) -> set[NodeTemplate]:
    """A template and all that need it, directly or not."""
    found, waiting = {template}, [template]
    while waiting:
        for relationship in waiting.pop().incoming:
            if relationship.source not in found:
                found.add(relationship.source)
                waiting.append(relationship.source)
    return found


def _redirect(template: NodeTemplate, found: NodeTemplate) -> None:
    """Have all that requires a template require another one of the topology, and its values be those of that."""
    for relationship in template.incoming:
        relationship.target = found
    found.incoming += template.incoming
    template.incoming = []
    template.capabilities = found.capabilities
    for function, given, definitions, names in (
        ("get_property", template.properties, template.type.properties, [*found.type.properties, *found.properties]),
        ("get_attribute", template.attributes, template.type.attributes, [*found.type.attributes, *found.attributes]),
    ):
        for name in names:
            given[name] = Assignment({function: [found.name, name]}, definitions.get(name), template.place)


def _bind(template: NodeTemplate, candidate: _Candidate, instances: Instances, environment: Environment) -> None:
    """Have a template represent an instance of another ensemble."""
    _read_values(template, template, candidate.view, candidate, "")
    for name, part in candidate.view.capabilities().items():
        own = template.capabilities.get(name)
        if own is not None:
            # templates that assign nothing to a capability share it
            template.capabilities[name] = made = replace(
                own, properties=dict(own.properties), attributes=dict(own.attributes)
            )
            _read_values(made, template, part, candidate, f".capabilities::[.name={name}]::")
    if instances.get(template.name) is None:
        instances.add(Instance(template.name, template.name))
    imported = instances.by_name[template.name]
    imported.imported = candidate.name
    imported.local, imported.state = candidate.status, candidate.instance.state
    if is_tool(template):
        template.interfaces = _installed_there(template, candidate, environment)


def _installed_there(template: NodeTemplate, candidate: _Candidate, environment: Environment) -> dict[str, Interface]:
    """The interfaces of a tool that another ensemble installs: its own check, if others may have removed it."""
    from ansible_ensemble.configurators.external_job import installation  # which few ensembles need

    external, standard = environment.external[candidate.external], template.interfaces.get("Standard")
    is_checked = template.type.name == NODE_TYPE
    interfaces = {name: one for name, one in template.interfaces.items() if is_checked and name != "Standard"}
    if is_checked or not candidate.is_there:
        made = installation(candidate.external, external.ensemble, candidate.instance.name, environment.name)
        made = replace(made, place=template.place, base=environment.root)
        interfaces["Standard"] = Interface("Standard", standard.type if standard else "Standard", {made.name: made})
    return interfaces


def _read_values(
    part: NodeTemplate | Capability, template: NodeTemplate, view: View, candidate: _Candidate, path: str
) -> None:
    """Have every value that a part of an instance has, declared or not, be read from there."""
    for name in view.names():
        is_property = view.has_property(name)
        given = part.properties if is_property else part.attributes
        definition = (part.type.properties if is_property else part.type.attributes).get(name)
        given[name] = Assignment(
            _external(candidate.external, f"{candidate.path}{path}{name}"), definition, template.place
        )


def _external(name: str, path: str) -> dict[str, Any]:
    return {"eval": {"external": name}, SELECT: path}


def _path(instance: str, *, is_named: bool) -> str:
    """What begins the paths to an instance's values: nothing where the environment names the instance."""
    return "" if is_named else f"{instance}::"


def _keep(template: NodeTemplate, before: str, externals: Mapping[str, Any]) -> None:
    """Read what a template stood for before, though it does not fit now: what is taken down must not run on nothing."""
    external, _separator, instance = before.partition(":")
    path = _path(instance, is_named=external in externals and bool(externals[external].instance))
    for given, definitions in (
        (template.properties, template.type.properties),
        (template.attributes, template.type.attributes),
    ):
        for name, definition in definitions.items():
            given[name] = Assignment(_external(external, path + name), definition, template.place)


def _tell(template: NodeTemplate, fitting: list[str], before: str | None, selection: Problems) -> None:
    """Warn of what people should know of a selection: the first of what fits is taken."""
    found, *others = fitting
    if before is not None and before != found:
        selection.warn(
            NoticeCode.SELECTION, f"'{template.name}' selects {found} now, and selected {before} before", template.place
        )
    elif before is None and others:
        message = f"'{template.name}' selects {found}; {', '.join(others)} would fit as well"
        selection.warn(NoticeCode.SELECTION, f"{message}: a node_filter selects among them", template.place)


def _refuse(template: NodeTemplate, reasons: list[str], externals: Mapping[str, Any], selection: Problems) -> None:
    wanted = f"a {template.type.name}{' that meets its node_filter' if template.node_filter else ''}"
    more = f"; and {len(reasons) - _SHOWN} more" if len(reasons) > _SHOWN else ""
    there = "; ".join(reasons[:_SHOWN]) + more if reasons else "there is none"
    hint = None if externals else "the environment names ensembles to select from under `external`"
    selection.add(f"nothing fits the selected '{template.name}', {wanted}: {there}", template.place, hint)
