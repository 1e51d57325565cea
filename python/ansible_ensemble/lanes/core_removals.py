"""Tasks that take away what others made: each thing that one is about is known by a key, and left where it must stay.

Ansible renders a task's arguments for each host and item before it gets the plugin that runs it. So that is where the
key is made, in whatever process it runs.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from ansible_ensemble.core.orders import REMOVING, Removing
from ansible_ensemble.core.sensitive import is_secret_name
from ansible_ensemble.lanes import core

#: Characters of a key, and how often a secret in it is digested.
_DIGITS, _ROUNDS = 16, 100_000


class Removals:
    """What the tasks of one play come to that take something away; the process is a private, forked one."""

    def __init__(self, order: Removing) -> None:
        self._known, self._subjects = frozenset(order.known), order.subjects
        self._only = None if order.only is None else frozenset(order.only)
        self._within = False
        self._told = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process; workers write it, too

    def install(self) -> None:
        """Have this process, and its forks, run such tasks by the order."""
        from ansible.plugins.loader import action_loader

        get = action_loader.get

        def got(name: str, *args: Any, **kwargs: Any) -> Any:
            plugin = get(name, *args, **kwargs)
            task = getattr(plugin, "_task", None)  # none of a class
            if task is not None and self._only is None:
                task.check_mode = True  # whatever it says itself: this is a look
            if task is not None and str(task.name).startswith(REMOVING):
                plugin.run = self._running(plugin, plugin.run)
            return plugin

        action_loader.get = got

    def found(self) -> list[dict[str, Any]]:
        """What became of each thing, in the order in which the tasks ended."""
        self._told.seek(0)
        found = []
        for line in self._told:
            with suppress(ValueError):  # a worker was killed while it wrote this
                found.append(json.loads(line))
        return found

    def _running(self, plugin: Any, run: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
        def running(*args: Any, task_vars: Mapping[str, Any], **kwargs: Any) -> dict[str, Any]:
            if self._within:  # a plugin that has another one do its work
                return run(*args, task_vars=task_vars, **kwargs)
            key = self._key(plugin, task_vars)
            if key in self._known:
                return {"changed": False, "skipped": True, "skip_reason": "it was looked at before"}
            if self._only is not None and key not in self._only:
                self._tell(plugin, key, left=True)
                return {"changed": False, "skipped": True, "skip_reason": "it stays"}
            self._within, result = True, {"failed": True}
            try:
                result = run(*args, task_vars=task_vars, **kwargs)
            finally:
                self._within = False
                unseen = bool(result.get("failed") or result.get("skipped"))
                self._tell(plugin, key, changed=bool(result.get("changed")), unseen=unseen)
            return result

        return running

    def _tell(self, plugin: Any, key: str, **flags: bool) -> None:
        told = {"name": str(plugin._task.name), "key": key, **{name: True for name, flag in flags.items() if flag}}
        os.write(self._told.fileno(), json.dumps(told).encode() + b"\n")

    def _key(self, plugin: Any, variables: Mapping[str, Any]) -> str:
        task = plugin._task
        module = _full_name(str(task.resolved_action or task.action))
        args = {str(name): value for name, value in core.jsonable(task.args).items()}
        subjects = ("removes",) if args.get("removes") else self._subjects.get(module, tuple(args))
        about = {name: args[name] for name in sorted(args.keys() & set(subjects))}
        host = str(task.delegate_to or variables.get("inventory_hostname", ""))
        whom = task.become_user or "root" if task.become else plugin._play_context.remote_user
        place = [host, module, str(whom)]
        if any(str(value).startswith(("~", "$")) for value in about.values()):
            place.append(json.dumps(core.jsonable(task.environment), sort_keys=True, default=str))
        hidden = {name: value for name, value in about.items() if task.no_log or is_secret_name(name)}
        return _digest(place, {name: value for name, value in about.items() if name not in hidden}, hidden)


def _digest(place: list[str], shown: Mapping[str, Any], hidden: Mapping[str, Any]) -> str:
    """A digest of a thing, from which what is hidden is not guessed soon."""
    thing = json.dumps([place, shown], sort_keys=True, default=str).encode()
    if not hidden:
        return hashlib.sha256(thing).hexdigest()[:_DIGITS]
    secret = json.dumps(hidden, sort_keys=True, default=str).encode()
    return hashlib.pbkdf2_hmac("sha256", secret, thing, _ROUNDS).hex()[:_DIGITS]


def _full_name(module: str) -> str:
    """The name by which the order knows a module."""
    short = module.removeprefix("ansible.legacy.")
    return short if "." in short else f"ansible.builtin.{short}"
