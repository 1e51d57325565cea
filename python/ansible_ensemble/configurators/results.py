"""From an order's outcome to a task's result: what every configurator has in common."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ansible_ensemble.configurators.protocol import Basis, Result, Task
from ansible_ensemble.core.errors import EnsembleError, InvalidInput, Place
from ansible_ensemble.core.orders import RETURNED, Outcome
from ansible_ensemble.core.sensitive import Sensitive, SensitiveMap, mark_sensitive
from ansible_ensemble.core.texts import MAX_NESTING, deeper_than
from ansible_ensemble.documents.yaml import parse_yaml
from ansible_ensemble.instances.lifecycle import only_looks
from ansible_ensemble.instances.status import NodeState, Priority, Status

#: Inputs that are about the task, not about what it runs.
RESERVED_INPUTS = frozenset({"resultTemplate", "outputsTemplate", "done", "dryrun"})

#: What a play returned that tasks may hide a part of.
_OF_PLAYS = frozenset({"facts", "stats"})

#: Keys of an item of `resultTemplate`, and what their values are.
_ITEM: dict[str, type] = {
    "name": str,
    "template": str,
    "parent": str,
    "attributes": Mapping,
    "readyState": Mapping,
    "protected": bool,
    "customized": bool,
    "priority": str,
    "artifacts": Mapping,
}
_KINDS = {str: "text", Mapping: "a map", bool: "true or false"}


def to_result(
    task: Task, outcome: Outcome, values: Mapping[str, Any], modified: bool | None, ran: str | None = None
) -> Result:
    """The result of an outcome, and of the named values that the tool returned.

    Values that are named as outputs of the operation, or read by `get_operation_output`, become outputs; those named as
    declared attributes set these; `attributes` and `status` are taken at their word. `modified` is whether the instance
    was modified if the operation failed, `ran` the command, if a configurator of commands knows it.
    """
    result = Result(success=outcome.ok, modified=modified, outcome=outcome, error=outcome.error)
    result.basis = Basis.PREDICTED if task.check else Basis.REAL
    wanted = set(task.operation.outputs)
    result.outputs = {name: value for name, value in values.items() if name in wanted | task.asked_outputs}
    result.attributes = {name: value for name, value in values.items() if name in task.attributes - wanted}
    reported = values.get("attributes")
    if isinstance(reported, Mapping):
        result.attributes.update(parts_of(reported))
    outputs = values.get("outputs")
    if isinstance(outputs, Mapping):
        result.outputs.update(parts_of(outputs))
    result.status = _status(values.get("status"))
    _accept_check(task, outcome, result)
    try:
        _apply_templates(task, outcome, values, result, ran)
    except EnsembleError as error:
        spoil(result, error)
    return result


def read_inputs(task: Task) -> None:
    """Evaluate the inputs that do not wait for the result, so that what is not known yet defers the whole operation."""
    for name in task.inputs:
        if name not in RESERVED_INPUTS:
            _value = task.inputs[name]


def returned(outcome: Outcome) -> dict[str, Any]:
    """What an order returned, by name; what may not be shown (`no_log`) is marked as sensitive.

    What is hidden of a module is all that it returned; of a play, only what some of its tasks did.
    """
    if outcome.result.keys() >= _OF_PLAYS >= outcome.hidden.keys():
        return {**outcome.result, **{name: _parts(outcome, name) for name in outcome.hidden}}
    return {name: mark_sensitive(value) for name, value in outcome.hidden.items()} or dict(outcome.result)


def _parts(outcome: Outcome, name: str) -> dict[str, Any]:
    """The facts or the stats of a play, those that are hidden marked one by one."""
    shown = outcome.result[name]
    hidden = {part: value for part, value in outcome.hidden[name].items() if shown.get(part) != value}
    return {**shown, **parts_of(SensitiveMap(hidden))}


def parts_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a map to be taken apart: each of a sensitive one is marked itself."""
    hidden = isinstance(values, Sensitive)
    return {name: mark_sensitive(value) if hidden else value for name, value in values.items()}


