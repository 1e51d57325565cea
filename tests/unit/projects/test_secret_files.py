from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.projects.secret_files import open_secrets
from ansible_ensemble.projects.vault import Vault, is_encrypted


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    (tmp_path / "password").write_text("word\n")
    return Vault([str(tmp_path / "password")])


def test_files_are_in_clear_while_it_is_open_and_encrypted_after(tmp_path: Path, vault: Vault) -> None:
    with open_secrets(tmp_path / "active" / "app", vault) as folder:
        (folder / "state").write_text("one")
    first = (folder / "state").read_bytes()
    assert is_encrypted(first)
    with open_secrets(folder, vault):
        assert (folder / "state").read_text() == "one"
        assert (folder / "state").stat().st_mode & 0o077 == 0
        assert folder.stat().st_mode & 0o077 == 0
    assert (folder / "state").read_bytes() == first, "unchanged, to the byte"
    with pytest.raises(RuntimeError), open_secrets(folder, vault):
        (folder / "state").write_text("two")
        raise RuntimeError
    assert vault.decrypt_bytes((folder / "state").read_bytes()) == b"two"


def test_a_folder_that_stays_empty_leaves_nothing(tmp_path: Path, vault: Vault) -> None:
    with open_secrets(tmp_path / "active" / "secrets" / "app", vault) as folder:
        assert folder.is_dir()
    assert not (tmp_path / "active").exists()


def test_without_a_password_they_stay_in_clear_and_what_is_encrypted_is_refused(tmp_path: Path, vault: Vault) -> None:
    with open_secrets(tmp_path / "app", Vault()) as folder:
        (folder / "state").write_text("one")
        (folder / "state").chmod(0o644)
    assert (folder / "state").read_text() == "one"
    assert (folder / "state").stat().st_mode & 0o777 == 0o600, "nobody else reads it where the folder is copied to"
    with open_secrets(folder, vault):
        pass
    assert is_encrypted((folder / "state").read_bytes()), "a password that comes later closes it"
    with pytest.raises(InvalidInput, match="no vault password"), open_secrets(folder, Vault()):
        pytest.fail("it must not open")
    assert is_encrypted((folder / "state").read_bytes())
