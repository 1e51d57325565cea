from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.sensitive import REDACTED, is_sensitive, mark_sensitive, reveal
from ansible_ensemble.documents.scalars import VaultText
from ansible_ensemble.ensembles.secret_codec import Seal
from ansible_ensemble.projects.vault import Vault


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    (tmp_path / "password").write_text("of the tests\n")
    return Vault([str(tmp_path / "password")])


@pytest.mark.parametrize("secret", ["s3cret", "", 42, 1.5, ["a", "b"], {"user": "u", "keys": ["k"]}], ids=repr)
@pytest.mark.parametrize("form", ["for_json", "for_yaml"])
def test_there_and_back(vault: Vault, secret: Any, form: str) -> None:
    seal = Seal(vault)
    closed = getattr(seal, form)({"plain": [1, None], "secret": mark_sensitive(secret)})
    assert "s3cret" not in repr(closed)
    opened = seal.open_json(json.loads(json.dumps(closed))) if form == "for_json" else seal.open(closed)
    assert opened["plain"] == [1, None]
    assert reveal(opened["secret"]) == secret
    assert is_sensitive(opened["secret"])


def test_without_a_password_a_secret_is_left_out() -> None:
    value = [mark_sensitive("s3cret"), "plain"]
    assert Seal().for_json(value) == Seal().for_yaml(value) == [REDACTED, "plain"]


def test_what_cannot_be_opened_stays_and_is_written_as_it_was(vault: Vault) -> None:
    closed = Seal(vault).for_json(mark_sensitive("s3cret"))
    text = Seal().open_json(closed)
    assert isinstance(text, VaultText)
    assert Seal().for_json(text) == closed
    assert Seal().for_yaml(text) == text
    assert Seal(vault).open(text) == "s3cret"


@pytest.mark.parametrize("text", ['{"user": 1}', '{"json": 1}', '{"json":'])
def test_a_secret_text_that_looks_like_json_stays_a_text(vault: Vault, text: str) -> None:
    seal = Seal(vault)
    assert seal.open_json(seal.for_json(mark_sensitive(text))) == text


@pytest.mark.parametrize("text", ['{"user": 1}', '{"json": 1, "more": 2}', '{"json":', '{"json": no}'])
def test_a_text_that_somebody_else_encrypted_is_what_it_was(vault: Vault, text: str) -> None:
    assert Seal(vault).open(VaultText(vault.encrypt(text))) == text
