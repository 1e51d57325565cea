"""What somebody may do with the pages: one table, which the routes name and the pages ask."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias, get_args

Role: TypeAlias = Literal["read", "approve", "operate"]
ROLES: tuple[Role, ...] = get_args(Role)
#: What a route needs that everybody may ask, also without a login.
OPEN = "open"
SEE = "see"
#: What somebody may do, and the roles of which one is needed for it.
RIGHTS: dict[str, tuple[Role, ...]] = {
    SEE: ROLES,
    "plan": ("operate",),
    "look": ("operate",),
    "cancel": ("operate",),
    "approve": ("approve",),
    "reject": ("approve", "operate"),
}


def rights_of(roles: Iterable[str], *, read_only: bool = False) -> list[str]:
    """What somebody with these roles may do; where nothing may be changed, at most see."""
    given = set(roles)
    return [right for right, needed in RIGHTS.items() if given.intersection(needed) and (right == SEE or not read_only)]
