"""Labels are those that Unfurl 1.2 makes: they name what is deployed."""

from __future__ import annotations

from typing import Any

import pytest

CASES: list[tuple[dict[str, Any], Any]] = [
    ({"to_label": "my app!", "replace": "-"}, "my-app-"),
    ({"to_label": ["1", "b"], "sep": "_"}, "x1_b"),
    ({"to_label": ["a", "1"], "sep": "_"}, "a_x1"),
    ({"to_label": ["longprefix", "name", "suffix"], "sep": ".", "max": 20}, "longpr.name.suffi.RC"),
    ({"to_label": ["longprefix", "b"], "sep": ".", "max": 10, "digestlen": 0}, "longp.b"),
    ({"to_label": ["longprefix", "c"], "sep": ".", "max": 2}, "Df"),
    ({"to_label": ["ab", "cd"], "sep": ".", "max": 1}, "g"),
    ({"to_label": "1 convert me", "replace": "_", "max": 10, "start_prepend": "_"}, "_1converWL"),
    ({"to_label": {"a b": "c d", "n": 1, "none": None}}, {"ab": "cd", "n": 1}),
    ({"to_label": "abcdef", "max": 3, "case": "upper"}, "AD6"),
    ({"to_label": "a  b", "replace": "_"}, "a__b"),
    (
        {
            "to_label": "a" * 40 + "b" * 40,
            "replace": "--",
        },
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaa--bbbbbbbbbbbbbbbbbbbbbbbbbbbbbw2H",
    ),
    ({"to_label": "x!x!x!x!x!x!x!x!x!x!x!x!x!x!x!x!x!x!x!x!", "replace": "-", "max": 30}, "xxxxxxxxxxxxxxxxxxxx"),
    ({"to_label": "abc", "digest": "salt"}, "abcmRm"),
    ({"to_label": ["a", "b"], "digest": "salt", "sep": "-", "case": "lower"}, "a-b-pv2"),
    ({"to_dns_label": "My App."}, "my--app"),
    ({"to_dns_label": "Foo Bar_baz"}, "foo--bar--baz"),
    ({"to_kubernetes_label": "a/b.c"}, "a__b.c"),
    ({"to_kubernetes_label": "Foo Bar_baz/x"}, "Foo__Bar_baz__x"),
    ({"to_googlecloud_label": "Team A"}, "team__a"),
    ({"to_googlecloud_label": "9 Lives!"}, "x9__lives__"),
    ({"to_label": "[]x", "allowed": "[a-z]"}, "xx"),
    ({"to_label": ""}, ""),
    ({"to_label": "a-", "end": "[a-z]", "allowed": "a-z-"}, "a"),
    ({"to_label": []}, ""),
    ({"to_label": 5}, 5),
    (
        {"to_dns_label": ["My App", "x" * 70]},
        "my--appxxxxxxxxxxxxxxxxxxxxx--xxxxxxxxxxxxxxxxxxxx26r",
    ),
    ({"to_dns_label": {"A b": ["c d", 1]}}, {"a--b": "c--dx1"}),
    ({"to_label": "abcdefghijklmnop", "max": 14, "digestlen": 0, "replace": "-"}, "abcdefg-klmnop"),
]


@pytest.mark.parametrize(("call", "label"), CASES, ids=str)
def test_a_label(model: Any, call: dict[str, Any], label: Any) -> None:
    assert model.evaluate({"eval": call}, "app") == label


@pytest.mark.parametrize("options", [{}, {"digestlen": 6}, {"max": 8}, {"max": 2}, {"case": "lower"}], ids=str)
def test_a_label_that_is_cut_stays_unique(model: Any, options: dict[str, Any]) -> None:
    expressions = [{"eval": {"to_label": "a" * 70 + end, **options}} for end in ("x", "y")]
    labels = [model.evaluate(expression, "app") for expression in expressions]
    assert len(set(labels)) == 2
    assert {len(label) for label in labels} == {options.get("max", 63)}


def test_a_digest_can_be_asked_for(model: Any) -> None:
    salted = model.evaluate({"eval": {"to_label": "abc", "digest": "x"}}, "app")
    plain = model.evaluate({"eval": {"to_label": "abc", "digest": True}}, "app")
    assert len(plain) == len(salted) == 6
    assert plain != salted
