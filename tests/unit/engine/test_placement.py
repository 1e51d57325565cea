"""Which operations run on nodes of a mesh, and what they find there."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.orders import Command, Outcome
from ansible_ensemble.engine.execute import JobExecution, JobOutcome
from ansible_ensemble.engine.plan import plan_workflow
from ansible_ensemble.engine.render import Renderer
from ansible_ensemble.execution.workers import Workers
from ansible_ensemble.mesh.control import MeshError
from ansible_ensemble.records.job_journal import read_job_journal
from ansible_ensemble.records.journals import create_journal
from ansible_ensemble.records.report import job_report

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Line:
    derived_from: tosca.nodes.Root
    attributes: {made: {type: string}}
    interfaces: {Standard: {operations: {create: LINE}}}
  Other:
    derived_from: tosca.nodes.Root
topology_template:
  node_templates:
    line: {type: Line, metadata: {region: eu-1, tier: 2}}
    other: {type: Other, interfaces: {Standard: {operations: {create: OPERATION}}}}
  groups:
    lines: {type: tosca.groups.Root, members: [line]}
"""
PROJECT = "environments: {defaults: {mesh: {socket: s, key: k, place: %s}}}"
EVERYWHERE = "[{node: b*}]"


class Mesh:
    """Nodes that carry out nothing, and keep what they are told."""

    def __init__(self, outcome: Outcome | None = None, error: str = "") -> None:
        self.outcome = outcome or Outcome(ok=True, stdout='{"made": "there"}')
        self.error = error
        self.told: list[tuple[str, str, Command]] = []
        self.nodes, self.per_node = 1, 24
        self.finished: list[tuple[str, str]] = []

    async def able(self, pattern: str) -> tuple[str, ...]:
        if self.error:
            raise MeshError(self.error)
        return tuple(pattern.replace("*", str(one + 1)) for one in range(self.nodes))

    async def run(self, node: str, name: str, command: Command) -> Outcome:
        self.told.append((node, name, command))
        return self.outcome

    async def finish(self, node: str, names: Iterable[str]) -> None:
        self.finished += [(node, name) for name in names]

    def look_again(self) -> None:
        pass

    async def close(self) -> None:
        pass


@pytest.fixture
def placed(job, tmp_path: Path):
    """An ensemble in a project with rules, of two nodes: one of a line of shell, one of another operation."""

    def read(
        rules: str = EVERYWHERE,
        operation: str = "frobnicate --one",
        line: str = "frobnicate --all",
        inventory: str = "web1,",
        more: str = "",
        **options: Any,
    ) -> Any:
        (tmp_path / "ensemble-project.yaml").write_text(PROJECT % rules)
        (tmp_path / "script.sh").write_text("#!/bin/sh\n")
        (tmp_path / "tasks.yaml").write_text("- ansible.builtin.ping:\n")
        (tmp_path / "playbook.yaml").write_text("- hosts: web1\n")
        (tmp_path / "roles" / "greet" / "tasks").mkdir(parents=True)
        (tmp_path / "roles" / "greet" / "tasks" / "main.yml").write_text("- ansible.builtin.ping:\n")
        service = SERVICE.replace("OPERATION", operation).replace("LINE", line).replace("  groups:", f"{more}  groups:")
        return job(service, inventory=[inventory], **options)

    return read


def nodes_of(made: Any) -> dict[str, str | None]:
    plan = plan_workflow(made.ensemble, "deploy", made.options)
    return {one.instance: one.node for one in type(plan).from_json(plan.to_json()).operations}


def carry_out(
    made: Any, mesh: Mesh | None, during: Callable[[JobExecution], None] = lambda _execution: None
) -> tuple[JobOutcome, dict[str, Any]]:
    """The outcome of a deploy, and its tasks as the report has them."""
    journal = create_journal(made.ensemble.folder, "A6BKKsK50000", {})

    async def run() -> JobOutcome:
        execution = JobExecution(
            made.ensemble,
            plan_workflow(made.ensemble, "deploy", made.options),
            made.options,
            job="A6BKKsK50000",
            journal=journal,
            workers=Workers(lambda: pytest.fail("this wants Ansible")),
            renderer=Renderer(made.ensemble, made.options),
            mesh=mesh,  # type: ignore[arg-type]
        )
        during(execution)
        return await execution.run()

    outcome = asyncio.run(run())
    journal.close()
    return outcome, {task["instance"]: task for task in job_report(read_job_journal(journal.path))["tasks"]}