def _status(word: Any) -> Status | None:
    try:
        return Status(word) if isinstance(word, str) else None
    except ValueError:
        return None


def spoil(result: Result, error: EnsembleError) -> None:
    """The tool has run, but its result cannot be evaluated."""
    result.success, result.error = False, str(error)
    if not result.modified and (result.outcome is None or result.outcome.changed is not False):
        result.modified = None


def _accept_check(task: Task, outcome: Outcome, result: Result) -> None:
    """A check that ran has succeeded, whatever it found: failing means that the instance is not ok."""
    if not only_looks(task.operation.name) or outcome.ok:
        return
    ran = not (outcome.timed_out or outcome.cancelled or outcome.unreachable) and outcome.rc not in (126, 127)
    if ran and (outcome.rc is None or outcome.rc > 0):
        result.success = True
        result.status = result.status or Status.ERROR


def _apply_templates(task: Task, outcome: Outcome, values: Mapping[str, Any], result: Result, ran: str | None) -> None:
    """`done`, `outputsTemplate` and `resultTemplate` inputs, evaluated with what the tool returned."""
    own = {name: value for name, value in returned(outcome).items() if name != RETURNED}
    of_tasks = outcome.result.get(RETURNED) or {}
    cmd = own.get("cmd") if ran is None else ran
    code = None if outcome.timed_out else of_tasks.get("rc") if outcome.rc is None else outcome.rc
    stdout = outcome.stdout or of_tasks.get("stdout", "")
    variables = {
        "cmd": cmd,
        **of_tasks,
        "returncode": code,
        "error": outcome.error,
        "timeout": _whole(task.timeout) if outcome.timed_out else None,
        **values,
        "result": {**own, **of_tasks, "cmd": cmd, "stdout": stdout, "returncode": code},
        "success": outcome.ok,
        "stdout": stdout,
        "stderr": outcome.stderr or of_tasks.get("stderr", ""),
    }
    if "outputsTemplate" in task.inputs:
        made = task.evaluate(task.raw_input("outputsTemplate"), variables)
        result.outputs.update(parts_of(as_map(made, "outputsTemplate must give", task)))
    if "done" in task.inputs:
        done = as_map(task.evaluate(task.raw_input("done"), variables), "done must give", task)
        _done(done, result, task)
        variables |= {**as_map(done.get("result"), "result of done must give", task), "success": result.success}
    if "resultTemplate" not in task.inputs:
        return
    items = task.evaluate(task.raw_input("resultTemplate"), {**variables, "outputs": result.outputs})
    if isinstance(items, str):
        items = parse_yaml(items, "resultTemplate").data if items.strip() else []
    for item in [items] if isinstance(items, Mapping) else items or []:
        take_instance(task, item, result)


def _whole(seconds: float | None) -> float | int | None:
    return int(seconds) if seconds is not None and seconds.is_integer() else seconds


def as_map(value: Any, what: str, task: Task) -> Mapping[str, Any]:
    """A value that has to be a map, or null for an empty one; `what` says what has to: "the input tfvars must be"."""
    if value is None or isinstance(value, Mapping):
        return value or {}
    raise InvalidInput(f"{what} a map, not {value!r}", task.operation.place)


def take_instance(task: Task, item: Any, result: Result) -> None:
    """Apply an item of `resultTemplate` to the task's own instance, or to one to add or update.

    It is a map with `name` (SELF, HOST, or an instance's name; SELF if left out), and any of `template`, `parent`,
    `attributes`, `readyState`, `protected`, `customized`, `priority`, `artifacts`.
    """
    place = task.operation.place
    if not isinstance(item, Mapping):
        raise InvalidInput(f"resultTemplate must give maps, not {item!r}", place)
    checked = _check_item(item, place)
    if checked["name"] == "SELF":
        result.attributes.update(parts_of(checked.get("attributes") or {}))
        ready = checked.get("readyState") or {}
        result.status = _status(ready.get("local")) or result.status
        result.state = NodeState(ready["state"]) if ready.get("state") else result.state
    if checked["name"] != "SELF" or set(checked) - {"name", "attributes", "readyState"}:
        result.instances.append(checked)


