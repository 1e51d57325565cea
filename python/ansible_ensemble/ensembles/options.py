"""The options of a job: those of its plan, and how it is run and recorded."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from ansible_ensemble.core.errors import UsageError
from ansible_ensemble.planning.options import PlanOptions
from ansible_ensemble.projects.execution_settings import ExecutionSettings
from ansible_ensemble.projects.vault import Vault

_CHOICES = {
    "repair": ("error", "degraded", "none"),
    "change_detection": ("evaluate", "always", "skip"),
    "dirty": ("abort", "ok", "auto"),
}

#: Options that are of one call and its place, and not of the job; they are in no plan and no record.
_UNRECORDED = frozenset(
    {"vault", "vault_ids", "vault_password_file", "lock_timeout", "skip_upstream_check", "inventory", "session"}
)


@dataclass(slots=True)
class JobOptions(PlanOptions):
    """Options of a job.

    Attributes:
        inputs: topology inputs given for this job.
        variables: job variables (`-e`); templates see them, and `input_NAME` overrides an input. Those whose name says
            that they are a secret are sensitive.
        environment: name of the environment.
        jobs: how many operations run side by side; 0 is chosen by the number of cores.
        jobs_per_host: how many operations run side by side on each host but the controller; 0 is no limit.
        fail_fast: start nothing new once an operation has failed.
        check, diff: Ansible's dry run and diffs.
        fast: use the fast lane for local modules.
        stock_modules: names of modules that do not take it.
        commit, push, message, dirty: what happens in git (`auto`: dirty repositories abort a job that commits).
        lock_timeout: seconds to wait for the lock.
        skip_upstream_check: do not ask the git remotes for changes.
        locked: refuse to run with other repositories, commits or tools than the `lock` section records.
        save: record an ad-hoc command in the history.
        vault_ids, vault_password_file: where vault passwords come from, as Ansible takes them.
        grace: seconds a running operation gets to end when the job is stopped.
        revision: the commit whose specification is used in the place of what the files say now (a rollback).
        inventory: sources of Ansible's inventory, as `-i`; without any it is the configured one, and None is none.
        session: the running playbook's `AnsibleSession`, where there is one; its inventory is the one then.
        vault: the vault passwords, where they are already read; else they come from `vault_ids` and so on.
    """

    inputs: dict[str, Any] = field(default_factory=dict)
    variables: dict[str, Any] = field(default_factory=dict)
    environment: str | None = None
    jobs: int = 0
    jobs_per_host: int = 0
    fail_fast: bool = False
    check: bool = False
    diff: bool = False
    fast: bool = True
    stock_modules: list[str] = field(default_factory=list)
    commit: bool = False
    push: bool = False
    message: str | None = None
    dirty: str = "auto"
    lock_timeout: float = 0.0
    skip_upstream_check: bool = False
    locked: bool = False
    save: bool = False
    vault_ids: list[str] = field(default_factory=list)
    vault_password_file: str | None = None
    grace: float = 30.0
    revision: str | None = None
    inventory: list[str] | None = field(default_factory=list)
    session: Any = field(default=None, repr=False, compare=False)
    vault: Vault | None = field(default=None, repr=False, compare=False)

    def changed(self) -> dict[str, Any]:
        """The options that differ from their defaults, for plans and records."""
        return {name: value for name, value in PlanOptions.changed(self).items() if name not in _UNRECORDED}

    def open_vault(self) -> Vault:
        """The vault whose passwords these options name; they are read when one is needed."""
        file = [f"default@{self.vault_password_file}"] if self.vault_password_file else []
        return self.vault or Vault([*self.vault_ids, *file])

    @property
    def commits(self) -> bool:
        """Whether what the job changes is committed; only what is committed can be pushed."""
        return (self.commit or self.push) and not self.check

    @property
    def parallel(self) -> int:
        """How many operations run side by side."""
        return self.jobs if self.jobs > 0 else max(4, 2 * (os.cpu_count() or 1))

    def complete(self, settings: ExecutionSettings) -> None:
        """Take what the options leave open from the settings of the environment."""
        self.jobs = self.jobs or settings.jobs
        self.jobs_per_host = self.jobs_per_host or settings.jobs_per_host
        self.fast = self.fast and settings.fast_modules
        self.stock_modules = list(dict.fromkeys((*self.stock_modules, *settings.stock_modules)))

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> JobOptions:
        """Make options from a plain map, e.g. of a plan or of a module's arguments; null means the default.

        Raises:
            UsageError: there is no such option, or its value is none of the choices.
        """
        known = {f.name for f in fields(cls)}
        for name in values:
            if name not in known:
                raise UsageError(f'there is no job option "{name}"', hint=f"there are {', '.join(sorted(known))}")
        options = cls(**{name: value for name, value in values.items() if value is not None})
        for name, choices in _CHOICES.items():
            if getattr(options, name) not in choices:
                raise UsageError(
                    f'{name} is "{getattr(options, name)}"', hint=f"it must be one of {', '.join(choices)}"
                )
        return options
