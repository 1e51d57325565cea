"""Users: their passwords, and the secrets that their tokens are bound to."""

from __future__ import annotations

import secrets

from ansible_ensemble.core.passwords import hashed
from ansible_ensemble.provision.objects.access import User
from ansible_ensemble.provision.objects.base import Record
from ansible_ensemble.provision.rules.refusal import Refused, invalid
from ansible_ensemble.provision.service.batch import Batch
from ansible_ensemble.provision.service.guards import refuse_protected
from ansible_ensemble.provision.service.lookup import get_or_404
from ansible_ensemble.provision.service.parsing import parsed_body
from ansible_ensemble.provision.store.transaction import Transaction

#: 16 characters that are safe in addresses.
_SECRET_BYTES = 12


class Password(Record, frozen=True, kw_only=True):
    """A password in a request."""

    password: str = ""


def new_secret() -> str:
    """A text that nobody guesses."""
    return secrets.token_urlsafe(_SECRET_BYTES)


def new_user(made: User) -> User:
    """A user as created by a request; nobody logs in as the user before a password is set.

    Raises:
        Refused: 422, the request has a hash of a password.
    """
    _refuse_hash(made)
    return made.replaced(secret=made.secret or new_secret())


def changed_user(kept: User, wanted: User) -> User:
    """A user as changed by a request, which does not see the secret nor the password's hash.

    Raises:
        Refused: 422, the request has a hash of a password.
    """
    _refuse_hash(wanted)
    return wanted.replaced(password_hash=kept.password_hash, secret=wanted.secret or kept.secret)


def set_password(tx: Transaction, name: str, body: bytes) -> User:
    """Change the password of a user; tokens of the user are invalid then.

    Raises:
        Refused: 400, the body has no password; 404, there is no such user; 403, the user is read-only.
    """
    user = get_or_404(tx, User, name, "PUT")
    wanted = parsed_body(Password, body, "PUT", "users", user.key)
    if not wanted.password:
        raise Refused(400, "Empty password not allowed", type="PUT", model="users", key=user.key)
    return with_password(tx, user, wanted.password)


def with_password(tx: Transaction, user: User, password: str) -> User:
    """Keep a user's new password."""
    changed = user.replaced(password_hash=hashed(password), secret=new_secret())
    refuse_protected(user, changed, "PUT")
    return Batch(tx).keep(changed)


def _refuse_hash(wanted: User) -> None:
    if wanted.password_hash:
        raise invalid("PasswordHash cannot be set, only the password", model=wanted.PREFIX, key=wanted.key)
