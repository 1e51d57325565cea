"""Who may do what: claims, and what a request needs of them.

A claim allows an action on specific objects of a scope; each of the three is `*`, a name, or a comma list of names. An
update may be allowed of some fields alone: its action is `update:/Field` then, the path as in a patch.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct

from ansible_ensemble.provision.objects import KINDS, SECTIONS
from ansible_ensemble.provision.objects.parts import Claim
from ansible_ensemble.provision.objects.tenant import Tenant

ALL = "*"

#: How the action of a claim begins that is about a field.
_OF_FIELD = "update:/"

#: What those of the role `superuser` may do.
EVERYTHING = (Claim(scope=ALL, action=ALL, specific=ALL),)

#: What claims can be about that is no kind of objects, and the actions there are.
OTHER_SCOPES: dict[str, tuple[str, ...]] = {
    "events": ("post",),
    **dict.fromkeys(("files", "isos"), ("list", "get", "post", "delete")),
    "indexes": ("list",),
    "info": ("get",),
    "logs": ("get",),
    "metrics": ("get",),
    "objects": ("list",),
    "prefs": ("list", "post"),
}


class Need(Struct, frozen=True):
    """What a request needs to be allowed.

    Attributes:
        scope: the kind of objects, or another first part of paths.
        action: what is done to it.
        paths: of an update, what it changes, as a patch names it; without any, it may be everything.
    """

    scope: str
    action: str
    paths: tuple[str, ...] = ()


def allows_all(claims: Iterable[Claim], need: Need) -> bool:
    """Whether claims allow it of all objects of the scope."""
    return _are_met([claim for claim in claims if _covers(claim.specific, ALL)], need)


def allows(claims: Iterable[Claim], need: Need, names: Collection[str]) -> bool:
    """Whether claims allow it of an object.

    Args:
        claims: of which each allows something.
        need: what is to be done.
        names: by which the object may be meant: its key, and that of the machine that it belongs to.
    """
    return _are_met([claim for claim in claims if any(_covers(claim.specific, name) for name in names)], need)


def specifics(claims: Iterable[Claim], need: Need) -> frozenset[str]:
    """The objects of which claims allow it; `*` among them means all."""
    return frozenset(name for claim in claims if _are_met([claim], need) for name in _parts(claim.specific))


def includes(claims: Iterable[Claim], wanted: Claim) -> bool:
    """Whether claims allow all that another one does; what is wanted of several must be in one of them each."""
    have = tuple(claims)
    return all(
        any(
            _covers(one.scope, scope) and _covers(one.specific, specific) and _covers_action(one.action, action)
            for one in have
        )
        for scope in _parts(wanted.scope)
        for action in _parts(wanted.action)
        for specific in _parts(wanted.specific)
    )


def of_user(name: str) -> tuple[Claim, ...]:
    """What every user may do, whatever the user's roles are."""
    return (
        Claim(scope="users", action="get,token,password", specific=name),
        Claim(scope="info", action="get", specific=ALL),
    )


def of_machine(uuid: str) -> tuple[Claim, ...]:
    """What a machine may do: run its jobs, look up what they are made of, and change itself."""
    return (
        Claim(scope="machines", action=ALL, specific=uuid),
        Claim(scope="jobs", action="create,get,update,actions,log", specific=uuid),
        Claim(scope="bootenvs,params,stages,tasks,workflows", action="get", specific=ALL),
        Claim(scope="info", action="get", specific=ALL),
        Claim(scope="events", action="post", specific=ALL),
    )


def of_tenant(tenant: Tenant) -> tuple[Claim, ...]:
    """What users of a tenant may do at most.

    With machines, their jobs are restricted, and pools, which move any; with what bundles hold, the bundles.
    """
    restricted: dict[str, list[str]] = {}
    if "machines" in tenant.members:
        restricted = {"jobs": tenant.members["machines"], "pools": []}
    if not SECTIONS.keys().isdisjoint(tenant.members):
        restricted["contents"] = []
    members = restricted | tenant.members
    others = ",".join(scope for scope in (*KINDS, *OTHER_SCOPES) if scope not in members)
    return (
        Claim(scope=others, action=ALL, specific=ALL),
        *(Claim(scope=kind, action=ALL, specific=",".join(keys)) for kind, keys in members.items()),
    )


def _are_met(claims: Sequence[Claim], need: Need) -> bool:
    """Whether claims on the object allow it; each changed path may be allowed by another one."""
    actions = [claim.action for claim in claims if _covers(claim.scope, need.scope)]
    if any(_covers(action, need.action) for action in actions):
        return True
    fields = [part for action in actions for part in _parts(action) if part.startswith(_OF_FIELD)]
    return (
        need.action == "update"
        and bool(need.paths)
        and all(any(_is_within(path, _path(field)) for field in fields) for path in need.paths)
    )


def _covers(listed: str, name: str) -> bool:
    return listed == ALL or any(part in (ALL, name) for part in _parts(listed))


def _covers_action(listed: str, action: str) -> bool:
    if _covers(listed, action) or not action.startswith(_OF_FIELD):
        return _covers(listed, action)
    fields = [_path(part) for part in _parts(listed) if part.startswith(_OF_FIELD)]
    return _covers(listed, "update") or any(_is_within(_path(action), field) for field in fields)


def _parts(listed: str) -> list[str]:
    return [part.strip() for part in listed.split(",") if part.strip()]


def _path(of_field: str) -> str:
    return of_field.removeprefix("update:")


def _is_within(path: str, field: str) -> bool:
    return path == field or path.startswith(f"{field.rstrip('/')}/")
