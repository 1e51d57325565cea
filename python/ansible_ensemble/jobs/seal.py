"""Sensitive values in files: encrypted where there is a vault password, else left out."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ansible_ensemble.core.sensitive import REDACTED, Sensitive, mark_sensitive, reveal
from ansible_ensemble.documents.places import changed
from ansible_ensemble.documents.scalars import VaultText
from ansible_ensemble.projects.vault import Vault

#: Key of the one-key map that holds an encrypted value in JSON.
_JSON_KEY = "__ansible_vault"
#: How what is encrypted begins where it is no text, or a text that itself begins so.
_NO_TEXT = '{"json":'


class Seal:
    """Turns sensitive values into what may stand in a file, and back.

    Without a way to encrypt, a sensitive value becomes `<<REDACTED>>` and is not known to later jobs.

    Args:
        vault: encrypts and decrypts; None where there is no vault password.
    """

    def __init__(self, vault: Vault | None = None) -> None:
        self._vault = vault

    def for_json(self, value: Any) -> Any:
        """The value for the journal."""
        return self._close(value, lambda text: {_JSON_KEY: text})

    def for_yaml(self, value: Any) -> Any:
        """The value for ensemble.yaml, with encrypted parts as `!vault` texts."""
        return self._close(value, VaultText)

    def _close(self, value: Any, wrap: Callable[[str], Any]) -> Any:
        if isinstance(value, VaultText):
            return wrap(str(value))
        if isinstance(value, Sensitive):
            if self._vault is None:
                return REDACTED
            revealed = reveal(value)
            plain = isinstance(revealed, str) and not revealed.startswith(_NO_TEXT)
            return wrap(self._vault.encrypt(revealed if plain else json.dumps({"json": revealed})))
        if isinstance(value, dict):
            return {key: self._close(item, wrap) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._close(item, wrap) for item in value]
        return value

    def open(self, value: Any) -> Any:
        """The value as it was, sensitive parts marked; what cannot be decrypted stays as it is.

        What holds nothing to open is returned as it is, and what came from a file keeps its places.
        """
        if isinstance(value, VaultText):
            return self._decrypted(str(value), value)
        if isinstance(value, dict) and set(value) == {_JSON_KEY}:
            return self._decrypted(value[_JSON_KEY], VaultText(value[_JSON_KEY]))
        return changed(value, self.open) if isinstance(value, (dict, list)) else value

    def _decrypted(self, text: str, otherwise: Any) -> Any:
        if self._vault is None:
            return otherwise
        plain = self._vault.decrypt(text)
        if plain.startswith(_NO_TEXT):
            return mark_sensitive(json.loads(plain)["json"])
        return mark_sensitive(plain)
