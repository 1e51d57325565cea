"""Playbooks, read by Ansible's own parser: what it refuses is refused, and its roles, vaults and includes are found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import structs

from ansible_ensemble.configurators.ansible_files import file_run_by
from ansible_ensemble.configurators.locations import collection_folders
from ansible_ensemble.configurators.role_files import entry_file
from ansible_ensemble.configurators.there_before import task_title
from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.regex import regex
from ansible_ensemble.documents.bounds import check_bounds
from ansible_ensemble.language.playbook_keywords import PLAY_TASKS
from ansible_ensemble.playbooks.files import files_named, task_files, template_texts, yaml_files
from ansible_ensemble.playbooks.model import SECTIONS, Entry, ReadPlay, Remark
from ansible_ensemble.playbooks.spellings import Spellings
from ansible_ensemble.playbooks.versions import Versions
from ansible_ensemble.playbooks.words import (
    beside_hostvars,
    files_by,
    handlers_in,
    notified_in,
    set_in,
    short_name,
    subject_of,
    tags_of,
    texts_in,
    words_in,
    words_of,
)

if TYPE_CHECKING:
    from ansible_ensemble.lanes.session import AnsibleSession

_IMPORT = "import_playbook"
_IMPORT_TASKS = "import_tasks"
_RUN_TASKS = (_IMPORT_TASKS, "include_tasks")
_BLOCK_KEYS = ("block", "rescue", "always")
#: Keywords of a play whose templates are those of each of its tasks.
_AROUND = ("environment", "become_user", "become_flags", "become_method", "remote_user", "port", "connection")
#: Keys of an entry of a role that are no variables of it.
_ROLE_KEYS = frozenset({"role", "name", "vars", "tags", *_AROUND, "become", "no_log", "run_once"})
_CALLS = ("import_role", "include_role")
#: What a block may have that its tasks can have themselves.
_OPEN_BLOCK = frozenset({"block", "name", "become", "become_user", "become_method", "become_flags", "tags", "no_log"})
#: How Ansible names a module that is not there.
_UNKNOWN_MODULE = regex(r"couldn't resolve module/action '([\w.]+)'")
_MAGIC = frozenset({"inventory_hostname", "inventory_hostname_short", "groups", "group_names", "hostvars"})


def read_playbooks(files: Sequence[Path], session: AnsibleSession) -> tuple[list[ReadPlay], list[Remark]]:
    """The plays of playbooks, with those that they import, in their order; and what is to be known of them."""
    reader = _Reader(session, _located(files[0]).parent)
    plays = [play for file in files for play in reader.plays(_located(file), {})]
    for at, play in enumerate(plays):
        play.earlier = list(dict.fromkeys(one.pattern for one in plays[:at] if one.gathers and not one.computes_hosts))
        play.set_before = plays[at - 1].found if at else frozenset()
    return plays, list(reader.remarks)


def _located(file: Path) -> Path:
    """A file in its folder as that is without links; what it names is beside it, also if it is a link itself."""
    return file.absolute().parent.resolve() / file.name


class _Reader:
    def __init__(self, session: AnsibleSession, root: Path) -> None:
        self._session = session
        self._root = root
        self._within: list[Path] = []
        self.remarks: dict[Remark, None] = {}
        collections = collection_folders(root)
        self._spellings = Spellings(collections, [root / "library"], self._place_in)
        self._versions = Versions(session, collections, self._place_in)

    def plays(self, file: Path, variables: Mapping[str, Any]) -> Iterator[ReadPlay]:
        """The plays of a file, where the imports that lead to it give variables, the outermost with the last word."""
        if file in self._within:
            raise InvalidInput(f"{file.name} imports itself", Place(str(file)))
        data = self._load(file)
        if not isinstance(data, list) or not all(isinstance(one, Mapping) for one in data):
            raise InvalidInput("it is no playbook: it must be a list of plays", Place(str(file)))
        self._session.move_to(str(file.parent))
        self._within.append(file)
        try:
            for raw in data:
                remarks = list(self._spellings.in_play(raw))
                renewed = any(one.written for one in remarks)
                self._remark(remarks)
                for section in PLAY_TASKS:
                    self._remark(self._versions.in_tasks(raw.get(section)))
                keys = {short_name(str(key)): value for key, value in raw.items()}
                if _IMPORT not in keys:
                    yield self._play(raw, file, variables, alone=len(data) == 1 and not renewed)
                elif "when" in raw or "{{" in str(keys[_IMPORT]):
                    yield ReadPlay(
                        raw, str(raw.get("name", Path(str(keys[_IMPORT])).stem)), "", place_in(raw, file), file
                    )
                else:
                    given = raw.get("vars") or {}
                    yield from self.plays(_located(file.parent / str(keys[_IMPORT])), {**given, **variables})
                    self._session.move_to(str(file.parent))
        finally:
            self._within.pop()

    def _place_in(self, data: Any) -> Place:
        return place_in(data, self._within[-1] if self._within else self._root)

    def _remark(self, remarks: Iterable[Remark]) -> None:
        self.remarks |= dict.fromkeys(remarks)

    def _refused(self, error: Any, place: Place) -> InvalidInput:
        """What Ansible says against a play, with what is known of a module that is not there."""
        refused = _refused(error, place)
        if (found := _UNKNOWN_MODULE.search(refused.message)) is not None:
            said = [remark.hint for remark in self._spellings.of_module(found[1], place)]
            refused.hint = "; ".join([*said, *([refused.hint] if refused.hint else [])])
        return refused

    def _load(self, file: Path) -> Any:
        from ansible.errors import AnsibleError

        if not file.is_file():
            raise InvalidInput("there is no such playbook", Place(str(file)))
        check_bounds(file.read_text(encoding="utf-8", errors="replace"), str(file))
        try:
            return self._session.loader.load_from_file(str(file), trusted_as_template=True)
        except AnsibleError as error:
            raise _refused(error, Place(str(file))) from error

    def _play(self, raw: Mapping[str, Any], file: Path, variables: Mapping[str, Any], *, alone: bool) -> ReadPlay:
        from ansible.errors import AnsibleError
        from ansible.playbook.play import Play

        place = place_in(raw, file)
        manager, loader = self._session.variable_manager, self._session.loader
        try:
            play = Play.load(dict(raw), variable_manager=manager, loader=loader)
        except AnsibleError as error:
            raise self._refused(error, place) from error
        play.vars = {**(play.vars or {}), **variables}  # those of an import go before the play's own
        hosts = raw.get("hosts") or ""
        pattern = hosts if isinstance(hosts, str) else ":".join(map(str, hosts))
        read = ReadPlay(raw, str(raw.get("name") or f"play of {pattern}"), _as_pattern(pattern), place, file, play=play)
        read.alone = alone
        read.variables = dict(play.vars or {})
        read.files = {str(name): self._variables(file.parent / str(name)) for name in _listed(raw.get("vars_files"))}
        read.hosts, read.known, read.inventory = self._hosts(read.pattern)
        try:
            self._add_entries(read, play)
        except AnsibleError as error:
            raise self._refused(error, place) from error
        return read

    def _add_entries(self, read: ReadPlay, play: Any) -> None:
        handlers = read.raw.get("handlers") or []
        handlers = read.handlers = [*handlers, *self._run(handlers, read.file.parent, set())]
        plain = [raw for raw in read.raw.get("handlers") or [] if isinstance(raw, Mapping) and "block" not in raw]
        read.handling = [self._handler(raw, read, play) for raw in plain]
        read.subjects = {name: subject for raw in handlers for name, subject in self._handled(raw, play)}
        named = set(files_named(handlers, read.file.parent))
        handled, handled_others = words_of(handlers).union(*map(self._words, named)), _others(handlers, named)
        roles = iter(play.roles)
        around = words_of({key: value for key, value in read.raw.items() if key in _AROUND})
        for section in SECTIONS:
            for item in read.raw.get(section) or []:
                if section == "roles":
                    read.entries.append(self._role(item, next(roles), read, play))
                else:
                    read.entries += self._tasks(item, section, read, play)
        for entry in [*read.entries, *(one for above in read.entries for one in above.within)]:
            entry.words |= around | (handled if entry.notified else frozenset())
            entry.others |= handled_others if entry.notified else frozenset()
            entry.once |= read.raw.get("run_once") is True

    def _handler(self, raw: Mapping[str, Any], read: ReadPlay, play: Any) -> Entry:
        made = self._task({key: one for key, one in raw.items() if key != "listen"}, "handlers", read, play, None)
        made.handlers = handlers_in([raw])
        return made

    def _handled(self, raw: Any, play: Any) -> Iterator[tuple[str, tuple[str, str]]]:
        """The names of a handler, each with what it is about."""
        from ansible.playbook.block import Block
        from ansible.playbook.handler import Handler

        if isinstance(raw, Mapping) and "block" not in raw:
            manager, loader = self._session.variable_manager, self._session.loader
            handler = Handler.load(dict(raw), block=Block(play=play), variable_manager=manager, loader=loader)
            yield from ((name, subject_of(handler)) for name in handlers_in([raw]))

    def _hosts(self, pattern: str) -> tuple[list[str], frozenset[str], dict[str, frozenset[str]]]:
        """The hosts of a pattern, the variables that the inventory has for all of them, and what those of any read."""
        if not pattern or "{{" in pattern:
            return [], _MAGIC, {}
        found = self._session.inventory.get_hosts(pattern, ignore_limits=True, ignore_restrictions=True)
        names, reads = list[set[str]](), dict[str, frozenset[str]]()
        for host in found:
            variables = self._session.variable_manager.get_vars(host=host, include_hostvars=False)
            names.append(set(variables))
            for name in variables.keys() - _MAGIC:
                reads[name] = reads.get(name, frozenset()) | words_of(variables[name])
        known = _MAGIC.union(set.intersection(*names) if names else ())
        return [str(host.name) for host in found], known, reads

    def _variables(self, file: Path) -> Mapping[str, Any] | None:
        """What is in a file of variables; None if it is encrypted, or not known before a play runs."""
        if "{{" in str(file) or not file.is_file() or file.read_bytes().startswith(b"$ANSIBLE_VAULT"):
            return None
        data = self._load(file)
        return data if isinstance(data, Mapping) else {}

    def _tasks(self, raw: Any, section: str, read: ReadPlay, play: Any, above: Any = None) -> list[Entry]:
        """The entries that an item of a list of tasks is: an open block is what is in it."""
        from ansible.playbook.block import Block

        manager, loader = self._session.variable_manager, self._session.loader
        if "block" in raw and set(raw) <= _OPEN_BLOCK and raw.get("block"):
            within = {key: value for key, value in raw.items() if key != "block"}
            parent = Block.load(
                {**within, "block": []}, play=play, parent_block=above, variable_manager=manager, loader=loader
            )
            inner = [one for item in raw["block"] for one in self._tasks(item, section, read, play, parent)]
            for one in inner:
                one.raw, one.tags = {**within, "block": [one.raw]}, one.tags | tags_of(raw)
            return inner
        if called := self._called(raw, section, read, play):
            return [called]
        if file := self._imported(raw, read.file.parent):
            return [self._file(raw, file, section, read, play)]
        return [self._task(raw, section, read, play, above)]

    def _imported(self, raw: Mapping[str, Any], folder: Path) -> Path | None:
        """The file of tasks that an item imports, with no more than tags."""
        keys = {short_name(str(key)): value for key, value in raw.items()}
        name = keys.get(_IMPORT_TASKS)
        if not isinstance(name, str) or not keys.keys() <= {_IMPORT_TASKS, "name", "tags"} or "{{" in name:
            return None
        return file if (file := folder / name.strip()).is_file() else None

    def _file(self, raw: Mapping[str, Any], file: Path, section: str, read: ReadPlay, play: Any) -> Entry:
        data = self._list(file)
        within = [one for item in data for one in self._tasks(item, section, read, play)]
        for one in within:
            one.tags |= tags_of(raw)
        return Entry(
            "file",
            raw,
            section,
            str(raw.get("name") or file.stem),
            place_in(raw, read.file),
            words=frozenset[str]().union(*(one.words for one in within)),
            sets=frozenset[str]().union(*(one.sets for one in within)),
            notified=frozenset[str]().union(*(one.notified for one in within)),
            tags=tags_of(raw),
            others=frozenset[str]().union(*(one.others for one in within)),
            file=file,
            within=within,
        )

    def _task(self, raw: Mapping[str, Any], section: str, read: ReadPlay, play: Any, above: Any) -> Entry:
        from ansible.playbook.block import Block
        from ansible.playbook.task import Task

        kind = "block" if "block" in raw else "task"
        folder, own = read.file.parent, without_once(raw)
        tasks, named = [own, *self._run([raw], folder, set())], set(files_named(raw, folder))
        made = Entry(
            kind,
            raw,
            section,
            str(raw.get("name") or kind),
            place_in(raw, read.file),
            words=words_of(tasks).union(*map(self._words, named)),
            others=_others(tasks, named),
            sets=set_in(tasks) | self._included(tasks, folder),
            notified=notified_in(tasks),
            tags=tags_of(raw),
            once=raw.get("run_once") is True,
        )
        manager, loader = self._session.variable_manager, self._session.loader
        if kind == "block":
            around = {key: value for key, value in raw.items() if key not in _BLOCK_KEYS}
            parent = Block.load(
                {**around, "block": []}, play=play, parent_block=above, variable_manager=manager, loader=loader
            )
            inner = (item for key in _BLOCK_KEYS for item in raw.get(key) or [])
            made.within = [one for item in inner for one in self._tasks(item, section, read, play, parent)]
        else:
            parent = above or Block(play=play)
            made.task = Task.load(dict(raw), block=parent, variable_manager=manager, loader=loader)
            made.name = str(raw.get("name") or task_title(made.task.action, made.task.args))
            file = file_run_by(raw, folder)
            made.within = self._in_file(file, section, read, play, above) if file is not None else []
        return made

    def _role(self, raw: Any, role: Any, read: ReadPlay, play: Any, entry: str | None = None) -> Entry:
        folder = Path(role._role_path)
        chain = [role, *role.get_all_dependencies()]
        for one in chain:
            self._remark(self._versions.of_role(one.get_name(), Path(one._role_path)))
            if one._role_collection:
                self._remark(self._versions.of_collection(one._role_collection))
        folders = [Path(one._role_path) for one in chain]
        tasks = [self._list(file) for one in folders for file in yaml_files(one, "tasks")]
        handlers = [self._list(file) for one in folders for file in yaml_files(one, "handlers")]
        parts = ("tasks", "handlers", "templates", "defaults", "vars", "meta")
        files = [file for one in folders for part in parts for file in (one / part).rglob("*") if file.is_file()]
        brought = frozenset[str]().union(*map(handlers_in, handlers))
        named = brought | {f"{one.get_name()} : {name}" for one in chain for name in brought}
        return Entry(
            "role",
            raw,
            "roles",
            role.get_name(),
            place_in(raw, read.file, read.place),
            words=words_of(without_once(raw)).union(*map(self._words, files)),
            others=_others(raw, files),
            sets=frozenset[str]().union(*map(set_in, [*tasks, *handlers]), self._included(tasks, folder)),
            exports=frozenset(str(name) for one in chain for name in (*one._default_vars, *one._role_vars)),
            variables={**role.get_default_vars(), **role.get_vars()},
            notified=frozenset[str]().union(*map(notified_in, tasks)) - named,
            handlers=named,
            tags=tags_of(raw),
            once=isinstance(raw, Mapping) and raw.get("run_once") is True,
            file=folder,
            within=self._within_role(role, entry, read, play),
            call=self._call(raw, role),
        )

    def _within_role(self, role: Any, entry: str | None, read: ReadPlay, play: Any) -> list[Entry]:
        """The entries of a role's own tasks, without those of the roles that it depends on."""
        from ansible.playbook.block import Block

        file = entry_file(Path(role._role_path), entry)
        if file is None:
            return []
        return self._in_file(file, "tasks", read, play, Block(play=play, role=role))

    def _in_file(self, file: Path, section: str, read: ReadPlay, play: Any, above: Any) -> list[Entry]:
        """The entries of a file of tasks; none if one is refused, or if the file runs itself."""
        from ansible.errors import AnsibleError

        if file in self._within:
            return []
        inside = structs.replace(read, file=file)
        self._within.append(file)
        try:
            items = self._list(file)
            if not all(isinstance(item, Mapping) for item in items):
                return []
            return [one for item in items for one in self._tasks(item, section, inside, play, above)]
        except (AnsibleError, InvalidInput):  # of what is perhaps never run
            return []
        finally:
            self._within.pop()

    def _call(self, raw: Any, role: Any) -> dict[str, Any]:
        """What an entry of `roles` calls: the role, with its variables."""
        if not isinstance(raw, Mapping):
            return {"role": self._role_name(str(raw), role)}
        given = {key: value for key, value in raw.items() if key not in _ROLE_KEYS} | (raw.get("vars") or {})
        name = str(raw.get("role") or raw.get("name"))
        return {"role": self._role_name(name, role), **({"vars": given} if given else {})}

    def _role_name(self, written: str, role: Any) -> str:
        """The name by which a node template finds a role: that of its collection, or its path where it has one."""
        if role._role_collection:
            return str(role.get_name())
        path = Path(role._role_path).resolve()
        if "/" not in written:
            return written
        return str(path.relative_to(self._root)) if path.is_relative_to(self._root) else str(path)

    def _called(self, raw: Mapping[str, Any], section: str, read: ReadPlay, play: Any) -> Entry | None:
        """The role that a task runs, with no more than variables and keywords of a role."""
        from ansible.playbook.role import Role
        from ansible.playbook.role.include import RoleInclude

        keys = {short_name(str(key)): value for key, value in raw.items()}
        kind = next((name for name in _CALLS if name in keys), "")
        given = keys.pop(kind, None)
        if (
            not isinstance(given, Mapping)
            or not given.keys() <= {"name", "tasks_from"}
            or not keys.keys() <= _ROLE_KEYS
        ):
            return None
        name, entry = str(given.get("name")), given.get("tasks_from")
        if "{{" in f"{name}{entry}":
            return None
        manager, loader = self._session.variable_manager, self._session.loader
        include = RoleInclude.load(name, play=play, variable_manager=manager, loader=loader)
        role = Role.load(include, play, from_files={"tasks": str(entry)} if entry else None)
        made = self._role(raw, role, read, play, str(entry) if entry else None)
        made.section = section
        made.exports = made.exports if kind == "import_role" else frozenset()
        variables = {"vars": raw["vars"]} if raw.get("vars") else {}
        made.call = {"role": self._role_name(name, role), **({"tasks_from": str(entry)} if entry else {}), **variables}
        return made

    def _run(self, data: Any, folder: Path, seen: set[Path]) -> list[Any]:
        """The tasks in the files that tasks run, and that these run."""
        made: list[Any] = []
        for file in (one for name in files_by(data, *_RUN_TASKS) for one in task_files(name, folder)):
            if file not in seen:
                seen.add(file)
                with suppress(InvalidInput):  # of a file that is perhaps never meant
                    tasks = self._list(file)
                    made += [*tasks, *self._run(tasks, file.parent, seen)]
        return made

    def _included(self, data: Any, folder: Path) -> frozenset[str]:
        """Variables that tasks take from files: of those that they name, or of any in `vars` if they compute which."""
        names = list(files_by(data, "include_vars"))
        computed = any("{{" in name or not name for name in names)
        files = [folder / part / name for name in names for part in ("", "vars")]
        files += yaml_files(folder, "vars") if computed else []
        read = [self._variables(file) or {} for file in files if file.is_file()]
        return frozenset(str(key) for one in read for key in one)

    def _words(self, file: Path) -> frozenset[str]:
        """Identifiers in the templates and expressions of a file."""
        if file.suffix in (".yml", ".yaml") and file.parent.name != "templates":
            try:
                return words_of(self._load(file))
            except InvalidInput:
                pass
        return words_in("\n".join(template_texts(file)))

    def _list(self, file: Path) -> list[Any]:
        data = self._load(file)
        self._remark(self._spellings.in_tasks(data, write=False))
        self._remark(self._versions.in_tasks(data))
        return data if isinstance(data, list) else []


