"""The `state` section: which are taken, and what is said of others."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.documents.ensemble_schema import ensemble_schema
from ansible_ensemble.projects.execution_settings import KEYS, state_settings


@pytest.mark.parametrize(
    ("section", "kind"),
    [
        ({"git": "git@host:a.git", "path": "web", "ssh_key": "~/.ssh/state"}, "git"),
        ({"http": "https://host/a", "lock": False, "password": {"get_env": "A"}}, "http"),
        ({"s3": "states", "key": "a.json"}, "s3"),
        ({"path": "/mnt/a", "lease": 60}, "path"),
    ],
)
def test_the_kind_is_that_of_the_location(section: dict[str, Any], kind: str) -> None:
    found = state_settings(section)
    assert found is not None
    assert (found.kind, found.values) == (kind, section)


def test_without_a_section_it_is_the_folder() -> None:
    assert state_settings(None) is None


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ("here", "state must be a map (it has one of git, http, s3, path)"),
        ({}, "state names no location (it has one of git, http, s3, path)"),
        ({"branch": "a"}, "state names no location (it has one of git, http, s3, path)"),
        ({"path": "a", "branch": "b"}, "state in path has no key 'branch' (its keys are path, lease)"),
        ({"git": 7}, "git of state must be a text"),
        ({"git": "a", "branch": ""}, "branch of state must be a text"),
        ({"git": "a", "branch": {"get_env": "A"}}, "branch of state must be a text"),
        ({"http": "a", "lock": True}, "lock of state must be a text"),
        ({"http": "a", "token": 7}, "token of state must be a text"),
        ({"git": "a", "lease": "60"}, "lease of state must be a number of seconds, 1 to 3600"),
        ({"git": "a", "lease": 0}, "lease of state must be a number of seconds, 1 to 3600"),
        ({"path": "a", "lease": True}, "lease of state must be a number of seconds, 1 to 3600"),
    ],
)
def test_what_is_wrong_is_told(section: Any, message: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        state_settings(section)
    assert str(refused.value) == message


def test_editors_know_the_same_keys() -> None:
    described = ensemble_schema()["$defs"]["environment"]["properties"]["state"]["properties"]
    assert set(described) == {*KEYS, *(key for keys in KEYS.values() for key in keys)}, json.dumps(sorted(described))
