"""Values of params that are stored sealed: who has no key of the server reads nothing of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import msgspec
from nacl.bindings import crypto_box_open
from nacl.exceptions import CryptoError
from nacl.public import Box, PrivateKey

from ansible_ensemble.provision.objects.base import Record, Reference
from ansible_ensemble.provision.objects.codec import decode_json, encode, plain
from ansible_ensemble.provision.store.transaction import Reader, Transaction

#: Values of more bytes are opened each time that they are read.
_SMALL = 2048


class Unopenable(ValueError):
    """A sealed value that the key of its object does not open."""


class SecureData(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A value in a NaCl box.

    Attributes:
        key: the public key of who sealed it.
        nonce: what makes the box unlike any other.
        payload: the JSON of the value, sealed.
    """

    key: bytes
    nonce: bytes
    payload: bytes


def public_key(tx: Transaction, owner: Reference) -> bytes:
    """The key by which anybody seals a value for an object; it is made when it is asked for first."""
    return bytes(_own_key(tx, owner).public_key)


def forget(tx: Transaction, owner: Reference) -> None:
    """Forget the key of an object that is gone."""
    tx.keep_secret(_name(owner), None)


def sealed(tx: Transaction, owner: Reference, value: Any) -> dict[str, Any]:
    """A value as only the server can read it, in the form of the wire."""
    sender = PrivateKey.generate()
    message = Box(sender, _own_key(tx, owner).public_key).encrypt(encode(value))
    data = SecureData(key=bytes(sender.public_key), nonce=message.nonce, payload=message.ciphertext)
    secure: dict[str, Any] = plain(data)
    return secure


def opened(reader: Reader, owner: Reference, value: Any) -> Any:
    """What a sealed value holds.

    Raises:
        Unopenable: it is none, or was sealed for another object.
    """
    data, private = _secure_data(value), reader.secret(_name(owner))
    if data is None or private is None:
        raise Unopenable
    try:
        return decode_json(_text_in(data, private))
    except (CryptoError, ValueError, TypeError):
        raise Unopenable from None


def private_keys(reader: Reader, prefix: str) -> Mapping[str, bytes]:
    """The keys that open the values of all objects of a kind, by the objects' keys."""
    beginning = _name((prefix, ""))
    return {name.removeprefix(beginning): key for name, key in reader.secrets(beginning).items()}


def opened_text(text: bytes, private: bytes) -> bytes:
    """The JSON of what a sealed value holds, which is given as JSON itself; the same, if the key does not open it."""
    try:
        return _text_in(_SECURE_DATA.decode(text), private)
    except (CryptoError, ValueError, TypeError):
        return text


_SECURE_DATA = msgspec.json.Decoder(SecureData)


def _text_in(data: SecureData, private: bytes) -> bytes:
    # a Box would compute the public key of the private one as well, which takes as long
    open_box = crypto_box_open if len(data.payload) > _SMALL else _opened_box
    text: bytes = open_box(data.payload, data.nonce, data.key, private)
    return text


#: To agree upon a key is nearly all that opening takes, and a value is read many times.
_opened_box = lru_cache(maxsize=16384)(crypto_box_open)


def _own_key(tx: Transaction, owner: Reference) -> PrivateKey:
    """The private key of an object."""
    if kept := tx.secret(_name(owner)):
        return PrivateKey(kept)
    made = PrivateKey.generate()
    tx.keep_secret(_name(owner), bytes(made))
    return made


def _name(owner: Reference) -> str:
    return "/".join(("params", *owner))


def _secure_data(value: Any) -> SecureData | None:
    try:
        return msgspec.convert(value, SecureData) if isinstance(value, dict) else None
    except msgspec.ValidationError:
        return None
