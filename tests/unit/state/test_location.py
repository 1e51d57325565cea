"""Settings become the values of a store; credentials come from where they are said to, and are in no message."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.projects.environment import Environment
from ansible_ensemble.projects.execution_settings import state_settings
from ansible_ensemble.projects.vault import Vault
from ansible_ensemble.state.location import open_store, resolved_values

PASSWORD = "canary-password"


@pytest.fixture
def ensemble(tmp_path: Path) -> Path:
    (tmp_path / "web").mkdir()
    return tmp_path / "web" / "ensemble.yaml"


def resolved(ensemble: Path, section: dict[str, Any], vault: Vault | None = None) -> dict[str, str]:
    root = ensemble.parents[1]
    environment = Environment("staging", root, ensemble.parent, trusted=True, vault=vault or Vault())
    settings = state_settings(section)
    assert settings is not None
    return resolved_values(settings, ensemble, environment)


@pytest.mark.parametrize(
    ("section", "expected"),
    [
        ({"git": "git@host:a.git"}, {"git": "git@host:a.git", "path": "web", "folder": "{root}/web"}),
        ({"git": "store.git", "path": "$environment/x"}, {"git": "{root}/store.git", "path": "staging/x"}),
        ({"git": "a:b", "ssh_key": "keys/state"}, {"ssh_key": "{root}/keys/state"}),
        ({"http": "https://h/$ensemble"}, {"http": "https://h/web", "lock": "https://h/web"}),
        ({"http": "https://h/a", "lock": False}, {"lock": ""}),
        ({"http": "https://h/a", "lock": "https://h/$environment"}, {"lock": "https://h/staging"}),
        ({"s3": "states"}, {"s3": "states", "key": "web.json"}),
        ({"path": "states/$ensemble"}, {"path": "{root}/states/web"}),
    ],
)
def test_values(ensemble: Path, section: dict[str, Any], expected: dict[str, str]) -> None:
    root = str(ensemble.parents[1])
    found = resolved(ensemble, section)
    assert found.items() >= {key: value.replace("{root}", root) for key, value in expected.items()}.items()


def test_credentials_come_from_expressions_and_variables_what_is_written_first(
    ensemble: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINE", PASSWORD)
    monkeypatch.setenv("ANSIBLE_ENSEMBLE_STATE_TOKEN", "of the variable")
    monkeypatch.setenv("ANSIBLE_ENSEMBLE_STATE_USERNAME", "robot")
    found = resolved(ensemble, {"http": "https://h/a", "token": {"get_env": "MINE"}})
    assert (found["token"], found["username"]) == (PASSWORD, "robot")
    assert resolved(ensemble, {"http": "https://h/a"})["token"] == "of the variable"
    monkeypatch.delenv("ANSIBLE_ENSEMBLE_STATE_TOKEN")
    monkeypatch.setenv("ENSEMBLE_STATE_TOKEN", "of AWX")
    assert resolved(ensemble, {"http": "https://h/a"})["token"] == "of AWX"


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"git": "ext::sh -c touch"}, "git of state is no URL"),
        ({"git": "-x"}, "git of state is no URL"),
        ({"git": f"https://me:{PASSWORD}@h/a"}, "the URL of state holds a password"),
        ({"http": f"https://me:{PASSWORD}@h/a"}, "the URL of state holds a password"),
        ({"git": "a.git", "path": "../../x"}, "path of state is no folder of a branch: ../../x"),
        ({"git": "a.git", "path": "web/.git"}, "path of state is no folder of a branch: web/.git"),
        ({"git": "a.git", "branch": "our state"}, "branch of state is no name of a branch: 'our state'"),
        ({"git": "a.git", "branch": "-f"}, "branch of state is no name of a branch"),
        ({"git": "a.git", "branch": "a.lock/b"}, "branch of state is no name of a branch"),
        ({"path": "./$ensemble"}, "path of state is the ensemble's folder"),
        ({"http": "https://h/$nothing"}, "it knows $ensemble, $environment"),
        ({"http": "https://h/a", "token": {"get_env": "NOT_SET"}}, "token of state has no value"),
    ],
)
def test_what_is_no_location_is_told(ensemble: Path, section: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        resolved(ensemble, section)
    assert message in str(refused.value)
    assert PASSWORD not in str(refused.value)


@pytest.mark.parametrize(
    "section",
    [
        {"git": "http://127.0.0.1:1/a.git", "username": "me", "token": PASSWORD},
        {"http": "http://127.0.0.1:1/a", "username": "me", "password": PASSWORD},
        {"http": "http://127.0.0.1:1/a", "token": PASSWORD},
    ],
)
def test_a_location_that_is_away_is_told_without_its_credential(ensemble: Path, section: dict[str, Any]) -> None:
    store = open_store(state_settings(section).kind, resolved(ensemble, section))  # type: ignore[union-attr]
    with pytest.raises(EnsembleError) as refused:
        store.read()
    assert "127.0.0.1:1/a" in str(refused.value)
    assert PASSWORD not in f"{refused.value!r} {refused.value.__cause__!r}"


@pytest.mark.parametrize(
    "section", [{"http": "file:///a"}, {"http": "h/a"}, {"http": "https://h/a", "lock": "ftp://h"}]
)
def test_urls_of_other_schemes_are_refused(ensemble: Path, section: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="not one of http or https"):
        resolved(ensemble, section)
