"""A user as somebody wants it, password included."""

from __future__ import annotations

from msgspec.structs import replace

from ansible_ensemble.provision.client.client import Client
from ansible_ensemble.provision.client.failure import RequestFailed
from ansible_ensemble.provision.client.settings import Settings
from ansible_ensemble.provision.desired.change import Change, bring
from ansible_ensemble.provision.desired.object_api import ObjectApi
from ansible_ensemble.provision.desired.wanted import Wanted

_DENIED = (401, 403)


async def bring_user(
    client: Client, api: ObjectApi, wanted: Wanted, password: str, *, always: bool, check: bool, settings: Settings
) -> tuple[Change, bool]:
    """Create a user, or change it.

    Args:
        client: of the server.
        api: the server, or what predicts it.
        wanted: the user.
        password: the user's; empty for one that nobody is to set.
        always: whether a user that was there gets it too, if it has another one.
        check: whether the password stays as it is.
        settings: how to reach the server, to try the password.

    Returns:
        What became of the user, and whether the password was set or would be.
    """
    change = await bring(api, wanted)
    if not password or (change.before and (not always or await _is_password(settings, wanted.name, password))):
        return change, False
    if not check:
        await client.set_password(wanted.name, password)
    return change, True


async def _is_password(settings: Settings, user: str, password: str) -> bool:
    """Whether a user logs in with a password."""
    try:
        async with Client(replace(settings, token="", user=user, password=password)) as client:
            return bool(await client.token())
    except RequestFailed as error:
        if error.error.code in _DENIED:
            return False
        raise
