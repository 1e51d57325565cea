"""Evaluates the values of one ensemble, each once, as long as what it rests on stays the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ansible_ensemble.core.errors import EnsembleError, InvalidInput, Place
from ansible_ensemble.core.hints import nearest_or_known
from ansible_ensemble.core.sensitive import mark_sensitive
from ansible_ensemble.expressions import values
from ansible_ensemble.expressions.context import Context, Evaluating, Frame, Function, frame_of
from ansible_ensemble.expressions.scope import Scope
from ansible_ensemble.expressions.templates import Templates
from ansible_ensemble.instances.instance import Instance, Instances, RelationshipInstance
from ansible_ensemble.language.entities import Assignment, Operation, ParameterDefinition, Topology
from ansible_ensemble.language.given_input import lost_input
from ansible_ensemble.views.conform import conform
from ansible_ensemble.views.data import plain
from ansible_ensemble.views.entities import NodeView, RootView
from ansible_ensemble.views.evaluation_environment import EvaluationEnvironment
from ansible_ensemble.views.graph import Graph
from ansible_ensemble.views.lazy import complete
from ansible_ensemble.views.reads import Deferred, Tracker
from ansible_ensemble.views.view import View

#: How deep values may refer to values before the inner one is computed first, from a fresh stack.
_DEPTH = 10

Key = tuple[str, str]


class _Known(Struct, frozen=True):
    """A value that was computed, and what it rests on."""

    value: Any
    tracker: Tracker


class _Postponed(BaseException):
    """A value has to be computed first, from a fresh stack; no handler of errors may swallow it."""

    def __init__(self, key: Key, compute: Callable[[Tracker], Any], trail: list[Key]) -> None:
        super().__init__(key)
        self.key = key
        self.compute = compute
        self.trail = trail


class Evaluator:
    """Evaluates the values of one ensemble.

    A property is computed when it is first read and then remembered until an attribute, a state or a status it rests
    on changes. Values may refer to each other to any depth; a cycle is an error that names it.

    Attributes:
        topology: what should be.
        instances: what is.
        environment: what is around the model.
        prefix: what the references of its reads begin with; empty but for an imported ensemble.
        functions: the functions of the language by name.
        graph: instances, templates and relations by name.
        root: the topology as expressions see it.
        templates: Ansible's template engine.
    """

    def __init__(
        self,
        topology: Topology,
        instances: Instances,
        environment: EvaluationEnvironment,
        functions: Mapping[str, Function],
        *,
        prefix: str = "",
    ) -> None:
        self.topology = topology
        self.instances = instances
        self.environment = environment
        self.prefix = prefix
        self.functions = functions
        self.graph = Graph(self)
        self.root = RootView(self)
        self.templates = Templates(environment)
        self._known: dict[Key, _Known] = {}
        self._active: dict[Key, None] = {}
        self._waiting: Counter[Key] = Counter()
        self._imported: dict[str, tuple[Evaluating, Evaluator]] = {}

    def scope(
        self,
        instance: Instance | None = None,
        *,
        relationship: RelationshipInstance | None = None,
        operation: Operation | None = None,
        inputs: Mapping[str, Any] | None = None,
        variables: Mapping[str, Any] | None = None,
        base: Path | None = None,
    ) -> Scope:
        """The view from an instance, a relationship or an operation.

        Args:
            instance: SELF; for a relationship, the side on which an operation runs. None: the topology.
            relationship: SELF, if the expression is in a relationship.
            operation: the operation whose inputs are read.
            inputs: values that win over the operation's own inputs; they are not evaluated.
            variables: variables of templates and paths; they are not evaluated.
            base: folder that relative file names start in; else the operation's, else the ensemble's.
        """
        node = self.graph.view(instance) if instance is not None else None
        link = self.graph.relationship(node, relationship) if node is not None and relationship is not None else None
        if relationship is not None and link is None:
            where = f'"{node.name}"' if node is not None else "the topology"
            raise InvalidInput(f'{where} has no relationship "{relationship.name}" to "{relationship.target}"')
        frame = Frame(node, link, operation, variables=dict(variables or {}))
        return Scope(self, frame, dict(inputs or {}), base or (operation.base if operation is not None else None))

    def input(self, name: str) -> Any:
        """Value of a topology input, as plain data."""
        return plain(self.input_value(name, "", self.untracked()))

    def outputs(self, failed: Callable[[str, EnsembleError], None] | None = None) -> dict[str, Any]:
        """Values of the topology's outputs as plain data; those that are not known yet are left out.

        So are those whose expression is wrong, if there is a handler for it.
        """
        found = {}
        for name in self.topology.outputs:
            try:
                found[name] = plain(self.output_value(name, self.untracked()))
            except Deferred:
                continue
            except EnsembleError as error:
                if failed is None:
                    raise
                failed(name, error)
        return found

    def untracked(self) -> Tracker:
        """A tracker for reads that are not recorded."""
        return Tracker(self.environment.digest_key, self.environment.redactor)

    def evaluate(self, value: Any, context: Context) -> Any:
        """The value of raw data; see `values.evaluate`."""
        return values.evaluate(value, context)

    def query(self, expression: Any, context: Context, *, of_result: bool = False) -> Any:
        """The value of an expression; see `values.query`."""
        return values.query(expression, context, of_result=of_result)

    def assigned(self, view: View, ref: str, written: Any, assignment: Assignment, tracker: Tracker) -> Any:
        """The value of what is written in an assignment of something."""
        base, place = assignment.base, assignment.place
        context = Context(self, frame_of(view), tracker, current=view, base=base, place=place, subject=ref)
        return self.evaluate(written, context)

    def imported(self, name: str, other: Evaluating, instance: str | None) -> View:
        """An instance of another ensemble, or its topology; its reads are named by how it is imported."""
        if name not in self._imported or self._imported[name][0] is not other:
            around, prefix = replace(other.environment, redactor=self.environment.redactor), f"external::{name}"
            made = Evaluator(other.topology, other.instances, around, self.functions, prefix=prefix)
            self._imported[name] = other, made
        found = self._imported[name][1]
        return (found.graph.find(instance) if instance is not None else None) or found.root

    def input_names(self, namespace: str) -> list[str]:
        """Names of the inputs of the topology, or of a nested one."""
        topology = self._nested(namespace)
        outer = self.graph.find(namespace) if namespace else None
        return list(dict.fromkeys([*topology.inputs, *(outer.definitions() if outer is not None else ())]))

    def input_value(self, name: str, namespace: str, tracker: Tracker) -> Any:
        """Value of an input of the topology; a nested topology's inputs are properties of the node it substitutes."""
        topology = self._nested(namespace)
        outer = self.graph.find(namespace) if namespace else None
        definition = topology.inputs.get(name)
        if name not in self.input_names(namespace):
            raise InvalidInput(f'there is no input "{name}"', hint=nearest_or_known(name, self.input_names(namespace)))

        def compute(own: Tracker) -> Any:
            if name in topology.lost_inputs:
                raise lost_input(name, topology.lost_inputs[name])
            if name in topology.input_values:
                raw = topology.input_values[name]
            elif outer is not None and outer.has_property(name):
                return complete(outer.property(name, own))
            elif definition is not None and (definition.has_value or definition.has_default):
                raw = definition.value if definition.has_value else definition.default
            elif definition is not None and definition.required:
                raise InvalidInput(
                    f'input "{name}" has no value', definition.place, hint="give it under spec: inputs:, or with -e"
                )
            else:
                return None
            value = self.evaluate(raw, self._topology_context(topology, outer, own, definition))
            return self._declared(value, definition, f'input "{name}"')

        ref = self._own("input", f"{namespace}::{name}" if namespace else name)
        return tracker.read(ref, self.compute(ref, "input", compute, tracker))

    def output_value(self, name: str, tracker: Tracker) -> Any:
        """Value of an output of the topology.

        Raises:
            Deferred: it is not known yet.
        """
        definition = self.topology.outputs[name]

        def compute(own: Tracker) -> Any:
            value = self.evaluate(definition.value, self._topology_context(self.topology, None, own, definition))
            return self._declared(value, definition, f'output "{name}"')

        ref = self._own("output", name)
        return tracker.read(ref, self.compute(ref, "output", compute, tracker))

    def operation_output(self, view: View, operation: str, output: str, tracker: Tracker) -> Any:
        """Value of an output of an operation that ran.

        Raises:
            Deferred: the operation has not run yet, or did not give it.
        """
        owner = view.ref.removeprefix(self.prefix).removeprefix("::")
        values_of = self.environment.outputs.get((owner, operation))
        if values_of is None or output not in values_of:
            ref = f"{view.label}.{operation}.{output}"
            raise Deferred(f"output {ref} is not known yet", refs=(ref,))
        return tracker.read(self._own("output", f"{owner}::{operation}::{output}"), values_of[output])

    def checked(self, value: Any, definition: ParameterDefinition | None, place: Place | None, what: str) -> Any:
        """The value, finished and brought into its declared type; see `conform`."""
        value = complete(value)
        if definition is None:
            return value
        data_type, hidden = self.topology.data_types.get, definition.is_secret
        return conform(value, definition.schema, what, place, data_type, hidden=hidden)

    def compute(self, ref: str, kind: str, compute: Callable[[Tracker], Any], tracker: Tracker) -> Any:
        """A value by its reference, computed if it is not known or what it rests on has changed."""
        key = (kind, ref)
        if self._active:
            return self._once(key, compute, tracker)
        try:
            return self._from_fresh_stacks(key, compute, tracker)
        finally:
            self._waiting.clear()

    def _from_fresh_stacks(self, key: Key, compute: Callable[[Tracker], Any], tracker: Tracker) -> Any:
        waiting = [(key, compute, list[Key]())]
        while True:
            next_key, next_compute, next_trail = waiting[-1]
            try:
                value = self._once(next_key, next_compute, tracker if len(waiting) == 1 else self.untracked())
            except _Postponed as postponed:
                trail = [waiting_key for waiting_key, *_more in waiting]
                if postponed.key in trail:
                    raise _cycle([*trail[trail.index(postponed.key) :], *postponed.trail], postponed.key) from None
                waiting.append((postponed.key, postponed.compute, postponed.trail))
                self._waiting.update(postponed.trail)
                continue
            waiting.pop()
            self._waiting.subtract(next_trail)
            if not waiting:
                return value

    def is_active(self, ref: str, kind: str) -> bool:
        """Whether a value is being computed, or waits for one that is."""
        key = (kind, ref)
        return key in self._active or self._waiting[key] > 0

    def _once(self, key: Key, compute: Callable[[Tracker], Any], tracker: Tracker) -> Any:
        known = self._known.get(key)
        if known is None or not known.tracker.holds():
            if key in self._active:
                active = list(self._active)
                raise _cycle(active[active.index(key) :], key)
            if len(self._active) >= _DEPTH:
                raise _Postponed(key, compute, list(self._active))
            own = tracker.fresh()
            self._active[key] = None
            try:
                known = _Known(compute(own), own)
            finally:
                del self._active[key]
            self._known[key] = known
        tracker.absorb(known.tracker)
        return known.value

    def _own(self, kind: str, name: str) -> str:
        """The reference of something that belongs to the topology."""
        return f"{self.prefix}::{kind}::{name}" if self.prefix else f"{kind}::{name}"

    def _nested(self, namespace: str) -> Topology:
        return self.topology.nested.get(namespace, self.topology) if namespace else self.topology

    def _topology_context(
        self, topology: Topology, outer: NodeView | None, tracker: Tracker, definition: ParameterDefinition | None
    ) -> Context:
        return Context(
            self,
            Frame(instance=outer),
            tracker,
            current=outer or self.root,
            base=topology.file.parent,
            place=definition.place if definition is not None else None,
            subject=definition.name if definition is not None else "",
        )

    def _declared(self, value: Any, definition: ParameterDefinition | None, what: str) -> Any:
        value = self.checked(value, definition, definition.place if definition is not None else None, what)
        if definition is None:
            return value
        return mark_sensitive(plain(value)) if definition.sensitive else value


def _cycle(keys: list[Key], again: Key) -> InvalidInput:
    names = [ref.lstrip(":").replace("::", ".") for _kind, ref in [*keys, again]]
    names = [name for index, name in enumerate(names) if index == 0 or names[index - 1] != name]
    if len(names) > 12:
        names = [*names[:6], "...", *names[-5:]]
    return InvalidInput(
        f"values depend on each other: {' -> '.join(names)}",
        hint="give one of them a value that does not read the others",
    )
