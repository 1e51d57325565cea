"""The functions of TOSCA 1.3 [TOSCA 1.3, 4]."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_ensemble.core.hints import known_names, nearest_or_known
from ansible_ensemble.core.sensitive import Sensitive, mark_sensitive
from ansible_ensemble.documents.scalars import is_written
from ansible_ensemble.expressions.context import Call, as_text
from ansible_ensemble.expressions.files import artifact_file
from ansible_ensemble.expressions.keywords import entity, searched
from ansible_ensemble.expressions.query import resolved
from ansible_ensemble.functions.registration import implements
from ansible_ensemble.views.data import MISSING, bare, child, plain
from ansible_ensemble.views.entities import NodeView
from ansible_ensemble.views.reads import Deferred
from ansible_ensemble.views.view import View


@implements("get_input", taints=False)
def _get_input(call: Call, name: Any, *path: Any) -> Any:
    key = call.text(name)
    evaluator, frame = call.context.evaluator, call.context.frame
    known = evaluator.input_names(frame.namespace)
    if key not in known:
        if len(path) == 1:
            return call.value(path[0])
        raise call.failure(f'there is no input "{key}"', hint=nearest_or_known(key, known))
    value = evaluator.input_value(key, frame.namespace, call.context.tracker)
    if call.context.is_unfurl and not isinstance(value, (Mapping, list, tuple)):
        path = ()  # what is there is a default
    return _part(call, value, [call.value(step) for step in path], f'input "{key}"')


@implements("get_property", taints=False)
def _get_property(call: Call, keyword: Any, *path: Any) -> Any:
    keyword, *steps = _arguments(call, keyword, *path)
    candidates = searched(call.context, keyword)
    for view in candidates:
        found = _property(call, view, steps)
        if found is not MISSING:
            return found
    view = candidates[0] if candidates else entity(call.context, keyword)
    raise call.failure(
        f'"{view.label}" has no property "{steps[0]}"', hint=nearest_or_known(steps[0], view.definitions())
    )


def _property(call: Call, view: View, steps: list[Any]) -> Any:
    tracker = call.context.tracker
    name = as_text(steps[0])
    if view.has_property(name):
        return _part(call, view.property(name, tracker), steps[1:], f'property "{view.label}.{name}"')
    if len(steps) > 1:
        parts, (first, *rest) = _parts(call, view, steps)
        name = as_text(first)
        for part in parts:
            if part.has_property(name):
                return _part(call, part.property(name, tracker), rest, f'property "{part.label}.{name}"')
    return MISSING


@implements("get_attribute", taints=False)
def _get_attribute(call: Call, keyword: Any, *path: Any) -> Any:
    keyword, *steps = _arguments(call, keyword, *path)
    candidates = searched(call.context, keyword)
    waiting: Deferred | None = None
    for view in candidates:
        try:
            found = _attribute(call, view, steps)
        except Deferred as deferred:
            waiting = waiting or deferred
            continue
        if found is not MISSING:
            return found
    if waiting is not None:
        raise waiting
    view = candidates[0] if candidates else entity(call.context, keyword)
    return _part(call, view.attribute(as_text(steps[0]), call.context.tracker), steps[1:], view.label)


def _attribute(call: Call, view: View, steps: list[Any]) -> Any:
    tracker = call.context.tracker
    name = as_text(steps[0])
    if _has(view, name):
        return _part(call, view.attribute(name, tracker), steps[1:], f'attribute "{view.label}.{name}"')
    if len(steps) > 1:
        parts, (first, *rest) = _parts(call, view, steps)
        name = as_text(first)
        for part in parts:
            if _has(part, name):
                return _part(call, part.attribute(name, tracker), rest, f'attribute "{part.label}.{name}"')
        if parts:
            return parts[-1].attribute(name, tracker)
    return MISSING


def _has(view: View, name: str) -> bool:
    return name in view.names() or view.reflected(name) is not MISSING


def _parts(call: Call, view: View, steps: list[Any]) -> tuple[list[View], list[Any]]:
    """What a requirement's or capability's name may mean, the capability or the requirement's target, and what follows.

    The number of a requirement among those of its name may come after the name.
    """
    name, rest = as_text(steps[0]), steps[1:]
    if not isinstance(view, NodeView):
        return [], rest
    found: list[View] = []
    if name in view.capabilities():
        found.append(view.capabilities()[name])
    named = [one for one in view.requirements() if one.name == name]
    if named and len(rest) > 1 and isinstance(rest[0], int):
        number, *rest = rest
        if not 0 <= number < len(named):
            raise call.failure(f'"{view.label}" has no requirement "{name}" {number}: it has {len(named)}, from 0')
        named, found = [named[number]], []
    for relationship in named:
        if relationship.capability is not None:
            found.append(relationship.capability)
        found.extend((relationship, relationship.target))
    return found, rest


def _arguments(call: Call, keyword: Any, *path: Any) -> list[Any]:
    """The name of an entity, and the steps from it."""
    return [as_text(bare(call.value(keyword))), *(bare(call.value(step)) for step in path)]


def _part(call: Call, value: Any, steps: list[Any], what: str) -> Any:
    """Follow map keys and list indexes into a value."""
    for raw in steps:
        step = bare(raw)
        if isinstance(step, (dict, list)):
            raise call.failure(f"a part of {what} is named by text or a number")
        if isinstance(value, Mapping) and (step in value or str(step) in value):
            value = child(value, value[step if step in value else str(step)])
        elif isinstance(value, (list, tuple)) and _is_index(step) and -len(value) <= int(step) < len(value):
            value = child(value, value[int(step)])
        else:
            raise call.failure(f"{what} has no {_step_name(value, step)}", hint=_choices(value))
        what = f"{what} [{step}]"
    return value


def _is_index(step: Any) -> bool:
    return isinstance(step, int) or (isinstance(step, str) and step.removeprefix("-").isdecimal())


def _step_name(value: Any, step: Any) -> str:
    if isinstance(value, (list, tuple)):
        return f'item "{step}" (it has {len(value)})'
    return f'key "{step}"' if isinstance(value, Mapping) else f'part "{step}": it is not a map or list'


def _choices(value: Any) -> str | None:
    if isinstance(value, Sensitive) or not isinstance(value, Mapping):
        return None
    return known_names(value)


@implements("get_operation_output", taints=False)
def _get_operation_output(call: Call, keyword: Any, interface: Any, operation: Any, output: Any, *path: Any) -> Any:
    given = (keyword, interface, operation, output, *path)
    keyword, interface, operation, output, *steps = [as_text(bare(call.value(one))) for one in given]
    view = entity(call.context, keyword)
    value = call.context.evaluator.operation_output(view, f"{interface}.{operation}", output, call.context.tracker)
    return _part(call, value, steps, f'output "{output}" of {view.label} {interface}.{operation}')


@implements("get_nodes_of_type", taints=False)
def _get_nodes_of_type(call: Call, name: Any) -> Any:
    name = call.text(name)
    call.context.tracker.rests_on(call.context.evaluator.graph.membership)
    found = [
        view
        for view in call.context.evaluator.graph.nodes()
        if view.template is not None and any(_is_named(kind.name, name) for kind in view.template.type.lineage())
    ]
    return resolved(found) if call.context.is_unfurl else found


def _is_named(full: str, name: str) -> bool:
    """Whether a type's name, its prefixed form or its shorthand is meant [TOSCA 1.3, 5.1.2]."""
    short = name.removeprefix("tosca:")
    return full in (name, f"tosca.nodes.{short}")


