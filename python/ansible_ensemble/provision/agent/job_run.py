"""The actions of a job on a host: files, scripts and Ansible's tasks, one after the other."""

from __future__ import annotations

import posixpath
from collections.abc import Awaitable, Callable, Mapping, Sequence
from importlib.resources import files
from typing import Any

from msgspec import Struct

from ansible_ensemble.provision.agent.exit_codes import FAILED, SMOOTH, Outcome, job_outcome, outcome_of
from ansible_ensemble.provision.agent.host import Host, Output, Playbook, Script
from ansible_ensemble.provision.objects.job import Job, JobAction
from ansible_ensemble.provision.objects.names import PARAM_NAME

#: The interpreter, in an action's Meta, that says so.
_INTERPRETER = "ansible"
_ENDINGS = (".yml", ".yaml")


def is_ansible(action: JobAction) -> bool:
    """Whether an action without a path is Ansible's: its Meta says so, or its name and content do.

    The name ends in `.yml` or `.yaml`, and the content is a list of maps, and no script with a first line `#!`.
    """
    interpreter = (action.meta or {}).get("Interpreter", "")
    if interpreter:
        return interpreter == _INTERPRETER
    named = action.name.endswith(_ENDINGS)
    return named and not action.content.startswith("#!") and _is_list_of_maps(action.content)


def _is_list_of_maps(content: str) -> bool:
    """Whether it has that shape, whatever its tags and values are: they are Ansible's to judge."""
    import yaml  # most agents meet no such action

    try:
        node = yaml.compose(content, yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError):
        return False
    items = node.value if isinstance(node, yaml.SequenceNode) else []
    return bool(items) and all(isinstance(item, yaml.MappingNode) for item in items)


#: A script that leaves this file in its folder uses the sane exit codes, whatever its task's feature flags are.
_SANE_MARK = ".sane-exit-codes"
_HELPER = "helper"

#: Gives params to the machine.
SetParams = Callable[[Mapping[str, Any]], Awaitable[None]]


class JobRun(Struct, frozen=True):
    """A job that is carried out.

    Attributes:
        host: where.
        job: the job.
        sane: whether its task has the sane exit codes.
        folder: of the agent on the host; the job gets one in it.
        variables: of its scripts.
        facts: what Ansible's tasks see.
        set_params: takes what Ansible's tasks set.
        output: takes what scripts print.
        note: takes lines about the job.
    """

    host: Host
    job: Job
    sane: bool
    folder: str
    variables: Mapping[str, str]
    facts: Callable[[], Awaitable[Mapping[str, Any]]]
    set_params: SetParams
    output: Output
    note: Callable[[str], Awaitable[None]]

    async def run(self, actions: Sequence[JobAction]) -> Outcome:
        """How the job ended.

        Raises:
            HostFailed: a file could not be written, or a script not be started.
        """
        work = await self.host.make_folder(self.folder, f"{self.job.task}-")
        try:
            return await self._all(work, actions)
        finally:
            await self.host.remove_folder(work)

    async def _all(self, work: str, actions: Sequence[JobAction]) -> Outcome:
        last = len(actions) - 1
        for number, action in enumerate(actions):
            outcome = await self._one(work, action)
            await self.note(f"Action {action.name} finished")
            if ended := job_outcome(outcome, number == last):
                return ended
        return SMOOTH

    async def _one(self, work: str, action: JobAction) -> Outcome:
        if action.path:
            await self.host.write(_place(work, action.path), action.content, 0o644)
            return SMOOTH
        if is_ansible(action):
            return await self._play(action)
        return await self._script(work, action)

    async def _script(self, work: str, action: JobAction) -> Outcome:
        helper = posixpath.join(work, _HELPER)
        if not await self.host.exists(helper):
            await self.host.write(helper, _library(), 0o600)
        name = f"{self.job.task}-{action.name}".replace("/", "_")
        script = Script(
            path=posixpath.join(work, name),
            folder=work,
            environment={**self.variables, "RS_TASK_DIR": work},
            interpreter=(action.meta or {}).get("Interpreter", ""),
        )
        await self.host.write(script.path, action.content, 0o700)
        await self.note(f"Starting command ./{name}")
        await self.note("Command running")
        status = await self.host.run(script, self.output)
        await self.note(f"Command exited with status {status}")
        sane = self.sane or await self.host.exists(posixpath.join(work, _SANE_MARK))
        return outcome_of(status, sane)

    async def _play(self, action: JobAction) -> Outcome:
        await self.note(f"Starting Ansible's tasks of {action.name}")
        check = (action.meta or {}).get("check", "").lower() == "true"
        playbook = Playbook(action.name, action.content, await self.facts(), check)
        played = await self.host.play(playbook, self.output)
        if wrong := [name for name in played.params if not PARAM_NAME.fullmatch(name)]:
            await self.note(f"set_stats: {', '.join(wrong)} cannot be the name of a param")
            return FAILED
        await self.set_params(played.params)
        await self.note(f"Ansible ended with status {played.status}")
        return outcome_of(played.status, sane=True)


def _place(work: str, path: str) -> str:
    """Where a file is written; a relative path stays in the job's folder, which is removed with all that is in it."""
    inside = posixpath.normpath(f"/{path}").lstrip("/")
    return posixpath.normpath(path) if path.startswith("/") else posixpath.join(work, inside)


def _library() -> str:
    return (files(__package__) / "helper.sh").read_text(encoding="utf-8")
