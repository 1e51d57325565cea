"""What a template may use in a project that is not trusted: nothing that runs code or reaches the system."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Set, Sized
from functools import wraps
from typing import Any, NoReturn

from jinja2 import Environment, FunctionLoader, Undefined
from jinja2.nodes import EvalContext
from jinja2.runtime import Context

from ansible_ensemble.core.bounded_jinja import Bounded
from ansible_ensemble.core.budget import CHARACTERS_PER_STEP, Budget, Fault

#: Jinja's filters and tests, of which any version has some.
_OF_JINJA = frozenset(
    (
        *("!=", "<", "<=", "==", ">", ">=", "abs", "attr", "batch", "boolean", "callable", "capitalize", "center"),
        *("count", "d", "default", "defined", "dictsort", "divisibleby", "e", "eq", "equalto", "escape", "escaped"),
        *("even", "false", "filesizeformat", "filter", "first", "float", "forceescape", "format", "ge", "greaterthan"),
        *("groupby", "gt", "in", "indent", "int", "integer", "items", "iterable", "join", "last", "le", "length"),
        *("lessthan", "list", "lower", "lt", "map", "mapping", "max", "min", "ne", "none", "number", "odd", "pprint"),
        *("random", "reject", "rejectattr", "replace", "reverse", "round", "safe", "sameas", "select", "selectattr"),
        *("sequence", "slice", "sort", "string", "striptags", "sum", "test", "title", "tojson", "trim", "true"),
        *("truncate", "undefined", "unique", "upper", "urlencode", "urlize", "wordcount", "wordwrap", "xmlattr"),
    )
)
#: Ansible's filters that compute from what they are given alone.
_FILTERS = frozenset(
    (
        *("b64decode", "b64encode", "basename", "bool", "checksum", "combinations", "combine", "comment"),
        *("commonpath", "dict2items", "difference", "dirname", "extract", "flatten", "from_json", "from_yaml"),
        *("from_yaml_all", "hash", "human_readable", "human_to_bytes", "intersect", "items2dict", "log"),
        *("mandatory", "md5", "normpath", "password_hash", "path_join", "permutations", "pow", "product"),
        *("quote", "regex_escape", "regex_findall", "regex_replace", "regex_search", "rekey_on_member"),
        *("relpath", "root", "sha1", "shuffle", "split", "splitext", "strftime", "subelements"),
        *("symmetric_difference", "ternary", "to_datetime", "to_json", "to_nice_json", "to_nice_yaml"),
        *("to_uuid", "to_yaml", "type_debug", "union", "unique", "urldecode", "urlsplit", "win_basename"),
        *("win_dirname", "win_splitdrive", "zip", "zip_longest"),
    )
)
_TESTS = frozenset(
    (
        *("all", "any", "change", "changed", "contains", "failed", "failure", "falsy", "finished", "isnan"),
        *("issubset", "issuperset", "match", "nan", "reachable", "regex", "search", "skip", "skipped"),
        *("started", "subset", "succeeded", "success", "successful", "superset", "timedout", "truthy"),
        *("unreachable", "uri", "url", "urn", "vault_encrypted", "version", "version_compare"),
    )
)
_LOOKUPS = ("lookup", "query", "q")
_GLOBALS = ("cycler", "dict", "joiner", "namespace", "now", "omit", "range", "undef")
#: Filters whose numbers say how much they make, or how long they take.
_OF_SIZES = frozenset(
    (
        *("batch", "center", "comment", "indent", "password_hash", "pprint", "round", "slice", "to_json"),
        *("to_nice_json", "to_nice_yaml", "to_yaml", "tojson", "truncate", "urlize", "wordwrap"),
    )
)
_LARGEST = 10_000
_MOST_REPEATED = 20
_PREFIXES = ("ansible.builtin.", "ansible.legacy.")

#: Told what a template uses and may not.
Refuse = Callable[[str], NoReturn]


class _Allowed(MutableMapping[str, Any]):
    """Jinja's filters or tests by name; asking for one that is not allowed is refused."""

    def __init__(self, plugins: MutableMapping[str, Any], allowed: Set[str], kind: str, refuse: Refuse) -> None:
        self._plugins, self._allowed, self._kind, self._refuse = plugins, allowed, kind, refuse

    def __getitem__(self, name: str) -> Any:
        bare = next((name.removeprefix(prefix) for prefix in _PREFIXES if name.startswith(prefix)), name)
        if bare not in self._allowed:
            self._refuse(f"the {self._kind} {name}")
        return self._plugins[name]

    def __contains__(self, name: object) -> bool:
        return True  # reported when it is used

    def __setitem__(self, name: str, plugin: Any) -> None:
        self._plugins[name] = plugin

    def __delitem__(self, name: str) -> None:
        del self._plugins[name]

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._plugins if name in self._allowed)

    def __len__(self) -> int:
        return sum(1 for _item in self)


