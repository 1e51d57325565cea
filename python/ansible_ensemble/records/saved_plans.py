"""Saved plans: each has a file and a digest, and is executed as it is or refused."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from ansible_ensemble.core.errors import EnsembleError, InvalidInput, UsageError
from ansible_ensemble.core.option import PLAN, options_of
from ansible_ensemble.core.sensitive import is_sensitive, reveal
from ansible_ensemble.documents.atomic import write_atomically
from ansible_ensemble.documents.paths import is_there
from ansible_ensemble.documents.private import make_private
from ansible_ensemble.engine.plan import plan_workflow
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.ensembles.job_inputs import given_inputs, given_variables, kept_values
from ansible_ensemble.ensembles.options import OPTIONS, JobOptions
from ansible_ensemble.ensembles.spec_digests import inventory_digests
from ansible_ensemble.ensembles.used_files import VERSION, FileDigests, surroundings
from ansible_ensemble.planning.options import PlanOptions
from ansible_ensemble.planning.plan import Plan, is_plan
from ansible_ensemble.planning.plan_difference import plan_difference
from ansible_ensemble.projects.folders import PLANNED
from ansible_ensemble.projects.project import repository_root

#: Workflows that have a command of their name.
_OF_COMMANDS = ("deploy", "undeploy", "check", "discover", "start", "stop", "run")

#: How the names of plans without a given name begin: one of a job, under its lock; one that no job has taken yet.
_OF_JOBS, _OF_NOBODY = "job-plan-", "plan-"
#: Seconds that a plan is kept for a job to come.
_KEPT = 24 * 60 * 60.0
_ANEW = "make a new plan"
_MOST_NAMED = 5
#: What a plan is made from -> the verb of its name, and what to do where it is another.
_BASE = {
    "spec": ("has", "make a new one"),
    "status": ("has", "make a new one"),
    "inputs": ("have", "make a new one, or give none: the plan has its own"),
    "variables": ("have", "make a new one, or give none (-e): the plan has its own"),
    "hosts": ("have", "make a new one, or give the inventory (-i) that it was made with"),
}

#: Options that say what is planned, with what each is where it is not given; what a plan is for is one of them.
_AIMS = {"environment": None} | {one.name: one.default for one in options_of(PlanOptions)}

#: Options that are a plan's to decide: how its job is run and recorded, and by which passwords, its file cannot say.
_DECIDED = frozenset(one.name for one in OPTIONS if one.decided == PLAN)

#: Values that a plan was given, with what opens those that it keeps encrypted.
_VALUES = {"inputs": given_inputs, "variables": given_variables}


class SavedPlan(Struct, frozen=True):
    """Where a plan is saved.

    Attributes:
        path: its file.
        digest: of the file's content: it shows whether the plan to execute is still this one.
        changed: whether the file was not there, or had other content.
        document: its content, where it was read.
    """

    path: Path
    digest: str
    changed: bool = False
    document: Mapping[str, Any] = field(default_factory=dict)


def save_plan(text: str, path: Path) -> SavedPlan:
    """Write a plan's document to a file that the user has named."""
    if is_there(path) and path.stat().st_size and not is_plan_file(path):  # an ensemble, for one
        raise InvalidInput(f"{path} exists and is not a plan: it is not overwritten", hint="name another file")
    content = text.encode()
    changed = not is_there(path) or path.read_bytes() != content
    write_atomically(path, text, mode=0o600)
    return SavedPlan(path, _digest(content), changed)


def keep_plan(text: str, planned: Path, *, locked: bool) -> SavedPlan:
    """Write a plan's document into a file of its own among what is planned, for the job that is to execute it.

    One that is made under the lock goes when the lock does, see `drop_plans`.
    """
    make_private(planned)
    name = f"{_OF_JOBS if locked else _OF_NOBODY}{secrets.token_hex(8)}.json"
    return save_plan(text, planned / name)


def note_inventory(plan: Plan, ensemble: Ensemble) -> None:
    """Put into a plan that is saved for another job what the inventory says of its hosts."""
    plan.inventory = inventory_digests(ensemble.evaluator.environment.inventory)


