"""What a session knows around its orders, as bytes: for a process elsewhere that carries orders out in its place.

These are hosts and groups of the inventory, variables and keywords of the play, and what the command line says of
connections; and for each order the variables of the hosts that it needs. What a vault has encrypted is in it decrypted.
Variables are merged here, as the folders they come from may not be there.
"""

from __future__ import annotations

import base64
import os
import tempfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from msgspec import Struct, msgpack
from msgspec.structs import asdict

from ansible_ensemble.core.orders import ModuleCall, Play
from ansible_ensemble.core.regex import regex
from ansible_ensemble.lanes import core
from ansible_ensemble.lanes.expressions import trusted
from ansible_ensemble.lanes.named_hosts import LOCALHOST, Files, NamedHosts

if TYPE_CHECKING:
    from ansible_ensemble.lanes.session import AnsibleSession

#: Variables that a process has of its own: about where it runs, about the run, and what is made of other things here.
_OWN = frozenset(
    {"groups", "group_names", "hostvars", "inventory_hostname", "inventory_hostname_short", "omit", "playbook_dir"}
    | {"environment", "vars"}
    | {f"ansible_{name}" for name in ("config_file", "facts", "playbook_python", "version")}
    | {f"ansible_{name}" for name in ("check_mode", "diff_mode", "forks", "inventory_sources", "limit", "run_tags")}
    | {"ansible_skip_tags", "ansible_verbosity"}
)
#: Variables of the implicit localhost that say how this machine is reached, and with which Python.
_IMPLICIT = ("ansible_connection", "ansible_python_interpreter")
#: Keywords of a play that hold for its tasks.
_KEYWORDS = (
    *("become", "become_exe", "become_flags", "become_method", "become_user", "connection", "environment"),
    *("ignore_unreachable", "module_defaults", "port", "remote_user", "timeout"),
)
#: What the command line says of connections.
_OPTIONS = (
    *("become", "become_method", "become_user", "connection", "forks", "private_key_file", "remote_user"),
    *("scp_extra_args", "sftp_extra_args", "ssh_common_args", "ssh_extra_args", "timeout", "verbosity"),
)
#: Settings of a process that is one of many, and leaves nothing behind: its variables are there, its facts end with it.
_SETTINGS = {"ANSIBLE_VARS_ENABLED": "", "ANSIBLE_CACHE_PLUGIN": "memory", "ANSIBLE_LOG_PATH": os.devnull}
#: The kind of a text that Ansible takes for a template.
_TEMPLATE = 1

#: Variables that are options of the job, and others with each job.
_OF_JOBS = regex(r"ensemble(_\w+)?")

#: How many hosts, and sets of them, are remembered.
_REMEMBERED = 1000

Move = Callable[[str], str]


class _Common(Struct):
    """What is around all orders.

    Attributes:
        settings: path of the `ansible.cfg` that holds, in the folder of the project.
        hosts: names of the hosts; groups: by group, its hosts, and the groups in it.
        made: names of members of groups that the inventory does not have.
        extra: variables of the job; options: those of the command line.
        keywords, variables: of the play.
        secrets: texts in all this that are to be masked.
    """

    settings: str | None
    hosts: list[str]
    groups: dict[str, tuple[list[str], list[str]]]
    made: dict[str, list[str]]
    extra: dict[str, Any]
    options: dict[str, Any]
    passwords: dict[str, Any]
    keywords: dict[str, Any]
    variables: dict[str, Any]
    secrets: list[str]


class _Host(Struct):
    """What is known of a host: its variables, its facts where they are kept, what tasks before registered or set."""

    variables: dict[str, Any]
    facts: dict[str, Any]
    kept: dict[str, Any]


