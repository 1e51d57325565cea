"""Terraform, or OpenTofu: an operation applies a root module and returns its outputs."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ansible_ensemble.configurators.base import BaseConfigurator
from ansible_ensemble.configurators.environment import implementation_environment
from ansible_ensemble.configurators.protocol import Basis, Result, Steps, Task
from ansible_ensemble.configurators.results import to_result
from ansible_ensemble.configurators.terraform_inputs import (
    as_variable,
    backend_of,
    cache_folder,
    is_remote,
    module_of,
    variables_of,
)
from ansible_ensemble.core.environment import Changes, with_changes
from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.orders import Command, Order, Outcome
from ansible_ensemble.core.sensitive import SensitiveMap, is_sensitive, mark_sensitive, reveal
from ansible_ensemble.documents.atomic import write_atomically
from ansible_ensemble.instances.lifecycle import only_looks
from ansible_ensemble.instances.status import Status

_STATE = "terraform.tfstate"
_VARIABLES = "ensemble.tfvars.json"
_SUMMARY = re.compile(r"complete! Resources: (.+)\.")
_BEGIN = re.compile(r"^ +# |^Changes to Outputs:", re.MULTILINE)
_ERROR = re.compile(r"^Error: (.+)$", re.MULTILINE)
_PLACE = re.compile(r"^ +on (\S+) line (\d+)", re.MULTILINE)
#: Exit codes of `plan -detailed-exitcode`: nothing to do, something to do.
_PLANNED = (0, 2)
#: Seconds that a command waits for a locked state.
_LOCK_TIMEOUT = 60
#: Runs a command under a lock of its own: Terraform's cache of providers is not safe for several `init` at a time.
_ONE_AT_A_TIME = (
    "import fcntl, os, sys\n"
    "lock = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600)\n"
    "os.set_inheritable(lock, True)\n"
    "fcntl.flock(lock, fcntl.LOCK_EX)\n"
    "try:\n"
    "    os.execvp(sys.argv[2], sys.argv[2:])\n"
    "except FileNotFoundError:\n"
    "    sys.exit(127)\n"
)

Ordered = Generator[Order, Outcome, Outcome]


class TerraformConfigurator(BaseConfigurator):
    """Runs Terraform on a root module: apply; destroy for `delete`; a plan for `check` and in a dry run.

    The module is a folder, which the implementation or the input `main` names, or the text or map of `main` itself.
    Variables are the input `tfvars` and all other inputs, but for `command` (the program, `terraform`), `workdir`
    (the folder that a relative `main` starts in), `stateLocation` (`secrets`: with the ensemble; `remote`: where the
    module's backend says), `backend` (settings of that backend) and `dryrun_outputs` (outputs of a dry run).
    """

    name = "terraform"
    keys = frozenset({"environment"})

    def render(self, task: Task) -> None:
        """Evaluate the inputs, and write an inline module and the variables into the task's folder, but for secrets.

        Raises:
            InvalidInput: there is no module, or an input is wrong.
        """
        super().render(task)
        is_remote(task)
        backend_of(task)
        plain = {name: reveal(value) for name, value in variables_of(task).items() if not is_sensitive(value)}
        files, is_secret = self._module(task)
        for name, text in {**({} if is_secret else files), _VARIABLES: json.dumps(plain, indent=1)}.items():
            (task.folder / name).write_text(text, encoding="utf-8")

    def run(self, task: Task) -> Steps:
        """Initialise the module, and do what the operation is for."""
        with self._secret_module(task), nullcontext() if is_remote(task) else task.open_secrets() as folder:
            result = yield from self._run(_Terraform(task, self._target, folder / _STATE if folder else None))
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

    def _run(self, terraform: _Terraform) -> Steps:
        task = terraform.task
        ready = yield from terraform.init()
        if not ready.ok:
            return _failure(ready, modified=False)
        reading = only_looks(task.operation.name)
        if reading and (task.check or task.operation.name == "check"):
            result = yield from _look(terraform)
        elif task.check:
            result = yield from _predict(terraform)
        else:
            result = yield from _apply(terraform)
        return result


@dataclass(slots=True)
class _Terraform:
    """Terraform at work for a task: its commands, with all that they have in common.

    Attributes:
        state: the file of the state; None where the module's backend keeps it.
        folder: of the root module.
    """

    task: Task
    target: str
    state: Path | None
    folder: Path = field(init=False)
    deadline: float | None = None

    def __post_init__(self) -> None:
        self.folder = module_of(self.task, self.target)[0]
        if self.task.timeout is not None:
            self.deadline = time.monotonic() + self.task.timeout

    @property
    def private(self) -> Path:
        """A folder of the task that only the user can read: backends leave their settings in it."""
        folder = self.task.folder / ".terraform"
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder

    @property
    def program(self) -> str:
        """The program that is run."""
        return str(reveal(self.task.inputs.get("command") or "terraform"))

    def init(self) -> Ordered:
        """Make the module ready: its providers, modules and backend."""
        arguments, settings = ["init", "-input=false", "-no-color"], self.private / "backend.json"
        if backend := backend_of(self.task):
            write_atomically(settings, json.dumps(backend), mode=0o600)
            arguments.append(f"-backend-config={settings}")
        cache = Path(self._environment()["TF_PLUGIN_CACHE_DIR"])
        cache.mkdir(parents=True, exist_ok=True)
        alone = (sys.executable, "-c", _ONE_AT_A_TIME, str(cache / ".lock"))
        try:
            outcome = yield self._command(arguments, before=alone)
        finally:
            settings.unlink(missing_ok=True)
        return self._told(outcome)

    def change(self, *arguments: str) -> Ordered:
        """A command that changes the world, or the state."""
        outcome = yield self._command([*arguments, "-auto-approve", f"-lock-timeout={_LOCK_TIMEOUT}s", *self._common()])
        return self._told(outcome)

    def plan(self, *arguments: str) -> Ordered:
        """A plan, which changes and locks nothing; its exit code shows whether there is something to do."""
        command = ["plan", "-detailed-exitcode", "-lock=false", *arguments, *self._common()]
        outcome = yield self._command(command)
        if outcome.rc in _PLANNED and not outcome.timed_out:
            return replace(outcome, ok=True, error=None, changed=outcome.rc == _PLANNED[1])
        return self._told(outcome)

    def json(self, *arguments: str) -> Generator[Order, Outcome, Mapping[str, Any]]:
        """What a command answers as JSON. It goes through a file: it may be long, and hold secrets.

        Raises:
            EnsembleError: it answers something else.
        """
        answer = self.private / "answer.json"
        command = self._command([*arguments])
        text = 'out=$1; shift; exec "$@" >"$out"'
        outcome = yield replace(command, argv=("/bin/sh", "-c", text, "sh", str(answer), *command.argv))
        try:
            if not outcome.ok:
                raise EnsembleError(f"{self.program} {arguments[0]}: {self._told(outcome).error}")
            found: Mapping[str, Any] = json.loads(answer.read_text(encoding="utf-8") or "{}")
        except ValueError as error:
            raise EnsembleError(f"{self.program} {arguments[0]} returned no JSON: {error}") from error
        finally:
            answer.unlink(missing_ok=True)
        return found

    def outputs(self) -> Generator[Order, Outcome, dict[str, Any]]:
        """The module's outputs, as the state has them; those that it calls sensitive are marked."""
        if self.state is not None and not self.state.is_file():
            return {}
        found = yield from self.json("output", "-json", *self._state())
        return _values(found)

    def show(self, plan: Path | None = None) -> Generator[Order, Outcome, Mapping[str, Any]]:
        """What is in a plan, or in the state."""
        file = plan or self.state
        if file is not None and not file.is_file():
            return {}
        found = yield from self.json("show", "-json", *([str(file)] if file else []))
        return found

    def content(self) -> bytes | None:
        """What the state's file holds; None if there is none, or it is kept elsewhere."""
        return self.state.read_bytes() if self.state is not None and self.state.is_file() else None

    def _command(self, arguments: list[str], before: tuple[str, ...] = ()) -> Command:
        left = None if self.deadline is None else max(self.deadline - time.monotonic(), 0.001)
        return Command(
            (*before, self.program, f"-chdir={self.folder}", *arguments),
            cwd=str(self.task.directory),
            environment=self._environment(),
            timeout=left,
        )

    def _common(self) -> list[str]:
        file = self.task.folder / _VARIABLES
        return ["-input=false", "-no-color", f"-var-file={file}", *self._state()]

    def _state(self) -> list[str]:
        return [] if self.state is None else [f"-state={self.state}"]

    def _environment(self) -> Changes:
        """The environment; secret variables are in it, and so in no file and no command line."""
        own = implementation_environment(self.task)
        given = with_changes(os.environ, own)
        cache = given.get("TF_PLUGIN_CACHE_DIR") or str(cache_folder(given))
        secret = {name: value for name, value in variables_of(self.task).items() if is_sensitive(value)}
        return {
            **own,
            **{f"TF_VAR_{name}": as_variable(value) for name, value in secret.items()},
            "TF_DATA_DIR": str(self.private),
            "TF_PLUGIN_CACHE_DIR": cache,
            "TF_IN_AUTOMATION": "1",
            "CHECKPOINT_DISABLE": "1",
        }

    def _told(self, outcome: Outcome) -> Outcome:
        """An outcome with Terraform's reason of its failure."""
        if outcome.ok or outcome.timed_out:
            return outcome
        if outcome.rc == 127:
            missing = f"command not found: {self.program} (install it, or name another one by the input command)"
            return replace(outcome, error=missing)
        told = _ERROR.findall(outcome.stderr)
        place = _PLACE.search(outcome.stderr)
        if not told:
            return outcome
        return replace(outcome, error="; ".join(told) + (f" ({place[1]}:{place[2]})" if place else ""))


def _apply(terraform: _Terraform) -> Steps:
    """Apply, destroy or refresh; what was created counts even if the command failed."""
    task, before = terraform.task, terraform.content()
    command = {"delete": ("destroy",), "discover": ("apply", "-refresh-only")}.get(task.operation.name, ("apply",))
    outcome = yield from terraform.change(*command)
    if not outcome.ok:
        known = terraform.state is not None
        touched = terraform.content() != before
        return _failure(outcome, modified=touched if known and (touched or not outcome.timed_out) else None)
    summary = _SUMMARY.search(outcome.stdout)
    outcome.changed = summary is None or any(map(int, re.findall(r"\d+", summary[1])))
    if task.operation.name == "delete":
        if terraform.state is not None:
            for file in terraform.state.parent.glob(f"{_STATE}*"):
                file.unlink()
        return to_result(task, outcome, {}, outcome.changed)
    values = yield from terraform.outputs()
    result = _result(task, outcome, values)
    if task.operation.name == "discover":
        shown = yield from terraform.show()
        result.status = Status.OK if _resources(shown.get("values")) else Status.ABSENT
    return result


def _predict(terraform: _Terraform) -> Steps:
    """What the operation would do; the plan is its diff."""
    task = terraform.task
    outcome = yield from terraform.plan(*(["-destroy"] if task.operation.name == "delete" else []))
    if not outcome.ok:
        return _failure(outcome, modified=False)
    outcome.diff = [{"prepared": _changes(outcome.stdout)}] if outcome.changed else []
    given = reveal(task.inputs.get("dryrun_outputs") or {})
    return to_result(task, outcome, given if isinstance(given, Mapping) else {}, False)


def _changes(plan: str) -> str:
    begin = _BEGIN.search(plan)
    return plan[begin.start() if begin else 0 :].partition("\n─")[0].strip()


def _look(terraform: _Terraform) -> Steps:
    """Compare the live resources with the module: absent if there are none, degraded or in error where it differs.

    A plan that has to create, replace or destroy something means an error; one that updates in place, of a degraded
    instance. Where no plan can be made, the status is unknown.
    """
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
    result.status = _status(plan, present=_resources(seen) > 0)
    return result


def _status(plan: Mapping[str, Any], *, present: bool) -> Status:
    changes = [set(change["change"]["actions"]) for change in plan.get("resource_changes", ())]
    changes = [actions for actions in changes if actions - {"no-op", "read"}]
    if not present:
        return Status.ABSENT if changes else Status.OK
    if any(actions != {"update"} for actions in changes):
        return Status.ERROR
    return Status.DEGRADED if changes else Status.OK


def _resources(values: Mapping[str, Any] | None) -> int:
    """How many resources a state has, in all modules; data sources do not count."""
    count, modules = 0, [(values or {}).get("root_module") or {}]
    while modules:
        module = modules.pop()
        count += sum(one.get("mode") == "managed" for one in module.get("resources", ()))
        modules += module.get("child_modules", ())
    return count


def _result(task: Task, outcome: Outcome, values: dict[str, Any]) -> Result:
    outcome.result = {"outputs": {name: value for name, value in values.items() if not is_sensitive(value)}}
    if len(outcome.result["outputs"]) < len(values):
        outcome.hidden = SensitiveMap({"outputs": values})
    return to_result(task, outcome, values, outcome.changed)


def _failure(outcome: Outcome, *, modified: bool | None) -> Result:
    return Result(success=False, modified=modified, outcome=outcome, error=outcome.error)


def _values(outputs: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: mark_sensitive(one["value"]) if one.get("sensitive") else one["value"]
        for name, one in outputs.items()
        if "value" in one
    }
