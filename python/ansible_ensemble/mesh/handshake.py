"""How the ends of a stream agree on a key that only they have, and how the worker proves whose it is.

The worker signs, by the key of its node, what both ends made up for this connection. So nobody can pass for the node
who has not its key, not by repeating what it said elsewhere, nor by standing between the two. What follows is
sealed in both directions.
"""

from __future__ import annotations

import base64
import hashlib
import json

from msgspec import Struct, ValidationError, convert

from ansible_ensemble.mesh.control import MeshError
from ansible_ensemble.mesh.hello import Hello, hello_of
from ansible_ensemble.mesh.known_nodes import KnownNodes, UntrustedNode
from ansible_ensemble.mesh.signing import Connection, PublicKey, Signer
from ansible_ensemble.mesh.wire import Wire

#: Bytes of what a worker says of itself.
_LONGEST = 1 << 20


class Proof(Struct, frozen=True):
    """What a worker answers to the other end's share of the key.

    Attributes:
        key: the public key of its node, as in a file of ssh-keygen.
        share: its own share.
        signature: of both shares, and of what they are for.
    """

    key: str
    share: str
    signature: str


class Met(Struct, frozen=True):
    """A worker that has proved which key its node has.

    Attributes:
        hello: what it has.
        key: its public key.
        connection: signs and seals what it is told.
    """

    hello: Hello
    key: PublicKey
    connection: Connection


async def meet(wire: Wire, node: str, known: KnownNodes | None = None) -> Met:
    """Meet the worker of a node, before it is told anything.

    Raises:
        UntrustedNode: it does not prove that it has a key, or has another one than those that are known, if any are.
        MeshError: it is no worker of this node.
    """
    hello = hello_of(await wire.receive(_LONGEST), node)
    half = _Half()
    await wire.send({"share": half.share})
    answer = await wire.receive(_LONGEST)
    if answer is None:
        raise MeshError(f"the worker of {node} has hung up")
    try:
        proof = convert(answer, Proof)
    except ValidationError as error:
        raise UntrustedNode(f"the worker of {node} proves no key: {error}") from error
    key = PublicKey.of(proof.key)
    about = _about(hello, half.share, proof)
    if key is None or not key.has_signed(about, proof.signature):
        raise UntrustedNode(f"the worker of {node} does not have the private key to the public one that it shows")
    if known is not None:
        known.check(node, key)
    connection = half.connection(node, proof.share, about)
    wire.unseal_with(connection.answers)
    return Met(hello, key, connection)


def prove(key: Signer, hello: Hello, share: str) -> tuple[Proof, Connection]:
    """A worker's proof that it has the key of its node, for who sent a share; and the connection with that one."""
    half = _Half()
    unsigned = Proof(key.public.line, half.share, "")
    about = _about(hello, share, unsigned)
    return Proof(unsigned.key, unsigned.share, key.sign(about)), half.connection(hello.node, share, about)


class _Half:
    """One end's half of the key of a connection."""

    def __init__(self) -> None:
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

        self._private = X25519PrivateKey.generate()
        self.share = base64.b64encode(self._private.public_key().public_bytes_raw()).decode()

    def connection(self, node: str, share: str, about: bytes) -> Connection:
        """The connection with the end that has the other half."""
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF

        try:
            other = X25519PublicKey.from_public_bytes(base64.b64decode(share, validate=True))
            shared = self._private.exchange(other)
        except ValueError as error:
            raise MeshError("this is no share of a key") from error
        digest = hashlib.sha256(about)
        told, answers = (HKDF(SHA256(), 32, digest.digest(), use).derive(shared) for use in (b"told", b"answers"))
        return Connection(node, digest.hexdigest(), told, answers)


def _about(hello: Hello, share: str, proof: Proof) -> bytes:
    """What the proof of a worker covers."""
    return json.dumps(["ansible-ensemble node", hello.node, hello.challenge, share, proof.share, proof.key]).encode()
