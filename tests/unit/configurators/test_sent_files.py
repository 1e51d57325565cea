from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.configurators.sent_files import sent_file

CASES: list[tuple[str, dict[str, Any], str | None]] = [
    ("ansible.builtin.template", {"src": "a.j2"}, "templates/a.j2"),
    ("ansible.builtin.template", {"src": "templates/a.j2"}, "templates/a.j2"),
    ("ansible.builtin.copy", {"src": "a"}, "files/a"),
    ("ansible.builtin.copy", {"src": "b"}, "b"),
    ("ansible.builtin.copy", {"src": "b", "remote_src": True}, None),
    ("ansible.builtin.copy", {"src": "nosuch"}, None),
    ("ansible.builtin.copy", {"content": "b"}, None),
    ("ansible.builtin.file", {"src": "b"}, None),
]


@pytest.mark.parametrize(("module", "args", "file"), CASES)
def test_the_file_that_is_sent(tmp_path: Path, module: str, args: dict[str, Any], file: str | None) -> None:
    for name in ("templates/a.j2", "files/a", "b"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert sent_file(module, args, tmp_path) == (tmp_path / file if file else None)
