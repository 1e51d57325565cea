"""Tokens: what stands for a password, for a time.

A token says whose it is, until when, and what limits it has. It is signed with a key of the server and the secret of
its user or machine; another secret makes all tokens of its owner invalid. That of a job ends with its job.
"""

from __future__ import annotations

import hashlib
import hmac
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NoBase64

import msgspec
from msgspec import Struct

from ansible_ensemble.provision.objects.parts import Claim

#: The name of the key among the secrets of the server.
KEY_NAME = "token-key"
KEY_BYTES = 32


class Token(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a token says.

    Attributes:
        user: whose it is; or
        machine: the machine's whose it is; or
        plugin: the plugin's.
        job: with whose end it ends.
        expires: in seconds since 1970.
        limits: lists of claims; each of the lists has to allow what its owner does with it.
        grants: claims beyond those of the machine, for its job.
    """

    user: str = ""
    machine: str = ""
    plugin: str = ""
    job: str = ""
    expires: int = 0
    limits: list[list[Claim]] = []
    grants: list[Claim] = []

    @property
    def principal(self) -> str:
        """Whose it is, as events say it."""
        if self.plugin:
            return f"plugin:{self.plugin}"
        return f"user:{self.user}" if self.user else f"runner:{self.machine}"

    @property
    def is_expired(self) -> bool:
        """Whether its time is over."""
        return self.expires <= time.time()


class Invalid(ValueError):
    """A text that is no token."""


class SignedToken(Struct, frozen=True):
    """A token as it was sent, whose signature nobody looked at yet."""

    token: Token
    payload: str
    signature: bytes

    def is_signed(self, key: bytes, secret: str) -> bool:
        """Whether the server made it, and its owner has the same secret still."""
        return bool(secret) and hmac.compare_digest(self.signature, _signature(key, secret, self.payload))


def signed(token: Token, key: bytes, secret: str) -> str:
    """The text of a token."""
    payload = _text(msgspec.json.encode(token))
    return f"{payload}.{_text(_signature(key, secret, payload))}"


def parse_token(text: str) -> SignedToken:
    """What a text says that should be a token.

    Raises:
        Invalid: it is none.
    """
    payload, _separator, signature = text.partition(".")
    try:
        token = msgspec.json.decode(_bytes(payload), type=Token)
        return SignedToken(token, payload, _bytes(signature))
    except (msgspec.DecodeError, NoBase64, ValueError, RecursionError):
        raise Invalid from None


def _signature(key: bytes, secret: str, payload: str) -> bytes:
    return hmac.digest(hmac.digest(key, secret.encode(), hashlib.sha256), payload.encode(), hashlib.sha256)


def _text(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


def _bytes(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
