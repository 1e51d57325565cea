"""What is wrong with a topology, gathered in one pass, and how to look into raw data without falling over it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from ansible_ensemble.core.errors import InvalidInput, Place, raise_all
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.core.notices import Notice, NoticeCode, Rewrite
from ansible_ensemble.core.sensitive import REDACTED, Sensitive
from ansible_ensemble.documents.places import key_place_of, place_of
from ansible_ensemble.documents.scalars import as_written
from ansible_ensemble.language.keys import KEYS, UNHEEDED

#: Reading stops after this many errors.
LIMIT = 100


class Problems(Struct):
    """The errors and notices found so far.

    Attributes:
        errors: what makes the topology invalid.
        notices: what is worth knowing.
        file: where an error is that has no place of its own.
    """

    errors: list[InvalidInput] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    file: Place | None = None

    def add(self, message: str, place: Place | None = None, hint: str | None = None) -> None:
        """Note an error."""
        self.errors.append(InvalidInput(message, place or self.file, hint))
        if len(self.errors) >= LIMIT:
            self.raise_all()

    def warn(self, code: NoticeCode, message: str, place: Place | None = None, rewrite: Rewrite | None = None) -> None:
        """Note what is worth knowing."""
        self.notices.append(Notice(code, message, place, rewrite))

    def raise_all(self) -> None:
        """Raise what was found."""
        raise_all(self.errors)

    def mapping(self, value: Any, what: str, place: Place | None) -> Mapping[str, Any]:
        """The value if it is a map with text keys (None is an empty one), else an error and an empty map."""
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            self.add(f"{what} must be a map, not {kind_of(value)}", place)
            return {}
        if not all(isinstance(key, str) for key in value):
            wrong = next(key for key in value if not isinstance(key, str))
            self.add(
                f"the key {wrong!r} of {what} is not text", key_place_of(value, wrong) or place, "put it in quotes"
            )
            return {key: entry for key, entry in value.items() if isinstance(key, str)}
        return value

    def sequence(self, value: Any, what: str, place: Place | None) -> Sequence[Any]:
        """The value if it is a list (None is an empty one), else an error and an empty list."""
        if value is None:
            return []
        if not isinstance(value, list):
            self.add(f"{what} must be a list, not {kind_of(value)}", place)
            return []
        return value

    def entries(self, value: Any, what: str, place: Place | None) -> Iterator[tuple[str, Any, Place | None]]:
        """Name, value and place of each entry of a list of one-key maps, or of a map.

        TOSCA writes requirements, policies and filters as lists of one-key maps [TOSCA 1.3, 3.8.2].
        """
        if isinstance(value, Mapping):
            for name, entry in self.mapping(value, what, place).items():
                yield name, entry, place_of(value, name)
            return
        for number, item in enumerate(self.sequence(value, what, place)):
            where = place_of(value, number)
            if not isinstance(item, Mapping) or len(item) != 1:
                self.add(f"an entry of {what} must be a map with one key, its name", where)
                continue
            for name, entry in self.mapping(item, what, where).items():
                yield name, entry, place_of(item, name)

    def text(self, value: Any, what: str, place: Place | None) -> str | None:
        """The value if it is text, else an error and None; None is None."""
        if value is None or isinstance(value, str):
            return value
        self.add(f"{what} must be text, not {kind_of(value)}", place)
        return None

    def texts(self, value: Any, what: str, place: Place | None) -> list[str]:
        """The value if it is a list of text; a single text is a list of one."""
        if isinstance(value, str):
            return [value]
        found = []
        for number, item in enumerate(self.sequence(value, what, place)):
            text = self.text(item, f"an entry of {what}", place_of(value, number))
            if text is not None:
                found.append(text)
        return found

    def check_keys(
        self,
        raw: Mapping[str, Any],
        element: str,
        place: Place | None,
        short: Collection[str] = (),
        *,
        is_open: bool = False,
    ) -> None:
        """Refuse the keys that an element of this kind does not have; warn of those that nothing acts on.

        `short` are the keys that it has in its short form; one that `is_open` may have any others, for other tools.
        """
        known = KEYS[element]
        for key in raw:
            remedy = UNHEEDED.get(element, {}).get(key)
            if remedy is not None and raw[key] is not None:
                message = f"`{key}` of {_article(element)} is ignored"
                self.notices.append(
                    Notice(NoticeCode.IGNORED_KEY, message, key_place_of(raw, key) or place, special=remedy)
                )
            if key not in known:
                hint = "it is a property, or a key beside which no type stands" if key in short else None
                hint = hint or nearest(key, [*known, *short])
                where = key_place_of(raw, key) or place
                if is_open:
                    message = f"`{key}` of {_article(element)} is ignored"
                    self.notices.append(Notice(NoticeCode.IGNORED_KEY, message, where, special=hint))
                else:
                    self.add(f"unknown key '{key}' in {_article(element)}", where, hint)
        described = raw.get(_DESCRIPTION) if _DESCRIPTION in known else None
        if isinstance(described, Mapping | list):
            message = f"the description of {_article(element)} is {kind_of(described)}, not text"
            self.add(message, place_of(raw, _DESCRIPTION) or place)


_DESCRIPTION = "description"


def _article(element: str) -> str:
    """A kind of element in words: `a node template`."""
    return f"{'an' if element[0] in 'aeiou' else 'a'} {element.replace('_', ' ')}"


def kind_of(value: Any, *, hidden: bool = False) -> str:
    """What a raw value is, in words."""
    if hidden or isinstance(value, Sensitive):
        return REDACTED
    if isinstance(value, Mapping):
        return "a map"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return hex(value) if abs(value) >= 10**40 else as_written(value)
    text = as_written(value)
    text = text if len(text) <= 40 else f"{text[:37]}..."
    return repr(text) if isinstance(value, str) else text
