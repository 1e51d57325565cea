"""Each plan has a file of its own, and is carried out as what it was made for or not at all."""

from __future__ import annotations

import base64
import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import EnsembleError, InvalidInput, Locked, UsageError
from ansible_ensemble.core.sensitive import REDACTED, reveal
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.jobs import ansible as facade
from ansible_ensemble.jobs import locking
from ansible_ensemble.jobs.commands import prepare_job, prepare_saved_plan
from ansible_ensemble.jobs.planned import make_plan
from ansible_ensemble.planning.plan import Plan
from ansible_ensemble.planning.planned_operation import Prediction
from ansible_ensemble.projects import lock as locks
from ansible_ensemble.projects.trust import approve
from ansible_ensemble.records.saved_plans import (
    check_purpose,
    decoded_plan,
    drop_plans,
    is_plan_file,
    keep_plan,
    load_plan,
    save_plan,
)
from tests.unit.conftest import SERVICE

TEXT = Plan("deploy", "ensemble.yaml").to_text()


@pytest.fixture
def service(tmp_path: Path) -> Path:
    (tmp_path / "service.yaml").write_text(SERVICE)
    (tmp_path / "configure.sh").write_text("")
    return tmp_path / "service.yaml"


def plan_in_a_playbook(service: Path, workflow: str = "undeploy", plan_file: Path | None = None) -> dict[str, Any]:
    """What the module `plan` does."""
    file = str(plan_file) if plan_file else None
    given = {"options": {"force": True}, "plan_file": file, "check": False, "diff": False}
    return facade.plan(str(service), workflow=workflow, action=None, task_vars={}, **given)


def carry_out(service: Path, workflow: str, plan_file: Path | str, digest: str | None) -> None:
    """What the module `execute` does, as far as it can without a playbook."""
    facade.execute(
        None, {}, ensemble=str(service), workflow=workflow, plan_file=str(plan_file), plan_digest=digest,
        options={"jobs": 1},
    )  # fmt: skip


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    """A process that this one does not come from."""
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as running:
        yield running


