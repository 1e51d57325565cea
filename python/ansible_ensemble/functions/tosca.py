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
from ansible_ensemble.functions.registration import function
from ansible_ensemble.views.data import MISSING, bare, child, plain
from ansible_ensemble.views.entities import NodeView
from ansible_ensemble.views.reads import Deferred
from ansible_ensemble.views.view import View


@function("get_input", top=True, taints=False)
def get_input(call: Call) -> Any:
    """Value of an input of the topology, or a part of it [TOSCA 1.3, 4.4.1].

    Example: `{get_input: [database, port]}`
    """
    name, *path = call.operands(1)
    key = call.text(name)
    evaluator, frame = call.context.evaluator, call.context.frame
    known = evaluator.input_names(frame.namespace)
    if key not in known:
        if len(path) == 1:
            return call.value(path[0])
        raise call.failure(f'there is no input "{key}"', hint=nearest_or_known(key, known))
    value = evaluator.input_value(key, frame.namespace, call.context.tracker)
    return _part(call, value, [call.value(step) for step in path], f'input "{key}"')


@function("get_property", top=True, list_only=True, taints=False)
def get_property(call: Call) -> Any:
    """Value of a property, or a part of it, of an instance, its capability or what its requirement leads to.

    [TOSCA 1.3, 4.4.2]

    Example: `{get_property: [SELF, host, num_cpus]}`
    """
    keyword, steps = _arguments(call)
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


@function("get_attribute", top=True, list_only=True, taints=False)
def get_attribute(call: Call) -> Any:
    """Value of an attribute, or a part of it; where no attribute is set, of the property of that name.

    [TOSCA 1.3, 4.5.1] An attribute that is not known yet defers whatever needs it.

    Example: `{get_attribute: [server, private_address]}`
    """
    keyword, steps = _arguments(call)
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


def _arguments(call: Call) -> tuple[str, list[Any]]:
    keyword, *steps = (call.value(operand) for operand in call.operands(2))
    return as_text(bare(keyword)), [bare(step) for step in steps]


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
    return f'key "{step}"' if isinstance(value, Mapping) else f'part "{step}": it is no map or list'


def _choices(value: Any) -> str | None:
    if isinstance(value, Sensitive) or not isinstance(value, Mapping):
        return None
    return known_names(value)


@function("get_operation_output", top=True, list_only=True, taints=False)
def get_operation_output(call: Call) -> Any:
    """An output of an operation that ran [TOSCA 1.3, 4.6.1].

    Example: `{get_operation_output: [SELF, Standard, create, id]}`
    """
    operands = [as_text(bare(call.value(operand))) for operand in call.operands(4)]
    keyword, interface, operation, output = operands[:4]
    view = entity(call.context, keyword)
    value = call.context.evaluator.operation_output(view, f"{interface}.{operation}", output, call.context.tracker)
    return _part(call, value, operands[4:], f'output "{output}" of {view.label} {interface}.{operation}')


@function("get_nodes_of_type", top=True, taints=False)
def get_nodes_of_type(call: Call) -> Any:
    """The instances whose type is, or derives from, the given one [TOSCA 1.3, 4.7.1]; as data, their names.

    Example: `{get_nodes_of_type: tosca.nodes.Compute}`
    """
    name = call.text(call.operands(1, 1)[0])
    call.context.tracker.rests_on(call.context.evaluator.graph.membership)
    return [
        view
        for view in call.context.evaluator.graph.nodes()
        if view.template is not None and any(_is_named(kind.name, name) for kind in view.template.type.lineage())
    ]


def _is_named(full: str, name: str) -> bool:
    """Whether a type's name, its prefixed form or its shorthand is meant [TOSCA 1.3, 5.1.2]."""
    short = name.removeprefix("tosca:")
    return full in (name, f"tosca.nodes.{short}")


@function("get_artifact", top=True, list_only=True, taints=False)
def get_artifact(call: Call) -> Any:
    """The absolute path of an artifact's file [TOSCA 1.3, 4.8.1].

    The third argument, `location`, is LOCAL_FILE or the path it will have on the host; the fourth, `remove`, tells
    whether the file goes once the operation ended. An artifact that is a URL or an image is given as written.

    Example: `{get_artifact: [SELF, installer]}`
    """
    operands = [bare(call.value(operand)) for operand in call.operands(2, 4)]
    keyword, name = as_text(operands[0]), as_text(operands[1])
    location = as_text(operands[2]) if len(operands) > 2 else "LOCAL_FILE"
    view = entity(call.context, keyword)
    artifacts = view.artifacts() if isinstance(view, NodeView) else {}
    if name not in artifacts:
        raise call.failure(f'"{view.label}" has no artifact "{name}"', hint=nearest_or_known(name, artifacts))
    if location != "LOCAL_FILE":
        return location
    return artifact_file(artifacts[name], call.context)


@function("concat", top=True, list_only=True, options=("sep",))
def concat(call: Call) -> Any:
    """The values as one text, with `sep` between them; of lists, one list [TOSCA 1.3, 4.3.1].

    Example: `{concat: ["http://", {get_attribute: [server, public_address]}, ":80"]}`
    """
    values = [call.value(operand) for operand in call.operands(0)]
    if values and all(isinstance(value, (list, tuple)) for value in values):
        return [child(value, item) for value in values for item in value]
    return str(call.option("sep", "")).join(_scalar(call, value) for value in values)


@function("join", top=True, list_only=True)
def join(call: Call) -> Any:
    """The items of a list as one text, with a delimiter between them [TOSCA 1.3, 4.3.2].

    Example: `{join: [[a, b, c], "-"]}`
    """
    operands = call.operands(1, 2)
    values = call.value(operands[0])
    if not isinstance(values, (list, tuple)):
        raise call.failure("the first argument of join must be a list")
    delimiter = call.text(operands[1]) if len(operands) > 1 else ""
    return delimiter.join(_scalar(call, value) for value in values)


@function("token", top=True, list_only=True)
def token(call: Call) -> Any:
    """A part of a text that is split at the given characters; parts count from 0 [TOSCA 1.3, 4.3.3].

    Where the characters stand together in the text, it is split at all of them at once, as other orchestrators do;
    else at any of them.

    Example: `{token: ["10.0.0.1:8080", ":", 1]}`
    """
    raw_text, raw_characters, raw_index = call.operands(3, 3)
    text, characters = call.text(raw_text), call.text(raw_characters)
    index = bare(call.value(raw_index))
    if not _is_index(index):
        raise call.failure(f'the third argument of token must be a number and is "{index}"')
    if not characters:
        raise call.failure("the second argument of token is empty")
    parts = _split(text, characters)
    if not 0 <= int(index) < len(parts):
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
    if isinstance(value, (dict, list)):
        kind = "a map" if isinstance(value, dict) else "a list"
        raise call.failure(f"{call.name} joins text and got {kind}")
    return "" if value is None else as_text(value)


@function("sensitive", taints=False)
def sensitive(call: Call) -> Any:
    """The value, marked as one that is never shown or stored in clear.

    Example: `{eval: {sensitive: {get_input: password}}}`
    """
    return call.context.tracker.hide(mark_sensitive(plain(call.value(call.raw))))