def _as_pattern(hosts: str) -> str:
    """A pattern of hosts with the sign between its parts that a pattern has everywhere."""
    return hosts if hosts.startswith("~") else hosts.replace(", ", ":").replace(",", ":")


def _others(raw: Any, files: Iterable[Path]) -> frozenset[str]:
    """Words that an entry, and the files that it runs, have beside `hostvars`."""
    texts = [texts_in(raw), *(file.read_text(errors="replace") for file in files)]
    return frozenset[str]().union(*map(beside_hostvars, texts))


def without_once(raw: Any) -> Any:
    """An entry without its own `run_once`, where that is no template."""
    is_known = isinstance(raw, Mapping) and isinstance(raw.get("run_once"), bool)
    return {key: value for key, value in raw.items() if key != "run_once"} if is_known else raw


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value] if value else []


def place_in(data: Any, file: Path, otherwise: Place | None = None) -> Place:
    """Where data that Ansible has read stands."""
    from ansible._internal._datatag._tags import Origin

    origin = Origin.get_tag(data)
    if origin is None or not origin.path:
        return otherwise or Place(str(file))
    return Place(str(origin.path), int(origin.line_num or 0))


def _refused(error: Any, place: Place) -> InvalidInput:
    """What Ansible says against a file."""
    origin = getattr(getattr(error, "obj", None), "__class__", None) and place_in(error.obj, Path(place.file), place)
    return InvalidInput(" ".join(str(error.message).split()), origin or place, "ansible-playbook refuses it, too")