@pytest.fixture(autouse=True)
def no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no running playbook that a session could be made from."""
    monkeypatch.setattr(facade, "session_of", lambda *_: None)


def test_two_plans_have_two_files(tmp_path: Path) -> None:
    one, other = (keep_plan(TEXT, tmp_path / "planned", locked=True) for _ in range(2))
    assert one.path != other.path
    assert one.digest == other.digest
    assert one.path.stat().st_mode & 0o777 == 0o600


def test_a_plan_made_while_a_job_waits_for_approval_is_not_what_it_carries_out(service: Path) -> None:
    with prepare_job(str(service), "deploy", {}) as job:
        told = plan_in_a_playbook(service)
        variables = job.save()
        plan_in_a_playbook(service)
        plan, _ = load_plan(Path(variables["ensemble_plan_file"]), variables["ensemble_plan_digest"])
        assert plan.to_json() == job.document
        assert plan.workflow == variables["ensemble_workflow"] == "deploy"
        assert Path(told["plan_file"]).exists()


def test_the_plan_of_a_job_goes_with_it(service: Path) -> None:
    with prepare_job(str(service), "deploy", {}) as job:
        file = Path(job.save()["ensemble_plan_file"])
    assert not file.exists()


@pytest.mark.parametrize("change", ["overwritten", "another plan", "gone"])
def test_what_was_approved_is_carried_out_or_nothing(service: Path, change: str) -> None:
    with prepare_job(str(service), "deploy", {}) as job:
        variables = job.save()
        file = Path(variables["ensemble_plan_file"])
        if change == "gone":
            file.unlink()
        else:
            text = file.read_text()
            file.write_text(
                text + "\n" if change == "overwritten" else Plan("deploy", job.document["ensemble"]).to_text()
            )
        with pytest.raises(EnsembleError, match=r"is not the plan that was made|cannot be read") as caught:
            carry_out(service, "deploy", file, variables["ensemble_plan_digest"])
    assert caught.value.hint == "make a new plan"


def test_a_plan_that_nobody_named_is_known_by_its_digest(service: Path) -> None:
    made = plan_in_a_playbook(service, "deploy")
    with pytest.raises(UsageError, match="can only be used with its digest"):
        carry_out(service, "deploy", made["plan_file"], None)


def test_a_plan_that_is_handed_over_is_the_one_that_was_made(service: Path) -> None:
    made = plan_in_a_playbook(service, "deploy")
    document = base64.b64encode(Path(made["plan_file"]).read_bytes()).decode()
    plan, found = decoded_plan(document, made["plan_digest"])
    assert (plan.workflow, found.digest) == ("deploy", made["plan_digest"])
    with pytest.raises(EnsembleError, match="the document is not the plan that was made"):
        decoded_plan(base64.b64encode(b"{}").decode(), made["plan_digest"])


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("{}", "the plan's document is not in base64"),
        ("e30=", "is not a plan"),
        ("eA==", "the document is not a plan"),
        ("", "there is no plan: its document is empty"),
    ],
)
def test_what_is_handed_over_and_no_plan_is_refused(document: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        decoded_plan(document)


def test_only_a_plan_that_is_kept_and_new_is_a_change(service: Path, tmp_path: Path) -> None:
    assert not plan_in_a_playbook(service, "deploy")["changed"]
    made = [plan_in_a_playbook(service, "deploy", tmp_path / "p.json") for _ in range(2)]
    assert [one["changed"] for one in made] == [True, False]
    assert plan_in_a_playbook(service, "check", tmp_path / "p.json")["changed"]


@pytest.mark.parametrize("named", [False, True])
def test_a_plan_of_another_workflow_is_refused(service: Path, tmp_path: Path, *, named: bool) -> None:
    made = plan_in_a_playbook(service, "deploy", tmp_path / "p.json" if named else None)
    with pytest.raises(UsageError, match="is a plan to deploy, not to undeploy"):
        carry_out(service, "undeploy", made["plan_file"], made["plan_digest"])


@pytest.mark.parametrize("workflow", ["undeploy", "check", "run"])
def test_the_command_refuses_a_plan_of_another_workflow(service: Path, tmp_path: Path, workflow: str) -> None:
    make_plan(str(service), "deploy", {}).save(tmp_path / "p.json")
    with pytest.raises(UsageError, match=f"is a plan to deploy, not to {workflow}") as caught:
        prepare_saved_plan(tmp_path / "p.json", workflow, {})
    assert caught.value.hint == f"`ansible-ensemble deploy {tmp_path / 'p.json'}`"
    assert locks.read_lock(tmp_path / "ensemble.yaml") is None


def test_a_plan_of_another_ensemble_is_refused(service: Path, tmp_path: Path) -> None:
    made = plan_in_a_playbook(service, "deploy")
    other = tmp_path / "other" / "service.yaml"
    other.parent.mkdir()
    other.write_text(SERVICE)
    (other.parent / "configure.sh").write_text("")
    with pytest.raises(UsageError, match=r"is a plan of .*, not of .*other"):
        carry_out(other, "deploy", made["plan_file"], made["plan_digest"])


@pytest.mark.parametrize("made_for", [None, "staging"])
def test_a_plan_of_another_environment_is_refused(service: Path, tmp_path: Path, made_for: str | None) -> None:
    plan = Plan("deploy", str(service.with_name("ensemble.yaml")), template=str(service))
    plan.options = {"environment": made_for} if made_for else {}
    saved = save_plan(plan.to_text(), tmp_path / "p.json")
    given = {"environment": "production"}
    with pytest.raises(UsageError, match="is not a plan for environment production"):
        prepare_saved_plan(saved.path, "deploy", given)
    with pytest.raises(UsageError, match="is not a plan for environment production"):
        facade.execute(
            None, {}, ensemble=str(service), workflow="deploy", plan_file=str(saved.path), plan_digest=saved.digest,
            options=given,
        )  # fmt: skip
    assert locks.read_lock(service.with_name("ensemble.yaml")) is None


def test_the_same_ensemble_by_a_link_is_no_other(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    check_purpose(Plan("deploy", str(tmp_path / "e.yaml")), Path("p"), tmp_path / "link" / "e.yaml", "deploy")


@pytest.mark.parametrize("holder", ["nobody", "a process elsewhere on this host", "another host"])
def test_only_who_comes_from_the_holder_of_the_lock_carries_out(
    service: Path, holder: str, process: subprocess.Popen[bytes]
) -> None:
    made = plan_in_a_playbook(service, "deploy")
    ensemble = service.with_name("ensemble.yaml")
    if holder != "nobody":
        locks.acquire(ensemble, "deploy", pid=process.pid if "this" in holder else os.getpid())
    if holder == "another host":
        file = locks.lock_path(ensemble)
        file.write_text(file.read_text().replace('"Host": "', '"Host": "not-'))
    with pytest.raises(EnsembleError, match="is not locked" if holder == "nobody" else "is locked by"):
        carry_out(service, "deploy", made["plan_file"], made["plan_digest"])


def test_who_adopted_the_lock_of_another_host_works_under_it(service: Path) -> None:
    ensemble = service.with_name("ensemble.yaml")
    held = locks.acquire(ensemble, "deploy", pid=os.getpid())
    file = locks.lock_path(ensemble)
    file.write_text(file.read_text().replace('"Host": "', '"Host": "not-'))
    with pytest.raises(Locked):
        locking.adopt_held(ensemble)
    facade.lock(str(service), state="present", operation="", lock_id=held.id, timeout=0, pid=os.getpid())
    assert locking.adopt_held(ensemble).id == held.id


def test_plans_that_killed_jobs_left_go_when_the_lock_is_taken(service: Path) -> None:
    planned = service.parent / "planned"
    left, free = keep_plan(TEXT, planned, locked=True), keep_plan(TEXT, planned, locked=False)
    old = keep_plan(TEXT, planned, locked=False)
    os.utime(old.path, (0, 0))
    with prepare_job(str(service), "deploy", {}):
        assert not left.path.exists()
        assert not old.path.exists()
        assert free.path.exists(), "its job may be to come"


def test_files_of_others_among_the_planned_stay(tmp_path: Path) -> None:
    mine = tmp_path / "my-plan.json"
    mine.write_text("{}")
    os.utime(mine, (0, 0))
    drop_plans(tmp_path)
    assert mine.exists()


def test_the_lock_of_a_playbook_takes_its_plans_along(service: Path) -> None:
    taken = facade.lock(str(service), state="present", operation="deploy", lock_id=None, timeout=0, pid=os.getpid())
    made = plan_in_a_playbook(service, "deploy")
    facade.lock(str(service), state="absent", operation="", lock_id=taken["lock"]["id"], timeout=0, pid=os.getpid())
    assert not Path(made["plan_file"]).exists()


@pytest.mark.parametrize("name", ["ensemble.yaml", "service.yaml", "notes.txt"])
def test_a_plan_is_not_written_over_what_is_none(service: Path, name: str) -> None:
    file = service.with_name(name)
    file.touch()
    file.write_text(file.read_text() or "precious: true\n")
    before = file.read_text()
    with pytest.raises(InvalidInput, match="is not a plan: it is not overwritten"):
        save_plan(TEXT, file)
    assert file.read_text() == before


def test_a_plan_is_written_over_an_older_one(tmp_path: Path) -> None:
    file = tmp_path / "p.json"
    save_plan(TEXT, file)
    assert load_plan(file, save_plan(Plan("stop", "e").to_text(), file).digest)[0].workflow == "stop"


@pytest.mark.parametrize(
    ("text", "is_plan"),
    [
        (TEXT, True),
        ("\n \n" + TEXT, True),
        (TEXT[:200], True),  # damaged: it is refused as a plan, not taken for an ensemble
        ('{"apiVersion": "tosca-ensemble/v1", "kind": "Ensemble", "spec": {}}', False),
        ('{"format_version": "1.0", "resource_changes": []}', False),
        ("[" * 100_000, False),
        ("{" * 100_000, False),
        ("", False),
        ("{\udce9".encode("utf-8", "surrogateescape").decode("latin-1"), False),
    ],
    ids=["plan", "indented", "damaged", "ensemble", "Terraform's", "deep list", "deep map", "empty", "latin"],
)
def test_a_plan_is_known_by_its_kind(tmp_path: Path, text: str, *, is_plan: bool) -> None:
    (tmp_path / "file").write_text(text, encoding="utf-8")
    assert is_plan_file(tmp_path / "file") is is_plan


def test_a_folder_is_no_plan(tmp_path: Path) -> None:
    assert not is_plan_file(tmp_path)
    assert not is_plan_file(tmp_path / "none")


@pytest.mark.parametrize("missing", ["spec", "status", "inputs"])
def test_a_plan_that_does_not_say_what_it_was_made_from_is_stale(service: Path, tmp_path: Path, missing: str) -> None:
    outcome = make_plan(str(service), "deploy", {})
    del outcome.plan.base[missing]
    outcome.save(tmp_path / "p.json")
    with pytest.raises(EnsembleError, match=f"the plan is stale: the {missing}"):
        prepare_saved_plan(tmp_path / "p.json", "deploy", {})


def edited(file: Path, way: tuple[Any, ...], value: Any) -> Path:
    """The plan's file, with one value of its document changed."""
    document = json.loads(file.read_text())
    place = document
    for name in way[:-1]:
        place = place[name]
    place[way[-1]] = value
    file.write_text(json.dumps(document))
    return file