def drop_plans(planned: Path) -> None:
    """Remove the plans of jobs, ours or those that were killed, and plans that no job has taken within a day.

    The caller holds the lock.
    """
    for file in (*planned.glob(f"{_OF_JOBS}*.json"), *_outdated(planned)):
        with suppress(OSError):
            file.unlink()


def _outdated(planned: Path) -> Iterator[Path]:
    for file in planned.glob(f"{_OF_NOBODY}*.json"):
        with suppress(OSError):
            if time.time() - file.stat().st_mtime > _KEPT:
                yield file


def kept_plan(planned: Path, digest: str) -> tuple[Plan, SavedPlan] | None:
    """The planned file of this digest; None if it is gone."""
    for file in planned.glob(f"*{_OF_NOBODY}*.json") if digest else ():
        with suppress(EnsembleError):
            return load_plan(file, digest)
    return None


def is_kept(path: Path) -> bool:
    """Whether a plan's file has no given name: it is only used with its digest."""
    return path.parent.name == PLANNED and path.name.startswith((_OF_JOBS, _OF_NOBODY))


def is_of_job(path: Path) -> bool:
    """Whether a plan's file was made under the lock, for the job that executes it: with its digest it is that plan."""
    return is_kept(path) and path.name.startswith(_OF_JOBS)


def is_plan_file(path: Path) -> bool:
    """Whether the path is a saved plan's, by its document: an ensemble's file may be JSON too."""
    try:
        with path.open("rb") as stream:
            start = stream.read(4096)  # of most ensembles this is all that is read
            return start.lstrip().startswith(b"{") and (
                is_plan(start.decode("utf-8", "ignore")) or is_plan((start + stream.read()).decode("utf-8"))
            )
    except (OSError, ValueError):
        return False


