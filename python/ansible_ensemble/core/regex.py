"""Regular expressions that are compiled when they are first used: most commands use few of the many there are."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


class _Uncompiled:
    """Stands for a `re.Pattern`; its slots are filled with the pattern's own methods by the first that is asked for."""

    __slots__ = ("_given", "findall", "finditer", "fullmatch", "match", "pattern", "search", "split", "sub", "subn")

    def __init__(self, *given: Any) -> None:
        self._given = given

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(*self._given)
        for slot in self.__slots__[1:]:
            setattr(self, slot, getattr(compiled, slot))
        return getattr(compiled, name)


def regex(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """The pattern of a regular expression, to be kept in a module."""
    return cast(re.Pattern[AnyStr], _Uncompiled(text, flags))
