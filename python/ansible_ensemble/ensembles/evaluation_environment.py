"""What the expressions of an ensemble may reach: its environment, its folders, its records."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

from ansible_ensemble.core.environment import with_changes
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.sensitive import Redactor, is_sensitive, reveal
from ansible_ensemble.ensembles.job_inputs import given_variables
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.secret_codec import SecretCodec
from ansible_ensemble.projects.environment import Environment, OwnVariables, withheld
from ansible_ensemble.projects.folders import ACTIVE, PLANNED, task_folder
from ansible_ensemble.projects.project import home_file
from ansible_ensemble.projects.vault import Vault
from ansible_ensemble.views.evaluation_environment import EvaluationEnvironment, Inventory


def make_evaluation_environment(
    path: Path,
    environment: Environment,
    options: JobOptions,
    *,
    repositories: Mapping[str, Path],
    externals: Callable[[str], Any],
    outputs: Mapping[tuple[str, str], Mapping[str, Any]],
    redactor: Redactor,
    keep_key: bool,
    trusted: bool,
) -> EvaluationEnvironment:
    """What the expressions of the ensemble in a file may reach; each sensitive value is told the redactor.

    With `keep_key` the key of digests of secrets is made and kept where there is none. What is a project's own may run
    if it is trusted.
    """
    folder, vault, home = path.parent, environment.vault, home_file()
    variables = given_variables(options, SecretCodec(vault) if vault.available else SecretCodec())
    for name, value in (*variables.items(), *environment.sensitive_variables):
        if is_sensitive(value):
            redactor.add(value, name)
    unread: list[InvalidInput] = []
    inventory = _Inventory(partial(read_inventory, options, vault, folder, variables), unread) if trusted else _withheld
    own = environment.variables
    return EvaluationEnvironment(
        root=environment.root,
        folder=folder,
        environ=with_changes(os.environ, own) if trusted else OwnVariables(own),
        locals=environment.locals,
        secrets=environment.secret,
        externals=externals,
        digest_key=cache(lambda: vault.digest_key(folder, make=keep_key)),
        redactor=redactor,
        check=options.check,
        trusted=trusted,
        variables=variables,
        inventory=inventory if options.inventory is not None else None,
        unread=unread,
        loader=cache(lambda: vault.loader(folder)),
        folders={
            "tmp": folder / PLANNED / "tmp",
            "local": folder / "local",
            **{kind: folder / ACTIVE / kind for kind in ("artifacts", "secrets")},
            **({"unfurl.home": home.parent} if home is not None else {}),
        },
        task_folder=partial(task_folder, folder),
        repositories=repositories,
        outputs=outputs,
        metadata={"environment": environment.name, "ensemble": str(path)},
        trace=lambda line: print(redactor.text(line), file=sys.stderr),
    )


def _withheld() -> Inventory:
    """The inventory of a project that is not trusted: its scripts, plugins and variables may run anything."""
    raise withheld("the inventory")


def read_inventory(options: JobOptions, vault: Vault, folder: Path, variables: Mapping[str, Any]) -> Inventory:
    """The running playbook's inventory, or the one that ansible-playbook would take."""
    from ansible_ensemble.lanes.host_variables import HostVariables
    from ansible_ensemble.lanes.session import configured_session

    session = options.session
    if session is None:
        given = options.inventory or ()
        session = configured_session(given, base=folder, loader=vault.loader(folder), extra_variables=reveal(variables))
    else:
        session.check_read()
    return HostVariables(session)


class _Inventory:
    """Reads the inventory once, when it is first asked for; one that cannot be read is noted, and refused each time."""

    def __init__(self, read: Callable[[], Inventory], unread: list[InvalidInput]) -> None:
        self._read = read
        self._unread = unread
        self._known: Inventory | None = None

    def __call__(self) -> Inventory:
        if self._unread:
            raise self._unread[0]
        if self._known is None:
            try:
                self._known = self._read()
            except InvalidInput as error:
                self._unread.append(error)
                raise
        return self._known
