"""State on a server that speaks Terraform's HTTP protocol: GET, POST, LOCK and UNLOCK at a URL."""

from __future__ import annotations

import base64
import hashlib
import ssl
from collections.abc import Mapping
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, HTTPSHandler, Request, build_opener

from msgspec import Struct, field

from ansible_ensemble.changes.job_record import OPEN
from ansible_ensemble.core.errors import Locked, UsageError
from ansible_ensemble.core.texts import without_credentials
from ansible_ensemble.projects.lock import Lock, NotLocked, describe, lock_text, parse_lock
from ansible_ensemble.projects.process import Process
from ansible_ensemble.state.document_store import DocumentStore
from ansible_ensemble.state.store import Unreachable

_TIMEOUT = 60  #: seconds without an answer
_LARGEST = 1_000_000_000  #: bytes of a document
_HELD = (409, 423)
_DENIED = (401, 403)


class HttpSettings(Struct, frozen=True):
    """The settings of a server.

    Attributes:
        url: of the state.
        lock: URL of its lock; empty without one.
        unlock: URL to release it.
        methods: the methods that write, lock and unlock, by the names of Terraform's settings.
        username, password: for basic authentication.
        token: sent as a bearer.
        ca: file of the certificates that are trusted.
    """

    url: str
    lock: str = ""
    unlock: str = ""
    methods: Mapping[str, str] = field(default_factory=dict)
    username: str = ""
    password: str = ""
    token: str = ""
    ca: str = ""


class HttpStore(DocumentStore):
    """The store at a URL. Terraform's protocol cannot renew a lock: it lasts until it is released."""

    leases = False

    def __init__(self, settings: HttpSettings) -> None:
        super().__init__(without_credentials(settings.url))
        self._settings = settings
        self._known: Lock | None = None

    @property
    def exclusive(self) -> bool:
        """See `Store`: without a lock nothing is."""
        return bool(self._settings.lock)

    def get(self) -> bytes | None:
        """See `DocumentStore`."""
        status, body = self._ask("GET", self._settings.url)
        if status in (204, 404) or (status == 200 and not body):
            return None
        self._check(status, "read")
        return body

    def put(self, document: bytes, lock_id: str) -> None:
        """See `DocumentStore`."""
        url = self._settings.url
        if self._settings.lock:
            url += ("&" if urlsplit(url).query else "?") + urlencode({"ID": lock_id})
        status, body = self._ask(self._settings.methods.get("update_method", "POST"), url, document)
        if status in _HELD:
            raise Locked(f"the lock of the state was lost: {self._holder(body)}")
        self._check(status, "write")

    def holder(self) -> Lock | None:
        """See `Store`: Terraform's protocol does not say; whose journal is there may be at work."""
        if not any(name.endswith(OPEN) for name in self._files or ()):
            return None
        return Lock(self.where, "unknown", "", "a job elsewhere", Process(0), "", "")

    def take(self, lock: Lock) -> Lock | None:
        """See `Store`."""
        if not self._settings.lock:
            return None
        self._known = lock
        method = self._settings.methods.get("lock_method", "LOCK")
        status, body = self._ask(method, self._settings.lock, lock_text(lock).encode())
        if status in _HELD:
            return parse_lock(body.decode(errors="replace"), self.where)
        self._check(status, "lock")
        return None

    def renew(self, lock_id: str) -> None:
        """See `Store`: there is nothing to renew."""

    def release(self, lock_id: str, *, forced: bool = False) -> None:
        """See `Store`; the journal is in the state already."""
        if not self._settings.lock:
            return
        known = self._known if self._known is not None and self._known.id == lock_id and not forced else None
        text = lock_text(known) if known else f'{{"ID": "{lock_id}"}}'
        method = self._settings.methods.get("unlock_method", "UNLOCK")
        status, body = self._ask(method, self._settings.unlock or self._settings.lock, text.encode())
        if status == 404:
            raise NotLocked("the state is not locked")
        if status in _HELD:
            raise UsageError(f"that is not the lock's id: {self._holder(body)}")
        self._check(status, "unlock")

    def _holder(self, body: bytes) -> str:
        return describe(parse_lock(body.decode(errors="replace"), self.where))

    def _check(self, status: int, verb: str) -> None:
        if 200 <= status < 300:
            return
        hint = "check the credential of `state`: username and password, or token" if status in _DENIED else None
        raise Unreachable(f"the server refuses to {verb} the state in {self.where}: it answers {status}", hint=hint)

    def _ask(self, method: str, url: str, body: bytes | None = None) -> tuple[int, bytes]:
        request = Request(url, data=body, method=method, headers=self._headers(body))
        try:
            with build_opener(_NoRedirects(), *self._tls()).open(request, timeout=_TIMEOUT) as answer:
                return answer.status, answer.read(_LARGEST)
        except HTTPError as error:
            return error.code, error.read(_LARGEST)
        except (URLError, HTTPException, OSError, ValueError) as error:
            reason = getattr(error, "reason", None) or error
            raise Unreachable(f"the state in {self.where} cannot be reached: {reason}") from None

    def _headers(self, body: bytes | None) -> dict[str, str]:
        settings = self._settings
        headers = {"User-Agent": "ansible-ensemble"}
        if body is not None:
            digest = base64.b64encode(hashlib.md5(body, usedforsecurity=False).digest()).decode()
            headers |= {"Content-Type": "application/json", "Content-MD5": digest}
        if settings.token:
            headers["Authorization"] = f"Bearer {settings.token}"
        elif settings.username or settings.password:
            pair = base64.b64encode(f"{settings.username}:{settings.password}".encode()).decode()
            headers["Authorization"] = f"Basic {pair}"
        return headers

    def _tls(self) -> list[HTTPSHandler]:
        if not self._settings.url.startswith("https:"):
            return []
        return [HTTPSHandler(context=ssl.create_default_context(cafile=self._settings.ca or None))]


class _NoRedirects(HTTPRedirectHandler):
    """Follows no redirection, as the credential is for one server."""

    def redirect_request(self, *_arguments: Any) -> None:
        """Follow none."""
