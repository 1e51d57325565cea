"""Installs a tool by a job of the ensemble that declares it, in a process of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ansible_ensemble.configurators.base import BaseConfigurator
from ansible_ensemble.configurators.protocol import Basis, Result, Steps, Task
from ansible_ensemble.core.orders import Command
from ansible_ensemble.core.own_command import own_command
from ansible_ensemble.language.entities import Assignment, Implementation, Operation

NAME = "external-job"
#: Seconds that it waits for a job that may be installing the same.
_PATIENCE = 3600


def installation(external: str, ensemble: Path, instance: str, environment: str) -> Operation:
    """The operation that has another ensemble install one of its tools.

    Args:
        external: what the other ensemble is called here.
        ensemble: its file.
        instance: what it calls the tool.
        environment: the name of the environment; empty for the other ensemble's own.
    """
    implementation = Implementation(
        primary=f"{external} installs {instance}", class_name=NAME, operation_host="ORCHESTRATOR"
    )
    given = {"ensemble": str(ensemble), "instance": instance, "environment": environment}
    inputs = {name: Assignment({"q": text}) for name, text in given.items()}
    return Operation("Standard", "create", implementation, inputs)


class ExternalJobConfigurator(BaseConfigurator):
    """Deploys one instance of another ensemble, under its lock; a dry run does not look."""

    name = NAME

    def run(self, task: Task) -> Steps:
        """Start the job, and wait for it."""
        if task.check:
            return Result(success=True, modified=True, basis=Basis.PREDICTED)
        ensemble, instance, environment = (str(task.inputs[name]) for name in ("ensemble", "instance", "environment"))
        words = ["deploy", ensemble, "--instance", instance, "--approve", "--lock-timeout", str(_PATIENCE)]
        words += ["--environment", environment] if environment else []
        with task.passed_options() as (passed, folder):
            line = own_command(*words, *passed, "--output", "json", folder=folder)
            outcome = yield Command(tuple(line), cwd=str(task.root), timeout=task.timeout)
        report = _report(outcome.stdout)
        outcome.changed = bool(report.get("changed"))
        if not outcome.ok:
            if not outcome.timed_out:
                why = next(_reasons(report), None) or outcome.stderr.strip() or outcome.error
                outcome.error = f"{instance} is not installed by {Path(ensemble).parent.name}: {why}"
            return Result(success=False, modified=outcome.changed, outcome=outcome, error=outcome.error)
        return Result(success=True, modified=outcome.changed, outcome=outcome)


def _report(printed: str) -> Mapping[str, Any]:
    try:
        found = json.loads(printed)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _reasons(report: Mapping[str, Any]) -> Iterator[str]:
    """Why a job failed, or did not begin."""
    yield from (str(task["error"]) for task in report.get("tasks", ()) if task["status"] == "error" and task["error"])
    yield from (str(error["text"]) for error in report.get("errors", ()))
    yield from map(str, report.get("problems", ()))
