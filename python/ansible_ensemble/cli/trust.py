"""Before a command works: what it may run of the folders it works in."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from ansible_ensemble.cli.catalogue import JOBS, LOOK
from ansible_ensemble.cli.command import Command
from ansible_ensemble.cli.console import Console
from ansible_ensemble.cli.options import is_approved, is_plan_file
from ansible_ensemble.core.ansible_settings import is_public_folder, local_settings, withhold_local_settings
from ansible_ensemble.core.errors import EnsembleError, InvalidInput, UsageError
from ansible_ensemble.core.processor_time import allow
from ansible_ensemble.documents.paths import is_file

#: Processor time and memory that a look at what is not trusted may take: files can ask for any amount of work.
_SECONDS, _BYTES = 120, 2 * 1024**3


def settle_trust(command: Command, arguments: argparse.Namespace, console: Console) -> None:
    """Have the user trust the code that a job runs; code that is not trusted is kept from running.

    That is first of all the `ansible.cfg` here: it names scripts of passwords and plugins, which run when it is read.
    """
    if command.name == "import":
        _agree(_playbooks(arguments), arguments, console, "an import", "")
    elif command.runs or (command.name == "plan" and getattr(arguments, "check", False)):
        _agree(_ensemble(arguments), arguments, console, "a job", "`ansible-ensemble plan` runs nothing")
    if local_settings() is not None and _strange_folders(Path.cwd()):
        withhold_local_settings()
        if command.group in (JOBS, LOOK) or command.name == "import":
            console.notice("ansible.cfg is ignored because this folder is not trusted; see `ansible-ensemble trust`")
    elif command.group == LOOK and is_public_folder():
        console.notice("ansible.cfg is ignored because this folder is world-writable, as in Ansible")
    if not command.runs and _looks_at_strangers(arguments):
        allow(_SECONDS, _BYTES)


def _looks_at_strangers(arguments: argparse.Namespace) -> bool:
    named = getattr(arguments, "ensemble", None) or getattr(arguments, "paths", None)
    files = [Path(name) for name in ([named] if isinstance(named, str) else named or ())]
    return any(_strange_folders(file) for file in files if file.exists())


def _strange_folders(path: Path) -> list[Path]:
    from ansible_ensemble.projects.trust import (
        strange_folders,
    )  # imports YAML, which commands about machines do without

    return strange_folders(path)


def _agree(files: Sequence[Path], arguments: argparse.Namespace, console: Console, who: str, other: str) -> None:
    """Have the user trust the projects of some files, and the working directory if one of them lies in it.

    `who` runs their code; `other` is what may be done without.
    """
    here = Path.cwd()
    is_here = local_settings() is not None and any(file.resolve().is_relative_to(here) for file in files)
    strange = [folder for place in (*files, *([here] if is_here else [])) for folder in _strange_folders(place)]
    if not strange:
        return
    from ansible_ensemble.projects.trust import approve, consent_folder

    if not is_approved(arguments, console):
        named = dict.fromkeys(str(consent_folder(folder)) for folder in strange)
        is_one = len(named) == 1
        problem = f"{' and '.join(named)} {'is' if is_one else 'are'} not trusted yet"
        problem += f", and {who} runs {'its' if is_one else 'their'} code as you"
        try:
            agreed = console.confirm(f"{problem}. Continue?")
        except UsageError as error:
            hint = f"review its files, then run `ansible-ensemble trust {next(iter(named))}`, or give --approve"
            raise UsageError(problem, hint=hint) from error
        if not agreed:
            raise EnsembleError("not approved; nothing was done", hint=other)
    for folder in strange:
        approve(folder)


def _playbooks(arguments: argparse.Namespace) -> list[Path]:
    """The playbooks that are meant; none if one of them is not there, which the command reports."""
    files = [Path(playbook) for playbook in arguments.playbooks]
    return files if all(map(is_file, files)) else []


def _ensemble(arguments: argparse.Namespace) -> list[Path]:
    """The ensemble that is meant; none if there is none, which the command reports."""
    if not is_plan_file(arguments.ensemble):
        return _files(arguments.ensemble)
    from ansible_ensemble.records.saved_plans import load_plan

    plan, _saved = arguments.saved_plan = load_plan(Path(arguments.ensemble))  # the job executes what is looked at here
    named = plan.template or plan.ensemble  # as the job does: the ensemble is yet to be made of a template
    files = _files(named)
    if not files:  # else nothing would be asked for
        raise InvalidInput(f"{arguments.ensemble} is a plan of {named}, which is not there", hint="make a new plan")
    return files


def _files(argument: str) -> list[Path]:
    """The file that a path means; none if there is none."""
    import zipfile

    try:
        path = Path(argument).expanduser().absolute()
        if path.is_dir() or zipfile.is_zipfile(path):
            from ansible_ensemble.ensembles.location import locate

            return [locate(path).ensemble]
        return [path] if path.is_file() else []
    except (EnsembleError, OSError, RuntimeError, ValueError):
        return []
