"""Texts: trimming, cutting, joining, wrapping, case."""

from __future__ import annotations

import secrets
import string
import uuid
from collections.abc import Callable, Sequence
from typing import Any

from ansible_ensemble.core.budget import Budget, Fault
from ansible_ensemble.provision.gotemplate.literals import bytes_of, text_of
from ansible_ensemble.provision.gotemplate.printing import shown
from ansible_ensemble.provision.gotemplate.quoting import quoted
from ansible_ensemble.provision.gotemplate.values import Value, pay
from ansible_ensemble.provision.sprig import cases
from ansible_ensemble.provision.sprig.conversion import text, texts

_SPACE = " \t\n\v\f\r\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_ASCII = "".join(map(chr, range(32, 127)))


def _trim(value: str) -> str:
    return value.strip(_SPACE)


def _trim_all(characters: str, value: str) -> str:
    return value.strip(characters) if characters else value


def _trim_suffix(suffix: str, value: str) -> str:
    return value.removesuffix(suffix)


def _trim_prefix(prefix: str, value: str) -> str:
    return value.removeprefix(prefix)


def _upper(value: str) -> str:
    return "".join(_single(character, character.upper()) for character in value)


def _lower(value: str) -> str:
    return "".join(_single(character, character.lower()) for character in value)


def _single(character: str, changed: str) -> str:
    """A character in another case, where that is one character."""
    return changed if len(changed) == 1 else character


def _no_space(value: str) -> str:
    return "".join(character for character in value if character not in _SPACE)


def _repeat(budget: Budget, count: int, value: str) -> str:
    if count < 0:
        raise Fault("strings: negative Repeat count")
    budget.hold(count * len(value))
    return value * count


def _substr(start: int, end: int, value: str) -> str:
    data = bytes_of(value)
    if start < 0:
        start = 0
    elif end < 0 or end > len(data):
        end = len(data)
    if not start <= end <= len(data):
        raise Fault(f"slice bounds out of range [{start}:{end}]")
    return text_of(data[start:end])


def _trunc(count: int, value: str) -> str:
    data = bytes_of(value)
    if count < 0 < len(data) + count:
        return text_of(data[count:])
    return text_of(data[:count]) if 0 <= count < len(data) else value


def _abbrev(width: int, value: str) -> str:
    return _abbrevboth(0, width, value) if width >= 4 else value


def _abbrevboth(left: int, right: int, value: str) -> str:
    """At most `right` bytes, with dots for what is left out; what starts at `left` is to be seen."""
    data = bytes_of(value)
    if right < 4 or (left > 0 and right < 7) or len(data) <= right:
        return value
    room = right - 3
    start = min(left, len(data))
    if len(data) - start < room:
        start = len(data) - room
    if start <= 4:
        return text_of(data[:room]) + "..."
    if start + room < len(data):
        return "..." + text_of(data[start : start + room - 3]) + "..."
    return "..." + text_of(data[-room:])


def _contains(part: str, value: str) -> bool:
    return part in value


def _has_prefix(prefix: str, value: str) -> bool:
    return value.startswith(prefix)


def _has_suffix(suffix: str, value: str) -> bool:
    return value.endswith(suffix)


def _quote(budget: Budget, *values: Any) -> str:
    pay(budget, values)
    return " ".join(quoted(text(value)) for value in values if value is not None)


def _squote(budget: Budget, *values: Any) -> str:
    pay(budget, values)
    return " ".join(f"'{shown(value)}'" for value in values if value is not None)


def _cat(budget: Budget, *values: Any) -> str:
    pay(budget, values)
    return " ".join(shown(value) for value in values if value is not None)


def _indent(budget: Budget, spaces: int, value: str) -> str:
    if spaces < 0:
        raise Fault("strings: negative Repeat count")
    budget.hold(len(value) + spaces * (value.count("\n") + 1))
    pad = " " * spaces
    return pad + value.replace("\n", "\n" + pad)


def _nindent(budget: Budget, spaces: int, value: str) -> str:
    return "\n" + _indent(budget, spaces, value)


def _replace(budget: Budget, old: str, new: str, value: str) -> str:
    budget.hold(len(value) + value.count(old) * len(new))
    return value.replace(old, new)


def _plural(one: str, many: str, count: int) -> str:
    return one if count == 1 else many


def _join(budget: Budget, separator: str, value: Any) -> str:
    pay(budget, value)
    items = texts(value)
    budget.hold(sum(map(len, items)) + len(separator) * len(items))
    return separator.join(items)


