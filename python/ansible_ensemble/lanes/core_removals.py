"""Tasks that take away what others made: each thing that one is about is known by a key, and left where it must stay.

Ansible renders a task's arguments for each host and item before it gets the plugin that runs it. So that is where the
key is made, in whatever process it runs. One that fails keeps none of those after it from what they take away.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from posixpath import dirname, normpath
from typing import Any

from ansible.module_utils.parsing.convert_bool import boolean

from ansible_ensemble.configurators.looks import can_look_at
from ansible_ensemble.configurators.made_files import FILE
from ansible_ensemble.configurators.teardown import PACKAGES, PATHS, VALUES, full_name, path_of
from ansible_ensemble.core.orders import REMOVING, Removing
from ansible_ensemble.core.sensitive import is_secret_name
from ansible_ensemble.core.thing_keys import ANYWHERE, is_nowhere, key_of, thing_of
from ansible_ensemble.lanes import core
from ansible_ensemble.lanes.core_places import Place, place_of

#: Collections whose modules act on the machine that they run on.
_OF_MACHINES = frozenset({"ansible.builtin", "ansible.posix", "ansible.windows", "community.windows"})
_DOCKER = "community.docker"  #: acts on the machine, but for another `docker_host`
#: Characters of a key, and how often a secret in it is digested.
_DIGITS, _ROUNDS = 16, 100_000


class Removals:
    """What the tasks of one play come to that take something away; the process is a private, forked one.

    Attributes:
        going_on: which tasks, by their identities, do not end the play if they fail.
    """

    def __init__(self, order: Removing) -> None:
        self._known, self._subjects = frozenset(order.known), order.subjects
        self._only = None if order.only is None else frozenset(order.only)
        self._things = {thing_of(key) for key in order.only or ()}
        self._within = False
        self._led: dict[tuple[str, ...], Place | None] = {}
        self._told = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process; workers write it, too
        self.going_on: set[str] = set()

    def install(self) -> None:
        """Have this process, and its forks, run such tasks by the order."""
        from ansible.playbook.task import Task
        from ansible.plugins.loader import action_loader

        get, load = action_loader.get, Task.load

        def got(name: str, *args: Any, **kwargs: Any) -> Any:
            plugin = get(name, *args, **kwargs)
            task = getattr(plugin, "_task", None)  # none of a class
            if task is not None and self._only is None:
                task.check_mode = True  # whatever it says itself: this is a look
            if task is not None and str(task.name).startswith(REMOVING):
                plugin.run = self._running(plugin, plugin.run)
            return plugin

        def loaded(*args: Any, **kwargs: Any) -> Any:
            task = load(*args, **kwargs)
            is_ours = self._only is not None and str(task.name).startswith(REMOVING)
            if is_ours and not task.ignore_errors and not _is_rescued(task):
                task.ignore_errors = True
                self.going_on.add(task._uuid)
            return task

        action_loader.get, Task.load = got, staticmethod(loaded)

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
            about = self._about(plugin)
            key = thing = self._thing(plugin, task_vars, about)
            if self._only is None or thing in self._things:
                key = self._key(plugin, task_vars, thing, about)
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
                unseen = is_nowhere(key) or bool(result.get("failed") or result.get("skipped"))
                self._tell(plugin, key, changed=bool(result.get("changed")), unseen=unseen)
            return result

        return running

    def _tell(self, plugin: Any, key: str, **flags: bool) -> None:
        told = {"name": str(plugin._task.name), "key": key, **{name: True for name, flag in flags.items() if flag}}
        os.write(self._told.fileno(), json.dumps(told).encode() + b"\n")

    def _about(self, plugin: Any) -> dict[str, Any]:
        """The arguments that say which thing a task is about."""
        args = {str(name): value for name, value in core.jsonable(plugin._task.args).items()}
        subjects = ("removes",) if args.get("removes") else self._subjects.get(_module(plugin), tuple(args))
        about = {name: args[name] for name in sorted(args.keys() & set(subjects))}
        if boolean(args.get("exclusive", True), strict=False):
            return about
        # an option may have several values, each of which is a thing
        return {**about, **{name: args[name] for name in VALUES if name in args}}

    def _thing(self, plugin: Any, variables: Mapping[str, Any], about: Mapping[str, Any]) -> str:
        task = plugin._task
        place = [_host(plugin, variables), _module(plugin), _whom(plugin)]
        if any(str(value).startswith(("~", "$")) for value in about.values()):
            place.append(json.dumps(core.jsonable(task.environment), sort_keys=True, default=str))
        hidden = {name: value for name, value in about.items() if _is_hidden(task, name)}
        return _digest(place, {name: value for name, value in about.items() if name not in hidden}, hidden)

    def _key(self, plugin: Any, variables: Mapping[str, Any], thing: str, about: Mapping[str, Any]) -> str:
        """The key of a thing at the place where it is now."""
        module = _module(plugin)
        written = {name: str(about[name]) for name in (*PATHS, path_of(module, about)) if about.get(name)}
        if not all(map(can_look_at, written.values())):
            return key_of(thing, "", "")  # only the module knows what such a path means
        paths = {name: normpath(path) for name, path in written.items() if path.startswith(("/", "~"))}
        if not paths and plugin._connection.transport == "local" and not _is_of_machine(module, plugin._task.args):
            return key_of(thing, ANYWHERE, "")  # what an API has is the same from everywhere
        of_link = module == FILE and not boolean(plugin._task.args.get("follow", True), strict=False)
        looked = {name: dirname(path) if of_link else path for name, path in paths.items()}
        asked = tuple(looked.values())
        whose = (_host(plugin, variables), _whom(plugin), *asked)
        # nothing changes while it is looked
        place = self._led[whose] if self._only is None and whose in self._led else place_of(plugin, asked)
        self._led[whose] = place
        if place is None:
            return key_of(thing, "", "")
        led = dict(zip(looked, place.paths, strict=True))
        hidden = {name: path for name, path in led.items() if _is_hidden(plugin._task, name)}
        shown = {name: path for name, path in led.items() if name not in hidden}
        return key_of(thing, _digest([place.machine], {}, {}), _digest([], shown, hidden) if led else "")


def _is_rescued(task: Any) -> bool:
    """Whether a block around a task has a `rescue` for what fails."""
    above = task._parent
    while above is not None:
        if getattr(above, "rescue", None):
            return True
        above = getattr(above, "_parent", None)
    return False


def _module(plugin: Any) -> str:
    """The full name of a task's module, by which the order knows it."""
    return full_name(str(plugin._task.resolved_action or plugin._task.action).removeprefix("ansible.legacy."))


