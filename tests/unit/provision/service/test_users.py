"""Users and their passwords."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.core.passwords import hashed, is_password
from ansible_ensemble.provision.objects.access import User
from ansible_ensemble.provision.objects.codec import encode, plain
from ansible_ensemble.provision.rules.refusal import Refused
from ansible_ensemble.provision.service import crud, users
from tests.unit.provision.service.world import World, body, refusal


@pytest.fixture
def fred(world: World) -> World:
    world.create("users", Name="fred")
    world.write(users.set_password, "fred", body({"Password": "pässword"}))
    return world


def kept(world: World) -> User:
    user = world.show("users", "fred")
    assert isinstance(user, User)
    return user


def test_passwords() -> None:
    one, other = hashed("pässword"), hashed("pässword")
    assert one != other
    assert "pässword" not in one
    assert is_password("pässword", one)
    assert is_password("pässword", other)
    for wrong in ("", "password", "pässword "):
        assert not is_password(wrong, one)
    assert not is_password("", "")
    assert not is_password("pässword", "")
    assert is_password("\udcff", hashed("\udcff"))


def test_a_user_without_password_does_not_log_in(world: World) -> None:
    made = world.create("users", Name="fred@example.org", Roles=["superuser"])
    assert (made.password_hash, made.roles, made.available) == ("", ["superuser"], True)
    assert len(made.secret) == 16


def test_a_password_is_changed_and_ends_tokens(fred: World) -> None:
    before = kept(fred)
    fred.write(users.set_password, "fred", body({"Password": "other"}))
    after = kept(fred)
    assert is_password("other", after.password_hash)
    assert before.secret != after.secret
    assert fred.events()[-1] == "users.update.fred"


def test_neither_hash_nor_secret_is_told(fred: World) -> None:
    told = encode(fred.whole_events())
    assert b"scrypt" not in told
    assert kept(fred).secret.encode() not in told
    assert (kept(fred).public().password_hash, kept(fred).public().secret) == ("", "")


def test_changes_keep_password_and_secret(fred: World) -> None:
    before = kept(fred)
    changed = fred.set("users", "fred", Description="d")
    replaced = fred.write(crud.put, "users", "fred", encode(plain(changed.public())))
    assert (replaced.password_hash, replaced.secret) == (before.password_hash, before.secret)
    assert replaced.description == "d"
    assert fred.set("users", "fred", Secret="another").secret == "another"


@pytest.mark.parametrize("change", ["create", "set"])
def test_a_hash_is_not_taken(fred: World, change: str) -> None:
    with refusal(422, "ValidationError", "PasswordHash cannot be set, only the password", model="users"):
        if change == "create":
            fred.create("users", Name="bob", PasswordHash="x")
        else:
            fred.set("users", "fred", PasswordHash="x")


@pytest.mark.parametrize(
    ("name", "sent", "code"),
    [("fred", {}, 400), ("fred", {"Password": ""}, 400), ("fred", [], 400), ("bob", {"Password": "p"}, 404)],
)
def test_passwords_that_are_refused(fred: World, name: str, sent: Any, code: int) -> None:
    before = kept(fred)
    with pytest.raises(Refused) as refused:
        fred.write(users.set_password, name, body(sent))
    assert (refused.value.error.code, refused.value.error.type, refused.value.error.model) == (code, "PUT", "users")
    assert kept(fred) == before
