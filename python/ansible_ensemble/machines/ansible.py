"""What the collection's plugins do with a server of machines: plain values in, plain maps out."""

from __future__ import annotations

import fcntl
import hashlib
import os
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from msgspec.structs import replace

from ansible_ensemble.machines import facts, packs, waiting
from ansible_ensemble.provision.client.client import Client, run
from ansible_ensemble.provision.client.settings import Settings, settings_from
from ansible_ensemble.provision.desired.change import Change, bring, remove
from ansible_ensemble.provision.desired.object_api import Live, ObjectApi
from ansible_ensemble.provision.desired.prediction import Predicted
from ansible_ensemble.provision.desired.user import bring_user
from ansible_ensemble.provision.desired.wanted import Wanted
from ansible_ensemble.provision.desired.workflow import start
from ansible_ensemble.provision.objects import KINDS, WITH_PARAMS
from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.machine import Machine

#: Seconds for which a shared token is used; clients ask for tokens that live twice as long.
_USE = 3600


def shared_login(settings: Settings, folder: Path) -> Settings:
    """The settings with a token that others of this run use too, in the place of user and password.

    Args:
        settings: how to reach the server.
        folder: of the run; its owner alone can read it, and it goes with the run.
    """
    if settings.token or not settings.user:
        return settings
    file = _file(settings, folder)
    with _alone(file) as descriptor:
        token = _read(descriptor) if os.fstat(descriptor).st_mtime > time.time() - _USE else ""
        if not token:
            token = run(settings, Client.token)
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, token.encode(), 0)
    return replace(settings, token=token)


def forget_login(settings: Settings, folder: Path) -> None:
    """Have the next one log in again: a password was changed, and tokens of it are invalid."""
    _file(settings, folder).unlink(missing_ok=True)


def _file(settings: Settings, folder: Path) -> Path:
    said = "\0".join((*settings.endpoints, settings.user, settings.password))
    return folder / f"provision-{hashlib.sha256(said.encode()).hexdigest()}"


