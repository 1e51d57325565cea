"""The state of an ensemble where it does not live in its folder, for jobs and for those who look (docs/state.md)."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible_ensemble.core.errors import EnsembleError, InvalidInput, Place, UsageError
from ansible_ensemble.core.regex import regex
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.ensembles.location import Location, locate
from ansible_ensemble.ensembles.merge_directives import expanded
from ansible_ensemble.ensembles.merging import read_merged
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.projects import lock as locks
from ansible_ensemble.projects.environment import Environment
from ansible_ensemble.projects.environment_layers import load_environment
from ansible_ensemble.projects.project import home_file, project_file
from ansible_ensemble.records.current import read_recovered

if TYPE_CHECKING:
    from ansible_ensemble.state.copy import StateCopy

#: Set to have commands that look use the state as it was fetched last.
OFFLINE = "ANSIBLE_ENSEMBLE_OFFLINE"

_SECTION = regex(rb"""^\s*(["']?(environment|context)["']?\s*:|["']?\+|\{)""", re.MULTILINE)


def state_copy(ensemble: Path, options: JobOptions) -> StateCopy | None:
    """The copy of an ensemble's state, and where it lives; None if that is the ensemble's folder."""
    environment = _environment(ensemble, options.environment) if _mentions(ensemble, b"state") else None
    if environment is None or environment.state is None:
        return None
    if not environment.trusted:
        hint = f"`ansible-ensemble trust {environment.root}`, or {OFFLINE}=1 to use what is here"
        raise EnsembleError("the project names a remote state, and is not trusted", hint=hint)
    from ansible_ensemble.state.copy import StateCopy  # here, for few states live elsewhere
    from ansible_ensemble.state.location import resolved_values

    environment.vault = options.open_vault()
    environment.vault.take(environment.take_vault_passwords())
    values = resolved_values(environment.state, ensemble, environment)
    return StateCopy(ensemble, environment.state.kind, values, environment.vault)


def fetch_state(ensemble: Path, options: JobOptions) -> list[str]:
    """Fetch the newest state without locking it, and those that it selects from; returns notices."""
    return [*_fetched(ensemble, options), *fetch_externals(ensemble, options)]


def fetch_externals(ensemble: Path, options: JobOptions) -> list[str]:
    """Fetch the newest states of the ensembles that one selects from, and of those that they select from."""
    notices, seen, waiting = [], {ensemble}, [ensemble]
    while waiting:
        ensemble = waiting.pop()
        environment = _environment(ensemble, options.environment) if _mentions(ensemble, b"external") else None
        named = {one.ensemble for one in environment.external.values()} if environment is not None else set()
        for external in sorted(named - seen):
            if external.parent.is_dir():
                notices += _fetched(external, options)
        waiting += named - seen
        seen |= named
    return notices


def _fetched(ensemble: Path, options: JobOptions) -> list[str]:
    if os.environ.get(OFFLINE, "").lower() not in ("", "0", "no", "false"):
        return []
    copy = state_copy(ensemble, options)
    if copy is None:
        return []
    try:
        notice = copy.fetch()
    except EnsembleError as error:
        error.hint = "; ".join(filter(None, (error.hint, f"{OFFLINE}=1 uses what was fetched last")))
        raise
    return [notice] if notice else []


def read_current(location: Location, options: JobOptions) -> Ensemble:
    """Read an ensemble to look at it, with its newest state and what killed jobs did."""
    notices = fetch_state(location.ensemble, options)
    read = read_recovered(location, options, write=False)
    read.warnings[:0] = notices
    return read


def push_state(ensemble: str, options: Mapping[str, Any], *, forced: bool = False) -> dict[str, Any]:
    """Bring the state here to where it lives: `{"where", "pushed"}`; by force, in the place of what is there.

    Raises:
        Locked: a job is at work.
    """
    location, job_options = locate(ensemble), JobOptions.from_mapping(options)
    copy = _elsewhere(location, job_options)
    with locks.locked(location.ensemble, "state push") as lock:
        pushed = copy.bring(lock, forced=forced)
    return {"where": copy.where, "pushed": pushed}


def pull_state(ensemble: str, options: Mapping[str, Any], *, forced: bool = False) -> dict[str, Any]:
    """Have the newest state here: `{"where"}`; by force, in the place of what is here.

    Raises:
        Locked: a job is at work.
    """
    location, job_options = locate(ensemble), JobOptions.from_mapping(options)
    copy = _elsewhere(location, job_options)
    with locks.locked(location.ensemble, "state pull"):
        copy.replace(forced=forced)
    return {"where": copy.where}


def _elsewhere(location: Location, options: JobOptions) -> StateCopy:
    copy = state_copy(location.ensemble, options)
    if copy is None:
        hint = "name a location as `state` of an environment"
        raise UsageError("the state lives in the ensemble's folder", Place(str(location.ensemble)), hint)
    return copy


def _mentions(ensemble: Path, key: bytes) -> bool:
    """Whether any file may have a key of environments, by its text; most do not, and then nothing is read twice."""
    try:
        projects = [file.read_bytes() for file in (project_file(ensemble), home_file()) if file is not None]
        if any(key in text or b"+" in text for text in projects):  # or a key that merges others
            return True
        text = ensemble.read_bytes() if ensemble.is_file() else b""
        return key in text and _SECTION.search(text) is not None
    except OSError:
        return False  # whoever reads it reports the error


def _environment(ensemble: Path, name: str | None) -> Environment | None:
    try:
        data = expanded(read_merged(ensemble) if ensemble.exists() else None, name)
        return load_environment(ensemble, data, name)
    except InvalidInput:
        return None
