"""What a job on another ensemble is given of a job's own options."""

from __future__ import annotations

import json
import shutil
from datetime import date
from pathlib import Path

import pytest

from ansible_ensemble.core.sensitive import SensitiveStr
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.passed_options import passed_options


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return tmp_path


def test_what_is_done_with_git(folder: Path) -> None:
    options = JobOptions(commit=True, message="-a message", dirty="ok", locked=True, check=True, jobs=3)
    with passed_options(options, [], {"word": "hello"}) as (words, private):
        assert words == ["--commit", "--message=-a message", "--dirty=ok", "--locked"]
        assert (private, list(folder.iterdir())) == (None, [])
    with passed_options(JobOptions(), [], {}) as (words, private):
        assert words == []


def test_secrets_are_in_files_while_it_is_open(folder: Path) -> None:
    variables = {"ansible_become_password": SensitiveStr("abc"), "ansible_day": date(2024, 1, 1), "word": "hello"}
    with passed_options(JobOptions(), [("dev", b"one"), ("dev", b"two")], variables) as (words, private):
        files = [word.rpartition("@")[2] for word in words if "@" in word]
        assert [word.partition("@")[0] for word in words] == [
            "--vault-id",
            "dev",
            "--vault-id",
            "dev",
            "--extra-vars",
            "",
        ]
        assert [Path(file).read_text() for file in files[:2]] == ["one", "two"]
        assert json.loads(Path(files[2]).read_text()) == {
            "ansible_become_password": "abc",
            "ansible_day": "2024-01-01",
        }
        assert all(Path(file).stat().st_mode & 0o777 == 0o600 and Path(file).is_relative_to(folder) for file in files)
        assert not any("abc" in word for word in words)
        assert private is not None
        assert [Path(file).parent for file in files] == [private] * 3
        shutil.rmtree(private)  # as the other job does
    assert list(folder.iterdir()) == []
