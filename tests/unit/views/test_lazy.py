"""Values that are read while they are computed: a part may need another part, and none itself."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.sensitive import is_sensitive
from ansible_ensemble.language.entities import Assignment, EntityType

READ = {"get_property": ["a", "f"]}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ({"a": 1, "b": {"eval": ".::f::a"}}, {"a": 1, "b": 1}),
        ({"a": 1, "b": {"get_property": ["SELF", "f", "a"]}}, {"a": 1, "b": 1}),
        ({"a": 1, "b": "{{ SELF.f.a + 1 }}"}, {"a": 1, "b": 2}),
        ({"b": {"eval": ".::f::c"}, "c": {"eval": ".::f::a"}, "a": [1]}, {"b": [1], "c": [1], "a": [1]}),
        ({"x": {"a": 1}, "b": {"eval": ".::f::x::a"}}, {"x": {"a": 1}, "b": 1}),
        ({"x": {"a": 1, "b": {"eval": ".::f::x::a"}}}, {"x": {"a": 1, "b": 1}}),
        ({"x": {"a": {"concat": ["y", "z"]}}, "b": {"eval": ".::f::x"}}, {"x": {"a": "yz"}, "b": {"a": "yz"}}),
        ({"a": 1, "l": [{"eval": ".::f::a"}, 2]}, {"a": 1, "l": [1, 2]}),
        ({"a": 1, "b": {"eval": ".::other"}}, {"a": 1, "b": 1}),
        ({"a": 1, "b": {"eval": ".::f::gone"}}, {"a": 1, "b": None}),
        ([1, {"get_property": ["SELF", "f", 0]}], [1, 1]),
        ([{"get_property": ["SELF", "f", -1]}, {"concat": ["y", "z"]}], ["yz", "yz"]),
        ([1, {"eval": ".::f::0"}], [1, 1]),
        ([1, "{{ SELF.f[0] + 1 }}"], [1, 2]),
        ([{"a": 1}, {"b": {"get_property": ["SELF", "f", 0, "a"]}}], [{"a": 1}, {"b": 1}]),
        ({"l": [1, {"eval": ".::f::l::0"}]}, {"l": [1, 1]}),
        ({"l": [{"concat": ["y", "z"]}], "m": {"eval": ".::f::l"}}, {"l": ["yz"], "m": ["yz"]}),
    ],
)
def test_a_part_reads_another(written: Any, expected: Any, empty: Any) -> None:
    empty.node("a", {"f": written, "other": {"get_property": ["SELF", "f", "a"]}})
    assert empty.evaluate(READ) == expected


@pytest.mark.parametrize(
    "written",
    [
        {"a": {"eval": ".::f"}},
        {"a": {"eval": ".::f::a"}},
        {"a": "{{ SELF.f }}"},
        {"a": {"eval": ".::f::b"}, "b": {"eval": ".::f::a"}},
        {"x": {"a": {"eval": ".::f::x"}}},
        {"a": {"eval": ".::whole::b"}, "b": 1},
        [1, {"eval": ".::f"}],
        [1, {"get_property": ["SELF", "f", 1]}],
        [{"eval": ".::f::1"}, {"eval": ".::f::0"}],
        [1, "{{ SELF.f | join }}"],
        [1, "{{ SELF.f + [2] }}"],
        [1, "{{ 1 in SELF.f }}"],
        [1, "{{ SELF.f == [1, 1] }}"],
        [1, {"concat": [{"get_property": ["SELF", "f"]}, [2]]}],
    ],
)
def test_what_needs_itself_is_refused(written: Any, empty: Any) -> None:
    empty.node("a", {"f": written, "whole": {"eval": ".::f"}})
    for name in ("f", "whole", "f"):
        with pytest.raises(InvalidInput, match="values depend on each other"):
            empty.evaluate({"get_property": ["a", name]})


def test_a_part_is_had_from_any_depth(empty: Any) -> None:
    for number in range(50):
        empty.node(f"n{number}", {"x": {"get_property": [f"n{number + 1}", "x"]}})
    empty.node("n50", {"x": {"get_property": ["a", "f", "a"]}})
    empty.node("a", {"f": {"a": 1, "b": {"get_property": ["n0", "x"]}}})
    assert empty.evaluate(READ) == {"a": 1, "b": 1}
    assert empty.evaluate({"get_property": ["n0", "x"]}) == 1


@pytest.mark.parametrize("kind", ["attributes", "capability", "relationship"])
def test_whatever_has_the_value(kind: str, empty: Any) -> None:
    written = {"f": {"a": 1, "b": {"eval": ".::f::a"}}}
    path = {"attributes": "::a::f", "capability": "::a::.capabilities::f", "relationship": "::a::.requirements::f"}
    empty.node("a", {}, attributes=written if kind == "attributes" else {}, capabilities={"c": written})
    empty.node("b")
    empty.require("a", "r", "b", **written)
    assert empty.evaluate({"eval": path[kind]}) == {"a": 1, "b": 1}


def test_a_part_is_as_it_is_declared(empty: Any) -> None:
    data = EntityType("data", "T")
    data.properties = {
        "port": empty.definition("port", "string", 80),
        "key": empty.definition("key", "string", metadata={"sensitive": True}),
        "url": empty.definition("url", "string"),
    }
    empty.topology.data_types["T"] = data
    node = empty.node("a")
    written = {"key": "hush", "url": {"concat": [{"eval": ".::f::port"}, {"eval": ".::f::key"}]}}
    node.properties["f"] = Assignment(written, empty.definition("f", "T"), empty.place, empty.root)
    found = empty.evaluate(READ)
    assert found["url"] == "80hush"
    assert is_sensitive(found["url"])
