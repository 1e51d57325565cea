"""Bringing an object into the state that is wanted, and what that changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.provision.client.patch import Operation, difference
from ansible_ensemble.provision.desired.object_api import ObjectApi, Seen, secure_params
from ansible_ensemble.provision.desired.wanted import Wanted
from ansible_ensemble.provision.objects import WITH_PARAMS
from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.codec import plain, pointer, same
from ansible_ensemble.provision.rules.parameters import is_sealed
from ansible_ensemble.provision.service.patch import HIDDEN

#: What stands for a secret that is another one than before.
_HIDDEN_ANEW = "(hidden, changed)"
#: Fields that nobody is shown.
_SECRETS = ("Secret", "PasswordHash", "Token")


class Change(Struct, frozen=True):
    """What became of an object.

    Attributes:
        before: it as it was; None if it was not there.
        after: it as it is; None if it is not there any more.
        secure: the names of its secure params; the values of some are open.
        altered: those of them that have other values than before.
    """

    before: Object | None
    after: Object | None
    secure: frozenset[str] = frozenset()
    altered: frozenset[str] = frozenset()

    @property
    def changed(self) -> bool:
        """Whether anything changed."""
        return bool(self.altered) or not same(self.shown_before, self.shown_after)

    @property
    def shown_before(self) -> dict[str, Any]:
        """The object before, without secrets; empty if it was not there."""
        return shown(self.before, self.secure) if self.before else {}

    @property
    def shown_after(self) -> dict[str, Any]:
        """The object after, without secrets; empty if it is not there any more."""
        return shown(self.after, self.secure) if self.after else {}

    @property
    def diff(self) -> dict[str, Any]:
        """Both, for people; a secret that changed is seen to have changed."""
        after = self.shown_after
        if self.before and after and self.altered:
            after["Params"] = {**after["Params"], **dict.fromkeys(self.altered & after["Params"].keys(), _HIDDEN_ANEW)}
        return {"before": self.shown_before, "after": after}


def shown(one: Object, secure: frozenset[str] = frozenset()) -> dict[str, Any]:
    """The fields of an object without its secrets.

    Args:
        one: the object.
        secure: names of params whose values are open and not to be seen.
    """
    fields: dict[str, Any] = plain(one)
    if isinstance(one, WITH_PARAMS):
        fields["Params"] = {
            name: HIDDEN if name in secure or is_sealed(value) else value for name, value in one.params.items()
        }
    return {name: value for name, value in fields.items() if name not in _SECRETS}


async def bring(api: ObjectApi, wanted: Wanted, create: bool = True) -> Change:
    """Create an object, or change it, until it is as wanted.

    It may take two requests: the server decides some fields anew when others change.
    """
    seen = await api.find(wanted.kind, wanted.name, wanted.params.keys())
    if seen is None and not create:
        raise EnsembleError(f"{wanted.kind.PREFIX}: there is no {wanted.name.removeprefix('Name:')}")
    before, secure = (seen.object, seen.secure) if seen else (None, frozenset[str]())
    altered: frozenset[str] = frozenset()
    if seen is None:
        made = wanted.made()
        seen = _opened(await api.create(made, wanted.force), made, frozenset())
    for _turn in range(2):
        target = wanted.applied_to(seen.object)
        if not (operations := _operations(seen.object, target)):
            break
        altered |= _secure_among(operations, seen.secure)
        answer = await api.patch(seen.object, operations, wanted.force)
        seen = _opened(answer, target, seen.secure)
    _refuse_otherwise(seen.object, wanted.applied_to(seen.object))
    return Change(before, seen.object, secure | seen.secure, altered)


async def remove(api: ObjectApi, kind: type[Object], name: str) -> Change:
    """Remove an object, if it is there."""
    seen = await api.find(kind, name, ())
    if seen is None:
        return Change(None, None)
    await api.delete(seen.object)
    return Change(seen.object, None, seen.secure)


def _operations(kept: Object, target: Object) -> list[Operation]:
    """The patch that makes one of the other: without tests, for whatever the object is, it is to be as wanted.

    A param is set as a whole: one that is sealed has no parts.
    """
    old, new = plain(kept), plain(target)
    had, has = (fields.pop("Params", {}) for fields in (old, new))
    fresh = {name: value for name, value in has.items() if name not in had or not same(had[name], value)}
    return [
        *(one for one in difference(old, new) if one["op"] != "test"),
        *({"op": "add", "path": pointer("Params", name), "value": value} for name, value in fresh.items()),
        *({"op": "remove", "path": pointer("Params", name)} for name in had if name not in has),
    ]


def _secure_among(operations: list[Operation], secure: frozenset[str]) -> frozenset[str]:
    paths = {one["path"] for one in operations}
    return frozenset(name for name in secure if pointer("Params", name) in paths)


def _opened(answer: Object, asked: Object, secure: frozenset[str]) -> Seen:
    """What the server answered, with the secure params open that were sent open."""
    sealed = secure_params(answer)
    if not isinstance(answer, WITH_PARAMS) or not isinstance(asked, WITH_PARAMS):
        return Seen(answer, secure)
    clear = {name: asked.params[name] for name in sealed if name in asked.params}
    return Seen(answer.replaced(params={**answer.params, **clear}), secure | sealed)


def _refuse_otherwise(kept: Object, target: Object) -> None:
    """Refuse to call an object what it is not."""
    is_, was_to_be = plain(kept), plain(target)
    if names := [name for name in is_ if not same(is_[name], was_to_be[name])]:
        errors: list[str] = list(getattr(kept, "errors", ()))
        because = f": {'; '.join(errors)}" if errors else ""
        raise EnsembleError(f"{_named(kept)}: the server did not set {', '.join(names)}{because}")


def _named(one: Object) -> str:
    fields: Mapping[str, Any] = plain(one)
    return f"{one.PREFIX} {fields.get('Name') or one.key}"
