"""The view from one instance, relationship or operation: what its expressions give."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from msgspec.structs import replace

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.hints import nearest_or_known
from ansible_ensemble.core.sensitive import mark_sensitive
from ansible_ensemble.expressions.connections import exported_variables
from ansible_ensemble.expressions.context import Context, Evaluating, Frame
from ansible_ensemble.expressions.keywords import named
from ansible_ensemble.expressions.special import special
from ansible_ensemble.expressions.templates import template_variables
from ansible_ensemble.instances.instance import Instance, RelationshipInstance
from ansible_ensemble.language.entities import Assignment, Operation, ParameterDefinition
from ansible_ensemble.topology.required import is_required
from ansible_ensemble.views.conform import conform_part, filled
from ansible_ensemble.views.data import MISSING, Printed, plain
from ansible_ensemble.views.lazy import has_parts, unfinished
from ansible_ensemble.views.reads import Deferred, Reads, Tracker
from ansible_ensemble.views.view import View

#: Special keys that are plain data.
_SPECIAL = (".name", ".type", ".status", ".state", ".tosca_id", ".tosca_name")


def known_values(keyword: str, names: Collection[str] | None, context: Context) -> dict[str, Any] | None:
    """Properties and attributes, of these names or all, of SELF, HOST, SOURCE or TARGET; None if it means nothing here.

    What is not known yet is left out. Only what is handed over is read.
    """
    view = named(context, keyword)
    if view is None:
        return None
    wanted = [*_SPECIAL, *view.names()] if names is None else names
    found = {name: _value(view, name, context) for name in wanted}
    return {name: plain(value) for name, value in found.items() if value is not MISSING}


def _value(view: View, name: str, context: Context) -> Any:
    if name.startswith("."):
        return special(view, name, context) if name in _SPECIAL else MISSING
    try:
        return view.lookup(name, context.tracker)
    except Deferred:
        return MISSING


class Viewing(Evaluating, Protocol):
    """An evaluator that gives views from other things, too."""

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
        """The view from an instance, a relationship or an operation."""


class Scope:
    """The view from one instance, relationship or operation.

    Attributes:
        evaluator: the evaluator it belongs to.
        frame: what keywords mean.
        reads: what was read through it.
        inputs: the operation's inputs, each evaluated once, when it is read.
    """

    def __init__(self, evaluator: Viewing, frame: Frame, given: Mapping[str, Any], base: Path | None) -> None:
        self.evaluator = evaluator
        self.reads = Reads()
        self.inputs: Mapping[str, Any] = Inputs(self)
        self.frame = replace(frame, inputs=self.inputs)
        self._given = given
        self._base = base
        self._tracker = Tracker(evaluator.environment.digest_key, evaluator.environment.redactor, self.reads)

    def afresh(self) -> Scope:
        """The same view with nothing read or evaluated yet."""
        return Scope(self.evaluator, self.frame, self._given, self._base)

    @property
    def view(self) -> View:
        """What SELF means: the relationship, the instance or the topology."""
        return self.frame.relationship or self.frame.instance or self.evaluator.root

    def context(self, place: Place | None = None, base: Path | None = None, name: str = "") -> Context:
        """The context in which its expressions, or the input of this name, are evaluated."""
        operation = self.frame.operation.full_name if self.frame.operation is not None else ""
        return Context(
            self.evaluator,
            self.frame,
            self._tracker,
            current=self.view,
            base=base or self._base,
            place=place,
            subject=f"{self.view.ref}::{operation}::{name}",
        )

    def evaluate(self, value: Any, place: Place | None = None) -> Any:
        """Plain data of a raw value with functions, `eval` and templates in it; sensitive parts are marked.

        Raises:
            Deferred: it needs an attribute that is not known yet.
        """
        return self._plain(lambda context: context.evaluate(value), place)

    def query(self, expression: Any) -> Any:
        """Plain data of an expression: text is a path (`.targets::db::url`), a map is a function.

        Raises:
            Deferred: it needs an attribute that is not known yet.
        """
        return self._plain(lambda context: context.query(expression), None)

    def property(self, name: str) -> Any:
        """Value of a property of SELF."""
        value = self.view.property(name, self._tracker)
        if value is MISSING:
            raise InvalidInput(
                f'"{self.view.label}" has no property "{name}"', hint=nearest_or_known(name, self.view.definitions())
            )
        return plain(value)

    def attribute(self, name: str) -> Any:
        """Value of an attribute of SELF.

        Raises:
            Deferred: it is not known yet.
        """
        return plain(self.view.attribute(name, self._tracker))

    def known(self, keyword: str, names: Collection[str] | None) -> dict[str, Any] | None:
        """What is known of what a keyword means, of these names or all; see `known_values`."""
        return known_values(keyword, names, self.context())

    def exported(self) -> dict[str, Any]:
        """The environment variables that connections export; see `exported_variables`."""
        return exported_variables(self.context())

    def template_variables(self) -> dict[str, Any]:
        """What templates see: SELF, HOST, inputs, ...; maps whose values are evaluated when they are read."""
        return template_variables(self.context())

    def _plain(self, run: Any, place: Place | None) -> Any:
        try:
            return plain(run(self.context(place)))
        except RecursionError:
            raise InvalidInput("the value is nested too deeply", place) from None

    def input_value(self, name: str) -> Any:
        """Value of an input of the operation, read again; see `inputs`."""
        operation = self.frame.operation
        assignment = operation.inputs.get(name) if operation is not None else None
        if name in self._given:
            value = self._given[name]
        elif assignment is not None:
            context = self.context(assignment.place, assignment.base, name)
            try:
                value = context.evaluate(assignment.value)
                is_text = isinstance(value, Printed) and assignment.definition is not None
                value = value if is_text else plain(value)
            except InvalidInput as error:
                what = f"input {name} of {operation.full_name if operation else ''} of {self.view.label}"
                self.view.blame(error, what)
                raise
        else:
            raise KeyError(name)
        definition = assignment.definition if assignment is not None else None
        if value is None and assignment is not None and definition is not None and _needs_value(assignment, definition):
            message = (
                f"the input '{name}' of operation {operation.full_name if operation else ''} is required and is null"
            )
            hint = "give what it reads a value, or declare it with required: false"
            raise InvalidInput(message, assignment.place, hint)
        if definition is not None:
            value = self.evaluator.checked(value, definition, assignment.place if assignment else None, f"input {name}")
            value = mark_sensitive(value) if definition.sensitive else value
        return self._tracker.read(name, value)

    def written_input(self, name: str) -> Any:
        """What is written for an input of the operation, with the fields that only its data type gives a value."""
        operation = self.frame.operation
        assignment = operation.inputs.get(name) if operation is not None and name not in self._given else None
        if assignment is None or assignment.definition is None or not has_parts(assignment.value):
            return assignment.value if assignment is not None else None
        return filled(assignment.value, assignment.definition.schema, self.evaluator.topology.data_types.get)

    def input_part(self, name: str, path: tuple[Any, ...], written: Any) -> Any:
        """Value of a part of an input, as it would be in the whole of it."""
        assert self.frame.operation is not None
        assignment = self.frame.operation.inputs[name]
        value = plain(self.context(assignment.place, assignment.base, name).evaluate(written))
        data_type = self.evaluator.topology.data_types.get
        return conform_part(value, assignment.definition, data_type, path, what=f"input {name}", place=assignment.place)

    def input_names(self) -> list[str]:
        """Names of the operation's inputs, and of those given beside them."""
        declared = self.frame.operation.inputs if self.frame.operation is not None else {}
        return list(dict.fromkeys([*declared, *self._given]))


