"""An object as somebody wants it: some of its fields, and whether the rest of its params and Meta may stay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args, get_origin

import msgspec
from msgspec import Struct

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.hints import nearest_or_known
from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.codec import Undecodable, from_plain, plain
from ansible_ensemble.provision.rules.features import FLAGS

#: Fields that are maps of which some entries can be wanted.
_MAPS = ("Params", "Meta")
#: What requests cannot set, beside what each kind says.
_SERVERS = frozenset({"Bundle", "Endpoint", "PasswordHash", "RetryTaskAttempt", "TaskErrorStacks"})


class Wanted(Struct, frozen=True):
    """An object as it is wanted.

    Attributes:
        kind: its kind.
        name: its key, or a value of a unique index as in `Name:web1`.
        fields: values of fields, by their names on the wire; a None in params or Meta is to be gone.
        exact: whether params and Meta are to have no other entries than those in `fields`.
        force: whether guards of machines are passed over.
    """

    kind: type[Object]
    name: str
    fields: Mapping[str, Any] = {}
    exact: bool = False
    force: bool = False

    def __post_init__(self) -> None:
        _refuse_unknown(self.kind, self.fields, "")
        own = self.kind.COMPUTED | _SERVERS
        if names := sorted(own & self.fields.keys()):
            raise InvalidInput(f"{names[0]} of {self.kind.PREFIX} is the server's, it cannot be set")

    @property
    def params(self) -> Mapping[str, Any]:
        """The params that are wanted."""
        params: Mapping[str, Any] = self.fields.get("Params") or {}
        return params

    def made(self) -> Object:
        """The object where there is none yet."""
        index, colon, value = self.name.partition(":")
        own = index if colon and index in self.kind.UNIQUE else self.kind.key_field()
        return self._read({own: value if own == index and colon else self.name, **self.fields, **self._maps({})})

    def applied_to(self, kept: Object) -> Object:
        """The object after what is wanted was done to it."""
        fields = plain(kept)
        return self._read({**fields, **self.fields, **self._maps(fields)})

    def _maps(self, kept: Mapping[str, Any]) -> dict[str, Any]:
        return {name: self._merged(name, kept.get(name, {})) for name in _MAPS if name in self.fields}

    def _merged(self, name: str, kept: Mapping[str, Any]) -> dict[str, Any]:
        given = self.fields[name]
        if not isinstance(given, Mapping):
            raise InvalidInput(f"{name} of {self.kind.PREFIX} {self.name} is to be a map")
        staying = {key: kept[key] for key in kept if not self.exact or (name == "Meta" and key == FLAGS)}
        return {key: value for key, value in {**staying, **given}.items() if value is not None}

    def _read(self, fields: dict[str, Any]) -> Object:
        try:
            return from_plain(self.kind, fields)
        except Undecodable as error:
            raise InvalidInput(f"{self.kind.PREFIX} {self.name}: {error}") from None


def _refuse_unknown(kind: Any, value: Any, where: str) -> None:
    """Refuse fields that a kind does not have, however deep: nothing would come of them."""
    if get_origin(kind) is list and isinstance(value, list):
        for number, inner in enumerate(value):
            _refuse_unknown(get_args(kind)[0], inner, f"{where}[{number}]")
    if not (isinstance(kind, type) and issubclass(kind, msgspec.Struct) and isinstance(value, Mapping)):
        return
    known = {one.encode_name: one.type for one in msgspec.structs.fields(kind)}
    for name, inner in value.items():
        if name not in known:
            what = kind.PREFIX if issubclass(kind, Object) else where
            raise InvalidInput(f"{what} has no field {name}", hint=nearest_or_known(name, known))
        _refuse_unknown(known[name], inner, f"{where}.{name}" if where else name)