#: What somebody may write into a plan, and what its refusal names; each shows something else than the job does.
EDITS: dict[str, tuple[tuple[Any, ...], Any, str]] = {
    "an operation": (("operations", 0, "operation"), "delete", 'Standard.create operation is "delete" in it'),
    "what runs": (("operations", 0, "implementation"), "true", 'Standard.create implementation is "true" in it'),
    "where it runs": (("operations", 0, "host"), "web7", 'Standard.create host is "web7" in it'),
    "all operations": (("operations",), [], "operations web:Standard.create is nothing in it, and something by now"),
    "an instance": (("resource_changes",), [], "resource_changes web is nothing in it"),
    "a symbol": (("resource_changes", 0, "symbol"), "~", 'web symbol is "~" in it, and "+" by now'),
    "a reason": (("resource_changes", 0, "reason"), "told so", 'web reason is "told so" in it, and "new" by now'),
    "a value": (("resource_changes", 0, "change", "values"), [], "change values"),
    "what follows": (("resource_changes", 0, "change", "actions"), ["no-op"], "change actions"),
    "the counts": (("summary", "add"), 0, "summary add is 0 in it, and 1 by now"),
    "the workflow's exclusions": (("excluded",), [{"instance": "db", "reason": "kept"}], "excluded db"),
    "an option": (("options",), {"skip_new": True}, "is something in it, and nothing by now"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_plan_that_says_something_else_than_it_does_is_refused(web: Path, tmp_path: Path, edit: str) -> None:
    way, value, told = EDITS[edit]
    make_plan(str(web), "deploy", {}).save(tmp_path / "p.json")
    file = edited(tmp_path / "p.json", way, value)
    with pytest.raises(EnsembleError, match="the plan is stale, or its file was changed: ") as refused:
        prepare_saved_plan(file, "deploy", {})
    assert told in refused.value.message
    held = facade.lock(str(web), state="present", operation="deploy", lock_id=None, timeout=0, pid=os.getpid())
    with pytest.raises(EnsembleError, match="the plan is stale, or its file was changed"):
        carry_out(web, "deploy", file, None)
    facade.lock(str(web), state="absent", operation="", lock_id=held["lock"]["id"], timeout=0, pid=os.getpid())


WEB = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  App: {derived_from: tosca.nodes.Root, properties: {note: {type: integer}}}
topology_template:
  inputs:
    size: {type: integer, default: 1}
    pin: {type: string, required: false, metadata: {sensitive: true}}
  node_templates:
    web:
      type: App
      properties: {note: 1}
      interfaces: {Standard: {operations: {create: "echo {{ colour | default('none') }}", configure: echo b}}}
"""


@pytest.fixture
def web(tmp_path: Path) -> Path:
    """A service template, in a project that is trusted."""
    (tmp_path / "service.yaml").write_text(WEB)
    approve(tmp_path / "service.yaml")
    return tmp_path / "service.yaml"


def test_what_a_dry_run_predicted_is_not_compared_nor_shown(web: Path, tmp_path: Path) -> None:
    made = make_plan(str(web), "deploy", {})
    made.plan.operations[0].prediction = Prediction(changed=True)
    made.save(tmp_path / "p.json")
    with prepare_saved_plan(tmp_path / "p.json", "deploy", {}) as job:
        assert "prediction" not in job.document["operations"][0]


RED = {"variables": {"colour": "red"}}


@pytest.mark.parametrize("made", [RED, {}], ids=["red", "none"])
@pytest.mark.parametrize("given", [{"colour": "blue"}, {"colour": "red", "size": 1}], ids=["blue", "more"])
def test_a_plan_with_other_variables_is_stale(
    web: Path, tmp_path: Path, made: dict[str, Any], given: dict[str, Any]
) -> None:
    make_plan(str(web), "deploy", made).save(tmp_path / "p.json")
    with pytest.raises(EnsembleError, match="the plan is stale: the variables have changed") as refused:
        prepare_saved_plan(tmp_path / "p.json", "deploy", {"variables": given})
    assert refused.value.hint == "make a new one, or give none (-e): the plan has its own"


@pytest.mark.parametrize("given", [{}, RED], ids=["none", "the same"])
def test_a_plan_has_its_variables(web: Path, tmp_path: Path, given: dict[str, Any]) -> None:
    make_plan(str(web), "deploy", RED).save(tmp_path / "p.json")
    with prepare_saved_plan(tmp_path / "p.json", "deploy", given) as job:
        assert job._options.variables == {"colour": "red"}


def test_a_variable_that_somebody_wrote_into_a_plan_is_refused(web: Path, tmp_path: Path) -> None:
    make_plan(str(web), "deploy", RED).save(tmp_path / "p.json")
    with pytest.raises(EnsembleError, match="the plan is stale: the variables have changed"):
        prepare_saved_plan(edited(tmp_path / "p.json", ("options", "variables", "colour"), "blue"), "deploy", {})


#: What a call decides, as somebody may write it into a plan.
NOT_ITS_OWN = {
    "vault_ids": ["default@password.sh"], "vault_password_file": "password.sh", "push": True, "commit": True,
    "dirty": "ok", "message": "mine", "inventory": ["hosts.sh"], "revision": "HEAD~1", "session": "mine", "jobs": 7,
}  # fmt: skip


def test_what_a_call_decides_is_not_taken_from_a_plan(web: Path, tmp_path: Path) -> None:
    password = tmp_path / "password.sh"
    password.write_text(f"#!/bin/sh\ntouch {tmp_path / 'ran'}\necho word\n")
    password.chmod(0o700)
    secret = {"__ansible_vault": "$ANSIBLE_VAULT;1.1;AES256\n3030\n"}
    make_plan(str(web), "deploy", RED).save(tmp_path / "p.json")
    options = NOT_ITS_OWN | {"vault_password_file": str(password)}
    file = edited(tmp_path / "p.json", ("options",), RED | options)
    with prepare_saved_plan(file, "deploy", {"jobs": 3}) as job:
        assert job._options == JobOptions(**RED, jobs=3)
    document = base64.b64encode(file.read_bytes()).decode()
    assert decoded_plan(document)[0].options == RED
    edited(file, ("options", "variables"), {"db_password": secret})
    with pytest.raises(EnsembleError):
        prepare_saved_plan(file, "deploy", {})
    assert not (tmp_path / "ran").exists()


def test_what_a_job_decided_is_in_its_plan_by_its_digest_alone(tmp_path: Path) -> None:
    plan = Plan("deploy", "ensemble.yaml", options={"push": True})
    saved = keep_plan(plan.to_text(), tmp_path / "planned", locked=True)
    assert load_plan(saved.path, saved.digest)[0].options == {"push": True}
    assert load_plan(saved.path)[0].options == {}


SECRETS = {"input": ("inputs", "pin", "4711-first"), "variable": ("variables", "db_password", "0815-first")}


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_of_a_plan_is_encrypted_and_no_other(web: Path, tmp_path: Path, kind: str) -> None:
    values, name, secret = SECRETS[kind]
    (tmp_path / "password").write_text("open sesame")
    vault = {"vault_password_file": str(tmp_path / "password")}
    made = make_plan(str(web), "deploy", {**vault, values: {name: secret}})
    made.save(tmp_path / "p.json")
    assert secret not in (tmp_path / "p.json").read_text()
    assert made.wanted_again == []
    with pytest.raises(EnsembleError, match=f"made with another value of the sensitive {kind} '{name}'") as refused:
        prepare_saved_plan(tmp_path / "p.json", "deploy", {**vault, values: {name: "another-one"}})
    assert secret not in str(refused.value)
    for given in ({}, {values: {name: secret}}):
        with prepare_saved_plan(tmp_path / "p.json", "deploy", {**vault, **given}) as job:
            assert reveal(job._ensemble.codec.open(getattr(job._options, values)[name])) == secret


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_that_no_vault_kept_is_given_again(web: Path, tmp_path: Path, kind: str) -> None:
    values, name, secret = SECRETS[kind]
    made = make_plan(str(web), "deploy", {values: {name: secret}})
    made.save(tmp_path / "p.json")
    assert made.plan.options[values] == {name: REDACTED}
    assert made.wanted_again == [f"{kind} {name}"]
    with pytest.raises(InvalidInput, match=f"the sensitive {kind} '{name}' was not kept"):
        prepare_saved_plan(tmp_path / "p.json", "deploy", {})
    with prepare_saved_plan(tmp_path / "p.json", "deploy", {values: {name: secret}}) as job:
        assert reveal(getattr(job._options, values)[name]) == secret


@pytest.mark.parametrize(
    ("given", "told"),
    [({"prune": True}, "prune"), ({"repair": "none"}, "repair none"), ({"replace": ["web"]}, "replace web")],
)
def test_a_plan_takes_no_other_options_of_planning(web: Path, tmp_path: Path, given: dict[str, Any], told: str) -> None:
    make_plan(str(web), "deploy", {}).save(tmp_path / "p.json")
    with pytest.raises(UsageError, match=f"is not a plan for {told} \\("):
        prepare_saved_plan(tmp_path / "p.json", "deploy", given)
    make_plan(str(web), "deploy", given).save(tmp_path / "p.json")
    for again in ({}, given, {"repair": "error"} if "repair" not in given else given):
        with prepare_saved_plan(tmp_path / "p.json", "deploy", again) as job:
            assert job.document["workflow"] == "deploy"


def test_the_lock_is_that_of_the_plans_environment(web: Path, tmp_path: Path) -> None:
    (tmp_path / "ensemble-project.yaml").write_text(
        f"environments:\n  prod:\n    state: {{path: {tmp_path / 'prod'}}}\n"
    )
    made = make_plan(str(web), "deploy", {"environment": "prod"})
    made.save(tmp_path / "p.json")
    document = base64.b64encode((tmp_path / "p.json").read_bytes()).decode()
    how = {"operation": "deploy", "timeout": 0, "pid": os.getpid()}
    for given in ({"plan_file": str(tmp_path / "p.json")}, {"plan_document": document}):
        taken = facade.lock(str(web), state="present", lock_id=None, **how, **given)["lock"]
        assert taken["environment"] == "prod"
        there = tmp_path / "prod" / "ensemble.yaml.lock"
        assert there.exists(), "others that use the state are kept out"
        facade.lock(str(web), state="absent", lock_id=taken["id"], environment=taken["environment"], **how)
        assert not there.exists()


BACKUP = """
  workflows:
    backup:
      inputs: {to: {type: string}}
      steps: {run: {target: app, activities: [{set_state: started}]}}
"""


def test_a_plan_of_a_workflow_is_of_its_inputs(tmp_path: Path) -> None:
    service = tmp_path / "service.yaml"
    text = "tosca_definitions_version: tosca_simple_yaml_1_3\ntopology_template:\n"
    service.write_text(f"{text}  node_templates: {{app: {{type: tosca.nodes.Root}}}}{BACKUP}")
    make_plan(str(service), "backup", {"inputs": {"to": "here"}}).save(tmp_path / "p.json")
    with pytest.raises(EnsembleError, match="the plan is stale: the inputs have changed"):
        prepare_saved_plan(tmp_path / "p.json", "backup", {"inputs": {"to": "there"}})
    for given in ({}, {"inputs": {"to": "here"}}):
        with prepare_saved_plan(tmp_path / "p.json", "backup", given) as job:
            assert job.document["workflow"] == "backup"


WRITING = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  App:
    derived_from: tosca.nodes.Root
    properties: {text: {type: string}, path: {type: string}}
    interfaces:
      Standard:
        operations:
          configure: {implementation: "cat $f", inputs: {f: {get_property: [SELF, path]}}}
topology_template:
  node_templates:
    app: {type: App, properties: {text: "new", path: {eval: %s}}}
"""


@pytest.mark.parametrize(
    "function",
    [
        "{tempfile: {get_property: [SELF, text]}}",
        "{file: made.txt, contents: {get_property: [SELF, text]}}",
        "{abspath: [made/file, src, true]}",
        "{get_dir: [local, true]}",
    ],
)
@pytest.mark.parametrize("ask", [make_plan, plan_in_a_playbook, prepare_job], ids=["command", "module", "job"])
def test_planning_writes_nothing_that_a_job_reads(
    tmp_path: Path, function: str, ask: Callable[..., Any], request: pytest.FixtureRequest
) -> None:
    service = tmp_path / "service.yaml"
    service.write_text(WRITING % function)
    if ask is plan_in_a_playbook:
        ask(service, "deploy")
    elif ask is prepare_job:
        with ask(str(service), "deploy", {}):
            pass
    else:
        ask(str(service), "deploy", {})
    left = {path for path in tmp_path.rglob("*") if not path.name.startswith("plan-")}
    assert left <= {service, tmp_path / "planned"}


HOSTS = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    folder: {module: debug, args: {msg: hello}, hosts: web}
    other: {module: debug, args: {msg: hello}}
"""


@pytest.fixture
def hosts(tmp_path: Path) -> Path:
    """A service template with a pattern of hosts, beside an inventory, in a project that is trusted."""
    (tmp_path / "service.yaml").write_text(HOSTS)
    (tmp_path / "hosts.ini").write_text("[web]\nweb1 ansible_connection=local\nweb2 ansible_connection=local\n")
    approve(tmp_path / "service.yaml")
    return tmp_path / "service.yaml"


def test_a_plan_for_other_hosts_is_stale(hosts: Path, tmp_path: Path) -> None:
    given = {"inventory": [str(tmp_path / "hosts.ini")]}
    make_plan(str(hosts), "deploy", given).save(tmp_path / "p.json")
    with prepare_saved_plan(tmp_path / "p.json", "deploy", given):
        pass
    with pytest.raises(EnsembleError, match="the plan is stale: the hosts have changed") as refused:
        prepare_saved_plan(tmp_path / "p.json", "deploy", {"inventory": []})
    assert refused.value.hint is not None and "-i" in refused.value.hint
    (tmp_path / "hosts.ini").write_text("[web]\nweb1 ansible_connection=local\nweb3 ansible_connection=local\n")
    with pytest.raises(EnsembleError, match="the plan is stale: the hosts have changed"):
        prepare_saved_plan(tmp_path / "p.json", "deploy", given)


@pytest.mark.parametrize("filters", [{"templates": ["folder"]}, {"limit": "template_folder"}])
def test_a_filter_by_the_name_as_it_is_written_means_every_host(
    hosts: Path, tmp_path: Path, filters: dict[str, Any]
) -> None:
    plan = make_plan(str(hosts), "deploy", {"inventory": [str(tmp_path / "hosts.ini")], **filters}).plan
    assert [one.instance for one in plan.instances] == ["folder@web1", "folder@web2"]


def test_a_plan_says_what_it_leaves_alone_for_want_of_hosts(hosts: Path, tmp_path: Path) -> None:
    (tmp_path / "hosts.ini").write_text("[web]\n")
    plan = make_plan(str(hosts), "deploy", {"inventory": [str(tmp_path / "hosts.ini")]}).plan
    assert "left alone, as their hosts are unknown: folder" in plan.warnings


@pytest.mark.parametrize("name", ["file/plan.json", "loop", "missing/plan.json"])
def test_where_a_plan_cannot_be_written(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(EnsembleError, match="cannot be written"):
        save_plan(TEXT, tmp_path / name)
