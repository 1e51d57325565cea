"""What a template may use in a project that is not trusted: nothing that runs code or reaches the system."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, MutableMapping, Set
from typing import Any, NoReturn

#: Ansible's filters that compute from what they are given alone; Jinja's own all do.
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


def confine(environment: Any, refuse: Refuse, own: Iterable[str]) -> None:
    """Leave Ansible's Jinja what computes only: no lookups, no other files, no plugins but its own and our filters."""
    from jinja2 import FunctionLoader
    from jinja2.filters import FILTERS
    from jinja2.tests import TESTS

    filters, tests = _FILTERS | FILTERS.keys() | set(own), _TESTS | TESTS.keys()
    environment.filters = _Allowed(environment.filters, filters, "filter", refuse)
    environment.tests = _Allowed(environment.tests, tests, "test", refuse)
    environment.loader = FunctionLoader(lambda name: refuse(f"the included file {name}"))
    environment.globals.update(dict.fromkeys(_LOOKUPS, lambda *_arguments, **_options: refuse("a lookup")))
