"""The inventory travels sealed, by a key that is always the same for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.mesh import trees
from ansible_ensemble.mesh.control import MeshError
from ansible_ensemble.mesh.signing import Signer, unseal_data
from ansible_ensemble.mesh.trees import around_of


def test_an_inventory_that_is_too_large_for_the_mesh(keys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trees, "LARGEST", 20)
    with pytest.raises(MeshError, match="the inventory has 37 bytes, compressed, which is too much"):
        around_of(b"a" * 21, Signer(keys / "mine"))


def test_an_inventory_is_sealed_by_a_key_of_its_own(keys: Path) -> None:
    signer = Signer(keys / "mine")
    around = around_of(b"hushhush", signer)
    assert around == around_of(b"hushhush", signer)
    [(digest, _is_program)] = around.tree.files.values()
    assert b"hush" not in around.tree.content(digest)
    assert unseal_data(around.key, around.tree.content(digest)) == b"hushhush"
    with pytest.raises(MeshError, match="not sealed with its key"):
        unseal_data(around_of(b"other", signer).key, around.tree.content(digest))
