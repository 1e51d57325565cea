"""Ansible's check mode: when it is used, and what its result tells of what is there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_ensemble.configurators.protocol import Basis, Result, Task
from ansible_ensemble.core.orders import Outcome
from ansible_ensemble.core.sensitive import is_sensitive, reveal
from ansible_ensemble.instances.lifecycle import only_looks
from ansible_ensemble.instances.status import Status

#: The state that a module's diff tells of what is not there.
_ABSENT = "absent"
#: Arguments that modules return in another form, or as they will be.
_ELSEWHERE = frozenset({"src", "dest", "path", "name", "state", "mode"})
#: In place of values that modules keep for themselves.
_CENSORED = ("NOT_LOGGING_", "VALUE_SPECIFIED_IN_NO_LOG")
#: Modules that look at something and are for nothing that would be there.
_LOOKS = ("assert", "debug", "fail", "gather_facts", "include_vars", "meta", "set_fact", "setup", "slurp", "stat")
#: Modules of services.
_SERVICES = ("service", "systemd", "systemd_service", "sysvinit")


def in_check_mode(task: Task) -> bool:
    """Whether Ansible's check mode is to be used: in a dry run, and where the operation has Ansible's `check_mode`."""
    return task.check or task.setting("check_mode") is True


def is_dry_run_check(task: Task) -> bool:
    """Whether an operation only looks, by what would be changed."""
    return only_looks(task.operation.name) and task.setting("check_mode") is True


def shows_unasked(task: Task) -> bool:
    """Whether a diff is to be shown that nobody asked for: what a check finds."""
    return is_dry_run_check(task) and not task.diff


def looking_args(module: str, args: Mapping[str, Any], instead: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with which a module in check mode tells whether what it made is as it left it.

    What others set otherwise after it is as they give it; a service that is restarted has to run, and of a file that is
    touched its times do not count.
    """
    found = {name: value for name, value in {**args, **instead}.items() if value is not None}
    name = module.rpartition(".")[2]
    if name == "file" and found.get("state") == "touch":
        return {**found, "access_time": "preserve", "modification_time": "preserve"}
    if name in _SERVICES and found.get("state") in ("restarted", "reloaded"):
        return {**found, "state": "started"}
    return found


def found_by_check_mode(task: Task, result: Result, basis: Basis, what: str = "") -> Result:
    """The result of the tool in check mode, which does nothing: what it returns is what would be.

    Where the implementation asks for it in a real job, a check finds that what it would change has drifted, and nothing
    where the tool does nothing in check mode; and an operation that is to change something has not done so.
    """
    outcome = result.outcome
    if not in_check_mode(task) or outcome is None:
        return result
    result.basis = basis
    if task.check or not outcome.ok:
        return result
    result.modified = False
    if only_looks(task.operation.name):
        if outcome.changed and result.status is None:
            result.status, result.error = Status.DRIFTED, f"it would be changed{what}"
        elif basis is Basis.NOT_RUN and outcome.ok:
            result.error = str(outcome.result.get("msg") or "it does nothing in check mode")
        if not outcome.changed:
            outcome.diff = []  # `file` has one of what it leaves as it is
    elif outcome.changed or basis is Basis.NOT_RUN:
        would = f"would be changed{what}" if outcome.changed else "was not run"
        result.success, result.error = False, f"it {would}: its check_mode keeps it from doing anything"
    outcome.changed = False
    return result


def what_differs(args: Mapping[str, Any], outcome: Outcome) -> str:
    """Which attributes a module would change, as the end of a sentence; nothing where it does not say.

    Diffs that are maps say so. Of a module without a diff it is told by what it returned of arguments under their
    names, as it found them: `user` has no diff, and returns the shell that the account has.
    """
    if outcome.diff:
        pairs = ((one.get("before"), one.get("after")) for one in outcome.diff)
        named = [name for before, after in pairs for name in _unlike(before, after)]
    else:
        named = [
            name if is_sensitive(wanted) else f"{name} is {outcome.result[name]}"  # what is wanted may be a secret
            for name, wanted in args.items()
            if name in outcome.result and name not in _ELSEWHERE and _is_another(outcome.result[name], wanted)
        ]
    return f": {', '.join(dict.fromkeys(named))}" if named else ""


def _unlike(before: Any, after: Any) -> list[str]:
    if not (isinstance(before, Mapping) and isinstance(after, Mapping)):
        return []
    return [str(name) for name in {**before, **after} if before.get(name) != after.get(name)]


def _is_another(found: Any, wanted: Any) -> bool:
    """Whether a module found another value than it was given: a name and a number may mean the same group."""
    wanted = reveal(wanted)
    if not all(isinstance(value, str | int) and not isinstance(value, bool) for value in (found, wanted)):
        return False
    if str(found).startswith(_CENSORED):
        return False
    return str(found) != str(wanted) and str(found).isdigit() == str(wanted).isdigit()


def may_be_there(outcome: Outcome) -> bool:
    """Whether what would be changed is there already, as far as nothing says that it is not.

    Diffs say so by what they have `before` the change. Of modules that give none nobody knows: what they would change
    may be somebody's, a user's account, and is not to be taken for what a deployment makes.
    """
    return outcome.ok and (not outcome.diff or any(map(_shows_something, outcome.diff)))


def _shows_something(diff: Mapping[str, Any]) -> bool:
    before = diff.get("before")
    if isinstance(before, Mapping) and before:
        return before.get("state") != _ABSENT
    return bool(before) or "prepared" in diff  # a text of both, from which nobody can tell


def is_in_place(task: Mapping[str, Any]) -> bool:
    """Whether a task of a play, by its summary, found what it is for as it should be."""
    looks = str(task["action"]).rpartition(".")[2] in _LOOKS
    return task["status"] == "ok" and not task.get("changed") and not task.get("unseen") and not looks
