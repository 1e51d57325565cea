"""The paths that the operations of an instance write, with the values that their arguments have."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property, partial
from typing import Any

from msgspec.structs import replace

from ansible_ensemble.configurators.implementation import MODULE, Resolved, resolve
from ansible_ensemble.configurators.left_paths import LEADS
from ansible_ensemble.configurators.written_by_tasks import WritingTask, task_text, writing_tasks
from ansible_ensemble.configurators.written_paths import Write, is_writer, normal, path_arguments, writes_of
from ansible_ensemble.core.errors import EnsembleError, InvalidInput, Place
from ansible_ensemble.core.orders import CONTROLLER
from ansible_ensemble.core.regex import regex
from ansible_ensemble.core.sensitive import is_sensitive
from ansible_ensemble.documents.places import place_of
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.expressions.context import Context
from ansible_ensemble.expressions.inventory import find_inventory, own_host
from ansible_ensemble.instances.instance import Instance
from ansible_ensemble.language.entities import NodeTemplate, Operation
from ansible_ensemble.planning.context import PlannedInstance

#: Operations that make what is there.
WRITING = ("create", "configure", "start")
_PLAYS = ("tasks", "role", "playbook")
_WORD = regex(r"[A-Za-z_]\w*")
_NAMED = regex(r"\{\{\s*([A-Za-z_]\w*)\s*\}\}")
_LOOKUP = regex(r"\b(?:lookup|query|q)\s*\(")
#: How a fact begins: what is known only on the host. Two that name it alike mean the same.
_FACT = "ansible_"
_DEEPEST = 10


def path_writes(ensemble: Ensemble, member: PlannedInstance, names: Collection[str] = WRITING) -> list[Write]:
    """What the operations of an instance write, in order; what is known only later is not among it."""
    found: list[Write] = []
    for name in names:
        operation = member.find(f"Standard.{name}")
        if operation is None or operation.implementation is None:
            continue
        made = member.instance.made if member.instance is not None else {}
        try:
            resolved = resolve(operation, ensemble.root)
            values = _Values(ensemble, member, operation)
            if resolved.configurator == MODULE and is_writer(resolved.target):
                found += (_as_made(one, made) for one in _of_module(resolved, values, member.template, operation))
            elif resolved.configurator in _PLAYS and resolved.target:
                leads = made.get(LEADS, {})
                its = _of_play(resolved, values, member.template, operation)
                found += (replace(one, path=leads.get(one.path, one.path)) for one in its)
        except (InvalidInput, OSError, ValueError):  # a name that is none: what runs it tells of it
            continue
    return found


def _of_module(resolved: Resolved, values: _Values, template: NodeTemplate, operation: Operation) -> Iterator[Write]:
    args = {name: values.input(name) for name in path_arguments(resolved.target) if name in operation.inputs}
    implementation = operation.implementation
    settings = implementation.settings if implementation is not None else {}
    host = settings.get("delegate_to") or (implementation.operation_host if implementation is not None else None)
    for written in writes_of(resolved.target, args, operation.base):
        yield replace(written, place=_place(template, operation, args), host=host if isinstance(host, str) else "")


def _as_made(write: Write, made: Mapping[str, Any]) -> Write:
    """A write at the path that it turned out to mean, where links of the host lead to another."""
    given, real = made.get("path"), made.get("real")
    if not isinstance(real, str) or not isinstance(given, str):
        return write
    path = normal(given)
    within = write.path == path or write.path.startswith(f"{path}/")
    return replace(write, path=real + write.path.removeprefix(path)) if within else write


def _place(template: NodeTemplate, operation: Operation, args: Mapping[str, Any]) -> Place | None:
    """Where an argument is written that names the path."""
    given = template.properties.get("args")
    name = next(iter(args), "")
    found = place_of(given.value, name) if given is not None and isinstance(given.value, Mapping) else None
    return found or (operation.inputs[name].place if name in operation.inputs else None) or operation.place


def _of_play(resolved: Resolved, values: _Values, template: NodeTemplate, operation: Operation) -> Iterator[Write]:
    implementation = operation.implementation
    entry = implementation.settings.get("tasks_from") if implementation is not None else None
    own = {**_variables(template), **values.of_job}
    for task in writing_tasks(resolved.configurator, resolved.target, entry if isinstance(entry, str) else None):
        names = [name for name in path_arguments(task.module) if name in task.args]
        for host, elsewhere in values.hosts(task):
            variables = _TaskVariables(task, own, partial(values.of_inventory, host))
            args = {name: values.text(task.args[name], variables) for name in names}
            for written in writes_of(task.module, args, task.base):
                said = replace(written, place=task.place, task=task_text(task.place), handlers=task.handlers)
                yield replace(said, host=host, elsewhere=elsewhere)


class _Values:
    """What the arguments of an operation come to, as far as that is known."""

    def __init__(self, ensemble: Ensemble, member: PlannedInstance, operation: Operation) -> None:
        self._ensemble = ensemble
        self._is_hosted = any(link.relationship.is_hosted_on for link in member.requirements)
        self._instance = member.instance or Instance(member.name, member.template.name)
        self._template = member.template
        self._operation = operation

    @cached_property
    def _inputs(self) -> Mapping[str, Any]:
        inputs: Mapping[str, Any] = self._scope().inputs
        return inputs

    @cached_property
    def _context(self) -> Context:
        context: Context = self._scope().context()
        return context

    def _scope(self, variables: Mapping[str, Any] | None = None) -> Any:
        operation = self._operation
        return self._ensemble.evaluator.scope(
            self._instance, operation=operation, variables=variables, base=operation.base
        )

    def input(self, name: str) -> Any:
        """The value of an input; None where it is a secret, or not known yet."""
        if name == "content":  # that there is one is all that counts
            return True
        written = self._written(name)
        if isinstance(written, str | bool) and "{" not in str(written):
            return written
        try:
            value = self._inputs[name]
        except EnsembleError:
            return _substituted(written, _variables(self._template))
        return None if is_sensitive(value) else value

    def _written(self, name: str) -> Any:
        """An input as it is written, be it in a property."""
        value = self._operation.inputs[name].value
        path = value.get("get_property") if isinstance(value, Mapping) else None
        if not isinstance(path, list) or path[:1] != ["SELF"]:
            return value
        value = {key: one.value for key, one in self._template.properties.items()}
        for key in path[1:]:
            value = value.get(key) if isinstance(value, Mapping) else None
        return value

    def text(self, raw: Any, variables: Mapping[str, Any]) -> Any:
        """The value of an argument in a file; None where it is not known yet."""
        try:
            value = self._rendered(raw, variables, 0)
        except EnsembleError:
            value = _substituted(raw, variables)
        return None if is_sensitive(value) else value

    def _rendered(self, raw: Any, variables: Mapping[str, Any], depth: int) -> Any:
        if isinstance(raw, Mapping):
            return {key: self._rendered(one, variables, depth) for key, one in raw.items()}
        if isinstance(raw, list):
            return [self._rendered(one, variables, depth) for one in raw]
        if not isinstance(raw, str) or "{{" not in raw:
            return raw
        if _LOOKUP.search(raw):
            raise InvalidInput("a lookup of a task runs with it, not before")
        if depth > _DEEPEST:
            raise InvalidInput("variables name each other")
        words = set(_WORD.findall(raw))
        given = {name: self._rendered(variables[name], variables, depth + 1) for name in words if name in variables}
        given |= {name: self._inputs[name] for name in words & set(self._inputs)}
        return self._scope(given).evaluate(raw)

    def hosts(self, task: WritingTask) -> list[tuple[str, bool]]:
        """The hosts that a task runs on, each with whether it is another one than that of its operation."""
        if task.delegate:
            return [(task.delegate, True)] if "{{" not in task.delegate else []
        if task.hosts in CONTROLLER:
            return [(task.hosts, True)]
        implementation = self._operation.implementation
        keyword = implementation.operation_host if implementation is not None else None
        if keyword is not None or not task.hosts or self._is_hosted:
            return [(keyword or "", False)]  # `hosts: all` is the host of the operation
        return [(host, True) for host in self._matching(task.hosts)]

    def _matching(self, pattern: str) -> list[str]:
        try:
            inventory = find_inventory(self._context)
            return list(inventory.matching(pattern) or ()) if inventory is not None else []
        except EnsembleError:  # who runs it is told
            return []

    @property
    def of_job(self) -> Mapping[str, Any]:
        """The variables of the job, which win over all others."""
        return self._ensemble.evaluator.environment.variables

    def of_inventory(self, host: str, name: str) -> Any:
        """A variable that the inventory gives a host, or else the host of the instance, as it is written.

        Raises:
            KeyError: there is none.
        """
        inventory = find_inventory(self._context)
        if inventory is None:
            raise KeyError(name)
        known = host if host in inventory.hosts else own_host(self._context, inventory.hosts)
        return inventory.raw(known, name)


def _variables(template: NodeTemplate) -> Mapping[str, Any]:
    """The variables that a node of the types `ansible.*` gives to what it runs, as they are written."""
    found: dict[str, Any] = {}
    for path in (("vars",), ("keywords", "vars")):
        value: Any = template.properties.get(path[0])
        value = value.value if value is not None else None
        for key in path[1:]:
            value = value.get(key) if isinstance(value, Mapping) else None
        found |= value if isinstance(value, Mapping) else {}
    return found


def _substituted(raw: Any, variables: Mapping[str, Any], depth: int = 0) -> Any:
    """A text with the variables that it names in place of their names, where no template is rendered.

    None where anything else is in it that only a template could tell; facts stay.
    """
    if not isinstance(raw, str) or "{" not in raw:
        return raw if isinstance(raw, str | bool) else None

    def value(found: re.Match[str]) -> str:
        made = _substituted(variables.get(found[1]), variables, depth + 1) if depth < _DEEPEST else None
        return made if isinstance(made, str) else found[0]

    made = _NAMED.sub(value, raw)
    left = _NAMED.sub(lambda found: "" if found[1].startswith(_FACT) else found[0], made)
    return None if "{{" in left or "{%" in left else made


class _TaskVariables(Mapping[str, Any]):
    """The variables of a task, as they are written, by Ansible's precedence, as far as they are known before it runs.

    Args:
        task: it.
        own: what its node and the job give it.
        of_inventory: reads a variable of its host; KeyError if there is none.
    """

    def __init__(self, task: WritingTask, own: Mapping[str, Any], of_inventory: Callable[[str], Any]) -> None:
        self._task, self._own, self._of_inventory = task, own, of_inventory

    def __getitem__(self, name: str) -> Any:
        task = self._task
        if name in self._own:
            return self._own[name]
        if task.unknown is None or name in task.unknown:
            raise KeyError(name)
        if name in task.variables:
            return task.variables[name]
        try:
            return self._of_inventory(name)
        except KeyError:
            return task.defaults[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self._task.defaults, **self._task.variables, **self._own})

    def __len__(self) -> int:
        return len({*self})
