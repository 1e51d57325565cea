"""Record: folds a journal into ensemble.yaml, changes/, jobs/ and jobs.tsv."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ansible_ensemble.changes.job_record import write_job
from ansible_ensemble.changes.jobs_tsv import FILE_NAME, append_job, last_job
from ansible_ensemble.changes.record import ChangeRecord, JobRecord, operation_name
from ansible_ensemble.core.clock import iso_time, job_time
from ansible_ensemble.documents.atomic import write_atomically
from ansible_ensemble.documents.emitter import emit_yaml
from ansible_ensemble.documents.writer import rewrite
from ansible_ensemble.documents.yaml import Document, parse_yaml
from ansible_ensemble.engine.journal_entries import Finished, JobStarted, Noted, OperationEntry
from ansible_ensemble.engine.outcome import JobOutcome
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.ensembles.job_inputs import JobInputs, as_declared
from ansible_ensemble.ensembles.location import naming
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.instances.instance import Instances
from ansible_ensemble.instances.lifecycle import makes, only_looks
from ansible_ensemble.instances.patch import apply_patch
from ansible_ensemble.instances.readiness import aggregate, overall
from ansible_ensemble.instances.status import Status
from ansible_ensemble.instances.status_document import write_given, write_instance
from ansible_ensemble.projects.gitfiles import ignore_local_files
from ansible_ensemble.records.job_journal import Folded, read_job_journal
from ansible_ensemble.records.journals import close_journal, job_log
from ansible_ensemble.records.outputs import present_outputs
from ansible_ensemble.records.report import job_report
from ansible_ensemble.records.repositories import keep_in_git


def fold(folded: Folded, ensemble: Ensemble) -> set[str]:
    """Apply a journal's patches to the instances; return the names of those it touched."""
    touched: set[str] = set()
    for entry in folded.entries:
        for patch in entry.patches if isinstance(entry, (OperationEntry, Noted)) else ():
            apply_patch(ensemble.instances, ensemble.codec.open_json(patch))
            touched.add(patch["name"])
    for begun in folded.interrupted:
        instance = ensemble.instances.get(begun.instance)
        if instance is not None and not (only_looks(begun.operation) or begun.operation == "run.command"):
            if makes(begun.reason, begun.operation.rpartition(".")[2], instance) and not instance.created:
                ensemble.instances.set_created(instance, begun.task)
            instance.local = Status.UNKNOWN
            touched.add(instance.name)
    _fold_inputs(folded, ensemble)
    return touched


def given_to(header: JobStarted) -> JobInputs:
    """The inputs of a job, from the first entry of its journal."""
    return JobInputs(header.job, header.workflow, _time(header.time, iso_time), header.options)


def _fold_inputs(folded: Folded, ensemble: Ensemble) -> None:
    """Keep the inputs of the job for later jobs; none once everything is undeployed."""
    instances = ensemble.instances
    instances.given = as_declared(
        given_to(folded.header).lasting(instances.given, ensemble.codec), instances.given, ensemble.topology
    )
    if folded.header.workflow == "undeploy":
        _end_inputs(instances)


def _end_inputs(instances: Instances) -> None:
    if not any(instance.created or instance.status.operational for instance in instances):
        instances.given = {}


def record_journal(ensemble: Ensemble, journal: Path, *, write: bool = True) -> dict[str, Any]:
    """Record the job of a journal and mark the journal as recorded; with `write` false, only report it."""
    if not write:
        return report_journal(ensemble, journal)
    report = record_job(ensemble, journal)
    close_journal(journal)
    return report


def record_job(ensemble: Ensemble, journal: Path) -> dict[str, Any]:
    """Record a job: the status into ensemble.yaml, its records, its line in jobs.tsv. Returns the job's report.

    The ensemble must be read under the lock, without the journal's changes. Recording the same journal twice gives the
    same files, so it can be repeated after a crash.
    """
    folded = read_job_journal(journal)
    if folded.is_dry_run:
        return report_journal(ensemble, journal)
    touched, options = fold(folded, ensemble), folded.header.options
    if not touched and options.get("command") and not options.get("save"):  # docs/rules.md, "Ad-hoc jobs"
        return report_journal(ensemble, journal)
    changed = _aggregate(ensemble) | touched | set(ensemble.moved.values())
    noted = len(ensemble.warnings)
    outputs = present_outputs(ensemble)
    ensemble.instances.outputs = outputs
    job = _job_record(ensemble, folded, outputs)
    tasks = _task_records(folded)
    report = job_report(folded)
    report["outputs"] = ensemble.redactor.data(outputs)
    report["warnings"] += ensemble.redactor.data(ensemble.warnings[noted:])
    report["job"] |= {"ensemble_status": job.status, "approved_by": job.approved_by}
    job.summary = report["job"]["summary"]
    ensemble.retained.keep(
        ensemble.topology,
        [i for i in map(ensemble.instances.get, sorted(touched)) if i is not None],
        ensemble.evaluator,
    )
    paths = write_job(ensemble.folder, job, tasks, ensemble.redactor, manifest=ensemble.path.name)
    _write_status(ensemble, job, changed, folded.header)
    append_job(ensemble.folder / FILE_NAME, job, tasks)
    report["job"]["record"] = str(paths[0])
    return report


