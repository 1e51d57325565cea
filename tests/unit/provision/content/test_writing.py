"""Packs as files, and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.provision.content.check import check, read_pack
from ansible_ensemble.provision.content.defaults import without_defaults
from ansible_ensemble.provision.content.export import objects_of
from ansible_ensemble.provision.content.writing import write_pack
from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.bundle import BundleMeta
from ansible_ensemble.provision.objects.content import Param, Profile, Stage, Task, Template
from ansible_ensemble.provision.objects.parts import TemplateInfo
from ansible_ensemble.provision.rules.features import flagged_task

META = BundleMeta(name="pack", version="v1", documentation="# Text\n\nMore.\n")
RAW = TemplateInfo(name="b", id="raw.tmpl")
OBJECTS: list[Object] = [
    Param(name="a/b", description="yes", schema={"type": "string", "default": "0755"}),
    Param(name="a.b", secure=True),
    Template(id="raw.tmpl", contents="\tline\r\nno end"),
    Template(id="none.tmpl"),
    Template(id="with.tmpl", contents="text\n", meta={"engine": "jinja"}),
    Template(id="odd.yaml", contents="a: b\n"),
    Template(id="control.tmpl", contents="a\x07\ufeff"),
    Task(name="task1", templates=[TemplateInfo(name="a", contents="#!/bin/sh\necho\n"), RAW]),
    Task(name="yes", meta={"feature-flags": "original-exit-codes", "n": "y"}),
    Profile(name="p 1", params={"a/b": "null", "other": {"deep": [1, 2.5, None, {"x": "~"}]}}),
    Stage(name="stage1", tasks=["task1"], reboot=True),
]  # fmt: skip


@pytest.mark.parametrize("name", ["folder", "file.yaml", "file.yml", "file.json"])
def test_what_is_written_is_the_same_pack(tmp_path: Path, name: str) -> None:
    write_pack(META, OBJECTS, tmp_path / name)
    checked = check(read_pack(tmp_path / name))
    assert checked.bundle.meta == META
    found = {(one.PREFIX, one.key): one for one in objects_of(checked.bundle)}
    assert found == {(one.PREFIX, one.key): one for one in OBJECTS}
    write_pack(META, objects_of(checked.bundle), tmp_path / f"again-{name}")
    if name != "folder":
        assert (tmp_path / f"again-{name}").read_bytes() == (tmp_path / name).read_bytes()


def test_files_of_a_folder(tmp_path: Path) -> None:
    write_pack(META, OBJECTS, tmp_path / "pack")
    files = {str(path.relative_to(tmp_path / "pack")) for path in (tmp_path / "pack").rglob("*") if path.is_file()}
    assert {name for name in files if name.startswith(("params", "templates"))} == {
        "params/a.b.yaml",
        "params/a.b-2.yaml",
        "templates/raw.tmpl",
        "templates/none.tmpl",
        "templates/with.tmpl.yaml",
        "templates/odd.yaml.yaml",
        "templates/control.tmpl.yaml",
    }
    assert (tmp_path / "pack/templates/raw.tmpl").read_bytes() == b"\tline\r\nno end"


@pytest.mark.parametrize("key", ["../../out", "/out", "..", "a\0b"])
def test_no_name_leads_out_of_the_folder(tmp_path: Path, key: str) -> None:
    with pytest.raises(InvalidInput):
        write_pack(META, [Task(name=key)], tmp_path / "inner" / "pack")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    assert not (tmp_path / "inner" / "pack").exists()


def test_what_is_there_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "pack").mkdir()
    write_pack(META, OBJECTS, tmp_path / "pack")
    with pytest.raises(InvalidInput, match="there is something already"):
        write_pack(META, OBJECTS, tmp_path / "pack")


def test_what_a_server_adds_is_left_out() -> None:
    task = Task(name="task1", meta={"color": "blue"})
    kept = flagged_task(task).replaced(validated=True, available=True, bundle="pack", read_only=True)
    assert without_defaults(kept) == {"Name": "task1", "Meta": {"color": "blue"}}
    named = Task(name="task1", meta={"feature-flags": "other,sane-exit-codes"})
    assert without_defaults(named)["Meta"] == {"feature-flags": "other,sane-exit-codes"}
