"""What a job consists of, and what its templates see of the server."""

from __future__ import annotations

from aiohttp import web

from ansible_ensemble.provision.objects.codec import plain
from ansible_ensemble.provision.objects.job import JobAction
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.objects.parts import Claim
from ansible_ensemble.provision.rules.claims import ALL
from ansible_ensemble.provision.server.answers import answer
from ansible_ensemble.provision.server.call import Call
from ansible_ensemble.provision.server.durations import LONGEST
from ansible_ensemble.provision.server.identity import Identity
from ansible_ensemble.provision.server.server_info import info_of, own_address
from ansible_ensemble.provision.server.tokens import Token
from ansible_ensemble.provision.service.render import Surroundings, actions
from ansible_ensemble.provision.store.transaction import Reader
from ansible_ensemble.provision.templates.source import Addresses


async def show(call: Call) -> web.Response:
    """What a job consists of: files and scripts, rendered now."""
    system = call.request.query.get("os", "")

    def render(reader: Reader) -> list[JobAction]:
        identity = call.admitted_to(reader, "actions")
        return actions(reader, call.key, system, _surroundings(call, identity))

    return answer(await call.server.store.read(render))


def _surroundings(call: Call, identity: Identity) -> Surroundings:
    host, port = own_address(call)
    shown = f"[{host}]" if ":" in host else host
    settings, api = call.server.settings, f"https://{shown}:{port}"
    files = settings.files.rstrip("/") or (f"http://{shown}:{settings.file_port}" if settings.file_port else api)

    def token(machine: Machine, profile: str, seconds: int | None) -> str:
        expires = int(call.server.clock() + min(seconds if seconds is not None else LONGEST, LONGEST))
        grants = _of_profile(profile, identity) if profile else []
        wanted = Token(machine=machine.uuid, expires=expires, limits=[grants] if grants else [], grants=grants)
        return call.token(identity, wanted, machine.secret)

    return Surroundings(
        addresses=Addresses(host, api, files, files if files.startswith("https:") else "" if settings.files else api),
        info=lambda reader: plain(info_of(reader, call)),
        token=token,
    )


def _of_profile(profile: str, identity: Identity) -> list[Claim]:
    """What a token of a profile allows: to read it; to change it and make machines where who asks may do that."""
    more = (
        Claim(scope="profiles", action="update", specific=profile),
        Claim(scope="machines", action="create", specific=ALL),
    )
    return [
        Claim(scope="info", action="get", specific=ALL),
        Claim(scope="profiles", action="get", specific=profile),
        *filter(identity.holds, more),
    ]
