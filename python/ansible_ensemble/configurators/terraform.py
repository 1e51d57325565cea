"""Terraform, or OpenTofu: an operation applies a root module and returns its outputs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ansible_ensemble.configurators.base import BaseConfigurator
from ansible_ensemble.configurators.protocol import Basis, Result, Steps, Task
from ansible_ensemble.configurators.results import to_result
from ansible_ensemble.configurators.terraform_nodes import (
    backend_of,
    imports_of,
    lock_timeout,
    module_of,
    state_location,
    text_of_variables,
    variables_of,
    workspace_of,
)
from ansible_ensemble.configurators.terraform_program import ERRORED, STATE, TEXT, VARIABLES, Terraform
from ansible_ensemble.core.orders import Order, Outcome
from ansible_ensemble.core.regex import regex
from ansible_ensemble.core.sensitive import SensitiveMap, is_sensitive, reveal
from ansible_ensemble.documents.atomic import write_atomically
from ansible_ensemble.instances.lifecycle import only_looks
from ansible_ensemble.instances.status import Status

_SUMMARY = regex(r"complete! Resources: (.+)\.")
_BEGIN = regex(r"^ +# |^Changes to Outputs:", re.MULTILINE)
#: The attribute that has all outputs of a module, and what it is named as.
_OUTPUTS = "outputs"


class TerraformConfigurator(BaseConfigurator):
    """Runs Terraform on a root module: apply; destroy for `delete`; a plan for `check` and in a dry run.

    The module is a folder, which the implementation or the input `main` names, or the text or map of `main` itself.
    Variables are the input `tfvars` and all other inputs, but for `command` (the program, `terraform`), `workdir`
    (the folder that a relative `main` starts in), `stateLocation` (`secrets`: with the ensemble; `remote`: where the
    module's backend says), `backend` (settings of that backend), `workspace`, `import` (identifiers of what exists by
    the addresses of resources), `lock_timeout`, `unlock` (a lock left behind) and `dryrun_outputs` (outputs of a dry
    run).
    """

    name = "terraform"
    keys = frozenset({"environment"})

    def render(self, task: Task) -> None:
        """Evaluate the inputs, and write an inline module and the variables into the task's folder, but for secrets."""
        super().render(task)
        for check in (state_location, backend_of, workspace_of, imports_of, lock_timeout):
            check(task)
        plain = {name: reveal(value) for name, value in variables_of(task).items() if not is_sensitive(value)}
        files, is_secret = self._module(task)
        variables = {VARIABLES: json.dumps(plain, indent=1), TEXT: text_of_variables(task) or ""}
        for name, text in {**({} if is_secret else files), **variables}.items():
            (task.folder / name).write_text(text, encoding="utf-8")

    def run(self, task: Task) -> Steps:
        """Initialise the module, and do what the operation is for."""
        with self._secret_module(task):
            terraform = Terraform(task, self._target)
            ready = yield from terraform.init()
            if not ready.ok:
                return _failure(ready, modified=False)
            if fault := _backend_fault(task, terraform.backend):
                return Result(success=False, modified=False, error=fault)
            with task.open_secrets() as folder:
                terraform.state = folder / STATE if terraform.backend is None else None
                result = yield from _work(terraform, folder)
        return result

    def _module(self, task: Task) -> tuple[dict[str, str], bool]:
        """The files of an inline module, and whether secrets are in them."""
        return module_of(task, self._target)[1], is_sensitive(task.inputs.get("main"))

    @contextmanager
    def _secret_module(self, task: Task) -> Iterator[None]:
        """Have the files of an inline module with secrets on disk for as long as Terraform is at work."""
        files, is_secret = self._module(task)
        paths = [task.folder / name for name in files if is_secret]
        for path in paths:
            write_atomically(path, files[path.name], mode=0o600)
        try:
            yield
        finally:
            for path in paths:
                path.unlink(missing_ok=True)


def _backend_fault(task: Task, backend: str | None) -> str | None:
    """What the operation says of the state that the module does not."""
    asked = state_location(task)
    if backend is None and (asked == "remote" or backend_of(task)):
        return 'the module names no backend that keeps its state: add a block backend "KIND" {} to its block terraform'
    if backend is not None and asked == "secrets":
        return f"the module has its state kept by the backend {backend}: leave out stateLocation, or take that away"
    return None


