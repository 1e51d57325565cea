"""Who may see the pages: whoever opens the address that the command printed, once, in one browser."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable

from aiohttp import web

COOKIE = "ansible-ensemble"
#: Addresses of this machine, as browsers name it.
_HERE = ("localhost", "127.0.0.1", "[::1]")
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_USED = (
    "This address was used already, or the server was started anew.\n"
    "Press Enter where `ansible-ensemble ui` runs: it prints another one.\n"
)

_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Access:
    """The tokens that open a session, and the sessions.

    Args:
        hosts: how requests may name this server, so that no other site's name leads here; empty where only those who
            may open a socket's file reach it.
        read_only: whether nothing may be changed.
    """

    def __init__(self, hosts: frozenset[str], *, read_only: bool = False) -> None:
        self.read_only = read_only
        self.hosts = hosts
        self._tokens: set[str] = set()
        self._sessions: set[str] = set()

    def new_token(self) -> str:
        """A token that opens one session."""
        token = secrets.token_urlsafe(24)
        self._tokens.add(token)
        return token

    @web.middleware
    async def guard(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        """Let through who has a session, and open one for who has a token."""
        response = await self._guarded(request, handler)
        if not response.prepared:
            response.headers.update(_HEADERS)
        return response

    async def _guarded(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        if self.hosts and request.headers.get("Host", "") not in self.hosts:
            return web.Response(status=403, text="This server has another name.\n")
        if token := request.query.get("token"):
            return self._opened(token)
        if not self._is_known(request.cookies.get(COOKIE, "")):
            return web.Response(status=401, text=_USED)
        if request.method not in ("GET", "HEAD"):
            if request.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin" or not self._is_own(request):
                return web.Response(status=403, text="Another site asked for this.\n")
            if self.read_only:
                return web.Response(status=403, text="This server only shows: it was started with --read-only.\n")
        return await handler(request)

    def _opened(self, token: str) -> web.Response:
        known = next((one for one in self._tokens if hmac.compare_digest(one.encode(), token.encode())), None)
        if known is None:
            return web.Response(status=401, text=_USED)
        self._tokens.discard(known)
        session = secrets.token_urlsafe(24)
        self._sessions.add(session)
        response = web.Response(status=303, headers={"Location": "/"})
        response.set_cookie(COOKIE, session, httponly=True, samesite="Strict", path="/")
        return response

    def _is_known(self, session: str) -> bool:
        return any(hmac.compare_digest(one.encode(), session.encode()) for one in self._sessions)

    def _is_own(self, request: web.Request) -> bool:
        origin = request.headers.get("Origin")
        return origin is None or not self.hosts or origin.removeprefix("http://") in self.hosts


def names_of(port: int) -> frozenset[str]:
    """How a browser on this machine names a server at this port."""
    return frozenset(f"{host}:{port}" for host in _HERE)
