"""Sensitive values in files: encrypted where there is a vault password, else left out."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ansible_ensemble.core.sensitive import REDACTED, Sensitive, mark_sensitive, reveal
from ansible_ensemble.documents.places import changed
from ansible_ensemble.documents.scalars import VaultText
from ansible_ensemble.projects.vault import Vault, is_encrypted

#: Key of the one-key map that holds an encrypted text in JSON; a list of one in its place is data with this very key.
_MARK = "__ansible_vault"
#: How what is encrypted begins where it is not text, or a text that itself begins so.
_NO_TEXT = '{"json":'


class SecretCodec:
    """Turns sensitive values into what may stand in a file, and back.

    Without a way to encrypt, a sensitive value becomes `<<REDACTED>>` and is not known to later jobs.

    Args:
        vault: encrypts and decrypts; None where there is no vault password.
    """

    def __init__(self, vault: Vault | None = None) -> None:
        self._vault = vault

    def for_json(self, value: Any) -> Any:
        """The value for JSON; `open_json` gives it back."""
        return self._close(value, lambda text: {_MARK: text}, escape=True)

    def for_yaml(self, value: Any) -> Any:
        """The value for ensemble.yaml, with encrypted parts as `!vault` texts."""
        return self._close(value, VaultText)

    def _close(self, value: Any, wrap: Callable[[str], Any], *, escape: bool = False) -> Any:
        if isinstance(value, VaultText):
            return wrap(str(value))
        if isinstance(value, Sensitive):
            if self._vault is None:
                return REDACTED
            revealed = reveal(value)
            plain = isinstance(revealed, str) and not revealed.startswith(_NO_TEXT)
            return wrap(self._vault.encrypt(revealed if plain else json.dumps({"json": revealed})))
        if isinstance(value, dict):
            closed = {key: self._close(item, wrap, escape=escape) for key, item in value.items()}
            return {_MARK: [closed[_MARK]]} if escape and set(closed) == {_MARK} else closed
        if isinstance(value, (list, tuple)):
            return [self._close(item, wrap, escape=escape) for item in value]
        return value

    def open(self, value: Any) -> Any:
        """The value as it was, sensitive parts marked; what cannot be decrypted stays as it is.

        What holds nothing to open is returned as it is, and what came from a file keeps its places.
        """
        if isinstance(value, VaultText):
            return self._decrypted(value)
        return changed(value, self.open) if isinstance(value, (dict, list)) else value

    def open_json(self, value: Any) -> Any:
        """The value that `for_json` was given, as `open` gives it."""
        return self.open(from_json(value))

    def _decrypted(self, text: VaultText) -> Any:
        if self._vault is None:
            return text
        return mark_sensitive(_opened(self._vault.decrypt(str(text))))


def _opened(plain: str) -> Any:
    """What was encrypted: people encrypt texts of any kind."""
    if not plain.startswith(_NO_TEXT):
        return plain
    try:
        document = json.loads(plain)
    except (ValueError, RecursionError):
        return plain
    return document["json"] if set(document) == {"json"} else plain


def from_json(value: Any) -> Any:
    """The value that `SecretCodec.for_json` was given, with what is encrypted as `VaultText`."""
    if isinstance(value, dict) and set(value) == {_MARK}:
        inner = value[_MARK]
        if isinstance(inner, str) and is_encrypted(inner.encode("utf-8", "surrogatepass")):
            return VaultText(inner)
        if isinstance(inner, list) and len(inner) == 1:
            return {_MARK: from_json(inner[0])}
    return changed(value, from_json) if isinstance(value, (dict, list)) else value


def masked_json(value: Any) -> Any:
    """The value that `SecretCodec.for_json` was given, for people: with what is encrypted masked."""
    return _masked(from_json(value))


def _masked(value: Any) -> Any:
    if isinstance(value, VaultText):
        return REDACTED
    return changed(value, _masked) if isinstance(value, (dict, list)) else value
