"""How a job ends: exit code, text, report, record and the playbook's result tell the same, whatever happens."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import shutil
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_ensemble.changes.history import history
from ansible_ensemble.changes.jobs_tsv import FILE_NAME, last_job, read_jobs
from ansible_ensemble.engine.journal_entries import Entry, Started
from ansible_ensemble.engine.outcome import JobOutcome
from ansible_ensemble.engine.plan import plan_workflow
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import locate, read_ensemble
from ansible_ensemble.jobs.ansible import execution_result
from ansible_ensemble.jobs.run import run_plan
from ansible_ensemble.records.current import read_recovered
from ansible_ensemble.records.record import record_journal
from ansible_ensemble.records.recover import record_killed
from ansible_ensemble.reports.job_text import job_text
from tests.rules.test_rules import HERE, without_ansible

TYPES = """\
tosca_definitions_version: tosca_simple_yaml_1_3
imports: [types.yaml]
node_types:
  Fragile:
    derived_from: Thing
    attributes: {url: {type: string}}
    interfaces:
      Standard:
        operations: {create: {implementation: {primary: 'echo tried >> tried; COMMAND', SETTINGS}, inputs: {INPUTS}}}
  Made:
    derived_from: tosca.nodes.Root
    interfaces: {Standard: {operations: {create: echo made}}}
  Doubtful:
    derived_from: tosca.nodes.Root
    interfaces:
      Standard: {operations: {create: echo made, delete: 'test ! -e kept'}}
      Install: {operations: {check: 'test ! -e ill', discover: 'echo "{\\"status\\": \\"absent\\"}"'}}
      Tool: {type: tosca.interfaces.Root, operations: {bad: exit 3, good: echo good}}
topology_template:
  node_templates:
"""

Job = Mapping[str, Any]


@dataclass(frozen=True)
class Case:
    """What runs, and what comes of it.

    Attributes:
        nodes: the node templates, and what comes behind them.
        command: what a Fragile thing's create runs, with `settings` of its implementation, and `inputs`.
        jobs: the jobs, of which the last is looked at.
        twice: whether the same job a second time has to end in the same way.
        happens: what happens when the first operation has started.
    """

    word: str
    nodes: str
    command: str = "exit 3"
    settings: str = "timeout: 9"
    inputs: str = ""
    jobs: tuple[Job, ...] = ({},)
    exit_code: int = 1
    line: str = "Deploy failed: "
    twice: bool = True
    happens: str | None = None
    excused: dict[str, str] = field(default_factory=dict)


FRAGILE = """\
    one: {type: Fragile, metadata: {priority: PRIORITY}}
    two: {type: Thing, requirements: [{dependency: one}]}
"""
DOUBTFUL = "    one: {type: Doubtful}\n"
WORKFLOW = """\
  workflows:
    w:
      steps:
        try: {target: one, activities: [{call_operation: Tool.bad}, {call_operation: Tool.good}], on_failure: [mend]}
        mend: {target: one, activities: [{call_operation: Tool.MEND}]}
