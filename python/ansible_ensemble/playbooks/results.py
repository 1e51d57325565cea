"""What a task registers on one host (`run_once`), and tasks of all hosts read: the attribute `result` of its node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible_ensemble.playbooks.model import Entry, ReadPlay
from ansible_ensemble.playbooks.rules import own_part, resources_of

#: What of a result is that of one run alone; and the way to a variable of another host.
_OF_A_RUN = frozenset({"changed", "hostvars", "skipped", "failed"})
_NAME = "register"


class Results:
    """The results of a play that are attributes; the tasks that register them set no variable any more."""

    def __init__(self, play: ReadPlay, root: Path) -> None:
        self._nodes: dict[str, str] = {}
        self._entries: dict[int, str] = {}
        for entry in play.entries:
            if entry.once and entry.kind == "task" and (name := self._registered(entry, play, root)):
                self._entries[id(entry)] = name
                entry.sets -= {name}

    @staticmethod
    def _registered(entry: Entry, play: ReadPlay, root: Path) -> str:
        """The variable that a task registers and others can have as an attribute; empty if there is none."""
        name = str(own_part(entry.raw).get(_NAME) or "")
        readers = [one for one in play.entries if one is not entry and name in play.reached(one.words)]
        if (
            not readers
            or entry.sets != {name}
            or sum(name in one.sets for one in play.entries) > 1
            or any(one.words & _OF_A_RUN for one in readers)
            or name in play.reached(entry.words)
        ):
            return ""
        found = resources_of(entry, play, root)
        return name if not isinstance(found, str) and len(found) == 1 else ""

    def given(
        self, node: str, body: Mapping[str, Any], entries: Sequence[Entry]
    ) -> tuple[dict[str, Any], tuple[str, ...]]:
        """The body of a node with the results that its entries read, and the nodes whose results these are.

        What the entries register themselves is the result of this node from now on.
        """
        words = frozenset[str]().union(*(entry.words for entry in entries))
        read = [name for name in self._nodes if name in words]
        self._nodes |= {self._entries[id(one)]: node for one in entries if id(one) in self._entries}
        values = {name: {"get_attribute": ["SELF", "dependency", number, "result"]} for number, name in enumerate(read)}
        needs = tuple(self._nodes[name] for name in read)
        if not values:
            return dict(body), needs
        if "tasks" in body or "playbook" in body:
            return {**body, "vars": {**body.get("vars", {}), **values}}, needs
        keywords = body.get("keywords", {})
        return {**body, "keywords": {**keywords, "vars": {**keywords.get("vars", {}), **values}}}, needs
