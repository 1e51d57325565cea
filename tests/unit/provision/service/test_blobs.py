"""What uploads leave that break off with their server."""

from __future__ import annotations

from pathlib import Path

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