@pytest.mark.parametrize(
    ("rules", "nodes"),
    [
        ("[]", {"line": None, "other": None}),
        (EVERYWHERE, {"line": "b*", "other": "b*"}),
        ("[{match: {type: Line}, node: b}, {node: c}]", {"line": "b", "other": "c"}),
        ("[{match: {template: l*, instance: o*}, node: b}]", {"line": None, "other": None}),
        ("[{match: {instance: '[a-m]*'}, node: local}, {node: c}]", {"line": None, "other": "c"}),
        ("[{match: {instance: [x, li*]}, node: b}]", {"line": "b", "other": None}),
        ("[{match: {metadata: {region: eu-*, tier: '2'}}, node: b}]", {"line": "b", "other": None}),
        ("[{match: {metadata: {region: us-*}}, node: b}]", {"line": None, "other": None}),
        ("[{match: {group: lines}, node: b}]", {"line": "b", "other": None}),
        ("[{match: {host: localhost}, node: b}]", {"line": "b", "other": "b"}),
    ],
)
def test_the_first_rule_that_matches_says_where(placed, rules: str, nodes: dict[str, str | None]) -> None:
    assert nodes_of(placed(rules, operation="echo one", line="echo all")) == nodes


@pytest.mark.parametrize(("rules", "is_here"), [("[]", True), (EVERYWHERE, False)])
def test_programs_of_nodes_are_not_looked_for_here(placed, rules: str, is_here: bool) -> None:
    made = placed(rules)
    with made.ensemble.evaluator.environment.planning("deploy"):
        assert made.task("line:Standard.create").plans_on_controller == is_here


@pytest.mark.parametrize(
    "operation",
    [
        "ansible.builtin.ping",
        "{implementation: {primary: ansible.builtin.copy, become: true}, inputs: {dest: /b, content: x}}",
        "tasks.yaml",
        "greet",
        "script.sh",
        "playbook.yaml",
        "{implementation: {primary: ansible.builtin.ping, delegate_to: web1}}",
        "{implementation: {primary: ansible.builtin.ping, operation_host: web1}}",
        "{implementation: {primary: echo one, operation_host: web1}}",
        "{implementation: {primary: echo one, become: true}}",
        "{implementation: {primary: echo one, no_log: true}}",
    ],
)
def test_what_needs_the_project_alone_goes_to_nodes(placed, operation: str) -> None:
    assert nodes_of(placed(operation=operation)) == {"line": "b*", "other": "b*"}


@pytest.mark.parametrize(
    "operation",
    [
        "{implementation: {primary: ansible.builtin.file, teardown: {}}, inputs: {path: /x, state: touch}}",
        "{implementation: {primary: ansible.builtin.fetch}, inputs: {src: /etc/hostname, dest: here}}",
        "{implementation: {primary: playbook.yaml}, inputs: {inventory: hosts}}",
        "{implementation: {className: playbook}, inputs: {playbook: [{hosts: all}]}}",
        "{implementation: {primary: echo one, dependencies: [script.sh]}}",
        "{implementation: {className: Template}, inputs: {done: {}}}",
    ],
)
def test_what_wants_more_of_the_controller_runs_here(placed, operation: str) -> None:
    assert nodes_of(placed(operation=operation)) == {"line": "b*", "other": None}


@pytest.mark.parametrize(
    ("match", "node"),
    [
        ("{host: web*}", "b"),
        ("{host: localhost}", None),
        ("{group: [dc1, dc2]}", "b"),
        ("{group: ungrouped}", None),
        ("{host: web1, group: dc2}", "b"),
        ("{host: web2, group: dc2}", None),
    ],
)
def test_rules_by_host_and_group_of_the_inventory(placed, tmp_path: Path, match: str, node: str | None) -> None:
    (tmp_path / "hosts.ini").write_text("[dc2]\nweb1\n")
    operation = "{implementation: {primary: echo one, operation_host: web1}}"
    made = placed(f"[{{match: {match}, node: b}}]", operation, "echo all", str(tmp_path / "hosts.ini"))
    assert nodes_of(made)["other"] == node


def test_a_command_goes_to_its_node_without_folders_of_the_controller(placed) -> None:
    made = placed(operation="{implementation: frobnicate --one, inputs: {cwd: /srv, color: red}}")
    mesh = Mesh()
    outcome, tasks = carry_out(made, mesh)
    assert outcome.ok
    assert {name: (task["node"], task["host"]) for name, task in tasks.items()} == {
        "line": ("b1", "localhost"),
        "other": ("b1", "localhost"),
    }
    told = {command.argv[0]: (node, command.cwd, command.environment.get("color")) for node, _, command in mesh.told}
    assert told == {"frobnicate --all": ("b1", None, None), "frobnicate --one": ("b1", "/srv", "red")}
    assert made.instances.by_name["line"].attributes == {"made": "there"}
    names = {name for _, name, _ in mesh.told}
    assert len(names) == 2
    assert set(mesh.finished) == {("b1", name) for name in names}


