"""Objects of any kind: shown, created, changed and removed."""

from __future__ import annotations

from typing import Any

from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.codec import Undecodable, from_plain, plain
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.rules.refusal import Refused
from ansible_ensemble.provision.service import guards, kinds
from ansible_ensemble.provision.service.batch import Batch
from ansible_ensemble.provision.service.fields import as_kept, as_new, is_same
from ansible_ensemble.provision.service.lookup import get_or_404, kind_of
from ansible_ensemble.provision.service.parsing import parsed_body
from ansible_ensemble.provision.service.patch import Operation, parsed, patched
from ansible_ensemble.provision.store.transaction import Reader, Transaction


def show(reader: Reader, prefix: str, name: str) -> Object:
    """The object that a path names, by its key or as `Index:value`."""
    return get_or_404(reader, kind_of(prefix), name)


def create(tx: Transaction, prefix: str, body: bytes, *, force: bool = False) -> Object:
    """Create an object.

    Args:
        tx: where.
        prefix: of its kind.
        body: its JSON.
        force: whether it is created even if it is not available.

    Returns:
        The object as it is kept.

    Raises:
        Refused: 400, the body is no such object or has no key; 409, there is one already; 422, it breaks a rule.
    """
    kind = kind_of(prefix, "POST")
    asked: Object = as_new(parsed_body(kind, body, "POST", prefix))
    if not asked.key and kind is not Machine:
        raise Refused(400, "Empty key not allowed", type="CREATE", model=prefix)
    if asked.key and tx.get(kind, asked.key):
        raise Refused(409, "already exists", type="CREATE", model=prefix, key=asked.key)
    batch = Batch(tx)
    return batch.keep(kinds.made(batch, asked, force))


def patch(tx: Transaction, prefix: str, name: str, body: bytes, *, force: bool = False) -> Object:
    """Change an object by a patch.

    Args:
        tx: where.
        prefix: of its kind.
        name: what the path says of it.
        body: the JSON of the patch.
        force: whether guards of machines are overridden.

    Raises:
        Refused: 400, the body is no patch; 404, there is no such object; 406, it is none of its kind any more; 409,
            the patch does not apply; 403, it is locked or read-only; 422, it breaks a rule.
    """
    kind = kind_of(prefix, "PATCH")
    kept = get_or_404(tx, kind, name, "PATCH")
    operations = parsed(body, prefix, kept.key)
    document = _patched(tx, kept, operations)
    try:
        wanted = from_plain(kind, document)
    except Undecodable as error:
        raise Refused(406, str(error), type="PATCH", model=prefix, key=kept.key) from None
    return _change(tx, kept, wanted, "PATCH", force=force)


def put(tx: Transaction, prefix: str, name: str, body: bytes, *, force: bool = False) -> Object:
    """Replace an object.

    Raises:
        Refused: 400, the body is no such object, or of another key; 404, there is none; 403, it is locked or
            read-only; 422, it breaks a rule.
    """
    kind = kind_of(prefix, "PUT")
    kept = get_or_404(tx, kind, name, "PUT")
    return _change(tx, kept, parsed_body(kind, body, "PUT", prefix, kept.key), "PUT", force=force)


def remove(tx: Transaction, prefix: str, name: str) -> Object:
    """Remove an object.

    Returns:
        The object as it was.

    Raises:
        Refused: 404, there is none; 403, it is locked or read-only; 409, others refer to it.
    """
    kind = kind_of(prefix, "DELETE")
    kept = get_or_404(tx, kind, name, "DELETE")
    guards.refuse_protected(kept, None, "DELETE")
    guards.refuse_used(tx, kept)
    batch = Batch(tx)
    batch.remove(kept)
    kinds.removed(batch, kept)
    batch.write()
    return kept


def show_meta(reader: Reader, prefix: str, name: str) -> dict[str, str]:
    """The Meta of an object."""
    return show(reader, prefix, name).meta


def patch_meta(tx: Transaction, prefix: str, name: str, body: bytes) -> dict[str, str]:
    """Change the Meta of an object by a patch of it."""
    kept = get_or_404(tx, kind_of(prefix, "PATCH"), name, "PATCH")
    document = patched(plain(kept.meta), parsed(body, prefix, kept.key), prefix, kept.key)
    try:
        meta = from_plain(dict[str, str], document)
    except Undecodable as error:
        raise Refused(406, str(error), type="PATCH", model=prefix, key=kept.key) from None
    return _change(tx, kept, kept.public().replaced(meta=meta), "PATCH").meta


def _patched(tx: Transaction, kept: Object, operations: list[Operation]) -> Any:
    return patched(
        plain(kept.public()),
        operations,
        kept.PREFIX,
        kept.key,
        normal=lambda whole: _normal(type(kept), whole),
        is_secret=lambda operation: guards.is_secret(tx, kept, operation),
    )


def _normal(kind: type[Object], whole: Any) -> Any:
    """A whole document as this server writes it: clients leave out what is empty, or write it as null."""
    try:
        return plain(from_plain(kind, whole))
    except Undecodable:
        return whole


def _change(tx: Transaction, kept: Object, wanted: Any, method: str, *, force: bool = False) -> Object:
    """Change an object into what a request wants of it."""
    if wanted.key != kept.key:
        message = f"Key change from {kept.key} to {wanted.key} not allowed"
        raise Refused(400, message, type=method, model=kept.PREFIX, key=kept.key)
    wanted = as_kept(wanted, kept)
    if is_same(wanted, kept.public()):
        return kept
    guards.refuse_protected(kept, wanted, method)
    batch = Batch(tx)
    return batch.keep(kinds.changed(batch, kept, wanted, force))
