"""Modules and task files are carried out by a worker with the project's files, which travel once."""

from __future__ import annotations

import asyncio
import base64
import os
from collections.abc import Awaitable, Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.orders import ModuleCall, Outcome, Play
from ansible_ensemble.mesh import carrier, trees
from ansible_ensemble.mesh.carrier import Carrier
from ansible_ensemble.mesh.control import MeshError, Stream
from ansible_ensemble.mesh.signing import KnownKeys, Signer
from ansible_ensemble.mesh.trees import Digests, Tree, Trees, tree_of
from tests.unit.mesh.conftest import Working


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "files").mkdir(parents=True)
    (folder / "files" / "motd").write_text("welcome\n")
    (folder / "tasks.yaml").write_text(
        "- ansible.builtin.set_stats: {data: {seen: \"{{ lookup('file', 'motd') }}\"}}\n"
    )
    return folder


@pytest.fixture
def during(working: Working, keys: Path, monkeypatch: pytest.MonkeyPatch):
    """What comes of working with a carrier."""
    working.keys = KnownKeys(keys / "mine.pub")

    async def connect(*_arguments: str) -> Stream:
        return Stream(*await working.connected())

    monkeypatch.setattr(carrier, "connect", connect)

    def run(work: Callable[[Carrier], Awaitable[Any]]) -> Any:
        async def talk() -> Any:
            async with Carrier("socket", "b", Signer(keys / "mine")) as one:
                return await asyncio.wait_for(work(one), 60)

        return working.during(talk)

    return run


def files(folder: Path) -> Tree:
    return tree_of(folder, lambda path: path.suffix == ".key", Digests())


def test_modules_and_task_files_find_the_files_of_the_project(during, project: Path, tmp_path: Path) -> None:
    copy = ModuleCall("ansible.builtin.copy", {"src": "motd", "dest": str(tmp_path / "made")}, base=str(project))
    play = Play("tasks", str(project / "tasks.yaml"), base=str(project))

    async def both(one: Carrier) -> list[Outcome]:
        tree = files(project)
        return await asyncio.gather(one.run("copy", copy, tree), one.run("play", play, tree))

    copied, played = during(both)
    assert (copied.ok, copied.changed, copied.error) == (True, True, None)
    assert (tmp_path / "made").read_text() == "welcome\n"
    assert played.result["stats"] == {"seen": "welcome"}
    assert str(project / "tasks.yaml") in played.looked_up.loaded


def test_a_module_that_is_cancelled_is_ended_there(during, project: Path, tmp_path: Path) -> None:
    line = f"touch {tmp_path}/ran; while :; do sleep 0.05; date > {tmp_path}/beat; done"
    call = ModuleCall("ansible.builtin.shell", {"_raw_params": line}, base=str(project))

    async def cancel(one: Carrier) -> Outcome:
        running = asyncio.create_task(one.run("one", call, files(project)))
        while not (tmp_path / "ran").exists():
            await asyncio.sleep(0.01)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        return await one.run("one", call, files(project))

    outcome = during(cancel)
    assert (outcome.ok, outcome.cancelled, outcome.changed) == (False, True, None)


def test_a_content_is_sent_once(during, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = []
    content = Tree.content
    monkeypatch.setattr(Tree, "content", lambda tree, digest: sent.append(digest) or content(tree, digest))
    call = ModuleCall("ansible.builtin.ping", base=str(project))

    async def twice(one: Carrier) -> list[bool]:
        first = await asyncio.gather(*(one.run(f"order-{number}", call, files(project)) for number in range(3)))
        (project / "files" / "motd").write_text("good bye\n")
        (project / "server.key").write_text("secret")
        return [outcome.ok for outcome in (*first, await one.run("again", call, files(project)))]

    assert during(twice) == [True] * 4
    assert len(sent) == len(set(sent)) == 3


def test_files_that_cannot_be_kept_have_nothing_done(during, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(trees.Trees, "add", full)
    call = ModuleCall("ansible.builtin.ping", base=str(project))
    outcome = during(lambda one: one.run("one", call, files(project)))
    assert (outcome.ok, outcome.cancelled, outcome.changed) == (False, False, False)
    assert "b does not take the project's files: [Errno 28] No space left" in str(outcome.error)


def test_what_it_was_not_offered_is_not_sent(project: Path) -> None:
    with pytest.raises(MeshError, match="was not offered"):
        files(project).content("0" * 64)


@pytest.mark.parametrize("name", ["LARGEST", "LARGEST_TREE"])
def test_files_that_are_too_large_are_not_sent(project: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(trees, name, 20)
    with pytest.raises(InvalidInput, match=r"tasks.yaml.* too many bytes for the mesh"):
        files(project)


@pytest.mark.parametrize("path", ["../outside", "/tmp/outside", "files/../../outside"])
def test_files_do_not_lead_elsewhere(tmp_path: Path, path: str) -> None:
    kept, digest = Trees(tmp_path / "kept"), sha256(b"x").hexdigest()
    offered = {path: (digest, False)}
    kept.add(digest, base64.b64encode(b"x").decode())
    with pytest.raises(MeshError, match="would be elsewhere"):
        kept.lacking(trees._digest(offered), offered)
    assert not list(tmp_path.glob("**/outside"))


def test_contents_and_trees_are_those_of_their_digests(tmp_path: Path) -> None:
    kept = Trees(tmp_path / "kept")
    for digest, data in ((sha256(b"x").hexdigest(), "eQ=="), ("0" * 64, "?"), ("../x", "eA==")):
        with pytest.raises(MeshError):
            kept.add(digest, data)
    with pytest.raises(MeshError, match="not the files of this digest"):
        kept.lacking("0" * 64, {"a": ("0" * 64, False)})
    for name in ("0" * 64, "../../x", ""):
        with pytest.raises(MeshError, match="are not here"):
            kept.folder(name)
    assert not list((tmp_path / "kept" / "contents").iterdir())


def test_what_no_order_needs_is_forgotten_at_last(project: Path, tmp_path: Path) -> None:
    kept, tree = Trees(tmp_path / "kept"), files(project)
    for digest in kept.lacking(tree.digest, tree.files):
        kept.add(digest, base64.b64encode(tree.content(digest)).decode())
    assert kept.lacking(tree.digest, tree.files) == []
    assert (kept.folder(tree.digest) / "files" / "motd").read_text() == "welcome\n"
    kept.forget_old()
    assert kept.folder(tree.digest)
    for path in (tmp_path / "kept").glob("*/*"):
        os.utime(path, (0, 0))
    kept.forget_old()
    assert not list((tmp_path / "kept").glob("*/*"))
