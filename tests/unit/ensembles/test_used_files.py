from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ansible_ensemble.ensembles.used_files import FileDigests, used_files
from ansible_ensemble.language.entities import Implementation, Operation


def test_what_never_ends_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    digests = FileDigests(tmp_path)
    digests.add([tmp_path / "pipe", Path("/dev/zero"), tmp_path / "gone"])
    assert digests.found == {"pipe": "", "/dev/zero": "", "gone": ""}


@pytest.mark.parametrize(("more", "known"), [({}, True), ({"remote_src": True}, False)])
def test_what_is_copied_on_the_host_itself_is_not_looked_for_here(
    tmp_path: Path, more: dict[str, Any], known: bool
) -> None:
    (tmp_path / "data").mkdir()
    inputs = {"src": str(tmp_path / "data"), **more}
    implementation = Implementation("ansible.builtin.copy", class_name="module")
    operation = Operation("Standard", "configure", implementation, dict.fromkeys(inputs), base=tmp_path)
    template: Any = SimpleNamespace(artifacts={})
    found = list(used_files(operation, template, inputs, tmp_path, tmp_path))
    assert (tmp_path / "data" in found) is known
