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
from ansible_ensemble.provision.objects.plugin import Plugin, PluginProvider
from ansible_ensemble.provision.objects.pool import Pool
from ansible_ensemble.provision.objects.stored import STORED
from ansible_ensemble.provision.objects.tenant import Tenant

_ORDERED: tuple[type[Object], ...] = (
    Param,
    Template,
    Task,
    Profile,
    BootEnv,
    Context,
    Stage,
    Workflow,
    Pool,
    Role,
    User,
    Tenant,
    *STORED,
    PluginProvider,
    Plugin,
    BundleRecord,
    Machine,
    Job,
)
#: The kinds of objects by their prefix. Each refers to those before it, and to its own: so what changes is assessed
#: before what it is part of.
KINDS = {kind.PREFIX: kind for kind in _ORDERED}

#: Those that bundles of content can hold, by section.
SECTIONS = {prefix: kind for prefix, kind in KINDS.items() if kind.IN_CONTENT}

#: Those that have params.
WITH_PARAMS = (Machine, Profile, Stage, Plugin)
