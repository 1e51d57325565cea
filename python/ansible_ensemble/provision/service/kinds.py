"""What is special about objects of a kind when a request creates, changes or removes one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from uuid import uuid4

from ansible_ensemble.core.clock import now
from ansible_ensemble.provision.objects.access import User
from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.bundle import BundleRecord
from ansible_ensemble.provision.objects.job import Job
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.objects.plugin import Plugin, PluginProvider
from ansible_ensemble.provision.rules.in_use import refuse_undeletable_job
from ansible_ensemble.provision.rules.job_edit import edited_job, without_machine
from ansible_ensemble.provision.rules.job_end import STOPPED
from ansible_ensemble.provision.rules.machine_create import created_machine
from ansible_ensemble.provision.rules.machine_edit import edited_machine
from ansible_ensemble.provision.rules.object_edit import created_object, edited_object
from ansible_ensemble.provision.rules.refusal import Refused
from ansible_ensemble.provision.service.batch import Batch
from ansible_ensemble.provision.service.preferences import preferences
from ansible_ensemble.provision.service.secure_params import refuse_unsealable
from ansible_ensemble.provision.service.users import changed_user, new_secret, new_user
from ansible_ensemble.provision.templates.job_actions import problem_of_text


def made(batch: Batch, asked: Any, force: bool) -> Object:
    """An object as a request creates it, with what the server fills in.

    Raises:
        Refused: 405, requests do not create such objects; 422, it breaks a rule of its kind.
    """
    return _MADE.get(type(asked), _made)(batch, asked, force)


def changed(batch: Batch, kept: Any, asked: Any, force: bool) -> Object:
    """An object as a request changes it; what else follows is put into the batch.

    Raises:
        Refused: 405, requests do not change such objects; 422, it breaks a rule of its kind.
    """
    return _CHANGED.get(type(asked), _changed)(batch, kept, asked, force)


def removed(batch: Batch, kept: Any) -> None:
    """What follows from the removal of an object.

    Raises:
        Refused: 405, requests do not remove such objects; 422, it is in no state in which it can be removed.
    """
    if isinstance(kept, BundleRecord | PluginProvider):
        raise _not_so(kept, "DELETE")
    if isinstance(kept, Machine) and (job := without_machine(batch.get(Job, kept.current_job))):
        batch.follow(job)
    if isinstance(kept, Job):
        refuse_undeletable_job(kept, batch.get(Machine, kept.machine))


def _made(batch: Batch, asked: Object, _force: bool) -> Object:
    return created_object(asked, batch, problem_of_text)


def _made_machine(batch: Batch, asked: Machine, force: bool) -> Object:
    settings, uuid, secret = preferences(batch.tx), str(uuid4()), new_secret()
    return created_machine(asked, batch, settings, uuid=uuid, secret=secret, force=force)


def _made_user(batch: Batch, asked: User, _force: bool) -> Object:
    return created_object(new_user(asked), batch)


def _made_plugin(batch: Batch, asked: Plugin, _force: bool) -> Object:
    return created_object(asked.replaced(secret=new_secret()), batch)


def _not_made(_batch: Batch, asked: Object, _force: bool) -> Object:
    raise _not_so(asked, "POST")


def _not_changed(_batch: Batch, kept: Object, _asked: Object, _force: bool) -> Object:
    raise _not_so(kept, "PATCH")


def _not_so(one: Object, method: str) -> Refused:
    return Refused(405, "Method Not Allowed", type=method, model=one.PREFIX, key=one.key)


def _changed(batch: Batch, kept: Object, asked: Object, _force: bool) -> Object:
    refuse_unsealable(batch.tx, asked)
    return edited_object(kept, asked, batch, problem_of_text)


def _changed_machine(batch: Batch, kept: Machine, asked: Machine, force: bool) -> Object:
    return edited_machine(kept, asked, batch, force)


def _changed_user(batch: Batch, kept: User, asked: User, _force: bool) -> Object:
    return edited_object(kept, changed_user(kept, asked), batch)


def _changed_job(batch: Batch, kept: Job, asked: Job, _force: bool) -> Object:
    machine = batch.tx.locked(Machine, kept.machine)
    edit = edited_job(kept, asked, machine, batch, now())
    if (reason := edit.job.meta.get(STOPPED)) and STOPPED not in kept.meta:
        batch.tx.append_log(kept.uuid, f"{reason}\n".encode())
    if edit.machine and edit.machine != machine:
        batch.follow(edit.machine)
    return edit.job


_MADE: Mapping[type[Object], Callable[[Batch, Any, bool], Object]] = {
    BundleRecord: _not_made,
    Job: _not_made,
    Machine: _made_machine,
    Plugin: _made_plugin,
    PluginProvider: _not_made,
    User: _made_user,
}
_CHANGED: Mapping[type[Object], Callable[[Batch, Any, Any, bool], Object]] = {
    BundleRecord: _not_changed,
    Job: _changed_job,
    Machine: _changed_machine,
    PluginProvider: _not_changed,
    User: _changed_user,
}
