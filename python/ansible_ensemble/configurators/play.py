"""Ansible's task files, roles and playbooks."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ansible_ensemble.configurators.ansible_files import read_ansible_file
from ansible_ensemble.configurators.backups import BEGUN, note_backups, put_backups_back
from ansible_ensemble.configurators.base import BaseConfigurator
from ansible_ensemble.configurators.check_mode import (
    found_by_check_mode,
    in_check_mode,
    is_dry_run_check,
    is_in_place,
    may_be_there,
    shows_unasked,
)
from ansible_ensemble.configurators.environment import set_variables
from ansible_ensemble.configurators.left_paths import follow_links, look_at_paths
from ansible_ensemble.configurators.locations import collection_folders
from ansible_ensemble.configurators.module_spec import role_folder, role_spec
from ansible_ensemble.configurators.play_files import (
    OPTION_INPUTS,
    expressions_named,
    inventory_of,
    keys_of,
    options_of,
    parts_named,
    texts_of,
)
from ansible_ensemble.configurators.protocol import Basis, Progress, Result, Steps, Task
from ansible_ensemble.configurators.results import RESERVED_INPUTS, as_map, returned, to_result
from ansible_ensemble.configurators.there_before import (
    OURS,
    REMOVAL,
    end_removal,
    leaves_what_was_there,
    may_go,
    note_there_before,
    note_what_was_made,
    removal_file,
)
from ansible_ensemble.core.errors import InvalidInput, raise_all
from ansible_ensemble.core.orders import EVALUATED, Play
from ansible_ensemble.core.regex import regex
from ansible_ensemble.core.sensitive import reveal
from ansible_ensemble.documents.atomic import write_atomically
from ansible_ensemble.instances.status import Status
from ansible_ensemble.language.given_input import is_lost
from ansible_ensemble.language.playbook_keywords import PLAY_KEYS

_OF_ANSIBLE = "ansible_"


def missing_arguments(role: str, task: Task, given: Collection[str]) -> Iterator[InvalidInput]:
    """Each argument that the role's `argument_specs` requires, and that neither it, nor its role, nor its host has.

    Args:
        role: its path or FQCN.
        task: what runs it.
        given: the variables that it is given.
    """
    collections = collection_folders(task.root)
    spec = role_spec(role, str(task.setting("tasks_from") or "main"), collections)
    folder = role_folder(role, collections)
    required = [name for name, option in spec.options.items() if option.required] if spec is not None else []
    if not required or folder is None:
        return
    vars_of_task = task.setting("vars")
    known = {*given, *(vars_of_task if isinstance(vars_of_task, Mapping) else ()), *_own_variables(folder)}
    left = [name for name in required if name not in known and not name.startswith(_OF_ANSIBLE)]
    for name, host in task.undefined(left).items():
        message = (
            f"the role {folder.name} of {task.operation.title} requires {name}, which the host {host} does not have"
        )
        yield InvalidInput(message, task.operation.place, "give it in vars:, or set it for the host")


def _own_variables(role: Path) -> set[str]:
    """The variables that a role has itself."""
    found: set[str] = set()
    for file in (file for kind in ("defaults", "vars") for file in (role / kind).rglob("*") if file.is_file()):
        with suppress(InvalidInput):
            data = read_ansible_file(file)
            found.update(map(str, data) if isinstance(data, Mapping) else ())
    return found


#: Keys of an implementation that are keywords of Ansible's tasks and plays.
_KEYWORDS = (
    "become",
    "become_user",
    "become_method",
    "become_flags",
    "changed_when",
    "connection",
    "delegate_to",
    "delay",
    "failed_when",
    "gather_facts",
    "no_log",
    "port",
    "remote_user",
    "retries",
    "until",
    "vars",
)

#: Keys that tell a play from a task, and a play that stands in another file.
_IMPORTS = ("import_playbook", "ansible.builtin.import_playbook")
_OF_PLAYS = ("hosts", "tasks", "roles", *_IMPORTS)
#: What an inline play has that does not say where it runs.
_ANYWHERE = {"hosts": "all", "gather_facts": False}

#: Name of the file that an inline playbook is written to.
_INLINE = "playbook.yml"
_PLAY_INPUTS = RESERVED_INPUTS | {"playbook", "arguments"}
#: What a play asks of its task as Unfurl has it; a variable of its own that is called so has other parts.
_TASK = regex(r"\btask\.(?:dryrun|operation|reason|workflow)\b")
#: The map of all inputs, where a play reads one of them by it.
_INPUTS = regex(r"\binputs\s*[.\[]")
#: Inputs of templates that see what tasks returned.
_TEMPLATES = ("done", "outputsTemplate", "resultTemplate")


def task_keywords(task: Task) -> dict[str, Any]:
    """Ansible keywords set on the operation's implementation; without `until`, retries are the job's own matter."""
    settings = {name: task.setting(name) for name in _KEYWORDS}
    if settings["until"] is None:
        settings["retries"] = settings["delay"] = None
    keywords = {name: reveal(value) for name, value in settings.items() if value is not None}
    environment = set_variables(task)
    return {**keywords, "environment": environment} if environment else keywords


def _explain_failure(result: Result, tasks: Sequence[Mapping[str, Any]], found: Sequence[str]) -> None:
    """Say what a failure in check mode tells: after tasks that did nothing, one may fail that is well in earnest."""
    last = max((number for number, one in enumerate(tasks) if one["status"] == "failed"), default=0)
    before = tasks[:last]
    if changing := [one["name"] for one in before if one.get("changed") and one["name"] in found]:
        by = ", ".join(dict.fromkeys(changing))
        result.status, result.error = Status.DRIFTED, f"it would be changed by {by}; {result.error}"
    elif left_out := [one["name"] for one in before if one.get("left_out")]:
        result.status, result.basis = None, Basis.NOT_RUN
        result.error = f"check mode leaves out {', '.join(left_out)}, and fails after it: {result.error}"


class PlayConfigurator(BaseConfigurator):
    """Runs a task file, a role or a playbook; inputs are its variables (as `-e` gives them).

    Keys that it sets with set_stats, and facts it sets, are the operation's outputs; set_stats keys named as declared
    attributes set these.
    """

    on_host = True

    def __init__(self, name: str, target: str = "") -> None:
        super().__init__(target)
        self.name = name
        self.keys = frozenset({"environment", "check_mode"}) if name == "playbook" else PLAY_KEYS
        self.keys |= {REMOVAL, "tasks_from"} if name == "role" else {REMOVAL}

    def render(self, task: Task) -> None:
        """Evaluate the variables."""
        super().render(task)
        variables = self._variables(task)
        if self.name == "role":
            raise_all(missing_arguments(self._target, task, variables))
        set_variables(task)
        options_of(task)
        keys_of(task)
        if (inventory := inventory_of(task)) is not None and not Path(inventory).is_relative_to(task.folder):
            task.note_file(Path(inventory))

    def run(self, task: Task) -> Steps:
        """Run it in a nested play; what takes something away leaves what was there before."""
        removal, noted = task.setting(REMOVAL), task.made.get(REMOVAL) or {}
        makes = removal is not None and task.operation.name != "delete" and not in_check_mode(task)
        restored = False
        source = self._source(task)
        # what was adopted is taken away as a whole, if that is asked for
        leaves = removal is not None and task.operation.name == "delete" and bool(noted or task.was_configured)
        is_known = OURS in noted and not is_lost(noted)
        if leaves and not is_known and leaves_what_was_there(removal_file(task, removal)):
            yield Progress("nothing is taken away: what was there before is not known")
            return Result(success=True, modified=False)
        order = Play(
            kind=self.name,
            source=source,
            host=task.host,
            variables=self._variables(task),
            keywords=task_keywords(task),
            base=str(task.base),
            check=in_check_mode(task),
            diff=task.diff or shows_unasked(task),
            timeout=task.timeout,
            fast=task.setting("fast", True) is not False,
            options=options_of(task),
            inventory=inventory_of(task),
            keys=keys_of(task) if any(name in task.inputs for name in _TEMPLATES) else (),
            tasks_from=task.setting("tasks_from"),
            discreet=shows_unasked(task),
            removing=may_go(noted) if leaves else None,
        )
        try:
            outcome = (yield from note_there_before(task, order, removal)) if makes else None
            if leaves and not in_check_mode(task):
                restored = yield from put_backups_back(task, noted)
            outcome = outcome or (yield order)
            if makes:
                yield from note_what_was_made(task, order, removal, outcome)
        finally:
            if not self._target and not isinstance(task.inputs.get("playbook"), str):
                Path(source).unlink(missing_ok=True)  # it holds secrets in clear
        if leaves:
            yield from end_removal(task, noted, outcome)
        if makes and task.made.get(REMOVAL) and not order.inventory:
            yield from note_backups(task, REMOVAL, outcome, cut_off=BEGUN in noted)
        if restored:
            outcome.changed = True
        named = returned(outcome)
        values = {**(named.get("facts") or {}), **(named.get("stats") or {})}
        tasks = named.get("tasks") or ()
        changes = [one for one in tasks if one.get("changed")]
        found = [one["name"] for one in changes if not (one.get("unseen") or one.get("path") in task.overwritten)]
        looks = is_dry_run_check(task)
        if looks and outcome.ok and len(found) < len(changes):
            outcome.changed = bool(found)
            outcome.diff = outcome.diff if found else []  # of what others write after it
        result = to_result(task, outcome, values, modified=outcome.changed if not outcome.ok else None)
        result.unseen = [f"{one['name']} ({one['action']})" for one in tasks if one.get("unseen")]
        result.there = may_be_there(outcome) or any(map(is_in_place, tasks))
        dropped = [f"TASK [{one['name']}]: {one['msg']}" for one in tasks if one.get("dropped")]
        if dropped and outcome.ok and not in_check_mode(task):
            result.status, result.error = Status.DEGRADED, f"failed, and was ignored: {'; '.join(dropped)}"
        saw = not tasks or not all(one.get("unseen") for one in tasks)
        basis = Basis.PREDICTED if saw or not looks else Basis.NOT_RUN
        result = found_by_check_mode(task, result, basis, f" by {', '.join(dict.fromkeys(found))}")
        if looks and not outcome.ok and result.success:
            _explain_failure(result, tasks, found)
        yield from look_at_paths(task, result)
        if result.success and not in_check_mode(task):
            yield from follow_links(task)
        return result

    def _source(self, task: Task) -> str:
        if self._target:
            return self._target
        playbook = task.inputs.get("playbook")
        if isinstance(playbook, str):
            return str(task.base / playbook)
        if not playbook:
            raise InvalidInput("there is no playbook to run", task.operation.place, "set the input `playbook`")
        return self._write(task, playbook)

    def _write(self, task: Task, playbook: Any) -> str:
        """An inline playbook or list of tasks, as a file in the task's folder (JSON is YAML)."""
        plays = playbook if isinstance(playbook, list) else [playbook]
        if not all(isinstance(play, dict) for play in plays):
            raise InvalidInput("an inline playbook must hold maps: plays or tasks", task.operation.place)
        if not any(key in play for play in plays for key in _OF_PLAYS):
            plays = [{"tasks": plays}]
        plays = [play if set(play) & {"hosts", *_IMPORTS} else {**_ANYWHERE, **play} for play in plays]
        file = task.folder / _INLINE
        write_atomically(file, json.dumps(reveal(plays), indent=1, default=str), mode=0o600)
        return str(file)

    def _texts(self, task: Task) -> list[str]:
        """What it declares to run."""
        playbook = task.inputs.get("playbook")
        if self._target or isinstance(playbook, str):
            return texts_of(self._target or str(task.base / str(playbook)), task.base)
        return [json.dumps(reveal(playbook), default=str)]

    def _variables(self, task: Task) -> dict[str, Any]:
        texts = self._texts(task)
        parts = {part: task.known(part, names) for part, names in parts_named(texts).items()}
        evaluated = {expression: reveal(task.query(expression)) for expression in expressions_named(texts)}
        variables: dict[str, Any] = {EVALUATED: evaluated} if evaluated else {}
        own = _PLAY_INPUTS | (OPTION_INPUTS - task.operation.input_definitions.keys())
        variables |= {part: reveal(values) for part, values in parts.items() if values is not None}
        inputs = {name: reveal(task.inputs[name]) for name in task.inputs if name not in own}
        if any(_INPUTS.search(text) for text in texts):
            variables["inputs"] = inputs
        if any(_TASK.search(text) for text in texts):
            variables["task"] = reveal(task.query({"eval": {"template": "{{ task }}"}}))
        variables.update(inputs)
        arguments = as_map(task.inputs.get("arguments") or {}, "the input arguments must be", task)
        return {**variables, **reveal(arguments)}
