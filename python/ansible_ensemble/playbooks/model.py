"""What is read of playbooks, and what becomes of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from ansible_ensemble.core.errors import Place
from ansible_ensemble.playbooks.words import facts_in, words_of

#: The pattern of the controller.
LOCALHOST = "localhost"
#: The lists of a play that hold what runs, in the order in which they run.
SECTIONS = ("pre_tasks", "roles", "tasks", "post_tasks")


class HostGroup(Struct, frozen=True):
    """The hosts of plays, which become an `ansible.Group`.

    Attributes:
        pattern: of the inventory.
        serial: how many of them have their turn at a time; empty if they take no turns.
        place: of the play that they take turns in: those of another play are others.
    """

    pattern: str
    serial: tuple[int | str, ...] = ()
    place: Place | None = None


class Remark(Struct, frozen=True):
    """What is to be known of a place in a playbook or role.

    Attributes:
        hint: what to do.
        written: whether what the import writes has it done.
    """

    place: Place
    text: str
    hint: str
    written: bool = False


class Entry(Struct):
    """One of what a play runs: a task, a block, a file of tasks or a role.

    Attributes:
        kind: `task`, `block`, `file` or `role`.
        raw: as it is written.
        section: one of `SECTIONS`.
        words: identifiers in it, and in the files that it runs.
        sets: variables that it sets while it runs.
        exports: variables that it defines for the whole play: a role's defaults and variables.
        variables: of a role its defaults and variables.
        notified: names of handlers that it notifies and does not bring itself.
        handlers: names of the handlers that it brings.
        tags: its own, and those of what it stands in within the play.
        others: words beside `hostvars`, among them what it reads of other hosts.
        once: whether it runs on one of the hosts only.
        task: Ansible's own object, of a task.
        file: of a role its folder, of a file of tasks the file.
        within: the entries of a file of tasks, or of a block that is none of its tasks by themselves.
        call: of a role its name, the entry of it, and variables, as a node template has them.
    """

    kind: str
    raw: Any
    section: str
    name: str
    place: Place
    words: frozenset[str] = frozenset()
    sets: frozenset[str] = frozenset()
    exports: frozenset[str] = frozenset()
    variables: Mapping[str, Any] = field(default_factory=dict)
    notified: frozenset[str] = frozenset()
    handlers: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()
    once: bool = False
    task: Any = None
    file: Path | None = None
    within: list[Entry] = field(default_factory=list)
    call: Mapping[str, Any] = field(default_factory=dict)

    @property
    def needs(self) -> frozenset[str]:
        """Variables that something else may have to set for it."""
        return self.words - self.sets - self.exports


class ReadPlay(Struct):
    """A play.

    Attributes:
        raw: as it is written.
        variables: its `vars`, with those of the import that leads to it.
        files: its `vars_files` -> what is in them; None of one that is not known now.
        hosts: names of the hosts of its pattern.
        known: variables that the inventory has for all of its hosts.
        inventory: variables that the inventory has for any of them -> the names that their values read.
        play: Ansible's own object; None where the import of a playbook stays as it is written.
        alone: the only play of its file.
        earlier: patterns of the hosts whose facts earlier plays have gathered.
        set_before: variables that earlier plays set while they run.
        in_role: whether its entries are those of a role, which looks for files in its folders.
        handlers: its handlers, as they are written, with those of the files that it takes them from.
        handling: its handlers as entries, as far as they are tasks.
        subjects: what its handlers are about, by their names: a module, and the name that it is given.
    """

    raw: Mapping[str, Any]
    name: str
    pattern: str
    place: Place
    file: Path
    entries: list[Entry] = field(default_factory=list)
    variables: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, Mapping[str, Any] | None] = field(default_factory=dict)
    hosts: list[str] = field(default_factory=list)
    known: frozenset[str] = frozenset()
    inventory: Mapping[str, frozenset[str]] = field(default_factory=dict)
    play: Any = None
    alone: bool = False
    earlier: list[str] = field(default_factory=list)
    set_before: frozenset[str] = frozenset()
    in_role: bool = False
    handlers: list[Any] = field(default_factory=list)
    handling: list[Entry] = field(default_factory=list)
    subjects: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def all_variables(self) -> Mapping[str, Any]:
        """Its variables, with those of its files that are known now."""
        return {**self.variables, **{key: value for file in self.files.values() for key, value in (file or {}).items()}}

    @property
    def group(self) -> HostGroup | None:
        """Its hosts; None of a play on the controller, or whose hosts are known only when it runs."""
        if self.computes_hosts or self.pattern == LOCALHOST:
            return None
        serial = self.raw.get("serial")
        if serial is None:
            return HostGroup(self.pattern)
        sizes = serial if isinstance(serial, list | tuple) else [serial]
        plain = tuple(int(one) if isinstance(one, int) else str(one) for one in sizes)
        return HostGroup(self.pattern, plain, self.place)

    @property
    def takes_turns(self) -> bool:
        """Whether its hosts come in batches."""
        return self.raw.get("serial") is not None and self.pattern != LOCALHOST

    @property
    def gathers(self) -> bool:
        """Whether it gathers the facts of its hosts."""
        return self.raw.get("gather_facts") is not False or "ansible_facts" in self.sets

    def facts_in(self, words: Iterable[str]) -> list[str]:
        """The facts that words name, by themselves or by variables of the play and the inventory."""
        return facts_in(self.reached(words))

    def reached(self, words: Iterable[str]) -> frozenset[str]:
        """Words, with those of the variables of the play and the inventory that they name."""
        variables, seen, left = self.all_variables, set[str](), list(words)
        while left:
            name = left.pop()
            if name not in seen:
                seen.add(name)
                left += words_of(variables[name]) if name in variables else self.inventory.get(name, ())
        return frozenset(seen)

    @property
    def computes_hosts(self) -> bool:
        """Whether its hosts are known only when it runs."""
        return not self.pattern or "{{" in self.pattern

    @property
    def words(self) -> frozenset[str]:
        """Identifiers in all that it runs."""
        return frozenset[str]().union(*(entry.words for entry in self.entries))

    @property
    def sets(self) -> frozenset[str]:
        """Variables that it sets while it runs."""
        return frozenset[str]().union(*(entry.sets for entry in self.entries))

    @property
    def found(self) -> frozenset[str]:
        """Variables that it, or a play before it, sets while it runs."""
        return self.sets | self.set_before


class Row(Struct, frozen=True):
    """What became of an entry, or of a play.

    Attributes:
        becomes: `resource`, `role`, `tasks`, `playbook` or `left out`.
        node: the node template; empty if it is left out.
        why: why it is no resource; empty of one.
        undo: what undeploy does; empty if it does nothing.
        no_undo: why it does nothing.
    """

    place: Place
    name: str
    play: str
    becomes: str
    node: str = ""
    why: str = ""
    undo: str = ""
    no_undo: str = ""


class Step(Struct):
    """A node template.

    Attributes:
        body: its short form, without requirements.
        files: files that are written for it -> what is in them, as data.
        rows: what it is made of.
        group: the hosts that it is for; None is the controller.
        tags: the tags of what it is made of.
        inputs: inputs of the topology that it takes.
        needs: nodes whose results it reads, in the order in which it names them.
    """

    name: str
    body: dict[str, Any]
    rows: list[Row]
    group: HostGroup | None = None
    files: dict[str, Any] = field(default_factory=dict)
    tags: frozenset[str] = frozenset()
    inputs: dict[str, Any] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
