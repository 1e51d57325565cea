"""Passwords that the user is asked for once, and Ansible reads from files that live as long as the command."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ansible_ensemble.cli.console import Console
from ansible_ensemble.core.errors import UsageError
from ansible_ensemble.documents.private import private_folder, write_private

_PROMPT = "@prompt"


@contextmanager
def asked_passwords(arguments: argparse.Namespace, console: Console) -> Iterator[argparse.Namespace]:
    """Ask for the passwords that the options call for.

    Ansible would ask itself, but its process has no terminal, and the plan needs the vault's password too.

    Yields:
        The arguments with each question replaced by the file that holds its answer.
    """
    if not _asks(arguments):
        yield arguments
        return
    with private_folder(console.environment) as folder:
        yield _Asking(folder, console).answered(arguments)


def _asks(arguments: argparse.Namespace) -> bool:
    given = vars(arguments)
    return any(given.get(name) for name in ("ask_vault_pass", "ask_pass", "ask_become_pass")) or any(
        vault_id.endswith(_PROMPT) for vault_id in given.get("vault_ids", [])
    )


class _Asking:
    """Asks, and keeps the answers in a folder."""

    def __init__(self, folder: Path, console: Console) -> None:
        self.folder = folder
        self.console = console
        self.count = 0

    def answered(self, arguments: argparse.Namespace) -> argparse.Namespace:
        """A copy of the arguments in which nothing is left to ask."""
        given = vars(arguments)
        answered = argparse.Namespace(**given)
        if given.get("ask_vault_pass"):
            answered.vault_password_file = self.ask("Vault password: ")
        if any(vault_id.endswith(_PROMPT) for vault_id in given.get("vault_ids", [])):
            answered.vault_ids = [self.vault_id(vault_id) for vault_id in given["vault_ids"]]
        passed = list(given.get("ansible", []))
        if given.get("ask_pass"):
            passed += ["--connection-password-file", self.ask("SSH password: ")]
        if given.get("ask_become_pass"):
            passed += ["--become-password-file", self.ask("BECOME password: ")]
        answered.ansible = passed
        return answered

    def vault_id(self, vault_id: str) -> str:
        """The vault id with a file instead of `prompt`."""
        if not vault_id.endswith(_PROMPT):
            return vault_id
        label = vault_id.removesuffix(_PROMPT)
        return f"{label}@{self.ask(f'Vault password ({label}): ')}"

    def ask(self, prompt: str) -> str:
        """Ask, and return the path of the file with the answer."""
        self.count += 1
        try:
            answer = self.console.ask_password(prompt)
        except EOFError:
            hint = (
                "--vault-password-file, $ANSIBLE_BECOME_PASSWORD_FILE and $ANSIBLE_CONNECTION_PASSWORD_FILE name files"
            )
            raise UsageError(f"there is no answer to: {prompt.strip().rstrip(':')}", hint=hint) from None
        return str(write_private(self.folder / f"password{self.count}", answer.encode()))
