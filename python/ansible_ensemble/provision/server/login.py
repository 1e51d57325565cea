"""What a request shows of who sends it: `Basic`, `Bearer`, or `token` in its query."""

from __future__ import annotations

import hashlib
import logging
import secrets
import time
from base64 import b64decode
from binascii import Error as NoBase64
from collections import OrderedDict

from aiohttp import web

from ansible_ensemble.core.password_check import PasswordCheck, TooManyAttempts
from ansible_ensemble.provision.objects.access import User
from ansible_ensemble.provision.rules.refusal import Refused
from ansible_ensemble.provision.server.identity import PasswordProof, Proof, TokenProof, denied
from ansible_ensemble.provision.server.tokens import Invalid, parse_token
from ansible_ensemble.provision.store.transaction import Store

_LOG = logging.getLogger(__name__)

#: For how many seconds, and how many, right passwords are remembered, by a digest that no one else can make.
_REMEMBERED = 60.0
_MOST = 1000


class Login:
    """Proves who sends requests."""

    def __init__(self, store: Store, key: bytes) -> None:
        self._store, self._key = store, key
        self._salt = secrets.token_bytes(32)
        self._right: OrderedDict[bytes, tuple[float, str]] = OrderedDict()
        self._passwords = PasswordCheck()

    async def proof(self, request: web.Request) -> Proof:
        """What a request shows.

        Raises:
            Refused: 401, it shows nothing; 403, its password is wrong; 429, too many were wrong before.
        """
        method, _separator, text = request.headers.get("Authorization", "").partition(" ")
        if not method and (text := request.query.get("token", "")):
            method = "bearer" if "." in text and ":" not in text else "plain"
        match method.lower():
            case "bearer":
                return self._of_token(text.strip())
            case "basic":
                return await self._of_password(_decoded(text.strip()), request.remote or "")
            case "plain":
                return await self._of_password(text, request.remote or "")
        raise _unknown()

    def _of_token(self, text: str) -> Proof:
        try:
            return TokenProof(parse_token(text), self._key)
        except Invalid:
            raise _unknown() from None

    async def _of_password(self, text: str, address: str) -> Proof:
        name, colon, password = text.partition(":")
        if not colon:
            raise _unknown()
        user = await self._store.read(lambda reader: reader.get(User, name))
        kept = user.password_hash if user else ""
        digest = hashlib.blake2b(f"{name}\0{password}".encode("utf-8", "surrogatepass"), key=self._salt).digest()
        if not self._is_remembered(digest, kept):
            await self._verify(name, password, kept, address)
            self._remember(digest, kept)
        return PasswordProof(name, kept)

    def _is_remembered(self, digest: bytes, kept: str) -> bool:
        since, known = self._right.get(digest, (0.0, ""))
        return bool(kept) and known == kept and since > time.monotonic() - _REMEMBERED

    def _remember(self, digest: bytes, kept: str) -> None:
        self._right[digest] = (time.monotonic(), kept)
        self._right.move_to_end(digest)
        while len(self._right) > _MOST:
            self._right.popitem(last=False)

    async def _verify(self, name: str, password: str, kept: str, address: str) -> None:
        """Refuse a password that is wrong, after a while if others were wrong before."""
        try:
            right = await self._passwords.is_right(name, password, kept, address)
        except TooManyAttempts:
            raise Refused(429, "Too many wrong passwords, try later", model="users") from None
        if not right:
            _LOG.warning("a wrong password from %s", address)
            raise denied()


def _decoded(text: str) -> str:
    try:
        return b64decode(text, validate=True).decode()
    except (NoBase64, ValueError):
        raise _unknown() from None


def _unknown() -> Refused:
    return Refused(401, "Access Denied", model="users")
