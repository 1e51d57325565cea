"""Patterns of hosts, matched by Ansible itself: over an inventory's hosts and groups, and further ones."""

from __future__ import annotations

import fnmatch
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.core.orders import CONTROLLER
from ansible_ensemble.core.regex import regex

#: Names without anything that Ansible takes for a glob, a regular expression or a subscript.
_PLAIN = regex(r"[!&]?[^~*?\[\]]+")
#: Globs alone; Ansible warns of one that matches nothing.
_GLOB = regex(r"[^~\[\]]*[*?][^~\[\]]*")
#: A path as Ansible's messages have it.
_BYTES = regex(r"\bb'([^']*)'")
#: Groups that everything is in.
_ALWAYS = frozenset({"all", "ungrouped"})


def host_matches(
    pattern: str, names: Iterable[str], groups: Mapping[str, Iterable[str]], inventory: Any = None
) -> list[tuple[str, Collection[str]]]:
    """The terms of a pattern in the order in which they count, each with the hosts that it matches.

    A plain name means the host of that name rather than a group.

    Args:
        pattern: what Ansible's `--limit` takes.
        names: hosts beside those of the inventory.
        groups: groups beside those of the inventory, with their hosts.
        inventory: an `InventoryManager`; None where there is no inventory.
    """
    from ansible.errors import AnsibleError
    from ansible.inventory.manager import order_patterns

    manager = _joined(names, groups, inventory)
    try:
        manager.subset(pattern)  # reads files of patterns
        if not any(term.strip() for term in manager._subset or ()):  # Ansible takes all of them then
            raise InvalidInput(f'the limit "{pattern}" names nothing', hint="leave it out, to mean everything")
        terms = order_patterns(manager._subset)
        manager.subset(None)
        return [(term, _hosts(term, manager)) for term in terms]
    except AnsibleError as error:
        why = _BYTES.sub(r"\1", str(error))
        raise InvalidInput(f'the limit "{pattern}" cannot be read: {why}') from error


def _joined(names: Iterable[str], groups: Mapping[str, Iterable[str]], inventory: Any) -> Any:
    """An inventory of these hosts and groups, and those of another one, which stays as it is."""
    from ansible.inventory.manager import InventoryManager
    from ansible.parsing.dataloader import DataLoader

    manager = InventoryManager(loader=DataLoader(), sources=None, parse=False)
    known = inventory.get_groups_dict() if inventory is not None else {}
    for group, hosts in (*known.items(), *groups.items()):
        manager.add_group(group)
        for host in hosts:
            manager.add_host(host, group)
    for name in names:
        manager.add_host(name)
    manager.reconcile_inventory()
    return manager


def _hosts(term: str, manager: Any) -> Collection[str]:
    name = term.lstrip("!&")
    if name in manager.hosts:
        return [name]
    is_named = name in manager.groups or name in CONTROLLER or not _PLAIN.fullmatch(term)
    known = {*manager.hosts, *manager.groups} - _ALWAYS
    if _GLOB.fullmatch(name) and not fnmatch.filter(known, name):
        return []
    if not is_named and term[0] != "!":
        raise InvalidInput(f'there is no instance, host or group "{name}"', hint=nearest(name, sorted(known)))
    return [host.name for host in manager.get_hosts(name)]
