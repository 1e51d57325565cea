"""Terraform, or OpenTofu, at work for a task: its commands, and what they have in common."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from typing import Any

from msgspec.structs import replace

from ansible_ensemble.configurators.environment import implementation_environment
from ansible_ensemble.configurators.protocol import Task
from ansible_ensemble.configurators.terraform_nodes import (
    as_variable,
    backend_of,
    cache_folder,
    lock_timeout,
    module_of,
    unlock_of,
    variables_of,
    workspace_of,
)
from ansible_ensemble.core.environment import Changes, with_changes
from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.orders import Command, Order, Outcome
from ansible_ensemble.core.regex import regex
from ansible_ensemble.core.sensitive import is_sensitive, mark_sensitive, reveal
from ansible_ensemble.documents.atomic import write_atomically

STATE = "terraform.tfstate"
#: What Terraform leaves in the module's folder where it could not write the state.
ERRORED = "errored.tfstate"
VARIABLES = "ensemble.tfvars.json"
TEXT = "ensemble.tfvars"  #: those that are given in Terraform's own language
_ERROR = regex(r"^Error: (.+)$", re.MULTILINE)
_PLACE = regex(r"^ +on (\S+) line (\d+)", re.MULTILINE)
#: The lock that is in the way; a lock's information may be that of the own one, so this goes first.
_LOCKED = regex(r"already locked: ID=(\S+)|^ +ID: +(\S+)", re.MULTILINE)
#: Exit codes of `plan -detailed-exitcode`: nothing to do, something to do.
_PLANNED = (0, 2)
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
#: What follows where a state is incomplete.
_TAKE_IN = "and name under import what exists and is not in it"

Ordered = Generator[Order, Outcome, Outcome]


@dataclass(slots=True)
class Terraform:
    """Terraform at work for a task: its commands, with all that they have in common.

    Attributes:
        state: the file of the state; None where the module's backend keeps it.
        folder: of the root module.
    """

    task: Task
    target: str
    state: Path | None = None
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
            outcome = yield self._command(arguments, before=alone, workspace=False)
        finally:
            settings.unlink(missing_ok=True)
        return self._with_error(outcome)

    @property
    def backend(self) -> str | None:
        """The kind of backend that the module names, as `init` found it; None if it names none."""
        try:
            found = json.loads((self.private / STATE).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        return str(found["backend"]["type"]) if found.get("backend") else None

    def change(self, *arguments: str) -> Ordered:
        """A command that changes the world, or the state. A lock that the input `unlock` names is taken away first."""
        command = [*arguments, "-auto-approve", self._patience(), *self._common()]
        outcome = yield self._command(command)
        lock = _lock_in_the_way(outcome)
        if lock is not None and lock == unlock_of(self.task):
            outcome = yield self._command(["force-unlock", "-force", lock])
            if outcome.ok:
                outcome = yield self._command(command)
        return self._with_error(outcome)

    def take_in(self, address: str, identifier: str) -> Ordered:
        """Import what exists already, by its identifier, as a resource of the module."""
        outcome = yield self._command(["import", self._patience(), *self._common(), address, identifier])
        return self._with_error(outcome)

    def push(self, file: Path) -> Ordered:
        """Make a file the state that the backend keeps; it refuses one that is older or of another module."""
        outcome = yield self._command(["state", "push", self._patience(), str(file)])
        return self._with_error(outcome)

    def delete_workspace(self) -> Ordered:
        """Remove the workspace, whose resources are gone."""
        outcome = yield self._command(["workspace", "delete", "-no-color", workspace_of(self.task)], workspace=False)
        return self._with_error(outcome)

    def _patience(self) -> str:
        return f"-lock-timeout={lock_timeout(self.task)}s"

    def plan(self, *arguments: str) -> Ordered:
        """A plan, which changes and locks nothing; its exit code shows whether there is something to do."""
        command = ["plan", "-detailed-exitcode", "-lock=false", *arguments, *self._common()]
        outcome = yield self._command(command)
        if outcome.rc in _PLANNED and not outcome.timed_out:
            return replace(outcome, ok=True, error=None, changed=outcome.rc == _PLANNED[1])
        return self._with_error(outcome)

    def json(self, *arguments: str) -> Generator[Order, Outcome, Mapping[str, Any]]:
        """What a command answers as JSON. It goes through a file: it may be long, and hold secrets."""
        answer = self.private / "answer.json"
        command = self._command([*arguments])
        text = 'out=$1; shift; exec "$@" >"$out"'
        outcome = yield replace(command, argv=("/bin/sh", "-c", text, "sh", str(answer), *command.argv))
        try:
            if not outcome.ok:
                raise EnsembleError(f"{self.program} {arguments[0]}: {self._with_error(outcome).error}")
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

    def state_fault(self, secrets: Path) -> str | None:
        """Why nothing can be done with the state as it is, and the way on; None if nothing is in the way."""
        lost = self.folder / ERRORED
        if lost.exists():
            way = f"mkdir -p {quote(str(secrets))} && mv {quote(str(lost))} {quote(str(secrets))}/"
            return f"{lost} is a state that could not be saved: if it is this instance's, the next job saves it ({way})"
        if self.state is None or not self.state.is_file() or _is_state(self.state):
            return None
        backup = self.state.with_name(f"{STATE}.backup")
        if backup.is_file():
            way = f"cp {quote(str(backup))} {quote(str(self.state))}"
            return f"Terraform died while it wrote the state {self.state}: take the last one ({way}), {_TAKE_IN}"
        return f"Terraform died while it wrote the state {self.state}: remove that file, {_TAKE_IN}"

    def keep_errored(self, folder: Path) -> bool:
        """Keep the state that Terraform could not write with the instance's secrets; whether there is one."""
        lost = self.folder / ERRORED
        if lost.exists():
            shutil.move(lost, folder / ERRORED)
        return (folder / ERRORED).exists()

    def content(self) -> bytes | None:
        """What the state's file holds; None if there is none, or it is kept elsewhere."""
        return self.state.read_bytes() if self.state is not None and self.state.is_file() else None

    def _command(self, arguments: list[str], before: tuple[str, ...] = (), *, workspace: bool = True) -> Command:
        left = None if self.deadline is None else max(self.deadline - time.monotonic(), 0.001)
        chosen = (workspace_of(self.task) or None) if workspace else None
        return Command(
            (*before, self.program, f"-chdir={self.folder}", *arguments),
            cwd=str(self.task.directory),
            environment={**self._environment(), "TF_WORKSPACE": chosen},
            timeout=left,
        )

    def _common(self) -> list[str]:
        files = [f"-var-file={self.task.folder / name}" for name in (VARIABLES, TEXT)]
        return ["-input=false", "-no-color", *files, *self._state()]

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

    def _with_error(self, outcome: Outcome) -> Outcome:
        """An outcome with Terraform's reason of its failure."""
        if outcome.ok or outcome.timed_out:
            return outcome
        if outcome.rc == 127:
            missing = f"command not found: {self.program} (install it, or name another one by the input command)"
            return replace(outcome, error=missing)
        errors = _ERROR.findall(outcome.stderr)
        place = _PLACE.search(outcome.stderr)
        if not errors:
            return outcome
        text = "; ".join(errors) + (f" ({place[1]}:{place[2]})" if place else "")
        lock = _lock_in_the_way(outcome)
        way = f"; if what holds the lock has died, deploy with unlock: {lock}" if lock else ""
        return replace(outcome, error=text + way)


def _lock_in_the_way(outcome: Outcome) -> str | None:
    """The lock for which a command failed; only a person can know that it was left behind."""
    found = _LOCKED.search(outcome.stderr) if not outcome.ok and "state lock" in outcome.stderr else None
    return None if found is None else found[1] or found[2]


def _values(outputs: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: mark_sensitive(one["value"]) if one.get("sensitive") else one["value"]
        for name, one in outputs.items()
        if "value" in one
    }


def _is_state(file: Path) -> bool:
    """Whether Terraform wrote a file to its end."""
    try:
        return "version" in json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, TypeError):
        return False
