"""The parser of YAML: libyaml's, and what YAML 1.2 allows beyond it."""

from __future__ import annotations

from typing import Any, Protocol

import yaml
from yaml.events import ScalarEvent

from ansible_ensemble.core.regex import regex

#: A plain scalar that begins with two colons. YAML 1.2 allows it everywhere, and Unfurl writes `{eval: ::app::url}`;
#: libyaml refuses it inside of brackets.
_COLONS = regex(r"(?<![^\s\[{,])::(?=[^\s\[\]{},])")
#: Replaces the colons for libyaml, with the same length, so that positions stay the same.
_STAND_IN = "\ue000\ue001"


class Parser(Protocol):
    """Gives the events of a text, None at its end."""

    def get_event(self) -> Any:
        """The next event.

        Raises:
            yaml.YAMLError: the text is not valid YAML.
        """


def make_parser(text: str) -> Parser:
    """The parser of a text."""
    if "::" in text and _STAND_IN not in text:
        replaced, count = _COLONS.subn(_STAND_IN, text)
        if count:
            return _WithColons(replaced)
    return _libyaml(text)


def _libyaml(text: str) -> Parser:
    try:
        from yaml.cyaml import CParser  # type: ignore[attr-defined]
    except ImportError:
        return yaml.Loader(text)
    parser: Parser = CParser(text)
    return parser


class _WithColons:
    """Puts the colons back."""

    def __init__(self, text: str) -> None:
        self._get_event = _libyaml(text).get_event

    def get_event(self) -> Any:
        """The next event."""
        event = self._get_event()
        if isinstance(event, ScalarEvent) and _STAND_IN in event.value:
            event.value = event.value.replace(_STAND_IN, "::")
        return event
