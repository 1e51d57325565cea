"""A node has the key that it is known by, or is refused; others are added only where that is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.mesh.known_nodes import KnownNodes, UntrustedNode
from ansible_ensemble.mesh.signing import PublicKey, Signer


@pytest.fixture
def mine(keys: Path) -> PublicKey:
    return Signer(keys / "mine").public


@pytest.fixture
def yours(keys: Path) -> PublicKey:
    return Signer(keys / "yours").public


def test_a_node_may_have_any_of_its_keys(mine: PublicKey, yours: PublicKey, tmp_path: Path) -> None:
    file = tmp_path / "known"
    file.write_text(f"# two of b\n\nb {mine.line} root@b\nb\t{yours.line}\n  c   {yours.line}\n")
    known = KnownNodes(file)
    for node, key in (("b", mine), ("b", yours), ("c", yours)):
        known.check(node, key)
    assert [node in known for node in ("b", "c", "d")] == [True, True, False]
    with pytest.raises(UntrustedNode) as caught:
        known.check("c", mine)
    for words in (f"{file}:5: the worker of c", mine.fingerprint, yours.fingerprint):
        assert words in str(caught.value)


def test_a_node_that_is_not_in_it(mine: PublicKey, tmp_path: Path) -> None:
    file = tmp_path / "known"
    file.write_text(f"b {mine.line}\n")
    with pytest.raises(UntrustedNode) as caught:
        KnownNodes(file).check("bb", mine)
    assert f"{file} has no key of bb" in str(caught.value)
    assert f"`bb {mine.line}`" in str(caught.value)


def test_a_new_node_is_added_and_one_with_another_key_is_not(mine: PublicKey, yours: PublicKey, tmp_path: Path) -> None:
    file = tmp_path / "known"
    for _ in range(2):
        KnownNodes(file, accept_new=True).check("b", mine)
    known = KnownNodes(file, accept_new=True)
    known.check("c", yours)
    with pytest.raises(UntrustedNode, match=f"{file}:2: "):
        known.check("c", mine)
    with pytest.raises(UntrustedNode, match=f"{file}:1: "):
        known.check("b", yours)
    assert file.read_text() == f"b {mine.line}\nc {yours.line}\n"


@pytest.mark.parametrize("line", ["b", "b rubbish", "b ssh-rsa AAAA", "LINE", "b ssh-ed25519 AAAA", "\udcff"])
def test_what_is_no_line_of_it(mine: PublicKey, tmp_path: Path, line: str) -> None:
    file = tmp_path / "known"
    text = f"b {mine.line}\n{line.replace('LINE', mine.line)}\n"
    file.write_text(text, errors="surrogateescape")
    with pytest.raises(InvalidInput, match=f"{file}:2: this is no id of a node and a key of the kind ssh-ed25519"):
        KnownNodes(file)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"nosuch: there is no such file .*--accept-new"):
        KnownNodes(tmp_path / "nosuch")
    with pytest.raises(InvalidInput, match="cannot be read"):
        KnownNodes(tmp_path, accept_new=True)
