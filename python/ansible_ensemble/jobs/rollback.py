"""Rollback: a plan back to the specification and inputs of an earlier job."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ansible_ensemble.changes.history import find_job
from ansible_ensemble.changes.job_record import CHANGES, job_file_name
from ansible_ensemble.changes.record import JobRecord
from ansible_ensemble.core.changeid import is_job
from ansible_ensemble.core.errors import InvalidInput, shown_path
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.ensembles.job_inputs import INPUT_PREFIX, kept_values
from ansible_ensemble.ensembles.location import Location
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_ensemble
from ansible_ensemble.projects.git import commit_that_added, repository_of

#: The workflow of jobs that can be gone back to.
WORKFLOW = "deploy"


def at_earlier(
    location: Location, options: JobOptions, fetch: Callable[[JobOptions], None] = lambda _: None
) -> JobOptions:
    """The options, with the commit and the inputs of the job that they go back to, if they go back to one.

    What came since is deleted. The commit is found anew where a saved plan is executed, and never taken from its file.
    `fetch` has the state here, and does so again where that job was of another environment.
    """
    fetch(options)
    if options.rollback is None or options.revision is not None:
        return options
    job, folder = options.rollback, location.ensemble.parent
    record = find_job(folder, job) if is_job(job) else None
    if record is None:
        raise InvalidInput(f"there is no record of a job {job!r}", hint="see `ansible-ensemble history`")
    if record.job.workflow != WORKFLOW:
        hint = f"name a {WORKFLOW} job of `ansible-ensemble history`"
        raise InvalidInput(f"the job {job} is not a {WORKFLOW} but a job to {record.job.workflow}", hint=hint)
    earlier = record.job.options
    lasting = kept_values({"inputs": record.job.inputs}, "inputs")
    chosen = replace(
        options,
        inputs={**lasting, **kept_values(earlier, "inputs"), **options.inputs},
        variables={**_inputs_only(kept_values(earlier, "variables")), **options.variables},
        environment=options.environment or earlier.get("environment"),
        prune=True,
    )
    if chosen.environment != options.environment:
        fetch(chosen)
    return replace(chosen, revision=_revision(location, record.job, chosen))


def rollback_warnings(ensemble: Ensemble, options: JobOptions) -> list[str]:
    """What is to be known of a plan that goes back: the files are not those that it follows."""
    files = " ".join(_changed_files(ensemble, options.revision)) if options.rollback and options.revision else ""
    if not files:
        return []
    return [
        f"This rolls back to the specification of job {options.rollback}. Your files are unchanged, and the next "
        f"deploy follows them. To keep the earlier specification: git checkout {str(options.revision)[:12]} -- {files}"
    ]


def _inputs_only(variables: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in variables.items() if name.startswith(INPUT_PREFIX)}


def _changed_files(ensemble: Ensemble, revision: str) -> list[str]:
    """The specification's files that are others now than in the commit; ensemble.yaml holds the status as well."""
    root = repository_of(ensemble.folder)
    changed = set()
    for file in ensemble.topology.files:
        below = file.parts[file.parts.index(revision) + 1 :] if revision in file.parts else ()
        now = root.joinpath(*below) if root is not None and below else ensemble.path
        if now != ensemble.path and not (now.is_file() and now.read_bytes() == file.read_bytes()):
            changed.add(shown_path(str(now)))
    return sorted(changed)


def _revision(location: Location, job: JobRecord, options: JobOptions) -> str:
    """The commit that holds the specification of a job: the one it started from, or the one its record came with."""
    root = repository_of(location.ensemble.parent)
    if root is None:
        raise InvalidInput("the ensemble is in no git repository", hint="earlier specifications are in git only")
    record = location.ensemble.parent / CHANGES / f"{job_file_name(job.change_id)}.yaml"
    candidates = [commit for commit in (job.start_commit, commit_that_added(root, record)) if commit]
    for commit in candidates:
        try:
            read = read_ensemble(location, replace(options, revision=commit))
        except InvalidInput:
            continue
        if not job.spec_digest or read.base["spec"] == job.spec_digest:
            return commit
    hint = "commit changes before you deploy them; --dirty abort enforces it"
    raise InvalidInput(f"the specification of job {job.change_id} is in no commit", hint=hint)
