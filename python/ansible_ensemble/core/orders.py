"""Orders: what a configurator asks a worker to do, and the outcome it gets back. Plain data, JSON-able."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from ansible_ensemble.core.sensitive import SensitiveMap
from ansible_ensemble.core.texts import with_text_keys

#: Environment variable with the path of the socket on which a command asks its job.
CHANNEL = "ANSIBLE_ENSEMBLE_CHANNEL"
#: Key of a play's result with what its tasks returned.
RETURNED = "returned_by_tasks"
#: Key of a play's result with what its tasks kept of files that they replaced: `host`, `path`, `backup`, and `keywords`
#: of the task.
BACKUPS = "backups_of_tasks"
#: Key of a play's result with what its tasks that take something away came to: of each thing the `name` of its task,
#: its `key`, and whether it was `changed`, is `unseen` as nobody could look, or was `left`.
REMOVALS = "removals_of_tasks"
#: How the names of tasks begin that take away what others made.
REMOVING = "Take away: "
#: Variable of a play with the values of the expressions that its filters `eval` and `ref` name.
EVALUATED = "ansible_ensemble_evaluated"

#: How modules say that what they would make is there.
_SINCE = "skipped, since"
#: Characters of a fact that is compared as it is.
_LARGE_FACT = 2_000

#: Names by which Ansible knows the controller.
CONTROLLER = frozenset({"localhost", "127.0.0.1", "::1"})


class Host(Struct, frozen=True):
    """Where an Ansible order runs.

    Attributes:
        name: the inventory host's name; `localhost` is the controller.
        variables: host variables set on top of the inventory's (all of them, for an unknown host).
        groups: names of groups that it is in, beside those of the inventory.
    """

    name: str = "localhost"
    variables: dict[str, Any] = field(default_factory=dict)
    groups: tuple[str, ...] = ()


class Command(Struct, frozen=True):
    """A local subprocess, run without Ansible.

    Attributes:
        argv: the program and its arguments; with `shell`, one string for the shell.
        shell: the shell's path, or None to run argv directly.
        cwd: working directory, absolute.
        environment: variables set on top of the controller's environment; None removes one from it.
        stdin: text for the standard input.
        timeout: seconds until its process group is ended, or None.
    """

    argv: tuple[str, ...]
    shell: str | None = None
    cwd: str | None = None
    environment: Mapping[str, str | None] = field(default_factory=dict)
    stdin: str | None = None
    timeout: float | None = None


class ModuleCall(Struct, frozen=True):
    """One Ansible module or action, as one task on one host.

    Attributes:
        module: its FQCN.
        args: its arguments, plain values; a free form is `_raw_params`.
        host: where it runs.
        keywords: task keywords (become, become_user, environment, no_log, vars, retries, until, delay, delegate_to).
        check: run in check mode.
        diff: ask for a diff.
        timeout: seconds, or None.
        fast: False keeps it out of the fast lane.
        base: directory that relative files are searched in, and in which a local module runs.
        first: a command that runs before the module, where and as whom it runs. What it printed is a question to the
            job (`configurators.protocol.Conversation`), and the module waits for the answer.
    """

    module: str
    args: dict[str, Any] = field(default_factory=dict)
    host: Host = field(default_factory=Host)
    keywords: dict[str, Any] = field(default_factory=dict)
    check: bool = False
    diff: bool = False
    timeout: float | None = None
    fast: bool = True
    base: str | None = None
    first: tuple[str, ...] = ()


class Removing(Struct, frozen=True):
    """What the tasks of a play that take something away may touch.

    A thing is known by a key: of the host, the module, and the arguments that say what it is, as they are rendered for
    one item of a loop; and of the machine, and where its paths lead (`core.thing_keys`).

    Attributes:
        subjects: arguments that say what a module is about, by its full name; all are, of one that is not here.
        known: keys of what was looked at before; it is passed over.
        only: keys of what may be taken away; None to do so with all.
    """

    subjects: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    known: tuple[str, ...] = ()
    only: tuple[str, ...] | None = None


class Play(Struct, frozen=True):
    """A task file, a role or a playbook, run by a nested TaskQueueManager.

    Attributes:
        kind: `tasks`, `role` or `playbook`.
        source: absolute path of the task file or playbook; a role's name, FQCN or absolute path.
        host: where `tasks` and `role` run; for a playbook, the host that `hosts: all` means.
        variables: extra variables (they win over everything, as `-e` does).
        keywords: play keywords for tasks and role (become, gather_facts, environment, ...).
        base: directory that relative files are searched in first.
        displayed: have what Ansible's default callback prints displayed while it runs.
        options: options of `ansible-playbook` by Ansible's names (tags, skip_tags, extra_vars, become, ...).
        inventory: path of the inventory that a playbook sees in place of the session's; `hosts: all` are all of it.
        keys: what is returned of the tasks' results: of each key the value of the last task that has it.
        tasks_from: which task file of a role runs, None for its `main`.
        discreet: leave out of diffs what may be a secret.
        quiet: tell nobody of its tasks.
        removing: what its tasks may touch that take something away; None if none of them does.
    """

    kind: str
    source: str
    host: Host = field(default_factory=Host)
    variables: dict[str, Any] = field(default_factory=dict)
    keywords: dict[str, Any] = field(default_factory=dict)
    base: str | None = None
    check: bool = False
    diff: bool = False
    timeout: float | None = None
    fast: bool = True
    displayed: bool = False
    options: dict[str, Any] = field(default_factory=dict)
    inventory: str | None = None
    keys: tuple[str, ...] = ()
    tasks_from: str | None = None
    discreet: bool = False
    quiet: bool = False
    removing: Removing | None = None


class Request(Struct, frozen=True):
    """A request to a program that is kept for as long as the job lasts.

    Attributes:
        program: the Python module with its `main`, which serves requests on a socket, its standard input.
        request: what is asked, plain data.
        timeout: seconds until the program is told to leave it, or None.
    """

    program: str
    request: dict[str, Any]
    timeout: float | None = None


Order = Command | ModuleCall | Play | Request


class LookedUp(Struct):
    """What Ansible read by itself for an order, beside what the order gave it.

    Attributes:
        variables: names of variables of the order's host.
        hosts: names of variables of other hosts.
        groups: groups, or patterns of hosts, of which it read who their members are.
        facts: by host, facts by their names in `ansible_facts`; see `fact_value`.
        files: files and folders that a task or a lookup took.
        loaded: files that the play is made of.
        environ: environment variables.
        hidden: names of variables that tasks with `no_log` looked up.
        outside: names of lookups that read what nothing here can read again: a program, a server.
    """

    variables: list[str] = field(default_factory=list)
    hosts: dict[str, list[str]] = field(default_factory=dict)
    groups: list[str] = field(default_factory=list)
    facts: dict[str, dict[str, Any]] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    environ: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)


def fact_value(value: Any) -> Any:
    """A fact as it is compared: of a large one, such as all packages, a digest."""
    text = json.dumps(with_text_keys(value), sort_keys=True, default=str)
    return value if len(text) <= _LARGE_FACT else hashlib.sha256(text.encode()).hexdigest()


class Outcome(Struct):
    """The result of an order.

    Attributes:
        ok: whether it succeeded.
        changed: whether it changed something; None if it did not say.
        result: what it returned. For a module its result; for a play `stats` (set_stats data), `facts`
            (cacheable and set_fact facts of the host), `tasks` (one summary per task run), `BACKUPS`, and `RETURNED`
            (by the order's `keys`). It may be shown and
            logged: a task with `no_log` has `censored` in it and no data.
        hidden: the same with what `result` hides (`no_log`, vaulted values), as `register` would hold it; empty if
            nothing is hidden. It is marked as sensitive.
        stdout, stderr: text, bounded; `rc`: exit code where there is one.
        cut: how many bytes of stdout were dropped.
        diff: module diffs ({before, after, ...}), in order.
        error: the reason in words, if it failed.
        timed_out, cancelled, unreachable: why it failed.
        lane: `process`, `fast` or `stock`.
        warnings: warning and deprecation texts.
        seconds: wall time it took.
        looked_up: what Ansible read by itself.
        told: lines for people, of an order that was carried out where nobody could be told at once.
    """

    ok: bool
    changed: bool | None = None
    rc: int | None = None
    stdout: str = ""
    stderr: str = ""
    cut: int = 0
    result: dict[str, Any] = field(default_factory=dict)
    hidden: SensitiveMap = field(default_factory=SensitiveMap)
    diff: list[dict[str, Any]] = field(default_factory=list)
    error: str | None = None
    timed_out: bool = False
    cancelled: bool = False
    unreachable: bool = False
    lane: str = "process"
    warnings: list[str] = field(default_factory=list)
    seconds: float = 0.0
    looked_up: LookedUp = field(default_factory=LookedUp)
    told: list[str] = field(default_factory=list)


def did_not_look(result: Mapping[str, Any]) -> bool:
    """Whether a module skipped without a look at what is there, as those do that cannot run in check mode."""
    return bool(result.get("skipped")) and not str(result.get("msg")).startswith(_SINCE)
