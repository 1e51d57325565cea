"""What a store needs before a server can serve it: what is built in, a first user, the key of tokens."""

from __future__ import annotations

import secrets
from typing import NamedTuple

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.provision.objects.access import User
from ansible_ensemble.provision.server.tokens import KEY_BYTES, KEY_NAME
from ansible_ensemble.provision.service.built_ins import FIRST_USER, install
from ansible_ensemble.provision.service.users import with_password
from ansible_ensemble.provision.store.transaction import Transaction

#: The password that everybody knows.
_KNOWN_PASSWORD = "r0cketsk8ts"


class Start(NamedTuple):
    """What a server starts with.

    Attributes:
        token_key: of tokens.
        password: of the first user, if it was made now.
    """

    token_key: bytes
    password: str | None


def prepare(tx: Transaction, *, default_user: bool) -> Start:
    """Make what is not there yet.

    Args:
        tx: where.
        default_user: whether the first user gets the password that everybody knows.
    """
    key = tx.secret(KEY_NAME)
    if key is None:
        key = secrets.token_bytes(KEY_BYTES)
        tx.keep_secret(KEY_NAME, key)
    password = install(tx)
    if password and default_user:
        password = _KNOWN_PASSWORD
        with_password(tx, _first_user(tx), password)
    return Start(key, password)


def new_password(tx: Transaction) -> str:
    """Another password for the first user, whose old one is lost; tokens of the user are invalid then."""
    password = secrets.token_urlsafe(18)
    with_password(tx, _first_user(tx), password)
    return password


def _first_user(tx: Transaction) -> User:
    if user := tx.get(User, FIRST_USER):
        return user
    raise EnsembleError(f"there is no user {FIRST_USER}")
