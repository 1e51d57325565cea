"""Signatures of what a worker is told, by keys as ssh-keygen makes them, and seals on how it ended."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.mesh.control import MeshError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

_MAKE = "make one with `ssh-keygen -t ed25519 -N '' -f FILE`"
#: Kind of key, as the lines of public keys begin.
_KIND = "ssh-ed25519"


class Connection:
    """What the messages of a connection are signed with, beside their texts: none counts elsewhere, or twice.

    Args:
        node: the id of the worker's node.
        challenge: what the worker made up for this connection.
    """

    def __init__(self, node: str, challenge: str) -> None:
        self._about = ["ansible-ensemble mesh", node, challenge]
        self._count = 0

    def covered(self, text: str) -> bytes:
        """What the signature of the next message covers."""
        self._count += 1
        return json.dumps([*self._about, self._count, text]).encode()


class Signer:
    """Signs with a private key, which its file holds."""

    def __init__(self, file: Path) -> None:
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import load_ssh_private_key

        try:
            key = load_ssh_private_key(_content(file), password=None)
        except (ValueError, TypeError, UnsupportedAlgorithm) as error:  # TypeError: it wants a password
            raise InvalidInput("this is no private key without a password", Place(str(file)), _MAKE) from error
        if not isinstance(key, Ed25519PrivateKey):
            raise InvalidInput("this is no key of the kind ed25519", Place(str(file)), _MAKE)
        self._key = key

    def sign(self, covered: bytes) -> str:
        """The signature of bytes."""
        return base64.b64encode(self._key.sign(covered)).decode()

    def key_for(self, name: str) -> str:
        """The key that seals how an order ended: always the same, so that it need not be kept."""
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF

        made = HKDF(SHA256(), 32, salt=None, info=f"ansible-ensemble order {name}".encode())
        return base64.b64encode(made.derive(self._key.private_bytes_raw())).decode()


class KnownKeys:
    """The public keys of those who may tell a worker what to do: lines of a file, as in `authorized_keys`."""

    def __init__(self, file: Path) -> None:
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
        from cryptography.hazmat.primitives.serialization import load_ssh_public_key

        self._keys: dict[str, Ed25519PublicKey] = {}
        for number, line in enumerate(_content(file).splitlines(), 1):
            if not line.strip() or line.startswith(b"#"):
                continue
            try:
                key = load_ssh_public_key(line)
            except (ValueError, UnsupportedAlgorithm):
                key = None
            if not isinstance(key, Ed25519PublicKey):
                raise InvalidInput(f"this is no public key of the kind {_KIND}", Place(str(file), number), _MAKE)
            self._keys[hashlib.sha256(key.public_bytes_raw()).hexdigest()[:32]] = key
        if not self._keys:
            raise InvalidInput("there is no key in it", Place(str(file)), "the lines are those of FILE.pub")

    def signer(self, covered: bytes, signature: str) -> str | None:
        """The fingerprint of the key that signed bytes; None if it is none of these."""
        from cryptography.exceptions import InvalidSignature

        try:
            raw = base64.b64decode(signature, validate=True)
        except ValueError:
            return None
        for fingerprint, key in self._keys.items():
            try:
                key.verify(raw, covered)
            except InvalidSignature:
                continue
            return fingerprint
        return None


def seal(key: str, name: str, ended: dict[str, Any]) -> str:
    """How an order ended, for who has its key."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    nonce = os.urandom(12)
    try:
        sealed = AESGCM(base64.b64decode(key)).encrypt(nonce, json.dumps(ended, default=str).encode(), name.encode())
    except ValueError as error:
        raise MeshError("this is no key") from error
    return base64.b64encode(nonce + sealed).decode()


def unseal(key: str, name: str, sealed: object) -> dict[str, Any]:
    """How an order ended, as somebody says who was told its key."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    try:
        raw = base64.b64decode(str(sealed), validate=True)
        ended = json.loads(AESGCM(base64.b64decode(key)).decrypt(raw[:12], raw[12:], name.encode()))
    except (ValueError, InvalidTag) as error:
        raise MeshError("what it says was not sealed with the key of the order") from error
    return dict(ended)


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise InvalidInput(f"it cannot be read: {error.strerror}", Place(str(file)), _MAKE) from error