def commit_job(ensemble: Ensemble, report: dict[str, Any], options: JobOptions) -> None:
    """Commit a recorded job; adds `commits` to its report, what went wrong to `problems`, and `warnings`."""
    job = report["job"]
    job["commits"] = {}
    start = read_job_journal(job_log(ensemble.folder, job["id"])).header
    kept = keep_in_git(ensemble, start, options, f"{job['workflow'].capitalize()} {job['id']}: {job['summary']}")
    job["commits"] = kept.commits
    report.setdefault("problems", []).extend(kept.problems)
    report["warnings"] += kept.notes


def report_journal(ensemble: Ensemble, journal: Path) -> dict[str, Any]:
    """The report of a journal, with its changes in memory only; those of a dry run are not applied."""
    folded = read_job_journal(journal)
    if not folded.is_dry_run:
        fold(folded, ensemble)
    _aggregate(ensemble)
    report = job_report(folded)
    report["job"]["ensemble_status"] = overall(ensemble.instances).value
    return report


def _aggregate(ensemble: Ensemble) -> set[str]:
    """Compute effective statuses; return the names of the instances whose status changed."""
    instances = ensemble.instances
    before = {instance.name: instance.effective for instance in instances}
    aggregate(instances, ensemble.requirements())
    return {
        instance.name
        for instance in instances
        if before[instance.name] is not instance.effective
        and not (before[instance.name] is None and instance.effective is instance.status)
    }


def _job_record(ensemble: Ensemble, folded: Folded, outputs: dict[str, Any]) -> JobRecord:
    header = folded.header
    return JobRecord(
        change_id=header.job,
        workflow=header.workflow,
        approved_by=ensemble.redactor.text(header.approved_by),
        previous_id=_previous(ensemble, header.job),
        start_time=_time(header.time),
        end_time=_time(folded.end_time),
        seconds=folded.seconds,
        options=ensemble.redactor.data(header.options),
        start_commit=header.commit or "",
        spec_digest=header.base.get("spec", ""),
        status=_status(ensemble, folded.outcome).value,
        outcome=folded.outcome.word,
        error=ensemble.redactor.text("" if folded.outcome.ok else folded.outcome.reason),
        outputs=ensemble.redactor.data(outputs),
        inputs={name: ensemble.codec.for_json(one.value) for name, one in ensemble.instances.given.items()},
    )


def _status(ensemble: Ensemble, outcome: JobOutcome) -> Status:
    """The status of the ensemble; pending if a failed job left no instances."""
    return overall(ensemble.instances) if outcome.ok or len(ensemble.instances) else Status.PENDING


def _previous(ensemble: Ensemble, job: str) -> str:
    last = ensemble.last_job
    if last.get("changeId") == job:  # it is recorded a second time
        return str(last.get("previousId") or "")
    previous = last.get("changeId") or last_job(ensemble.folder / FILE_NAME) or ""
    return "" if previous == job else str(previous)


def _time(seconds: float, form: Callable[[datetime], str] = job_time) -> str:
    try:
        return form(datetime.fromtimestamp(seconds, UTC))
    except (ValueError, OverflowError, OSError):  # a hand's edit
        return ""


def _task_records(folded: Folded) -> list[ChangeRecord]:
    """The records of the tasks; steps that have no implementation are not tasks."""
    records: dict[str, ChangeRecord] = {}  # by change id: of a task that was tried again, how it ended at last
    for entry in folded.entries:
        if isinstance(entry, Finished) and entry.implementation:
            records[entry.task] = _task_record(entry, folded, "ok" if entry.ok else "error")
    for begun in filter(lambda one: one.implementation, folded.interrupted):
        records[begun.task] = _task_record(begun.interrupted(), folded, "interrupted")
    return sorted(records.values(), key=lambda record: record.change_id)


def _task_record(entry: Finished, folded: Folded, outcome: str) -> ChangeRecord:
    interface, _separator, operation = entry.operation.rpartition(".")
    target = f"::{entry.instance}"
    if entry.relationship:
        target += f"::.requirements::{entry.relationship}"
    caller = folded.started.get(entry.key.rpartition(">")[0])
    return ChangeRecord(
        change_id=entry.task,
        part_of=caller.task if caller else "",
        target=target,
        operation=operation_name(interface, operation),
        class_name=entry.implementation or "",
        outcome=outcome,
        status=str(entry.own_patch.get("status") or ""),
        state=str(entry.own_patch.get("state") or ""),
        reason=entry.reason.value,
        start_time=_time(folded.started.get(entry.key, entry).time),
        end_time=_time(entry.time),
        seconds=entry.seconds,
        changed=entry.changed,
        inputs=dict(entry.inputs),
        changes={f"::{patch['name']}": patch["attributes"] for patch in entry.patches if patch.get("attributes")},
        dependencies=[
            {"ref": ref, **({"expected": entry.values[ref]} if ref in entry.values else {})}
            for ref in entry.reads
            if ref.startswith("::") or ref in entry.values
        ],
        outputs=dict(entry.outputs),
        messages=list(entry.messages),
        error=entry.error or "",
        result=dict(entry.result),
        digest_keys=list(entry.reads),
        digests=list(entry.reads.values()),
        digest_value=_digest_of_all(entry.reads) if entry.reads else "",
        digest_put=list(entry.wrote),
        summary=f"{entry.operation} on {entry.instance}: {'ok' if entry.ok else entry.error}",
    )


