"""Who may see the pages: whoever opens the address that the command printed, or logs in as a user."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Awaitable, Callable, Iterable

from aiohttp import web
from msgspec import Struct

from ansible_ensemble.core.clock import iso_time, now
from ansible_ensemble.core.page_files import PAGE_HEADERS
from ansible_ensemble.core.password_check import PasswordCheck, TooManyAttempts
from ansible_ensemble.reports.values import clean
from ansible_ensemble.ui.answers import answer
from ansible_ensemble.ui.rights import OPEN, ROLES, SEE, rights_of
from ansible_ensemble.ui.users import Users

#: Addresses of this machine, as browsers name it.
HERE = ("localhost", "127.0.0.1")
#: Seconds for which a printed address opens a session, and for which a session lasts.
TOKEN_LIFE, SESSION_LIFE = 3600.0, 12 * 3600.0
_ANOTHER = "\nPress Enter where `ansible-ensemble ui` runs, or start it anew: it prints an address that opens them.\n"
_NO_ADDRESS = f"This address opens no pages: it was used already, is too old, or is of a server that ended.{_ANOTHER}"
_NO_SESSION = f"This browser may not see the pages: its session ended, or the server was started anew.{_ANOTHER}"

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Visitor(Struct, frozen=True):
    """Somebody who may see the pages.

    Attributes:
        name: the user's; empty for whoever started the server.
        rights: what the visitor may do.
        logged_in: whether by a session that the user can end.
    """

    name: str
    rights: list[str]
    logged_in: bool = False


class _Session(Struct, frozen=True):
    name: str
    password: str  # what was kept of it: another password ends the session
    ends: float


class Access:
    """The sessions, and what opens them.

    Args:
        hosts: how requests may name this server, so that no other site's name leads here; empty for a socket's file,
            which is reached through any port of this machine.
        read_only: whether nothing may be changed.
        users: who may log in; without them, whoever has a token of `new_token` may do everything.
        secure: whether browsers reach the server by TLS.
        tell: shows a line of each change that a user asked for to who started the server.
        clock: the seconds that pass.

    Attributes:
        needs: the right that each handler needs.
    """

    def __init__(
        self,
        hosts: frozenset[str],
        *,
        read_only: bool = False,
        users: Users | None = None,
        secure: bool = False,
        tell: Callable[[str], None] = lambda _line: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.read_only = read_only
        self.hosts = hosts
        self.users = users
        self.needs: dict[object, str] = {}
        self._scheme = "https" if secure else "http"
        # Cookies know no ports; __Host- is one that no other name's server can set.
        self.cookie = f"{'__Host-' if secure else ''}ansible-ensemble-{secrets.token_hex(4)}"
        self._clock = clock
        self._tell = tell
        self._passwords = PasswordCheck(clock)
        self._tokens: dict[bytes, float] = {}
        self._sessions: dict[bytes, _Session] = {}

    def new_token(self) -> str:
        """A token that opens one session, for a while."""
        token = secrets.token_urlsafe(24)
        self._tokens[_digest(token)] = self._clock() + TOKEN_LIFE
        return token

    @web.middleware
    async def guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Let through who may do what a request asks, and open a session for who has a token."""
        host = self._host(request)
        if host not in self.hosts if self.hosts else host.rpartition(":")[0] not in HERE and host not in HERE:
            return web.Response(status=403, text="This server has another name.\n")
        if self.users is None and (token := request.query.get("token")):
            return self._opened(request, token)
        right = SEE if request.match_info.http_exception else self.needs[request.match_info.handler]
        visitor = self.visitor(request)
        if visitor is None and (right != OPEN or self.users is None):
            return web.Response(status=401, text="Log in first.\n" if self.users else _NO_SESSION)
        if request.method not in ("GET", "HEAD") and not self._is_own(request):
            return web.Response(status=403, text="Another site asked for this.\n")
        if visitor is not None and right not in (OPEN, *visitor.rights):
            why = "it was started with --read-only" if self.read_only else f"{visitor.name} has no role for it"
            return web.Response(status=403, text=f"This is not allowed: {why}.\n")
        if visitor is not None and visitor.name and right not in (OPEN, SEE):
            self._tell(clean(f"{iso_time(now())} {visitor.name}: {right} {request.path_qs}"))
        return await handler(request)

    def visitor(self, request: web.Request) -> Visitor | None:
        """Who asks, if it is known."""
        session = self._sessions.get(_digest(request.cookies.get(self.cookie, "")))
        if session is not None and session.ends <= self._clock():
            session = None
        if self.users is None:
            return self._visitor("", ROLES) if session else None
        known = self.users.known()
        if known.proxy and known.proxy.is_at(request.remote or "") and known.proxy.header in request.headers:
            name, *others = request.headers.getall(known.proxy.header)
            user = known.users.get(name)
            return None if others or not name else self._visitor(name, user.roles if user else known.proxy.roles)
        if session is None or (user := known.users.get(session.name)) is None or user.password != session.password:
            return None
        return self._visitor(session.name, user.roles, logged_in=True)

    def _visitor(self, name: str, roles: tuple[str, ...], *, logged_in: bool = False) -> Visitor | None:
        rights = rights_of(roles, read_only=self.read_only)
        return Visitor(name, rights, logged_in) if rights else None

    # --- sessions ----------------------------------------------------------------------------------------------------

    async def session(self, request: web.Request) -> web.Response:
        """Who asks, and may do what."""
        visitor = self.visitor(request) or Visitor("", [])
        return answer({"user": visitor.name, "may": visitor.rights, "session": visitor.logged_in})

    async def log_in(self, request: web.Request) -> web.Response:
        """Open a session for a user whose `password` is right."""
        try:
            given = await request.json()
            name, password = str(given["name"]), str(given["password"])
        except (ValueError, TypeError, KeyError, RecursionError):
            return web.Response(status=400, text="The body is a JSON object with name and password.\n")
        user = self.users.known().users.get(name) if self.users else None
        kept = user.password if user else ""
        try:
            right = await self._passwords.is_right(name, password, kept, request.remote or "")
        except TooManyAttempts:
            return web.Response(status=429, text="Too many passwords were wrong: try later.\n")
        if not right:
            return web.Response(status=403, text="The name or the password is wrong.\n")
        response = web.Response(status=204)
        self._begin(request, response, name, kept)
        return response

    async def log_out(self, request: web.Request) -> web.Response:
        """End the session."""
        self._end(request)
        response = web.Response(status=204)
        response.del_cookie(self.cookie, path="/", secure=self._scheme == "https", httponly=True, samesite="Strict")
        return response

    def _opened(self, request: web.Request, token: str) -> web.Response:
        if self._tokens.pop(_digest(token), 0.0) <= self._clock():
            return web.Response(status=401, text=_NO_ADDRESS)
        response = web.Response(status=303, headers={"Location": "/"})
        self._begin(request, response, "", "")
        return response

    def _begin(self, request: web.Request, response: web.Response, name: str, password: str) -> None:
        """Give a browser a session that nobody knew before."""
        self._end(request)
        now = self._clock()
        self._sessions = {digest: one for digest, one in self._sessions.items() if one.ends > now}
        session = secrets.token_urlsafe(24)
        self._sessions[_digest(session)] = _Session(name, password, now + SESSION_LIFE)
        secure = self._scheme == "https"
        response.set_cookie(self.cookie, session, httponly=True, samesite="Strict", path="/", secure=secure)

    def _end(self, request: web.Request) -> None:
        self._sessions.pop(_digest(request.cookies.get(self.cookie, "")), None)

    def _host(self, request: web.Request) -> str:
        """How a request names this server, as browsers write it, whatever a proxy made of it."""
        return request.headers.get("Host", "").lower().removesuffix(":443" if self._scheme == "https" else ":80")

    def _is_own(self, request: web.Request) -> bool:
        """Whether a page of this server asks, or what is no browser; forms of other sites send no JSON."""
        here = f"{self._scheme}://{self._host(request)}"
        is_same = request.headers.get("Sec-Fetch-Site", "same-origin") == "same-origin"
        is_json = request.method != "POST" or request.content_type == "application/json"
        return is_same and is_json and request.headers.get("Origin", here) == here


def _digest(secret: str) -> bytes:
    """What is kept of a token or a session: how long it takes to find one tells nothing of it."""
    return hashlib.sha256(secret.encode(errors="surrogateescape")).digest()


async def add_headers(_request: web.Request, response: web.StreamResponse) -> None:
    """Have browsers run no script but the pages' own, and tell no other site of them."""
    response.headers.update(PAGE_HEADERS)


def hosts_of(port: int, names: Iterable[str] = HERE, standard: int = 80) -> frozenset[str]:
    """How browsers name a server at this port, which they leave out where it is the standard one."""
    shown = [f"[{name}]" if ":" in name else name.lower() for name in names]
    return frozenset(shown if port == standard else (f"{name}:{port}" for name in shown))
