"""Settings: where they come from, and what is refused in one line."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.provision.server.run import reset_password, serve
from ansible_ensemble.provision.server.settings import Settings, settings_of

PORT = "ANSIBLE_ENSEMBLE_PROVISION_PORT"


def test_an_option_wins_over_the_environment_and_that_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "settings.yaml"
    file.write_text("port: 1\nhost: 127.0.0.1\njob-age: 7\ndefault_user: true\n")
    environment = {PORT: "2", "HOME": "/home/me"}
    found = settings_of({"log_level": "debug"}, environment, file)
    assert (found.port, found.host, found.job_age, found.default_user) == (2, "127.0.0.1", 7, True)
    assert (found.log_level, found.data) == ("debug", "/home/me/.local/state/ansible-ensemble/provision")
    assert settings_of({"port": 3}, environment, file).port == 3


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("prot: 1", 'there is no setting "prot"'),
        ("port: x", "port is to be a number, and not 'x'"),
        ("port: 70000", "there is no port 70000"),
        ("log-level: loud", "log_level is to be error or warning or info or debug"),
        ("- port", "settings are a map"),
        ("port: [", "it cannot be read"),
        ("cert: here.pem", "a certificate needs its key"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "settings.yaml").write_text(text)
    with pytest.raises(EnsembleError, match=why):
        settings_of({}, {}, tmp_path / "settings.yaml")


@pytest.mark.parametrize("database", ["", "other.sqlite"])
def test_a_data_folder_that_cannot_be_made_is_said_in_one_line(database: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    database = database and str(tmp_path / database)
    settings = Settings(data=str(tmp_path / "file" / "data"), database=database, host="127.0.0.1", port=0)
    with pytest.raises(EnsembleError, match=r"cannot make the data folder .*: Not a directory"):
        asyncio.run(serve(settings, lambda _: None, {}))


def test_a_file_that_is_no_certificate_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("nothing")
    file = str(tmp_path / "file")
    settings = Settings(data=str(tmp_path / "data"), cert=file, key=file, host="127.0.0.1", port=0)
    with pytest.raises(EnsembleError, match="this is no certificate and its key: they are not PEM"):
        asyncio.run(serve(settings, lambda _: None, {}))


def test_a_password_is_not_made_for_a_database_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(EnsembleError, match="there is no database"):
        asyncio.run(reset_password(Settings(data=str(tmp_path / "data"))))
    assert not (tmp_path / "data").exists()
