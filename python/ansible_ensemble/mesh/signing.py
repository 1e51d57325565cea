"""Signatures of what a worker is told, by keys as ssh-keygen makes them, and seals on how it ended."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.documents.atomic import write_atomically
from ansible_ensemble.documents.private import make_private
from ansible_ensemble.mesh.control import MeshError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

_MAKE = "make one with `ssh-keygen -t ed25519 -N '' -f FILE`"
#: Kind of key, as the lines of public keys begin.
KIND = "ssh-ed25519"


class PublicKey(Struct, frozen=True):
    """A public key.

    Attributes:
        line: it as in a file of ssh-keygen, without a comment.
        raw: its bytes.
    """

    line: str
    raw: bytes

    @classmethod
    def of(cls, line: str) -> PublicKey | None:
        """The key of a line; None if it is none of the kind ed25519."""
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
        from cryptography.hazmat.primitives.serialization import load_ssh_public_key

        try:
            key = load_ssh_public_key(line.encode())
        except (ValueError, UnsupportedAlgorithm):
            return None
        return cls.from_key(key) if isinstance(key, Ed25519PublicKey) else None

    @classmethod
    def from_key(cls, key: Ed25519PublicKey) -> PublicKey:
        """The same key."""
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        line = key.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()
        return cls(line, key.public_bytes_raw())

    @property
    def fingerprint(self) -> str:
        """Its fingerprint, as `ssh-keygen -l` shows it."""
        digest = hashlib.sha256(base64.b64decode(self.line.split()[1])).digest()
        return f"SHA256:{base64.b64encode(digest).decode().rstrip('=')}"

    def has_signed(self, covered: bytes, signature: str) -> bool:
        """Whether its private key made a signature of bytes."""
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        try:
            Ed25519PublicKey.from_public_bytes(self.raw).verify(base64.b64decode(signature, validate=True), covered)
        except (ValueError, InvalidSignature):
            return False
        return True


class Seal:
    """Seals the texts of one direction of a connection, each with its number."""

    def __init__(self, key: bytes) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        self._cipher = AESGCM(key)
        self.count = 0

    def seal(self, text: str) -> str:
        """The next text, for who has the key."""
        return base64.b64encode(self._cipher.encrypt(self._next(), text.encode(), None)).decode()

    def unseal(self, sealed: str) -> str:
        """What the next text is.

        Raises:
            ValueError: it was not sealed with this key, or is not the next one.
        """
        from cryptography.exceptions import InvalidTag

        nonce = self._next()
        try:
            return self._cipher.decrypt(nonce, base64.b64decode(sealed, validate=True), None).decode()
        except InvalidTag as error:
            raise ValueError("it was sealed with another key, or comes out of turn") from error

    def _next(self) -> bytes:
        self.count += 1
        return self.count.to_bytes(12, "big")


class Connection:
    """What a worker is told on a connection, sealed and signed: nothing counts elsewhere, or twice.

    Args:
        node: the id of the worker's node.
        challenge: what both ends made up for this connection.
        key: what only they have.
        answers: another such key, of what the worker answers (`Wire`).
    """

    def __init__(self, node: str, challenge: str, key: bytes, answers: bytes) -> None:
        self.answers = answers
        self._about = ["ansible-ensemble mesh", node, challenge]
        self._seal = Seal(key)

    def tell(self, signer: Signer, text: str) -> dict[str, str]:
        """The next message to the worker."""
        sealed = self._seal.seal(text)
        return {"told": sealed, "signature": signer.sign(self._covered(text))}

    def heard(self, sealed: str) -> tuple[str, bytes]:
        """What the next message says, and what its signature has to cover.

        Raises:
            MeshError: it is not the next one of the other end.
        """
        try:
            text = self._seal.unseal(sealed)
        except ValueError as error:
            raise MeshError("it was not sealed for this connection, or comes out of turn") from error
        return text, self._covered(text)

    def _covered(self, text: str) -> bytes:
        return json.dumps([*self._about, self._seal.count, text]).encode()


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
        self.public = PublicKey.from_key(key.public_key())

    def sign(self, covered: bytes) -> str:
        """The signature of bytes."""
        return base64.b64encode(self._key.sign(covered)).decode()

    def key_for(self, name: str, digest: str) -> str:
        """The key that seals how an order ended, of this name and with this content.

        It is always the same, so that it need not be kept; and whoever asks what became of another order of the name
        does not mistake the answer.
        """
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF

        made = HKDF(SHA256(), 32, salt=None, info=f"ansible-ensemble order {name} {digest}".encode())
        return base64.b64encode(made.derive(self._key.private_bytes_raw())).decode()


def kept_signer(folder: Path) -> Signer:
    """Signs with the key that a folder keeps, which is made if there is none yet."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    file = folder / "node_key"
    make_private(folder)
    if not file.exists():
        key = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())
        write_atomically(file, key.decode(), mode=0o600)
    return Signer(file)


class KnownKeys:
    """The public keys of those who may tell a worker what to do: lines of a file, as in `authorized_keys`."""

    def __init__(self, file: Path) -> None:
        self._keys: dict[str, PublicKey] = {}
        for number, line in enumerate(_content(file).splitlines(), 1):
            if not line.strip() or line.startswith(b"#"):
                continue
            key = PublicKey.of(line.decode(errors="replace"))
            if key is None:
                raise InvalidInput(f"this is no public key of the kind {KIND}", Place(str(file), number), _MAKE)
            self._keys[hashlib.sha256(key.raw).hexdigest()[:32]] = key
        if not self._keys:
            raise InvalidInput("there is no key in it", Place(str(file)), "the lines are those of FILE.pub")

    def signer(self, covered: bytes, signature: str) -> str | None:
        """The name of the key that signed bytes; None if it is none of these."""
        return next((name for name, key in self._keys.items() if key.has_signed(covered, signature)), None)


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
    except (ValueError, InvalidTag, RecursionError) as error:
        raise MeshError("what it says was not sealed with the key of the order") from error
    if not isinstance(ended, dict):
        raise MeshError("what it says is no object")
    return ended


def seal_data(signer: Signer, data: bytes) -> tuple[bytes, str]:
    """Data, sealed by a key that is used for it alone, and the key; always the same, so that it is sent once."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    key = signer.key_for("data", hashlib.sha256(data).hexdigest())
    return AESGCM(base64.b64decode(key)).encrypt(bytes(12), data, None), key


def unseal_data(key: str, sealed: bytes) -> bytes:
    """Data that was sealed by a key."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    try:
        return AESGCM(base64.b64decode(key)).decrypt(bytes(12), sealed, None)
    except (ValueError, InvalidTag) as error:
        raise MeshError("what is around the order was not sealed with its key") from error


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise InvalidInput(f"it cannot be read: {error.strerror}", Place(str(file)), _MAKE) from error