def confine(environment: Any, budget: Budget, refuse: Refuse, own: Iterable[str]) -> None:
    """Leave Ansible's Jinja what computes only, within bounds.

    No lookups, no other files, no plugins but its own and our filters; nothing of Python's objects.

    Args:
        environment: Ansible's, of which nothing has been compiled.
        budget: what a template may use; the same for those that it needs.
        refuse: called with what a template uses and may not.
        own: names of further filters.
    """

    class Confined(Bounded, type(environment)):  # type: ignore[misc]
        """Ansible's environment, bounded."""

        def unsafe_undefined(self, obj: Any, attribute: str) -> NoReturn:
            refuse(f"the attribute {attribute} of a {type(obj).__name__}")

        def concat(self, parts: Iterable[Any]) -> Any:
            items = list(parts)
            self.budget.hold(sum(len(item) for item in items if isinstance(item, str)))
            self.pay_all(*(item for item in items if not isinstance(item, (str, Undefined))))
            return super().concat(items)

    environment.__class__ = Confined
    environment.filters = _Filters(environment, _OF_JINJA | _FILTERS | set(own), refuse)
    environment.tests = _Allowed(environment.tests, _OF_JINJA | _TESTS, "test", refuse)
    environment.loader = FunctionLoader(lambda name: refuse(f"the included file {name}"))
    environment.globals = {name: made for name, made in environment.globals.items() if name in _GLOBALS}
    environment.globals.update(dict.fromkeys(_LOOKUPS, lambda *_arguments, **_options: refuse("a lookup")))
    environment.bound(budget)


class _Filters(_Allowed):
    """Filters that pay for what they are given, and for what they make if that may be more."""

    def __init__(self, environment: Bounded, allowed: Set[str], refuse: Refuse) -> None:
        super().__init__(environment.filters, allowed, "filter", refuse)
        self._environment = environment
        self._bounded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._bounded:
            run, bare = super().__getitem__(name), name.rpartition(".")[2]
            self._bounded[name] = self._environment.paying(self._growing(run, bare))
        return self._bounded[name]

    def __setitem__(self, name: str, plugin: Any) -> None:
        self._bounded[name] = plugin

    def _growing(self, run: Callable[..., Any], name: str) -> Callable[..., Any]:
        """A filter that pays for what it makes, if it can make much of little."""
        growth = _sized if name in _OF_SIZES else _GROWTH.get(name)
        if growth is None:
            return run

        @wraps(run)
        def growing(*arguments: Any, **named: Any) -> Any:
            given = [value for value in arguments if not isinstance(value, (Environment, Context, EvalContext))]
            if given and not any(isinstance(value, Undefined) for value in (*given, *named.values())):
                growth(self._environment, *given, **named)
            return run(*arguments, **named)

        return growing


def _sized(environment: Bounded, value: Any, *arguments: Any, **named: Any) -> None:
    """Numbers say how wide lines are, or how many rounds are made; texts are put between parts."""
    numbers = [item for item in (*arguments, *named.values()) if isinstance(item, int)]
    if any(abs(number) > _LARGEST for number in numbers):
        raise Fault(f"a number is above {_LARGEST}")
    size = environment.budget.pay(value)
    texts = sum(len(item) for item in (*arguments, *named.values()) if isinstance(item, str))
    lines = str.count(value, "\n") + 1 if isinstance(value, str) else 1 + size // 8
    environment.budget.hold(size * max(texts, 1) + lines * sum(map(abs, numbers)))


def _joined(environment: Bounded, values: Any, d: Any = "", attribute: Any = None) -> None:  # noqa: ARG001
    environment.budget.hold(environment.budget.pay(values) + _count(values) * len(str(d)))


def _replaced(environment: Bounded, value: Any, old: Any, new: Any, count: Any = None) -> None:  # noqa: ARG001
    environment.budget.hold(len(str(value)) + str(value).count(str(old)) * len(str(new)))


def _formatted(environment: Bounded, value: Any, *arguments: Any, **named: Any) -> None:
    environment.percent(str(value), [arguments, named])


def _summed(environment: Bounded, values: Any, attribute: Any = None, start: Any = 0) -> None:  # noqa: ARG001
    if not isinstance(start, (int, float)):  # lists, each of which is put to a copy of those before
        environment.budget.spend(_count(values) * environment.budget.pay(values) // CHARACTERS_PER_STEP)


def _regex_replaced(
    environment: Bounded, value: Any = "", pattern: Any = "", replacement: Any = "", *_more: Any, **_options: Any
) -> None:
    text, new = str(value), str(replacement)
    found = sum(1 for _match in re.finditer(str(pattern), text, re.IGNORECASE))
    environment.budget.hold(len(text) + found * (len(new) + new.count("\\") * len(text)))


def _combined(count: Callable[[int, int], int]) -> Callable[..., None]:
    def pay(environment: Bounded, values: Any, size: Any = None) -> None:
        number = _count(values)
        chosen = min(int(size) if size is not None else number, number)
        environment.budget.items(count(number, chosen) * max(chosen, 1))

    return pay


def _multiplied(environment: Bounded, *values: Any, repeat: int = 1) -> None:
    if repeat > _MOST_REPEATED:
        raise Fault(f"a product is repeated more than {_MOST_REPEATED} times")
    environment.budget.items(math.prod(map(_count, values)) ** repeat * len(values) * repeat)


def _count(values: Any) -> int:
    return len(values) if isinstance(values, Sized) else 1


_GROWTH: Mapping[str, Callable[..., None]] = {
    "combinations": _combined(math.comb),
    "format": _formatted,
    "join": _joined,
    "permutations": _combined(math.perm),
    "product": _multiplied,
    "regex_replace": _regex_replaced,
    "replace": _replaced,
    "sum": _summed,
    "trim": Bounded.pay_comparison,
}
