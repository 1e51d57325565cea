"""Any Ansible module or action by its FQCN."""

from __future__ import annotations

from typing import Any

from ansible_ensemble.configurators.base import BaseConfigurator
from ansible_ensemble.configurators.check_mode import found_by_check_mode, in_check_mode, may_be_there
from ansible_ensemble.configurators.environment import set_variables
from ansible_ensemble.configurators.keywords import TASK_KEYS
from ansible_ensemble.configurators.play import task_keywords
from ansible_ensemble.configurators.protocol import Basis, Progress, Steps, Task
from ansible_ensemble.configurators.results import RESERVED_INPUTS, returned, to_result
from ansible_ensemble.configurators.sent_files import sent_file
from ansible_ensemble.core.orders import ModuleCall
from ansible_ensemble.core.sensitive import reveal

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
    keys = TASK_KEYS | {"check_mode"}

    def render(self, task: Task) -> None:
        """Evaluate the arguments."""
        sent = sent_file(self._target, self._args(task), task.base)
        if sent is not None:
            task.note_file(sent)
        set_variables(task)

    def run(self, task: Task) -> Steps:
        """Call the module."""
        outcome = yield ModuleCall(
            module=self._target,
            args=self._args(task),
            host=task.host,
            keywords=task_keywords(task),
            base=str(task.base),
            check=in_check_mode(task),
            diff=task.diff,
            timeout=task.timeout,
            fast=task.setting("fast", True) is not False,
        )
        says = self._target.rpartition(".")[2] == "debug" and "msg" in outcome.result
        if says and task.operation.interface != "run":  # an ad-hoc command's report has it
            yield Progress(str(outcome.result["msg"]))
        values = returned(outcome)
        if isinstance(values.get("ansible_facts"), dict):
            values = {**values["ansible_facts"], **values}
        whole = {name: value for name, value in values.items() if name not in _OF_THE_RUN}
        for name in _NOT_OURS:
            values.pop(name, None)
        values.setdefault("result", whole)
        # one that skips, since it has no check mode, has not even looked
        basis = Basis.NOT_RUN if outcome.result.get("skipped") else Basis.PREDICTED
        result = to_result(task, outcome, values, modified=outcome.changed)
        result.there = may_be_there(outcome)
        return found_by_check_mode(task, result, basis)

    def _args(self, task: Task) -> dict[str, Any]:
        args = {name: reveal(task.inputs[name]) for name in task.inputs if name not in RESERVED_INPUTS}
        return {name: value for name, value in args.items() if value is not None}
