"""Where values of params come from."""

from __future__ import annotations

import pytest

from ansible_ensemble.provision.objects.content import Param, Profile, Stage
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.rules.parameters import (
    aggregated,
    composed,
    composed_params,
    is_sealed,
    is_secure,
    origins,
    problems_of_params,
    value_of,
    values_of,
)
from tests.unit.provision.rules.world import machine_of, shelf

CONTENT = {
    "params": {
        "where": {"Schema": {"type": "string", "default": "definition"}},
        "map": {"Schema": {"type": "object", "default": {"d": 1, "deep": {"d": 1}}}},
        "secure": {"Secure": True, "Schema": {"type": "string"}},
        "open": {},
    },
    "profiles": {
        "first": {"Params": {"where": "first", "list": ["first"], "one": 3}, "Profiles": ["included"]},
        "included": {"Params": {"where": "included", "inner": 1, "list": ["included"]}},
        "second": {"Params": {"where": "second", "map": {"s": 1, "deep": {"s": 1}}, "list": ["second"], "one": [4]}},
        "of-stage": {"Params": {"where": "profile of the stage", "list": ["of-stage"]}},
        "global": {"Params": {"where": "global", "list": ["global"], "everywhere": True}},
    },
    "stages": {
        "st": {"Params": {"where": "stage", "list": ["stage"], "map": {"t": 1}}, "Profiles": ["of-stage"]},
        "unset": {"Profiles": ["of-stage"]},
    },
}
KNOWN = shelf(CONTENT)
WITHOUT_GLOBAL = shelf({**CONTENT, "profiles": {**CONTENT["profiles"], "global": {}}})
FULL = machine_of({"Params": {"where": "machine", "none": None}, "Profiles": ["first", "second"], "Stage": "st"})


@pytest.mark.parametrize(
    ("machine", "known", "value"),
    [
        (FULL, KNOWN, "machine"),
        (FULL.replaced(params={}), KNOWN, "first"),
        (FULL.replaced(params={}, profiles=["second", "first"]), KNOWN, "second"),
        (FULL.replaced(params={}, profiles=["absent"]), KNOWN, "stage"),
        (FULL.replaced(params={}, profiles=[]), KNOWN, "stage"),
        (FULL.replaced(params={}, profiles=[], stage="unset"), KNOWN, "profile of the stage"),
        (FULL.replaced(params={}, profiles=[], stage="none"), KNOWN, "global"),
        (FULL.replaced(params={}, profiles=[], stage="absent"), KNOWN, "global"),
        (FULL.replaced(params={}, profiles=[], stage="none"), WITHOUT_GLOBAL, "definition"),
        (FULL.replaced(params={}, profiles=[], stage="none"), shelf(), None),
    ],
)
def test_the_nearest_value_wins(machine, known, value):
    assert value_of(machine, "where", known) == value


def test_a_profile_is_followed_by_those_it_includes():
    assert list(values_of(FULL, "list", KNOWN)) == [
        ["first"],
        ["included"],
        ["second"],
        ["stage"],
        ["of-stage"],
        ["global"],
    ]


def test_a_value_that_is_none_is_there():
    assert list(values_of(FULL, "none", KNOWN)) == [None]
    assert not list(values_of(FULL, "absent", KNOWN))
    assert not list(values_of(FULL, "open", KNOWN))
    assert list(values_of(FULL.replaced(params={}), "where", WITHOUT_GLOBAL))


def test_all_params_are_without_defaults():
    assert aggregated(machine_of({"Params": {"z": 1, "a": 2}}), KNOWN) == {
        "a": 2,
        "everywhere": True,
        "list": ["global"],
        "where": "global",
        "z": 1,
    }


def test_profiles_and_stages_have_their_own_and_included_params():
    assert aggregated(KNOWN.get(Profile, "first"), KNOWN) == {
        "where": "first",
        "list": ["first"],
        "one": 3,
        "inner": 1,
    }
    assert aggregated(KNOWN.get(Stage, "unset"), KNOWN) == {"where": "profile of the stage", "list": ["of-stage"]}


