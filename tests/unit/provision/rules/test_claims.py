"""Who may do what."""

from __future__ import annotations

import pytest

from ansible_ensemble.provision.objects.parts import Claim
from ansible_ensemble.provision.rules.claims import (
    EVERYTHING,
    Need,
    allows,
    allows_all,
    includes,
    of_machine,
    of_user,
    specifics,
)


def _claims(text):
    return [Claim(scope=s, action=a, specific=o) for s, a, o in (line.split(" ") for line in text.split("; ") if line)]


CASES = [
    ("* * *", "machines get", "m", True),
    ("", "machines get", "m", False),
    ("machines get *", "machines get", "m", True),
    ("machines get *", "machines update", "m", False),
    ("machines get *", "jobs get", "m", False),
    ("machines get m", "machines get", "m", True),
    ("machines get n", "machines get", "m", False),
    ("machines get n,m", "machines get", "m", True),
    ("jobs,machines list,get m", "machines get", "m", True),
    ("jobs,machines list,get m", "machines list", "n", False),
    ("machines get m", "machines get", "", False),
    ("machines get ,", "machines get", "", False),
    ("machines update *", "machines update /Runnable", "m", True),
    ("machines update:/Runnable *", "machines update /Runnable", "m", True),
    ("machines update:/Runnable *", "machines update", "m", False),
    ("machines update:/Runnable *", "machines update /Stage", "m", False),
    ("machines update:/Runnable *", "machines update /RunnableToo", "m", False),
    ("machines update:/Runnable *", "machines update /Runnable,/Stage", "m", False),
    ("machines update:/Runnable,update:/Stage *", "machines update /Runnable,/Stage", "m", True),
    ("machines update:/Runnable m; machines update:/Stage *", "machines update /Runnable,/Stage", "m", True),
    ("machines update:/Runnable n; machines update:/Stage *", "machines update /Runnable,/Stage", "m", False),
    ("machines update:/Params *", "machines update /Params/a", "m", True),
    ("machines update:/Params/a *", "machines update /Params", "m", False),
    ("machines update:/ *", "machines update /Params", "m", True),
    ("machines update:/Params *", "machines delete", "m", False),
]


@pytest.mark.parametrize(("claims", "need", "name", "allowed"), CASES)
def test_allows(claims, need, name, allowed):
    scope, action, *paths = need.split(" ")
    wanted = Need(scope, action, tuple(paths[0].split(",")) if paths else ())
    assert allows(_claims(claims), wanted, [name]) is allowed


def test_an_object_may_be_meant_by_another_name():
    claims = _claims("jobs get m")
    assert allows(claims, Need("jobs", "get"), ["j", "m"])
    assert not allows(claims, Need("jobs", "get"), ["j", "n"])


@pytest.mark.parametrize(("claims", "allowed"), [("machines get *", True), ("machines get m", False), ("* * *", True)])
def test_allows_of_all_objects(claims, allowed):
    assert allows_all(_claims(claims), Need("machines", "get")) is allowed


def test_says_of_which_objects():
    claims = _claims("machines list a,b; * list c; machines get d; jobs list e")
    assert specifics(claims, Need("machines", "list")) == {"a", "b", "c"}
    assert specifics(EVERYTHING, Need("machines", "list")) == {"*"}


@pytest.mark.parametrize(
    ("need", "own", "of_others"),
    [("machines update", True, False), ("machines get", True, False), ("machines token", True, False),
     ("jobs create", True, False), ("jobs log", True, False), ("jobs delete", False, False),
     ("tasks get", True, True), ("tasks update", False, False), ("users get", False, False),
     ("info get", True, True), ("events post", True, True), ("profiles get", False, False)],
)  # fmt: skip
def test_a_machine_reaches_its_own(need, own, of_others):
    wanted = Need(*need.split(" "))
    assert allows(of_machine("m"), wanted, ["m"]) is own
    assert allows(of_machine("m"), wanted, ["n"]) is of_others


@pytest.mark.parametrize(
    ("need", "own", "of_others"),
    [("users get", True, False), ("users password", True, False), ("users token", True, False),
     ("users update", False, False), ("info get", True, True), ("machines get", False, False)],
)  # fmt: skip
def test_a_user_without_roles_has_the_own_account(need, own, of_others):
    wanted = Need(*need.split(" "))
    assert allows(of_user("me"), wanted, ["me"]) is own
    assert allows(of_user("me"), wanted, ["you"]) is of_others


INCLUDED = [
    ("* * *", "* * *", True),
    ("machines * *", "* * *", False),
    ("machines * *", "machines get,update m", True),
    ("machines get *; machines update *", "machines get,update *", True),
    ("machines get *; jobs get *", "machines,jobs get *", True),
    ("machines get m", "machines get *", False),
    ("machines get m; machines get n", "machines get m,n", True),
    ("machines get a; jobs get *", "machines get b", False),
    ("machines update *", "machines update:/Workflow *", True),
    ("machines update:/Params *", "machines update:/Params/a *", True),
    ("machines update:/Params/a *", "machines update:/Params *", False),
    ("machines update:/Workflow *", "machines update *", False),
    ("machines update:/ *", "machines update *", False),
    ("machines get *", "machines get,* *", False),
    ("", "machines get *", False),
]


@pytest.mark.parametrize(("claims", "wanted", "included"), INCLUDED)
def test_what_claims_include(claims, wanted, included):
    (claim,) = _claims(wanted)
    assert includes(_claims(claims), claim) is included
