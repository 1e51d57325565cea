"""What a running playbook gives to a call of the package: vault passwords, inventory, and the consent of its user."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ansible_ensemble.ensembles.location import Location, locate
from ansible_ensemble.projects.trust import grant
from ansible_ensemble.projects.vault import Vault

if TYPE_CHECKING:
    from ansible_ensemble.lanes.session import AnsibleSession


def located(ensemble: str) -> Location:
    """The ensemble that a path means; running a playbook or an inventory on it trusts it."""
    location = locate(ensemble)
    grant(location.ensemble)
    return location


def vault_of(source: Any) -> Vault | None:
    """The vault with the passwords that Ansible gave to a plugin or a DataLoader; None asks for the configured ones."""
    loader = getattr(source, "_loader", source)
    passwords = getattr(getattr(loader, "_vault", None), "secrets", None)
    return Vault(passwords=passwords) if passwords else None


def session_of(action: Any, task_vars: Mapping[str, Any], location: Location) -> AnsibleSession:
    """The session of the running playbook, with the ensemble's folder instead of the playbook's."""
    from ansible_ensemble.lanes.session import AnsibleSession

    session = AnsibleSession.from_action(action, task_vars)
    session.settle(location.ensemble.parent)
    return session
