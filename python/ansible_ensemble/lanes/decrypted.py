"""What Ansible Vault has decrypted, and passwords of connections, to be masked in all that is shown.

ansible-core 2.22 keeps a register of this; this is the same for earlier ones, with the same methods. A value is known
once it is decrypted, in whichever process: workers are forks, and the register is in memory that they share.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache, wraps
from pathlib import Path
from typing import Any

from ansible_ensemble.core.sensitive import Redactor, is_secret_name

_HEADER = b"$ANSIBLE_VAULT;"
_LONGEST = 1_000_000
_LENGTH = 4


class Decrypted:
    """The texts that were decrypted by this process, and by those that were forked from it since it was made."""

    def __init__(self) -> None:
        self._shared = _anonymous_file()
        self._read = 0
        self._redactor = Redactor()
        self._known: dict[str, None] = {}

    def install(self) -> None:
        """Take note of all that is decrypted from now on."""
        from ansible.parsing.vault import VaultLib

        if getattr(VaultLib.decrypt, "_noted", False):
            return
        decrypt = VaultLib.decrypt

        @wraps(decrypt)
        def noting(library: Any, vaulttext: Any, *arguments: Any, **named: Any) -> Any:
            plain = decrypt(library, vaulttext, *arguments, **named)
            self.register_secret_texts(_texts(plain))
            return plain

        noting._noted = True  # type: ignore[attr-defined]
        VaultLib.decrypt = noting

    def take_files(self, loader: Any) -> None:
        """Take note of the encrypted files that a `DataLoader` has read before."""
        for path, data in list(getattr(loader, "_FILE_CACHE", {}).items()):
            with suppress(OSError), Path(str(path)).open("rb") as file:
                if file.read(len(_HEADER)) == _HEADER:
                    self.register_secret_texts(_leaves(data))

    def register_secret_texts(self, texts: Iterable[str]) -> None:
        """Mask these from now on."""
        for text in texts:
            data = text.encode("utf-8", "surrogatepass")
            if len(text) >= Redactor.shortest and text not in self._known:
                os.write(self._shared, len(data).to_bytes(_LENGTH, "big") + data)

    def mask_string(self, text: str) -> str:
        """The text without what was decrypted."""
        self._catch_up()
        return self._redactor.text(text)

    def secrets_in_json(self, text: str) -> set[str]:
        """The texts that were decrypted and are in this one."""
        return {secret for secret in list(self._secrets) if secret in text}

    def track_new_secrets(self) -> Decrypted._New:
        """Gives the texts that come to be known from now on, by each call of its `flush`."""
        return Decrypted._New(self)

    class _New:
        def __init__(self, register: Decrypted) -> None:
            self._register, self._told = register, len(register._secrets)

        def flush(self) -> list[str]:
            """Those since the last call."""
            known = list(self._register._secrets)
            new, self._told = known[self._told :], len(known)
            return new

    @property
    def _secrets(self) -> Mapping[str, None]:
        self._catch_up()
        return self._known

    def _catch_up(self) -> None:
        """Read what this process and others have noted; each is written by one call, at the end.

        Threads of a play may do so at once: they read the same twice, never a part of it as the length of the next.
        """
        position = self._read
        while len(head := os.pread(self._shared, _LENGTH, position)) == _LENGTH:
            length = int.from_bytes(head, "big")
            data = os.pread(self._shared, length, position + _LENGTH)
            if len(data) < length:
                return
            position += _LENGTH + length
            text = data.decode("utf-8", "surrogatepass")
            self._redactor.add(text)
            self._known[text] = None
            self._read = position


@cache
def secret_register() -> Any:
    """Core's register of secrets to mask in whatever is shown (2.22 and newer), else ours."""
    try:
        from ansible.module_utils._internal._secrets import _secret_masker
    except ImportError:
        return Decrypted()
    return _secret_masker


def note_decrypted(loader: Any) -> None:
    """Have what is decrypted masked, by this process and its forks, before any of it can be shown."""
    register = secret_register()
    _note_passwords()
    if isinstance(register, Decrypted):
        register.install()
        register.take_files(loader)


@cache
def is_connection_secret(name: str) -> bool:
    """Whether a variable of a host is a password of its connection, such as `ansible_become_password`."""
    return name.startswith("ansible_") and is_secret_name(name)


def _note_passwords() -> None:
    """Take note of the passwords of connections that stand in variables of hosts, once somebody asks for these."""
    from ansible.vars.manager import VariableManager

    if getattr(VariableManager.get_vars, "_noted", False):
        return
    get_vars = VariableManager.get_vars

    @wraps(get_vars)
    def noting(manager: Any, *arguments: Any, **named: Any) -> Any:
        found = get_vars(manager, *arguments, **named)
        texts = [found[name] for name in found if is_connection_secret(name)]
        secret_register().register_secret_texts([str(one) for one in texts if _is_plain(one)])
        return found

    noting._noted = True  # type: ignore[attr-defined]
    VariableManager.get_vars = noting


def _is_plain(value: Any) -> bool:
    """Whether a variable is its own text: not one for a template, and not encrypted, which would decrypt it."""
    return isinstance(value, str) and "{{" not in value


def _anonymous_file() -> int:
    """A file that has no name, to which all append; in memory where the system can do that."""
    if hasattr(os, "memfd_create"):
        opened = os.memfd_create("decrypted")
    else:
        with tempfile.TemporaryFile() as file:
            opened = os.dup(file.fileno())
    _set_append(opened)
    return opened


def _set_append(opened: int) -> None:
    import fcntl

    fcntl.fcntl(opened, fcntl.F_SETFL, fcntl.fcntl(opened, fcntl.F_GETFL) | os.O_APPEND)


def _texts(plain: Any) -> Iterator[str]:
    """What is secret in something decrypted: the values in it if it is data, else its text."""
    data = plain if isinstance(plain, bytes) else str(plain).encode("utf-8", "surrogatepass")
    if len(data) > _LONGEST:
        return
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return
    yield from _leaves(_data(text) if ":" in text or text.startswith(("{", "[", "-")) else text, text)


def _data(text: str) -> Any:
    import yaml

    try:
        return yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, ValueError, RecursionError):
        return text


def _leaves(value: Any, text: str = "") -> Iterator[str]:
    """The values in data as texts; the text where it is none."""
    pending, seen = [value], set[int]()
    while pending:
        item = pending.pop()
        if isinstance(item, (dict, list, tuple)):
            if id(item) not in seen:
                seen.add(id(item))
                pending.extend(item.values() if isinstance(item, dict) else item)
        elif isinstance(item, str) or (isinstance(item, (int, float)) and not isinstance(item, bool)):
            yield text if item is value and text else str(item)
