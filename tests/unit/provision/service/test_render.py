"""Actions of jobs."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.provision.rules.refusal import Refused
from ansible_ensemble.provision.service import jobs, render, secure_params
from ansible_ensemble.provision.templates.source import Addresses
from tests.unit.provision.service.test_jobs import OTHER, UUID
from tests.unit.provision.service.world import World, body, refusal

SURROUNDINGS = render.Surroundings(
    Addresses(host="10.0.0.1", api="https://10.0.0.1:8092"),
    info=lambda _: {"version": "v1"},
    token=lambda machine, profile, seconds: f"token {machine.name} {profile} {seconds}",
)


def job_of(world: World, *templates: dict[str, Any], **task: Any) -> str:
    """A job whose task has these templates."""
    world.create("tasks", Name="task1", Templates=[*templates], **task)
    world.create("stages", Name="stage1", Tasks=["task1"], Params={"color": "stage", "place": "stage"})
    world.create("workflows", Name="wf1", Stages=["stage1"])
    world.create("machines", Name="m1", Uuid=UUID, Workflow="wf1", Params={"color": "red"})
    job = world.write(jobs.next_job, body({"Machine": UUID})).job
    assert job
    return job.uuid


def contents(world: World, job: str, system: str = "") -> list[str]:
    return [action.content for action in world.read(render.actions, job, system, SURROUNDINGS)]


def test_templates_see_machine_params_and_server(world: World) -> None:
    world.create("templates", ID="shared.tmpl", Contents="shared {{.Machine.Name}}")
    world.create("params", Name="size", Schema={"default": 3})
    text = '{{.Machine.UUID}} {{.Param "color"}} {{.Param "place"}} {{.Param "size"}} {{.ParamExists "none"}}'
    job = job_of(
        world,
        {"Name": "a", "Contents": text},
        {"Name": "b", "ID": "shared.tmpl", "Path": "{{.Machine.Name}}/file"},
        {
            "Name": "c",
            "Contents": "{{.ApiURL}} {{.GenerateInfiniteToken}} {{.Info.version}} {{.Env.Name}} {{.Stage.Name}}",
        },
    )
    assert contents(world, job) == [
        f"{UUID} red stage 3 false",
        "shared m1",
        "https://10.0.0.1:8092 token m1  None v1 local stage1",
    ]
    _, file, _ = world.read(render.actions, job, "", SURROUNDINGS)
    assert (file.name, file.path) == ("b", "m1/file")


def test_a_template_finds_those_of_the_server_and_what_they_define(world: World) -> None:
    world.create("templates", ID="library.tmpl", Contents='{{define "greeting"}}hello {{template "whom" .}}{{end}}')
    world.create("templates", ID="whom", Contents="{{.Machine.Name}}")
    job = job_of(world, {"Name": "a", "Contents": '{{template "greeting" .}}'}, {"Name": "whom", "Contents": "my own"})
    assert contents(world, job) == ["hello my own", "my own"]
    world.remove("templates", "library.tmpl")
    with pytest.raises(Refused, match="greeting"):
        contents(world, job)


def test_secure_params_are_open_in_templates_alone(world: World) -> None:
    world.create("params", Name="password", Secure=True)
    job = job_of(world, {"Name": "a", "Contents": '{{.Param "password"}} {{.Param "key"}}'})
    world.create("params", Name="key", Secure=True)
    world.set("machines", UUID, Params={"password": "s3cret"})
    world.set("profiles", "global", Params={"key": "gl0bal"})
    assert contents(world, job) == ["s3cret gl0bal"]


def test_a_secure_param_is_opened_when_it_is_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Any] = []
    original = secure_params.opened
    monkeypatch.setattr(secure_params, "opened", lambda *said: [opened.append(said), original(*said)][1])
    for number in range(9):
        world.create("params", Name=f"key{number}", Secure=True)
    world.create("profiles", Name="keys", Params={f"key{number}": f"value{number}" for number in range(9)})
    job = job_of(world, {"Name": "a", "Contents": '{{.Param "color"}} {{.Param "key3"}} {{.Param "key3"}}'})
    world.set("machines", UUID, Profiles=["keys"])
    opened.clear()
    assert contents(world, job) == ["red value3 value3"]
    assert len(opened) == 1


def test_actions_are_those_of_the_system(world: World) -> None:
    job = job_of(
        world,
        {"Name": "a", "Contents": "a", "Meta": {"OS": "linux"}},
        {"Name": "b", "Contents": "b", "Meta": {"OS": "windows,darwin"}},
        {"Name": "c", "Contents": "c", "Meta": {"OS": "any"}},
    )
    assert contents(world, job) == ["a", "b", "c"]
    assert contents(world, job, "linux") == ["a", "c"]
    assert contents(world, job, "darwin") == ["b", "c"]


def test_what_is_missing(world: World) -> None:
    with refusal(404, "ValidationError", f"Job {OTHER} does not exist", model="jobs", key=OTHER):
        contents(world, OTHER)
    job = job_of(world, {"Name": "a", "Contents": "a"}, RequiredParams=["address"])
    with refusal(422, "ValidationError", "Missing required parameter address for tasks task1", model="jobs", key=job):
        contents(world, job)
    world.set("machines", UUID, Params={"address": 1})
    assert contents(world, job) == ["a"]
    world.remove("machines", UUID)
    with refusal(422, "ValidationError", f"Machine {UUID} does not exist", model="jobs", key=job):
        contents(world, job)


def test_a_task_that_is_gone(world: World) -> None:
    job = job_of(world, {"Name": "a", "Contents": "a"})
    world.set("machines", UUID, Workflow="")
    for prefix, name in (("workflows", "wf1"), ("stages", "stage1"), ("tasks", "task1")):
        world.remove(prefix, name)
    with refusal(422, "ValidationError", "Task task1 does not exist", model="jobs", key=job):
        contents(world, job)


def test_a_template_that_cannot_be_rendered(world: World) -> None:
    job = job_of(world, {"Name": "a", "Contents": '{{.Param "none"}}'})
    with pytest.raises(Refused, match="No such machine parameter none") as refused:
        contents(world, job)
    error = refused.value.error
    assert (error.code, error.type, error.model, error.key) == (422, "ValidationError", "jobs", job)


@pytest.mark.parametrize("prefix", ["templates", "tasks", "stages", "bootenvs"])
@pytest.mark.parametrize(("text", "engine"), [("{{if}}", "go"), ("{{ if", "jinja"), ("text", "magic")])
def test_texts_that_are_no_templates_are_refused(world: World, prefix: str, text: str, engine: str) -> None:
    meta = {"engine": engine}
    template = {"Name": "a", "Path": "file", "Contents": text, "Meta": meta}
    fields = {"ID": "t1", "Contents": text, "Meta": meta} if prefix == "templates" else {"Templates": [template]}
    with pytest.raises(Refused) as refused:
        world.create(prefix, Name="one", **fields)
    assert (refused.value.error.code, refused.value.error.type) == (422, "ValidationError")
