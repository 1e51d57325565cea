"""The verbs of a job as the collection's action plugins call them: plain values in, plain maps out."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ansible_ensemble.core.diffs import masked_result
from ansible_ensemble.core.errors import UsageError
from ansible_ensemble.core.orders import Host
from ansible_ensemble.core.processor_time import collect_rarely
from ansible_ensemble.core.sensitive import Redactor, reveal
from ansible_ensemble.engine.inventory_hosts import check_inventory
from ansible_ensemble.engine.outcome import JobOutcome
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.ensembles.hosts import (
    HostFinder,
    group_hosts,
    group_name,
    group_variables,
    groups_of,
    inventory_groups,
)
from ansible_ensemble.ensembles.job_inputs import (
    given_variables,
    options_of_job,
    remove_secret_inputs,
    remove_stale_inputs,
    save_secret_inputs,
)
from ansible_ensemble.ensembles.options import JobOptions, options_by_variable
from ansible_ensemble.ensembles.read import read_again, read_ensemble
from ansible_ensemble.execution.workers import AnsibleWorker
from ansible_ensemble.instances.instance import Instance
from ansible_ensemble.jobs import locking
from ansible_ensemble.jobs.callback_events import CallbackEvents
from ansible_ensemble.jobs.play import located, session_of, vault_of
from ansible_ensemble.jobs.results import job_result, lock_result
from ansible_ensemble.jobs.rollback import at_earlier
from ansible_ensemble.jobs.run import run_plan
from ansible_ensemble.jobs.stored_state import fetch_state, read_current
from ansible_ensemble.lanes.core_callbacks import Audience, TaskEvent, audience, install
from ansible_ensemble.language.given import refuse_computed
from ansible_ensemble.planning.plan import KIND, Plan
from ansible_ensemble.projects import lock as locks
from ansible_ensemble.projects.approval import approver
from ansible_ensemble.projects.controller import launched_template, running_job
from ansible_ensemble.projects.folders import PLANNED
from ansible_ensemble.projects.process import Presence, presence
from ansible_ensemble.projects.project import in_repository
from ansible_ensemble.records.current import read_recovered
from ansible_ensemble.records.drift import LOOKING
from ansible_ensemble.records.job_journal import read_job_journal
from ansible_ensemble.records.job_plan import plan_job
from ansible_ensemble.records.journals import drop_dry_runs
from ansible_ensemble.records.record import commit_job, record_journal
from ansible_ensemble.records.repositories import check_upstreams, check_working_trees
from ansible_ensemble.records.saved_plans import (
    SavedPlan,
    check_aims,
    check_fresh,
    check_purpose,
    confirmed_plan,
    decoded_plan,
    drop_plans,
    is_kept,
    is_of_job,
    keep_plan,
    load_plan,
    note_inventory,
    save_plan,
)
from ansible_ensemble.reports.drift_text import is_sound
from ansible_ensemble.reports.inputs_text import RESET
from ansible_ensemble.reports.job_text import job_text
from ansible_ensemble.reports.names import key_title
from ansible_ensemble.reports.plan_text import plan_text

#: How many operations that failed are named.
_NAMED = 3


def lock(
    ensemble: str,
    *,
    state: str,
    operation: str,
    lock_id: str | None,
    timeout: float,
    pid: int,
    environment: str | None = None,
    plan_file: str | None = None,
    plan_document: str | None = None,
    action: Any = None,
) -> dict[str, Any]:
    """Take the lock of an ensemble for a process, and that of all its clones, or release them.

    A state that lives elsewhere is fetched with the lock, and pushed before it is released. Where no environment is
    given, it is that of the saved plan that is going to be executed, if there is one.

    Raises:
        Locked: another job holds one of them.
    """
    path = located(ensemble).ensemble
    if environment is None and (plan_document is not None or plan_file):
        plan, _file = decoded_plan(plan_document) if plan_document is not None else load_plan(Path(plan_file or ""))
        environment = plan.options.get("environment")
    options = JobOptions(environment=environment, lock_timeout=timeout, vault=vault_of(action))
    notices: list[str] = []
    if state == "absent":
        held = locks.read_lock(path)
        if held is None or held.id != lock_id:
            return {"changed": False, "lock": {}}
        _clear(path.parent / PLANNED)
        freed, left = locking.free(path, held, options)
        return {"changed": freed, "lock": {}, "warnings": [left] if left else []}
    if lock_id is not None:
        taken = locks.adopt(path, lock_id, pid=pid)
    else:
        job = running_job(os.environ, getattr(action, "variables", {}))
        taken = locking.acquire(path, operation, options, pid=pid, notice=notices.append, job=job).local
        drop_plans(path.parent / PLANNED)
    return {"changed": True, "lock": lock_result(taken, environment), "warnings": notices}


def plan(
    ensemble: str,
    *,
    workflow: str,
    options: Mapping[str, Any],
    plan_file: str | None,
    check: bool,
    diff: bool,
    action: Any,
    task_vars: Mapping[str, Any],
    say: Callable[[str], str] = str,
) -> dict[str, Any]:
    """Record what a killed job left, where the lock is held; plan, and save the plan.

    The action is the running plugin, with the variables that it was given; `say` turns a message about options of the
    command into one about variables.
    """
    refuse_computed(options.get("inputs", {}))
    location = located(ensemble)
    given = {**options, "check": check, "diff": diff, "vault": vault_of(action)}
    job_options = JobOptions.from_mapping({**given, "session": session_of(action, task_vars, location)})
    locked = locking.holder(location.ensemble) is not None
    # without the lock, an open journal may be that of a job which runs
    read = read_recovered(location, job_options, write=not check) if locked else read_current(location, job_options)
    check_upstreams(read, job_options)
    made = plan_job(read, workflow, job_options)
    if plan_file or not locked:
        note_inventory(made, read)
    if running_job(os.environ, {}) is not None:  # its folder is gone when another executes the plan
        made.ensemble = in_repository(made.ensemble, location.ensemble.parent)
    if plan_file:
        Path(plan_file).parent.mkdir(parents=True, exist_ok=True)
        saved = save_plan(made.to_text(), Path(plan_file))
    else:
        saved = keep_plan(made.to_text(), read.planned, locked=locked)
    if locked:
        save_secret_inputs(read.planned, job_options, read.topology, read.codec, plan=saved.digest)
    document = made.to_json()
    excluded = [{**item, "reason": say(item["reason"])} for item in document["excluded"]]
    shown = {**document, "excluded": excluded, "warnings": [say(text) for text in document["warnings"]]}
    shown["reset"] = say(RESET)
    return {
        "changed": bool(plan_file) and saved.changed,
        "plan": {name: document[name] for name in document if name not in KIND},  # which marks the file
        "plan_file": str(saved.path),
        "plan_digest": saved.digest,
        "text": read.redactor.text(plan_text(shown)),
    }


def execute(
    action: Any,
    task_vars: Mapping[str, Any],
    *,
    ensemble: str,
    workflow: str,
    plan_file: str | None,
    plan_digest: str | None,
    options: Mapping[str, Any],
    plan_document: str | None = None,
    show: bool = True,
) -> dict[str, Any]:
    """Carry out a saved plan, of a file or given as a document in base64, inside an Ansible action.

    Each line that is shown costs Ansible an event, often more than the operation; readers of the journal need none.
    """
    from ansible.utils.display import Display

    from ansible_ensemble.lanes.ansible_lanes import AnsibleLanes
    from ansible_ensemble.lanes.surroundings import Surroundings

    collect_rarely()
    display = Display()
    location = located(ensemble)
    if plan_document is not None:
        saved, kept = decoded_plan(plan_document, plan_digest)
    else:
        saved, kept = _load_plan(Path(plan_file or ""), plan_digest)
    check_purpose(saved, kept.path, location.ensemble, workflow)
    check_aims(saved, kept.path, options)
    held = locking.adopt_held(location.ensemble)
    is_begun_here = held.process.pid in (os.getppid(), os.getpid())  # else by the command, whose user gave the inputs
    if is_begun_here:
        refuse_computed(options.get("inputs", {}))
    remove_stale_inputs(location.ensemble.parent / PLANNED, kept.digest)
    given = options_by_variable(options) | {"vault": vault_of(action)}
    session = given["session"] = session_of(action, task_vars, location)
    job_options = at_earlier(location, options_of_job(saved.options, given, location.ensemble.parent / PLANNED))
    job_options.jobs, job_options.fast = given.get("jobs", 0), given.get("fast", True)
    if job_options.check:
        read = read_ensemble(location, job_options, keep_key=True)
    else:
        read = read_recovered(location, job_options, write=True, keep_key=True)
    check_inventory(read, job_options)
    if is_of_job(kept.path):
        check_fresh(saved, read)
    else:
        saved = confirmed_plan(saved, kept, read_ensemble(location, job_options), job_options, options)
    save_secret_inputs(read.planned, job_options, read.topology, read.codec, plan=kept.digest)
    job_options.complete(read.environment.execution)
    if is_begun_here:  # else the command has looked before it asked for approval
        check_working_trees(read, job_options)
    session.add_plugins([read.root, read.folder])
    session.add_variables(reveal(given_variables(job_options, read.codec)))
    session.groups = group_hosts(read.topology, read.instances)

    heard = audience(output=show)

    def make_lanes() -> AnsibleWorker:
        return AnsibleLanes(
            session,
            executors=job_options.parallel,
            fast=job_options.fast,
            deny=frozenset(job_options.stock_modules),
            on_display=lambda method, args, kwargs: getattr(display, method)(*read.redactor.data(args), **kwargs),
            on_task=partial(_tell_task, heard, read.redactor) if heard else None,
            root=read.root,
        )

    outcome, journal = run_plan(
        read,
        saved,
        job_options,
        make_lanes,
        show=display.display,
        watch=locking.watch(read.path, held, read.environment),
        start_upload=locking.journal_upload(read.path, held, job_options),
        progress=show,
        shown=heard is not None and heard.shows,
        verbosity=display.verbosity,
        inventory=session.known_hosts(),
        observers=[_callback_events(heard, read, saved, diff=job_options.diff)] if heard else [],
        approved_by="" if job_options.check or saved.workflow in LOOKING else approver(held, os.environ),
        plan_digest=kept.digest,
        surroundings=partial(Surroundings, session, read.root),
    )
    ended = outcome.signal is not None or presence(held.process) is Presence.GONE
    if ended and not job_options.check and not outcome.lost_lock:
        left = _wind_up(read, job_options, journal, held)
        if left:
            display.warning(left)
    return execution_result(outcome) | {"journal": str(journal)}


def hear_operations() -> None:
    """Have the callbacks of this process told of the operations of jobs in the workers that are forked from it."""
    install()


def _tell_task(heard: Audience, redactor: Redactor, event: TaskEvent) -> None:
    heard.send(replace(event, name=redactor.text(event.name), result=masked_result(dict(event.result), redactor)))


def _callback_events(heard: Audience, read: Ensemble, plan: Plan, *, diff: bool) -> CallbackEvents:
    templates = read.topology.node_templates
    return CallbackEvents(
        heard.send,
        {operation.key: operation for operation in plan.operations},
        lambda name: templates[name].place if name in templates else None,
        diff,
    )


def _load_plan(path: Path, digest: str | None) -> tuple[Plan, SavedPlan]:
    if digest is None and is_kept(path):
        raise UsageError(f"{path} can only be used with its digest", hint="give plan_digest too")
    return load_plan(path, digest)


def execution_result(outcome: JobOutcome) -> dict[str, Any]:
    """The outcome of a job as that of an Ansible task."""
    return {
        "changed": outcome.changed,
        "failed": not outcome.ok,
        "job": {"id": outcome.job, "counts": outcome.counts, "stopped": outcome.stopped},
        **({} if outcome.ok else {"msg": _why(outcome), "exit_code": outcome.exit_code}),
    }


def _why(outcome: JobOutcome) -> str:
    """Why a job is not ok, and of the first operations that failed why they did."""
    causes = [f"{key_title(key)}: {error}" for key, error in list(outcome.errors.items())[:_NAMED]]
    more = len(outcome.errors) - len(causes)
    return "\n".join([outcome.reason, *causes, *([f"... ({more} more)"] if more else [])])


def _wind_up(ensemble: Ensemble, options: JobOptions, journal: Path, held: locks.Lock) -> str | None:
    """A playbook that was interrupted or killed runs no further task: record the job and free its lock here.

    Returns what to report if the global lock could not be released.
    """
    if held.process.pid == os.getppid() or presence(held.process) is Presence.GONE:
        recorded = read_again(ensemble, options)  # the instances at hand have the job's changes already
        report = record_journal(recorded, journal)
        if options.commits:
            commit_job(recorded, report, options)
        _clear(ensemble.planned)
        return locking.free(ensemble.path, held, options)[1]
    return None


def _clear(planned: Path) -> None:
    """Remove what a job leaves among the planned files: the lock is still held, the job has ended."""
    remove_secret_inputs(planned)
    drop_plans(planned)
    drop_dry_runs(planned)


def record(
    ensemble: str,
    *,
    journal: str,
    options: Mapping[str, Any],
    check: bool,
    action: Any,
    task_vars: Mapping[str, Any],
    say: Callable[[str], str] = str,
) -> dict[str, Any]:
    """Record a job from its journal, and commit it if asked to; a dry run writes nothing. Arguments as for `plan`."""
    location = located(ensemble)
    begun = read_job_journal(Path(journal)).header
    recorded = begun.options
    check = check or bool(recorded.get("check"))  # a dry run is none the less one if only its record is not a dry run
    session = session_of(action, task_vars, location)
    job_options = options_of_job(
        {**recorded, "check": check, **{name: bool(options.get(name)) for name in ("commit", "push")}},
        {**options_by_variable(options), "vault": vault_of(action), "session": session},
        location.ensemble.parent / PLANNED,
    )
    with nullcontext() if check else locking.recording(location.ensemble, locking.is_ours):
        read = read_ensemble(location, job_options)
        report = record_journal(read, Path(journal), write=not check)
        if job_options.commits:
            commit_job(read, report, job_options)
    if not check and (left := locking.bring_state(location.ensemble, job_options)):
        report.setdefault("problems", []).append(left)
    report["job"]["check"] = check
    problems = [say(text) for text in report.get("problems") or ()]
    if problems:
        report["job"]["exit_code"] = report["job"]["exit_code"] or 1
    shown = {**report, "problems": problems, "warnings": [say(text) for text in report["warnings"]]}
    text = read.redactor.text(job_text(shown, template=launched_template(os.environ, action.variables)))
    return {
        "changed": report["changed"],
        **({"failed": True, "msg": "; ".join(problems)} if problems else {}),
        **read.redactor.data(job_result(report, begun.summary, location.ensemble)),
        "sound": is_sound(report),
        "text": text,
    }


def inventory(path: str, *, loader: Any = None) -> dict[str, Any]:
    """Instances as inventory hosts, and groups of the topology; Ansible's DataLoader has the vault passwords.

    Returns:
        `instances`, each with how it is reached (`connection`), the machine that other sources may know (`machine`),
        whether it is a machine itself, what is recorded, and its groups; `groups` and `group_vars` of the topology.
    """
    location, options = located(path), JobOptions(vault=vault_of(loader), inventory=None)
    fetch_state(location.ensemble, options)
    read = read_ensemble(location, options)
    groups: dict[str, list[str]] = {}
    shared: dict[str, dict[str, Any]] = {}
    for group, members in inventory_groups(read.topology):  # several may have one name for Ansible
        name = group_name(group.name)
        shared.setdefault(name, {}).update(group_variables(group, read.evaluator))
        known = groups.setdefault(name, [])
        known += [one.name for one in read.instances if one.template in members and one.name not in known]
    finder = HostFinder(read.evaluator, read.instances, frozenset())
    instances = {one.name: _inventory_host(one, read, finder) for one in read.instances}
    return {"instances": instances, "groups": groups, "group_vars": shared}


def _inventory_host(instance: Instance, ensemble: Ensemble, finder: HostFinder) -> dict[str, Any]:
    template = ensemble.topology.node_templates[instance.template]
    machine, outermost = finder.machine(instance), finder.outermost(instance)
    reached = machine if machine is not None and machine.name != Host().name else None
    is_machine = _is_machine(outermost, ensemble)
    local = {} if is_machine else {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
    return {
        "connection": local if reached is None else reached.variables,
        "machine": outermost.name if is_machine and reached is None and outermost is not instance else None,
        "is_machine": outermost is instance and (is_machine or reached is not None),
        "groups": groups_of(template, instance, ensemble.topology),
        "recorded": {
            "name": instance.name,
            "template": instance.template,
            "type": template.type.name,
            "status": instance.status.value,
            "state": instance.state.value if instance.state else None,
            "properties": reveal(instance.properties),
            "attributes": reveal(instance.attributes),
        },
    }


def _is_machine(instance: Instance, ensemble: Ensemble) -> bool:
    """Whether an instance is a machine: without an address, it is for other sources to say how it is reached."""
    return ensemble.topology.node_templates[instance.template].type.is_a("tosca.nodes.Compute")
