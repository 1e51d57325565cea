"""What every server has from its start on."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.core.passwords import is_password
from ansible_ensemble.provision.objects.access import User
from ansible_ensemble.provision.service import built_ins, params
from tests.unit.provision.service.world import World, refusal


@pytest.mark.parametrize(
    ("prefix", "name"),
    [
        ("bootenvs", "local"),
        ("bootenvs", "ignore"),
        ("stages", "none"),
        ("stages", "local"),
        ("roles", "superuser"),
        ("params", "task-retry"),
        ("contents", "BasicStore"),
    ],
)
def test_what_is_fixed(world: World, prefix: str, name: str) -> None:
    one = world.show(prefix, name)
    assert (one.bundle, one.read_only, one.validated, one.available, one.errors) == ("BasicStore", True, True, True, [])


def test_the_global_profile_is_the_users(world: World) -> None:
    world.write(params.set_param, "profiles", "global", "a", b"1")
    assert world.write(built_ins.install) is None
    assert world.show("profiles", "global").params == {"a": 1}
    world.create("machines", Name="m1")
    assert world.read(params.show_param, "machines", "Name:m1", "a", aggregate=True) == 1


def test_the_first_user_has_a_password_that_is_told_once(world: World, first_start: tuple[Path, str]) -> None:
    user = world.show("users", "rocketskates")
    assert isinstance(user, User)
    assert is_password(first_start[1], user.password_hash)
    assert user.roles == ["superuser"]
    assert world.write(built_ins.install) is None
    assert world.show("users", "rocketskates") == user


def test_another_start_changes_nothing(world: World) -> None:
    world.create("users", Name="fred")
    world.remove("users", "rocketskates")
    world.events()
    assert world.write(built_ins.install) is None
    assert world.events() == []


def test_params_that_control_tasks_have_to_fit(world: World) -> None:
    world.create("machines", Name="m1")
    message = "Key 'task-single-step': invalid val '3': 3 is not of type 'boolean'"
    with refusal(422, "POST", message):
        world.write(params.set_param, "machines", "Name:m1", "task-single-step", b"3")
