"""What a session knows around its orders, as bytes: for a process elsewhere that carries orders out in its place.

These are the inventory with its groups and the variables of each host, variables and keywords of the play, and what the
command line says of connections. What a vault has encrypted is in it decrypted. Variables are merged here, as the
folders they come from may not be there.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, msgpack
from msgspec.structs import asdict

from ansible_ensemble.core.regex import regex
from ansible_ensemble.lanes import core
from ansible_ensemble.lanes.expressions import trusted

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

Move = Callable[[str], str]


class _Surroundings(Struct):
    """What is around orders.

    Attributes:
        settings: path of the `ansible.cfg` that holds, in the folder of the project.
        hosts: by host, its variables; facts: its facts, where they are kept.
        localhost: the variables of the controller, where no source of the inventory names it.
        groups: by group, its hosts, and the groups in it.
        made: names of members of groups that the inventory does not have.
        extra: variables of the job; options: those of the command line.
        kept: by host, what tasks before have registered or set.
        keywords, variables: of the play.
        secrets: texts in all this that are to be masked.
    """

    settings: str | None
    hosts: dict[str, dict[str, Any]]
    facts: dict[str, Any]
    localhost: dict[str, Any]
    groups: dict[str, tuple[list[str], list[str]]]
    made: dict[str, list[str]]
    extra: dict[str, Any]
    options: dict[str, Any]
    passwords: dict[str, Any]
    kept: dict[str, dict[str, Any]]
    keywords: dict[str, Any]
    variables: dict[str, Any]
    secrets: list[str]


def surroundings_of(session: AnsibleSession, root: Path, base: Path | None = None) -> bytes:
    """What is around the orders of a session; variables are those beside a folder, where one is given.

    Args:
        session: whose they are.
        root: the project's folder, which is there, too.
        base: the folder of a playbook, whose `group_vars` and `host_vars` hold in place of those of the session.
    """
    from ansible import constants, context

    inventory, manager = session.inventory, session.variable_manager
    before = manager._loader
    if base is not None:
        session.settle(base)
    try:
        hosts = {_plain(name): _variables(manager, host) for name, host in inventory.hosts.items()}
        localhost = {} if "localhost" in hosts else _variables(manager, inventory.get_host("localhost"))
    finally:
        manager._loader = before
    settings = constants.CONFIG_FILE
    is_inside = settings is not None and Path(settings).is_relative_to(root)
    made = _Surroundings(
        settings=str(Path(settings).relative_to(root)) if is_inside else None,
        hosts=hosts,
        facts={name: found for name in hosts if (found := _facts(manager, name))},
        localhost={name: value for name, value in localhost.items() if name not in _IMPLICIT},
        groups={
            _plain(name): ([_plain(one.name) for one in group.hosts], [_plain(one.name) for one in group.child_groups])
            for name, group in inventory.groups.items()
        },
        made={name: list(members) for name, members in session.groups.items()},
        extra={name: _packable(value) for name, value in manager.extra_vars.items() if not _OF_JOBS.fullmatch(name)},
        options={name: _packable(context.CLIARGS[name]) for name in _OPTIONS if name in context.CLIARGS},
        passwords=_packable(session.passwords),
        kept={name: found for name in (*hosts, "localhost") if (found := _packable(_kept(manager, name)))},
        keywords=_keywords(session.play),
        variables=_packable(session.play.get_vars()),
        secrets=[],
    )
    made.secrets = core.secrets_in(_texts(made))
    return zlib.compress(msgpack.encode(asdict(made)))


def session_in(data: bytes, base: Path, move: Move) -> AnsibleSession:
    """A session with what was around orders elsewhere; this process must not have imported Ansible before.

    Args:
        data: as `surroundings_of` made it.
        base: the folder of the project.
        move: has a text lead into that folder that is a path in the project's.
    """
    unpacked = msgpack.decode(zlib.decompress(data))
    os.environ.update(_SETTINGS)
    if unpacked["settings"] is not None:
        os.environ["ANSIBLE_CONFIG"] = str(base / unpacked["settings"])
    from ansible import constants, context
    from ansible.playbook.play import Play
    from ansible.playbook.play_context import PlayContext
    from ansible.utils.context_objects import CLIArgs

    from ansible_ensemble.lanes.session import standalone_session

    made = _Surroundings(**_unpacked(unpacked, move))
    context.CLIARGS = CLIArgs({"forks": constants.DEFAULT_FORKS, **made.options})
    session = standalone_session(base=base, extra_variables=made.extra)
    core.register_secrets(made.secrets)
    _fill(session.inventory, made)
    for name, facts in made.facts.items():
        session.variable_manager.set_host_facts(name, facts)
    for name, variables in made.kept.items():
        session.variable_manager.set_nonpersistent_facts(name, variables)
    play = {"name": "operations", "hosts": "localhost", "gather_facts": False, **made.keywords, "vars": made.variables}
    session.play = Play.load(play, variable_manager=session.variable_manager, loader=session.loader)
    session.play_context = PlayContext(session.play, passwords=made.passwords)
    session.groups = made.made
    return session


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


def _texts(made: _Surroundings) -> str:
    """All texts that are in it, for a search."""
    pending, texts = [asdict(made)], list[str]()
    while pending:
        value = pending.pop()
        if isinstance(value, Mapping):
            pending += value.values()
        elif isinstance(value, (list, tuple)):
            pending += value
        elif isinstance(value, msgpack.Ext):
            texts.append(bytes(value.data).decode("utf-8", "surrogatepass"))
        elif isinstance(value, str):
            texts.append(value)
    return "\n".join(texts)


def _fill(inventory: Any, made: _Surroundings) -> None:
    """Have hosts and groups in an inventory that is empty."""
    data = inventory._inventory
    for name in made.groups:
        data.add_group(name)
    for name, variables in made.hosts.items():
        data.add_host(name)
        data.hosts[name].vars.update(variables)
    for name, (hosts, children) in made.groups.items():
        for child in children:
            data.groups[name].add_child_group(data.groups[child])
        for host in hosts:
            data.groups[name].add_host(data.hosts[host])
    data.reconcile_inventory()
    inventory.clear_caches()
    if made.localhost:
        inventory.get_host("localhost").vars.update(made.localhost)
