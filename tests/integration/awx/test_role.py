"""The role sets up an AWX by the modules of awx.awx, and leaves alone one that is set up."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.integration.awx.api import Awx, injected, rendered, served
from tests.integration.awx.modules import interpreter
from tests.preloaded import PROGRAMS
from tests.preloaded import run as run_command

#: What `make community` installs.
COLLECTIONS = Path(__file__).parents[3] / ".build/community"

pytestmark = [
    pytest.mark.matrix,
    pytest.mark.skipif(
        not (COLLECTIONS / "ansible_collections" / "awx").is_dir(),
        reason="make community installs the collection awx.awx",
    ),
]

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  inputs:
    size: {type: integer, default: 1, constraints: [{in_range: [1, 9]}], description: How many}
    place: {type: string, constraints: [{valid_values: [here, there]}]}
    rate: {type: float, default: 0.5}
    safe: {type: boolean, default: true}
    zones: {type: list, default: [a], entry_schema: {type: string, constraints: [{valid_values: [a, b]}]}}
    labels: {type: map, required: false}
    pin: {type: string, metadata: {sensitive: true}}
  node_templates:
    app: {type: tosca.nodes.Root}
  workflows:
    backup:
      inputs: {to: {type: string}}
      steps: {run: {target: app, activities: [{set_state: started}]}}
"""
CANARY = "canary-4711"
#: What belongs to all ensembles, and what the stand-in does not remove with its node.
KEPT = ("organizations", "teams", "labels", "instance_groups", "credential_types", "workflow_approval_templates")
VARIABLES: dict[str, Any] = {
    "awx_name": "web",
    "awx_project_url": "https://git.example/team/web.git",
    "awx_image": "registry.example/ee:1",
    "awx_inventory": "web.inventory.yml",
    "awx_workflows": ["deploy", "check"],
    "awx_vault_password": CANARY,
    "awx_state_credential": {"username": "robot", "token": CANARY},
    "awx_git_credential": {"ssh_key": CANARY},
    "awx_galaxy_credential": {"url": "https://hub.example", "token": CANARY},
    "awx_galaxy_credentials": ["web galaxy", "Ansible Galaxy"],
    "awx_operators": ["ops"],
    "awx_requesters": ["developers"],
    "awx_approvers": ["ops"],
    "awx_labels": ["ensembles"],
    "awx_instance_groups": ["default"],
    "awx_webhook_service": "github",
    "awx_schedules": [
        {
            "name": "window",
            "template": "deploy",
            "rrule": "DTSTART:20260103T010000Z RRULE:FREQ=WEEKLY;INTERVAL=1",
            "variables": {"input_size": 3},
        }
    ],
    "awx_notification_type": "webhook",
    "awx_notification_configuration": {
        "url": "https://hooks.example",
        "headers": {},
        "http_method": "POST",
        "disable_ssl_verification": False,
        "username": "",
        "password": "",
    },
}


@dataclass
class Run:
    """How a playbook ended, and what it printed."""

    code: int
    output: str

    @property
    def changed(self) -> int:
        """How many tasks changed something, or would."""
        return int(re.findall(r"localhost +: ok=\d+ +changed=(\d+)", self.output)[-1])


@pytest.fixture(scope="module")
def awx() -> Awx:
    return Awx()


@dataclass
class Site:
    """A project beside an AWX."""

    folder: Path
    environment: dict[str, str]
    python: Path

    def __call__(self, *arguments: str, **variables: Any) -> Run:
        """Run the role's playbook with further variables."""
        return self.play("tosca.ensemble.awx", *self.given(**variables), *arguments)

    def play(self, playbook: str, *arguments: str) -> Run:
        modules = ("-e", f"ansible_python_interpreter={self.python}")
        command = [PROGRAMS / "ansible-playbook", playbook, *modules, *arguments]
        done = run_command(command, env=self.environment, cwd=self.folder)
        return Run(done.returncode, done.stdout + done.stderr)

    def given(self, **variables: Any) -> tuple[str, str]:
        return "-e", json.dumps({**VARIABLES, "awx_ensemble": "web/service.yaml", **variables})