def load_plan(path: Path, digest: str | None = None) -> tuple[Plan, SavedPlan]:
    """Read a saved plan, and say which it is; without a digest it is taken as it is, because the user has named it.

    Of its options there are those that a plan decides; a job's own plan, which is given with its digest, has all.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InvalidInput(f"the plan {path} cannot be read: {error.strerror}", hint=_ANEW) from error
    return _read_plan(content, path, digest)


def decoded_plan(document: str, digest: str | None = None) -> tuple[Plan, SavedPlan]:
    """As `load_plan`, of the content of such a file in base64; it has no file, and messages call it a document."""
    if not document:
        raise InvalidInput("there is no plan: its document is empty", hint="run what plans first; in AWX, the workflow")
    try:
        content = base64.b64decode(document, validate=True)
    except ValueError as error:
        raise InvalidInput("the plan's document is not in base64", hint=_ANEW) from error
    return _read_plan(content, Path("the document"), digest)


def _read_plan(content: bytes, path: Path, digest: str | None) -> tuple[Plan, SavedPlan]:
    made = _digest(content)
    if digest not in (None, made):
        raise EnsembleError(f"{path} is not the plan that was made: its digest differs", hint=_ANEW)
    try:
        document = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        hint = "make one with `ansible-ensemble plan --out`"
        raise InvalidInput(f"{path} is not a plan: {error}", hint=hint) from error
    plan = Plan.from_json(document)
    if digest is None or not is_of_job(path):  # else a job wrote it for itself, with all of its options
        plan.options = {name: value for name, value in plan.options.items() if name in _DECIDED}
    return plan, SavedPlan(path, made, document=document)


def check_aims(plan: Plan, path: Path, given: Mapping[str, Any]) -> None:
    """Refuse filters, an environment, and other options of planning that are not those of a saved plan."""
    for name, default in _AIMS.items():
        wanted = given.get(name)
        if wanted not in (None, []) and wanted != plan.options.get(name, default):
            text = ", ".join(wanted) if isinstance(wanted, list) else wanted
            raise UsageError(f"{path} is not a plan for {name}{f' {text}' if text is not True else ''}", hint=_ANEW)


def check_purpose(plan: Plan, path: Path, ensemble: Path, workflow: str) -> None:
    """Refuse a plan, read from a path, that was made for another ensemble or workflow than it is given for."""
    if plan.workflow != workflow:
        hint = f"`{command_for(plan.workflow, path)}`"
        raise UsageError(f"{path} is a plan to {plan.workflow}, not to {workflow}", hint=hint)
    other = (repository_root(ensemble.parent) / plan.ensemble).resolve()  # one of AWX has the path in the repository
    if other != ensemble.resolve() and other.parent.exists():  # else its folder is gone, and `check_fresh` decides
        raise UsageError(f"{path} is a plan of {plan.ensemble}, not of {ensemble}", hint=_ANEW)


def confirmed_plan(
    plan: Plan, saved: SavedPlan, ensemble: Ensemble, options: JobOptions, given: Mapping[str, Any]
) -> Plan:
    """The plan as it is made now, which is all that the saved one does and says of it.

    So no operation is executed on the file's word alone, whoever changed it; its inputs, variables and options of
    planning are taken as they stand in it, templates among them too. The caller holds the lock.

    Args:
        plan: the saved plan.
        saved: its file's content.
        ensemble: as it is now.
        options: of the job: those of the plan, with what was given.
        given: the options that were given with it.
    """
    check_fresh(plan, ensemble)
    _check_inventory(plan, ensemble)
    _check_secrets(plan, ensemble, given)
    now = plan_workflow(ensemble, plan.workflow, options)
    note_inventory(now, ensemble)
    difference = plan_difference(saved.document, json.loads(now.to_text()))
    if difference is not None:
        text = ensemble.redactor.text(difference)
        raise EnsembleError(f"the plan is stale, or its file was changed: {text}", hint=_ANEW)
    return now


def check_fresh(plan: Plan, ensemble: Ensemble) -> None:
    """Refuse a plan that was made from another spec, status, values or files, or for other hosts of the inventory."""
    for name, (verb, hint) in _BASE.items():
        if ensemble.base.get(name) != plan.base.get(name):
            raise EnsembleError(f"the plan is stale: the {name} {verb} changed since it was made", hint=hint)
    _check_files(plan, ensemble)


def _check_files(plan: Plan, ensemble: Ensemble) -> None:
    digests = FileDigests(ensemble.root)
    digests.add(surroundings(ensemble.root, ensemble.folder) if plan.files else ())
    digests.add(ensemble.root / name for name in plan.files)
    changed = [name for name, digest in digests.found.items() if digest != plan.files.get(name)]
    _refuse(["ansible-core" if name == str(VERSION) else name for name in changed])


def _check_inventory(plan: Plan, ensemble: Ensemble) -> None:
    before, now = plan.inventory, inventory_digests(ensemble.evaluator.environment.inventory)
    if now and not before:
        raise EnsembleError("the plan is stale: it was made without this inventory", hint=_BASE["hosts"][1])
    _refuse([f"the host {name} of the inventory" for name in {**before, **now} if before.get(name) != now.get(name)])


def _refuse(changed: Sequence[str]) -> None:
    if changed:
        more = f" and {len(changed) - _MOST_NAMED} more" if len(changed) > _MOST_NAMED else ""
        named = ", ".join(changed[:_MOST_NAMED]) + more
        message = f"the plan is stale: {named} {'have' if len(changed) > 1 else 'has'} changed since it was made"
        raise EnsembleError(message, hint=_ANEW)


def _check_secrets(plan: Plan, ensemble: Ensemble, given: Mapping[str, Any]) -> None:
    """Refuse other secrets than those that a plan keeps encrypted, for no digest of what it is made from has them."""
    kept = JobOptions.from_mapping({kind: kept_values(plan.options, kind) for kind in _VALUES})
    again = JobOptions.from_mapping({kind: given.get(kind) or {} for kind in _VALUES})
    for kind, opened in _VALUES.items():
        own = opened(kept, ensemble.codec)
        for name, value in opened(again, ensemble.codec).items():
            if is_sensitive(own.get(name)) and reveal(own[name]) != reveal(value):
                message = f"the plan is stale: it was made with another value of the sensitive {kind[:-1]} {name!r}"
                raise EnsembleError(message, hint=_BASE[kind][1])


def command_for(workflow: str, path: Path) -> str:
    """The command that executes a saved plan of a workflow."""
    command = workflow if workflow in _OF_COMMANDS else f"run --workflow {workflow}"
    return f"ansible-ensemble {command} {path}"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