@implements("get_artifact", taints=False)
def _get_artifact(call: Call, keyword: Any, name: Any, location: Any = "LOCAL_FILE", _remove: Any = None) -> Any:
    keyword, name, location = (as_text(bare(call.value(one))) for one in (keyword, name, location))
    view = entity(call.context, keyword)
    artifacts = view.artifacts() if isinstance(view, NodeView) else {}
    if name not in artifacts:
        raise call.failure(f'"{view.label}" has no artifact "{name}"', hint=nearest_or_known(name, artifacts))
    if location != "LOCAL_FILE":
        return location
    return artifact_file(artifacts[name], call.context)


@implements("concat")
def _concat(call: Call, *values: Any, sep: Any = None) -> Any:
    parts = [call.value(value) for value in values]
    if not call.context.is_unfurl and all(isinstance(part, (list, tuple)) for part in parts):
        return call.chained(parts)
    return call.joined([_scalar(call, part) for part in parts], call.text(sep) if sep is not None else "")


@implements("join")
def _join(call: Call, values: Any, delimiter: Any = "") -> Any:
    values = call.value(values)
    if not isinstance(values, (list, tuple)):
        raise call.failure("the first argument of join must be a list")
    return call.joined([_scalar(call, value) for value in values], call.text(delimiter))


@implements("token")
def _token(call: Call, text: Any, characters: Any, index: Any) -> Any:
    text, characters = call.text(text), call.text(characters)
    index = bare(call.value(index))
    if not _is_index(index):
        raise call.failure(f'the third argument of token must be a number and is "{index}"')
    if not characters:
        raise call.failure("the second argument of token is empty")
    parts = _split(text, characters)
    if not (-len(parts) if call.context.is_unfurl else 0) <= int(index) < len(parts):
        raise call.failure(f"token {index} does not exist: the text has {len(parts)} parts, counted from 0")
    return parts[int(index)]


def _split(text: str, characters: str) -> list[str]:
    if characters in text:
        return text.split(characters)
    for character in characters[1:]:
        text = text.replace(character, characters[0])
    return text.split(characters[0])


def _scalar(call: Call, value: Any) -> str:
    value = value if is_written(value) else bare(value)
    if isinstance(value, (dict, list)) and not call.context.is_unfurl:
        kind = "a map" if isinstance(value, dict) else "a list"
        raise call.failure(f"{call.name} joins text and got {kind}")
    if call.context.is_unfurl and (value is None or isinstance(value, (bool, dict, list))):
        return str(value)
    return "" if value is None else as_text(value)


@implements("sensitive", taints=False)
def _sensitive(call: Call, given: Any) -> Any:
    return call.context.tracker.hide(mark_sensitive(plain(call.value(given))))
