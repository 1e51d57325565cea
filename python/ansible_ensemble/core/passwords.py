"""Passwords: what is kept of them, and whether one is right."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from base64 import b64decode, b64encode

# 16 MiB and some 50 ms for each try.
_COST = {"n": 2**14, "r": 8, "p": 1}
_SALT_BYTES = 16


def hashed(password: str) -> str:
    """What is kept of a password: a name of the method, the salt and the hash."""
    salt = secrets.token_bytes(_SALT_BYTES)
    return "$".join(("scrypt", b64encode(salt).decode(), b64encode(_scrypt(password, salt)).decode()))


#: Compared with where there is no user, so that the time of an answer does not tell.
_NOBODY = "scrypt$AAAAAAAAAAAAAAAAAAAAAA==$AA=="


def is_password(password: str, kept: str) -> bool:
    """Whether a password is the one of which this is kept; of nothing kept, none is."""
    method, _separator, rest = (kept or _NOBODY).partition("$")
    salt, _separator, expected = rest.partition("$")
    return method == "scrypt" and hmac.compare_digest(_scrypt(password, b64decode(salt)), b64decode(expected))


def _scrypt(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(password.encode("utf-8", "surrogatepass"), salt=salt, **_COST)
