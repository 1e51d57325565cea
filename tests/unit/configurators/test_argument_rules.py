"""Rules between arguments are read from a module's source, as far as they are written out there."""

from __future__ import annotations

import pytest

from ansible_ensemble.configurators.argument_rules import ArgumentRules, Condition, read_rules

CASES = {
    "lists": ("m(argument_spec={}, mutually_exclusive=[['a', 'b'], ('c', 'd')])", {"mutually_exclusive": ("ab", "cd")}),
    "one group": ("m(argument_spec={}, required_together=['a', 'b'])", {"required_together": ("ab",)}),
    "a name": ("R = [['a', 'b']]\nm(argument_spec={}, required_one_of=R)", {"required_one_of": ("ab",)}),
    "a map": ("s = dict(argument_spec={}, required_one_of=[['a', 'b']])", {"required_one_of": ("ab",)}),
    "a name that is added to": ("R = [['a', 'b']]\nR += more\nm(argument_spec={}, required_one_of=R)", {}),
    "a computed group": ("m(argument_spec={}, required_one_of=[['a', b], ['c', 'd']])", {"required_one_of": ("cd",)}),
    "two modules": ("m(argument_spec={}, required_one_of=[['a', 'b']])\nm(argument_spec={})", {}),
    "no module": ("required_one_of = [['a', 'b']]", {}),
    "no Python": ("required_one_of = [", {}),
}  # fmt: skip


@pytest.mark.parametrize(("source", "wanted"), CASES.values(), ids=CASES)
def test_rules_of_groups(source: str, wanted: dict[str, tuple[str, ...]]) -> None:
    found = {name: tuple(map(tuple, groups)) for name, groups in wanted.items()}
    assert read_rules(source.encode()) == ArgumentRules(**found)


def test_conditions() -> None:
    source = "m(argument_spec={}, required_if=[['s', 'x', ['a']], ('s', True, ('a', 'b'), True), [s, 1, ['c']]])"
    first, second = Condition("s", "x", ("a",)), Condition("s", True, ("a", "b"), one_is_enough=True)
    assert read_rules(source.encode()).required_if == (first, second)


def test_what_an_argument_needs() -> None:
    source = "m(argument_spec={}, required_by=dict(a=['b', 'c'], d='e', f=g))"
    assert read_rules(source.encode()).required_by == {"a": ("b", "c"), "d": ("e",)}
