"""Claims that come by roles, and those that the token of a task's jobs has beyond its machine's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ansible_ensemble.provision.objects.access import Role
from ansible_ensemble.provision.objects.content import Task
from ansible_ensemble.provision.objects.parts import Claim
from ansible_ensemble.provision.rules.catalog import Catalog


def claims_of_roles(names: Iterable[str], catalog: Catalog, unknown: Sequence[Claim] = ()) -> list[Claim]:
    """The claims of roles.

    Args:
        names: of the roles.
        catalog: where they are.
        unknown: what a role counts as that is not there.
    """
    roles = (catalog.get(Role, name) for name in names)
    return [claim for role in roles for claim in (role.claims if role else unknown)]


def extra_claims(task: Task | None, catalog: Catalog, unknown: Sequence[Claim] = ()) -> list[Claim]:
    """The claims of a task and of its roles; none where there is no task."""
    return [*task.extra_claims, *claims_of_roles(task.extra_roles, catalog, unknown)] if task else []
