"""Lists of objects, as their stored JSON where nothing of it has to be looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from msgspec import Struct

from ansible_ensemble.provision.objects import WITH_PARAMS
from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.rules.query import Query
from ansible_ensemble.provision.server.answers import body_of
from ansible_ensemble.provision.server.identity import names_of
from ansible_ensemble.provision.service.lookup import candidates
from ansible_ensemble.provision.service.secure_params import Revealed, revealed, revealer
from ansible_ensemble.provision.store.transaction import Reader

#: How much is sent at once.
_PIECE = 256 * 2**10


class Listing(Struct, frozen=True):
    """A part of the objects of a kind.

    Attributes:
        total: how many objects there are.
        found: how many of them the query finds.
        count: how many are in the part.
        bodies: the part, as JSON; empty if it is only counted.
    """

    total: int
    found: int
    count: int
    bodies: Sequence[bytes]

    def pieces(self) -> list[bytes]:
        """The JSON of the part, in pieces of a good size."""
        pieces, piece = [], bytearray(b"[")
        for number, body in enumerate(self.bodies):
            piece += b"," + body if number else body
            if len(piece) >= _PIECE:
                pieces.append(bytes(piece))
                piece = bytearray()
        return [*pieces, bytes(piece + b"]")]


def listing(
    reader: Reader, kind: type[Object], query: Query, allowed: frozenset[str] | None, *, counted: bool
) -> Listing:
    """What a query finds.

    Args:
        reader: where it is looked for.
        kind: of the objects.
        query: what is looked for.
        allowed: names of objects that may be seen; None for all.
        counted: whether the objects themselves are not wanted.
    """
    total = reader.count(kind)
    if query.is_of_all and allowed is None and kind.public is Object.public:
        part = query.page(range(total))
        bodies = () if counted else islice(reader.bodies(kind), part.start, part.stop)  # type: ignore[attr-defined] # a part of a range is one
        return Listing(total, total, len(part), tuple(_texts(reader, kind, query, bodies)))
    shown = (one.public() for one in candidates(reader, kind, query))
    seen = (one for one in shown if allowed is None or not allowed.isdisjoint(names_of(one)))
    found = query.found(seen)
    page = query.page(found)
    if allowed is not None:
        total = len(found)  # how many there are beside those that may be seen is nobody's business
    return Listing(total, len(found), len(page), () if counted else tuple(_bodies(reader, query, page)))


def _texts(reader: Reader, kind: type[Object], query: Query, bodies: Iterable[bytes]) -> Iterator[bytes]:
    opens = query.shape.decode and issubclass(kind, WITH_PARAMS)
    return map(query.shape.shaper(kind), map(revealer(reader, kind), bodies) if opens else bodies)


def _bodies(reader: Reader, query: Query, page: Sequence[Object]) -> Iterator[bytes]:
    return map(_opener(reader, query), page)


def _opener(reader: Reader, query: Query) -> Callable[[Object], bytes]:
    """What makes JSON of an object as it is asked for, open if that is."""
    catalog = Revealed(reader)

    def body(one: Object) -> bytes:
        return body_of(query.shape.shown(revealed(reader, one, catalog) if query.shape.decode else one))

    return body
