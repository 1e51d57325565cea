"""What an agent keeps for its next start."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.provision.agent.saved import Saved, SavedState
from ansible_ensemble.provision.objects.codec import decode_json
from ansible_ensemble.provision.objects.machine import Machine

STATE = Saved(boot_time="boot", machine=Machine(uuid="m", boot_env="local"), job="j", folder="/run/x", stopping=True)


def test_what_was_saved_is_there_again(tmp_path: Path) -> None:
    saved = SavedState(tmp_path / "folder", "m", "")
    saved.hold()
    assert saved.load() is None
    saved.save(STATE)
    assert saved.load() == STATE
    file = tmp_path / "folder" / "m.state"
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    document = decode_json(gzip.decompress(file.read_bytes()))
    assert (document["BootTime"], document["Machine"]["Uuid"]) == ("boot", "m")
    saved.forget()
    saved.forget()
    assert saved.load() is None


@pytest.mark.parametrize(
    "damaged",
    [b"", b"text", gzip.compress(b"text"), gzip.compress(b"{}")[:-4], gzip.compress(b"[]")],
    ids=["empty", "text", "compressed text", "cut off", "a list"],  # what is compressed has the time in it
)
def test_a_damaged_file_is_none(tmp_path: Path, damaged: bytes) -> None:
    (tmp_path / "m.state").write_bytes(damaged)
    assert SavedState(tmp_path, "m", "").load() is None


def test_one_agent_has_it_at_a_time(tmp_path: Path) -> None:
    one, other = SavedState(tmp_path, "m", ""), SavedState(tmp_path, "m", "")
    one.hold()
    SavedState(tmp_path, "m", "box").hold()
    with pytest.raises(EnsembleError, match="another agent runs for this machine"):
        other.hold()
    one.release()
    other.hold()


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(EnsembleError, match="the agent's state cannot be kept: Not a directory"):
        SavedState(tmp_path / "file" / "folder", "m", "").hold()
