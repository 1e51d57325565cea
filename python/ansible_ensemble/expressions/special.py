"""The special keys of paths, which begin with a dot."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from ansible_ensemble.core.hints import nearest_or_known
from ansible_ensemble.expressions.context import Context
from ansible_ensemble.instances.readiness import effective
from ansible_ensemble.views.data import MISSING
from ansible_ensemble.views.entities import (
    ArtifactView,
    CapabilityView,
    NodeView,
    RelationshipView,
    RootView,
    TemplateView,
)
from ansible_ensemble.views.graph import Graph
from ansible_ensemble.views.lazy import LazyMap
from ansible_ensemble.views.reads import Tracker
from ansible_ensemble.views.view import Model, View


class Everything(Mapping[str, View]):
    """All instances by name, and the topology itself as `root`."""

    __slots__ = ("_graph", "_others", "_root", "_tracker")

    def __init__(self, model: Model, tracker: Tracker) -> None:
        self._graph = Graph(model)
        self._others = ("root",) if model.topology.is_unfurl else ("root", "inputs", "outputs")
        self._root = RootView(model)
        self._tracker = tracker

    def __getitem__(self, name: str) -> View:
        self._tracker.rests_on(self._graph.membership)
        found = self._graph.find(name) or (self._root if name in self._others else None)
        if found is None:
            raise KeyError(name)
        if name in ("inputs", "outputs") and found is self._root:
            return self._root.lookup(name, self._tracker)  # type: ignore[no-any-return]
        return found

    def __contains__(self, name: object) -> bool:
        self._tracker.rests_on(self._graph.membership)
        return name in self._others or self._graph.find(str(name)) is not None

    def __iter__(self) -> Iterator[str]:
        self._tracker.rests_on(self._graph.membership)
        return iter(self._graph.names())

    def __len__(self) -> int:
        return len(self._graph.names())


def special(value: Any, key: str, context: Context) -> Any:
    """The value of a special key of something; MISSING where it has none of this name."""
    if key in (".", ".self"):
        return value
    rule = SPECIAL_KEYS.get(key)
    if rule is None:
        raise context.failure(f'there is no special key "{key}"', hint=nearest_or_known(key, SPECIAL_KEYS))
    if not isinstance(value, View):
        return MISSING
    if rule not in _FIXED:
        context.tracker.rests_on(Graph(value.evaluator).membership)
    return rule(value, context)


def _name(view: View, _context: Context) -> Any:
    """The name: `::app::.name` is `app`."""
    return view.name


def _type(view: View, context: Context) -> Any:
    """The type's name: `::app::.type` is `tosca.nodes.SoftwareComponent`."""
    if context.is_unfurl and isinstance(view, RootView):
        return "~topology"
    return view.type_name or MISSING


def _tosca_id(view: View, _context: Context) -> Any:
    """What names it among all things of the topology: `::app::.tosca_id` is `::app`."""
    return view.ref


def _tosca_name(view: View, _context: Context) -> Any:
    """The node template's name [TOSCA 1.3, 5.9.1.3]: `::app::.tosca_name`."""
    return view.template_name if isinstance(view, NodeView) else view.name


def _status(view: View, context: Context) -> Any:
    """The operational status, `pending` before an instance is made: `::app::.status`."""
    if not isinstance(view, NodeView):
        return MISSING
    return context.tracker.rests_on(lambda: _effective(view))


def _effective(view: NodeView) -> str:
    """The status with those of its requirements considered, as jobs record it."""
    if view.instance is None:
        return "pending"
    graph, instances = Graph(view.evaluator), view.evaluator.instances
    if instances.get(view.name) is not view.instance:
        return view.instance.status.value
    return effective([view.name], instances, lambda name: _needed(graph.find(name)))[view.name].value


def _needed(view: NodeView | None) -> list[str]:
    return [item.target.name for item in view.requirements()] if view is not None else []


def _operational(view: View, context: Context) -> Any:
    """Whether its status is ok or degraded: `::app::.operational`."""
    return _status_is_one_of(("ok", "degraded"), view, context)


def _present(view: View, context: Context) -> Any:
    """Whether it is there, be it in error: `::app::.present`."""
    return _status_is_one_of(("ok", "degraded", "error"), view, context)


