"""Secure params of objects: sealed where they are kept, open where something is rendered or may be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from msgspec import Raw

from ansible_ensemble.provision.objects import WITH_PARAMS
from ansible_ensemble.provision.objects.base import Object, Reference
from ansible_ensemble.provision.objects.codec import decode_json, encode, same
from ansible_ensemble.provision.objects.content import Param
from ansible_ensemble.provision.rules.catalog import Catalog
from ansible_ensemble.provision.rules.parameters import is_sealed, is_secure, problem_of_param
from ansible_ensemble.provision.rules.query import PARAMS, unread
from ansible_ensemble.provision.rules.refusal import invalid
from ansible_ensemble.provision.service.sealing import Unopenable, opened, opened_text, private_keys, sealed
from ansible_ensemble.provision.store.transaction import Reader, Transaction

Kept = TypeVar("Kept", bound=Object)

#: What the JSON of an object contains that has sealed params.
_PAYLOAD = b'"Payload"'

#: How many objects a refusal names.
_NAMED = 3


def concealed(tx: Transaction, catalog: Catalog, wanted: Kept, kept: Object | None) -> Kept:
    """An object whose secure params are sealed, as they are to be kept.

    Args:
        tx: has the keys.
        catalog: has the definitions of the params.
        wanted: the object.
        kept: the object as it is kept; values that it has already are not looked at again.

    Raises:
        Refused: 422, a value does not fit its schema, or was sealed for another object.
    """
    if not isinstance(wanted, WITH_PARAMS) or not wanted.params:
        return wanted
    before = kept.params if isinstance(kept, WITH_PARAMS) else {}
    owner = (wanted.PREFIX, wanted.key)
    changed: dict[str, Any] = {}
    for name, value in wanted.params.items():
        plain = is_secure(name, catalog) and not is_sealed(value)
        if plain and is_sealed(before.get(name)) and same(_opened(tx, owner, before[name]), value):
            changed[name] = before[name]  # sealed again, it would look like another value
        elif plain or name not in before or not same(before[name], value):
            changed[name] = _checked(tx, catalog, owner, name, value)
    return wanted.replaced(params={**wanted.params, **changed}) if changed else wanted  # type: ignore[return-value]


def _checked(tx: Transaction, catalog: Catalog, owner: Reference, name: str, value: Any) -> Any:
    """A new value of a param, as it is to be kept."""
    secure = is_secure(name, catalog)
    try:
        clear = opened(tx, owner, value) if secure and is_sealed(value) else value
    except Unopenable:
        raise invalid(f"Key '{name}': not sealed for this object", model=owner[0], key=owner[1]) from None
    if problem := problem_of_param(name, clear, catalog):
        raise invalid(problem, model=owner[0], key=owner[1])
    return sealed(tx, owner, value) if secure and clear is value else value


def refuse_unsealable(reader: Reader, wanted: Object) -> None:
    """Refuse that a param is not secure any more while values of it are sealed: nothing would open them."""
    kept = reader.get(Param, wanted.key) if isinstance(wanted, Param) and not wanted.secure else None
    owners = reader.referrers(kept.PREFIX, kept.key) if kept and kept.secure else []
    sealed_in = [one for one in owners if isinstance(one, WITH_PARAMS) and is_sealed(one.params.get(wanted.key))]
    if sealed_in:
        places = ", ".join(f"{one.PREFIX}/{one.key}" for one in sealed_in[:_NAMED])
        message = f"{wanted.key}: Values are sealed in {len(sealed_in)} objects, among them {places}"
        raise invalid(message, model=wanted.PREFIX, key=wanted.key)


def revealed(reader: Reader, kept: Kept, catalog: Catalog) -> Kept:
    """An object whose secure params are open; what does not open, stays sealed.

    Args:
        reader: has the keys.
        kept: the object.
        catalog: has the definitions of the params; for many objects, one that reads each once.
    """
    if not isinstance(kept, WITH_PARAMS):
        return kept
    owner = (kept.PREFIX, kept.key)
    secure = {name: value for name, value in kept.params.items() if is_sealed(value) and is_secure(name, catalog)}
    if not secure:
        return kept
    clear = {name: _opened(reader, owner, value) for name, value in secure.items()}
    return kept.replaced(params={**kept.params, **clear})  # type: ignore[return-value] # mypy loses the type by isinstance


def revealer(reader: Reader, kind: type[Object]) -> Callable[[bytes], bytes]:
    """Opens secure params in the JSON of objects of a kind, of which nothing else is looked at; see `revealed`."""
    catalog, decode, keys = Revealed(reader), unread(kind).decode, private_keys(reader, kind.PREFIX)

    def opened_in(body: bytes) -> bytes:
        if _PAYLOAD not in body:
            return body
        fields = decode(body)
        key, params = keys.get(decode_json(bytes(getattr(fields, kind.KEY)))), PARAMS.decode(fields.params)
        for name, value in params.items():
            if key and _PAYLOAD in (text := bytes(value)) and is_secure(name, catalog):
                params[name] = Raw(opened_text(text, key))
        fields.params = Raw(encode(params))
        return encode(fields)

    return opened_in


def _opened(reader: Reader, owner: Reference, value: Any) -> Any:
    try:
        return opened(reader, owner, value)
    except Unopenable:
        return value


class _Opened(Mapping[str, Any]):
    """Params of an object, of which those that are secure are opened when they are looked at."""

    def __init__(self, reader: Reader, catalog: Catalog, kept: Object, params: Mapping[str, Any]) -> None:
        self._reader, self._catalog, self._owner = reader, catalog, (kept.PREFIX, kept.key)
        self._params, self._open = params, dict[str, Any]()

    def __getitem__(self, name: str) -> Any:
        value = self._params[name]
        if not is_sealed(value) or not is_secure(name, self._catalog):
            return value
        if name not in self._open:
            self._open[name] = _opened(self._reader, self._owner, value)
        return self._open[name]

    def __contains__(self, name: object) -> bool:
        return name in self._params

    def __iter__(self) -> Iterator[str]:
        return iter(self._params)

    def __len__(self) -> int:
        return len(self._params)


class Revealed:
    """A catalog of one moment in which secure params are open; what was looked up is not read again."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._found: dict[Reference, Object | None] = {}

    def get(self, kind: type[Kept], key: str) -> Kept | None:
        """The object of a kind with a key."""
        reference = (kind.PREFIX, key)
        if reference not in self._found:
            found = self._reader.get(kind, key)
            self._found[reference] = found and self.of(found)
        return self._found[reference]  # type: ignore[return-value] # the prefix is the kind's

    def of(self, kept: Kept) -> Kept:
        """An object as the catalog has it."""
        if not isinstance(kept, WITH_PARAMS):
            return kept
        return kept.replaced(params=_Opened(self._reader, self, kept, kept.params))  # type: ignore[return-value] # mypy loses the type by isinstance
