"""Looking at ensembles and mending their records, as the collection's action plugins call it.

The work is that of the commands of the same names (`jobs.commands`); `action` is the running plugin.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.jobs import commands, inspection
from ansible_ensemble.jobs.inputs import surveys
from ansible_ensemble.jobs.play import located, session_of, vault_of
from ansible_ensemble.jobs.results import job_result
from ansible_ensemble.jobs.stored_state import fetch_state
from ansible_ensemble.language.given import refuse_computed
from ansible_ensemble.projects import lock as locks
from ansible_ensemble.records.current import collided_jobs
from ansible_ensemble.records.drift import last_drift
from ansible_ensemble.reports.drift_text import drift_lines
from ansible_ensemble.reports.history_text import history_text
from ansible_ensemble.reports.outputs_text import outputs_text
from ansible_ensemble.reports.status_text import status_text
from ansible_ensemble.reports.style import Style


def info(
    ensemble: str,
    *,
    gather: Collection[str],
    last: int | None,
    options: Mapping[str, Any],
    action: Any,
    task_vars: Mapping[str, Any],
) -> dict[str, Any]:
    """What is recorded of an ensemble: any of `status`, `outputs`, `history` (its `last` jobs) and `drift`."""
    location = located(ensemble)
    given = {**options, "vault": vault_of(action), "session": session_of(action, task_vars, location)}
    result: dict[str, Any] = {"changed": False, "ensemble": str(location.ensemble)}
    texts = []
    if "status" in gather:
        found = inspection.status(ensemble, given)
        result |= found if "outputs" in gather else {name: found[name] for name in found if name != "outputs"}
        texts.append(status_text({**found, "outputs": {}}))
    elif "outputs" in gather:
        result["outputs"] = inspection.outputs(ensemble, given)
    if "outputs" in gather:
        outputs = result["outputs"]
        texts.append("\n".join(outputs_text(outputs)) + "\n" if outputs else "There are no outputs.\n")
    if "history" in gather:
        result["history"] = inspection.history(ensemble, given, limit=last)["jobs"]
        texts.append(history_text(result["history"]))
    if "drift" in gather:
        fetch_state(location.ensemble, JobOptions.from_mapping(given))
        result["drift"] = last_drift(location.ensemble.parent)
        drifted = (result["drift"] or {}).get("instances") or []
        texts.append("\n".join([*drift_lines(drifted, Style(), verbose=True), ""]))
    return result | {"text": "\n".join(filter(str.strip, texts))}


def validate(ensemble: str, *, part: bool, options: Mapping[str, Any], action: Any) -> dict[str, Any]:
    """Everything that is wrong with an ensemble, a service template or an archive."""
    refuse_computed(options.get("inputs", {}))
    session = session_of(action, {}, located(ensemble))
    given = {**options, "vault": vault_of(action), "session": session}
    (found,) = inspection.validate([ensemble], given, part=part)["files"]
    texts = [error["text"] for error in found["errors"]]
    result = {"changed": False, "valid": not texts, "counts": found["counts"], "file": found["file"]}
    result |= {name: found[name] for name in ("missing_inputs", "errors", "warnings", "notices")}
    return result | ({"failed": True, "msg": "\n".join(texts), "exit_code": InvalidInput.exit_code} if texts else {})


def survey(ensemble: str, further: Sequence[str], *, options: Mapping[str, Any], action: Any) -> dict[str, Any]:
    """What `surveys` makes of ensembles."""
    given = JobOptions.from_mapping({**options, "vault": vault_of(action)})
    return {"changed": False, **surveys([located(one) for one in (ensemble, *further)], given)}


def recover(ensemble: str, *, options: Mapping[str, Any], action: Any) -> dict[str, Any]:
    """Record what killed jobs did, and unite what a git merge left in conflict."""
    location = located(ensemble)
    found = commands.recover(ensemble, {**options, "vault": vault_of(action)})
    if "job" in found:
        result = job_result(found, {}, location.ensemble)
        return {"changed": True, **{name: result[name] for name in result if name != "plan"}}
    if "merged" in found:
        return {"changed": True, "merged": found["merged"], "notes": found["check"]}
    notes = found.get("freed", [])
    return {"changed": bool(set(notes) - set(collided_jobs(location.ensemble.parent))), "notes": notes}


def unlock(ensemble: str, *, lock_id: str, options: Mapping[str, Any], action: Any) -> dict[str, Any]:
    """Remove the lock of this id; an ensemble that is not locked stays so."""
    located(ensemble)
    try:
        commands.unlock(ensemble, lock_id, {**options, "vault": vault_of(action)})
    except locks.NotLocked:
        return {"changed": False}
    return {"changed": True}


def adopt(
    ensemble: str,
    *,
    instance: str,
    attributes: Mapping[str, Any],
    options: Mapping[str, Any],
    check: bool,
    action: Any,
) -> dict[str, Any]:
    """Record an existing instance with these attributes, without checking it."""
    located(ensemble)
    return commands.adopt(ensemble, instance, attributes, {**options, "vault": vault_of(action), "check": check})


def forget(
    ensemble: str, *, instances: Collection[str], options: Mapping[str, Any], check: bool, action: Any
) -> dict[str, Any]:
    """Remove instances from the status, and nothing else."""
    located(ensemble)
    given = {**options, "vault": vault_of(action), "check": check}
    found = commands.forget(ensemble, list(instances), given, again=True)
    unknown = [name for name in instances if name not in found["forgotten"]]
    warnings = [f"not recorded, so there is nothing to forget of them: {', '.join(unknown)}"] if unknown else []
    return {"changed": bool(found["forgotten"]), "forgotten": found["forgotten"], "warnings": warnings}
