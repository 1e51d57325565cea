"""Broken packs: each has one clear message with its place, and none that a server would refuse passes."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.provision.content.check import check, read_pack
from ansible_ensemble.provision.content.pack import Entry, Pack
from tests.unit.provision.content.variants import PACK, VARIANTS, made


def test_there_are_a_hundred() -> None:
    assert len(VARIANTS) >= 100


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant["says"][:60])
def test_a_broken_pack_has_one_clear_message(
    variant: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, outcome: Callable[[Pack], str]
) -> None:
    monkeypatch.chdir(made(variant, tmp_path))
    pack = read_pack(Path())
    checked = check(pack)
    assert [str(error) for error in checked.errors] == [variant["says"]]
    assert checked.warnings == []
    assert ("unread" if pack.errors else outcome(pack)) == variant["server"]


def test_the_pack_itself_is_taken(outcome: Callable[[Pack], str]) -> None:
    pack = read_pack(PACK)
    checked = check(pack)
    assert (checked.errors, checked.warnings, outcome(pack)) == ([], [], "takes")


_VALUES = st.sampled_from(
    [None, 5, 1.5, True, "", "gone", "a b!", "lab-row.tmpl", "lab-finish", "{{", "{{.Machine.Name}}", [], ["gone"], {}]
)


@given(data=st.data())
def test_check_and_server_agree(data: st.DataObject, outcome: Callable[[Pack], str]) -> None:
    pack = read_pack(PACK)
    entries = [*pack.entries]
    at = data.draw(st.integers(0, len(entries) - 1))
    value = copy.deepcopy(entries[at].value)
    container, key = data.draw(st.sampled_from([*_places(value)]))
    if isinstance(container, dict) and data.draw(st.booleans()):
        del container[key]
    else:
        container[key] = data.draw(_VALUES)
    entries[at] = replace(entries[at], value=value)
    changed = replace(pack, entries=entries)
    checked = check(changed)
    assert bool(checked.errors) or outcome(changed) == "takes"
    assert all(isinstance(error, InvalidInput) and error.place for error in checked.errors)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """All containers below a value, with each key or index of theirs."""
    for key in [*(value if isinstance(value, dict) else range(len(value)))]:
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _places(value[key])


def test_nothing_hides_behind_another_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    more = "lab-finish\nMeta: {a: 1, b: [2], c: d}\nTemplate: 5"
    pack = made({"file": "tasks/lab-finish.yaml", "old": "lab-finish", "new": more}, tmp_path)
    (pack / "stages" / "lab-done.yaml").write_text("Name: lab-done\nTasks: [lab-gone]\nReboot: 1\n")
    (pack / "templates" / "lab-row.tmpl").write_text("{{if}}\n")
    monkeypatch.chdir(pack)
    assert [str(error).partition(" (")[0] for error in check(read_pack(Path())).errors] == [
        "stages/lab-done.yaml:2:9: stages/lab-done: Task lab-gone does not exist",
        "stages/lab-done.yaml:3:9: stages/lab-done: Reboot must be true or false, and is a whole number",
        "tasks/lab-finish.yaml:2:11: tasks/lab-finish: Meta.a must be a text, and is a whole number",
        "tasks/lab-finish.yaml:2:17: tasks/lab-finish: Meta.b must be a text, and is a list",
        "tasks/lab-finish.yaml:3:1: tasks/lab-finish: there is no field Template",
        "templates/lab-row.tmpl:1: templates/lab-row.tmpl: missing value for if",
    ]


def test_what_cannot_be_read_is_not_missed(tmp_path: Path) -> None:
    pack = made({"file": "tasks/lab-finish.yaml", "text": "Name: ["}, tmp_path)
    (pack / "templates" / "lab-header.tmpl").write_bytes(b"\0")
    assert len(check(read_pack(pack)).errors) == 2


def test_a_place_is_that_of_the_nearest_that_is_there(tmp_path: Path) -> None:
    entry: Entry = next(entry for entry in read_pack(PACK).entries if entry.key == "lab-linux")
    assert entry.spot(("OS", "Family", 3)).value == entry.spot(("OS",)).value
