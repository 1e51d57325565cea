"""What Ansible has to know to run something: inventory, variables, loader with vault secrets, play."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct, field

from ansible_ensemble.core.ansible_settings import setting
from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.orders import Host
from ansible_ensemble.lanes import membership
from ansible_ensemble.lanes.core_routing import parse_when_asked
from ansible_ensemble.lanes.decrypted import note_decrypted
from ansible_ensemble.lanes.expressions import trusted

if TYPE_CHECKING:
    from ansible.plugins.action import ActionBase

#: The inventory that Ansible takes where none is named, and does without where it is not there.
DEFAULT_SOURCE = "/etc/ansible/hosts"
_NAME = "-i names a file or a folder, or hosts with a comma: -i HOST,"
_MEND = "Ansible's warnings say why"
#: The variable that our inventory plugin sets for each of its hosts.
_RECORDED = "ensemble_instance"


class BroughtHosts(Protocol):
    """The variables of hosts that an order brings to where a session has none of its own."""

    def learn(self, data: str) -> None:
        """Have those of the order that is carried out next."""

    def refused(self) -> str | None:
        """What this order, or a process that it began, has read of other hosts, in words."""


class AnsibleSession(Struct):
    """The objects of a running playbook, or of a stand-in for one. Each executor works on its own copy, by fork.

    Attributes:
        inventory: ansible's `InventoryManager`.
        variable_manager: its `VariableManager`.
        loader: its `DataLoader`, with the vault secrets.
        play: its `Play`, whose keywords (environment, become, module_defaults) hold for module calls.
        play_context: its `PlayContext`, with the connection's passwords.
        host_name: the host that the action plugin runs for.
        groups: names of members of groups that the inventory does not have, by the group's name.
        brought: has the variables of hosts that orders bring, of a session that has none of its own.
    """

    inventory: Any
    variable_manager: Any
    loader: Any
    play: Any
    play_context: Any
    host_name: str = "localhost"
    groups: Mapping[str, Iterable[str]] = field(default_factory=dict)
    brought: BroughtHosts | None = None

    @classmethod
    def from_action(cls, action: ActionBase, task_vars: Mapping[str, Any]) -> AnsibleSession:
        """The session of the playbook that runs an action plugin with these variables."""
        task = action._task
        manager = task.get_variable_manager() or task._variable_manager
        note_decrypted(action._loader)
        return cls(
            inventory=manager._inventory,
            variable_manager=manager,
            loader=action._loader,
            play=task.get_play(),
            play_context=action._play_context,
            host_name=str(task_vars.get("inventory_hostname", "localhost")),
        )

    def known_hosts(self) -> frozenset[str]:
        """Names of the inventory's hosts, without those that only our inventory plugin knows.

        A machine that is a host for no other reason than that it is recorded has no address; jobs would
        go elsewhere once it is recorded than before. Such hosts are distinguished by reading only the other sources.
        """
        hosts = self.inventory.hosts
        recorded = {name for name, host in hosts.items() if _RECORDED in host.vars}
        if recorded:
            from ansible.inventory.manager import InventoryManager

            others = InventoryManager(loader=self.loader, sources=self.inventory._sources, parse=False)
            others._inventory.without_ensembles = True  # the plugin heeds it
            others.parse_sources()
            recorded -= others.hosts.keys()
        return frozenset(hosts.keys() - recorded)

    @property
    def sources(self) -> list[str]:
        """The sources of the inventory that somebody named; Ansible's own default counts where it is there."""
        named = [str(source) for source in self.inventory._sources if source]
        return [source for source in named if source != DEFAULT_SOURCE or Path(source).exists()]

    def check_read(self) -> None:
        """Refuse an inventory of which a source, or a file in its folder, could not be read.

        Ansible goes on without it, and then hosts are missing, and patterns and variables mean something else.
        """
        from ansible.utils.path import unfrackpath

        read = {str(source) for source in self.inventory._inventory.processed_sources}
        for source in self.sources:
            for file in [source] if "," in source else _files(unfrackpath(source, follow=False)):
                if file not in read:
                    there = Path(file).exists()
                    problem = "Ansible cannot read this inventory" if there else "there is no such inventory"
                    raise InvalidInput(problem, Place(file), _MEND if there else _NAME)

    @property
    def passwords(self) -> dict[str, Any]:
        """The connection's and become's passwords, as a nested play takes them."""
        context = self.play_context
        return {"conn_pass": context.password or "", "become_pass": context.become_pass or ""}

    def move_to(self, folder: str) -> None:
        """Use a folder instead of the playbook's: its files and the plugins beside them are found."""
        self.loader.set_basedir(folder)
        self.add_plugins([folder])

    def settle(self, folder: Path) -> None:
        """Use a folder instead of the playbook's for variables: `group_vars`, `host_vars`, `playbook_dir`.

        Orders bring folders of their own for files and templates, which may be those of imported types.
        """
        loader = copy(self.loader)
        loader.set_basedir(str(folder))
        self.variable_manager._loader = loader

    def add_plugins(self, folders: Iterable[str | Path]) -> None:
        """Find plugins and modules in `library`, `filter_plugins` and the like of folders, as beside a playbook."""
        from ansible.plugins.loader import add_all_plugin_dirs

        for folder in folders:
            add_all_plugin_dirs(str(folder))

    def add_variables(self, variables: Mapping[str, Any]) -> None:
        """Have variables as `-e` gives them; those that this run of Ansible was given itself stay."""
        own = self.variable_manager.extra_vars
        own.update({name: trusted(value) for name, value in variables.items() if name not in own})

    @contextmanager
    def based(self, base: str | None) -> Iterator[None]:
        """For the length of an order, use a folder instead of the playbook's; None leaves it unchanged."""
        before = self.loader.get_basedir()
        self.move_to(base or before)
        try:
            yield
        finally:
            self.loader.set_basedir(before)

    @contextmanager
    def knowing(self, host: Host) -> Iterator[bool]:
        """For the length of an order, have the host in the inventory, with its variables above all others of it.

        The variables stand where `set_fact` would put them: above inventory, play, role and task variables, below
        extra variables, and for this host alone, so that a task delegated elsewhere does not see them as its own. A
        host that the inventory does not know and that is reached by the local connection runs modules by the Python
        that runs us, as the implicit localhost does.

        Returns:
            Whether the inventory did not know the host.
        """
        added = self.inventory.get_host(host.name) is None
        if added:
            self.inventory.add_host(host.name)
            self.inventory._inventory.reconcile_inventory()
        facts = self.variable_manager._nonpersistent_fact_cache
        before = dict(facts.get(host.name, {}))
        joined = membership.join(self.inventory, host)
        variables = dict(host.variables)
        if added and variables.get("ansible_connection") in ("local", "ansible.builtin.local"):
            variables.setdefault("ansible_python_interpreter", sys.executable)
        if variables:
            self.variable_manager.set_nonpersistent_facts(host.name, variables)
        try:
            yield added
        finally:
            if before:
                facts[host.name] = before
            else:
                facts.pop(host.name, None)
            membership.leave(self.inventory, host, joined)
            if added:
                membership.forget_host(self.inventory, host.name)