def _check_item(item: Mapping[str, Any], place: Place | None) -> dict[str, Any]:
    checked = {key: value for key, value in item.items() if value is not None}
    name = checked["name"] = "SELF" if checked.get("name") in (None, ".self") else checked["name"]
    what = f'the instance "{name}" that resultTemplate gives'
    unknown = sorted(set(map(str, checked)) - set(_ITEM))
    if unknown:
        raise InvalidInput(f'{what} has the unknown key "{unknown[0]}"', place, f"there are {', '.join(_ITEM)}")
    if isinstance(checked.get("readyState"), str):
        checked["readyState"] = {"local": checked["readyState"]}
    for key, kind in _ITEM.items():
        if key in checked and not isinstance(checked[key], kind):
            hint = "declare a node template, and name it" if key == "template" else None
            raise InvalidInput(f"{what}: {key} must be {_KINDS[kind]}, not {checked[key]!r}", place, hint)
    ready = checked.get("readyState", {})
    for word, known in (
        (ready.get("local"), Status),
        (ready.get("state"), NodeState),
        (item.get("priority"), Priority),
    ):
        words = [member.value for member in known]
        if word is not None and word not in words:
            raise InvalidInput(f'{what}: there is no "{word}"', place, f"there are {', '.join(words)}")
    return checked


def _done(done: Mapping[str, Any], result: Result, task: Task) -> None:
    result.success = _truth(done.get("success"), result.success)
    result.modified = _truth(done.get("modified"), result.modified)
    status = done.get("status")
    if status is not None:
        result.status = _status(status)
        if result.status is None:
            words = ", ".join(member.value for member in Status)
            raise InvalidInput(f'done: there is no status "{status}"', task.operation.place, f"there are {words}")
    result.outputs.update(parts_of(as_map(done.get("outputs"), "outputs of done must give", task)))


def _truth(value: Any, default: Any) -> Any:
    """A truth value as a template may print it; null is the default."""
    if isinstance(value, str):
        return value.strip().lower() in ("true", "yes", "1")
    return default if value is None else bool(value)


def check_words(task: Task, values: Mapping[str, Any]) -> None:
    """Refuse a `status` and a `modified` that a command prints and that are invalid, unless they are data."""
    status, modified = values.get("status"), values.get("modified")
    data = task.attributes | set(task.operation.outputs) | task.asked_outputs
    hint = "if it is data, declare an attribute or an output of that name"
    if "status" not in data and isinstance(status, str | int | float) and _status(status) is None:
        words = ", ".join(member.value for member in Status)
        raise InvalidInput(f"it printed the status {status!r}", hint=f"there are {words}; {hint}")
    if "modified" not in data and not isinstance(modified, bool | None):
        raise InvalidInput(f"it printed that modified is {modified!r}", hint=f"it is true or false; {hint}")


def as_values(text: str) -> dict[str, Any]:
    """Named values in a command's standard output: a JSON object, whole or as the last line; and `stdout` itself."""
    stripped = text.strip()
    values: dict[str, Any] = {"stdout": stripped}
    for candidate in (stripped, stripped.rpartition("\n")[2]):
        if candidate.startswith("{") and candidate.endswith("}"):
            try:
                found = json.loads(candidate)
            except ValueError:
                continue
            except RecursionError:
                found = None
            if found is None or deeper_than(found, MAX_NESTING):
                raise InvalidInput(f"it printed a JSON object that is nested deeper than {MAX_NESTING}")
            values.update(found)
            break
    return values
