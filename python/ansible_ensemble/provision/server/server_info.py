"""What this server says of itself."""

from __future__ import annotations

import socket
from typing import Any

from ansible_ensemble import __version__
from ansible_ensemble.provision.objects import KINDS
from ansible_ensemble.provision.rules.claims import OTHER_SCOPES
from ansible_ensemble.provision.server.call import Call
from ansible_ensemble.provision.service.info import Info, info
from ansible_ensemble.provision.store.transaction import Reader

_OF_OBJECTS = ("list", "get", "create", "update", "delete", "action")


def info_of(reader: Reader, call: Call) -> Info:
    """What the server says of itself."""
    name = socket.gethostname()
    address, port = own_address(call)
    return info(
        reader,
        version=__version__,
        id=name,
        address=address,
        hostname=name,
        port=port,
        file_port=call.server.settings.file_port,
        scopes=_scopes(),
    )


def own_address(call: Call) -> tuple[str, int]:
    """The address and port at which the sender of a request reached the server."""
    transport = call.request.transport
    at = transport.get_extra_info("sockname") if transport else None
    return (str(at[0]), int(at[1])) if at else ("", 0)


def _scopes() -> dict[str, dict[str, dict[str, Any]]]:
    """What claims can be about."""
    kinds = {prefix: (*_OF_OBJECTS, *kind.ACTIONS) for prefix, kind in KINDS.items()}
    return {scope: {action: {} for action in actions} for scope, actions in {**kinds, **OTHER_SCOPES}.items()}
