"""How the field's agent executes one job: files, scripts, exit codes, and the log that it sends."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.integration.provision.drpcli import Object
from tests.integration.provision.wire import Refusal, Unsound, Wire

_CHUNK = 65536
#: What scripts may source; the full one offers more commands.
_HELPER = """\
set -o pipefail -o errexit
__leave() { touch "$RS_TASK_DIR/.sane-exit-codes"; exit "$1"; }
exit_incomplete() { __leave 128; }
exit_reboot() { __leave 64; }
exit_shutdown() { __leave 32; }
exit_stop() { __leave 16; }
exit_incomplete_reboot() { __leave 192; }
exit_incomplete_shutdown() { __leave 160; }
"""


@dataclass(frozen=True)
class Outcome:
    """What the exit codes of a job's scripts come to."""

    failed: bool = False
    incomplete: bool = False
    reboot: bool = False
    poweroff: bool = False
    stop: bool = False

    @property
    def smooth(self) -> bool:
        """Whether nothing keeps the machine from its next task."""
        return self == Outcome()

    @property
    def state(self) -> str:
        return "failed" if self.failed else "incomplete" if self.incomplete else "finished"

    @property
    def exit_state(self) -> str:
        if self.failed:
            return "failed"
        marks = {"reboot": self.reboot, "poweroff": self.poweroff, "stop": self.stop}
        return next((name for name, holds in marks.items() if holds), "complete")


#: Of tasks that say `sane-exit-codes`, and of others; other codes are failures.
SANE = {
    0: Outcome(),
    16: Outcome(stop=True),
    32: Outcome(poweroff=True),
    64: Outcome(reboot=True),
    128: Outcome(incomplete=True),
    144: Outcome(incomplete=True, stop=True),
    160: Outcome(incomplete=True, poweroff=True),
    192: Outcome(incomplete=True, reboot=True),
}
ORIGINAL = {
    0: Outcome(),
    1: Outcome(reboot=True),
    2: Outcome(incomplete=True),
    3: Outcome(incomplete=True, reboot=True),
}


class Runner:
    """Executes the actions of one job."""

    def __init__(self, wire: Wire, job: Object, task: Object, folder: Path, say: Callable[[str], None]) -> None:
        self._wire, self._job, self._say = wire, job, say
        flags = (task.get("Meta") or {}).get("feature-flags", "").split(",")
        self._sane = "sane-exit-codes" in flags
        self._folder = folder
        self._pending = b""
        self._shipping = True

    async def run(self, actions: list[dict[str, Any]]) -> Outcome:
        """Execute the actions until one fails or asks for something, and send the log."""
        name = self._job["Task"]
        await self._note(f"Starting task {name} on {self._job['Uuid']}")
        self._work = Path(tempfile.mkdtemp(prefix=f"{name}-".replace("/", "_"), dir=self._folder))
        try:
            outcome = await self._execute(actions)
        finally:
            shutil.rmtree(self._work, ignore_errors=True)
        await self._note(f"Task {name} {outcome.state}")
        await self.ship()
        if outcome.reboot or outcome.poweroff or outcome.stop:
            await self._note(f"Task signalled {outcome.exit_state}")
        return outcome

    async def _execute(self, actions: list[dict[str, Any]]) -> Outcome:
        outcome = Outcome()
        for number, action in enumerate(actions):
            final = number == len(actions) - 1
            outcome = self._place(action) if action["Path"] else await self._script(action)
            await self._note(f"Action {action['Name']} finished")
            if outcome.failed:
                return outcome
            if outcome.reboot or outcome.poweroff or outcome.stop:
                return replace(outcome, incomplete=outcome.incomplete or not final)
            if outcome.incomplete and not final:
                return Outcome()
        return outcome

    def _place(self, action: dict[str, Any]) -> Outcome:
        path = self._work / os.path.normpath(action["Path"])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(action["Content"])
        path.chmod(0o644)
        return Outcome()

    async def _script(self, action: dict[str, Any]) -> Outcome:
        (self._work / "helper").write_text(_HELPER)
        script = self._work / f"{self._job['Task']}-{action['Name']}".replace("/", "_")
        script.write_text(action["Content"])
        script.chmod(0o700)
        interpreter = (action["Meta"] or {}).get("Interpreter")
        command = [interpreter, str(script)] if interpreter else [f"./{script.name}"]
        await self._note(f"Starting command ./{script.name}")
        code = await self._command(command)
        await self._note(f"Command exited with status {code}")
        codes = SANE if self._sane or (self._work / ".sane-exit-codes").exists() else ORIGINAL
        return codes.get(code, Outcome(failed=True))

    async def _command(self, command: list[str]) -> int:
        variables = {
            "TMPDIR": str(self._folder.parent),
            "RS_RUNNER_DIR": str(self._folder),
            "RS_TASK_DIR": str(self._work),
            "RS_UUID": self._job["Machine"],
            "RS_ENDPOINT": self._wire.endpoint,
            "RS_TOKEN": self._job["Token"] or self._wire.token,
        }
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=self._work,
            env={**os.environ, **variables},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        await self._note("Command running")
        assert process.stdout
        while data := await process.stdout.read(_CHUNK):
            self._pending += data
            if len(self._pending) >= _CHUNK:
                await self.ship()
        return await process.wait()

    async def _note(self, line: str) -> None:
        self._say(line)
        self._pending += f"{line}\n".encode()

    async def ship(self) -> None:
        """Send what was not sent; the first error ends that for this job."""
        while self._pending and self._shipping:
            data, self._pending = self._pending[:_CHUNK], self._pending[_CHUNK:]
            try:
                await self._wire.put_bytes(f"jobs/{self._job['Uuid']}/log", data)
            except (Refusal, Unsound) as error:
                self._say(f"Error sending the log: {error}")
                self._shipping = False
