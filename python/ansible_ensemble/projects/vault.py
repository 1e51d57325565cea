"""Ansible Vault: the project's passwords, encrypted values and files, and the key of the digests of secrets.

Passwords come from where Ansible takes them: `--vault-id name@source` (any number), `ANSIBLE_VAULT_IDENTITY_LIST`,
`ANSIBLE_VAULT_PASSWORD_FILE` and the same settings in `ansible.cfg`. They are read when the first one is needed.
A project of Unfurl's may also have its own, as the secret `vault_secrets`.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Container, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ansible_ensemble.core.ansible_settings import may_be_set, setting
from ansible_ensemble.core.errors import EnsembleError, InvalidInput, Place
from ansible_ensemble.core.folders import with_home
from ansible_ensemble.core.sensitive import SensitiveStr, reveal
from ansible_ensemble.core.vault_errors import NO_PASSWORD, opened, vault_errors
from ansible_ensemble.documents.atomic import write_atomically
from ansible_ensemble.documents.private import make_private
from ansible_ensemble.documents.scalars import VaultText

_HEADER = b"$ANSIBLE_VAULT;"
_KEY_FILE = "secrets/digest.key"
_KEY_LENGTH = 32
#: as many as Ansible Vault takes itself: the digests are no easier way to the password than the encrypted values
_ROUNDS = 10_000
_SETTINGS = ("ANSIBLE_VAULT_PASSWORD_FILE", "ANSIBLE_VAULT_IDENTITY_LIST")


class Vault:
    """The vault passwords of a project, and what they open."""

    def __init__(self, vault_ids: Sequence[str] = (), passwords: Any = None) -> None:
        """Make the vault.

        Args:
            vault_ids: `name@source` or `source`, as Ansible's `--vault-id`; they come after a configured list.
            passwords: passwords that are already read, as Ansible's `VaultLib.secrets`; then nothing else is read.
        """
        self._vault_ids = tuple(vault_ids)
        self._passwords: list[tuple[str, Any]] | None = list(passwords) if passwords is not None else None
        self._own: dict[str, Any] = {}

    def take(self, passwords: Mapping[str, str]) -> None:
        """Add passwords by vault id that the project itself keeps, as Unfurl's do; all others come before them."""
        if passwords:
            from ansible.parsing.vault import VaultSecret

            self._own |= {name: VaultSecret(reveal(text).encode()) for name, text in passwords.items()}

    @property
    def passwords(self) -> list[tuple[str, bytes]]:
        """The passwords with their vault ids, which several may share, the one that encrypts first."""
        return [(name, password.bytes) for name, password in self._load()]

    @property
    def available(self) -> bool:
        """Whether there is any password."""
        return bool(self._load())

    def encrypt(self, text: str, vault_id: str | None = None) -> VaultText:
        """Encrypt a text.

        Without a vault id by the password of the configured `vault_encrypt_identity`, else the first.
        """
        return VaultText(self._encrypt(reveal(text).encode("utf-8", "surrogatepass"), vault_id).decode("ascii"))

    def decrypt(self, text: str, place: Place | None = None) -> SensitiveStr:
        """Decrypt what `encrypt` or `ansible-vault` made, found at a place."""
        try:
            return SensitiveStr(self.decrypt_bytes(text.strip().encode(), place).decode("utf-8", "surrogatepass"))
        except UnicodeError as error:
            raise InvalidInput("the encrypted value is not text", place) from error

    def decrypt_bytes(self, data: bytes, place: Place | None = None) -> bytes:
        """Decrypt what is not text; as `decrypt`."""
        if not is_encrypted(data):
            raise InvalidInput("this is not encrypted by Ansible Vault", place)
        return opened(data, self._load(), place)

    def read_file(self, path: Path) -> bytes:
        """The content of a file, decrypted if it is encrypted."""
        place = Place(str(path))
        try:
            data = path.read_bytes()
        except OSError as error:
            raise InvalidInput(f"cannot be read: {error.strerror}", place) from error
        return self.decrypt_bytes(data, place) if is_encrypted(data) else data

    def encrypt_file(self, path: Path) -> bool:
        """Encrypt a file in place; False if it is already encrypted."""
        try:
            data = path.read_bytes()
        except OSError as error:
            raise InvalidInput(f"cannot be read: {error.strerror}", Place(str(path))) from error
        if is_encrypted(data):
            return False
        write_atomically(path, self._encrypt(data, None).decode("ascii"), mode=0o600)
        return True

    @property
    def has_password(self) -> bool:
        """Whether there is a password."""
        return bool(self._load())

    def digest_key(self, folder: Path, *, make: bool = True) -> bytes:
        """The key of the digests of secrets.

        It has to be the same in all clones, or an unchanged secret would count as changed; and digests are committed,
        so it must not be in git in clear. With a vault password it is derived from that. Without, it is random and
        kept in `secrets/digest.key` of the ensemble, which git ignores: another clone makes its own, and its first
        job finds each secret changed once. The same goes for a changed password.

        Args:
            folder: the ensemble's folder; where its key cannot be kept, the key is for this job only.
            make: False keeps no new key either, for commands that change nothing.
        """
        if self._load():
            password = self._password(None).bytes
            return hashlib.pbkdf2_hmac("sha256", password, b"ansible-ensemble digest key", _ROUNDS)
        path = folder / _KEY_FILE
        if not make and not path.exists():
            return os.urandom(_KEY_LENGTH)
        try:
            make_private(path.parent)
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return _read_key(path)
        except OSError:
            return os.urandom(_KEY_LENGTH)
        key = os.urandom(_KEY_LENGTH)
        with os.fdopen(descriptor, "w", encoding="ascii") as stream:
            stream.write(key.hex() + "\n")
        return key

    def loader(self, folder: Path) -> Any:
        """Ansible's DataLoader with these passwords, for lookups and templates; relative files start in the folder."""
        from ansible.parsing.dataloader import DataLoader

        loader = DataLoader()
        loader.set_basedir(str(folder))
        loader.set_vault_secrets(self._load())
        return loader

    def _encrypt(self, data: bytes, vault_id: str | None) -> bytes:
        password = self._password(vault_id)
        from ansible.parsing.vault import VaultLib

        name = next((name for name, known in self._load() if known is password), None)
        # the id is only written into the header if there are several
        shown = None if name == "default" else name
        with vault_errors(None):
            return bytes(VaultLib(self._load()).encrypt(data, password, vault_id=shown))

    def _password(self, vault_id: str | None) -> Any:
        passwords = self._load()
        if not passwords:
            raise InvalidInput("there is no vault password to encrypt with", hint=NO_PASSWORD)
        wanted = vault_id or setting("DEFAULT_VAULT_ENCRYPT_IDENTITY")
        for name, password in passwords:
            if wanted in (None, name):
                return password
        known = ", ".join(name for name, _other in passwords)
        raise InvalidInput(f"there is no vault password with the id {wanted!r}", hint=f"there are: {known}")

    def _load(self) -> list[tuple[str, Any]]:
        if self._passwords is None and not self._vault_ids and not may_be_set("vault", _SETTINGS):
            self._passwords = []
        if self._passwords is None:
            # in Ansible's order, for the first one encrypts
            configured = list(setting("DEFAULT_VAULT_IDENTITY_LIST") or ())
            file = setting("DEFAULT_VAULT_PASSWORD_FILE")
            sources = [*configured, *self._vault_ids, *([str(file)] if file else [])]
            self._passwords = [_read_password(source) for source in sources]
        return [*self._passwords, *self._own.items()]