@pytest.fixture(scope="module")
def run(awx: Awx, collections: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Run the playbook with further variables, against the AWX of the module."""
    folder = tmp_path_factory.mktemp("site")
    (folder / ".git").mkdir()
    (folder / "web").mkdir()
    (folder / "web" / "service.yaml").write_text(SERVICE)
    (folder / "web" / "planned.yaml").write_text(SERVICE.replace("backup:", "plan:"))
    (folder / "web" / "started.yaml").write_text(SERVICE.replace("backup:", "start:"))
    with served(awx) as url, interpreter(folder, COLLECTIONS) as python:
        environment = {
            **os.environ,
            "ANSIBLE_COLLECTIONS_PATH": f"{collections}:{COLLECTIONS}",
            "ANSIBLE_HOME": str(folder / "home"),
            "ANSIBLE_NOCOLOR": "1",
            "ANSIBLE_PIPELINING": "1",
            "CONTROLLER_HOST": url,
            "CONTROLLER_OAUTH_TOKEN": Awx.TOKEN,
        }
        yield Site(folder, environment, python)


@pytest.fixture(scope="module")
def made(awx: Awx, run: Site) -> Awx:
    """The AWX, after a run."""
    done = run()
    assert done.code == 0, done.output
    assert CANARY not in done.output
    return awx


LEFT_OUT = "The workflow start of the topology gets no job template"


def test_check_mode_makes_nothing_and_says_what_would_be_made(run: Site, awx: Awx) -> None:
    roles = [{"role": "tosca.ensemble.awx", "vars": {"awx_name": name}} for name in ("elsewhere", "anywhere")]
    (run.folder / "two.yml").write_text(json.dumps([{"hosts": "localhost", "gather_facts": False, "roles": roles}]))
    given = {name: value for name, value in VARIABLES.items() if name != "awx_name"}
    given |= {"awx_ensemble": "web/started.yaml", "awx_workflows": ["deploy", "check", "start"]}
    before = awx.changes
    done = run.play("two.yml", "--check", "-e", json.dumps(given))
    assert done.code == 0, done.output
    assert awx.changes == before
    first, second = re.findall(r"What needs it would be made, too: (.*)", done.output)
    assert first == second, "what the first lacks says nothing of the second"
    assert "job templates" in first
    assert LEFT_OUT not in done.output
    assert done.changed > 1


def test_a_job_template_for_each_workflow(made: Awx) -> None:
    names = ["backup", "check", "deploy", "deploy approved", "plan", "unlock"]
    assert made.names("job_templates") == [f"web {name}" for name in names]
    templates = {name: made.named("job_templates", f"web {name}") for name in names}
    assert {one["playbook"] for one in templates.values()} >= {"tosca.ensemble.plan", "tosca.ensemble.run"}
    variables = {name: json.loads(one["extra_vars"]) for name, one in templates.items()}
    assert all(one["ensemble"] == "web/service.yaml" for one in variables.values())
    assert variables["backup"]["ensemble_workflow"] == "backup"
    assert variables["check"]["ensemble_fail_on_drift"] is True
    handed = variables["deploy approved"]["ensemble_plan_document"]
    assert rendered(handed, {"ensemble_stats": {"plan_document": "e30="}}, strict=True) == "e30="
    assert rendered(handed, {}, strict=True) == "", "it was launched by itself"
    for one in templates.values():
        credentials = made.associated("job_templates", one["id"], "credentials")
        assert credentials == ["web git", "web state", "web vault"]


def test_surveys_ask_for_the_inputs(made: Awx) -> None:
    def asked(name: str) -> dict[str, Any]:
        survey = made.surveys.get(("job_templates", made.named("job_templates", name)["id"]), {"spec": []})
        return {one["variable"]: (one["type"], one["required"], one["default"]) for one in survey["spec"]}

    assert asked("web deploy") == {
        "input_size": ("integer", False, ""),
        "input_place": ("multiplechoice", True, ""),
        "input_rate": ("float", False, ""),
        "input_safe": ("multiplechoice", False, ""),
        "input_zones": ("multiselect", False, ""),
        "input_labels": ("textarea", False, ""),
        "input_pin": ("password", True, ""),
        "ensemble_reset_inputs": ("multiselect", False, ""),
    }
    assert asked("web plan") == asked("web deploy")
    assert {one[1:] for one in asked("web check").values()} == {(False, "")}
    assert asked("web backup")["input_to"] == ("text", True, "")
    assert asked("web deploy approved") == {}
    assert [*asked("web unlock")] == ["ensemble_lock_id"]


def test_the_workflow_plans_asks_and_deploys(made: Awx) -> None:
    workflow = made.named("workflow_job_templates", "web")
    assert len(made.surveys["workflow_job_templates", workflow["id"]]["spec"]) == 8
    nodes = {one["identifier"]: one for one in made.objects["workflow_job_template_nodes"].values()}
    follows = {
        name: made.associated("workflow_job_template_nodes", one["id"], "success_nodes") for name, one in nodes.items()
    }
    assert follows == {"plan": ["approval"], "approval": ["deploy"], "deploy": []}
    unified = {one["id"]: one for kind in made.objects.values() for one in kind.values()}
    assert [unified[nodes[name]["unified_job_template"]]["name"] for name in ("plan", "approval", "deploy")] == [
        "web plan",
        "web: deploy this plan?",
        "web deploy approved",
    ]
    schedules = {one["name"]: one for one in made.objects["schedules"].values()}
    assert {name: unified[one["unified_job_template"]]["name"] for name, one in schedules.items()} == {
        "web check": "web check",
        "web window": "web deploy",
    }
    assert schedules["web window"]["extra_data"] == {"input_size": 3}
    assert workflow["webhook_service"] == "github"
    assert made.associated("organizations", workflow["organization"], "galaxy_credentials") == [
        "Ansible Galaxy",
        "web galaxy",
    ]


def test_teams_may_launch_or_approve(made: Awx) -> None:
    assert made.names("teams") == ["developers", "ops"]
    deploy, workflow = made.named("job_templates", "web deploy"), made.named("workflow_job_templates", "web")
    assert made.granted(deploy) == {"execute_role": ["ops"], "approval_role": []}
    assert made.granted(workflow) == {"execute_role": ["developers", "ops"], "approval_role": ["ops"]}


def test_jobs_have_labels_and_instance_groups(made: Awx) -> None:
    deploy, workflow = made.named("job_templates", "web deploy"), made.named("workflow_job_templates", "web")
    assert made.associated("job_templates", deploy["id"], "instance_groups") == ["default"]
    assert made.associated("job_templates", deploy["id"], "labels") == ["ensembles"]
    assert made.associated("workflow_job_templates", workflow["id"], "labels") == ["ensembles"]


def test_messages_tell_the_plan_the_drift_and_the_failure(made: Awx) -> None:
    stats = {
        "plan_text": 'Plan: "1" to add\n<b>',
        "drift": [{"instance": "app", "changes": []}],
        "failure": 'app: "no" room',
    }
    job = {"job": {"name": "web plan", "artifacts": {"ensemble_stats": stats}}, "url": "https://awx.example"}
    plan = made.named("notification_templates", "web plan")["messages"]["success"]["body"]
    assert json.loads(rendered(plan, job))["plan"] == stats["plan_text"]
    drift = made.named("notification_templates", "web drift")["messages"]["error"]["body"]
    assert json.loads(rendered(drift, job))["drift"] == stats["drift"]
    failure = made.named("notification_templates", "web failure")["messages"]["error"]["body"]
    assert json.loads(rendered(failure, job))["failure"] == stats["failure"]
    for name, event, tells in (
        ("plan", "success", "plan"),
        ("check", "error", "drift"),
        ("plan", "error", "failure"),
        ("deploy approved", "error", "failure"),
        ("backup", "error", "failure"),
    ):
        template = made.named("job_templates", f"web {name}")
        told = made.associated("job_templates", template["id"], f"notification_templates_{event}")
        assert told == [f"web {tells}"]


def test_credentials_reach_a_job(made: Awx, tmp_path: Path) -> None:
    state = injected(made.named("credential_types", "Ansible Ensemble state"), {"username": "robot", "token": CANARY})
    assert {name: value for name, value in state.items() if value} == {
        "ENSEMBLE_STATE_USERNAME": "robot",
        "ENSEMBLE_STATE_TOKEN": CANARY,
    }
    kind = made.named("credential_types", "Ansible Ensemble git")
    assert injected(kind, {"ssh_key": CANARY})["GIT_SSH_COMMAND"] == "ssh -i /file/ssh_key -o IdentitiesOnly=yes"
    git = injected(kind, {"username": "robot", "token": CANARY})
    assert git["GIT_SSH_COMMAND"] == "ssh"
    environment = {**os.environ, **git, "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}
    asked = "protocol=https\nhost=git.example\n\n"
    told = subprocess.run(
        ["git", "credential", "fill"],
        input=asked,
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"username=robot\npassword={CANARY}\n" in told.stdout


def test_the_exported_playbook_changes_nothing(made: Awx, run: Site) -> None:
    exported = run_command(
        [PROGRAMS / "ansible-ensemble", "awx", "export", *run.given()], env=run.environment, cwd=run.folder
    )
    assert exported.returncode == 0, exported.stderr
    assert CANARY not in exported.stdout
    (run.folder / "exported.yml").write_text(exported.stdout)
    before = made.changes
    done = run.play("exported.yml", *run.given())
    assert done.code == 0, done.output
    assert (made.changes - before, done.changed) == (0, 0), done.output


def test_another_run_puts_back_what_is_changed_by_hand_and_nothing_else(made: Awx, run: Site) -> None:
    project, check = made.named("projects", "web project")["id"], made.named("job_templates", "web check")["id"]
    workflow = made.named("workflow_job_templates", "web")["id"]
    made.update("projects", project, {"scm_branch": "other"})
    made.update("job_templates", check, {"extra_vars": "{}"})
    made.update("workflow_job_templates", workflow, {"description": "by hand"})
    before = made.changes
    done = run(awx_keep=["workflow"])
    assert (done.code, done.changed, made.changes - before) == (0, 2, 2), done.output
    assert made.named("projects", "web project")["scm_branch"] == ""
    assert json.loads(made.named("job_templates", "web check")["extra_vars"])["ensemble_fail_on_drift"] is True
    assert made.named("workflow_job_templates", "web")["description"] == "by hand"
    made.update(
        "workflow_job_templates", workflow, {"description": "Plan, have the plan approved, and deploy what was planned"}
    )


def test_what_had_the_name_of_the_workflow_is_renamed(made: Awx, run: Site) -> None:
    project, inventory = made.named("projects", "web project"), made.named("inventories", "web inventory")
    made.update("projects", project["id"], {"name": "web"})
    made.update("inventories", inventory["id"], {"name": "web"})
    before = made.changes
    for state in ("present", "absent"):
        told = run("--check", awx_state=state)
        assert (told.code, made.changes - before) == (0, 0), told.output
        assert (told.changed == 2) is (state == "present"), told.output
    done = run()
    assert (done.code, done.changed, made.changes - before) == (0, 2, 2), done.output
    renamed = made.objects["projects"][project["id"]], made.objects["inventories"][inventory["id"]]
    assert [one["name"] for one in renamed] == ["web project", "web inventory"]


def test_a_project_of_somebody_else_keeps_its_name(made: Awx, run: Site) -> None:
    ours = {key: value for key, value in made.named("projects", "web project").items() if key != "id"}
    theirs = made.create("projects", ours | {"name": "web"})
    done = run()
    assert (done.code, done.changed, made.names("projects")) == (0, 0, ["web", "web project"]), done.output
    made.remove("projects", theirs["id"])


def test_check_mode_tells_what_would_change(made: Awx, run: Site) -> None:
    before = made.changes
    done = run(
        "--check",
        awx_ensemble="web/started.yaml",
        awx_ensemble_path="web/service.yaml",
        awx_project_branch="other",
        awx_check_schedule="DTSTART:20260101T040000Z RRULE:FREQ=DAILY;INTERVAL=1",
    )
    assert (done.code, done.changed, made.changes - before) == (0, 2, 0), done.output
    assert LEFT_OUT in " ".join(done.output.split())


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"awx_image": ""}, "There is no execution environment."),
        ({"awx_workflows": ["deplo"]}, "awx_workflows has deplo; there are deploy, undeploy, check"),
        ({"awx_state_credential": {"tokn": CANARY}}, "tokn"),
        ({"awx_ensemble": "none.yaml"}, "none.yaml"),
        ({"awx_ensemble": "web/planned.yaml"}, "The workflow plan of the topology would have the name"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_made(
    awx: Awx, run: Site, variables: dict[str, Any], message: str
) -> None:
    before = awx.changes
    done = run(**variables)
    assert (done.code, awx.changes) == (2, before)
    assert message in " ".join(done.output.split())
    assert CANARY not in done.output


def test_absent_removes_what_was_made(made: Awx, run: Site) -> None:
    def names() -> dict[str, list[str]]:
        return {kind: made.names(kind) for kind in made.objects if kind not in ("workflow_job_template_nodes", *KEPT)}

    before, changes = names(), made.changes
    told = run("--check", awx_state="absent")
    assert (told.code, made.changes - changes) == (0, 0), told.output
    assert told.changed > 5
    done = run(awx_state="absent")
    assert done.code == 0, done.output
    assert names() == {**{kind: [] for kind in before}, "credentials": ["Ansible Galaxy"]}
    assert done.changed == told.changed
    again = run(awx_state="absent")
    assert (again.code, again.changed) == (0, 0), again.output


def test_templates_are_for_several_ensembles_and_for_machines(awx: Awx, run: Site) -> None:
    (run.folder / "edge").mkdir()
    (run.folder / "ensemble-project.yaml").write_text(
        "environments: {defaults: {external: {edge: edge/ensemble.yaml}}}\n"
    )
    (run.folder / "edge" / "service.yaml").write_text(SERVICE)
    using = SERVICE.replace("place:", "url: {type: string, default: {eval: {external: edge}, select: x}}\n    place:")
    (run.folder / "web" / "service.yaml").write_text(using)
    given: dict[str, Any] = {
        "awx_name": "shop",
        "awx_further_ensembles": ["edge/service.yaml"],
        "awx_galaxy_credentials": [],
        "awx_machine_credential": {"endpoint": "https://provision.example:8092", "key": f"ann:{CANARY}", "ca": "PEM"},
        "awx_machine_inventory": "shop.provision.yml",
        "awx_machine_workflows": ["install"],
    }
    done = run(**given)
    assert done.code == 0, done.output
    again = run(**given)
    assert (again.code, again.changed) == (0, 0), again.output
    names = {one["id"]: one["name"] for one in awx.objects["workflow_job_templates"].values()}
    assert {name for name in names.values() if name.startswith("shop")} == {"shop", "shop all", "shop machines"}
    nodes = awx.objects["workflow_job_template_nodes"].values()
    all_of_them = {one["identifier"]: one for one in nodes if names.get(one["workflow_job_template"]) == "shop all"}
    assert {path: one["extra_data"] for path, one in all_of_them.items()} == {
        path: {"ensemble": path} for path in ("web/service.yaml", "edge/service.yaml")
    }
    edge = all_of_them["edge/service.yaml"]["id"]
    assert awx.associated("workflow_job_template_nodes", edge, "success_nodes") == ["web/service.yaml"]
    check = awx.named("job_templates", "shop machines check")
    assert (check["job_type"], check["playbook"]) == ("check", "tosca.ensemble.provision_machines")
    assert "shop machines" in awx.associated("job_templates", check["id"], "credentials")
    kind = injected(awx.named("credential_types", "Ansible Ensemble machines"), given["awx_machine_credential"])
    assert kind["RS_CA_FILE"] == "/file/ca"
