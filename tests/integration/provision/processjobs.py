"""The field's agent, `machines processjobs`: its states, its requests, and what it prints."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from tests.integration.provision import go_objects
from tests.integration.provision.drpcli import Object, patch_between
from tests.integration.provision.go_objects import MODELS
from tests.integration.provision.runner import Outcome, Runner
from tests.integration.provision.wire import Refusal, Watch, Wire

#: What a wait for runnability heeds beside, and which fields wake one that waits for another stage.
_CHANGES = ("CurrentTask", "Tasks", "Runnable", "BootEnv", "Stage")
_BOOT_TIME = next(int(line.split()[1]) for line in Path("/proc/stat").read_text().splitlines() if "btime" in line)


class AgentFailed(Exception):
    """The agent ends with an error."""


class Agent:
    """One run of the agent, as `processjobs KEY` with some of its options.

    Attributes:
        lines: what it printed.
        machine: the copy of the machine that it holds.
        executed: the UUIDs of the jobs that it executed, in their order; a job that it went on with is there again.
    """

    def __init__(
        self,
        wire: Wire,
        key: str,
        state_dir: Path,
        *,
        oneshot: bool = True,
        exit_on_failure: bool = False,
        context: str = "",
        wait: float = 1.0,
        pause: float = 5.0,
    ) -> None:
        self.wire = wire
        self.lines: list[str] = []
        self.machine: Object = {}
        self.executed: list[str] = []
        self._key, self._state_dir = key, state_dir
        self._oneshot, self._exit_on_failure, self._context = oneshot, exit_on_failure, context
        self._wait, self._pause = wait, pause
        self._watch: Watch | None = None
        self._error: Exception | None = None
        self._job: Object = {}

    # --- the loop ---

    async def run(self) -> None:
        """Until it exits, reboots or powers off, none of which is done.

        Raises:
            AgentFailed: an error ended it.
        """
        self._folder = Path(tempfile.mkdtemp(prefix="runner-"))
        try:
            state = await self._start()
            while state not in ("exit", "power"):
                state = await getattr(self, f"_{state}")()
                self._save()
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)
            if self._watch:
                await self._watch.close()
        if self._error:
            raise AgentFailed(str(self._error)) from self._error

    async def _start(self) -> str:
        self.machine = await self._show("machines", self._key)
        flags = self.machine["Meta"].get("feature-flags", "").split(",")
        if not self._context and ("change-stage-v2" not in flags or "original-change-stage" in flags):
            await self._patch_machine(Runnable=True)
        await self._param("runner-tmpdir")
        saved = self._saved()
        if saved:
            fresh, self.machine = self.machine, saved
            if fresh["BootEnv"] != saved["BootEnv"] and not self._context:
                return await self._reboot_or_exit()
        return "init"

    async def _init(self) -> str:
        self._say("Agent in init")
        self._error = None
        try:
            if self._watch:
                await self._watch.close()
                self._watch = None
            await self._fail_stale_job()
            self._watch = await self.wire.watch()
        except Exception as error:
            return await self._stay(error, 6 * self._pause)
        return "wait_for_runnable"

    async def _wait_for_runnable(self) -> str:
        self._say("Waiting on machine to become runnable")
        return await self._wait_on(lambda machine: machine["Runnable"], "wait_for_runnable")

    async def _run_task(self) -> str:
        self._say("Agent waiting for tasks")
        try:
            body = go_objects.body("jobs", {"Machine": self.machine["Uuid"], "Context": self._context})
            job = await self.wire.call("POST", "jobs", body, MODELS["jobs"])
            if not job or not job["State"]:
                return "change_stage" if not self.machine["Workflow"] else "wait_for_change_stage"
            self._job = job
            self._say(
                f"Runner created for task {job['Workflow']}:{job['Stage']}:{job['Task']} "
                f"({job['CurrentIndex']}:{job['NextIndex']})"
            )
            return await self._run_job()
        except Exception as error:
            return await self._init_or_exit(error)

    async def _wait_for_change_stage(self) -> str:
        self._say("Current tasks finished, wait for stage or bootenv to change")
        self._say("Agent waiting stage change")
        held = self.machine
        return await self._wait_on(
            lambda now: any(now[name] != held[name] for name in _CHANGES), "wait_for_change_stage"
        )

    async def _change_stage(self) -> str:
        """The map of stages, where a machine has no workflow."""
        self._say("Current tasks finished, check to see if stage needs to change")
        try:
            stages = await self._param("change-stage/map") or {}
            step = stages.get(self.machine["Stage"], "")
            if not step and not self.machine["BootEnv"].endswith("-install"):
                return "wait_for_change_stage"
            name, _, target = (step or "local").partition(":")
            stage = await self._show("stages", name)
            self._say("Agent changing stage")
            moved = stage["BootEnv"] not in ("", self.machine["BootEnv"])
            await self._patch_machine(Stage=name)
            if moved or target == "Reboot" or stage["Reboot"]:
                return await self._reboot_or_exit()
            return {"Stop": "exit", "Shutdown": "power"}.get(target, "wait_for_runnable")
        except Exception as error:
            return await self._init_or_exit(error)

    # --- waiting ---

    async def _wait_on(self, condition: Any, state: str) -> str:
        """Look at the machine, and again after each event of it, until it may go on."""
        key = self.machine["Uuid"]
        filters = [f"machines.update.{key}", f"machines.save.{key}"]
        assert self._watch
        try:
            for pattern in filters:
                await self._watch.register(pattern)
            complete, held = await self._look(condition), self.machine
            for pattern in filters:
                await self._watch.deregister(pattern)
        except Exception as error:
            return await self._init_or_exit(error)
        self.machine = self._fresh
        self._say(f"Wait: finished with {'complete' if complete else 'timeout'}")
        if not complete:
            return self._exit() if self._oneshot else state
        if self.machine["BootEnv"] != held["BootEnv"] and not self._context:
            return await self._reboot_or_exit()
        return (
            "run_task" if self.machine["Context"] == self._context and self.machine["Runnable"] else "wait_for_runnable"
        )

    async def _look(self, condition: Any) -> bool:
        assert self._watch
        while True:
            self._fresh = now = await self._show("machines", self.machine["Uuid"])
            mine = now["Context"] == self._context or now["BootEnv"] != self.machine["BootEnv"]
            if now["Available"] and mine and condition(now):
                return True
            if await self._watch.next(self._wait if self._oneshot else 3600) is None:
                return False

    async def _init_or_exit(self, error: Exception) -> str:
        return await self._stay(error, self._pause)

    async def _stay(self, error: Exception, pause: float) -> str:
        self._say(f"Error: {error}")
        if self._exit_on_failure:
            self._error = error
            return self._exit()
        await asyncio.sleep(pause)
        return "init"

    def _exit(self) -> str:
        self._say("Agent exiting")
        return "exit"

    async def _reboot_or_exit(self) -> str:
        if not self._context and not self.machine["Context"]:
            patch = [
                {"op": "test", "path": "/Context", "from": "", "value": ""},
                {"op": "replace", "path": "/Runnable", "from": "", "value": False},
            ]
            self.machine = await self.wire.call("PATCH", self._path, patch, MODELS["machines"])
        if self.machine["BootEnv"].endswith("-install"):
            return self._exit()
        await self._param("kexec-ok")
        self._say("Agent rebooting")
        return "power"

    # --- a job ---

    async def _run_job(self) -> str:
        if ":" in self._job["Task"]:
            if self._job["State"] not in ("finished", "failed"):
                raise AgentFailed(f"{self._job['Task']} is {self._job['State']}")
            return "wait_for_runnable"
        task = await self._show("tasks", self._job["Task"])
        outcome = Outcome(failed=True)
        runner = Runner(self.wire, self._job, task, self._folder, self._say)
        try:
            await self._mark_job("running")
            self.executed.append(self._job["Uuid"])
            actions = await self.wire.call(
                "GET", f"jobs/{self._job['Uuid']}/actions?os=linux", shape=[go_objects.ACTION]
            )
            outcome = await runner.run(actions)
        except Exception:
            await self._mark_job("failed", "failed")
            raise
        if not outcome.smooth:
            await self._mark_machine_not_runnable()
        await self._mark_job(outcome.state, outcome.exit_state)
        await runner.ship()
        return self._after(outcome)

    def _after(self, outcome: Outcome) -> str:
        if outcome.reboot:
            self._say("Agent rebooting")
            return "power"
        if outcome.poweroff:
            self._say("Agent powering off")
            return "power"
        if outcome.stop or (outcome.failed and self._exit_on_failure):
            return self._exit()
        return "wait_for_runnable"

    async def _mark_job(self, state: str, exit_state: str | None = None) -> None:
        """Change the state of the job, if it still is what it was."""
        changes = {"State": state} if exit_state is None else {"State": state, "ExitState": exit_state}
        key, patch = self._job["Uuid"], [{"op": "test", "path": "/State", "from": "", "value": self._job["State"]}]
        patch += [{"op": "replace", "path": f"/{name}", "from": "", "value": value} for name, value in changes.items()]
        self._job = await self.wire.call("PATCH", f"jobs/{key}", patch, MODELS["jobs"])
        self._say(f"Updated job for {self._job['Task']} to {state}")

    async def _mark_machine_not_runnable(self) -> None:
        """A failure of this is only logged: others may have changed what was held."""
        try:
            await self._patch_machine(Runnable=False)
            self._say(f"Marked machine {self.machine['Uuid']} as not runnable")
        except Refusal as refusal:
            self._say(f"Error marking machine as not runnable: {refusal}")

    async def _fail_stale_job(self) -> None:
        key = self.machine["CurrentJob"]
        if not key:
            return
        job = await self._show("jobs", key)
        if job["State"] in ("created", "running") and job["Context"] == self._context:
            self._job = job
            await self._mark_job("failed")

    # --- requests and files ---

    @property
    def _path(self) -> str:
        return f"machines/{self.machine['Uuid']}"

    async def _show(self, prefix: str, key: str) -> Object:
        return await self.wire.call("GET", f"{prefix}/{key}", shape=MODELS[prefix])

    async def _param(self, name: str) -> Any:
        try:
            return await self.wire.call("GET", f"{self._path}/params/{name}?aggregate=true")
        except Refusal:
            return None

    async def _patch_machine(self, **fields: Any) -> None:
        patch = patch_between(self.machine, {**self.machine, **fields})
        self.machine = await self.wire.call("PATCH", self._path, patch, MODELS["machines"])

    @property
    def _state_file(self) -> Path:
        return self._state_dir / f"{self.machine['Uuid']}.state"

    def _save(self) -> None:
        state = json.dumps({"BootTime": _BOOT_TIME, "Machine": self.machine}).encode()
        temporary = self._state_file.with_suffix(f".{os.getpid()}")
        temporary.write_bytes(gzip.compress(state, 1))
        temporary.replace(self._state_file)

    def _saved(self) -> Object | None:
        if not self._state_file.exists():
            return None
        state = json.loads(gzip.decompress(self._state_file.read_bytes()))
        same = state["BootTime"] == _BOOT_TIME and state["Machine"]["Uuid"] == self.machine["Uuid"]
        return state["Machine"] if same else None

    def _say(self, line: str) -> None:
        self.lines.append(line)
