"""The hosts whose variables an order needs: those that it acts on, and those that it names.

An order names what is a word of its own text, of the files that it names, and of the variables that it gets, if any of
them speaks of other hosts. So a host may be named by a variable, or by its group. What finds hosts in other ways, say
by the parts of a name, is told that their variables are not there (`lanes.surroundings`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

from msgspec import Struct

from ansible_ensemble.core.orders import CONTROLLER, ModuleCall, Play
from ansible_ensemble.core.regex import regex
from ansible_ensemble.core.sensitive import reveal
from ansible_ensemble.core.sparse import as_map

#: The controller, as variables know it.
LOCALHOST = "localhost"
#: What speaks of other hosts.
_OTHERS = regex(r"\b(?:hostvars|delegate_to|local_action)\b")
_LOCAL_ACTION = regex(r"\blocal_action\b")
#: Groups whose names are words of any text.
_EVERYWHERE = {name: regex(rf"groups(?:\.get)?\W{{1,4}}{name}\b") for name in ("all", "ungrouped")}
_WORD = regex(r"[\w.-]+")
#: The hosts of a play in a playbook.
_HOSTS = regex(r"(?m)^[ -]*['\"]?hosts['\"]?:[ \t]*(.*?)[ \t\r]*(?: #.*)?$")
#: How many hosts' texts are remembered.
_REMEMBERED = 1000

#: Digests of contents by path, and whether they are programs.
Files = Mapping[str, tuple[str, bool]]


class _Text(Struct, frozen=True):
    """What is in a text: words, those with dots also in parts; whether it speaks of other hosts; hosts of plays."""

    words: frozenset[str]
    speaks: bool
    patterns: tuple[str, ...] = ()


class NamedHosts:
    """Finds the hosts whose variables orders need.

    Args:
        inventory: ansible's `InventoryManager`.
        groups: names of members of groups that it does not have.
        around: what each order gets, as a text; of_host: the variables of a host, as a text.
    """

    def __init__(
        self, inventory: Any, groups: Mapping[str, list[str]], around: str, of_host: Callable[[str], str]
    ) -> None:
        self._inventory = inventory
        self._groups = groups
        self._odd = [name for name in (*inventory.hosts, *inventory.groups, *groups) if not _WORD.fullmatch(name)]
        self._around = self._text(around)
        self._of_host = lru_cache(_REMEMBERED)(lambda host: self._text(of_host(host)))
        self._contents: dict[str, _Text] = {}
        self._indexed: tuple[Files, dict[str, list[str]]] = {}, {}

    def of(self, order: ModuleCall | Play, root: Path, files: Files) -> list[str]:
        """The hosts for an order, by what it consists of among files in a folder."""
        text = json.dumps(reveal(as_map(order)), default=str).replace(f"{root}/", "")
        index, is_playbook = self._index(files), isinstance(order, Play) and order.kind == "playbook"
        hosts, read, words = dict[str, None](), set[str](), set[str]()
        speaks, pending = False, [self._text(text), self._around]
        self._add(hosts, pending, order.host.name)
        while pending:
            one = pending.pop()
            speaks |= one.speaks
            words |= one.words
            for pattern in one.patterns if is_playbook else ():
                speaks |= not pattern or "{" in pattern
                self._add(hosts, pending, *self._matching(pattern.strip("'\"[]")))
            for path in sorted({path for word in one.words & index.keys() for path in index[word]} - read):
                read.add(path)
                pending.append(self._content(root / path, files[path][0]))
            if speaks and not pending:
                self._add(hosts, pending, *self._named(words))
        return list(hosts)

    def _add(self, hosts: dict[str, None], pending: list[_Text], *names: str) -> None:
        """Add hosts that are known, and what their variables say."""
        for name in names:
            known = LOCALHOST if name in CONTROLLER and name not in self._inventory.hosts else name
            if known not in hosts and (known == LOCALHOST or known in self._inventory.hosts):
                hosts[known] = None
                pending.append(self._of_host(known))

    def _named(self, words: set[str]) -> Iterator[str]:
        yield from sorted(words & self._inventory.hosts.keys())
        yield from sorted(words & CONTROLLER)
        for name in sorted(words & self._inventory.groups.keys()):
            yield from (host.name for host in self._inventory.groups[name].get_hosts())
        for name in sorted(words & self._groups.keys()):
            yield from self._groups[name]

    def _matching(self, pattern: str) -> list[str]:
        """The hosts of a play; `all` means the host of the order."""
        from ansible.errors import AnsibleError

        if pattern in ("", "all") or "{" in pattern:
            return []
        try:
            return [host.name for host in self._inventory.get_hosts(pattern)]
        except (AnsibleError, IndexError):
            return []  # the play meets it as well

    def _content(self, path: Path, digest: str) -> _Text:
        if digest not in self._contents:
            try:
                self._contents[digest] = self._text(path.read_text(errors="replace"))
            except OSError:  # whoever sends it meets it as well
                return self._text("")
        return self._contents[digest]

    def _index(self, files: Files) -> dict[str, list[str]]:
        """The files that a word may mean: by their names, and by those of their roles."""
        if self._indexed[0] is not files:
            index: dict[str, list[str]] = {}
            for name in files:
                path = PurePosixPath(name)
                role = path.parts.index("roles") if "roles" in path.parts[:-2] else None
                for word in {path.name} if role is None else {path.name, path.parts[role + 1]}:
                    index.setdefault(word, []).append(name)
            self._indexed = files, index
        return self._indexed[1]

    def _text(self, text: str) -> _Text:
        words = {word.strip(".-") for word in _WORD.findall(text)}
        words.update(part for word in list(words) if "." in word for part in word.split("."))
        words.difference_update(name for name, pattern in _EVERYWHERE.items() if not pattern.search(text))
        words.update(name for name in self._odd if name in text)
        if _LOCAL_ACTION.search(text):
            words.add(LOCALHOST)
        return _Text(frozenset(words), _OTHERS.search(text) is not None, tuple(_HOSTS.findall(text)))
