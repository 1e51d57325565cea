"""Bounds of a text that another parser than ours reads: aliases that make it a large document, and long numbers."""

from __future__ import annotations

from typing import Any

import yaml
from yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent, ScalarEvent

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.regex import regex
from ansible_ensemble.documents.yaml import MAX_ALIASED, parse_events

#: A number that Python does not write out.
_LONG_NUMBER = regex(r"[-+]?(0[xXoObB])?[0-9a-fA-F_]{4000,}")


def check_bounds(text: str, file: str) -> None:
    """Refuse what a file of ours may not hold either; other faults are left to the parser."""
    sizes: dict[str, int] = {}
    within: list[tuple[str | None, int]] = []
    size = aliased = 0
    try:
        for event in parse_events(text):
            mark: Any = event.start_mark
            if isinstance(event, CollectionStartEvent):
                within.append((event.anchor, size))
            elif isinstance(event, CollectionEndEvent):
                anchor, before = within.pop()
                sizes |= {anchor: size - before} if anchor else {}
            elif isinstance(event, ScalarEvent):
                if not event.style and _LONG_NUMBER.fullmatch(event.value):
                    place = Place(file, mark.line + 1, mark.column + 1)
                    raise InvalidInput("the number has too many digits", place, "quote it if it is a string")
                size += len(event.value) + 1
                sizes |= {event.anchor: len(event.value) + 1} if event.anchor else {}
            elif isinstance(event, AliasEvent):
                size += sizes.get(str(event.anchor), 0)
                aliased += sizes.get(str(event.anchor), 0)
                if aliased > MAX_ALIASED:
                    place = Place(file, mark.line + 1, mark.column + 1)
                    hint = "use fewer aliases of aliases"
                    raise InvalidInput("the aliases make the document too large", place, hint)
    except yaml.YAMLError:
        return