@contextmanager
def _alone(file: Path) -> Iterator[int]:
    """The open file, which no other process has meanwhile."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)


def _read(descriptor: int) -> str:
    return os.pread(descriptor, os.fstat(descriptor).st_size, 0).decode()


T = TypeVar("T")
Plain = dict[str, Any]

#: Options of a machine, and the fields that they are.
_MACHINE = {
    "address": "Address",
    "arch": "Arch",
    "bootenv": "BootEnv",
    "context": "Context",
    "description": "Description",
    "hardware_addrs": "HardwareAddrs",
    "locked": "Locked",
    "meta": "Meta",
    "os": "OS",
    "params": "Params",
    "pool": "Pool",
    "profiles": "Profiles",
    "runnable": "Runnable",
    "stage": "Stage",
    "workflow": "Workflow",
}


_WITH_PARAMS: dict[str, type[Object]] = {kind.PREFIX.removesuffix("s"): kind for kind in WITH_PARAMS}


class Server:
    """A server, as one task talks to it.

    Args:
        connection: what names it: `endpoint`, `key`, `token`, `ca_file`, `fingerprint`, `insecure`; what is not there
            is as the environment says.
        folder: of this run of Ansible, where its processes share a login.
        check: change nothing, and say what would change.
    """

    def __init__(self, connection: Mapping[str, Any], folder: str, check: bool = False) -> None:
        self.settings = settings_from(os.environ, **connection)
        self.check = check
        self._folder = Path(folder)

    def ask(self, function: Callable[[Client], Awaitable[T]]) -> T:
        """What a function makes of a client."""
        return run(self._logged_in(), function)

    def change(self, function: Callable[[ObjectApi], Awaitable[T]]) -> T:
        """What a function makes of the server, or would make of it."""
        return self.ask(lambda client: function(Predicted(client) if self.check else Live(client)))

    def forget_login(self) -> None:
        """Have the next one log in again."""
        forget_login(self.settings, self._folder)

    def _logged_in(self) -> Settings:
        return shared_login(self.settings, self._folder)


def machine(server: Server, given: Mapping[str, Any]) -> Plain:
    """Create, change or remove a machine."""
    fields = {field: given[option] for option, field in _MACHINE.items() if option in given}
    return _changed(server, "machine", given, Wanted(Machine, _named(Machine, given["name"]), fields, *_how(given)))


def change_object(server: Server, given: Mapping[str, Any]) -> Plain:
    """Create, change or remove an object of any kind."""
    kind = KINDS[given["kind"]]
    return _changed(
        server, "object", given, Wanted(kind, _named(kind, given["name"]), given.get("object", {}), *_how(given))
    )


def _named(kind: type[Object], name: str) -> str:
    """What a path says of an object with a name."""
    return f"{kind.UNIQUE[0]}:{name}" if kind.UNIQUE else name


def _how(given: Mapping[str, Any]) -> tuple[bool, bool]:
    return given["exact"], given["force"]


def _changed(server: Server, name: str, given: Mapping[str, Any], wanted: Wanted) -> Plain:
    gone = given["state"] == "absent"
    change = server.change(lambda api: remove(api, wanted.kind, wanted.name) if gone else bring(api, wanted))
    after = change.shown_after
    if server.check and change.before is None and "Uuid" in after:
        after["Uuid"] = ""  # it will be another one
    return {"changed": change.changed, name: after, "diff": change.diff}


def param(server: Server, given: Mapping[str, Any]) -> Plain:
    """Set or remove a param of a machine, profile or stage."""
    option, kind = next((name, kind) for name, kind in _WITH_PARAMS.items() if name in given)
    value = given.get("value") if given["state"] == "present" else None
    wanted = Wanted(kind, _named(kind, given[option]), {"Params": {given["name"]: value}})
    change: Change = server.change(lambda api: bring(api, wanted, create=False))
    found = {side: _only(params, given["name"]) for side, params in change.diff.items()}
    shown = change.shown_after["Params"].get(given["name"])
    return {"changed": change.changed, "value": shown, "diff": found}


def _only(shown: Mapping[str, Any], name: str) -> Plain:
    return {key: value for key, value in shown["Params"].items() if key == name}


def user(server: Server, given: Mapping[str, Any]) -> Plain:
    """Create, change or remove a user; set the password."""
    fields = {
        field: given[name] for name, field in (("description", "Description"), ("roles", "Roles")) if name in given
    }
    wanted = Wanted(KINDS["users"], given["name"], fields)
    if given["state"] == "absent":
        return _changed(server, "user", given, wanted)
    password = given.get("password", "")
    always = given["update_password"] == "always"

    async def whole(client: Client) -> tuple[Change, bool]:
        api = Predicted(client) if server.check else Live(client)
        return await bring_user(
            client, api, wanted, password, always=always, check=server.check, settings=server.settings
        )

    change, renewed = server.ask(whole)
    if renewed and not server.check:
        server.forget_login()
    diff = change.diff
    if renewed:
        diff["after"]["password"] = "(hidden, changed)"
    return {"changed": change.changed or renewed, "user": change.shown_after, "diff": diff}


def workflow(server: Server, given: Mapping[str, Any], say: Callable[[str], None]) -> Plain:
    """Have machines run a workflow, and wait until they are through."""
    names = list(dict.fromkeys(given["machines"]))

    async def whole(client: Client) -> Plain:
        api = Predicted(client) if server.check else Live(client)
        wanted = {"restart": given["restart"], "resume": given["resume"]}
        changes = [await start(api, name, given.get("workflow"), **wanted) for name in names]
        if server.check or not given["wait"]:
            return waiting.begun(changes)
        return await waiting.until_through(client, changes, given["timeout"], say)

    return server.ask(whole)


def content(server: Server, given: Mapping[str, Any]) -> Plain:
    """Load a pack of content, or remove it."""
    if given["state"] == "absent":
        return packs.remove_pack(server.ask, given["name"], dry=server.check)
    in_file = "src" in given
    pack = packs.pack_at(given["src"]) if in_file else packs.pack_of(given["bundle"])
    return packs.bring_pack(server.ask, pack, strict=given["strict"], in_file=in_file, dry=server.check)


def token(server: Server, given: Mapping[str, Any]) -> Plain:
    """A token of a machine, for its agent."""

    async def whole(client: Client) -> Plain:
        owner = await client.get(Machine, _named(Machine, given["machine"]))
        return {"changed": False, "uuid": owner.uuid, "token": await client.machine_token(owner.uuid, given["life"])}

    return server.ask(whole)


def info(server: Server, given: Mapping[str, Any]) -> Plain:
    """Objects of a kind."""
    kind = KINDS[given["kind"]]
    filters, aggregate = facts.query(kind, given), given["aggregate"]
    return {"changed": False, "objects": server.ask(lambda client: facts.objects(client, kind, filters, aggregate))}


def job_info(server: Server, given: Mapping[str, Any]) -> Plain:
    """Jobs, the latest first, and their logs."""
    return {"changed": False, "jobs": server.ask(lambda client: facts.jobs(client, given))}


def hosts(server: Server, filters: Mapping[str, Any], *, aggregate: bool, secure: bool) -> list[Plain]:
    """Machines with their params, for an inventory."""
    return server.ask(lambda client: facts.machines(client, facts.filters(filters), aggregate=aggregate, secure=secure))


def param_values(server: Server, machine: str, names: list[str], *, aggregate: bool, secure: bool) -> dict[str, Any]:
    """The values of params of a machine; those that are not there are missing."""
    return server.ask(lambda client: facts.params(client, machine, names, aggregate=aggregate, secure=secure))
