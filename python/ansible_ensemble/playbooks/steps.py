"""Plays become steps: node templates in the order of the playbook."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible_ensemble.playbooks.model import LOCALHOST, SECTIONS, Entry, ReadPlay, Row, Step
from ansible_ensemble.playbooks.naming import PREFIX, Namer
from ansible_ensemble.playbooks.plain import is_open, plain
from ansible_ensemble.playbooks.removing import Removal, around, removal, removal_of_role
from ansible_ensemble.playbooks.rules import (
    NEVER,
    Resource,
    closed_variables,
    given_variables,
    own_part,
    resources_of,
    used_variables,
)
from ansible_ensemble.playbooks.spans import (
    CONNECTION,
    entry_spans,
    notifies,
    over_hosts_reason,
    play_spans,
    whole_reason,
)
from ansible_ensemble.playbooks.whole import facts_of_others, pattern_of, whole_step
from ansible_ensemble.playbooks.words import calls_role, tags_of, words_of

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


#: What entries become that are no steps by themselves: tasks, a play for each host, or one for all hosts.
_TASKS, _PART, _OF_ALL = "tasks", "part", "part of all"
_ONCE = "once"
_NO_UNDO_TASKS = "tasks say what to do, not how to take it away"
_NO_UNDO_ROLE = "a role says what to do: `absent: {tasks_from: NAME}` names what takes it away"
#: Names by which roles have tasks that take away what they made.
_REMOVE = ("remove", "uninstall", "absent", "undeploy", "teardown", "delete", "cleanup")
#: What of a play is not in a part of it.
_NOT_IN_PART = frozenset({"name", "hosts", "import_playbook", "tags", *SECTIONS})
_FREE_OF_ROLE = frozenset({"become", "become_user", "become_method", "become_flags", "environment", "no_log"})
#: Keys of an entry of a role that are no keywords of it.
_OWN_OF_ROLE = frozenset({"role", "name", "vars", "tags", "run_once"})


def steps_of(plays: Sequence[ReadPlay], root: Path, namer: Namer) -> Iterator[Step]:
    """What becomes of plays; `root` is the folder of the ensemble, where the names are unique."""
    gathers = any(play.gathers for play in plays)
    for first, last, why in play_spans(plays):
        some = plays[first : last + 1]
        reason = why or _whole_reason(some[0], root)
        if reason:
            yield whole_step(some, reason, namer, root)
        else:
            yield from _Parts(some[0], root, namer, gathers).steps()


def _whole_reason(play: ReadPlay, root: Path) -> str:
    return whole_reason(play) or ("lies in another folder" if play.file.parent != root else "")


class _Parts:
    """A play that is taken apart.

    Args:
        gathers: whether any play gathers facts; those that a play reads may be of an earlier one.
    """

    def __init__(self, play: ReadPlay, root: Path, namer: Namer, gathers: bool) -> None:
        self._gathered = gathers
        self._play = play
        self._root = root
        self._namer = namer
        self._tags = tags_of(play.raw)
        self._results = Results(play, root)

    def steps(self) -> Iterator[Step]:
        """What becomes of it; what is no step by itself shares a file with what follows it."""
        waiting: list[tuple[Entry, str]] = []
        kind = ""
        for first, last, why in entry_spans(self._play):
            entries = [entry for entry in self._play.entries[first : last + 1] if not self._is_left_out(entry)]
            over_hosts = over_hosts_reason(self._play, entries)
            made = self._made(entries, over_hosts, why) if entries else []
            if not isinstance(made, str):
                yield from (*self._shared(waiting, kind), *made)
                waiting = []
                continue
            its = self._kind(entries, over_hosts)
            if waiting and (kind != its or _OF_ALL in (kind, its)):
                yield from self._shared(waiting, kind)
                waiting = []
            kind = its
            waiting += [(entry, made) for entry in entries]
        yield from (*self._shared(waiting, kind), *self._left_out())

    def _kind(self, entries: Sequence[Entry], over_hosts: str) -> str:
        """What entries become that are no steps by themselves; what has one kind can share a file."""
        if over_hosts:
            return _OF_ALL
        part = _PART if self._needs_play(entries) else _TASKS
        return f"{part}, {_ONCE}" if any(entry.once for entry in entries) else part

    def _made(self, entries: Sequence[Entry], over_hosts: str, why: str) -> list[Step] | str:
        """The steps that entries which belong together are; or why they are none by themselves."""
        alone = entries[0] if len(entries) == 1 else None
        if over_hosts and (alone is None or alone.kind != "file"):
            return over_hosts
        notified = sorted(name for entry in entries for name in entry.notified)
        if notified or alone is None:
            return why or f'notifies a handler: "{notified[0]}"'
        make = {"role": self._role, "file": self._file}.get(alone.kind, self._resources)
        return make(alone)

    def _shared(self, waiting: Sequence[tuple[Entry, str]], kind: str) -> Iterator[Step]:
        """The step that entries share, which are none by themselves."""
        if waiting:
            yield self._tasks(waiting) if kind.startswith(_TASKS) else self._part(waiting, of_all=kind == _OF_ALL)

    def _is_left_out(self, entry: Entry) -> bool:
        return NEVER in self._tags | entry.tags

    def _left_out(self) -> Iterator[Step]:
        left = [entry for entry in self._play.entries if self._is_left_out(entry)]
        why = {"why": "is tagged never", "no_undo": "nothing runs"}
        rows = [Row(entry.place, entry.name, self._play.name, "left out", **why) for entry in left]
        if rows:
            yield Step("", {}, rows)

    def _needs_play(self, entries: Sequence[Entry]) -> bool:
        """Whether entries need a play around them: for its handlers, roles, files of variables or collections."""
        filed = self._reads_files(entries) and not all(self._is_open(entry) for entry in entries)
        rooted = any(entry.section == "roles" or calls_role(entry.raw) for entry in entries)
        return notifies(entries) or rooted or filed or bool(self._play.raw.get("collections"))

    def _reads_files(self, entries: Sequence[Entry]) -> bool:
        """Whether entries read variables of the play's files; of those that are not known now they may."""
        read = used_variables(frozenset[str]().union(*(entry.words for entry in entries)), self._play).keys()
        return any(values is None or read & values.keys() for values in self._play.files.values())

    def _resources(self, *entries: Entry) -> list[Step] | str:
        """A step for each resource that tasks are; or why one of them is none."""
        each = [(entry, resources_of(entry, self._play, self._root)) for entry in entries]
        why = next((found for _entry, found in each if isinstance(found, str)), None)
        return why or [
            self._resource(entry, one) for entry, found in each for one in found if isinstance(one, Resource)
        ]

    def _resource(self, entry: Entry, one: Resource) -> Step:
        name = self._namer.name(f"{entry.name} {one.suffix}")
        row = Row(entry.place, entry.name, self._play.name, "resource", name, undo=one.undo, no_undo=one.no_undo)
        return self._step(name, one.body, [row], [entry])

    def _file(self, entry: Entry) -> list[Step] | str:
        """A file of tasks: resources if all of them are, else as it is; or why it cannot be by itself."""
        assert entry.file is not None
        made = self._resources(*entry.within)
        if not isinstance(made, str) or not self._is_open(entry) or over_hosts_reason(self._play, [entry]):
            return made
        name = self._namer.name(entry.name)
        keywords = {**self._become(), **({"gather_facts": True} if self._gathers([entry]) else {})}
        keywords |= given_variables(entry.words, self._play)
        body = {"tasks": str(entry.file.relative_to(self._root)), **({"keywords": keywords} if keywords else {})}
        undone = removal(name, entry.within, self._play, self._root)
        undo = undone.description
        row = Row(entry.place, entry.name, self._play.name, "tasks", name, made, undo, "" if undo else _NO_UNDO_TASKS)
        return [self._step(name, {**body, **undone.body}, [row], [entry], files=undone.files)]

    def _step(
        self,
        name: str,
        body: dict[str, Any],
        rows: list[Row],
        entries: Sequence[Entry],
        *,
        of_all: bool = False,
        **more: Any,
    ) -> Step:
        tags = self._tags.union(*(entry.tags for entry in entries)) - {"always", "all", "tagged", "untagged"}
        group = None if of_all else self._play.group
        body, needs = self._results.given(name, body, entries)
        if group is not None and all(entry.once for entry in entries):
            body["run_once"] = True
        keywords = {one: plain(self._play.raw[one]) for one in CONNECTION if one in self._play.raw} if group else {}
        if keywords and "playbook" not in body:
            body = {**body, "keywords": {**keywords, **body.get("keywords", {})}}
        if group is not None and keywords:  # a group would connect by its own
            body, group = {**body, "hosts": group.pattern}, None
        return Step(name, body, rows, group, tags=tags, needs=needs, **more)

    def _gathers(self, entries: Sequence[Entry]) -> bool:
        return self._gathered and any(self._play.facts_in(entry.words) for entry in entries)

    def _become(self) -> dict[str, Any]:
        return {name: plain(self._play.raw[name]) for name in sorted(_FREE_OF_ROLE) if self._play.raw.get(name)}

    def _is_open(self, entry: Entry) -> bool:
        """Whether the variables of the play that an entry reads can be told before it runs."""
        known = all(values is not None for values in self._play.files.values())
        return known and not closed_variables(entry, self._play)

    def _no_role(self, entry: Entry) -> str:
        """Why a role cannot run by itself; empty if it can."""
        from ansible.playbook.role.include import RoleInclude

        raw = entry.raw if isinstance(entry.raw, dict) else {}
        if entry.notified:
            return f'notifies a handler of the play: "{min(entry.notified)}"'
        odd = sorted(raw.keys() & RoleInclude.fattributes.keys() - _FREE_OF_ROLE - _OWN_OF_ROLE)
        if odd:
            return f"has the keyword {odd[0]}"
        if any(values is None for values in self._play.files.values()):
            return "may read variables of an encrypted file"
        if closed := closed_variables(entry, self._play):
            return f"reads the variable {closed[0]}, which is encrypted or made of facts"
        if given := self._closed_arguments(entry):
            return f"is given {given[0]}, which is encrypted or made of facts"
        return "" if not isinstance(self._play.raw.get("environment"), list) else "has an environment that is a list"

    def _closed_arguments(self, entry: Entry) -> list[str]:
        """The variables and keywords that a role is given, and that cannot be told before it runs."""
        raw = entry.raw if isinstance(entry.raw, dict) else {}
        given = {**raw, **entry.call.get("vars", {})}
        given.pop("vars", None)
        return [name for name, one in given.items() if not is_open(one) or self._play.facts_in(words_of(one))]

    def _role(self, entry: Entry) -> list[Step] | str:
        """A role; or why it cannot run by itself."""
        if reason := self._no_role(entry):
            return reason
        raw: dict[str, Any] = plain(entry.raw) if isinstance(entry.raw, dict) else {}
        keywords = {**self._become(), **{key: raw[key] for key in sorted(_FREE_OF_ROLE & raw.keys())}}
        keywords |= {"gather_facts": True} if self._gathers([entry]) else {}
        keywords |= given_variables(entry.words, self._play)
        name = self._namer.name(re.split(r"[./]", entry.name)[-1], "role")
        body = {**plain(entry.call), **({"keywords": keywords} if keywords else {})}
        if remove := _removing(entry):
            undone, undo = Removal({"absent": {"tasks_from": remove}}, {}, ()), f"its tasks {remove}"
        else:
            undone = removal_of_role(name, entry, self._play, self._root)
            undo = undone.description
        row = Row(
            entry.place, entry.name, self._play.name, "role", name, "is a role", undo, "" if undo else _NO_UNDO_ROLE
        )
        return [self._step(name, {**body, **undone.body}, [row], [entry], files=undone.files)]

    def _tasks(self, waiting: Sequence[tuple[Entry, str]]) -> Step:
        """Tasks one after the other, as a file of tasks with the variables of the play."""
        entries = [entry for entry, _reason in waiting]
        name = self._namer.name(entries[0].name)
        file = f"{PREFIX}-{name}.yml"
        undone = removal(name, entries, self._play, self._root)
        rows = [
            Row(entry.place, entry.name, self._play.name, "tasks", name, why, *undone.effects[at])
            for at, (entry, why) in enumerate(waiting)
        ]
        tasks: list[Any] = [entry.raw for entry in entries]
        keywords: dict[str, Any] = {"gather_facts": True} if self._gathers(entries) else {}
        variables = self._play.variables
        if self._reads_files(entries):
            words = frozenset[str]().union(*(entry.words for entry in entries))
            keywords, variables = {**keywords, **given_variables(words, self._play)}, {}
        body = {"tasks": file, **({"keywords": keywords} if keywords else {}), **undone.body}
        files = {file: around(self._play, tasks, variables), **undone.files}
        return self._step(name, body, rows, entries, files=files)

    def _part(self, waiting: Sequence[tuple[Entry, str]], *, of_all: bool) -> Step:
        """Entries with all that the play has around them, as a playbook for one host at a time, or all of them."""
        entries = [entry for entry, _reason in waiting]
        name = self._namer.name(entries[0].name)
        file = f"{PREFIX}-{name}.yml"
        part: dict[str, Any] = {
            "name": entries[0].name,
            "hosts": pattern_of(self._play) if of_all else "all" if self._play.group is not None else LOCALHOST,
        }
        part |= {key: value for key, value in self._play.raw.items() if key not in _NOT_IN_PART}
        part |= {"vars": dict(self._play.variables)} if self._play.variables else {}
        part |= {"gather_facts": True} if self._gathers(entries) else {}
        for section in SECTIONS:
            some = [entry.raw for entry in entries if entry.section == section]
            part |= {section: some} if some else {}
        undone = removal(name, entries, self._play, self._root, as_play=of_all)
        rows = [
            Row(entry.place, entry.name, self._play.name, "playbook", name, why, *undone.effects[at])
            for at, (entry, why) in enumerate(waiting)
        ]
        body = {"playbook": file, **undone.body}
        plays = [*facts_of_others([self._play], entries), part] if of_all else [part]
        return self._step(name, body, rows, entries, of_all=of_all, files={file: plays, **undone.files})


def _removing(role: Entry) -> str | None:
    """The tasks of a role that take away what it made, if it has some by a usual name."""
    assert role.file is not None
    return next(
        (name for name in _REMOVE for file in (role.file / "tasks").glob(f"{name}.y*ml") if file.is_file()), None
    )