def test_what_is_told_on_a_node_is_told_here(placed, tmp_path: Path) -> None:
    carry_out(placed(), Mesh(Outcome(ok=True, stdout="{}", told=["halfway there"])))
    [journal] = (tmp_path / "jobs").glob("*.journal")
    assert journal.read_text().count("halfway there") == 2


def test_a_script_goes_to_its_node_with_the_folder_of_the_project(placed, tmp_path: Path) -> None:
    mesh = Mesh()
    outcome, _tasks = carry_out(placed(operation="script.sh"), mesh)
    assert outcome.ok
    [script] = [command for _, _, command in mesh.told if "script.sh" in command.argv[-1]]
    assert (script.argv, script.cwd) == (("/bin/sh", str(tmp_path / "script.sh")), str(tmp_path))


def test_a_folder_that_is_not_named_from_its_root_is_none_of_a_node(placed) -> None:
    outcome, tasks = carry_out(placed(operation="{implementation: frobnicate --one, inputs: {cwd: here}}"), Mesh())
    assert outcome.counts == {"succeeded": 1, "failed": 1}
    assert 'the folder "here" is none of b1' in tasks["other"]["error"]


def test_what_no_node_can_take_has_changed_nothing(placed) -> None:
    outcome, tasks = carry_out(placed(), Mesh(error="no node b* can take it"))
    assert outcome.counts == {"failed": 2}
    assert (tasks["line"]["error"], tasks["line"]["changed"]) == ("no node b* can take it", False)


def test_what_is_cancelled_while_it_waits_for_a_node_has_not_begun(placed) -> None:
    mesh = Mesh()

    def cancel_while_it_waits(execution: JobExecution) -> None:
        async def able(pattern: str) -> tuple[str, ...]:
            execution._cancel("line:Standard.create")
            return ("b1",)

        mesh.able = able  # type: ignore[method-assign]

    outcome, _tasks = carry_out(placed(), mesh, cancel_while_it_waits)
    assert outcome.counts == {"succeeded": 1, "cancelled": 1}
    assert [command.argv for _, _, command in mesh.told] == [("frobnicate --one",)]


def test_a_plan_that_needs_a_mesh_that_is_gone(placed) -> None:
    outcome, tasks = carry_out(placed(), None)
    assert outcome.counts == {"failed": 2}
    assert "it is planned on b*, and there is no mesh" in tasks["line"]["error"]


def test_what_a_node_does_not_answer_for_is_interrupted(placed) -> None:
    made, mesh = placed(operation="{implementation: {primary: frobnicate --one, retries: 3, delay: 0}}"), Mesh()
    mesh.outcome = Outcome(ok=False, cancelled=True, error="b1 is away")
    outcome, tasks = carry_out(made, mesh)
    assert outcome.counts == {"interrupted": 2}
    assert len(mesh.told) == 2
    assert tasks["line"]["target_status"] == "unknown"


def test_journal_and_plan_name_no_node_where_there_is_none(placed, tmp_path: Path) -> None:
    made = placed("[]", operation="echo one", line="echo all")
    carry_out(made, None)
    plan = json.dumps(plan_workflow(made.ensemble, "deploy", made.options).to_json())
    [journal] = (tmp_path / "jobs").glob("*.journal")
    assert '"node"' not in plan + journal.read_text()


def test_what_waits_for_a_full_node_lets_others_run(placed) -> None:
    """With two jobs at once, a node that has one operation does not hold what runs here."""
    many = "".join(f"    more{one}: {{type: Line}}\n" for one in range(3))
    made = placed("[{match: {type: Line}, node: b1}]", operation="echo one", line="frobnicate --all", more=many, jobs=2)
    mesh, here = Mesh(), asyncio.Event()
    mesh.per_node = 1
    run = mesh.run

    async def held(node: str, name: str, command: Command) -> Outcome:
        assert len(mesh.told) == len(mesh.finished)
        await here.wait()
        return await run(node, name, command)

    mesh.run = held  # type: ignore[method-assign]

    def hear(execution: JobExecution) -> None:
        carried_out = execution._driver.carry_out

        async def carry(task: Any, configurator: Any) -> Any:
            result = await carried_out(task, configurator)
            if task.node is None:
                here.set()
            return result

        execution._driver.carry_out = carry  # type: ignore[method-assign]

    outcome, _tasks = carry_out(made, mesh, hear)
    assert outcome.counts == {"succeeded": 5}
