"""Files that are kept: what is known of them, and what broken uploads leave."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from ansible_ensemble.provision.service import blobs as module
from ansible_ensemble.provision.service.blobs import Blobs, remove_broken


def test_what_broke_off_is_removed_and_what_still_arrives_stays(tmp_path: Path) -> None:
    blobs = Blobs("files", tmp_path)
    arrival = blobs.begin("whole")
    broken = blobs.begin("broken")
    broken.file.close()  # as when its process ends
    remove_broken(tmp_path)
    assert [*arrival.partial.parent.iterdir()] == [arrival.partial]
    arrival.file.write(b"content")
    arrival.complete()
    assert (blobs.names(""), blobs.find("whole").read_bytes()) == (["whole"], b"content")


def test_a_server_without_uploads_has_nothing_to_remove(tmp_path: Path) -> None:
    remove_broken(tmp_path)
    assert not [*tmp_path.iterdir()]


def test_a_checksum_is_computed_once_for_a_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read, original = [], module._digest
    monkeypatch.setattr(module, "_digest", lambda path: (read.append(path), original(path))[1])
    for content in (b"one", b"two"):
        arrival = Blobs("files", tmp_path).begin("folder/file")
        arrival.file.write(content)
        arrival.complete()
        for _again in range(2):
            blobs = Blobs("files", tmp_path)
            assert blobs.checksum(blobs.find("folder/file")) == hashlib.sha256(content).hexdigest()
    assert len(read) == 2
