"""What Ansible reads while it runs an order: variables, facts and groups in its templates, files, and by lookups.

Templates get each variable through the context of Jinja that Ansible gives them, and each part of one through its
environment, so a name that is computed, or stands in a file that is included, is known as well. A worker of a play, a
process of its own, hands over what it noted by a file. What another core has otherwise is not noted.
"""

from __future__ import annotations

import functools
import json
import os
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict

from ansible_ensemble.core.orders import LookedUp, ModuleCall, fact_value
from ansible_ensemble.lanes import core

if TYPE_CHECKING:
    from ansible_ensemble.lanes.session import AnsibleSession

#: Folders of variables that belong to hosts and groups, whose values are compared by their names.
_OF_INVENTORY = frozenset({"group_vars", "host_vars"})
#: Lookups whose value rests on what they are given, and on files and variables, which are noted by themselves.
_INSIDE = frozenset(
    {
        *("config", "csvfile", "dict", "file", "first_found", "flattened", "indexed_items", "ini", "items", "list"),
        *("nested", "sequence", "subelements", "template", "together", "unvault"),
    }
)
_FACTS, _GROUPS, _VARS, _PREFIX = "ansible_facts", "groups", "vars", "ansible_"
#: The method by which a part of a map is read that may not be there.
_GET = "get"


