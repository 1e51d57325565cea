"""A git repository elsewhere, while others push to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.state.git_remote import GitRemote
from tests.unit.state.conftest import bare

BRANCH, OTHER = "refs/heads/state", "refs/heads/lock"


def commit_of(remote: GitRemote, text: str) -> str:
    message = f"commit refs/ensemble/new\ncommitter me <me@localhost> 1 +0000\ndata {len(text)}\n{text}\n"
    return remote.imported(f"{message}M 100644 inline file\ndata {len(text)}\n{text}\n\n".encode())


@pytest.mark.parametrize("becomes", ["gone", "moved"])
def test_a_branch_that_others_change_between_its_list_and_its_fetch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, becomes: str
) -> None:
    url = str(bare(tmp_path / "store.git"))
    writer, reader = (GitRemote(url, tmp_path / name, {}) for name in ("writer", "reader"))
    state, lock, later = (commit_of(writer, text) for text in ("state", "lock", "later"))
    writer.push(state, BRANCH, replacing="")
    writer.push(lock, OTHER, replacing="")
    run, changes = reader._run, iter([later if becomes == "moved" else ""])

    def run_beside(*arguments: str, **given: Any) -> bytes:
        said = run(*arguments, **given)
        if arguments[0] == "ls-remote" and (change := next(changes, None)) is not None:
            writer.push(change, OTHER, replacing=lock)
        return said

    monkeypatch.setattr(reader, "_run", run_beside)
    found = reader.fetch(BRANCH, OTHER)
    assert found == (state, later if becomes == "moved" else "")
    assert all(reader.archive(commit, "") for commit in found if commit)