def _parts(budget: Budget, separator: str, value: str, most: int = -1) -> list[str]:
    """The pieces of a text; without a separator its characters."""
    if most == 0:
        return []
    if separator:
        budget.items(value.count(separator) if most < 0 else min(most, len(value)))
        return value.split(separator, most - 1 if most > 0 else -1)
    budget.items(len(value))
    if 0 < most < len(value):
        return [*value[: most - 1], value[most - 1 :]]
    return list(value)


def _split(budget: Budget, separator: str, value: str) -> dict[str, Value]:
    return _numbered(_parts(budget, separator, value))


def _splitn(budget: Budget, separator: str, most: int, value: str) -> dict[str, Value]:
    return _numbered(_parts(budget, separator, value, most))


def _numbered(parts: Sequence[str]) -> dict[str, Value]:
    return {f"_{index}": part for index, part in enumerate(parts)}


def _split_list(budget: Budget, separator: str, value: str) -> list[str]:
    return _parts(budget, separator, value)


def _sort_alpha(budget: Budget, value: Any) -> list[str]:
    pay(budget, value)
    return sorted(texts(value), key=bytes_of) if isinstance(value, list) else [text(value)]


def _wrap(budget: Budget, width: int, value: str) -> str:
    return _wrapped(budget, value, max(width, 1), "\n", False)


def _wrap_with(budget: Budget, width: int, separator: str, value: str) -> str:
    return _wrapped(budget, value, max(width, 1), separator or "\n", True)


def _wrapped(budget: Budget, value: str, width: int, separator: str, breaks_words: bool) -> str:
    """Lines of at most so many bytes, broken at spaces; a longer word is broken or kept whole."""
    data, lines, start = bytes_of(value), [], 0
    budget.hold(len(data) + (len(data) // width + 1) * len(separator))
    while len(data) - start > width:
        budget.spend()
        if data[start : start + 1] == b" ":
            start += 1
            continue
        end = data.rfind(b" ", start, start + width + 1)
        if end < 0 and breaks_words:
            lines.append(data[start : start + width])
            start += width
            continue
        if end < 0:
            end = data.find(b" ", start + width)
        if end < 0:
            lines.append(data[start:])
            return separator.join(map(text_of, lines))
        lines.append(data[start:end])
        start = end + 1
    return separator.join(map(text_of, [*lines, data[start:]]))


def _shuffle(value: str) -> str:
    characters = list(value)
    secrets.SystemRandom().shuffle(characters)
    return "".join(characters)


def _random(alphabet: str) -> Callable[[Budget, int], str]:
    def random(budget: Budget, count: int) -> str:
        budget.hold(count)
        budget.items(count)
        return "".join(secrets.choice(alphabet) for _turn in range(count))

    return random


def _uuidv4() -> str:
    return str(uuid.uuid4())


def _ternary(if_true: Any, if_false: Any, condition: bool) -> Value:
    return if_true if condition else if_false


def _fail(message: str) -> str:
    raise Fault(message)


def _hello() -> str:
    return "Hello!"


TABLE: dict[str, Callable[..., Value]] = {
    "abbrev": _abbrev,
    "abbrevboth": _abbrevboth,
    "camelcase": cases.camel,
    "cat": _cat,
    "contains": _contains,
    "fail": _fail,
    "hasPrefix": _has_prefix,
    "hasSuffix": _has_suffix,
    "hello": _hello,
    "indent": _indent,
    "initials": cases.initials,
    "join": _join,
    "kebabcase": cases.kebab,
    "lower": _lower,
    "nindent": _nindent,
    "nospace": _no_space,
    "plural": _plural,
    "quote": _quote,
    "randAlpha": _random(string.ascii_letters),
    "randAlphaNum": _random(string.ascii_letters + string.digits),
    "randAscii": _random(_ASCII),
    "randNumeric": _random(string.digits),
    "repeat": _repeat,
    "replace": _replace,
    "shuffle": _shuffle,
    "snakecase": cases.snake,
    "sortAlpha": _sort_alpha,
    "split": _split,
    "splitList": _split_list,
    "splitn": _splitn,
    "squote": _squote,
    "substr": _substr,
    "swapcase": cases.swap,
    "ternary": _ternary,
    "title": cases.title,
    "trim": _trim,
    "trimAll": _trim_all,
    "trimPrefix": _trim_prefix,
    "trimSuffix": _trim_suffix,
    "trimall": _trim_all,
    "trunc": _trunc,
    "untitle": cases.untitle,
    "upper": _upper,
    "uuidv4": _uuidv4,
    "wrap": _wrap,
    "wrapWith": _wrap_with,
}
