"""What has properties and attributes, and how these are read [TOSCA 1.3, 4.4, 4.5]."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, Protocol

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.hints import nearest_or_known
from ansible_ensemble.core.sensitive import mark_sensitive
from ansible_ensemble.instances.instance import Instances
from ansible_ensemble.language.entities import Assignment, Capability, Entity, ParameterDefinition, Topology
from ansible_ensemble.language.normative import is_shipped
from ansible_ensemble.views.conform import conform_part, filled, mark_declared
from ansible_ensemble.views.data import MISSING
from ansible_ensemble.views.evaluation_environment import EvaluationEnvironment
from ansible_ensemble.views.lazy import Unfinished, UnfinishedList, complete, has_parts, unfinished
from ansible_ensemble.views.reads import Deferred, Tracker


class Model(Protocol):
    """What there is, and what computes its values: an evaluator, as views know it."""

    topology: Topology
    instances: Instances
    environment: EvaluationEnvironment
    prefix: str

    def compute(self, ref: str, kind: str, compute: Callable[[Tracker], Any], tracker: Tracker) -> Any:
        """A value by its reference, computed if it is not known or what it rests on has changed."""

    def is_active(self, ref: str, kind: str) -> bool:
        """Whether a value is being computed, or waits for one that is."""

    def assigned(self, view: View, ref: str, written: Any, assignment: Assignment, tracker: Tracker) -> Any:
        """The value of what is written in an assignment of something."""

    def checked(self, value: Any, definition: ParameterDefinition | None, place: Place | None, what: str) -> Any:
        """The value, finished and brought into its declared type."""

    def input_value(self, name: str, namespace: str, tracker: Tracker) -> Any:
        """Value of an input of the topology."""

    def output_value(self, name: str, tracker: Tracker) -> Any:
        """Value of an output of the topology."""

    def operation_output(self, view: View, operation: str, output: str, tracker: Tracker) -> Any:
        """Value of an output of an operation that ran."""

    def untracked(self) -> Tracker:
        """A tracker for reads that are not recorded."""


class View:
    """Something of the model that has properties and attributes.

    Attributes:
        evaluator: the model it is of.
        name: its name.
        ref: how reads name it.
    """

    __slots__ = ("evaluator", "name", "ref")

    def __init__(self, evaluator: Model, name: str, ref: str) -> None:
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
    def declared(self) -> Entity | Capability | None:
        """Its declaration in the topology; None if that is no longer in the spec."""
        return None

    @property
    def type_name(self) -> str:
        """Name of its type; empty where it has none."""
        return self.declared.type.name if self.declared is not None else ""

    @property
    def owner(self) -> View:
        """The instance it belongs to; an instance belongs to itself."""
        return self

    def definitions(self) -> Mapping[str, ParameterDefinition]:
        """What its type declares as properties."""
        return self.declared.type.properties if self.declared is not None else {}

    def attribute_definitions(self) -> Mapping[str, ParameterDefinition]:
        """What its type declares as attributes."""
        return self.declared.type.attributes if self.declared is not None else {}

    def properties(self) -> Mapping[str, Assignment]:
        """Assigned properties."""
        return self.declared.properties if self.declared is not None else {}

    def attributes(self) -> Mapping[str, Assignment]:
        """Assigned attributes."""
        return self.declared.attributes if self.declared is not None else {}

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
            Deferred: none of these exists yet.
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

    def blame(self, error: InvalidInput, what: str) -> None:
        """Make an error in what a shipped type declares one of the user's template, whose value (`what`) has it."""
        if is_shipped(error.place):
            declared = self.owner.declared
            error.place = declared.place if isinstance(declared, Entity) else None
            error.message = f"{what}: {error.message}"

    def _value(self, name: str, kind: str, assignment: Assignment, tracker: Tracker) -> Any:
        ref, what = f"{self.ref}::{name}", f"{kind} {self.label}.{name}"
        definition, evaluator = assignment.definition, self.evaluator
        data_type = evaluator.topology.data_types.get

        def compute(own: Tracker) -> Any:
            try:
                value = evaluator.assigned(self, ref, assignment.value, assignment, own)
                value = evaluator.checked(value, definition, assignment.place, what)
            except InvalidInput as error:
                self.blame(error, what)
                raise
            return mark_sensitive(value) if definition is not None and definition.sensitive else value

        def compute_part(path: tuple[Any, ...], written: Any) -> Any:
            inner = "::".join(map(str, (ref, *path)))

            def compute(own: Tracker) -> Any:
                value = complete(evaluator.assigned(self, inner, written, assignment, own))
                return conform_part(value, definition, data_type, path, what=what, place=assignment.place)

            return tracker.hide(evaluator.compute(inner, kind, compute, tracker))

        if has_parts(assignment.value) and evaluator.is_active(ref, kind):
            written = assignment.value if definition is None else filled(assignment.value, definition.schema, data_type)
            return unfinished(written, compute_part)
        return evaluator.compute(ref, kind, compute, tracker)


def _taken_down(ref: str, value: Any, tracker: Tracker) -> Any:
    """A value whose read was taken down; one that is not finished is read by the one that it is a part of."""
    return value if isinstance(value, Unfinished | UnfinishedList) else tracker.read(ref, value)


def _default(definition: ParameterDefinition) -> Assignment | None:
    if not definition.has_default:
        return None
    place = definition.place
    base = Path(place.file).parent if place is not None else None
    return Assignment(definition.default, definition, place, base, is_default=True)
