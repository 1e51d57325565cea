"""The objects on the wire: fields, defaults, names; what they are made of and nothing they do."""

from __future__ import annotations

from ansible_ensemble.provision.objects.access import Role, User
from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.bundle import BundleRecord
from ansible_ensemble.provision.objects.content import (
    BootEnv,
    Context,
    Param,
    Profile,
    Stage,
    Task,
    Template,
    Workflow,
)
from ansible_ensemble.provision.objects.job import Job
from ansible_ensemble.provision.objects.machine import Machine

#: The kinds of objects by their prefix: the first part of their paths and the type of their events.
KINDS: dict[str, type[Object]] = {
    kind.PREFIX: kind
    for kind in (
        BootEnv,
        BundleRecord,
        Context,
        Job,
        Machine,
        Param,
        Profile,
        Role,
        Stage,
        Task,
        Template,
        User,
        Workflow,
    )
}
