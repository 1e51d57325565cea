"""Who sends a request, and what that may be allowed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ansible_ensemble.provision.objects.access import Role, User
from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.job import Job
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.objects.parts import Claim
from ansible_ensemble.provision.objects.plugin import Plugin
from ansible_ensemble.provision.objects.tenant import Tenant
from ansible_ensemble.provision.rules.claims import (
    ALL,
    EVERYTHING,
    Need,
    allows,
    allows_all,
    includes,
    of_machine,
    of_tenant,
    of_user,
    specifics,
)
from ansible_ensemble.provision.rules.extra_claims import claims_of_roles
from ansible_ensemble.provision.rules.refusal import Refused
from ansible_ensemble.provision.server.filters import Match
from ansible_ensemble.provision.server.tokens import SignedToken, Token
from ansible_ensemble.provision.service.lookup import kind_of, look_up
from ansible_ensemble.provision.store.transaction import Reader

#: The names by which what a request is about may be meant in claims.
Names: TypeAlias = Callable[[Reader], Iterable[str]]


class Identity(Struct, frozen=True):
    """Somebody whom the server knows.

    Attributes:
        token: what was shown; of a password, what a token of the user would say.
        grants: lists of claims; each of them has to allow what is done.
    """

    token: Token
    grants: tuple[tuple[Claim, ...], ...]

    def refuse(self, reader: Reader, need: Need, names: Names, key: str = "") -> None:
        """Refuse what is not allowed."""
        if not self.may(reader, need, names):
            raise Refused(403, "Access denied", type=need.action.upper(), model=need.scope, key=key)

    def may(self, reader: Reader, need: Need, names: Names) -> bool:
        """Whether it is allowed."""
        return all(allows_all(claims, need) or allows(claims, need, tuple(names(reader))) for claims in self.grants)

    def specifics(self, need: Need) -> frozenset[str] | None:
        """The keys of the objects of which it is allowed; None means all.

        Raises:
            Refused: 403, it is allowed of none.
        """
        allowed = [names for claims in self.grants if ALL not in (names := specifics(claims, need))]
        if not allowed:
            return None
        if not (common := frozenset.intersection(*allowed)):
            raise Refused(403, "Access denied", type=need.action.upper(), model=need.scope)
        return common

    @property
    def is_machine(self) -> bool:
        """Whether it is a machine, by its token or by that of its job."""
        return bool(self.token.machine)

    def holds(self, claim: Claim) -> bool:
        """Whether a claim allows nothing that is not allowed already."""
        return all(includes(claims, claim) for claims in self.grants)

    def token_of(self, wanted: Token, now: float, life: float) -> Token:
        """A token that may be given to who asks for it: it allows no more than is allowed already.

        Args:
            wanted: what is asked for; its `expires` is when it is to end.
            now: the seconds since 1970.
            life: the seconds that a token may be valid.
        """
        shown = self.token
        # Who asks for a token of their own is bound by their claims anyway, also by later ones.
        of_others = [list(claims) for claims in self.grants if not _is_all(claims)]
        limits = shown.limits if shown.principal == wanted.principal else of_others
        latest = [wanted.expires, int(now + life), *([shown.expires] if shown.machine else [])]
        return replace(wanted, job=wanted.job or shown.job, expires=min(latest), limits=[*limits, *wanted.limits])


def _is_all(claims: Iterable[Claim]) -> bool:
    return all(includes(claims, claim) for claim in EVERYTHING)


class Proof(Protocol):
    """What a request shows of who sends it."""

    @property
    def principal(self) -> str:
        """Who says to send it, as events say it."""

    @property
    def rights(self) -> tuple[Match, ...]:
        """The events after which it may be true no more, or who sends it may do less."""

    def identity(self, reader: Reader) -> Identity:
        """Who sends it.

        Raises:
            Refused: 403, it is not true, or not any more.
        """

    def lasting(self) -> Proof:
        """The same for a connection that it began: clients keep a websocket longer than a token is good for."""


def denied() -> Refused:
    """The refusal of a proof that is none."""
    return Refused(403, "Access Denied", model="users")


class PasswordProof(Struct, frozen=True):
    """A password that was right.

    Attributes:
        name: the user's.
        password_hash: with which it was right.
    """

    name: str
    password_hash: str

    @property
    def principal(self) -> str:
        """The user."""
        return f"user:{self.name}"

    @property
    def rights(self) -> tuple[Match, ...]:
        """The changes of the user, of roles and of tenants."""
        return _rights_of_user(self.name)

    def identity(self, reader: Reader) -> Identity:
        """The user, if the password is still the same."""
        user = reader.get(User, self.name)
        if user is None or user.password_hash != self.password_hash:
            raise denied()
        return Identity(Token(user=self.name), (_claims_of_user(reader, user), *_of_tenants(reader, user.name)))

    def lasting(self) -> Proof:
        """The same: a password does not expire."""
        return self


class TokenProof(Struct, frozen=True):
    """A token whose signature is looked at when its owner is known.

    Attributes:
        shown: the token.
        key: of the server.
        lasts: whether it counts although it has expired, because it was good when the connection began.
    """

    shown: SignedToken
    key: bytes
    lasts: bool = False

    @property
    def principal(self) -> str:
        """The user or machine that the token says."""
        return self.shown.token.principal

    @property
    def rights(self) -> tuple[Match, ...]:
        """The changes of the owner, and of what gives the owner rights."""
        token = self.shown.token
        if token.plugin:
            return ((Plugin.PREFIX, None, token.plugin),)
        if token.user:
            return _rights_of_user(token.user)
        # Jobs save their machine; another secret of it comes by a request.
        own = tuple((Machine.PREFIX, action, token.machine) for action in ("update", "delete"))
        return (*own, (Job.PREFIX, None, token.job)) if token.job else own

    def identity(self, reader: Reader) -> Identity:
        """The owner of the token."""
        token = self.shown.token
        if (token.is_expired and not self.lasts) or not self.shown.is_signed(self.key, secret_of(reader, token)):
            raise denied()
        limits = (tuple(limit) for limit in token.limits)
        return Identity(token, (_claims(reader, token), *_of_tenants(reader, token.user), *limits))

    def lasting(self) -> Proof:
        """The same, whatever its age."""
        return replace(self, lasts=True)


def _rights_of_user(name: str) -> tuple[Match, ...]:
    return ((User.PREFIX, None, name), (Role.PREFIX, None, None), (Tenant.PREFIX, None, None))


def secret_of(reader: Reader, token: Token) -> str:
    """The secret of the owner of a token; empty where there is none."""
    owner: User | Machine | Plugin | None
    if token.plugin:
        owner = reader.get(Plugin, token.plugin)
    else:
        owner = reader.get(User, token.user) if token.user else reader.get(Machine, token.machine)
    return owner.secret if owner else ""


def _claims(reader: Reader, token: Token) -> tuple[Claim, ...]:
    if token.plugin:
        return EVERYTHING
    if token.user:
        user = reader.get(User, token.user)
        return _claims_of_user(reader, user) if user else ()
    if token.job and not _is_under_way(reader.get(Job, token.job)):
        raise denied()
    return (*of_machine(token.machine), *token.grants)


def _is_under_way(job: Job | None) -> bool:
    return job is not None and job.state in ("created", "running")


def _claims_of_user(reader: Reader, user: User) -> tuple[Claim, ...]:
    return (*of_user(user.name), *claims_of_roles(user.roles, reader))


def _of_tenants(reader: Reader, user: str) -> Iterator[tuple[Claim, ...]]:
    """What each tenant of a user allows at most."""
    tenants = (one for one in reader.referrers("users", user) if isinstance(one, Tenant)) if user else ()
    return (of_tenant(one) for one in tenants)


def anything(_reader: Reader) -> Iterable[str]:
    """The names of what is no object: only a claim on all of a scope allows it."""
    return (ALL,)


def named(prefix: str, name: str) -> Names:
    """The names of an object, by what a path says of it."""

    def find(reader: Reader) -> Iterable[str]:
        one = look_up(reader, kind_of(prefix), name)
        return names_of(one) if one else ()

    return find


def names_of(one: Object) -> tuple[str, ...]:
    """The names by which claims may mean an object: its key, and of a job its machine's."""
    return (one.key, one.machine) if isinstance(one, Job) else (one.key,)
