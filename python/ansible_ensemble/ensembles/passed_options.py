"""The options of a job that hold for a job that it starts on another ensemble, too."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ansible_ensemble.core.sensitive import reveal
from ansible_ensemble.documents.private import private_folder, write_private
from ansible_ensemble.ensembles.options import GIT, OPTIONS, JobOptions

#: How variables begin that say how Ansible reaches a host; others are the ensemble's own.
_CONNECTION = "ansible_"


@contextmanager
def passed_options(
    options: JobOptions, passwords: Sequence[tuple[str, bytes]], variables: Mapping[str, Any]
) -> Iterator[tuple[list[str], Path | None]]:
    """The words of a command that give another job what this one was given.

    What is done with git is the same there, and so are vault passwords and variables of connections: these are in
    private files, in a folder that is there while it is open. The other job removes it, too, as this one may be killed.

    Args:
        options: this job's.
        passwords: the vault passwords with their ids.
        variables: those that this job was given.
    """
    words: list[str] = []
    for one in OPTIONS:
        value = getattr(options, one.name)
        if one.heading == GIT and value != one.default:
            words.append(one.flags[-1] if value is True else f"{one.flags[-1]}={value}")
    connection = {name: reveal(value) for name, value in variables.items() if name.startswith(_CONNECTION)}
    if not passwords and not connection:
        yield words, None
        return
    with private_folder(os.environ) as folder:
        for number, (name, password) in enumerate(passwords):
            words += ["--vault-id", f"{name}@{write_private(folder / f'password{number}', password)}"]
        if connection:
            text = json.dumps(connection, default=str)
            words += ["--extra-vars", f"@{write_private(folder / 'variables.json', text.encode())}"]
        yield words, folder
