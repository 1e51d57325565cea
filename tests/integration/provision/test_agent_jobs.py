"""What our agent makes of a job: files, scripts, what they see, and the log."""

from __future__ import annotations

import asyncio
import os
from typing import Any

import pytest

from tests.integration.provision.agents import Simulated
from tests.integration.provision.conftest import Walking
from tests.integration.provision.drpcli import Object
from tests.integration.provision.lasting import Lasting
from tests.integration.provision.served import PATIENCE
from tests.integration.provision.walk import Walk


def _template(name: str, contents: str, path: str = "", **meta: str) -> Object:
    return {"Name": name, "Contents": contents, "Path": path, "ID": "", "Meta": meta or None}


async def _machine(walk: Walk, *templates: Object, **fields: Any) -> Simulated:
    await walk.cli.create("tasks", {"Name": walk.name("only"), "Templates": list(templates)})
    await walk.workflow("flow", {"stage": ["only"]})
    return Simulated(walk, await walk.machine("m", "flow", **fields))


async def _log(walk: Walk, simulated: Simulated) -> list[str]:
    return (await walk.cli.current_log(simulated.machine["Uuid"])).splitlines()


def test_files_and_scripts(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        absolute = walk.folder / "absolute" / "file"
        script = '#!/bin/sh\npwd; ls -ln helper below/file; cat below/file; stat -c %a "$0" .; echo done >&2\n'
        simulated = await _machine(
            walk,
            _template("file", "text of {{.Machine.Name}}\n", "below/../below/file"),
            _template("other", "text\n", str(absolute)),
            _template("show", script),
            _template("python", "print(6 * 7)\n", Interpreter="python3"),
        )
        ran = await simulated.run()
        assert ran.code == 0, ran.lines
        log = await _log(walk, simulated)
        assert log == [f"Log for Job: {log[0].split()[-1]}", *ran.lines[ran.lines.index(log[1]) :][: len(log) - 1]]
        assert absolute.read_text() == "text\n"
        assert absolute.stat().st_mode & 0o777 == 0o644
        text = "\n".join(log)
        assert f"text of {walk.name('m')}" in text
        assert text.count("-rw-r--r--") == text.count("-rw-------") == 1
        assert "\n700\n700\n" in text
        assert "\n42\n" in text
        assert "\ndone\n" in text
        assert not list(simulated.folder.glob("runner-*"))  # nothing is left behind

    walk(steps)


def test_the_environment_of_a_script(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        simulated = await _machine(walk, _template("show", "#!/bin/sh\nenv; pwd\n"))
        await simulated.run()
        log = await _log(walk, simulated)
        shown = dict(line.partition("=")[::2] for line in log if "=" in line)
        folder = shown["RS_RUNNER_DIR"]
        assert shown["TMPDIR"] == shown["TMP"] == str(simulated.folder)
        assert folder.startswith(f"{simulated.folder}/runner-")
        assert shown["RS_TASK_DIR"].startswith(f"{folder}/{walk.name('only')}-")
        assert shown["RS_TASK_DIR"] in log  # where it runs
        assert shown["RS_UUID"] == simulated.machine["Uuid"]
        assert shown["RS_ENDPOINT"] == walk.cli.wire.endpoint
        assert shown["HOME"]

    walk(steps)


def test_scripts_get_and_set_params(walk: Walking, shared: Lasting) -> None:
    async def steps(walk: Walk) -> None:
        script = ". ./helper; test \"$(get_param colour)\" = '\"red\"'; set_param number '[1, 2]'; get_param number"
        simulated = await _machine(walk, _template("do", f"#!/bin/bash\n{script}\n"), Params={"colour": "red"})
        certificate = str(shared.folder / "data" / "tls" / "server.crt")
        ran = await simulated.run(variables={"RS_CA_FILE": certificate})
        assert ran.codes == [0], ran.lines
        assert await walk.cli.get_param("machines", simulated.machine["Uuid"], "number") == [1, 2]

    walk(steps)


def test_the_log_is_sent_while_a_script_runs(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        gate = walk.folder / "gate"
        script = f"#!/bin/sh\necho early\nwhile [ ! -e {gate} ]; do sleep 0.05; done\necho late\n"
        simulated = await _machine(walk, _template("wait", script))
        async with simulated.running(oneshot=True) as agent:
            async with asyncio.timeout(PATIENCE):
                while not (await walk.at(simulated.machine))["CurrentJob"]:
                    await asyncio.sleep(0.05)
                while "early" not in (log := await _log(walk, simulated)):
                    await asyncio.sleep(0.05)
            assert "late" not in log
            gate.touch()
            assert await agent.ended == 0
        assert "late" in await _log(walk, simulated)

    walk(steps)


def test_much_output_and_what_is_no_text(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        script = "#!/usr/bin/env python3\nimport sys\nout = sys.stdout.buffer\n"
        script += "for number in range(40000):\n    out.write(b'%06d \\xff\\xfe line\\n' % number)\n"
        simulated = await _machine(walk, _template("talk", script))
        assert (await simulated.run()).code == 0
        raw = await walk.cli.wire.bytes(f"jobs/{(await walk.at(simulated.machine))['CurrentJob']}/log")
        lines = [line for line in raw.split(b"\n") if line.endswith(b" line")]
        assert lines == [b"%06d \xff\xfe line" % number for number in range(40000)]

    walk(steps)


def test_a_process_that_a_script_leaves_behind_holds_nothing_up(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        pid = walk.folder / "pid"
        simulated = await _machine(walk, _template("leave", f"#!/bin/sh\nsleep 600 & echo $! >{pid}; echo begun\n"))
        assert (await simulated.run()).codes == [0]
        assert "begun" in await _log(walk, simulated)
        os.kill(int(pid.read_text()), 9)  # it is there, and the test's to end

    walk(steps)


@pytest.mark.parametrize(
    ("template", "message"),
    [
        (_template("raw", "#!/nowhere/interpreter\n"), "No such file"),
        (_template("raw", "no script\n"), "Exec format error"),
        (_template("raw", "echo\n", Interpreter="nowhere-to-be-found"), "No such file"),
        (_template("raw", "#!/bin/sh\r\n"), "raw cannot be started: No such file or directory (a script begins"),
        (_template("file", "text\n", "../{{.Machine.Name}}/../.."), "Is a directory"),
        (_template("bad", "{{.Param \"missing\"}}"), "missing"),
        (_template("play.yml", "- ansible.builtin.ping:\n"), "play.yml"),
    ],
)  # fmt: skip
def test_a_job_that_cannot_be_carried_out_is_failed(walk: Walking, template: Object, message: str) -> None:
    async def steps(walk: Walk) -> None:
        simulated = await _machine(walk, template)
        ran = await simulated.run()
        assert await walk.jobs(simulated.machine) == [("only", 1, "failed", "failed")]
        assert (await walk.at(simulated.machine))["Runnable"] is False
        assert any(message in line for line in await _log(walk, simulated))
        assert ran.code == 1
        simulated.boots += 1
        assert (await simulated.run(oneshot=False, exit_on_failure=True)).code == 1

    walk(steps)


def test_an_entry_that_agents_do_not_carry_out(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        await walk.workflow("flow", {"stage": ["chroot:/mnt"]})
        simulated = Simulated(walk, await walk.machine("m", "flow"))
        ran = await simulated.run()
        assert (ran.code, ran.codes) == (1, [])
        assert await walk.jobs(simulated.machine) == [("chroot:/mnt", 1, "failed", "failed")]
        assert "This agent does not carry out entries like chroot:" in await _log(walk, simulated)

    walk(steps)


def test_a_task_is_tried_again(walk: Walking) -> None:
    async def steps(walk: Walk) -> None:
        await walk.task("only", walk.once(1))
        await walk.workflow("flow", {"stage": ["only"]})
        retry = {"task-retry": {walk.name("only"): 1}}
        simulated = Simulated(walk, await walk.machine("m", "flow", Params=retry))
        async with simulated.running(), asyncio.timeout(PATIENCE):
            while not (await walk.at(simulated.machine))["WorkflowComplete"]:
                await asyncio.sleep(0.1)
        assert await walk.jobs(simulated.machine) == [
            ("only", 1, "failed", "failed"), ("only", 1, "finished", "complete"),
        ]  # fmt: skip

    walk(steps)


@pytest.mark.parametrize("by_param", [True, False])
def test_where_jobs_have_their_files(walk: Walking, by_param: bool) -> None:
    async def steps(walk: Walk) -> None:
        where = walk.folder / "where"
        params = {"runner-tmpdir": str(where)} if by_param else {}
        simulated = await _machine(walk, _template("show", "#!/bin/sh\npwd\n"), Params=params)
        ran = await simulated.run(**({} if by_param else {"folder": str(where)}))
        assert ran.codes == [0], ran.lines
        shown = next(line for line in await _log(walk, simulated) if line.startswith(str(walk.folder)))
        assert shown.startswith(f"{where}/{'runner-' if by_param else walk.name('only')}")
        assert list(where.iterdir()) == []  # what is the user's stays, without what was made in it

    walk(steps)