class Surroundings:
    """What a session knows around its orders, for processes elsewhere that carry them out.

    Args:
        session: whose it is.
        root: the project's folder, which is there, too.
        base: the folder of a playbook, whose `group_vars` and `host_vars` hold in place of those of the session.
    """

    def __init__(self, session: AnsibleSession, root: Path, base: Path | None = None) -> None:
        self._session = session
        self._base = base
        self._common = self._around(root)
        self._host = lru_cache(_REMEMBERED)(self._read_host)
        self._packed = lru_cache(_REMEMBERED)(self._pack)
        said = _texts([self._common.extra, self._common.variables, self._common.keywords])
        self._named = NamedHosts(
            session.inventory, self._common.made, said, lambda name: _texts(asdict(self._host(name)))
        )

    @property
    def common(self) -> bytes:
        """What is around all orders; the variables of no host are in it."""
        return zlib.compress(msgpack.encode(asdict(self._common)))

    def hosts(self, order: ModuleCall | Play, root: Path, files: Files) -> str:
        """The variables of the hosts that an order needs, by what it consists of among files in a folder."""
        return self._packed(tuple(self._named.of(order, root, files)))

    def _pack(self, names: tuple[str, ...]) -> str:
        hosts = {name: asdict(self._host(name)) for name in names}
        data = {"hosts": hosts, "secrets": core.secrets_in(_texts(hosts))}
        return base64.b64encode(zlib.compress(msgpack.encode(data))).decode()

    def _around(self, root: Path) -> _Common:
        from ansible import constants, context

        session, inventory = self._session, self._session.inventory
        settings, extra, groups = constants.CONFIG_FILE, session.variable_manager.extra_vars, inventory.groups.values()
        is_inside = settings is not None and Path(settings).is_relative_to(root)
        made = _Common(
            settings=str(Path(settings).relative_to(root)) if is_inside else None,
            hosts=_names(inventory.hosts.values()),
            groups={_plain(one.name): (_names(one.hosts), _names(one.child_groups)) for one in groups},
            made={name: list(members) for name, members in session.groups.items()},
            extra={name: _packable(value) for name, value in extra.items() if not _OF_JOBS.fullmatch(name)},
            options={name: _packable(context.CLIARGS[name]) for name in _OPTIONS if name in context.CLIARGS},
            passwords=_packable(session.passwords),
            keywords=_keywords(session.play),
            variables=_packable(session.play.get_vars()),
            secrets=[],
        )
        made.secrets = core.secrets_in(_texts(asdict(made)))
        return made

    def _read_host(self, name: str) -> _Host:
        manager = self._session.variable_manager
        before = manager._loader
        if self._base is not None:
            self._session.settle(self._base)
        try:
            variables = _variables(manager, self._session.inventory.get_host(name))
        finally:
            manager._loader = before
        if name == LOCALHOST and name not in self._session.inventory.hosts:
            variables = {key: value for key, value in variables.items() if key not in _IMPLICIT}
        return _Host(variables, _facts(manager, name), _packable(_kept(manager, name)))


def session_in(data: bytes, base: Path, move: Move) -> AnsibleSession:
    """A session with what was around orders elsewhere; this process must not have imported Ansible before.

    Args:
        data: as `Surroundings.common`.
        base: the folder of the project.
        move: has a text lead into that folder that is a path in the project's.
    """
    unpacked = msgpack.decode(zlib.decompress(data))
    os.environ.update(_SETTINGS)
    if unpacked["settings"] is not None:
        os.environ["ANSIBLE_CONFIG"] = str(base / unpacked["settings"])
    from ansible import constants, context
    from ansible.playbook.play import Play as AnsiblePlay
    from ansible.playbook.play_context import PlayContext
    from ansible.utils.context_objects import CLIArgs

    from ansible_ensemble.lanes.session import standalone_session

    made = _Common(**_unpacked(unpacked, move))
    context.CLIARGS = CLIArgs({"forks": constants.DEFAULT_FORKS, **made.options})
    session = standalone_session(base=base, extra_variables=made.extra)
    core.register_secrets(made.secrets)
    _fill(session.inventory, made)
    play = {"name": "operations", "hosts": "localhost", "gather_facts": False, **made.keywords, "vars": made.variables}
    session.play = AnsiblePlay.load(play, variable_manager=session.variable_manager, loader=session.loader)
    session.play_context = PlayContext(session.play, passwords=made.passwords)
    session.groups = made.made
    session.brought = _Brought(session, move, {*made.hosts, LOCALHOST})
    return session