def _needs_value(assignment: Assignment, definition: ParameterDefinition) -> bool:
    return is_required(definition) and not (assignment.is_default and assignment.value is None)


class Inputs(Mapping[str, Any]):
    """The inputs of an operation, each evaluated once, when it is read."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._known: dict[str, Any] = {}
        self._active: list[str] = []

    def __getitem__(self, name: str) -> Any:
        if name not in self._known:
            if name in self._active and has_parts(written := self._scope.written_input(name)):
                return unfinished(written, partial(self._part, name))
            self._known[name] = self._once(name, lambda: self._scope.input_value(name))
        return self._known[name]

    def _part(self, name: str, path: tuple[Any, ...], written: Any) -> Any:
        """A part of an input whose other parts are being evaluated."""
        return self._once(".".join(map(str, (name, *path))), lambda: self._scope.input_part(name, path, written))

    def _once(self, name: str, compute: Callable[[], Any]) -> Any:
        if name in self._active:
            cycle = " -> ".join([*self._active[self._active.index(name) :], name])
            raise InvalidInput(f"inputs depend on each other: {cycle}")
        self._active.append(name)
        try:
            return compute()
        except RecursionError:
            raise InvalidInput(f'input "{name}" is nested too deeply') from None
        finally:
            self._active.remove(name)

    def __contains__(self, name: object) -> bool:
        return name in self._scope.input_names()

    def __iter__(self) -> Iterator[str]:
        return iter(self._scope.input_names())

    def __len__(self) -> int:
        return len(self._scope.input_names())
