"""What commands share that work with objects of a server of machines, whatever their kind."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

from ansible_ensemble.cli.console import Console
from ansible_ensemble.cli.parser import Parser
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.core.regex import regex

if TYPE_CHECKING:
    from ansible_ensemble.provision.client.client import Client
    from ansible_ensemble.provision.objects.base import Object, Record

_UUID = regex(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
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


def has_params(kind: str) -> bool:
    """Whether objects of this kind have params, and profiles, of their own."""
    from ansible_ensemble.provision.objects import WITH_PARAMS

    return kind_of(kind) in WITH_PARAMS


def one_of(kind: str) -> str:
    """How one object of a kind is called."""
    return kind.removesuffix("s")


def name_of(one: Object) -> str:
    """How people call an object."""
    return str(getattr(one, "name", one.key))


def title(one: Object) -> str:
    """How a message names an object."""
    return f"{one_of(one.PREFIX)} {name_of(one)}"


def lacking(one: Object) -> str:
    """What follows a sentence about an object: why it cannot be used yet, if so."""
    errors = [] if one.available else one.errors
    return "".join(f"\n  not available yet: {error}" for error in errors)


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


async def each(
    client: Client,
    kind: str,
    words: Sequence[str],
    console: Console,
    change: Callable[[Any], Awaitable[tuple[Any, str]]],
) -> tuple[list[Any], int]:
    """Change objects one after the other, and tell of each; an error of one does not keep the others from it.

    Args:
        client: asks the server.
        kind: of the objects.
        words: how the user names them.
        console: is told.
        change: changes one; the object after it, and a sentence about it.

    Returns:
        The objects that were changed; and the exit code of the first error, or 0.
    """
    from ansible_ensemble.provision.client.failure import RequestFailed

    changed, code = [], 0
    for word in words:
        try:
            after, said = await change(await found(client, kind, word))
        except RequestFailed as error:
            if word not in error.message:
                error.message = f"{word}: {error.message}"
            console.error(error)
            code = code or error.exit_code
            continue
        changed.append(after)
        if not console.machine:
            console.line(said)
    return changed, code


async def _nearest(client: Client, kind: str, word: str) -> str | None:
    from ansible_ensemble.provision.client.failure import RequestFailed

    try:
        names = [name_of(one) for one in await client.select(kind_of(kind), {"slim": "Params,Meta"})]
    except RequestFailed:
        return None
    return nearest(word, names)


def document_of(one: Record, *, decode: bool = False) -> dict[str, Any]:
    """An object as JSON; what proves who somebody is only where secrets are asked for."""
    from ansible_ensemble.provision.objects.codec import plain

    return shown(plain(one), decode=decode)


def shown(document: dict[str, Any], *, decode: bool) -> dict[str, Any]:
    """The JSON of an object, without what proves who somebody is unless secrets are asked for."""
    return document if decode else {name: value for name, value in document.items() if name not in _SECRETS}