"""
OK: dict[str, Any] = {"exit_code": 0, "line": "Deploy complete! "}
NOTHING = "Deploy complete! There was nothing to do."


def of(priority: str) -> str:
    return FRAGILE.replace("PRIORITY", priority)


CASES = {
    "all ok": Case("ok", of("required"), "true", **OK),
    "nothing to do": Case("ok", of("required"), "true", jobs=({}, {}), exit_code=0, line=NOTHING),
    "one failed": Case("failed", of("required")),
    "optional": Case("ok", of("optional"), **OK, excused={"one:Standard.create": "priority"}),
    "ignored": Case("ok", of("ignore"), **OK, excused={"one:Standard.create": "priority"}),
    "critical": Case("stopped", of("critical"), line="Deploy stopped, one:Standard.create failed: "),
    "reported error": Case("failed", of("required"), """echo "{\\"status\\": \\"error\\"}" """),
    "reported error of an ignored one": Case(
        "ok", of("ignore"), """echo "{\\"status\\": \\"error\\"}" """, **OK, excused={"one:Standard.create": "priority"}
    ),
    "reported degraded": Case("ok", of("required"), """echo "{\\"status\\": \\"degraded\\"}" """, **OK, twice=False),
    "all blocked": Case(
        "failed",
        "    one: {type: Fragile}\n    two: {type: Thing, requirements: [{dependency: one}]}\n",
        inputs="url: {get_attribute: [SELF, url]}",
    ),
    "deferred for ever by an ignored one": Case(
        "ok",
        of("ignore"),
        inputs="url: {get_attribute: [SELF, url]}",
        **OK,
        excused={"one:Standard.create": "priority"},
    ),
    "retried then ok": Case("ok", of("required"), "test $(wc -l < tried) -gt 1", "retries: 1, delay: 0", **OK),
    "retried in vain": Case("failed", of("required"), "exit 3", "retries: 1, delay: 0"),
    "timed out": Case("failed", of("required"), "sleep 60", "timeout: 0.1"),
    "mended": Case(
        "ok",
        DOUBTFUL + WORKFLOW.replace("MEND", "good"),
        jobs=({}, {"workflow": "w"}),
        exit_code=0,
        line="W complete! ",
        excused={"one:Tool.bad": "on_failure", "one:Tool.good": "on_failure"},
    ),
    "the mending fails": Case(
        "failed", DOUBTFUL + WORKFLOW.replace("MEND", "bad"), jobs=({}, {"workflow": "w"}), line="W failed: "
    ),
    "skipped": Case("ok", DOUBTFUL, jobs=({"check_first": True},), **OK),
    "cancelled": Case(
        "stopped",
        of("required") + "    zero: {type: Thing}\n",
        jobs=({"fail_fast": True},),
        line="Deploy stopped, one:Standard.create failed",
    ),
    "check with drift": Case(
        "ok",
        DOUBTFUL,
        jobs=({}, {"ill": True, "workflow": "check"}),
        exit_code=0,
        line="Check complete! 1 instance: 1 error",
    ),
    "check with nothing": Case(
        "ok",
        "    one: {type: Thing}\n",
        jobs=({}, {"workflow": "check"}),
        exit_code=0,
        line="Check complete! There was nothing to do.",
    ),
    "discover finds nothing": Case(
        "ok", DOUBTFUL, jobs=({"workflow": "discover"},), exit_code=0, line="Discover complete! 1 instance: 1 absent"
    ),
    "a command that fails": Case(
        "failed", DOUBTFUL, jobs=({}, {"workflow": "run", "command": ["exit 3"], "save": True}), line="Run failed: "
    ),
    "undeploy leaves what is protected": Case(
        "ok",
        "    one: {type: Thing, directives: [protected]}\n    two: {type: Thing}\n",
        jobs=({}, {"workflow": "undeploy"}),
        exit_code=0,
        line="Undeploy complete! 1 destroyed",
        twice=False,
    ),
    "undeploy forgets what has no delete operation": Case(
        "ok",
        "    one: {type: Made}\n    two: {type: Thing}\n",
        jobs=({}, {"workflow": "undeploy"}),
        exit_code=0,
        line="Undeploy complete! 1 destroyed, 1 forgotten.",
        twice=False,
    ),
    "a delete fails": Case(
        "failed", DOUBTFUL, jobs=({}, {"kept": True, "workflow": "undeploy"}), line="Undeploy failed: "
    ),
    "stopped by a signal": Case(
        "stopped", of("required"), "true", exit_code=143, line="Deploy stopped, ", happens="signal", twice=False
    ),
    "the lock is lost": Case(
        "stopped", of("required"), "true", exit_code=4, line="Deploy stopped, bob has it", happens="lock", twice=False
    ),
    "killed": Case(
        "interrupted", of("required"), "true", line="Deploy stopped, the job was killed", happens="kill", twice=False
    ),
}


SIGNALS = {"signal": signal.SIGTERM, "kill": signal.SIGKILL}


class Watch:
    """Tells that the lock is lost once something has happened."""

    def __init__(self) -> None:
        self.happened = False

    async def lost(self) -> str:
        while not self.happened:
            await asyncio.sleep(0)
        return "bob has it"


class Runner:
    """Runs the jobs of a case."""

    def __init__(self, case: Case, folder: Path) -> None:
        self.case, self.folder = case, folder
        shutil.copy(HERE / "types.yaml", folder)
        types = TYPES.replace("COMMAND", case.command)
        types = types.replace("SETTINGS", case.settings).replace("INPUTS", case.inputs)
        (folder / "service.yaml").write_text(types + case.nodes)

    def run(self, job: Job, happens: str | None = None) -> tuple[JobOutcome | None, JobOptions, dict[str, Any]]:
        """The outcome as the process saw it that carried the job out (none if it was killed), and the report."""
        given = dict(job)
        for name in ("ill", "kept"):
            if given.pop(name, False):
                (self.folder / name).touch()
        workflow = given.pop("workflow", "deploy")
        options = JobOptions.from_mapping({"jobs": 1, **given})
        if happens == "kill":
            process = multiprocessing.get_context("fork").Process(
                target=self.carry_out, args=(workflow, options, happens)
            )
            process.start()
            process.join()
            ((_, report),) = record_killed(self.location, options)
            return None, options, report
        outcome, journal = self.carry_out(workflow, options, happens)
        return outcome, options, record_journal(read_ensemble(self.location, options), journal)

    def carry_out(self, workflow: str, options: JobOptions, happens: str | None) -> tuple[JobOutcome, Path]:
        ensemble = read_recovered(self.location, options, write=True)
        plan = plan_workflow(ensemble, workflow, options)
        watch = Watch()

        def observe(entry: Entry) -> None:
            if isinstance(entry, Started) and not watch.happened:
                watch.happened = True
                if happens in SIGNALS:
                    os.kill(os.getpid(), SIGNALS[happens])

        return run_plan(
            ensemble,
            plan,
            options,
            without_ansible,
            show=lambda _: None,
            watch=watch if happens == "lock" else None,  # type: ignore[arg-type]
            observers=[observe],
        )

    @property
    def location(self):
        file = self.folder / "ensemble.yaml"
        return locate(file if file.is_file() else self.folder / "service.yaml")

    def record(self) -> dict[str, Any]:
        file = sorted((self.folder / "changes").glob("*.yaml"), key=lambda path: path.stem[-8:])[-1]
        found: dict[str, Any] = yaml.safe_load(file.read_text())["changes"][0]
        return found


@pytest.fixture
def runner(tmp_path: Path) -> Callable[[Case], Runner]:
    return lambda case: Runner(case, tmp_path)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_all_tell_the_same(case: Case, runner: Callable[[Case], Runner]) -> None:
    made = runner(case)
    for job in case.jobs[:-1]:
        made.run(job)
    for _ in range(1 + case.twice):
        (made.folder / "tried").unlink(missing_ok=True)
        outcome, _, report = made.run(case.jobs[-1], case.happens)
        told = report["job"]
        assert (told["outcome"], told["exit_code"], told["success"]) == (case.word, case.exit_code, case.word == "ok")
        line = job_text(report).splitlines()[-1]
        assert line.startswith(case.line) or line == NOTHING, line
        assert (("complete!" in line) or line == NOTHING) is (case.word == "ok")
        record = made.record()
        assert (record.get("outcome", "ok"), "error" in record) == (case.word, case.word != "ok")
        last = yaml.safe_load((made.folder / "ensemble.yaml").read_text())["lastJob"]
        assert last.get("outcome", "ok") == case.word
        status = yaml.safe_load((made.folder / "ensemble.yaml").read_text())["status"]
        assert status["readyState"]["local"] == told["ensemble_status"]
        assert case.word == "ok" or not (told["ensemble_status"] == "ok" and not status["instances"])
        id_ = last_job(made.folder / FILE_NAME) or ""
        assert read_jobs(made.folder / FILE_NAME)[id_].columns.get("outcome", "ok") == case.word
        assert history(made.folder)[-1].get("outcome", "ok") == case.word
        if outcome is not None:
            result = execution_result(outcome)
            assert result["changed"] is report["changed"]
            assert (result["failed"], result.get("exit_code", 0)) == (case.word != "ok", case.exit_code)
            assert ("msg" in result) is (case.word != "ok")
            assert outcome.word == case.word
        if told["total"]:
            excused = {task["key"]: task["excused"] for task in report["tasks"] if task["excused"]}
            assert excused == case.excused
