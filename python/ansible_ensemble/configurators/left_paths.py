"""What the last of several writers left at a path: recorded when it ran, and looked for by checks.

An earlier writer in check mode would take what a later one wrote for a change; the file as it was left is what counts.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

from msgspec.structs import replace

from ansible_ensemble.configurators.check_mode import is_dry_run_check
from ansible_ensemble.configurators.looks import look_at
from ansible_ensemble.configurators.protocol import Basis, Note, Result, Task
from ansible_ensemble.core.orders import CONTROLLER, Host, ModuleCall, Outcome
from ansible_ensemble.core.written_path import WrittenPath
from ansible_ensemble.instances.status import Status

#: The attribute in which it is recorded: by path (after its host, if that is another one) what is there.
WRITTEN = "written"
#: What is noted (`Instance.made`) of paths that tasks write: path -> where links lead it.
LEADS = "leads"
_STAT = "ansible.builtin.stat"
#: Keywords that say how the host is reached, and as whom.
_CONNECTING = ("become", "become_user", "become_method", "become_flags", "connection", "port", "remote_user", "vars")
#: What is recorded of a path -> what `stat` calls it.
_STAT_KEYS = {"mode": "mode", "owner": "pw_name", "group": "gr_name", "target": "lnk_source"}
_KINDS = {"isdir": "a folder", "islnk": "a link", "isreg": "a file"}


def look_at_paths(task: Task, result: Result) -> Generator[ModuleCall, Outcome, None]:
    """Record in a result what is at the paths of a task, or compare it with what is recorded if the task is a check."""
    looks = is_dry_run_check(task)
    if not task.paths or task.check or not result.success:
        return
    found: dict[str, Any] = {}
    for path in task.paths:
        outcome = yield _stat(task, path)
        if outcome.ok:
            found[str(path)] = _state(task, outcome.result.get("stat") or {})
        elif looks:
            result.unseen.append(f"{path} ({outcome.error})")
    if not looks:
        result.attributes[WRITTEN] = found
        return
    known = [(path, recorded, found[path]) for path in found if (recorded := task.left(path)) is not None]
    if known and result.basis is Basis.NOT_RUN:
        result.basis, result.error = Basis.REAL, None
    differing = [f"{path} ({_differences(before, now)})" for path, before, now in known if before != now]
    if differing and result.basis is not Basis.NOT_RUN:
        result.modified, result.status = False, Status.DRIFTED
        text = f"not as it was left: {', '.join(differing)}"
        result.error = f"{result.error}; {text}" if result.error else text


def follow_links(task: Task) -> Generator[ModuleCall | Note, Any, None]:
    """Note where the paths lead that tasks of a play write: a folder above one may be a link."""
    known: Mapping[str, str] = task.made.get(LEADS, {})
    leads = {}
    for path in dict.fromkeys((*task.followed, *known)):
        seen = yield from look_at(_look(task, task.host), path, deep=False)
        if seen is not None and seen.real not in ("", path):
            leads[path] = seen.real
    if leads != known:
        yield Note({**task.made, LEADS: leads})


def _stat(task: Task, path: WrittenPath) -> ModuleCall:
    host = task.host
    if path.host:
        host = Host() if path.host in CONTROLLER else Host(path.host)
    args = {"path": path.path, "checksum_algorithm": "sha256", "get_mime": False, "get_attributes": False}
    args["get_checksum"] = not path.bare
    return replace(_look(task, host), args=args)


def _look(task: Task, host: Host) -> ModuleCall:
    keywords = {name: value for name in (*_CONNECTING, "delegate_to") if (value := task.setting(name)) is not None}
    return ModuleCall(_STAT, {}, host, keywords, timeout=task.timeout, base=str(task.base))


def _state(task: Task, stat: Mapping[str, Any]) -> dict[str, Any]:
    """What is recorded of a path."""
    if not stat.get("exists"):
        return {"kind": "nothing"}
    kind = next((words for name, words in _KINDS.items() if stat.get(name)), "something else")
    state = {"kind": kind, **{name: stat[key] for name, key in _STAT_KEYS.items() if stat.get(key)}}
    return {**state, "digest": task.digest(stat["checksum"])} if stat.get("checksum") else state


def _differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """In what two records of a path differ."""
    if before.get("kind") != now.get("kind"):
        return f"{before.get('kind')} -> {now.get('kind')}"
    names = [name for name in (*_STAT_KEYS, "digest") if before.get(name) != now.get(name)]
    return ", ".join(
        "its content" if name == "digest" else f"{name} {before.get(name)} -> {now.get(name)}" for name in names
    )
