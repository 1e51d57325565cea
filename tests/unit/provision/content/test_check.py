"""What a pack is checked among: what is built in, what its prerequisites may bring, what a server has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.provision.content.changes import changes, summary
from ansible_ensemble.provision.content.check import Checked, check, read_pack
from ansible_ensemble.provision.content.trial import Surroundings, Trial
from ansible_ensemble.provision.objects.access import User
from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.bundle import BundleMeta, BundleRecord
from ansible_ensemble.provision.objects.content import Param, Profile, Stage, Task, Template
from ansible_ensemble.provision.objects.machine import Machine


def checked(folder: Path, sections: Any, *held: Object, server: bool = False, **meta: Any) -> Checked:
    """A pack of these sections that was checked, among what is built in and these objects."""
    file = folder / "pack.yaml"
    file.write_text(yaml.safe_dump({"meta": {"Name": "pack", **meta}, "sections": sections}))
    return check(read_pack(file), _surroundings(*held) if held or server else None)


def _surroundings(*held: Object, **preferences: str) -> Surroundings:
    tried = Trial()
    built_in = [*tried.objects(), *(one for one in tried.held("BasicStore") if isinstance(one, BundleRecord))]
    return Surroundings([*built_in, *held], preferences)


def told(found: list[InvalidInput]) -> list[str]:
    return [error.message for error in found]


STAGES = {"stages": {"stage1": {"Tasks": ["elsewhere"], "BootEnv": "nowhere"}}}
LACKS = ["stages/stage1: Bootenv nowhere does not exist", "stages/stage1: Task elsewhere does not exist"]


def test_what_is_missing_is_an_error(tmp_path: Path) -> None:
    found = checked(tmp_path, STAGES)
    assert (told(found.errors), found.warnings) == (LACKS, [])


def test_what_prerequisites_may_bring_is_a_warning(tmp_path: Path) -> None:
    found = checked(tmp_path, STAGES, Prerequisites="base: >1, more")
    assert (found.errors, told(found.warnings)) == ([], LACKS)


def test_what_prerequisites_may_bring_may_still_be_a_slip(tmp_path: Path) -> None:
    sections = {"tasks": {"prepare": {}}, "stages": {"stage1": {"Tasks": ["prepaer"]}}}
    found = checked(tmp_path, sections, Prerequisites="base")
    assert [(error.message, error.hint) for error in found.errors] == [
        ("stages/stage1: Task prepaer does not exist", "did you mean prepare?")
    ]


def test_a_server_knows_what_there_is(tmp_path: Path) -> None:
    base = BundleRecord(name="base", about=BundleMeta(name="base"), validated=True, available=True)
    there = Task(name="elsewhere", bundle="base", validated=True, available=True)
    found = checked(tmp_path, STAGES, base, there, Prerequisites="base")
    assert told(found.errors) == [LACKS[0]]
    found = checked(tmp_path, STAGES, server=True, Prerequisites="base")
    assert told(found.errors) == ["Missing prerequisite base: load it first", *LACKS]


def test_features_that_a_server_does_not_have_are_warnings(tmp_path: Path) -> None:
    found = checked(tmp_path, {}, RequiredFeatures="plugin-v2, asset-dir, time-travel")
    assert found.errors == []
    assert told(found.warnings) == [
        "Missing required feature asset-dir: plugins bring no files: upload them",
        "Missing required feature time-travel: what uses it may not work",
    ]


def test_what_a_server_has_otherwise_is_not_replaced(tmp_path: Path) -> None:
    sections = {"tasks": {"task1": {}}, "profiles": {"p1": {}}}
    other = BundleRecord(name="other", about=BundleMeta(name="other"), validated=True, available=True)
    found = checked(tmp_path, sections, other, Task(name="task1"), Profile(name="p1", bundle="other"))
    assert told(found.errors) == ["profiles/p1: belongs to content other", "tasks/task1: already exists"]


def test_what_is_in_use_is_not_removed(tmp_path: Path) -> None:
    record = BundleRecord(name="pack", about=BundleMeta(name="pack"), validated=True, available=True)
    gone = Stage(name="stage1", bundle="pack", validated=True, available=True, runner_wait=True)
    machine = Machine(uuid="aaaaaaaa-0000-4000-8000-000000000001", name="m1", stage="stage1", boot_env="local")
    found = checked(tmp_path, {}, record, gone, machine)
    assert told(found.errors) == ["stage1 is in use by machines m1"]
    found = checked(tmp_path, {}, record, gone, User(name="ada"))
    assert found.errors == []
    assert summary(changes(found.before, found.after))["stages"]["removed"] == ["stage1"]


def test_a_param_that_nobody_defines_is_a_warning(tmp_path: Path) -> None:
    sections = {
        "tasks": {
            "task1": {
                "RequiredParams": ["one/thing"],
                "Templates": [{"Name": "a", "Contents": '#!/bin/sh\n{{.Param "other/thing"}}{{.Param .Machine.Name}}'}],
            }
        },
        "profiles": {"p1": {"Params": {"third/thing": 1}}},
    }
    found = checked(tmp_path, sections)
    assert found.errors == []
    assert sorted(told(found.warnings)) == [
        "profiles/p1: Param third/thing is not defined",
        "tasks/task1: Param one/thing is not defined",
        "tasks/task1: Param other/thing is not defined",
    ]
    assert checked(tmp_path, sections, Prerequisites="base").warnings == []
    known = [Param(name=name) for name in ("one/thing", "other/thing", "third/thing")]
    assert checked(tmp_path, sections, *known).warnings == []


def test_templates_invoke_what_others_define(tmp_path: Path) -> None:
    task = {
        "Templates": [{"Name": "a", "Contents": '{{template "b"}}{{template "part"}}'}, {"Name": "b", "Contents": "b"}]
    }
    sections: Any = {"tasks": {"task1": task}, "templates": {"lib.tmpl": {"Contents": '{{define "part"}}x{{end}}'}}}
    assert checked(tmp_path, sections).errors == []
    del sections["templates"]
    assert told(checked(tmp_path, sections).errors) == ["tasks/task1: Template part does not exist"]
    assert checked(tmp_path, sections, Template(id="part", contents="x")).errors == []


def test_one_circle_is_one_error(tmp_path: Path) -> None:
    names = {"one": "two", "two": "three", "three": "one", "into": "one"}
    sections = {
        "tasks": {f"task-{name}": {"Prerequisites": [f"task-{then}"]} for name, then in names.items()},
        "profiles": {f"p-{name}": {"Profiles": [f"p-{then}"]} for name, then in names.items()},
    }
    assert [message.partition(": ")[2] for message in told(checked(tmp_path, sections).errors)] == [
        "Profile p-one includes itself",
        "Task task-one depends on itself!",
    ]


@pytest.mark.parametrize("password", ["short", "long enough"])
def test_no_message_tells_a_secret(tmp_path: Path, password: str) -> None:
    param = {"Secure": True, "Schema": {"minLength": 8}}
    sections = {"params": {"pass/word": param}, "profiles": {"p1": {"Params": {"pass/word": password}}}}
    found = checked(tmp_path, sections)
    assert bool(found.errors) == (password == "short")
    made = changes(found.before, found.after)
    assert all(password not in text for text in (*map(str, found.errors), *(change.diff for change in made)))


def test_a_value_that_is_sealed_already_stays_as_it_is(tmp_path: Path) -> None:
    sealed = {"Key": "a", "Nonce": "b", "Payload": "c"}
    profile = Profile(name="p1", params={"pass/word": sealed})
    found = checked(tmp_path, {"tasks": {"task1": {}}}, Param(name="pass/word", secure=True), profile)
    assert found.errors == []
