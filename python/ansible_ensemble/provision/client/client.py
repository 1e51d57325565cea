"""What can be asked of a server, in terms of objects."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from types import TracebackType
from typing import Any, Self, TypeVar

from ansible_ensemble.provision.client.connection import Answer, Connection, Query
from ansible_ensemble.provision.client.events import EventStream
from ansible_ensemble.provision.client.failure import RequestFailed
from ansible_ensemble.provision.client.patch import Operation, difference
from ansible_ensemble.provision.client.settings import Settings
from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.bundle import Bundle, BundleRecord, BundleSummary
from ansible_ensemble.provision.objects.codec import Undecodable, decode, decode_json, encode, plain
from ansible_ensemble.provision.objects.event import Error
from ansible_ensemble.provision.objects.job import Job, JobAction
from ansible_ensemble.provision.objects.machine import Machine

T = TypeVar("T")
Kept = TypeVar("Kept", bound=Object)

#: That a request goes past the guards that it may go past.
_FORCED = {"force": "true"}


class Client:
    """Requests to a server; an async context, in which connections stay open.

    Every method raises `RequestFailed` if the server refuses or cannot be reached, or answers what cannot be read.
    """

    def __init__(self, settings: Settings) -> None:
        self._connection = Connection(settings)

    async def __aenter__(self) -> Self:
        await self._connection.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._connection.__aexit__(kind, error, trace)

    def wait_longer(self, waits: tuple[float, ...]) -> None:
        """From now on wait so many seconds before each further try of what met an error of the network."""
        self._connection.waits = waits

    # --- objects ---

    async def select(self, kind: type[Kept], filters: Query | None = None) -> list[Kept]:
        """The objects of a kind that fit filters, as a query has them: `{"Name": "Re(^web)", "limit": "3"}`."""
        return _read(list[kind], await self._connection.request("GET", kind.PREFIX, filters))  # type: ignore[valid-type]

    async def get(self, kind: type[Kept], key: str, decode: bool = False) -> Kept:
        """The object of a kind with a key, or with a value of a unique index: `Name:web1`; decoded, secrets open."""
        query = _asked(decode=decode)
        return _read(kind, await self._connection.request("GET", _path(kind, key), query))

    async def create(self, made: Kept, force: bool = False) -> Kept:
        """The object as the server has created it."""
        query = _FORCED if force else None
        return _read(type(made), await self._connection.request("POST", made.PREFIX, query, encode(made)))

    async def put(self, made: Kept, force: bool = False) -> Kept:
        """The object as the server has it after one with its key was replaced."""
        query = _FORCED if force else None
        return _read(
            type(made), await self._connection.request("PUT", _path(type(made), made.key), query, encode(made))
        )

    async def patch(self, kind: type[Kept], key: str, operations: list[Operation], force: bool = False) -> Kept:
        """The object after operations on it, all or none."""
        query = _FORCED if force else None
        return _read(kind, await self._connection.request("PATCH", _path(kind, key), query, encode(operations)))

    async def change(self, old: Kept, new: Kept, force: bool = False) -> Kept:
        """The object after what differs was changed; refused if others changed the same meanwhile."""
        return await self.patch(type(old), old.key, difference(plain(old), plain(new)), force)

    async def delete(self, kind: type[Kept], key: str) -> Kept:
        """The object that is no more."""
        return _read(kind, await self._connection.request("DELETE", _path(kind, key)))

    # --- params ---

    async def params(self, owner: Object, aggregate: bool = False, decode: bool = False) -> dict[str, Any]:
        """The params of a machine, stage or profile; aggregated, those of all it has them from; decoded, open."""
        query = _asked(aggregate=aggregate, decode=decode)
        return _read(dict[str, Any], await self._connection.request("GET", f"{_own(owner)}/params", query))

    async def param(self, owner: Object, name: str, aggregate: bool = False, decode: bool = False) -> Any:
        """The value of one param, or None."""
        query = _asked(aggregate=aggregate, decode=decode)
        return _value(await self._connection.request("GET", f"{_own(owner)}/params/{name}", query))

    async def set_param(self, owner: Object, name: str, value: Any) -> Any:
        """The value of a param, as the server has set it."""
        return _value(await self._connection.request("POST", f"{_own(owner)}/params/{name}", None, encode(value)))

    async def remove_param(self, owner: Object, name: str) -> Any:
        """The value that a param had, before it was removed."""
        return _value(await self._connection.request("DELETE", f"{_own(owner)}/params/{name}"))

    # --- jobs ---

    async def next_job(self, machine: str, context: str = "") -> Job | None:
        """The job that a machine is to run next, new or incomplete; None if there is nothing to run."""
        wanted = Job(machine=machine, context=context)
        answer = await self._connection.request("POST", Job.PREFIX, None, encode(wanted))
        return _read(Job, answer) if answer.status != 204 else None

    async def job_actions(self, job: str, system: str = "") -> list[JobAction]:
        """The files and scripts of a job, rendered; with an operating system, those that are for it."""
        query = {"os": system} if system else None
        return _read(list[JobAction], await self._connection.request("GET", f"{Job.PREFIX}/{job}/actions", query))

    async def append_log(self, job: str, data: bytes) -> None:
        """Append to the log of a job."""
        await self._connection.send("PUT", f"{Job.PREFIX}/{job}/log", data)

    def log(self, job: str, offset: int = 0) -> AsyncIterator[bytes]:
        """The log of a job, in parts, from an offset on."""
        return self._connection.stream(f"{Job.PREFIX}/{job}/log", offset)

    # --- actions ---

    async def actions(self, owner: Object) -> list[dict[str, Any]]:
        """The actions that an object offers, as the wire has them."""
        return _read(list[dict[str, Any]], await self._connection.request("GET", f"{_own(owner)}/actions"))

    async def invoke(self, owner: Object, action: str, params: Mapping[str, Any]) -> Any:
        """What an action on an object results in."""
        return _value(
            await self._connection.request("POST", f"{_own(owner)}/actions/{action}", None, encode(dict(params)))
        )

    # --- others ---

    async def user_token(self, user: str, life: str) -> str:
        """A token of a user, for a time like `8h` or `30d`."""
        answer = await self._connection.request("GET", f"users/{user}/token", {"ttl": life})
        return str(_read(dict[str, Any], answer).get("Token", ""))

    async def set_password(self, user: str, password: str) -> None:
        """Give a user a password; tokens of the user are invalid then."""
        await self._connection.request("PUT", f"users/{user}/password", None, encode({"Password": password}))

    async def preferences(self) -> dict[str, str]:
        """The settings that the server keeps with the objects."""
        return _read(dict[str, str], await self._connection.request("GET", "prefs"))

    async def set_preferences(self, changed: Mapping[str, str]) -> None:
        """Change some of these settings."""
        await self._connection.request("POST", "prefs", None, encode(dict(changed)))

    async def machine_token(self, machine: str, life: str) -> str:
        """A token with which an agent may do what concerns one machine, for a time like `1h` or `3y`."""
        answer = await self._connection.request("GET", f"{Machine.PREFIX}/{machine}/token", {"ttl": life})
        return str(_read(dict[str, Any], answer).get("Token", ""))

    async def token(self) -> str:
        """The token that shows who sends the requests; empty where nothing says who does."""
        return await self._connection.token()

    async def info(self) -> dict[str, Any]:
        """What the server says of itself."""
        return _read(dict[str, Any], await self._connection.request("GET", "info"))

    async def contents(self) -> list[BundleSummary]:
        """The bundles that are loaded."""
        return _read(list[BundleSummary], await self._connection.request("GET", BundleRecord.PREFIX))

    async def content(self, name: str) -> Bundle:
        """A bundle with all its objects."""
        return _read(Bundle, await self._connection.request("GET", f"{BundleRecord.PREFIX}/{name}"))

    async def load_content(self, bundle: Bundle) -> BundleSummary:
        """Load content, in the place of what has its name."""
        name, body = bundle.meta.name, encode(bundle)
        try:
            return _read(BundleSummary, await self._connection.request("PUT", f"contents/{name}", None, body))
        except RequestFailed as error:
            if error.error.code != 404:
                raise
        return _read(BundleSummary, await self._connection.request("POST", "contents", None, body))

    async def remove_content(self, name: str) -> BundleSummary:
        """What content held that is no more."""
        return _read(BundleSummary, await self._connection.request("DELETE", f"{BundleRecord.PREFIX}/{name}"))

    def events(self) -> EventStream:
        """A stream of events; an async context."""
        return EventStream(self._connection)


def run(settings: Settings, function: Callable[[Client], Awaitable[T]]) -> T:
    """What a function makes of a client, for callers that have no event loop."""

    async def whole() -> T:
        async with Client(settings) as client:
            return await function(client)

    return asyncio.run(whole())


def _asked(**words: bool) -> dict[str, str]:
    return {word: "true" for word, wanted in words.items() if wanted}


def _path(kind: type[Object], key: str) -> str:
    return f"{kind.PREFIX}/{key}"


def _own(owner: Object) -> str:
    return _path(type(owner), owner.key)


def _value(answer: Answer) -> Any:
    return _readable(decode_json, answer.body)


def _read(kind: type[T], answer: Answer) -> T:
    return _readable(lambda body: decode(kind, body), answer.body)


def _readable(reader: Callable[[bytes], T], body: bytes) -> T:
    try:
        return reader(body)
    except Undecodable as error:
        raise RequestFailed(Error(type="DECODE", messages=[f"the answer cannot be read: {error}"])) from None
