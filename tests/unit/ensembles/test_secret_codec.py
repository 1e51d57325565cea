from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.sensitive import REDACTED, is_sensitive, mark_sensitive, reveal
from ansible_ensemble.documents.scalars import VaultText
from ansible_ensemble.ensembles.secret_codec import SecretCodec
from ansible_ensemble.projects.vault import Vault


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    (tmp_path / "password").write_text("of the tests\n")
    return Vault([str(tmp_path / "password")])


@pytest.mark.parametrize("secret", ["s3cret", "", 42, 1.5, ["a", "b"], {"user": "u", "keys": ["k"]}], ids=repr)
@pytest.mark.parametrize("form", ["for_json", "for_yaml"])
def test_there_and_back(vault: Vault, secret: Any, form: str) -> None:
    codec = SecretCodec(vault)
    closed = getattr(codec, form)({"plain": [1, None], "secret": mark_sensitive(secret)})
    assert "s3cret" not in repr(closed)
    opened = codec.open_json(json.loads(json.dumps(closed))) if form == "for_json" else codec.open(closed)
    assert opened["plain"] == [1, None]
    assert reveal(opened["secret"]) == secret
    assert is_sensitive(opened["secret"])


def test_without_a_password_a_secret_is_left_out() -> None:
    value = [mark_sensitive("s3cret"), "plain"]
    assert SecretCodec().for_json(value) == SecretCodec().for_yaml(value) == [REDACTED, "plain"]


def test_what_cannot_be_opened_stays_and_is_written_as_it_was(vault: Vault) -> None:
    closed = SecretCodec(vault).for_json(mark_sensitive("s3cret"))
    text = SecretCodec().open_json(closed)
    assert isinstance(text, VaultText)
    assert SecretCodec().for_json(text) == closed
    assert SecretCodec().for_yaml(text) == text
    assert SecretCodec(vault).open(text) == "s3cret"


@pytest.mark.parametrize("text", ['{"user": 1}', '{"json": 1}', '{"json":'])
def test_a_secret_text_that_looks_like_json_stays_a_text(vault: Vault, text: str) -> None:
    codec = SecretCodec(vault)
    assert codec.open_json(codec.for_json(mark_sensitive(text))) == text


@pytest.mark.parametrize("text", ['{"user": 1}', '{"json": 1, "more": 2}', '{"json":', '{"json": no}'])
def test_a_text_that_somebody_else_encrypted_is_what_it_was(vault: Vault, text: str) -> None:
    assert SecretCodec(vault).open(VaultText(vault.encrypt(text))) == text
