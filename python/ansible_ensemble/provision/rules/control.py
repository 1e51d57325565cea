"""Params of a machine that control how its tasks are run."""

from __future__ import annotations

from typing import Any, cast

from ansible_ensemble.provision.objects.content import Param
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.rules.catalog import Catalog
from ansible_ensemble.provision.rules.parameters import value_of
from ansible_ensemble.provision.rules.schemas import problem_of_value

#: In the Meta of a machine: the index of the entry before which it stopped; how often the handlers of its task ran.
_STOPPED_AT, _HANDLED = "stopped-at", "handled-failures"

_NAMES = {"type": "array", "items": {"type": "string"}}

SINGLE_STEP = Param(
    name="task-single-step",
    description="Whether the machine is not runnable any more after each task.",
    schema={"type": "boolean"},
)
STOP_AT = Param(
    name="task-stop-at",
    description="Tasks before which the machine stops: it is not runnable any more.",
    schema=_NAMES,
)
RETRY = Param(
    name="task-retry",
    description="How often a task that failed is tried again, by the name of the task.",
    schema={"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}},
)
ERROR_HANDLERS = Param(
    name="task-error-handlers",
    description="Tasks to run before a task that failed is tried again, by the name of the task.",
    schema={"type": "object", "additionalProperties": _NAMES},
)

#: The definitions, so that values that cannot act are refused.
CONTROL_PARAMS = (SINGLE_STEP, STOP_AT, RETRY, ERROR_HANDLERS)


def steps_singly(machine: Machine, catalog: Catalog) -> bool:
    """Whether the machine stops after each task."""
    return _value(machine, SINGLE_STEP, catalog) is True


def stops_at(machine: Machine, index: int, catalog: Catalog) -> bool:
    """Whether the machine stops before an entry of its task list; made runnable again, it passes that."""
    stops = machine.tasks[index] in (_value(machine, STOP_AT, catalog) or ())
    return stops and machine.meta.get(_STOPPED_AT) != str(index)


def stopped_at(machine: Machine, index: int) -> Machine:
    """The machine as it stops before an entry."""
    return machine.replaced(meta={**machine.meta, _STOPPED_AT: str(index)})


def not_stopped(machine: Machine) -> Machine:
    """The machine once it went on, or elsewhere."""
    return _without(machine, _STOPPED_AT)


def times_handled(machine: Machine) -> int:
    """How often the handlers of the machine's task ran since it began, or was made to begin anew."""
    text = machine.meta.get(_HANDLED, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 4 else 0


def handled_again(machine: Machine) -> Machine:
    """The machine, whose task is handled once more."""
    return machine.replaced(meta={**machine.meta, _HANDLED: str(times_handled(machine) + 1)})


def not_handled(machine: Machine) -> Machine:
    """The machine, whose task has not been handled."""
    return _without(machine, _HANDLED)


def _without(machine: Machine, name: str) -> Machine:
    if name not in machine.meta:
        return machine
    return machine.replaced(meta={key: value for key, value in machine.meta.items() if key != name})


def retries_of(machine: Machine, task: str, catalog: Catalog) -> int:
    """How often a task that failed is tried again."""
    return cast("int", (_value(machine, RETRY, catalog) or {}).get(task, 0))


def handlers_of(machine: Machine, task: str, catalog: Catalog) -> list[str]:
    """What runs before a task is tried again whose retries are used up."""
    return list((_value(machine, ERROR_HANDLERS, catalog) or {}).get(task, ()))


def _value(machine: Machine, param: Param, catalog: Catalog) -> Any:
    """The value of the param, if it is one that acts: older values may be of any kind."""
    value = value_of(machine, param.name, catalog)
    return None if problem_of_value(param.schema, value) else value
