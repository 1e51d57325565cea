"""Groups of a topology in an Ansible inventory that is loaded: made once, and joined by a host for an order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ansible_ensemble.core.orders import Host


def make_groups(inventory: Any, groups: Mapping[str, Iterable[str]]) -> None:
    """Have groups, each with names of members, in an `InventoryManager`, with those of their members that it knows."""
    data = inventory._inventory
    for name, members in groups.items():
        data.add_group(name)
        for member in members:
            if member in data.hosts:
                data.add_child(name, member)
    if groups:
        data.reconcile_inventory()
        inventory.clear_caches()


def join(inventory: Any, host: Host) -> list[str]:
    """Put a host into its groups; returns those that it was not in, `ungrouped` if it was in none."""
    known, groups = inventory.get_host(host.name), inventory._inventory.groups
    joined = [name for name in host.groups if name in groups and groups[name].add_host(known)]
    if joined and groups["ungrouped"].remove_host(known):
        joined.append("ungrouped")
    _forget_caches(inventory, joined)
    return joined


def leave(inventory: Any, host: Host, joined: list[str]) -> None:
    """Take back what `join` did."""
    known, groups = inventory.get_host(host.name), inventory._inventory.groups
    for name in joined:
        if name == "ungrouped":
            groups[name].add_host(known)
        else:
            groups[name].remove_host(known)
    _forget_caches(inventory, joined)


def _forget_caches(inventory: Any, joined: list[str]) -> None:
    if joined:
        inventory._inventory._groups_dict_cache = {}
        inventory.clear_caches()


def forget_host(inventory: Any, name: str) -> None:
    """Take a host out of an `InventoryManager`, and out of what it keeps in store."""
    data = inventory._inventory
    data.remove_host(inventory.get_host(name))
    data._groups_dict_cache = {}
    inventory.clear_caches()
