"""Requests to an API server over connections that stay open."""

from __future__ import annotations

import base64
import json
import ssl
import tempfile
import time
from collections.abc import Callable, Mapping
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from queue import Empty, LifoQueue
from threading import Lock
from typing import Any
from urllib.parse import SplitResult, unquote, urlencode, urlsplit
from urllib.request import getproxies, proxy_bypass

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.kubernetes.access import Access

#: Seconds until a request that nobody answers fails.
_TIMEOUT = 60
#: How often a request is sent that a busy server turns away.
_TRIES = 5
#: Seconds that a request waits at most for the next time, whatever the server says.
_LONGEST_WAIT = 30.0
#: Statuses by which a server says: later.
_LATER = (429, 503)


class RequestRefused(EnsembleError):
    """The server does not do what it was asked.

    Attributes:
        code: HTTP's.
        reason: Kubernetes' word (`NotFound`, `Conflict`, `Forbidden`, ...).
        details: as its `Status` has them.
    """

    def __init__(self, message: str, code: int, reason: str = "", details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.details = details or {}


class Connections:
    """Connections to an API server, which several threads share: each request has one for itself.

    Args:
        access: how it is reached.
        renew: finds that anew, for credentials may expire.
    """

    def __init__(self, access: Access, renew: Callable[[], Access]) -> None:
        self._renew = renew
        self._renewal = Lock()
        self._route = _Route(access)

    @property
    def access(self) -> Access:
        """How the server is reached."""
        return self._route.access

    def request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        body: Any = None,
        content_type: str = "application/json",
    ) -> dict[str, Any]:
        """What the server answers to a request.

        Raises:
            RequestRefused: it refuses.
        """
        route = self._route
        try:
            return route.ask(method, path, query, body, content_type)
        except RequestRefused as error:
            if error.code != 401 or (found := self._renewed(route)) is None:
                raise
        return found.ask(method, path, query, body, content_type)

    def _renewed(self, route: _Route) -> _Route | None:
        """The route that takes the place of one whose credentials are refused; None if there are no others."""
        with self._renewal:
            if self._route is route and (found := self._renew()) != route.access:
                self._route = _Route(found)
            return self._route if self._route is not route else None


class _Route:
    """One way to reach a server, and the connections that wait for requests."""

    def __init__(self, access: Access) -> None:
        self.access = access
        self._idle: LifoQueue[HTTPConnection] = LifoQueue()
        self._address = urlsplit(access.server)
        self._proxy = access.proxy or _proxy(self._address.hostname or "", self._address.scheme)
        self._context = _tls(access) if self._address.scheme == "https" else None
        self._headers = {"Accept": "application/json", "User-Agent": "ansible-ensemble", **_authorization(access)}

    def ask(
        self, method: str, path: str, query: Mapping[str, str] | None, body: Any, content_type: str
    ) -> dict[str, Any]:
        """What the server answers; it is asked again where it says that it is busy."""
        url = self._address.path.rstrip("/") + path + (f"?{urlencode(query)}" if query else "")
        headers, data = self._headers, None
        if body is not None:
            headers, data = {**headers, "Content-Type": content_type}, json.dumps(body).encode()
        for left in reversed(range(_TRIES)):
            status, content, wait = self._send(method, url, data, headers)
            if status not in _LATER or not left:
                break
            time.sleep(wait)
        try:
            answer = json.loads(content)
            answer = answer if isinstance(answer, dict) else {}
        except ValueError:
            answer = {"message": content[:200].decode(errors="replace").strip()}
        if status >= 400:
            raise self._refused(status, answer)
        return answer

    def _send(self, method: str, url: str, data: bytes | None, headers: Mapping[str, str]) -> tuple[int, bytes, float]:
        while True:
            connection, is_new = self._take()
            try:
                connection.request(method, url, data, dict(headers))
                answer = connection.getresponse()
                content = answer.read()
            except (OSError, HTTPException) as error:
                connection.close()
                if is_new:
                    raise self._unreachable(error) from None
                continue  # the server closed it while nobody used it; what is asked for can be asked for twice
            self._idle.put(connection)
            after = answer.getheader("Retry-After") or "1"
            return answer.status, content, min(float(after), _LONGEST_WAIT) if after.isdigit() else 1.0

    def _take(self) -> tuple[HTTPConnection, bool]:
        try:
            return self._idle.get_nowait(), False
        except Empty:
            return self._new(), True

    def _new(self) -> HTTPConnection:
        host, port = self._address.hostname or "", self._address.port
        through = urlsplit(self._proxy) if self._proxy else None
        at, by = (host, port) if through is None else (through.hostname or "", through.port or 80)
        if self._context is None:
            made = HTTPConnection(at, by, timeout=_TIMEOUT)
        else:
            made = _Encrypted(at, by or 443, self._context, self.access.tls_server_name or host)
        if through is not None:
            made.set_tunnel(host, port or 443, _proxy_authorization(through))
        return made

    def _unreachable(self, error: Exception) -> EnsembleError:
        what = f"the Kubernetes API server {self.access.server} ({self.access.origin})"
        if isinstance(error, ssl.SSLCertVerificationError):
            hint = "name its authority by ca_cert, or accept any certificate by validate_certs: false"
            return EnsembleError(f"{what} shows a certificate that is not trusted: {error.verify_message}", hint=hint)
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        return EnsembleError(f"{what} cannot be reached: {reason}")

    def _refused(self, status: int, answer: Mapping[str, Any]) -> RequestRefused:
        said = str(answer.get("message") or "no reason")
        if status == 401:
            said = f"the Kubernetes API server {self.access.server} refuses the credentials of {self.access.origin}"
        elif status == 403:
            said = f"the Kubernetes API server {self.access.server} forbids it: {said}"
        return RequestRefused(said, status, str(answer.get("reason") or ""), answer.get("details"))


class _Encrypted(HTTPSConnection):
    """A connection whose certificate has to be of a name that need not be the server's."""

    def __init__(self, host: str, port: int, context: ssl.SSLContext, name: str) -> None:
        super().__init__(host, port, timeout=_TIMEOUT, context=context)
        self._tls = context
        self._name = name

    def connect(self) -> None:
        """Connect, by a tunnel if there is one, and begin TLS."""
        HTTPConnection.connect(self)
        self.sock = self._tls.wrap_socket(self.sock, server_hostname=self._name)


def _authorization(access: Access) -> dict[str, str]:
    if access.token:
        return {"Authorization": f"Bearer {access.token}"}
    if access.user:
        return {"Authorization": _basic(*access.user)}
    return {}


def _proxy_authorization(proxy: SplitResult) -> dict[str, str]:
    if not proxy.username:
        return {}
    return {"Proxy-Authorization": _basic(unquote(proxy.username), unquote(proxy.password or ""))}


def _basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def _tls(access: Access) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cadata=access.authority)
        if not access.verify:
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        if access.client_cert and access.client_key:
            # the module takes files only
            with tempfile.TemporaryDirectory() as folder:
                certificate, key = Path(folder, "certificate"), Path(folder, "key")
                certificate.write_text(access.client_cert)
                key.touch(mode=0o600)
                key.write_text(access.client_key)
                context.load_cert_chain(certificate, key)
    except (ssl.SSLError, ValueError) as error:
        raise EnsembleError(f"a certificate or key of {access.origin} cannot be used: {error}") from None
    return context


def _proxy(host: str, scheme: str) -> str | None:
    """The proxy that the environment names for a host."""
    if proxy_bypass(host):
        return None
    return getproxies().get(scheme)