def configured_session(
    inventory: Sequence[str], *, base: Path, loader: Any, extra_variables: Mapping[str, Any]
) -> AnsibleSession:
    """A session of the inventory that is given, or else of the one that Ansible's settings name; see below."""
    from ansible.errors import AnsibleError

    named = [one for one in setting("DEFAULT_HOST_LIST") if one != DEFAULT_SOURCE or Path(one).exists()]
    try:
        session = standalone_session(
            list(inventory) or named, base=base, loader=loader, extra_variables=extra_variables
        )
    except AnsibleError as error:
        raise InvalidInput(f"Ansible cannot read the inventory: {error.message}") from error
    session.check_read()
    return session


def _files(path: str) -> Iterator[str]:
    """The files of a source that Ansible reads: itself, or those in the folder that it is."""
    from ansible.inventory.manager import IGNORED

    if not Path(path).is_dir():
        yield path
        return
    for inside in sorted(Path(path).iterdir()):
        if not IGNORED.search(os.fsencode(inside.name)):
            yield from _files(str(inside))


def standalone_session(
    inventory: str | Path | Sequence[str] | None = None,
    vault_passwords: Mapping[str, str] | None = None,
    *,
    collections: Iterable[str | Path] = (),
    base: str | Path | None = None,
    extra_variables: Mapping[str, Any] | None = None,
    loader: Any = None,
) -> AnsibleSession:
    """A session outside `ansible-playbook`: for commands that run Ansible themselves, and for tests.

    Args:
        inventory: an inventory file or folder, or several sources; None is localhost alone.
        vault_passwords: vault passwords by vault id (`default` if there are no ids).
        collections: folders that hold an `ansible_collections` folder, searched before the configured ones.
        base: the folder that takes the place of the playbook's.
        extra_variables: variables as `-e` gives them.
        loader: a `DataLoader` that has its passwords already.
    """
    from ansible import constants, context
    from ansible.inventory.manager import InventoryManager
    from ansible.parsing.dataloader import DataLoader
    from ansible.parsing.vault import VaultSecret, VaultSecretsContext
    from ansible.playbook.play import Play
    from ansible.playbook.play_context import PlayContext
    from ansible.plugins.loader import init_plugin_loader
    from ansible.utils.collection_loader import AnsibleCollectionConfig
    from ansible.utils.context_objects import CLIArgs
    from ansible.vars.hostvars import HostVars
    from ansible.vars.manager import VariableManager

    if not context.CLIARGS:
        context.CLIARGS = CLIArgs(
            {
                "verbosity": 0,
                "forks": constants.DEFAULT_FORKS,
                "connection": constants.DEFAULT_TRANSPORT,
                "timeout": constants.DEFAULT_TIMEOUT,
                "remote_user": constants.DEFAULT_REMOTE_USER,
                "private_key_file": constants.DEFAULT_PRIVATE_KEY_FILE,
            }
        )
    if AnsibleCollectionConfig.collection_finder is None:
        parse_when_asked()
        init_plugin_loader([str(path) for path in collections] or None)
    if loader is None:
        loader = DataLoader()
        secrets = [(name, VaultSecret(text.encode())) for name, text in (vault_passwords or {}).items()]
        loader.set_vault_secrets(secrets)
    if not VaultSecretsContext.current(optional=True):
        # encrypted values of inventories are opened by these, whatever their loader has
        VaultSecretsContext.initialize(VaultSecretsContext(loader._vault.secrets))
    note_decrypted(loader)
    loader.set_basedir(str(Path(base or Path.cwd()).absolute()))
    sources = [str(inventory)] if isinstance(inventory, (str, Path)) else list(inventory or ())
    manager = InventoryManager(loader=loader, sources=sources or None, parse=bool(sources))
    variables = VariableManager(loader=loader, inventory=manager, version_info=_version())
    variables.extra_vars.update(extra_variables or {})
    # makes itself known to the variable manager, as under a playbook
    HostVars(inventory=manager, variable_manager=variables, loader=loader)
    play = Play.load(
        {"name": "operations", "hosts": "localhost", "gather_facts": False}, variable_manager=variables, loader=loader
    )
    return AnsibleSession(manager, variables, loader, play, PlayContext(play, passwords={}))


def _version() -> dict[str, Any]:
    """`ansible_version` as Ansible's commands have it; the module that makes theirs looks at terminal and locale."""
    from ansible.release import __version__

    numbers = [int(part) if part.isdigit() else part for part in __version__.split(".")]
    return {"string": __version__, "full": __version__, **dict(zip(("major", "minor", "revision"), numbers))}
