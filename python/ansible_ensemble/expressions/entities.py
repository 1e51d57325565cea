"""Instances as expressions see them: their template, their status and their relations in one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible_ensemble.core.hints import nearest_or_known
from ansible_ensemble.core.sensitive import mark_sensitive
from ansible_ensemble.expressions.conform import conform_part, filled, mark_declared
from ansible_ensemble.expressions.context import Context, Frame
from ansible_ensemble.expressions.data import MISSING
from ansible_ensemble.expressions.lazy import LazyMap, Unfinished, complete, is_plain_map
from ansible_ensemble.expressions.reads import Deferred
from ansible_ensemble.expressions.tracker import Tracker
from ansible_ensemble.instances.instance import Instance
from ansible_ensemble.language.entities import Assignment, NodeTemplate, ParameterDefinition

if TYPE_CHECKING:
    from ansible_ensemble.expressions.evaluator import Evaluator
    from ansible_ensemble.expressions.parts import ArtifactView, CapabilityView, RelationshipView


class View:
    """Something of the model that has properties and attributes.

    Attributes:
        evaluator: the evaluator it belongs to.
        name: its name.
        ref: how reads name it.
    """

    __slots__ = ("evaluator", "name", "ref")

    def __init__(self, evaluator: Evaluator, name: str, ref: str) -> None:
        self.evaluator = evaluator
        self.name = name
        self.ref = ref

    def __eq__(self, other: object) -> bool:
        return isinstance(other, View) and self.ref == other.ref and self.evaluator is other.evaluator

    def __hash__(self) -> int:
        return hash(self.ref)

    @property
    def label(self) -> str:
        """How messages name it."""
        return self.name

    @property
    def type_name(self) -> str:
        """Name of its type; empty where it has none."""
        return ""

    @property
    def owner(self) -> View:
        """The instance it belongs to; an instance belongs to itself."""
        return self

    def frame(self) -> Frame:
        """What keywords mean in its values."""
        return Frame()

    def definitions(self) -> Mapping[str, ParameterDefinition]:
        """What its type declares as properties."""
        return {}

    def attribute_definitions(self) -> Mapping[str, ParameterDefinition]:
        """What its type declares as attributes."""
        return {}

    def properties(self) -> Mapping[str, Assignment]:
        """Assigned properties."""
        return {}

    def attributes(self) -> Mapping[str, Assignment]:
        """Assigned attributes."""
        return {}

    def live(self) -> Mapping[str, Any]:
        """Attributes that operations set."""
        return {}

    def withheld(self) -> Collection[str]:
        """Names of the attributes that operations set, and whose values could not be kept."""
        return ()

    def recorded(self) -> Mapping[str, Any]:
        """Values of properties that are known though nothing declares them any more."""
        return {}

    def reflected(self, name: str) -> Any:
        """A value that everything has without declaring it; MISSING if there is none of this name."""
        return {"tosca_id": self.name, "tosca_name": self.name}.get(name, MISSING)

    def derived(self, name: str, tracker: Tracker) -> Any:  # noqa: ARG002
        """The value of an attribute that follows from other values where it is not set; MISSING if it does not."""
        return MISSING

    def names(self) -> list[str]:
        """Names of its properties and attributes, declared ones first."""
        sources = (self.definitions(), self.properties(), self.attribute_definitions(), self.attributes(), self.live())
        return list(dict.fromkeys(name for source in (*sources, self.recorded()) for name in source))

    def has_property(self, name: str) -> bool:
        """Whether it has a property of this name."""
        return name in self.definitions() or name in self.properties() or name in self.recorded()

    def property(self, name: str, tracker: Tracker) -> Any:
        """Value of a property: what is assigned or its default; null if there is neither, MISSING if undeclared."""
        assignment = self.properties().get(name)
        definition = self.definitions().get(name)
        if assignment is None and definition is not None:
            assignment = _default(definition)
        if assignment is not None:
            value = self._value(name, "property", assignment, tracker)
        elif definition is not None:
            value = None
        elif name in self.recorded():
            value = self.recorded()[name]
        else:
            return MISSING
        return _taken_down(f"{self.ref}::{name}", value, tracker)

    def attribute(self, name: str, tracker: Tracker) -> Any:
        """Value of an attribute: what an operation set, else what is assigned, its default, or a property's value.

        Raises:
            Deferred: none of these is there yet.
        """
        value = self._attribute(name, tracker)
        if value is MISSING:
            known = [*self.attribute_definitions(), *self.definitions()]
            hint = None if name in known else nearest_or_known(name, known)
            ref = f"{self.label}.{name}"
            raise Deferred(f"{ref} is not known yet", hint=hint, refs=(ref,))
        return value

    def lookup(self, name: str, tracker: Tracker) -> Any:
        """Value of an attribute or property as paths see it; MISSING where nothing of this name is declared or set.

        Raises:
            Deferred: it is declared as an attribute and not known yet.
        """
        if name in self.attribute_definitions():
            return self.attribute(name, tracker)
        return self._attribute(name, tracker)

    def _attribute(self, name: str, tracker: Tracker) -> Any:
        value = tracker.rests_on(lambda: self.live().get(name, MISSING))
        definition = self.attribute_definitions().get(name)
        if value is MISSING and name in self.withheld():
            return MISSING  # what it is declared or assigned as is not what an operation made of it
        if value is MISSING:
            assignment = self.attributes().get(name)
            if (assignment is None or assignment.value is None) and definition is not None:
                assignment = _default(definition)
            if assignment is None or assignment.value is None:
                value = tracker.rests_on(lambda: self.reflected(name))
                if value is MISSING:
                    value = self.property(name, tracker)
                return value if value is not MISSING else self.derived(name, tracker)
            value = self._value(name, "attribute", assignment, tracker)
        else:
            for declared in (definition, self.definitions().get(name)):
                value = mark_declared(value, declared, self.evaluator.topology.data_types.get)
        # a property of the same name has the plain reference
        ref = f"{self.ref}::.attributes::{name}" if self.has_property(name) else f"{self.ref}::{name}"
        return _taken_down(ref, value, tracker)

    def _value(self, name: str, kind: str, assignment: Assignment, tracker: Tracker) -> Any:
        ref, what = f"{self.ref}::{name}", f"{kind} {self.label}.{name}"
        definition, evaluator = assignment.definition, self.evaluator
        data_type = evaluator.topology.data_types.get

        def compute(own: Tracker) -> Any:
            value = self._context(ref, assignment, own).evaluate(assignment.value)
            value = evaluator.checked(value, definition, assignment.place, what)
            return mark_sensitive(value) if definition is not None and definition.sensitive else value

        def compute_part(path: tuple[Any, ...], written: Any) -> Any:
            inner = "::".join(map(str, (ref, *path)))

            def compute(own: Tracker) -> Any:
                value = complete(self._context(inner, assignment, own).evaluate(written))
                return conform_part(value, definition, data_type, path, what=what, place=assignment.place)

            return tracker.hide(evaluator.compute(inner, kind, compute, tracker))

        if is_plain_map(assignment.value) and evaluator.is_active(ref, kind):
            written = assignment.value if definition is None else filled(assignment.value, definition.schema, data_type)
            return Unfinished(written, compute_part)
        return evaluator.compute(ref, kind, compute, tracker)

    def _context(self, ref: str, assignment: Assignment, tracker: Tracker) -> Context:
        base, place = assignment.base, assignment.place
        return Context(self.evaluator, self.frame(), tracker, current=self, base=base, place=place, subject=ref)


def _taken_down(ref: str, value: Any, tracker: Tracker) -> Any:
    """A value whose read was taken down; one that is not finished is read by the one that it is a part of."""
    return value if isinstance(value, Unfinished) else tracker.read(ref, value)


def _default(definition: ParameterDefinition) -> Assignment | None:
    if not definition.has_default:
        return None
    place = definition.place
    base = Path(place.file).parent if place is not None else None
    return Assignment(definition.default, definition, place, base, is_default=True)


class NodeView(View):
    """An instance of a node template; before it is made, the instance that will be."""

    __slots__ = ("_fixed", "_template_name")

    def __init__(self, evaluator: Evaluator, name: str, template: str, fixed: Instance | None = None) -> None:
        super().__init__(evaluator, name, f"{evaluator.prefix}::{name}")
        self._template_name = template
        self._fixed = fixed

    @property
    def instance(self) -> Instance | None:
        """Its status; None before it is made."""
        return self._fixed or self.evaluator.instances.get(self.name)

    @property
    def template(self) -> NodeTemplate | None:
        """Its node template; None if that is gone from the spec."""
        return self.evaluator.topology.node_templates.get(self._template_name)

    @property
    def type_name(self) -> str:
        """Name of its node type."""
        return self.template.type.name if self.template is not None else ""

    def frame(self) -> Frame:
        """SELF is this instance."""
        return Frame(instance=self)

    def definitions(self) -> Mapping[str, ParameterDefinition]:
        """Properties that its node type declares."""
        return self.template.type.properties if self.template is not None else {}

    def attribute_definitions(self) -> Mapping[str, ParameterDefinition]:
        """Attributes that its node type declares."""
        return self.template.type.attributes if self.template is not None else {}

    def properties(self) -> Mapping[str, Assignment]:
        """Properties that its template assigns."""
        return self.template.properties if self.template is not None else {}

    def attributes(self) -> Mapping[str, Assignment]:
        """Attributes that its template presets."""
        return self.template.attributes if self.template is not None else {}

    def live(self) -> Mapping[str, Any]:
        """Attributes that operations set."""
        return self.instance.attributes if self.instance is not None else {}

    def withheld(self) -> Collection[str]:
        """Secrets that operations set, where there was no vault password to keep them by."""
        return self.instance.withheld if self.instance is not None else ()

    def recorded(self) -> Mapping[str, Any]:
        """Properties as they were when it was configured, if its template is gone."""
        return self.instance.properties if self.template is None and self.instance is not None else {}

    def reflected(self, name: str) -> Any:
        """`tosca_id`, `tosca_name` and `state` [TOSCA 1.3, 5.9.1.3]."""
        if name == "state":
            state = self.instance.state if self.instance is not None else None
            return state.value if state is not None else "initial"
        return {"tosca_id": self.name, "tosca_name": self._template_name}.get(name, MISSING)

    @property
    def template_name(self) -> str:
        """Name of its node template."""
        return self._template_name

    def siblings(self) -> list[NodeView]:
        """All instances of its template."""
        return self.evaluator.graph.nodes_of(self.template) if self.template is not None else [self]

    def requirements(self) -> list[RelationshipView]:
        """Its relationships, in the order of declaration."""
        return self.evaluator.graph.relationships_of(self)

    def incoming(self) -> list[RelationshipView]:
        """Relationships of which it is the target."""
        return self.evaluator.graph.relationships_to(self)

    def hosts(self) -> Iterator[NodeView]:
        """The instances that host it, nearest first [TOSCA 1.3, 4.1, HOST]."""
        seen = {self.ref}
        host = self._host()
        while host is not None and host.ref not in seen:
            seen.add(host.ref)
            yield host
            host = host._host()

    def _host(self) -> NodeView | None:
        for relationship in self.requirements():
            if relationship.is_hosted_on:
                return relationship.target
        name = self.instance.host if self.instance is not None else None
        return self.evaluator.graph.find(name) if name else None

    def capabilities(self) -> dict[str, CapabilityView]:
        """Its capabilities by name."""
        return self.evaluator.graph.capabilities_of(self)

    def artifacts(self) -> dict[str, ArtifactView]:
        """Its artifacts by name."""
        return self.evaluator.graph.artifacts_of(self)


class RootView(View):
    """The topology itself: its inputs, its outputs, and every instance by name."""

    __slots__ = ()

    def __init__(self, evaluator: Evaluator) -> None:
        super().__init__(evaluator, "root", f"{evaluator.prefix}::root")

    def names(self) -> list[str]:
        """What it has beside its instances."""
        return ["inputs", "outputs"]

    def lookup(self, name: str, tracker: Tracker) -> Any:
        """`inputs`, `outputs`, or an instance."""
        if name == "inputs":
            return LazyMap(self.evaluator.topology.inputs, lambda key: self.evaluator.input_value(key, "", tracker))
        if name == "outputs":
            return LazyMap(self.evaluator.topology.outputs, lambda key: self.evaluator.output_value(key, tracker))
        return self.evaluator.graph.find(name) or MISSING

    def attribute(self, name: str, tracker: Tracker) -> Any:
        """What the path `::root::<name>` gives."""
        value = self.lookup(name, tracker)
        if value is MISSING:
            raise Deferred(f"root.{name} is not known yet", refs=(f"root.{name}",))
        return value
