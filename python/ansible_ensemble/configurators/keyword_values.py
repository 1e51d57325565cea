"""Which values the keywords of Ansible's plays, blocks and tasks take; a template may become any."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ansible_ensemble.configurators.arguments import BOOLEANS
from ansible_ensemble.language.functions import is_computed

_VARIABLE = re.compile(r"[A-Za-z_]\w*")
_SHARE = re.compile(r"\d+%?")


def _is_yes_or_no(value: Any) -> bool:
    return str(value).lower() in BOOLEANS


def _is_number(value: Any) -> bool:
    try:
        float(str(value))
    except ValueError:
        return False
    return not isinstance(value, bool)


def _is_map(value: Any) -> bool:
    return isinstance(value, Mapping) or (isinstance(value, list) and all(isinstance(one, Mapping) for one in value))


def _is_share(value: Any) -> bool:
    listed = value if isinstance(value, list) else [value]
    return all(is_computed(one) or _SHARE.fullmatch(str(one)) for one in listed)


def _is_list_of_words(value: Any) -> bool:
    return not isinstance(value, Mapping)


#: Kinds of values: whether one is of it, and what to write.
_YES_OR_NO = (_is_yes_or_no, "is neither true nor false", "write true or false")
_NUMBER = (_is_number, "is no number", "write a number")
_MAP = (_is_map, "is no map", "write NAME: VALUE in it")
_SHARES = (_is_share, "is no number of hosts", "write a number, a percentage, or a list of these")
_WORDS = (_is_list_of_words, "is a map", "write a word or a list of words")
_NAME = (
    lambda value: _VARIABLE.fullmatch(str(value)) is not None,
    "is no name of a variable",
    "a name has letters, digits and underscores, and begins with no digit",
)
_LIST = (lambda value: isinstance(value, list), "is no list", "begin each with '- '")
_KINDS: Mapping[str, tuple[Callable[[Any], bool], str, str]] = {
    **dict.fromkeys(
        ("any_errors_fatal", "become", "check_mode", "delegate_facts", "diff", "force_handlers", "gather_facts"),
        _YES_OR_NO,
    ),
    **dict.fromkeys(("ignore_errors", "ignore_unreachable", "no_log", "run_once"), _YES_OR_NO),
    **dict.fromkeys(("async", "delay", "gather_timeout", "poll", "port", "retries", "throttle", "timeout"), _NUMBER),
    **dict.fromkeys(("vars", "environment"), _MAP),
    "tags": _WORDS,
    "register": _NAME,
    "serial": _SHARES,
    "roles": _LIST,
}


def keyword_faults(written: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Keywords whose values Ansible does not take: the keyword, what is wrong with its value, and a hint."""
    for key, value in written.items():
        fits, problem, hint = _KINDS.get(str(key), (None, "", ""))
        if fits is not None and value is not None and not is_computed(value) and not fits(value):
            yield str(key), problem, hint
