"""Upper and lower case, and names of several words."""

from __future__ import annotations

import re

_JOINT = re.compile(r"[-_\s]")
_JOINTS = re.compile(r"([-_\s]+)")
_WORD = re.compile(r"\S+")
_WORD_START = re.compile(r"(?<!\w)\w")
_NUMBER_OF_WORD = re.compile(r"(?<=[^\W\d_])(?=\d+[^\W\d_])")


def _joined(name: str, joint: str) -> str:
    name = _NUMBER_OF_WORD.sub(lambda match: "_" if _next_letter(name, match.end()).islower() else "", name)
    around = zip("_" + name, name, name[1:] + "_", strict=False)
    parts = ["_" + letter if _starts_word(before, letter, after) else letter for before, letter, after in around]
    return _JOINT.sub(joint, "".join(parts)).lower()


def _next_letter(name: str, at: int) -> str:
    return name[at:].lstrip("0123456789")[0]


def _starts_word(before: str, letter: str, after: str) -> bool:
    """Whether a word starts with a large letter: behind a small one or a digit, or before a small one."""
    return letter.isupper() and (before.islower() or before.isdigit() or (before.isupper() and after.islower()))


def snake(name: str) -> str:
    """`FirstName` as `first_name`."""
    return _joined(name, "_")


def kebab(name: str) -> str:
    """`FirstName` as `first-name`."""
    return _joined(name, "-")


def camel(name: str) -> str:
    """`http_server` as `HttpServer`; joints at the start and at the end stay, and all but one of several."""
    bare = _JOINTS.match(name)
    lead = bare[0] if bare else ""
    first, *rest = _JOINTS.split(name[len(lead) :])
    pairs = zip(rest[::2], rest[1::2], strict=True)
    return lead + _capital(first) + "".join((joint[:-1] if word else joint) + _capital(word) for joint, word in pairs)


def _capital(word: str) -> str:
    """The first letter large; if it was so before, those large ones that follow it become small."""
    small = 1
    while word[:1].isupper() and word[small : small + 1].isupper():
        small += 1
    return word[:1].upper() + word[1:small].lower() + word[small:]


def title(text: str) -> str:
    """Each word with a large first letter."""
    return _WORD_START.sub(lambda match: match[0].upper() if len(match[0].upper()) == 1 else match[0], text)


def untitle(text: str) -> str:
    """Each word with a small first letter."""
    return _WORD.sub(lambda match: match[0][0].lower() + match[0][1:], text)


def initials(text: str) -> str:
    """The first letter of each word."""
    return "".join(word[0] for word in text.split())


def swap(text: str) -> str:
    """Large letters small and small ones large."""
    return "".join(_swapped(character) for character in text)


def _swapped(character: str) -> str:
    changed = character.swapcase()
    return changed if len(changed) == 1 else character
