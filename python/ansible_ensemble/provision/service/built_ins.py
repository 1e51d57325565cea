"""What every server has from its start on: bootenvs, stages, the global profile, a role, params, the first user."""

from __future__ import annotations

import secrets

from ansible_ensemble.core.passwords import hashed
from ansible_ensemble.provision.objects.access import Role, User
from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.bundle import BundleMeta, BundleRecord
from ansible_ensemble.provision.objects.content import BootEnv, Profile, Stage
from ansible_ensemble.provision.objects.parts import Claim, OperatingSystem
from ansible_ensemble.provision.objects.pool import DEFAULT_POOL, Pool
from ansible_ensemble.provision.rules.control import CONTROL_PARAMS
from ansible_ensemble.provision.rules.object_edit import created_object
from ansible_ensemble.provision.service.batch import Batch
from ansible_ensemble.provision.service.users import new_secret
from ansible_ensemble.provision.store.transaction import Transaction

#: The bundle that built-in objects belong to.
BUNDLE = "BasicStore"
#: Who can do everything.
SUPERUSER = "superuser"
FIRST_USER = "rocketskates"

_FIXED: tuple[Object, ...] = (
    BundleRecord(name=BUNDLE, about=BundleMeta(name=BUNDLE, description="What the server brings", type="basic")),
    BootEnv(name="local", description="Boots what is installed", os=OperatingSystem(name="local")),
    BootEnv(
        name="ignore",
        description="Leaves machines alone that are not known",
        os=OperatingSystem(name="ignore"),
        only_unknown=True,
    ),
    Stage(name="none", description="Has nothing to do", runner_wait=True),
    Stage(name="local", description="Boots what is installed", boot_env="local", runner_wait=True),
    Role(
        name=SUPERUSER,
        description="Can do everything",
        claims=[Claim(scope="*", action="*", specific="*")],
    ),
    *CONTROL_PARAMS,
)
#: What users may change.
_OPEN: tuple[Object, ...] = (
    Profile(name="global", description="Params that every machine has"),
    Pool(identifier=DEFAULT_POOL, description="Machines that are in no other pool"),
)


def install(tx: Transaction) -> str | None:
    """Bring what is built in up to what this version has, and make a first user where there is none.

    Returns:
        The password of the first user, if that was made now; nothing else keeps it.
    """
    bring(tx)
    batch = Batch(tx)
    password = None if tx.count(User) else secrets.token_urlsafe(18)
    if password:
        batch.put(User(name=FIRST_USER, password_hash=hashed(password), secret=new_secret(), roles=[SUPERUSER]))
    batch.write()
    return password


def bring(tx: Transaction) -> None:
    """Bring the objects that are built in."""
    batch = Batch(tx)
    for fixed in _FIXED:
        batch.put(created_object(fixed, batch).replaced(bundle=BUNDLE, read_only=True))
    for opened in _OPEN:
        if tx.get(type(opened), opened.key) is None:
            batch.put(opened)
    batch.write()
