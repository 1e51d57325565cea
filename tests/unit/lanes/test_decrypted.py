"""What the vault decrypts is masked from then on, by whichever process it was decrypted."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ansible_ensemble.core.sensitive import REDACTED
from ansible_ensemble.lanes.decrypted import Decrypted


@pytest.fixture
def register() -> Decrypted:
    return Decrypted()


@pytest.fixture
def vault(register: Decrypted, monkeypatch: pytest.MonkeyPatch) -> Any:
    from ansible.parsing import vault as core

    monkeypatch.setattr(core.VaultLib, "decrypt", getattr(core.VaultLib.decrypt, "__wrapped__", core.VaultLib.decrypt))
    register.install()
    return core.VaultLib([("default", core.VaultSecret(b"password"))])


@pytest.mark.parametrize(
    ("plain", "masked", "shown"),
    [
        ("hunter2", ["hunter2"], []),
        ("a: hunter2\nb: {c: [hunter3, 12345]}\nd: yes\n", ["hunter2", "hunter3", "12345"], ["yes"]),
        ('{"token": "hunter2"}', ["hunter2"], ["token"]),
        ("-----BEGIN KEY-----\nabcdef\n-----END KEY-----\n", ["abcdef"], []),
        ("http://me:hunter2@example.com", ["http://me:hunter2@example.com"], []),
        ("1.50", ["1.50"], []),
        ("é: 'hünter2'\n", ["hünter2"], []),
        ("a: {", ["a: {"], []),
    ],
)
def test_what_is_masked(register: Decrypted, vault: Any, plain: str, masked: list[str], shown: list[str]) -> None:
    encrypted = vault.encrypt(plain)
    assert vault.decrypt(encrypted).decode() == plain
    for text in masked:
        assert register.mask_string(f"it is {text}.") == f"it is {REDACTED}."
    for text in shown:
        assert text in register.mask_string(f"it is {text}.")


def test_what_a_fork_decrypts_is_masked_here(register: Decrypted, vault: Any) -> None:
    encrypted = vault.encrypt("from a worker")
    new = register.track_new_secrets()
    child = os.fork()
    if not child:
        vault.decrypt(encrypted)
        os._exit(0)
    os.waitpid(child, 0)
    assert register.mask_string("from a worker") == REDACTED
    assert new.flush() == ["from a worker"]
    assert new.flush() == []
    assert register.secrets_in_json('["from a worker"]') == {"from a worker"}


def test_files_that_were_read_before_count(register: Decrypted, tmp_path: Path) -> None:
    (tmp_path / "v.yml").write_text("$ANSIBLE_VAULT;1.1;AES256\n00")
    (tmp_path / "p.yml").write_text("b: plain")
    read = {str(tmp_path / "v.yml"): {"a": ["hunter2"]}, str(tmp_path / "p.yml"): {"b": "plain"}}
    register.take_files(SimpleNamespace(_FILE_CACHE=read))
    assert register.mask_string("hunter2 plain") == f"{REDACTED} plain"


def test_two_threads_read_what_is_new_at_once(register: Decrypted, monkeypatch: pytest.MonkeyPatch) -> None:
    register.register_secret_texts(["first secret", "second secret"])
    read, reads = os.pread, iter(range(3))

    def while_another_thread_reads(file: int, length: int, position: int) -> bytes:
        found = read(file, length, position)
        if next(reads, None) == 1:
            register.mask_string("")
        return found

    monkeypatch.setattr(os, "pread", while_another_thread_reads)
    assert register.mask_string("first secret, second secret") == f"{REDACTED}, {REDACTED}"
    register.register_secret_texts(["third secret"])
    assert register.mask_string("third secret") == REDACTED
