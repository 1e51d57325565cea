"""What a request may not do to an object, whoever asks."""

from __future__ import annotations

from collections.abc import Collection

from ansible_ensemble.provision.objects import WITH_PARAMS
from ansible_ensemble.provision.objects.access import User
from ansible_ensemble.provision.objects.base import Object, Reference
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.rules.in_use import refuse_in_use, refuse_read_only
from ansible_ensemble.provision.rules.machine_edit import refuse_locked
from ansible_ensemble.provision.rules.parameters import is_secure
from ansible_ensemble.provision.service.patch import Operation
from ansible_ensemble.provision.service.preferences import preferences
from ansible_ensemble.provision.store.transaction import Reader


def refuse_protected(kept: Object, wanted: Object | None, method: str) -> None:
    """Refuse to change or remove (`wanted` is None) what is read-only, and a machine that stays locked."""
    refuse_read_only(kept, method)
    if isinstance(kept, Machine):
        refuse_locked(kept, method, unlocking=isinstance(wanted, Machine) and not wanted.locked)


def refuse_used(reader: Reader, kept: Object, among: Collection[Reference] = ()) -> None:
    """Refuse to remove what others refer to.

    Args:
        reader: has the others.
        kept: what is to be removed.
        among: what may refer to it, because it goes or changes too.

    Raises:
        Refused: 409, `StillInUseError`.
    """
    others = (one for one in reader.referrers(kept.PREFIX, kept.key) if (one.PREFIX, one.key) not in among)
    refuse_in_use(kept, others, preferences(reader))


def is_secret(reader: Reader, kept: Object, operation: Operation) -> bool:
    """Whether an operation of a patch of an object has a value that must not be repeated."""
    _head, _separator, path = operation["path"].partition("/")
    field, _separator, rest = path.partition("/")
    if field == "Params":
        return is_secret_param(reader, rest)
    return field in ("PasswordHash", "Secret") or (not field and isinstance(kept, (*WITH_PARAMS, User)))


def is_secret_param(reader: Reader, path: str) -> bool:
    """Whether the value at a path in params must not be repeated; that of all params must not."""
    name = path.partition("/")[0].replace("~1", "/").replace("~0", "~")
    return not name or is_secure(name, reader)