def _is_of_machine(module: str, args: Mapping[str, Any]) -> bool:
    """Whether a module acts on the machine that it runs on, not on something that an API has."""
    collection = module.rpartition(".")[0]
    return module in PACKAGES or collection in _OF_MACHINES or (collection == _DOCKER and not args.get("docker_host"))


def _host(plugin: Any, variables: Mapping[str, Any]) -> str:
    return str(plugin._task.delegate_to or variables.get("inventory_hostname", ""))


def _whom(plugin: Any) -> str:
    """The user as whom a task runs."""
    task = plugin._task
    return str(task.become_user or "root" if task.become else plugin._play_context.remote_user)


def _is_hidden(task: Any, name: str) -> bool:
    return bool(task.no_log) or is_secret_name(name)


def _digest(place: list[str], shown: Mapping[str, Any], hidden: Mapping[str, Any]) -> str:
    """A digest of a thing, from which what is hidden is not guessed soon."""
    thing = json.dumps([place, shown], sort_keys=True, default=str).encode()
    if not hidden:
        return hashlib.sha256(thing).hexdigest()[:_DIGITS]
    secret = json.dumps(hidden, sort_keys=True, default=str).encode()
    return hashlib.pbkdf2_hmac("sha256", secret, thing, _ROUNDS).hex()[:_DIGITS]
