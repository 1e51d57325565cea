"""Tables of cases: objects as YAML with names of the wire, and what is expected of them after a rule."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_ensemble.provision.objects import KINDS
from ansible_ensemble.provision.objects.codec import from_plain, plain
from ansible_ensemble.provision.objects.job import Job
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.rules.availability import validated
from ansible_ensemble.provision.rules.machine_state import counted
from ansible_ensemble.provision.rules.refusal import Refused

MACHINE = "aaaaaaaa-0000-4000-8000-000000000001"
JOB = "bbbbbbbb-0000-4000-8000-000000000000"
NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)

BUILT_IN = {
    "bootenvs": {"local": {}, "ignore": {"OnlyUnknown": True}},
    "stages": {"none": {}, "local": {"BootEnv": "local"}},
    "profiles": {"global": {}},
}


class Shelf(dict):
    """A catalog in memory."""

    def get(self, kind, key):
        return super().get((kind, key))

    def put(self, one):
        self[type(one), one.key] = one

    def settle(self):
        """Follow availability from object to object until nothing changes."""
        for _ in range(20):
            checked = {place: validated(one, self) for place, one in self.items()}
            if checked == dict(self.items()):
                return self
            self.update(checked)
        raise AssertionError("availability never settles")


def shelf(*contents: Mapping[str, Mapping[str, Any]]) -> Shelf:
    """A catalog with the built-ins and contents: fields of objects by kind and key."""
    made = Shelf()
    for content in (BUILT_IN, *contents):
        for prefix, objects in content.items():
            for key, fields in objects.items():
                kind = KINDS[prefix]
                made.put(from_plain(kind, {"ID" if prefix == "templates" else "Name": key, **(fields or {})}))
    return made.settle()


def machine_of(fields: Mapping[str, Any]) -> Machine:
    """A machine that can run, with these fields."""
    usual = {"Name": "m1", "Uuid": MACHINE, "Stage": "none", "BootEnv": "local", "Arch": "amd64", "CurrentTask": -1}
    known = {
        "Runnable": True,
        "Available": True,
        "Validated": True,
        "Secret": "s",
        "Meta": {"feature-flags": "change-stage-v2"},
    }
    return counted(from_plain(Machine, {**usual, **known, **fields}))


def job_of(fields: Mapping[str, Any] | None) -> Job | None:
    """A machine's current job with these fields, if there are any."""
    if fields is None:
        return None
    known = {"Validated": True, "Available": True, "Current": True}
    return from_plain(Job, {"Uuid": JOB, "Machine": MACHINE, **known, **fields})


def new_keys() -> Callable[[], str]:
    """What makes keys of jobs: the first ends with 1, the next with 2."""
    numbers = itertools.count(1)
    return lambda: f"{JOB[:-2]}{next(numbers):02}"


def table(name: str) -> tuple[dict, list]:
    """The contents and the cases of a table; each case is named by the sentence that it holds."""
    read = yaml.load((Path(__file__).parent / "cases" / f"{name}.yml").read_text(), yaml.CSafeLoader)
    return read.get("content", {}), [pytest.param(case, id=case["rule"]) for case in read["cases"]]


def assert_has(actual: Any, expected: Mapping[str, Any] | None) -> None:
    """The object has the fields that are expected, and is none where none is."""
    if expected is None:
        assert actual is None
        return
    assert actual is not None
    shown = plain(actual)
    assert {name: shown.get(name) for name in expected} == dict(expected)


def assert_refused(expected: Mapping[str, Any] | None, call: Callable[[], Any]) -> Any:
    """What the call returns, or None where it is refused as expected."""
    if expected is None:
        return call()
    with pytest.raises(Refused) as refused:
        call()
    assert_has(refused.value.error, expected)
    return None
