"""Reads again what was read once, to see whether it has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.expressions.context import Context
from ansible_ensemble.expressions.evaluator import Evaluator
from ansible_ensemble.expressions.external import read_external
from ansible_ensemble.expressions.files import note
from ansible_ensemble.expressions.inventory import KIND, read_variable
from ansible_ensemble.expressions.looked_up import FACT, GROUP, read_fact, read_group
from ansible_ensemble.expressions.scope import Scope
from ansible_ensemble.views.controller import CONTROLLER, ControllerView
from ansible_ensemble.views.data import MISSING
from ansible_ensemble.views.entities import NodeView, RootView, find_node, find_values
from ansible_ensemble.views.view import Model, View


class Current(Struct, frozen=True):
    """A value that was read before, as it is now.

    Attributes:
        digest: its digest; None where it cannot be read any more or is not known now.
        rests_on: references of what it is computed from.
        value: plain data; sensitive parts are redacted.
        sensitive: whether any part of it is.
    """

    digest: str | None = None
    rests_on: tuple[str, ...] = ()
    value: Any = None
    sensitive: bool = False


def current_values(evaluator: Evaluator, scope: Scope, refs: Iterable[str]) -> dict[str, Current]:
    """Values that were read before, as they are now, by reference; the own reads of the scope stay as they are."""
    found: dict[str, Current] = {}
    for ref in refs:
        again = scope.afresh()
        try:
            _read(ref, evaluator, again)
        except (EnsembleError, KeyError, ValueError):
            found[ref] = Current()
            continue
        read = again.reads.get(ref)
        others = tuple(other.ref for other in again.reads if other.ref != ref)
        found[ref] = Current(read.digest, others, read.value, read.sensitive) if read is not None else Current()
    return found


def _read(ref: str, evaluator: Evaluator, scope: Scope) -> None:
    kind, separator, rest = ref.partition("::")
    context = scope.context()
    if separator and not kind:
        _read_member(rest, evaluator, context)
    elif separator and kind in _KINDS:
        _KINDS[kind](rest, evaluator, context)
    elif ref.startswith(("file:", "directory:")):
        note(evaluator.environment.root / Path(ref.partition(":")[2]), context)
    elif ref.startswith("image:"):
        read_external("image", ref.partition(":")[2], context)
    else:
        scope.input_value(ref)


def _read_member(path: str, model: Model, context: Context) -> None:
    name, *steps = path.split("::")
    view: View | None
    if name == ".declared" and len(steps) > 3:
        namespace, _type, declared, *steps = steps
        view = find_values(model, declared, namespace)
    else:
        view = find_node(model, name) if name != "root" else RootView(model)
        view = ControllerView(model) if view is None and name == CONTROLLER else view
    while view is not None and len(steps) > 2:
        view = _part(view, steps[0], steps[1])
        steps = steps[2:]
    if view is None or not steps:
        return
    if len(steps) == 2 and steps[0] == ".attributes":
        view.attribute(steps[1], context.tracker)
    elif view.has_property(steps[0]):
        view.property(steps[0], context.tracker)
    elif view.lookup(steps[0], context.tracker) is MISSING:
        return


def _part(view: View, kind: str, name: str = "") -> View | None:
    if not isinstance(view, NodeView):
        return None
    if kind == ".requirements":
        return next((item for item in view.requirements() if item.key == name), None)
    if kind == ".capabilities":
        return view.capabilities().get(name)
    return view.artifacts().get(name) if kind == ".artifacts" else None


def _read_input(path: str, model: Model, context: Context) -> None:
    namespace, _separator, name = path.rpartition("::")
    model.input_value(name, namespace, context.tracker)


def _read_output(path: str, model: Model, context: Context) -> None:
    name, *steps = path.split("::")
    if not steps:
        model.output_value(name, context.tracker)
        return
    *part, operation, output = steps
    view: View | None = find_node(model, name)
    if view is not None and part:
        view = _part(view, *part)
    if view is not None:
        model.operation_output(view, operation, output, context.tracker)


def _read_instance(path: str, _model: Model, context: Context) -> None:
    name, _separator, member = path.partition("::")
    value = read_external("external", name, context)
    kind, _separator, rest = member.partition("::")
    if not isinstance(value, View):
        return
    if kind in ("input", "output") and find_node(value.evaluator, kind) is None:
        _KINDS[kind](rest, value.evaluator, context)
    elif member:
        _read_member(member, value.evaluator, context)


def _external(kind: str) -> Callable[[str, Model, Context], None]:
    def read(name: str, _model: Model, context: Context) -> None:
        read_external(kind, name, context)

    return read


_KINDS: Mapping[str, Callable[[str, Model, Context], None]] = {
    "input": _read_input,
    "output": _read_output,
    "env": _external("env"),
    "local": _external("local"),
    "secret": _external("secret"),
    "external": _read_instance,
    KIND: lambda path, _model, context: read_variable(path, context),
    FACT: lambda path, _model, context: read_fact(path, context),
    GROUP: lambda path, _model, context: read_group(path, context),
}
