"""What commands share that work with objects of a server of machines, whatever their kind."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ansible_ensemble.cli.parser import Parser
from ansible_ensemble.core.hints import nearest

if TYPE_CHECKING:
    from ansible_ensemble.provision.client.client import Client
    from ansible_ensemble.provision.objects.base import Object

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
#: What proves who somebody is, and is shown only if it is asked for.
_SECRETS = ("Secret", "Token")


def add_kind(parser: Parser) -> str:
    """Have the arguments know which kind of objects the command is of: the second word of its name."""
    kind = parser.command.split()[1]
    parser.set_defaults(kind=kind)
    return kind


def kind_of(name: str) -> type[Object]:
    """The kind of objects of this name."""
    from ansible_ensemble.provision.objects import KINDS

    return KINDS[name]


def one_of(kind: str) -> str:
    """How one object of a kind is called."""
    return kind.removesuffix("s")


def address(kind: str, word: str) -> str:
    """The key by which the server finds what the user names; a machine's plain name is one, too."""
    return f"Name:{word}" if kind == "machines" and ":" not in word and not _UUID.fullmatch(word) else word


async def found(client: Client, kind: str, word: str, *, decode: bool = False) -> Any:
    """The object that the user names.

    Raises:
        RequestFailed: there is none; of the others, the nearest is named.
    """
    from ansible_ensemble.provision.client.failure import NOT_FOUND, RequestFailed

    try:
        return await client.get(kind_of(kind), address(kind, word), decode)
    except RequestFailed as error:
        if error.exit_code == NOT_FOUND:
            error.message = f"there is no {one_of(kind)} {word}"
            error.hint = await _nearest(client, kind, word)
        raise


async def _nearest(client: Client, kind: str, word: str) -> str | None:
    from ansible_ensemble.provision.client.failure import RequestFailed

    try:
        names = [getattr(one, "name", one.key) for one in await client.select(kind_of(kind), {"slim": "Params,Meta"})]
    except RequestFailed:
        return None
    return nearest(word, names)


def document_of(one: Object, *, decode: bool = False) -> dict[str, Any]:
    """An object as JSON; what proves who somebody is only where secrets are asked for."""
    from ansible_ensemble.provision.objects.codec import plain

    document: dict[str, Any] = plain(one)
    return document if decode else {name: value for name, value in document.items() if name not in _SECRETS}
