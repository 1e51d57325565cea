"""Who may see the pages: whoever opens the address that the command printed, once, in one browser."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable

from aiohttp import web

#: Addresses of this machine, as browsers name it.
_HERE = ("localhost", "127.0.0.1")
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
        hosts: how requests may name this server, so that no other site's name leads here; empty for a socket's file,
            which is reached through any port of this machine.
        read_only: whether nothing may be changed.
    """

    def __init__(self, hosts: frozenset[str], *, read_only: bool = False) -> None:
        self.read_only = read_only
        self.hosts = hosts
        self.cookie = f"ansible-ensemble-{secrets.token_hex(4)}"  # cookies know no ports
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
        host = request.headers.get("Host", "")
        if host not in self.hosts if self.hosts else host.rpartition(":")[0] not in _HERE and host not in _HERE:
            return web.Response(status=403, text="This server has another name.\n")
        if token := request.query.get("token"):
            return self._opened(token)
        if not self._is_known(request.cookies.get(self.cookie, "")):
            return web.Response(status=401, text=_USED)
        if request.method not in ("GET", "HEAD"):
            if not _is_own(request):
                return web.Response(status=403, text="Another site asked for this.\n")
            if self.read_only:
                return web.Response(status=403, text="This server only shows: it was started with --read-only.\n")
        return await handler(request)

    def _opened(self, token: str) -> web.Response:
        known = next(
            (one for one in self._tokens if hmac.compare_digest(one.encode(), token.encode(errors="surrogateescape"))),
            None,
        )
        if known is None:
            return web.Response(status=401, text=_USED)
        self._tokens.discard(known)
        session = secrets.token_urlsafe(24)
        self._sessions.add(session)
        response = web.Response(status=303, headers={"Location": "/"})
        response.set_cookie(self.cookie, session, httponly=True, samesite="Strict", path="/")
        return response

    def _is_known(self, session: str) -> bool:
        given = session.encode(errors="surrogateescape")
        return any(hmac.compare_digest(one.encode(), given) for one in self._sessions)


def _is_own(request: web.Request) -> bool:
    """Whether a page of this server asks, or what is no browser."""
    here = f"http://{request.headers.get('Host', '')}"
    is_same = request.headers.get("Sec-Fetch-Site", "same-origin") == "same-origin"
    return is_same and request.headers.get("Origin", here) == here


async def add_headers(_request: web.Request, response: web.StreamResponse) -> None:
    """Have browsers run no script but the pages' own, and tell no other site of them."""
    response.headers.update(_HEADERS)


def names_of(port: int) -> frozenset[str]:
    """How a browser on this machine names a server at this port."""
    return frozenset(f"{host}:{port}" for host in _HERE) | frozenset(_HERE if port == 80 else ())
