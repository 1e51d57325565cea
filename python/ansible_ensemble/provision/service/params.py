"""Params of objects that have some, all or one."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from ansible_ensemble.provision.objects import WITH_PARAMS
from ansible_ensemble.provision.objects.codec import same
from ansible_ensemble.provision.rules.parameters import (
    Owner,
    aggregated,
    composed,
    composed_params,
    is_sealed,
    problems_of_params,
    value_of,
    values_of,
)
from ansible_ensemble.provision.rules.refusal import Refused
from ansible_ensemble.provision.service import sealing
from ansible_ensemble.provision.service.batch import Batch
from ansible_ensemble.provision.service.guards import is_secret_param, refuse_protected
from ansible_ensemble.provision.service.lookup import get_or_404, kind_of, not_found
from ansible_ensemble.provision.service.parsing import parsed_body
from ansible_ensemble.provision.service.patch import parsed, patched
from ansible_ensemble.provision.service.secure_params import Revealed
from ansible_ensemble.provision.store.transaction import Reader, Transaction


def show_params(
    reader: Reader, prefix: str, name: str, *, aggregate: bool = False, compose: bool = False, decode: bool = False
) -> dict[str, Any]:
    """The params of an object.

    Args:
        reader: where it is.
        prefix: of its kind.
        name: what the path says of it.
        aggregate: whether those that it has from elsewhere are among them.
        compose: whether maps and lists are put together from everywhere.
        decode: whether secure values are open; only for who may read them.
    """
    owner, catalog = _read(reader, prefix, name, decode)
    if compose:
        return composed_params(owner, catalog)
    return aggregated(owner, catalog) if aggregate else dict(owner.params)


def show_param(
    reader: Reader,
    prefix: str,
    name: str,
    param: str,
    *,
    aggregate: bool = False,
    compose: bool = False,
    decode: bool = False,
) -> Any:
    """The value of a param of an object; None where there is none.

    Args and errors are those of `show_params`; the default of the param counts as from elsewhere.
    """
    owner, catalog = _read(reader, prefix, name, decode)
    if compose:
        return composed(values_of(owner, param, catalog))
    return value_of(owner, param, catalog) if aggregate else owner.params.get(param)


def set_params(tx: Transaction, prefix: str, name: str, body: bytes) -> dict[str, Any]:
    """Replace all params of an object.

    Returns:
        The params as they are kept.

    Raises:
        Refused: 400, the body is no map; 404, there is no such object; 403, it is locked or read-only; 422, a value
            does not fit its schema.
    """
    owner = _owner(tx, prefix, name, "POST")
    return _keep(tx, owner, parsed_body(dict[str, Any], body, "POST", prefix, owner.key), "POST")


def set_param(tx: Transaction, prefix: str, name: str, param: str, body: bytes) -> Any:
    """Set one param of an object; what is to be secret may come sealed or plain.

    Returns:
        The value as it is kept.
    """
    owner = _owner(tx, prefix, name, "POST")
    value = parsed_body(Any, body or b"null", "POST", prefix, owner.key)  # clients send null as nothing
    return _keep(tx, owner, {**owner.params, param: value}, "POST")[param]


def patch_params(tx: Transaction, prefix: str, name: str, body: bytes) -> dict[str, Any]:
    """Change the params of an object by a patch of them.

    Raises:
        Refused: 409, the patch does not apply; 406, its result is no map; else as of `set_params`.
    """
    owner = _owner(tx, prefix, name, "PATCH")
    operations = parsed(body, prefix, owner.key)
    document = patched(
        dict(owner.params), operations, prefix, owner.key, is_secret=lambda one: is_secret_param(tx, one["path"][1:])
    )
    if not isinstance(document, dict):
        raise Refused(406, "Params are a map", type="PATCH", model=prefix, key=owner.key)
    return _keep(tx, owner, document, "PATCH")


def remove_param(tx: Transaction, prefix: str, name: str, param: str) -> Any:
    """Remove one param of an object.

    Returns:
        The value as it was kept.

    Raises:
        Refused: 404, there is no such object, or it has no such param; 403, it is locked or read-only.
    """
    owner = _owner(tx, prefix, name, "DELETE")
    if param not in owner.params:
        raise not_found("DELETE", "params", param)
    _keep(tx, owner, {key: value for key, value in owner.params.items() if key != param}, "DELETE")
    return owner.params[param]


def public_key(tx: Transaction, prefix: str, name: str) -> str:
    """The key by which values for an object are sealed, in base64."""
    owner = _owner(tx, prefix, name, "GET")
    return b64encode(sealing.public_key(tx, (prefix, owner.key))).decode()


def _owner(reader: Reader, prefix: str, name: str, method: str) -> Owner:
    owner = get_or_404(reader, kind_of(prefix, method), name, method)
    if isinstance(owner, WITH_PARAMS):
        return owner
    raise not_found(method, prefix, name)


def _read(reader: Reader, prefix: str, name: str, decode: bool) -> tuple[Owner, Reader | Revealed]:
    owner = _owner(reader, prefix, name, "GET")
    catalog = Revealed(reader) if decode else None
    return (catalog.of(owner), catalog) if catalog else (owner, reader)


def _keep(tx: Transaction, owner: Owner, params: Mapping[str, Any], method: str) -> dict[str, Any]:
    changed = owner.replaced(params=dict(params))
    refuse_protected(owner, changed, method)
    known = owner.params
    fresh = {name: value for name, value in params.items() if name not in known or not same(value, known[name])}
    if problems := problems_of_params({name: value for name, value in fresh.items() if not is_sealed(value)}, tx):
        raise Refused(422, *problems, type=method, model=owner.PREFIX, key=owner.key)
    return Batch(tx).keep(changed).params