def _work(terraform: Terraform, secrets: Path) -> Steps:
    """Do what the operation is for, with a state that nothing is missing of."""
    task = terraform.task
    name, reading = task.operation.name, only_looks(task.operation.name)
    looks = reading and (task.check or name == "check")
    fault = terraform.state_fault(secrets)
    if fault is None and (secrets / ERRORED).exists():
        fault = yield from _give_back(terraform, secrets / ERRORED, may_write=not task.check)
    if fault is not None:
        return Result(success=False, modified=False, error=fault)
    if looks:
        result = yield from _with_imports(terraform, _look)
    elif task.check:
        result = yield from _with_imports(terraform, _predict)
    else:
        result = yield from _apply(terraform)
        if terraform.keep_errored(secrets) and not result.success:
            result.error = f"{result.error}; the state is kept with the ensemble, and the next job saves it"
    return result


def _give_back(terraform: Terraform, errored: Path, *, may_write: bool) -> Generator[Order, Outcome, str | None]:
    """Save the state that an earlier job could not; returns why it cannot be done."""
    if not may_write:
        return "the state of the last job is not saved yet: deploy saves it first"
    if terraform.state is not None:
        errored.replace(terraform.state)
        return None
    outcome = yield from terraform.push(errored)
    if not outcome.ok:
        return f"the state of the last job cannot be saved: {outcome.error}"
    errored.unlink()
    return None


def _missing(terraform: Terraform) -> Generator[Order, Outcome, dict[str, str]]:
    """What is to be imported and is not in the state yet."""
    wanted = imports_of(terraform.task)
    if not wanted:
        return {}
    shown = yield from terraform.show()
    known = {resource["address"] for resource in _resources(shown.get("values"))}
    return {address: identifier for address, identifier in wanted.items() if address not in known}


def _with_imports(terraform: Terraform, look: Callable[[Terraform, list[str]], Steps]) -> Steps:
    """Look at what will be there once everything is imported; it is imported into a copy of the state."""
    missing = yield from _missing(terraform)
    state = terraform.state
    lines = [f"# {address} will be imported ({identifier})" for address, identifier in missing.items()]
    if state is None or not missing:
        result = yield from look(terraform, lines)
        return result
    copy = terraform.private / "look.tfstate"
    terraform.state = copy
    try:
        if state.is_file():
            write_atomically(copy, state.read_text(encoding="utf-8"), mode=0o600)
        for address, identifier in missing.items():
            outcome = yield from terraform.take_in(address, identifier)
            if not outcome.ok:
                return _failure(outcome, modified=False)
        result = yield from look(terraform, lines)
    finally:
        terraform.state = state
        for file in terraform.private.glob(f"{copy.name}*"):
            file.unlink()
    return result


def _hide_outputs(terraform: Terraform) -> Generator[Order, Outcome, None]:
    """Mask the secrets that the module has returned so far: what changes or goes is told with its values."""
    values = yield from terraform.outputs()
    for value in filter(is_sensitive, values.values()):
        terraform.task.hide(value)


def _apply(terraform: Terraform) -> Steps:
    """Apply, destroy or refresh, and import before; what was created counts even if the command failed."""
    task, before = terraform.task, terraform.content()
    yield from _hide_outputs(terraform)
    command = {"delete": ("destroy",), "discover": ("apply", "-refresh-only")}.get(task.operation.name, ("apply",))
    missing: dict[str, str] = {}
    if task.operation.name != "delete":
        missing = yield from _missing(terraform)
    for address, identifier in missing.items():
        outcome = yield from terraform.take_in(address, identifier)
        if not outcome.ok:
            return _failure(outcome, modified=_touched(terraform, before, outcome))
    outcome = yield from terraform.change(*command)
    if not outcome.ok:
        return _failure(outcome, modified=_touched(terraform, before, outcome))
    summary = _SUMMARY.search(outcome.stdout)
    outcome.changed = bool(missing) or summary is None or any(map(int, re.findall(r"\d+", summary[1])))
    if task.operation.name == "delete":
        result = yield from _remove_state(terraform, outcome)
        return result
    values = yield from terraform.outputs()
    result = _result(task, outcome, values)
    if task.operation.name == "discover":
        shown = yield from terraform.show()
        result.status = Status.OK if any(_resources(shown.get("values"))) else Status.ABSENT
    return result