def is_encrypted(data: bytes) -> bool:
    """Whether this is encrypted by Ansible Vault."""
    return data.startswith(_HEADER)


def protect(folder: Path, vault: Vault, leave: Container[Path] = ()) -> list[Path]:
    """Encrypt all unencrypted files below a folder, except keys of digests.

    Args:
        folder: where they are.
        vault: has the password.
        leave: files to skip.

    Returns:
        The files that stay in clear because there is no vault password: these must not be committed.
    """
    clear = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.suffix != ".key":
            if vault.available and path not in leave:
                vault.encrypt_file(path)
            elif not is_encrypted(path.read_bytes()):
                clear.append(path)
    return clear


def _read_password(source: str) -> tuple[str, Any]:
    """Read one password as Ansible does; a source may be a file, a script, or `prompt`."""
    name, separator, location = source.rpartition("@")
    name = name if separator and name else "default"
    from ansible.parsing.dataloader import DataLoader
    from ansible.parsing.vault import PromptVaultSecret, get_file_vault_secret

    with vault_errors(None):
        if location in ("prompt", "prompt_ask_vault_pass"):
            password = PromptVaultSecret(prompt_formats=[f"Vault password ({name}): "], vault_id=name)
        else:
            path = str(Path.cwd() / with_home(location))
            password = get_file_vault_secret(filename=path, vault_id=name, loader=DataLoader())
        password.load()
    return name, password


def _read_key(path: Path) -> bytes:
    key = b""
    with suppress(OSError, ValueError):
        key = bytes.fromhex(path.read_text(encoding="ascii").strip())
    if len(key) != _KEY_LENGTH:
        raise EnsembleError("this is not a digest key", Place(str(path)), "remove it, and a new one is created")
    return key