class LookUps:
    """What is read in this process since `begin`; it must be a private, forked one.

    Attributes:
        by_task: names of the variables that tasks read, on any host, by their identities.
    """

    def __init__(self) -> None:
        self._process = os.getpid()
        self._host, self._paused = "", False
        self._task: set[str] = set()
        self._handed = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process
        self._is_hidden: Callable[[], bool] = bool
        self.begin()
        for install in (
            self._note_variables,
            self._note_hosts,
            self._note_files,
            self._note_lookups,
            self._pass_over,
            self._note_tasks,
        ):
            with suppress(ImportError, AttributeError):  # another core has it elsewhere
                install()

    def begin(self, given: Iterable[str] = ()) -> None:
        """Forget what was read; the names that are given with the order are not variables of the inventory."""
        self.by_task: dict[str, set[str]] = {}
        self._process, self._given = os.getpid(), frozenset(given)
        self._handed.seek(0)
        self._handed.truncate()
        self._forget()

    def _forget(self) -> None:
        self._found = LookedUp()
        self._names: dict[str, dict[str, None]] = {}
        self._facts: dict[str, dict[str, None]] = {}
        self._roots: dict[int, tuple[str, Any, str]] = {}

    def left(self, session: AnsibleSession, host: str | None) -> LookedUp:
        """What was read, but for Ansible's own variables, and those that were given or made by the order itself.

        Args:
            session: of the order.
            host: of the order; None for a play with an inventory of its own, whose variables are not those of the job.
        """
        self._handed.seek(0)
        for line in self._handed:
            with suppress(ValueError):  # a worker was killed while it wrote this
                self._absorb(json.loads(line))
        self._count_whole()
        found = self._found
        if host is None:
            return found
        for one in {**self._names, **self._facts}:
            of = one or host
            names = self._variables(session, of, self._names.get(one, {}))
            if of == host:
                found.variables = sorted({*found.variables, *names})
            else:
                found.hosts[of] = sorted({*found.hosts.get(of, ()), *names})
        return found

    def _variables(self, session: AnsibleSession, host: str, names: Collection[str]) -> set[str]:
        """Those of the names that are variables; the facts among them go to the facts."""
        from ansible.constants import INTERNAL_STATIC_VARS

        known = _facts_of(session, host)
        old_names = {name: name.removeprefix(_PREFIX) for name in names if name.startswith(_PREFIX)}
        wanted = dict.fromkeys((*self._facts.get(host, ()), *self._facts.get("", ()), *old_names.values()))
        facts = {name: fact_value(core.jsonable(known[name])) for name in wanted if name in known}
        if facts:
            self._found.facts.setdefault(host, {}).update(facts)
        made = session.variable_manager._nonpersistent_fact_cache.get(host, {})
        own = (INTERNAL_STATIC_VARS - {_GROUPS, "group_names"}) | {n for n, fact in old_names.items() if fact in known}
        own |= made.keys() | self._given
        return {name for name in names if name not in own}

    def _count_whole(self) -> None:
        """Count groups as a whole where a template did more with them than to ask for one of them."""
        for root, _value, host in self._roots.values():
            if root == _GROUPS:
                self._names.setdefault(host, {})[_GROUPS] = None

    def _hand_over(self) -> None:
        """Leave what a worker noted to the process that it is a fork of."""
        self._count_whole()
        by_task = {task: [*names] for task, names in self.by_task.items()}
        told = {"names": self._names, "facts": self._facts, "found": asdict(self._found), "tasks": by_task}
        os.write(self._handed.fileno(), json.dumps(told, default=str).encode() + b"\n")

    def _absorb(self, told: dict[str, Any]) -> None:
        for noted, more in ((self._names, told["names"]), (self._facts, told["facts"])):
            for host, names in more.items():
                noted.setdefault(host, {}).update(names)
        for task, names in told["tasks"].items():
            self.by_task.setdefault(task, set()).update(names)
        for field, more in told["found"].items():
            mine = getattr(self._found, field)
            if isinstance(mine, list):
                mine += [one for one in more if one not in mine]
            else:
                for host, names in more.items():
                    mine[host] = [*dict.fromkeys((*mine.get(host, ()), *names))]

    # -- what is patched

    def _note_variables(self) -> None:
        from ansible._internal._templating._jinja_bits import AnsibleContext, AnsibleEnvironment

        look_up = AnsibleContext.resolve_or_missing
        looks = self

        def noted(context: Any, key: str) -> Any:
            value = look_up(context, key)
            if key not in context.environment.globals and not looks._paused:
                if key in (_FACTS, _GROUPS, _VARS):
                    looks._roots[id(value)] = (key, value, looks._host)
                else:
                    looks._name(key)
            return value

        AnsibleContext.resolve_or_missing = noted
        for name in ("getattr", "getitem"):
            setattr(AnsibleEnvironment, name, self._noting_parts(getattr(AnsibleEnvironment, name)))

    def _noting_parts(self, get: Callable[[Any, Any, Any], Any]) -> Callable[[Any, Any, Any], Any]:
        @functools.wraps(get)
        def noted(environment: Any, owner: Any, key: Any) -> Any:
            root = self._roots.get(id(owner)) if self._roots and isinstance(key, str) else None
            if root is None or not isinstance(owner, Mapping):
                return get(environment, owner, key)
            if key != _GET:
                self._part(root[0], owner, key)
                return get(environment, owner, key)

            def part(name: str, default: Any = None) -> Any:
                self._part(root[0], owner, name)
                return owner.get(name, default)

            return part

        return noted

    def _part(self, root: str, owner: Any, key: str) -> None:
        """Note a part of a map that is not to count as a whole."""
        if root == _VARS:
            self._name(key)
        elif root == _FACTS:
            self._facts.setdefault(self._host, {})[key.removeprefix(_PREFIX)] = None
        elif key in owner:
            self._group(key)
            self._roots.pop(id(owner), None)

    def _name(self, name: str, *, own: bool = True) -> None:
        self._task.add(name)
        if own:
            self._names.setdefault(self._host, {})[name] = None
        if self._is_hidden() and name not in self._found.hidden:
            self._found.hidden.append(name)

    def _group(self, pattern: str) -> None:
        if pattern not in self._found.groups:
            self._found.groups.append(pattern)

    def _note_hosts(self) -> None:
        from ansible.vars.hostvars import HostVarsVars

        stock = HostVarsVars.__getitem__

        def get(variables: Any, key: str) -> Any:
            if not self._paused:
                self._name(key, own=False)
                names = self._found.hosts.setdefault(str(variables._host), [])
                if key not in names:
                    names.append(key)
            return stock(variables, key)

        HostVarsVars.__getitem__ = get

    def _note_files(self) -> None:
        from ansible.parsing.dataloader import DataLoader
        from jinja2 import FileSystemLoader

        find = DataLoader.path_dwim_relative_stack

        @functools.wraps(find)
        def found(*args: Any, **kwargs: Any) -> Any:
            path = find(*args, **kwargs)
            if path:
                self._file(path)
            return path

        DataLoader.path_dwim_relative_stack = found
        for name in ("load_from_file", "get_text_file_contents"):
            setattr(DataLoader, name, self._noting_file(getattr(DataLoader, name)))
        source = FileSystemLoader.get_source

        def get_source(loader: Any, environment: Any, template: str) -> Any:
            got = source(loader, environment, template)
            if got[1]:
                self._file(got[1])
            return got

        FileSystemLoader.get_source = get_source  # type: ignore[method-assign,assignment]

    def _noting_file(self, read: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(read)
        def noted(loader: Any, file_name: str, *args: Any, **kwargs: Any) -> Any:
            path = loader.path_dwim(file_name)
            if not _OF_INVENTORY.intersection(PurePath(path).parts):
                self._file(path, loaded=True)
            return read(loader, file_name, *args, **kwargs)

        return noted

    def _file(self, path: Any, *, loaded: bool = False) -> None:
        from ansible.constants import DEFAULT_LOCAL_TMP

        text = path.decode(errors="surrogateescape") if isinstance(path, bytes) else str(path)
        files = self._found.loaded if loaded else self._found.files
        if not self._paused and text not in files and not text.startswith(str(DEFAULT_LOCAL_TMP)):
            files.append(text)

    def _note_lookups(self) -> None:
        from ansible.plugins.loader import lookup_loader

        stock = lookup_loader.get

        @functools.wraps(stock)
        def get(name: str, *args: Any, **kwargs: Any) -> Any:
            plugin = stock(name, *args, **kwargs)
            if plugin is not None:
                plugin.run = self._noting_run(name, plugin.run)
            return plugin

        lookup_loader.get = get

    def _noting_run(self, name: str, run: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(run)
        def noted(terms: Any, *args: Any, **kwargs: Any) -> Any:
            value = run(terms, *args, **kwargs)
            if not self._paused:
                self._lookup(name.removeprefix("ansible.builtin."), terms, value)
            return value

        return noted

    def _lookup(self, name: str, terms: Any, value: Any) -> None:
        texts = [str(term) for term in terms] if isinstance(terms, (list, tuple)) else []
        if name == "env":
            self._found.environ += [text for text in texts if text not in self._found.environ]
        elif name == "vars":
            for text in texts:
                self._name(text)
        elif name == "inventory_hostnames":
            self._group(":".join(texts))
        elif name == "fileglob":
            self._found.files += [str(PurePath(str(path)).parent) for path in value]
        elif name not in _INSIDE and name not in self._found.outside:
            self._found.outside.append(name)

    def _pass_over(self) -> None:
        """Take no note of what a connection needs: a new password does not mean to configure anew what it leads to."""
        from ansible.executor.task_executor import TaskExecutor

        for name in ("_get_connection", "_set_connection_options", "_set_become_plugin"):
            setattr(TaskExecutor, name, self._unnoted(getattr(TaskExecutor, name)))

    def _note_tasks(self) -> None:
        """Know which host's task looks something up, and whether what it does is not to be shown."""
        from ansible._internal._task import TaskContext
        from ansible.executor.task_executor import TaskExecutor

        def is_hidden() -> bool:
            context = TaskContext.current(optional=True)
            return context is not None and context.task.no_log not in (None, False)

        self._is_hidden = is_hidden
        stock, looks = TaskExecutor.run, self

        @functools.wraps(stock)
        def run(executor: Any) -> Any:
            forked = os.getpid() != looks._process
            if forked:
                looks._forget()
                looks.by_task = {}
            before, looks._host = looks._host, str(getattr(getattr(executor, "_host", None), "name", ""))
            looks._task = looks.by_task.setdefault(getattr(getattr(executor, "_task", None), "_uuid", ""), set())
            try:
                return stock(executor)
            finally:
                looks._host = before
                if forked:
                    looks._hand_over()

        TaskExecutor.run = run

    def _unnoted(self, run: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(run)
        def quiet(*args: Any, **kwargs: Any) -> Any:
            with self._pause():
                return run(*args, **kwargs)

        return quiet

    @contextmanager
    def _pause(self) -> Iterator[None]:
        before, self._paused = self._paused, True
        try:
            yield
        finally:
            self._paused = before


def _facts_of(session: AnsibleSession, host: str) -> dict[str, Any]:
    """The facts of a host, from its last gathering, by their names in `ansible_facts`."""
    with suppress(KeyError, AttributeError):  # none was gathered, or another core keeps them elsewhere
        cache = session.variable_manager._fact_cache
        return {str(name).removeprefix(_PREFIX): value for name, value in dict(cache.get(host) or {}).items()}
    return {}


def given_names(call: ModuleCall) -> Iterable[str]:
    """The variables that a call has of its own."""
    return call.keywords.get("vars") or ()