def _digest_of_all(reads: Mapping[str, str]) -> str:
    return hashlib.sha256("".join(reads.values()).encode()).hexdigest()[:16]


# -- ensemble.yaml ----------------------------------------------------------------------------------------------------


def _write_status(ensemble: Ensemble, job: JobRecord, changed: set[str], header: JobStarted) -> None:
    """Write the status, the last job, its lock section and the name of the log; every other byte of the file stays.

    A service template that the job was given is written as well.
    """
    document = ensemble.document or _new_document(ensemble)
    data = dict(document.data)
    section = status_section(ensemble, document.data.get("status") or {}, changed)
    data["status"] = {**section, "readyState": {"local": job.status}}
    data["lastJob"] = {
        key: value for key, value in job.to_json().items() if key != "givenInputs"
    }  # the status has them
    data["jobsLog"] = FILE_NAME
    if header.lock:
        data["lock"] = {**(document.data.get("lock") or {}), **header.lock}
    if template := header.options.get("service_template"):
        data = naming(data, template)
    write_atomically(ensemble.path, rewrite(document, data, prove=len(changed) <= 100))
    if ensemble.document is None:
        # what its jobs leave beside it is of this machine; the folder may become a repository later
        with suppress(OSError):
            ignore_local_files(ensemble.folder)


def _new_document(ensemble: Ensemble) -> Document:
    assert ensemble.template is not None
    spec = {"service_template": str(ensemble.template.relative_to(ensemble.folder))}
    text = emit_yaml({"apiVersion": "tosca-ensemble/v1", "kind": "Ensemble", "spec": spec})
    return parse_yaml(text, ensemble.path)


def status_section(ensemble: Ensemble, old: Mapping[str, Any], changed: set[str]) -> dict[str, Any]:
    """The `status` section; entries of unchanged instances are those of the old one."""
    instances = ensemble.instances
    section = dict(old)
    section["readyState"] = {"local": overall(instances).value}
    section.pop("givenInputs", None)
    if instances.given:
        before = old.get("givenInputs") or {}
        section["givenInputs"] = {
            name: write_given(one, ensemble.codec.for_yaml) if one.place is None else before[name]
            for name, one in instances.given.items()
        }
    if instances.outputs or old.get("outputs"):
        section["outputs"] = {name: ensemble.codec.for_yaml(value) for name, value in instances.outputs.items()}
    section["instances"] = _entries(ensemble, None, _children(instances), old.get("instances") or {}, changed)
    return section


def _children(instances: Instances) -> dict[str | None, list[str]]:
    children: dict[str | None, list[str]] = {}
    for instance in instances:
        host = instance.host if instance.host and instances.get(instance.host) else None
        children.setdefault(host, []).append(instance.name)
    return children


def _entries(
    ensemble: Ensemble,
    host: str | None,
    children: Mapping[str | None, list[str]],
    old: Mapping[str, Any],
    changed: set[str],
) -> Mapping[str, Any]:
    """The `instances` of one level. Depth is that of HostedOn, which is small."""
    entries: dict[str, Any] = {}
    same = True
    for name in children.get(host, ()):
        before = old.get(name)
        nested = _entries(ensemble, name, children, (before or {}).get("instances") or {}, changed)
        kept = before if name not in changed else None
        if kept is not None and nested is kept.get("instances", None if nested else nested):
            entries[name] = kept
            continue
        same = False
        instance = ensemble.instances.by_name[name]
        entry = write_instance(instance, ensemble.codec.for_yaml) if kept is None else dict(kept)
        if nested:
            entry["instances"] = nested
        else:
            entry.pop("instances", None)
        entries[name] = entry
    return old if same and list(entries) == list(old) else entries


def write_forgotten(ensemble: Ensemble, names: set[str]) -> None:
    """Write the status without these instances."""
    for name in names:
        ensemble.instances.remove(name)
    _end_inputs(ensemble.instances)
    write_edited(ensemble, set())


def write_edited(ensemble: Ensemble, edited: set[str]) -> None:
    """Write the status after instances were edited in memory, without a job."""
    document = ensemble.document or _new_document(ensemble)
    changed = _aggregate(ensemble) | edited | set(ensemble.moved.values())
    data = dict(document.data)
    data["status"] = status_section(ensemble, document.data.get("status") or {}, changed)
    write_atomically(ensemble.path, rewrite(document, data))
