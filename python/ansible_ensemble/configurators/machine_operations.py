"""Operations of a machine: deploy, check, discover, undeploy; each by requests to its server."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Sequence

from ansible_ensemble.configurators.machine_run import act, begin, follow, pause, why_stopped
from ansible_ensemble.configurators.machine_talk import Begin, Ended, Talk
from ansible_ensemble.configurators.machine_wanted import Difference, Server, Wanted, differences, shaped, wanted_of
from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.instances.status import Status
from ansible_ensemble.provision.client.client import Client
from ansible_ensemble.provision.client.failure import RequestFailed
from ansible_ensemble.provision.client.machine_watch import look
from ansible_ensemble.provision.client.settings import Settings, settings_from
from ansible_ensemble.provision.objects.content import Param, Profile, Workflow
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.rules.parameters import is_sealed

_NOT_FOUND = 404
#: Operations that set no params.
_SETTING_NOTHING = ("check", "discover", "delete")


def carry_out(talk: Talk) -> Ended:
    """Carry out the operation that the job names, to its end or until it is ended."""
    said = talk.begin()
    try:
        wanted = wanted_of(said.wanted)
        client = Client(_settings(wanted.server))
    except EnsembleError as error:
        return Ended(success=False, error=str(error))
    return asyncio.run(_Operation(client, wanted, said, talk).run())


def _settings(server: Server) -> Settings:
    return settings_from(
        os.environ,
        endpoint=server.endpoint,
        key=server.key,
        token=server.token,
        ca_file=server.ca_file,
        fingerprint=server.fingerprint,
        insecure=server.insecure,
    )


class _Operation:
    """An operation on a machine.

    Attributes:
        ended: how it ended, as far as it came.
    """

    def __init__(self, client: Client, wanted: Wanted, said: Begin, talk: Talk) -> None:
        self._client, self._wanted, self._said, self._talk = client, wanted, said, talk
        self._secure: set[str] = set()
        self._running: Machine | None = None
        self.ended = Ended(success=True, predicted=said.check)

    async def run(self) -> Ended:
        """Carry it out."""
        task = asyncio.current_task()
        assert task is not None
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        async with self._client:
            try:
                await self._carry_out()
            except EnsembleError as error:
                self.ended.success, self.ended.error = False, str(error)
            except asyncio.CancelledError:
                task.uncancel()
                self.ended.success, self.ended.error = False, await self._give_up()
        return self.ended

    async def _carry_out(self) -> None:
        await self._learn_secrets()
        machine = await self._find()
        match self._said.operation:
            case "check":
                await self._look(machine, compare=True)
            case "discover":
                await self._look(machine, compare=False)
            case "delete" if self._said.check:
                self._predict_undeploy(machine)
            case "delete":
                await self._undeploy(machine)
            case "create" if self._said.check:
                self._refuse_wrong(machine)
                self._predict([] if machine else [Difference("machine", None, self._wanted.name)])
            case "create":
                self.ended.attributes["adopted"] = self._refuse_wrong(machine)
                self._observe(machine or await self._make())
            case _ if self._said.check:
                await self._predict_deploy(machine)
            case _:
                await self._deploy(machine)

    async def _give_up(self) -> str:
        """Pause a machine that is on its way; what became of it."""
        machine = self._running
        if machine is None:
            return "it was ended"
        try:
            await pause(self._client, machine)
        except RequestFailed as error:
            text = f"the machine could not be paused, and goes on: {error}"
        else:
            text = "the machine is paused; deploy again to go on"
        self._talk.tell(text)
        return f"it was ended; {text}"

    def _say(self, lines: Sequence[str]) -> None:
        """Tell what was found, now and in the record."""
        for line in lines:
            self._talk.tell(line)
        self.ended.messages += lines

    # --- the machine ---

    async def _learn_secrets(self) -> None:
        """Which params are secrets by their definitions on the server."""
        self._secure = {param.name for param in await self._client.select(Param, {"Secure": "true"})}
        if shown := self._secure & self._wanted.params.keys() - set(self._said.marked):
            self._talk.hide(shown)
            if self._said.operation in _SETTING_NOTHING:
                return
            hint = "give its value by get_secret, a sensitive input, or {eval: {sensitive: ...}}"
            names = ", ".join(sorted(shown))
            raise EnsembleError(f"params that are secure on the server are not sensitive: {names}", hint=hint)

    async def _find(self) -> Machine | None:
        """The machine: the one that was deployed before, or else the one of the name."""
        keys = [f"Name:{self._wanted.name}"]
        if uuid := self._said.kept.get("uuid"):
            keys.insert(0, str(uuid))
        for key in keys:
            try:
                return await self._client.get(Machine, key)
            except RequestFailed as error:
                if error.error.code != _NOT_FOUND:
                    raise
        return None

    @property
    def _stale(self) -> set[str]:
        """Params that were wanted before, and are not any more."""
        return set(self._said.kept.get("set_params") or ()) - self._wanted.params.keys()

    async def _differences(self, machine: Machine) -> list[Difference]:
        """In what the machine differs; secrets that may not be read are not compared."""
        secret = {name for name in self._wanted.params if name in self._secure}
        if any(is_sealed(value) for value in machine.params.values()):
            try:
                machine = machine.replaced(params=await self._client.params(machine, decode=True))
            except RequestFailed:
                self._say(["secure params are not compared: the user may not read them"])
                machine = machine.replaced(params={**machine.params, **{n: self._wanted.params[n] for n in secret}})
        return list(differences(machine, self._wanted, self._stale, self._secure))

    def _observe(self, machine: Machine) -> None:
        """Take down what the machine is."""
        self.ended.attributes |= {
            "uuid": machine.uuid,
            "private_address": machine.address,
            "hardware_addresses": machine.hardware_addrs,
            "stage": machine.stage,
            "boot_env": machine.boot_env,
            "runnable": machine.runnable,
            "workflow_complete": machine.workflow_complete,
            "current_workflow": machine.workflow,
            "current_profiles": machine.profiles,
            "current_params": {name: value for name, value in machine.params.items() if not is_sealed(value)},
        }

    # --- deploy ---

    async def _deploy(self, machine: Machine | None) -> None:
        self._refuse_wrong(machine)
        before = machine or await self._make()
        machine = await self._client.change(before, shaped(before, self._wanted, self._stale))
        changed = machine != before
        self.ended.modified = self.ended.modified or changed
        self.ended.attributes["set_params"] = sorted(self._wanted.params)
        self._observe(machine)
        if self._wanted.workflow:
            machine = await self._run(machine, self._wanted, changed=changed)
        self._observe(machine)

    async def _make(self) -> Machine:
        """Create the machine; it is given its workflow when that is followed."""
        self.ended.modified = None
        machine = await self._client.create(shaped(Machine(), self._wanted, ()))
        self.ended.modified = True
        self._talk.tell(f"created machine {machine.name}")
        return machine

    async def _run(self, machine: Machine, wanted: Wanted, *, changed: bool) -> Machine:
        """Have the machine complete a workflow."""
        self._running = machine
        if await begin(self._client, machine, wanted, changed=changed, tell=self._talk.tell):
            self.ended.modified = True
            try:
                machine = await follow(self._client, machine, wanted.workflow, self._talk.tell)
            except EnsembleError:
                if status := await look(self._client, machine.uuid):
                    self._observe(status.machine)
                raise
        self._running = None
        return machine

    def _refuse_wrong(self, machine: Machine | None) -> bool:
        """Refuse a machine that is there or not as it must not be; whether it is adopted."""
        name, ours = self._wanted.name, machine is not None and machine.uuid == self._said.kept.get("uuid")
        if machine is None and self._wanted.existing == "require":
            raise EnsembleError(f"there is no machine {name}", hint="set `existing: use` to have it created")
        if machine is not None and not ours and self._wanted.existing == "refuse":
            raise EnsembleError(f"there is a machine {name} already", hint="set `existing: use` to adopt it")
        return bool(self._said.kept.get("adopted")) if ours else machine is not None

    async def _predict_deploy(self, machine: Machine | None) -> None:
        """What deploy would change."""
        self._refuse_wrong(machine)
        await self._refuse_missing()
        if machine is None:
            machine = shaped(Machine(name=self._wanted.name), self._wanted, ())
            self._predict(list(differences(machine, self._wanted, (), self._secure)))
            return
        found = await self._differences(machine)
        status = await look(self._client, machine.uuid)
        if self._wanted.workflow and status and not status.is_complete and not found:
            found = [Difference("workflow_complete", live=False, wanted=True)]
        self._predict(found)

    async def _refuse_missing(self) -> None:
        """Refuse a workflow and profiles that the server does not have; it would refuse them itself.

        Raises:
            RequestFailed: there are no such.
        """
        if self._wanted.workflow:
            await self._client.get(Workflow, self._wanted.workflow)
        for profile in self._wanted.profiles or ():
            await self._client.get(Profile, profile)

    def _predict(self, found: Sequence[Difference]) -> None:
        self.ended.modified = bool(found)
        self._say([f"{one.name}: {one.live} -> {one.wanted}" for one in found])
        if found:
            before, after = ({one.name: getattr(one, side) for one in found} for side in ("live", "wanted"))
            self.ended.diff = [{"before": before, "after": after}]

    # --- look ---

    async def _look(self, machine: Machine | None, *, compare: bool) -> None:
        """Take down what the machine is, and compare it with what is wanted."""
        status = await look(self._client, machine.uuid) if machine else None
        if status is None:
            self.ended.status = Status.ABSENT.value
            self._say([f"there is no machine {self._wanted.name}"])
            return
        self._observe(status.machine)
        self.ended.status = Status.OK.value
        if not compare:
            return
        found = [str(one) for one in await self._differences(status.machine)]
        if self._wanted.workflow and not status.is_complete:
            found.append(why_stopped(status) or f"the workflow is not complete: the machine is {status.state}")
        if found:
            stopped = bool(why_stopped(status))
            self.ended.status = (Status.ERROR if stopped else Status.DEGRADED).value
            self._say(found)

    # --- undeploy ---

    @property
    def _deletes(self) -> bool:
        """Whether undeploy deletes the machine: what deploy created, unless something else is wanted."""
        return self._wanted.undeploy == "delete" or (
            self._wanted.undeploy is None and not self._said.kept.get("adopted")
        )

    async def _undeploy(self, machine: Machine | None) -> None:
        if machine is None:
            return
        self.ended.modified = None
        if last := self._wanted.undeploy_workflow:
            wanted = Wanted(name=self._wanted.name, workflow=last, deploy_actions=self._wanted.deploy_actions)
            machine = await self._run(machine, wanted, changed=False)
        await act(self._client, machine, self._wanted.undeploy_actions, self._talk.tell)
        if self._deletes:
            await self._client.delete(Machine, machine.uuid)
        elif not last and machine.workflow == self._wanted.workflow:
            machine = await self._client.change(machine, machine.replaced(workflow=""))
        self.ended.modified = True

    def _predict_undeploy(self, machine: Machine | None) -> None:
        if machine is None:
            return
        end = None if self._deletes else f"{machine.name}, in the workflow {self._wanted.undeploy_workflow or '(none)'}"
        self._predict([Difference("machine", machine.name, end)])
