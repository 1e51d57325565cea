"""What a play has in place of the session's: its own options and inventory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ansible_ensemble.lanes.session import AnsibleSession

_LISTS = ("tags", "skip_tags")


def command_line(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of `ansible-playbook` as Ansible keeps them, lists of tags taken apart."""
    lists = {name: tuple(tag for text in options.get(name) or () for tag in text.split(",")) for name in _LISTS}
    return {**options, "tags": lists["tags"] or ("all",), "skip_tags": lists["skip_tags"]}


def extra_variables(session: AnsibleSession) -> dict[str, Any]:
    """The variables of the option `extra_vars`, as Ansible reads them."""
    from ansible.utils.vars import load_extra_vars

    load_extra_vars.extra_vars = None  # those of the playbook around us
    return dict(load_extra_vars(session.loader))


def take_inventory(session: AnsibleSession, source: str) -> None:
    """Let the session have the inventory in a file, and that alone; its process ends after the play."""
    from ansible.inventory.manager import InventoryManager

    session.inventory = InventoryManager(loader=session.loader, sources=[source])
    session.variable_manager.set_inventory(session.inventory)


def merged(results: Iterable[Mapping[str, Any]], keys: Iterable[str]) -> dict[str, Any]:
    """The values of these keys in results, later ones first."""
    wanted = tuple(keys)
    return {name: result[name] for result in results for name in wanted if name in result}