def _missing(view: View, context: Context) -> Any:
    """Whether its status is pending or absent: `::app::.missing`."""
    return _status_is_one_of(("pending", "absent"), view, context)


def _status_is_one_of(statuses: Collection[str], view: View, context: Context) -> Any:
    status = _status(view, context)
    return status if status is MISSING else status in statuses


def _template(view: View, _context: Context) -> Any:
    """What it is made from, with its `name` and `type`; other parts are found as by itself: `.template::type`."""
    return TemplateView(view.evaluator, view.name, view.template_name) if isinstance(view, NodeView) else view


def _state(view: View, context: Context) -> Any:
    """The node state, `initial` before an instance is made: `::app::.state`."""
    return context.tracker.rests_on(lambda: view.reflected("state"))


def _parents(view: View, _context: Context) -> Any:
    """What it belongs to or is hosted on, the root first and the nearest last: `.parents`."""
    return _above(view)[::-1]


def _above(view: View) -> list[View]:
    """What a view belongs to or is hosted on, nearest first."""
    if isinstance(view, RootView):
        return []
    owner = view.owner
    parents: list[View] = [owner] if owner is not view else []
    if isinstance(owner, NodeView):
        parents.extend(owner.hosts())
    return [*parents, RootView(view.evaluator)]


def _parent(view: View, _context: Context) -> Any:
    """The nearest of its parents: `..::port`, `.parent::port`."""
    return next(iter(_above(view)), MISSING)


def _ancestors(view: View, _context: Context) -> Any:
    """Itself and its parents, nearest first: `.ancestors`."""
    return [view, *_above(view)]


def _root(view: View, _context: Context) -> Any:
    """The topology, with `inputs` and `outputs`: `.root::inputs::size`."""
    return RootView(view.evaluator)


def _apex(view: View, _context: Context) -> Any:
    """The outermost topology, which is also that of nested ones: `.apex::inputs::size`."""
    return RootView(view.evaluator)


def _instances(view: View, _context: Context) -> Any:
    """The instances it hosts directly; of the root, those that nothing hosts: `.instances`."""
    if isinstance(view, RootView):
        return [node for node in Graph(view.evaluator).nodes() if next(node.hosts(), None) is None]
    if not isinstance(view, NodeView):
        return MISSING
    return [relationship.source for relationship in view.incoming() if relationship.is_hosted_on]


def _descendants(view: View, context: Context) -> Any:
    """Itself and everything it hosts, directly or not: `.descendants`."""
    if not isinstance(view, (NodeView, RootView)):
        return MISSING
    found: dict[View, None] = {}
    waiting: list[View] = [view]
    while waiting:
        item = waiting.pop(0)
        if item not in found:
            found[item] = None
            waiting.extend(_instances(item, context))
    return list(found)


def _siblings(view: View, _context: Context) -> Any:
    """All instances of its template: `::web::.siblings`."""
    return list(view.siblings()) if isinstance(view, NodeView) else MISSING


def _capabilities(view: View, _context: Context) -> Any:
    """Its capabilities: `.capabilities::[.name=endpoint]::port`."""
    return list(view.capabilities().values()) if isinstance(view, NodeView) else MISSING


def _requirements(view: View, _context: Context) -> Any:
    """Its relationships to others: `.requirements::[.name=db]::.target`."""
    return list(view.requirements()) if isinstance(view, NodeView) else MISSING


def _relationships(view: View, _context: Context) -> Any:
    """Relationships of others to it: `.relationships::.source`."""
    if isinstance(view, CapabilityView):
        return [
            item for item in view.node.incoming() if item.declared is not None and item.declared.capability == view.name
        ]
    return list(view.incoming()) if isinstance(view, NodeView) else MISSING


def _targets(view: View, _context: Context) -> Any:
    """What its requirements lead to, by the requirement's name: `.targets::db::url`."""
    if not isinstance(view, NodeView):
        return MISSING
    return _by_name((item.name, item.target) for item in view.requirements())


def _sources(view: View, _context: Context) -> Any:
    """What requires it, by the requirement's name: `.sources::db::.name`."""
    if not isinstance(view, NodeView):
        return MISSING
    return _by_name((item.name, item.source) for item in view.incoming())


