"""The options of a job: those of its plan, and how it is run and recorded."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from ansible_ensemble.core.errors import UsageError
from ansible_ensemble.core.option import CALL, RUN, Option, option, options_of
from ansible_ensemble.planning.options import PlanOptions

if TYPE_CHECKING:
    from ansible_ensemble.projects.execution_settings import ExecutionSettings
    from ansible_ensemble.projects.vault import Vault

#: Commands that run a job, and those that read an ensemble.
_JOBS = (
    "deploy", "undeploy", "check", "discover", "start", "stop", "run", "notify", "replay", "rollback", "adopt"
)  # fmt: skip
_READING = (*_JOBS, "plan", "graph", "status", "inputs", "outputs", "query", "validate", "export")

_INPUTS: dict[str, Any] = {"heading": "inputs and variables"}
_RUNNING: dict[str, Any] = {"heading": "execution", "commands": _JOBS, "decided": RUN}
_EXECUTED: dict[str, Any] = _RUNNING | {"modules": ("execute",)}
#: The heading of what a job does with git.
GIT = "git"
_GIT: dict[str, Any] = {"heading": GIT, "commands": _JOBS, "decided": RUN, "modules": ("record",)}
_READ: dict[str, Any] = {"heading": "reading the ensemble", "commands": _READING}
_LOCATING = _READ | {"commands": (*_READING, "history", "show", "recover", "unlock", "forget", "state", "awx")}


@dataclass(slots=True)
class JobOptions(PlanOptions):
    """Options of a job.

    Attributes:
        revision: the commit whose specification is used instead of the current files (a rollback).
        session: the running playbook's `AnsibleSession`, where there is one; its inventory is the one then.
        vault: the vault passwords, where they are already read; else they come from `vault_ids` and so on.
    """

    inputs: dict[str, Any] = option(
        {},
        "Values of topology inputs; they override those in the ensemble",
        "--input",
        "--inputs",
        details=(
            "An extra variable `input_NAME` sets an input as well, and wins; "
            "a text of it means a value of the input's type.",
        ),
        modules=("plan", "validate"),
        **_INPUTS,
    )
    variables: dict[str, Any] = option(
        {},
        "Variables that templates see; `input_NAME` sets an input, and one that is named like a secret is sensitive",
        "-e",
        "--extra-vars",
        "--var",
        **_INPUTS,
    )
    reset_inputs: list[str] = option(
        [],
        "Go back to the specification's value of this input, which an earlier job was given",
        "--reset-input",
        metavar="NAME",
        details=("An input that a job is given lasts: later jobs use its value until they are given another one.",),
        commands=(*_JOBS, "plan", "graph", "query", "validate"),
        modules=("plan", "validate"),
        **_INPUTS,
    )
    rollback: str | None = option(
        None,
        "Plan to go back to the specification and inputs of this deploy",
        "--rollback",
        metavar="JOB",
        details=("Instances created since are deleted. The specification is read from git.",),
        heading="planning",
        commands=("plan",),
    )
    check: bool = option(
        False, "Dry run: change nothing, as in Ansible", "-C", "--check", "--dryrun",
        heading="execution", commands=_JOBS,
    )  # fmt: skip
    diff: bool = option(
        False, "Show what modules change, as in Ansible", "-D", "--diff", heading="execution", commands=_JOBS
    )
    jobs: int = option(
        0,
        "Run up to this many operations in parallel",
        "--jobs",
        metavar="N",
        otherwise="two per core, at least 4",
        **_EXECUTED,
    )
    jobs_per_host: int = option(
        0,
        "Run up to this many of them in parallel on one host; does not apply to the controller",
        "--jobs-per-host",
        metavar="N",
        otherwise="no limit",
        **_EXECUTED,
    )
    fail_fast: bool = option(
        False,
        "Start no further operations after a failure",
        "--fail-fast",
        details=("By default, operations that do not depend on the failed one still run.",),
        **_EXECUTED,
    )
    fast: bool = option(
        True,
        "Run local modules in a preloaded process instead of a new one each; the results are the same",
        "--no-fast-modules",
        flag_help="run every module as Ansible itself does",
        variable="fast_modules",
        **_EXECUTED,
    )
    stock_modules: list[str] = option(
        [], "Run these modules as Ansible itself does, in a new process", "--stock-module", metavar="NAME", **_EXECUTED
    )
    mesh: str | None = option(
        None,
        "Reach the nodes of the environment's mesh through the Receptor node with this control socket",
        "--mesh",
        metavar="SOCKET",
        otherwise="the socket that the environment names",
        **_EXECUTED | {"decided": CALL},
    )
    lock_timeout: float = option(
        0.0,
        "Wait up to this many seconds if another job holds the lock",
        "--lock-timeout",
        metavar="SECONDS",
        **_RUNNING | {"modules": ("lock",), "decided": CALL},
    )
    grace: float = option(
        30.0,
        "Give running operations this many seconds to end when the job is stopped",
        "--grace",
        metavar="SECONDS",
        **_RUNNING,
    )
    save: bool = option(
        False, "Record the command in the history", "--save", heading="operation or command", commands=("run",)
    )
    commit: bool = option(
        False,
        "Commit what the job changed, in each git repository that it touched",
        "--commit",
        **_GIT | {"modules": ("execute", "record")},
    )
    push: bool = option(False, "Commit and push what the job changed", "--push", **_GIT)
    message: str | None = option(
        None, "Message of the commit", "-m", "--message", metavar="TEXT", otherwise="one that names the job", **_GIT
    )
    dirty: str = option(
        "auto",
        "What to do if a repository has uncommitted changes before the job",
        "--dirty",
        choices=("abort", "auto", "ok"),
        details=("`abort` stops, `ok` continues, `auto` stops only if the job commits.",),
        **_GIT | {"modules": ("execute", "record")},
    )
    locked: bool = option(
        False,
        "Refuse repositories, commits and tools that differ from the ensemble's `lock` section",
        "--locked",
        **_GIT | {"modules": ("execute",)},
    )
    inventory: list[str] | None = option(
        [],
        "Inventory, as in Ansible",
        "-i",
        "--inventory",
        metavar="SOURCE",
        heading="passed on to Ansible",
        commands=(*_JOBS, "plan", "graph", "validate"),
        decided=CALL,
    )
    environment: str | None = option(
        None,
        "Use this environment of the project instead of the ensemble's own",
        "--environment",
        metavar="NAME",
        modules=("lock", "plan", "execute", "record", "info", "validate", "survey"),
        **_LOCATING,
    )
    skip_upstream_check: bool = option(
        False,
        "Do not check whether git repositories are behind their upstreams",
        "--skip-upstream-check",
        modules=("plan",),
        decided=CALL,
        **_READ,
    )
    vault_ids: list[str] = option([], "Vault id, as in Ansible", "--vault-id", metavar="ID", decided=CALL, **_LOCATING)
    vault_password_file: str | None = option(
        None,
        "File with the vault password",
        "--vault-password-file",
        "--vault-pass-file",
        metavar="FILE",
        decided=CALL,
        **_LOCATING,
    )
    revision: str | None = None
    session: Any = field(default=None, repr=False, compare=False)
    vault: Vault | None = field(default=None, repr=False, compare=False)

    def changed(self) -> dict[str, Any]:
        """The options that differ from their defaults, for plans and records."""
        return {name: value for name, value in PlanOptions.changed(self).items() if name not in UNRECORDED}

    def open_vault(self) -> Vault:
        """The vault whose passwords these options name; they are read when one is needed."""
        from ansible_ensemble.projects.vault import Vault

        file = [f"default@{self.vault_password_file}"] if self.vault_password_file else []
        return self.vault or Vault([*self.vault_ids, *file])

    @property
    def commits(self) -> bool:
        """Whether what the job changes is committed; only what is committed can be pushed."""
        return (self.commit or self.push) and not self.check

    @property
    def parallel(self) -> int:
        """How many operations run in parallel."""
        return self.jobs if self.jobs > 0 else max(4, 2 * (os.cpu_count() or 1))

    def complete(self, settings: ExecutionSettings) -> None:
        """Take what the options leave open from the settings of the environment."""
        self.jobs = self.jobs or settings.jobs
        self.jobs_per_host = self.jobs_per_host or settings.jobs_per_host
        self.fast = self.fast and settings.fast_modules
        self.stock_modules = list(dict.fromkeys((*self.stock_modules, *settings.stock_modules)))

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> JobOptions:
        """Make options from a plain map, e.g. of a plan or of a module's arguments; null means the default."""
        known = {f.name for f in fields(cls)}
        for name in values:
            if name not in known:
                raise UsageError(f'there is no job option "{name}"', hint=f"there are {', '.join(sorted(known))}")
        options = cls(**{name: value for name, value in values.items() if value is not None})
        for one in OPTIONS:
            value = getattr(options, one.name)
            if one.choices and value not in one.choices:
                raise UsageError(f'{one.name} is "{value}"', hint=f"it must be one of {', '.join(one.choices)}")
        return options


#: The table of job options.
OPTIONS: tuple[Option, ...] = tuple(options_of(JobOptions))
#: Options that neither plans nor records have.
UNRECORDED = frozenset({"session", "vault"}.union(one.name for one in OPTIONS if one.decided == CALL))


def options_by_variable(values: Mapping[str, Any]) -> dict[str, Any]:
    """Options of a module, by their names as job options."""
    names = {one.variable: one.name for one in OPTIONS}
    return {names[variable]: value for variable, value in values.items()}