def _touched(terraform: Terraform, before: bytes | None, outcome: Outcome) -> bool | None:
    """Whether a command that failed has made something; None if that is not known."""
    touched = terraform.content() != before
    is_stopped = outcome.timed_out or (outcome.rc or 0) < 0
    return touched if terraform.state is not None and (touched or not is_stopped) else None


def _remove_state(terraform: Terraform, outcome: Outcome) -> Steps:
    """Remove the state of what is destroyed: its file, or its workspace."""
    if terraform.state is not None:
        for file in terraform.state.parent.glob(f"{STATE}*"):
            file.unlink()
    elif workspace_of(terraform.task):
        removed = yield from terraform.delete_workspace()
        if not removed.ok:
            return _failure(removed, modified=True)
    return to_result(terraform.task, outcome, {}, outcome.changed)


def _predict(terraform: Terraform, imported: list[str]) -> Steps:
    """What the operation would do; the plan is its diff, with what it imports before."""
    task = terraform.task
    yield from _hide_outputs(terraform)
    outcome = yield from terraform.plan(*(["-destroy"] if task.operation.name == "delete" else []))
    if not outcome.ok:
        return _failure(outcome, modified=False)
    outcome.changed = outcome.changed or bool(imported)
    changes = [_changes(outcome.stdout)] if outcome.changed else []
    outcome.diff = [{"prepared": "\n".join([*imported, *changes])}] if outcome.changed else []
    given = reveal(task.inputs.get("dryrun_outputs") or {})
    return to_result(task, outcome, given if isinstance(given, Mapping) else {}, outcome.changed)


def _changes(plan: str) -> str:
    begin = _BEGIN.search(plan)
    return plan[begin.start() if begin else 0 :].partition("\n─")[0].strip()


def _look(terraform: Terraform, imported: list[str]) -> Steps:
    """Compare the live resources with the module: absent if there are none, degraded or in error where it differs.

    A plan that has to create, replace or destroy something means an error; one that updates in place, of a degraded
    instance. Where no plan can be made, the status is unknown.
    """
    del imported
    task, file = terraform.task, terraform.private / "check.tfplan"
    outcome = yield from terraform.plan(f"-out={file}")
    if not outcome.ok:
        return _failure(outcome, modified=False)
    try:
        plan = yield from terraform.show(file)
    finally:
        file.unlink(missing_ok=True)
    seen = plan.get("prior_state", {}).get("values")
    # the plan's own outputs are those that it would lead to
    values = yield from terraform.outputs()
    result = _result(task, replace(outcome, changed=False), values)
    result.basis = Basis.REAL
    result.status = _status(plan, present=any(_resources(seen)))
    return result


def _status(plan: Mapping[str, Any], *, present: bool) -> Status:
    changes = [set(change["change"]["actions"]) for change in plan.get("resource_changes", ())]
    changes = [actions for actions in changes if actions - {"no-op", "read"}]
    if not present:
        return Status.ABSENT if changes else Status.OK
    if any(actions != {"update"} for actions in changes):
        return Status.ERROR
    return Status.DEGRADED if changes else Status.OK


def _resources(values: Mapping[str, Any] | None) -> Iterator[Mapping[str, Any]]:
    """The resources that a state has, in all modules; data sources do not count."""
    modules = [(values or {}).get("root_module") or {}]
    while modules:
        module = modules.pop()
        yield from (one for one in module.get("resources", ()) if one.get("mode") == "managed")
        modules += module.get("child_modules", ())


def _result(task: Task, outcome: Outcome, values: dict[str, Any]) -> Result:
    outcome.result = {"outputs": {name: value for name, value in values.items() if not is_sensitive(value)}}
    if len(outcome.result["outputs"]) < len(values):
        outcome.hidden = SensitiveMap({"outputs": values})
    result = to_result(task, outcome, values, outcome.changed)
    if _OUTPUTS in task.attributes:
        result.attributes[_OUTPUTS] = values
    return result


def _failure(outcome: Outcome, *, modified: bool | None) -> Result:
    return Result(success=False, modified=modified, outcome=outcome, error=outcome.error)
