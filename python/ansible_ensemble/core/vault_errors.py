"""What Ansible Vault opens, and how a user is told that it does not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ansible_ensemble.core.errors import InvalidInput, Place

#: What to do where there is no password.
NO_PASSWORD = "give one with --vault-id or ANSIBLE_VAULT_PASSWORD_FILE"


def opened(data: bytes, passwords: Any, place: Place | None) -> bytes:
    """Decrypt what Ansible Vault made, by passwords as its `VaultLib.secrets` has them."""
    if not passwords:
        raise InvalidInput("there is no vault password to decrypt this with", place, NO_PASSWORD)
    from ansible.parsing.vault import VaultLib

    with vault_errors(place):
        return bytes(VaultLib(passwords).decrypt(data))


@contextmanager
def vault_errors(place: Place | None) -> Iterator[None]:
    """Have errors of Ansible raised as those of its vault."""
    from ansible.errors import AnsibleError

    try:
        yield
    except AnsibleError as error:
        raise of_vault(error, place) from error


def of_vault(error: BaseException, place: Place | None = None, what: str = "") -> InvalidInput:
    """An error of Ansible Vault as a user is told it, behind what could not be read."""
    first_line = str(error).partition("\n")[0]
    return InvalidInput(f"{what}Ansible Vault: {first_line}", place, "is it the right password? see --vault-id")


def vault_cause(error: BaseException | None) -> BaseException | None:
    """The error of Ansible Vault that an error comes from, if it comes from one."""
    from ansible._internal._templating._jinja_common import UndecryptableVaultError
    from ansible.parsing.vault import AnsibleVaultError

    while error is not None and not isinstance(error, (AnsibleVaultError, UndecryptableVaultError)):
        error = error.__cause__ or error.__context__
    return error
