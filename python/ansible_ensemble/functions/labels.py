"""Labels: names that some system accepts, the same ones that Unfurl makes of the same text."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ansible_ensemble.expressions.context import Call
from ansible_ensemble.functions.registration import implements
from ansible_ensemble.views.data import bare


class LabelRules(Struct, frozen=True):
    """What a label may look like.

    Attributes:
        allowed: the characters it may have, as in a regular expression, inside its brackets or with them.
        start, end: the characters it may begin and end with; no end is any.
        max: how long it may be.
        case: `lower`, `upper` or `any`.
        replace: what replaces each other character, and what is left out of a label that is cut in its middle.
        start_prepend: what is set before a label that does not begin as it must.
        sep: what joins the items of a list.
        digest: whether a digest is added in any case, else only to a label that is cut; a text is digested, too.
        digestlen: how many characters of the digest there are; below 0: 3, and 2 if max is below 32.
    """

    allowed: str = r"\w"
    start: str = "a-zA-Z"
    end: str = ""
    max: int = 63
    case: str = "any"
    replace: str = ""
    start_prepend: str = "x"
    sep: str = ""
    digest: bool | str = False
    digestlen: int = -1

    @property
    def room_for_digest(self) -> int:
        """How many characters a digest has."""
        length = self.digestlen if self.digestlen >= 0 else 2 if self.max < _LONG else 3
        return min(length, self.max)


#: From this length on a label that is cut has a longer digest.
_LONG = 32
#: Shorter halves than this say nothing: such a label is cut at its end.
_SHORTEST_HALF = 4
#: Without a limit and a digest: the items of a list are cut together.
_WHOLE: dict[str, Any] = {"max": 1_000_000, "digest": False, "digestlen": 0}
_DNS = LabelRules(allowed="a-zA-Z0-9-", end="a-zA-Z0-9", replace="--", case="lower")
_KUBERNETES = LabelRules(allowed=r"\w.-", start="a-zA-Z0-9", end="a-zA-Z0-9", replace="__")
_GOOGLE = LabelRules(allowed=r"\w-", case="lower", replace="__")


@implements("to_label")
def _to_label(call: Call, given: Any, **options: Any) -> Any:
    return _labels(call, given, options, LabelRules())


@implements("to_dns_label")
def _to_dns_label(call: Call, given: Any, **options: Any) -> Any:
    return _labels(call, given, options, _DNS)


@implements("to_kubernetes_label")
def _to_kubernetes_label(call: Call, given: Any, **options: Any) -> Any:
    return _labels(call, given, options, _KUBERNETES)


@implements("to_googlecloud_label")
def _to_googlecloud_label(call: Call, given: Any, **options: Any) -> Any:
    return _labels(call, given, options, _GOOGLE)


def _labels(call: Call, given: Any, options: Mapping[str, Any], rules: LabelRules) -> Any:
    value = bare(call.value(given))
    for name, written in options.items():
        option = bare(call.value(written))
        if option is not None:
            known = (bool, str) if name == "digest" else (type(getattr(rules, name)),)
            if type(option) not in known or (name == "max" and option < 1):
                raise call.failure(f'the option {name} of {call.name} cannot be "{option}"')
            rules = replace(rules, **{name: option})
    try:
        return label_of(value, rules)
    except re.error as error:
        raise call.failure(f"an option of {call.name} is wrong: {error}") from None


def label_of(value: Any, rules: LabelRules) -> Any:
    """A text or a list as a label, a map with labels as keys and values; numbers and the like stay as they are."""
    if isinstance(value, Mapping):
        keys = replace(rules, digest=False)
        return {label_of(key, keys): label_of(item, rules) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return _joined([str(item) for item in value], rules) if value else ""
    return _made(value, rules) if isinstance(value, str) else value


def _made(text: str, rules: LabelRules) -> str:
    label = text
    if label and not re.match(f"[{_inside(rules.start)}]", label):
        label = rules.start_prepend + label
    other = "" if len(label) > rules.max else rules.replace
    label = re.sub(f"[^{_inside(rules.allowed)}]", lambda _match: other, label)
    while rules.end and label and not re.match(f"[{_inside(rules.end)}]", label[-1]):
        label = label[:-1]
    label = _cased(label, rules)
    if rules.room_for_digest and (rules.digest is not False or len(label) > rules.max):
        room = rules.max - rules.room_for_digest
        return _cut(label, rules.replace, room) + _digest(text, rules)
    return _cut(label, rules.replace, rules.max)


def _joined(items: list[str], rules: LabelRules) -> str:
    """A label of several texts; where it is too long, each is cut to its share of what short ones leave."""
    room = rules.max - min(len(rules.sep) * (len(items) - 1), rules.max - 1)
    labels = [_made(item, replace(rules, **_WHOLE)) for item in items]
    if rules.digest is False and sum(map(len, labels)) <= room:
        return rules.sep.join(labels)
    share = max(room // len(items), 1)
    share += sum(max(share - len(label), 0) for label in labels) // len(items)
    text = rules.sep.join(_cut(label, rules.replace, share) for label in labels)
    if not rules.room_for_digest:
        return text[: rules.max]
    left = rules.max - len(rules.sep) - rules.room_for_digest
    digest = _digest("".join(items), rules)
    return text[:left] + rules.sep + digest if left > 0 else digest


def _cut(label: str, mark: str, room: int) -> str:
    """As much of a label as there is room for: its beginning and its end around a mark, or its beginning."""
    if len(label) <= room:
        return label
    around = room - len(mark)
    if around / 2 <= _SHORTEST_HALF:
        return label[:room]
    return label[: around - around // 2] + mark + label[-(around // 2) :]


def _digest(text: str, rules: LabelRules) -> str:
    salt = rules.digest if isinstance(rules.digest, str) else ""
    made = hashlib.sha1((text + salt).encode(), usedforsecurity=False).digest()
    if rules.case in ("lower", "upper"):
        shown = _cased(base64.b32encode(made).decode(), rules)
    else:
        shown = re.sub("[-_]", "", base64.urlsafe_b64encode(made).decode())
    return shown.strip("=")[: rules.room_for_digest]


def _cased(text: str, rules: LabelRules) -> str:
    return {"lower": text.lower(), "upper": text.upper()}.get(rules.case, text)


def _inside(characters: str) -> str:
    """What is inside the brackets of a regular expression's set, which may be written with them."""
    return characters[1:-1] if characters[:1] == "[" and characters[-1:] == "]" else characters
