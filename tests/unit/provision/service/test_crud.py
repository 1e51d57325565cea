"""Objects of any kind: shown, created, changed and removed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_ensemble.provision.objects.codec import plain
from ansible_ensemble.provision.rules.refusal import Refused
from ansible_ensemble.provision.service import contents, crud
from tests.unit.provision.service.world import World, body, refusal, workflow

UUID = "3e7031fe-3062-45f1-835c-92541bc9cbd3"


def test_an_object_is_created_with_its_defaults(world: World) -> None:
    made = world.create(
        "tasks", Name="task1", Templates=None, Bundle="mine", ReadOnly=True, Available=False, Errors=["e"]
    )
    assert (made.bundle, made.read_only, made.validated, made.available, made.errors) == ("", False, True, True, [])
    assert made.meta["feature-flags"] == "sane-exit-codes"
    assert world.show("tasks", "task1") == made
    assert world.events() == ["tasks.create.task1"]


def test_a_machine_is_created_with_its_defaults(world: World) -> None:
    made = world.create("machines", name="m1", Runnable=False, CurrentJob=UUID)
    assert len(made.uuid) == 36
    assert (made.stage, made.boot_env, made.workflow, made.runnable) == ("none", "local", "", True)
    assert (made.current_job, made.arch, made.pool, made.pool_status) == ("", "amd64", "default", "Free")
    assert len(made.secret) == 16
    assert "change-stage-v2" in made.meta["feature-flags"]


@pytest.mark.parametrize("name", [UUID, f"Uuid:{UUID}", f"Key:{UUID}", "Name:m1"])
def test_an_object_is_found_by_key_and_unique_indexes(world: World, name: str) -> None:
    made = world.create("machines", Name="m1", Uuid=UUID)
    assert world.show("machines", name) == made
    assert world.patch("machines", name) == made
    assert world.remove("machines", name) == made


@pytest.mark.parametrize("name", ["m1", "Name:m2", "Nome:m1", "Stage:none", "", ":", "Name:"])
def test_what_is_not_there(world: World, name: str) -> None:
    world.create("machines", Name="m1", Uuid=UUID)
    with refusal(404, "GET", "Not Found", model="machines", key=name):
        world.show("machines", name)
    with refusal(404, "PATCH", "Not Found", model="machines", key=name):
        world.patch("machines", name)
    with refusal(404, "PUT", "Not Found", model="machines", key=name):
        world.write(crud.put, "machines", name, b"{}")
    with refusal(404, "DELETE", "Not Found", model="machines", key=name):
        world.remove("machines", name)


def test_a_kind_that_is_none(world: World) -> None:
    with refusal(404, "GET", "Not Found", model="cats", key=""):
        world.show("cats", "tom")


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b'"task1"', b'{"Name": 1}', b'{"Name": "task1", "Meta": {"a": 1}}'])
def test_a_body_that_is_no_object(world: World, text: bytes) -> None:
    with pytest.raises(Refused) as refused:
        world.write(crud.create, "tasks", text)
    error = refused.value.error
    assert (error.code, error.type, error.model) == (400, "POST", "tasks")


def test_creations_that_are_refused(world: World) -> None:
    with refusal(400, "CREATE", "Empty key not allowed", model="tasks", key=""):
        world.create("tasks", Description="nameless")
    world.create("tasks", Name="task1")
    with refusal(409, "CREATE", "already exists", model="tasks", key="task1"):
        world.create("tasks", Name="task1")
    with refusal(422, "ValidationError", "foo/: Invalid Name `foo/`", model="tasks", key="foo/"):
        world.create("tasks", Name="foo/")
    world.create("machines", Name="m1", Uuid=UUID)
    with refusal(409, "CREATE", "already exists", model="machines", key=UUID):
        world.create("machines", Name="m2", Uuid=UUID)
    with refusal(409, "CREATE", "Name m1 already exists", model="machines"):
        world.create("machines", Name="m1")


def test_what_has_requests_of_its_own(world: World) -> None:
    for prefix in ("jobs", "contents"):
        with refusal(405, "POST", "Method Not Allowed", model=prefix):
            world.create(prefix, Uuid=UUID, Name="some")
    world.write(contents.create_content, body({"meta": {"Name": "pack"}, "sections": {"tasks": {"task1": {}}}}))
    with refusal(405, "PATCH", "Method Not Allowed", model="contents", key="pack"):
        world.set("contents", "pack", Meta={"a": "b"}, About={"Name": "other"})
    with refusal(405, "DELETE", "Method Not Allowed", model="contents", key="pack"):
        world.remove("contents", "pack")


def test_a_key_in_another_spelling_is_no_other_key(world: World) -> None:
    world.create("machines", Name="m1", Uuid=UUID)
    for spelled in (UUID.upper(), UUID.replace("-", ""), f"{{{UUID}}}"):
        with refusal(422, "ValidationError", f"{spelled}: Invalid Uuid `{spelled}`", model="machines", key=spelled):
            world.create("machines", Name="m2", Uuid=spelled)


def test_a_machine_that_lacks_something_is_created_by_force_alone(world: World) -> None:
    with refusal(422, "ValidationError", "Profile p1 does not exist", model="machines"):
        world.create("machines", Name="m1", Profiles=["p1"])
    made = world.create("machines", Name="m1", Profiles=["p1"], force=True)
    assert (made.available, made.runnable, made.errors) == (False, False, ["Profile p1 does not exist"])


def test_a_patch_changes_what_it_says(world: World) -> None:
    world.create("tasks", Name="task1", Meta={"color": "red"})
    world.events()
    changed = world.patch(
        "tasks",
        "task1",
        {"op": "test", "path": "/Description", "value": ""},
        {"op": "replace", "path": "/Description", "from": "", "value": "the first"},
        {"op": "add", "path": "/Meta/icon", "value": "x"},
    )
    assert (changed.description, changed.meta["icon"]) == ("the first", "x")
    assert world.show("tasks", "task1") == changed
    assert world.events() == ["tasks.update.task1"]


def test_an_empty_patch_changes_nothing_and_tells_nobody(world: World) -> None:
    made = world.create("tasks", Name="task1")
    world.events()
    assert world.patch("tasks", "task1") == made
    assert world.patch("tasks", "task1", {"op": "replace", "path": "/Name", "value": "task1"}) == made
    assert world.events() == []


@pytest.mark.parametrize("change", [lambda document: document, lambda document: _without_empty(document)])
def test_a_patch_may_test_the_whole_object_as_clients_decode_it(world: World, change: Any) -> None:
    made = world.create("tasks", Name="task1", Meta={"n": "1"})
    whole = change(plain(made))
    changed = world.patch(
        "tasks",
        "task1",
        {"op": "test", "path": "", "value": whole},
        {"op": "replace", "path": "/Description", "value": "d"},
    )
    assert changed.description == "d"
    with refusal(409, "PATCH", *_failed(0, [{"op": "test", "path": "", "value": whole}]), key="task1"):
        world.patch("tasks", "task1", {"op": "test", "path": "", "value": whole})


def _without_empty(document: dict[str, Any]) -> dict[str, Any]:
    """As clients in Go leave out or null what is empty."""
    return {name: value or None for name, value in document.items() if name not in ("ExtraRoles", "ExtraClaims")} | {
        "ReadOnly": False
    }


def _failed(line: int, operations: list[dict[str, Any]]) -> tuple[str, str]:
    return f"Patch error at line {line}: Test op failed.", f"Patch: {json.dumps(operations, indent=2)}"


def test_a_patch_that_does_not_apply(world: World) -> None:
    world.create("machines", Name="m1", Uuid=UUID)
    operations = [
        {"op": "replace", "path": "/Description", "value": "d"},
        {"op": "test", "path": "/Runnable", "value": 1},
    ]
    with refusal(409, "PATCH", *_failed(1, operations), model="machines", key=UUID):
        world.patch("machines", UUID, *operations)
    assert world.show("machines", UUID).description == ""


def test_a_patch_whose_result_is_no_object(world: World) -> None:
    world.create("tasks", Name="task1")
    with pytest.raises(Refused) as refused:
        world.set("tasks", "task1", Name=[])
    error = refused.value.error
    assert (error.code, error.type, error.model, error.key) == (406, "PATCH", "tasks", "task1")


def test_a_patch_that_is_none(world: World) -> None:
    world.create("tasks", Name="task1")
    with refusal(400, "PATCH", "A patch is a list of operations", model="tasks", key="task1"):
        world.write(crud.patch, "tasks", "task1", b"{}")


def test_computed_fields_do_not_change(world: World) -> None:
    made = world.create("machines", Name="m1", Uuid=UUID)
    world.events()
    kept = world.set(
        "machines",
        UUID,
        Available=False,
        Validated=False,
        Errors=["e"],
        ReadOnly=True,
        Bundle="b",
        CurrentJob=UUID,
        WorkflowComplete=False,
        Partial=True,
    )
    assert kept == made
    assert world.events() == []


def test_another_key_is_refused(world: World) -> None:
    world.create("tasks", Name="task1")
    message = "Key change from task1 to task2 not allowed"
    with refusal(400, "PATCH", message, model="tasks", key="task1"):
        world.set("tasks", "task1", Name="task2")
    with refusal(400, "PUT", message, model="tasks", key="task1"):
        world.write(crud.put, "tasks", "task1", body({"Name": "task2"}))


def test_an_object_is_replaced(world: World) -> None:
    world.create("templates", ID="t1", Contents="a", Description="d")
    replaced = world.write(crud.put, "templates", "t1", body({"ID": "t1", "Contents": "b"}))
    assert (replaced.contents, replaced.description) == ("b", "")
    assert world.show("templates", "t1") == replaced
    with pytest.raises(Refused) as refused:
        world.write(crud.put, "templates", "t1", b"{")
    assert refused.value.error.code == 400


def test_a_change_that_breaks_a_rule(world: World) -> None:
    world.create("tasks", Name="task1")
    with refusal(422, "ValidationError", "task1: Task task1 depends on itself!", model="tasks", key="task1"):
        world.set("tasks", "task1", Prerequisites=["task1"])


def test_a_locked_machine(world: World) -> None:
    world.create("machines", Name="m1", Uuid=UUID)
    world.set("machines", UUID, Locked=True)
    with refusal(403, "PATCH", "Locked", model="machines", key=UUID):
        world.set("machines", UUID, Description="d")
    with refusal(403, "DELETE", "Locked", model="machines", key=UUID):
        world.remove("machines", UUID)
    assert world.set("machines", UUID, Locked=False, Description="d").description == "d"
    assert world.remove("machines", UUID).key == UUID


def test_what_is_built_in_is_read_only(world: World) -> None:
    with refusal(403, "PATCH", "stages none is read-only", model="stages", key="none"):
        world.set("stages", "none", Description="d")
    with refusal(403, "PUT", "stages none is read-only"):
        world.write(crud.put, "stages", "none", body({"Name": "none"}))
    with refusal(403, "DELETE", "stages none is read-only"):
        world.remove("stages", "none")


def test_what_is_in_use_stays(world: World) -> None:
    workflow(world)
    world.create("machines", Name="m1", Uuid=UUID, Workflow="wf1")
    with refusal(409, "StillInUseError", "wf1 is in use by machines m1", model="workflows", key="wf1"):
        world.remove("workflows", "wf1")
    with refusal(409, "StillInUseError", "stage1 is in use by machines m1", "stage1 is in use by workflows wf1"):
        world.remove("stages", "stage1")
    world.remove("machines", UUID)
    world.events()
    for prefix, name in (("workflows", "wf1"), ("stages", "stage1"), ("tasks", "task1")):
        world.remove(prefix, name)
    assert world.events() == ["workflows.delete.wf1", "stages.delete.stage1", "tasks.delete.task1"]


def test_what_appears_makes_available_what_refers_to_it_each_once(world: World) -> None:
    world.create("workflows", Name="wf1", Stages=["stage1", "stage2"])
    assert world.show("workflows", "wf1").errors == ["Stage stage1 does not exist", "Stage stage2 does not exist"]
    for stage in ("stage1", "stage2"):
        world.create("stages", Name=stage, Tasks=["task1"], BootEnv="env1")
    world.create("bootenvs", Name="env1")
    world.events()
    world.create("tasks", Name="task1")
    assert world.events() == ["tasks.create.task1", "stages.save.stage1", "stages.save.stage2", "workflows.save.wf1"]
    assert world.show("stages", "stage1").available
    assert world.show("workflows", "wf1").errors == []
    assert world.create("machines", Name="m1", Workflow="wf1").tasks == [
        "stage:stage1",
        "bootenv:env1",
        "task1",
        "stage:stage2",
        "bootenv:env1",
        "task1",
    ]


def test_what_becomes_unavailable_stops_its_machines(world: World) -> None:
    workflow(world)
    world.create("machines", Name="m1", Uuid=UUID, Workflow="wf1")
    world.events()
    world.set("stages", "stage1", BootEnv="env1")
    assert world.events() == ["stages.update.stage1", "workflows.save.wf1", f"machines.save.{UUID}"]
    machine = world.show("machines", UUID)
    assert (machine.available, machine.runnable) == (False, False)
    assert f"Machine {UUID} wants Workflow wf1, which is not available" in machine.errors
    world.create("bootenvs", Name="env1")
    machine = world.show("machines", UUID)
    assert (machine.available, machine.runnable, machine.errors) == (True, False, [])


def test_a_bootenv_change_of_a_machine_reaches_it(world: World) -> None:
    workflow(world)
    world.create("machines", Name="m1", Uuid=UUID)
    machine = world.set("machines", UUID, Workflow="wf1")
    assert (machine.tasks, machine.current_task) == (["stage:stage1", "task1"], -1)
    with refusal(422, "ValidationError", "Changing machine stage not allowed", model="machines", key=UUID):
        world.set("machines", UUID, Stage="none")
    cleared = world.set("machines", UUID, Workflow="")
    assert (cleared.tasks, cleared.stage) == ([], "none")


def test_guards_of_a_machine_are_passed_by_force(world: World) -> None:
    workflow(world)
    world.create("machines", Name="m1", Uuid=UUID, Stage="stage1")
    with refusal(422, "ValidationError", "Can not change stages with pending tasks unless forced"):
        world.set("machines", UUID, Stage="local")
    assert world.set("machines", UUID, Stage="local", force=True).stage == "local"


def test_meta(world: World) -> None:
    world.create("tasks", Name="task1", Meta={"color": "red"})
    assert world.read(crud.show_meta, "tasks", "task1")["color"] == "red"
    patch = body([{"op": "replace", "path": "/color", "value": "blue"}])
    assert world.write(crud.patch_meta, "tasks", "task1", patch)["color"] == "blue"
    assert world.show("tasks", "task1").meta["color"] == "blue"
    with pytest.raises(Refused) as refused:
        world.write(crud.patch_meta, "tasks", "task1", body([{"op": "add", "path": "/n", "value": 1}]))
    assert refused.value.error.code == 406


def test_the_job_of_a_removed_machine_stays(world: World) -> None:
    from ansible_ensemble.provision.service.jobs import next_job

    workflow(world)
    world.create("machines", Name="m1", Uuid=UUID, Workflow="wf1")
    job = world.write(next_job, body({"Machine": UUID})).job
    assert job
    world.remove("machines", UUID)
    assert world.show("jobs", job.uuid) == job.replaced(current=False)
