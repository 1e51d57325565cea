"""Any Ansible module or action by its FQCN."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from ansible_ensemble.configurators.arguments import argument_faults
from ansible_ensemble.configurators.base import BaseConfigurator
from ansible_ensemble.configurators.check_mode import (
    found_by_check_mode,
    in_check_mode,
    is_dry_run_check,
    looking_args,
    may_be_there,
    shows_unasked,
    what_differs,
)
from ansible_ensemble.configurators.environment import set_variables
from ansible_ensemble.configurators.footprint import carry_out_noting
from ansible_ensemble.configurators.left_paths import look_at_paths
from ansible_ensemble.configurators.locations import collection_folders, library_folders
from ansible_ensemble.configurators.module_spec import module_spec
from ansible_ensemble.configurators.play import task_keywords
from ansible_ensemble.configurators.protocol import Basis, Progress, Result, Steps, Task
from ansible_ensemble.configurators.results import RESERVED_INPUTS, parts_of, returned, to_result
from ansible_ensemble.configurators.sent_files import file_faults, sent_file
from ansible_ensemble.configurators.taking_away import take_away_made
from ansible_ensemble.core.diffs import discreet, discreet_result
from ansible_ensemble.core.errors import InvalidInput, raise_all
from ansible_ensemble.core.orders import ModuleCall, did_not_look
from ansible_ensemble.core.sensitive import reveal
from ansible_ensemble.language.playbook_keywords import TASK_KEYS

#: Keys of modules' results that mean something else for an instance (uri: `status` 200; file: `state` directory).
_NOT_OURS = ("status", "state", "tosca_id", "tosca_name", "attributes", "outputs")
#: Keys that say how the module ran.
_OF_THE_RUN = {"invocation", "changed", "failed", "skipped", "diff", "warnings", "deprecations", "exception"}


class ModuleConfigurator(BaseConfigurator):
    """Runs one module; the operation's inputs are its arguments.

    Its result's keys are the operation's outputs, and set declared attributes of the same name; `result` is what it
    returned as a whole.
    """

    name = "module"
    on_host = True
    keys = TASK_KEYS | {"check_mode", "teardown"}

    def render(self, task: Task) -> None:
        """Evaluate the arguments; refuse what the module would refuse, or would not find."""
        args = self._args(task)
        raise_all(self._argument_faults(task))
        sent = sent_file(self._target, self._args(task), task.base)
        if sent is not None:
            task.note_file(sent)
        set_variables(task)
        raise_all(file_faults(self._target, args, task))

    def _argument_faults(self, task: Task) -> Iterator[InvalidInput]:
        """What is wrong with the arguments as they are evaluated, by the module's spec if that is known."""
        libraries = tuple(library_folders(task.operation, task.root))
        spec = module_spec(self._target, collection_folders(task.root), libraries)
        if spec is not None:
            what = f"module {self._target} of {task.operation.title}"
            # what takes away by what was noted is given the rest then
            partly = task.operation.name == "delete" and task.setting("teardown") is not None
            yield from argument_faults(spec, self._inputs(task), what, task.operation.place, partly=partly)

    def run(self, task: Task) -> Steps:
        """Call the module, and note what it makes where that is to be taken away."""
        if task.overwritten and is_dry_run_check(task):  # it would take what others wrote after it for a change
            result = Result(success=True, modified=False, basis=Basis.NOT_RUN)
            yield from look_at_paths(task, result)
            return result
        args = self._args(task)
        call = ModuleCall(
            module=self._target,
            args=looking_args(self._target, args, task.instead) if is_dry_run_check(task) else args,
            host=task.host,
            keywords=task_keywords(task),
            base=str(task.base),
            check=in_check_mode(task),
            diff=task.diff or shows_unasked(task),
            timeout=task.timeout,
            fast=task.setting("fast", True) is not False,
        )
        teardown = task.setting("teardown")
        if teardown is not None and task.operation.name == "delete":
            return (yield from take_away_made(task, call, teardown))
        if teardown is not None and not call.check:
            outcome = yield from carry_out_noting(task, call, teardown)
        else:
            outcome = yield call
        if shows_unasked(task):
            outcome = replace(outcome, diff=list(map(discreet, outcome.diff)), result=discreet_result(outcome.result))
        says = self._target.rpartition(".")[2] == "debug" and "msg" in outcome.result
        if says and task.operation.interface != "run":  # an ad-hoc command's report has it
            yield Progress(str(outcome.result["msg"]))
        values = returned(outcome)
        if isinstance(values.get("ansible_facts"), dict):
            values = {**parts_of(values["ansible_facts"]), **values}
        whole = {name: value for name, value in values.items() if name not in _OF_THE_RUN}
        for name in _NOT_OURS:
            values.pop(name, None)
        values.setdefault("result", whole)
        basis = Basis.NOT_RUN if did_not_look(outcome.result) else Basis.PREDICTED
        result = to_result(task, outcome, values, modified=outcome.changed)
        result.there = may_be_there(outcome)
        given = {name: task.inputs[name] for name in task.inputs if name not in RESERVED_INPUTS}
        result = found_by_check_mode(task, result, basis, what_differs(given, outcome))
        yield from look_at_paths(task, result)
        return result

    def _args(self, task: Task) -> dict[str, Any]:
        return {name: reveal(value) for name, value in self._inputs(task).items()}

    def _inputs(self, task: Task) -> dict[str, Any]:
        args = {name: task.inputs[name] for name in task.inputs if name not in RESERVED_INPUTS}
        return {name: value for name, value in args.items() if reveal(value) is not None}
