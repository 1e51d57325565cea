"""Rollback: a plan back to the specification and inputs of an earlier job."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ansible_ensemble.changes.history import find_job
from ansible_ensemble.changes.job_record import CHANGES, job_file_name
from ansible_ensemble.changes.record import JobRecord
from ansible_ensemble.core.changeid import is_job
from ansible_ensemble.core.errors import InvalidInput, shown_path
from ansible_ensemble.engine.plan import plan_workflow
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.ensembles.job_inputs import INPUT_PREFIX, kept_values
from ansible_ensemble.ensembles.location import Location
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.read import read_ensemble
from ansible_ensemble.planning.plan import Plan
from ansible_ensemble.projects.git import commit_that_added, repository_of

_WORKFLOW = "deploy"


def options_of_earlier(location: Location, job: str, options: JobOptions) -> JobOptions:
    """The options of a job that goes back to an earlier one: its commit and inputs; what came since is deleted.

    Raises:
        InvalidInput: there is no such job, it deployed nothing, or its specification is not in git.
    """
    folder = location.ensemble.parent
    record = find_job(folder, job) if is_job(job) else None
    if record is None:
        raise InvalidInput(f"there is no record of a job {job!r}", hint="see `ansible-ensemble history`")
    if record.job.workflow != _WORKFLOW:
        hint = f"name a {_WORKFLOW} job of `ansible-ensemble history`"
        raise InvalidInput(f"the job {job} is not a {_WORKFLOW} but a job to {record.job.workflow}", hint=hint)
    earlier = record.job.options
    lasting = kept_values({"inputs": record.job.inputs}, "inputs")
    chosen = replace(
        options,
        inputs={**lasting, **kept_values(earlier, "inputs"), **options.inputs},
        variables={**_inputs_only(kept_values(earlier, "variables")), **options.variables},
        environment=options.environment or earlier.get("environment"),
        prune=True,
    )
    return replace(chosen, revision=_revision(location, record.job, chosen))


def plan_rollback(ensemble: Ensemble, job: str, options: JobOptions) -> Plan:
    """The plan that deploys the earlier job's specification.

    Raises:
        EnsembleError: see `plan_workflow`.
    """
    plan = plan_workflow(ensemble, _WORKFLOW, options)
    files = " ".join(_changed_files(ensemble, str(options.revision)))
    if files:
        plan.warnings.append(
            f"This rolls back to the specification of job {job}. Your files are unchanged, and the next deploy follows "
            f"them. To keep the earlier specification: git checkout {str(options.revision)[:12]} -- {files}"
        )
    return plan


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
    """The commit that holds the specification of a job: the one it started from, or the one its record came with.

    Raises:
        InvalidInput: neither does.
    """
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
