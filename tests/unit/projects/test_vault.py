from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.core.sensitive import Sensitive, SensitiveStr
from ansible_ensemble.documents.scalars import VaultText
from ansible_ensemble.projects.vault import Vault, is_encrypted, protect


@pytest.fixture(autouse=True)
def no_configured_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANSIBLE_VAULT_PASSWORD_FILE", "ANSIBLE_VAULT_IDENTITY_LIST", "ANSIBLE_VAULT_ENCRYPT_IDENTITY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def password(tmp_path: Path) -> Path:
    return make_password(tmp_path, "one")


def make_password(folder: Path, name: str) -> Path:
    file = folder / f"{name}.vault-password"
    file.write_text(f"password {name}\n")
    return file


def test_there_and_back(password: Path) -> None:
    vault = Vault([str(password)])
    encrypted = vault.encrypt(SensitiveStr("sëcret\nlines\n"))
    assert isinstance(encrypted, VaultText)
    assert encrypted.startswith("$ANSIBLE_VAULT;1.1;AES256\n")
    decrypted = vault.decrypt(encrypted)
    assert decrypted == "sëcret\nlines\n"
    assert isinstance(decrypted, Sensitive)


def test_the_password_file_of_the_environment(password: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANSIBLE_VAULT_PASSWORD_FILE", str(password))
    assert Vault([str(password)]).decrypt(Vault().encrypt("x")) == "x"


def test_the_password_file_of_ansible_cfg(password: Path, tmp_path: Path) -> None:
    settings = tmp_path / "ansible.cfg"
    settings.write_text(f"[defaults]\nvault_password_file = {password}\n")
    encrypted = Vault([str(password)]).encrypt("x")
    program = (
        "import sys; from ansible_ensemble.projects.vault import Vault; print(Vault().decrypt(sys.argv[1]), end='')"
    )
    shown = subprocess.run(
        [sys.executable, "-c", program, encrypted],
        check=True,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert shown.stdout == "x"


def test_ansible_is_not_loaded_where_no_password_is_named(tmp_path: Path) -> None:
    program = (
        "import sys, pathlib; from ansible_ensemble.projects.vault import Vault; vault = Vault();"
        "assert not vault.available; vault.digest_key(pathlib.Path('.'));"
        "print([name for name in sys.modules if name.split('.')[0] == 'ansible'])"
    )
    environment = {"HOME": str(tmp_path), "PYTHONPATH": ":".join(sys.path)}
    shown = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True, cwd=tmp_path, env=environment
    )  # fmt: skip
    assert shown.stdout == "[]\n"


def test_several_ids(tmp_path: Path) -> None:
    ids = [f"{name}@{make_password(tmp_path, name)}" for name in ("dev", "prod")]
    both = Vault(ids)
    dev, prod = both.encrypt("a"), both.encrypt("b", "prod")
    assert dev.startswith("$ANSIBLE_VAULT;1.2;AES256;dev\n")
    assert prod.startswith("$ANSIBLE_VAULT;1.2;AES256;prod\n")
    assert (both.decrypt(dev), both.decrypt(prod)) == ("a", "b")
    with pytest.raises(InvalidInput, match="Ansible Vault"):
        Vault(ids[:1]).decrypt(prod)
    with pytest.raises(InvalidInput, match="dev, prod"):
        both.encrypt("c", "test")


def test_the_encrypt_identity_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANSIBLE_VAULT_ENCRYPT_IDENTITY", "prod")
    vault = Vault([f"{name}@{make_password(tmp_path, name)}" for name in ("dev", "prod")])
    assert ";prod\n" in vault.encrypt("x")


def test_a_password_script(tmp_path: Path, password: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\necho password one\n")
    script.chmod(0o755)
    assert Vault([str(password)]).decrypt(Vault([str(script)]).encrypt("x")) == "x"


def test_relative_sources_start_in_the_working_directory(password: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(password.parent)
    assert Vault([password.name]).available


def test_what_ansible_vault_made_is_opened(tmp_path: Path, password: Path) -> None:
    file = tmp_path / "secret.txt"
    file.write_text("made elsewhere\n")
    program = Path(sys.executable).with_name("ansible-vault")
    subprocess.run(
        [program, "encrypt", "--vault-password-file", password, file], check=True, capture_output=True, cwd=tmp_path
    )
    assert Vault([str(password)]).read_file(file) == b"made elsewhere\n"


def test_without_a_password() -> None:
    vault = Vault()
    assert not vault.available
    with pytest.raises(InvalidInput, match="--vault-id"):
        vault.encrypt("x")
    with pytest.raises(InvalidInput, match="--vault-id"):
        vault.decrypt("$ANSIBLE_VAULT;1.1;AES256\n00")


def test_a_named_password_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="Ansible Vault"):
        Vault([str(tmp_path / "missing")]).encrypt("x")


@pytest.mark.parametrize(
    "text", ["", "plain", "$ANSIBLE_VAULT;1.1;AES256\n00", "$ANSIBLE_VAULT;9\nx", "$ANSIBLE_VAULT;"]
)
def test_what_cannot_be_decrypted(password: Path, text: str) -> None:
    with pytest.raises(InvalidInput):
        Vault([str(password)]).decrypt(text)


def test_files(tmp_path: Path, password: Path) -> None:
    vault, file = Vault([str(password)]), tmp_path / "state"
    content = b"binary \x00\xff"
    file.write_bytes(content)
    assert vault.encrypt_file(file)
    assert not vault.encrypt_file(file)
    assert is_encrypted(file.read_bytes())
    assert vault.read_file(file) == content
    with pytest.raises(InvalidInput, match="missing"):
        vault.read_file(tmp_path / "missing")


def test_protect_encrypts_what_is_in_clear(tmp_path: Path, password: Path) -> None:
    folder = tmp_path / "secrets"
    (folder / "app").mkdir(parents=True)
    for name in ("app/state", "token", "digest.key"):
        (folder / name).write_text("canary")
    assert protect(folder, Vault()) == [folder / "app/state", folder / "token"]
    assert protect(folder, Vault([str(password)])) == []
    assert [path.name for path in folder.rglob("*") if path.is_file() and "canary" in path.read_text()] == [
        "digest.key"
    ]
    assert protect(folder, Vault()) == []
    assert protect(tmp_path / "missing", Vault()) == []


def test_the_digest_key_of_a_password_is_the_same_in_all_clones(tmp_path: Path, password: Path) -> None:
    key = Vault([str(password)]).digest_key(tmp_path / "a")
    assert key == Vault([str(password)]).digest_key(tmp_path / "b")
    assert key != Vault([str(make_password(tmp_path, "two"))]).digest_key(tmp_path / "a")
    assert not (tmp_path / "a").exists()


def test_without_a_password_the_digest_key_is_kept(tmp_path: Path) -> None:
    key = Vault().digest_key(tmp_path)
    assert Vault().digest_key(tmp_path) == key
    assert Vault().digest_key(tmp_path / "clone") != key
    assert (tmp_path / "secrets" / "digest.key").stat().st_mode & 0o777 == 0o600


def test_a_command_that_changes_nothing_keeps_no_new_key(tmp_path: Path) -> None:
    assert len(Vault().digest_key(tmp_path, make=False)) == 32
    assert list(tmp_path.iterdir()) == []
    key = Vault().digest_key(tmp_path)
    assert Vault().digest_key(tmp_path, make=False) == key


def test_where_no_key_can_be_kept_there_still_is_one(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    assert len(Vault().digest_key(file)) == 32


@pytest.mark.parametrize("text", ["", "x", "00"])
def test_a_damaged_key_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "digest.key").write_text(text)
    with pytest.raises(EnsembleError, match=r"digest\.key"):
        Vault().digest_key(tmp_path)