class _Brought:
    """The hosts of a session elsewhere: it has the variables of those that its order brought, and refuses others.

    Args:
        session: the session.
        move: see `session_in`.
        hosts: names of all hosts.
    """

    def __init__(self, session: AnsibleSession, move: Move, hosts: set[str]) -> None:
        self._session = session
        self._move = move
        self._hosts = hosts
        self._brought = frozenset[str]()
        self._before: dict[str, dict[str, Any]] = {}
        self._data = ""
        self._refused: IO[str] | None = None
        manager = session.variable_manager
        self._get_vars = manager.get_vars
        manager.get_vars = self._get_known

    def learn(self, data: str) -> None:
        """Have the variables of the hosts of an order, as `Surroundings.hosts` gives them, and of no others."""
        # a file, for processes of the order refuse, too; and of this process alone
        self._refused = tempfile.TemporaryFile("w+")  # noqa: SIM115
        if data == self._data:
            return
        unpacked = _unpacked(msgpack.decode(zlib.decompress(base64.b64decode(data))), self._move)
        core.register_secrets(unpacked["secrets"])
        for name, known in unpacked["hosts"].items():
            self._have(name, _Host(**known))
        self._brought = frozenset(unpacked["hosts"])
        self._data = data

    def refused(self) -> str | None:
        """What the order has read of other hosts; templates may have taken it for undefined."""
        if self._refused is None:
            return None
        self._refused.seek(0)
        return self._refused.readline().strip() or None

    def _have(self, name: str, known: _Host) -> None:
        manager, host = self._session.variable_manager, self._session.inventory.get_host(name)
        host.vars = {**self._before.setdefault(name, host.vars), **known.variables}
        manager.clear_facts(name)
        if known.facts:
            manager.set_host_facts(name, known.facts)
        manager._nonpersistent_fact_cache.pop(name, None)
        if known.kept:
            manager.set_nonpersistent_facts(name, known.kept)

    def _get_known(self, play: Any = None, host: Any = None, *more: Any, **named: Any) -> Any:
        from ansible.errors import AnsibleError

        if host is not None and host.name in self._hosts and host.name not in self._brought:
            problem = (
                f"the variables of {host.name} are not on this node, which has those of hosts that the operation "
                "is for or names; name the host or its group in the operation, or place it on local"
            )
            if self._refused is not None:
                self._refused.write(f"{problem}\n")
                self._refused.flush()
            raise AnsibleError(problem)
        return self._get_vars(play, host, *more, **named)


def _variables(manager: Any, host: Any) -> dict[str, Any]:
    """The variables of a host, but for those that the job gives, that are facts, or that a run has of its own."""
    found = manager.get_vars(host=host, include_hostvars=False)
    facts = (f"ansible_{name.removeprefix('ansible_')}" for name in _facts(manager, host.name))
    left_out = _OWN.union(manager.extra_vars, _kept(manager, host.name), facts)
    return {name: _packable(value) for name, value in found.items() if name not in left_out}


def _kept(manager: Any, host: str) -> dict[str, Any]:
    """What tasks before have registered or set for a host."""
    caches = (manager._nonpersistent_fact_cache, manager._vars_cache)
    return {name: value for cache in caches for name, value in cache.get(host, {}).items()}


def _facts(manager: Any, host: str) -> dict[str, Any]:
    try:
        facts: dict[str, Any] = _packable(manager._fact_cache.get(host))
    except KeyError:
        return {}
    return facts


def _keywords(play: Any) -> dict[str, Any]:
    """The keywords of a play as they are written, those that it has."""
    from ansible.utils.sentinel import Sentinel

    found = {name: getattr(play, f"_{name}", None) for name in _KEYWORDS}
    return {name: _packable(value) for name, value in found.items() if value is not Sentinel and value is not None}


def _names(members: Iterable[Any]) -> list[str]:
    return [_plain(one.name) for one in members]


def _plain(name: str) -> str:
    return str(core.jsonable(name))


def _packable(value: Any) -> Any:
    """A value as plain data, decrypted, in which templates are told from other texts."""
    from ansible.template import is_trusted_as_template

    if isinstance(value, Mapping):
        return {_packable(key): _packable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_packable(item) for item in value]
    plain = core.jsonable(value)
    if isinstance(plain, str) and "{" in plain and is_trusted_as_template(value):
        return msgpack.Ext(_TEMPLATE, plain.encode())
    return plain


def _unpacked(value: Any, move: Move) -> Any:
    """Plain data with templates, as Ansible has it."""
    if isinstance(value, dict):
        return {_unpacked(key, move): _unpacked(item, move) for key, item in value.items()}
    if isinstance(value, list):
        return [_unpacked(item, move) for item in value]
    if isinstance(value, msgpack.Ext):
        return trusted(move(bytes(value.data).decode()))
    return move(value) if isinstance(value, str) else value


def _texts(data: Any) -> str:
    """All texts that are in plain data, for a search."""
    pending, texts = [data], list[str]()
    while pending:
        value = pending.pop()
        if isinstance(value, Mapping):
            pending += [*value.keys(), *value.values()]
        elif isinstance(value, (list, tuple)):
            pending += value
        elif isinstance(value, msgpack.Ext):
            texts.append(bytes(value.data).decode("utf-8", "surrogatepass"))
        elif isinstance(value, str):
            texts.append(value)
    return "\n".join(texts)


def _fill(inventory: Any, made: _Common) -> None:
    """Have hosts and groups in an inventory that is empty."""
    data = inventory._inventory
    for name in made.groups:
        data.add_group(name)
    for name in made.hosts:
        data.add_host(name)
    for name, (hosts, children) in made.groups.items():
        for child in children:
            data.groups[name].add_child_group(data.groups[child])
        for host in hosts:
            data.groups[name].add_host(data.hosts[host])
    data.reconcile_inventory()
    inventory.clear_caches()