def test_profiles_that_include_each_other_end():
    known = shelf({"profiles": {"one": {"Profiles": ["two"]}, "two": {"Profiles": ["one"], "Params": {"x": 1}}}})
    assert value_of(Machine(profiles=["one", "two"]), "x", known) == 1


@pytest.mark.parametrize(
    ("values", "result"),
    [
        ([], None),
        ([1, 2], 1),
        ([[1], [2], [1]], [1, 2, 1]),
        ([{"a": 1}, {"a": 2, "b": 2}], {"a": 1, "b": 2}),
        ([{"a": {"x": 1}}, {"a": {"x": 2, "y": 2}}], {"a": {"x": 1, "y": 2}}),
        ([{"a": [1]}, {"a": [2]}], {"a": [1, 2]}),
        ([[1], {"a": 1}, [2]], [1, 2]),
        ([{"a": 1}, "text"], {"a": 1}),
        (["text", {"a": 1}], "text"),
        ([None, {"a": 1}], None),
    ],
)
def test_composed(values, result):
    assert composed(values) == result


def test_a_composed_value_has_the_default_last():
    assert composed(values_of(FULL, "map", KNOWN)) == {"s": 1, "t": 1, "d": 1, "deep": {"s": 1, "d": 1}}


def test_all_composed_params_are_without_defaults():
    composed_all = composed_params(FULL, KNOWN)
    assert composed_all["list"] == ["first", "included", "second", "stage", "of-stage", "global"]
    assert composed_all["map"] == {"s": 1, "deep": {"s": 1}, "t": 1}
    assert composed_all["one"] == 3
    assert composed_all["where"] == "machine"


def test_composing_changes_no_source():
    composed_params(FULL, KNOWN)
    assert shelf(CONTENT) == KNOWN


def test_which_params_are_secure():
    assert is_secure("secure", KNOWN)
    assert not is_secure("open", KNOWN)
    assert not is_secure("absent", KNOWN)


@pytest.mark.parametrize(
    ("value", "sealed"),
    [({"Key": "", "Nonce": "", "Payload": ""}, True), ({"Key": ""}, False), ("x", False), (None, False)],
)
def test_what_is_sealed(value, sealed):
    assert is_sealed(value) == sealed


def test_what_nothing_defines_fits():
    assert problems_of_params({"absent": object, "open": 1}, KNOWN) == []


def test_a_plain_value_of_a_secure_param_is_checked_and_not_shown():
    assert problems_of_params({"secure": 7}, KNOWN) == ["Key 'secure': invalid val of a secure param"]
    assert problems_of_params({"secure": "x"}, KNOWN) == []


def test_where_each_value_comes_from() -> None:
    defined = [one for name in CONTENT["params"] if (one := KNOWN.get(Param, name))]
    found = origins(FULL, KNOWN, defined)
    assert [(one.kind, one.name, one.value) for one in found["where"]] == [
        ("machines", FULL.uuid, "machine"),
        ("profiles", "first", "first"),
        ("profiles", "included", "included"),
        ("profiles", "second", "second"),
        ("stages", "st", "stage"),
        ("profiles", "of-stage", "profile of the stage"),
        ("profiles", "global", "global"),
        ("params", "where", "definition"),
    ]
    assert {name: values[0].value for name, values in found.items() if name != "map"} == {
        name: value_of(FULL, name, KNOWN) for name in found if name != "map"
    }
    assert not any(one.secure for values in found.values() for one in values)


@pytest.mark.parametrize("value", ["plain", {"Key": "a", "Nonce": "b", "Payload": "c"}])
def test_a_secure_value_has_a_place_and_is_not_shown(value: object) -> None:
    (found,) = origins(FULL.replaced(params={"secure": value}), KNOWN)["secure"]
    assert (found.kind, found.value, found.secure) == ("machines", None, True)