def _by_name(pairs: Iterator[tuple[str, View]]) -> dict[str, Any]:
    grouped: dict[str, list[View]] = {}
    for name, view in pairs:
        grouped.setdefault(name, []).append(view)
    return {name: views[0] if len(views) == 1 else views for name, views in grouped.items()}


def _target(view: View, _context: Context) -> Any:
    """The instance a relationship leads to: `.requirements::.target`."""
    return view.target if isinstance(view, RelationshipView) else MISSING


def _source(view: View, _context: Context) -> Any:
    """The instance a relationship starts from: `.relationships::.source`."""
    return view.source if isinstance(view, RelationshipView) else MISSING


def _artifacts(view: View, _context: Context) -> Any:
    """Its artifacts by name: `.artifacts::image::file`."""
    return view.artifacts() if isinstance(view, NodeView) else MISSING


def _repository(view: View, _context: Context) -> Any:
    """The repository of an artifact: `.artifacts::image::.repository`."""
    return view.artifact.repository or MISSING if isinstance(view, ArtifactView) else MISSING


def _hosted_on(view: View, _context: Context) -> Any:
    """The instances that host it, nearest first: `.hosted_on::[.type=tosca.nodes.Compute]`."""
    owner = view.owner
    return list(owner.hosts()) if isinstance(owner, NodeView) else MISSING


def _configured_by(view: View, _context: Context) -> Any:
    """The instances that configure it, by a relationship of type unfurl.relationships.Configures: `.configured_by`."""
    if not isinstance(view, NodeView):
        return MISSING
    return [
        item.source
        for item in view.incoming()
        if item.declared is not None and item.declared.type.is_a("unfurl.relationships.Configures")
    ]


def _all(view: View, context: Context) -> Any:
    """All instances by name: `.all::db` is the same as `::db`."""
    return Everything(view.evaluator, context.tracker)


def _uri(view: View, _context: Context) -> Any:
    """An address of it that is unique among ensembles: `.uri`."""
    deployment = view.evaluator.environment.metadata.get("uri", view.evaluator.environment.folder.as_uri())
    return f"{deployment}#{view.ref}"


def _deployment(view: View, _context: Context) -> Any:
    """Name of the ensemble: `.deployment`."""
    environment = view.evaluator.environment
    return environment.metadata.get("deployment", environment.folder.name)


def _super(view: View, context: Context) -> Any:
    """Its properties as its type would have them without the template: `.super::port`."""
    definitions = view.definitions()
    return LazyMap(
        [name for name, definition in definitions.items() if definition.has_default],
        lambda name: context.at(view).evaluate(definitions[name].default),
    )


def _owner(view: View, _context: Context) -> Any:
    """The instance it belongs to: `.capabilities::.owner`."""
    return view.owner


def _names(view: View, context: Context) -> Any:
    """Its properties and attributes as a map: `.names`."""
    return LazyMap(view.names(), lambda name: view.lookup(name, context.tracker))


def _attributes(view: View, context: Context) -> Any:
    """The same by its name in Unfurl: `.attributes::port`."""
    return _names(view, context)


#: Rules that do not look at which instances there are.
_FIXED = (
    *(_name, _type, _tosca_id, _tosca_name, _status, _state, _root, _apex, _repository, _uri, _deployment, _super),
    *(_operational, _present, _missing, _template),
)

_RULES: tuple[Callable[[Any, Context], Any], ...] = (
    *(_name, _type, _tosca_id, _tosca_name, _status, _state, _parent, _parents, _ancestors, _root, _apex, _instances),
    *(_descendants, _siblings, _capabilities, _requirements, _relationships, _targets, _sources, _target, _source),
    *(_artifacts, _repository, _hosted_on, _configured_by, _all, _uri, _deployment, _super, _owner, _names),
    _attributes,
    *(_operational, _present, _missing, _template),
)
#: Each rule by its key, in the order in which they are documented: a dot and its function's name.
SPECIAL_KEYS = {"..": _parent, **{f".{rule.__name__[1:]}": rule for rule in _RULES}}
