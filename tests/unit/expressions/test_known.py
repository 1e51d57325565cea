from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.core.sensitive import is_sensitive
from ansible_ensemble.expressions.scope import Scope


@pytest.fixture
def scope(empty: Any) -> Scope:
    empty.type("App", url=None, late=None, word="preset")
    empty.node("machine", {"cpus": 2})
    empty.node("app", {"port": 80, "of_late": {"get_attribute": ["SELF", "late"]}, "key": "k"}, type="App")
    empty.require("app", "host", "machine", hosted=True)
    empty.topology.node_templates["app"].properties["key"].definition = empty.definition(
        "key", "string", metadata={"sensitive": True}
    )
    empty.instance("machine")
    app = empty.instance("app", url="u")
    return empty.evaluator().scope(app)


def test_what_is_not_known_yet_is_left_out(scope: Scope) -> None:
    found = scope.known("SELF", ["port", "url", "word", "late", "of_late", "nothing", ".name", ".requirements"])
    assert found == {"port": 80, "url": "u", "word": "preset", ".name": "app"}


def test_all_of_it(scope: Scope) -> None:
    found = scope.known("SELF", None)
    assert found is not None
    assert found.keys() == {
        "port",
        "key",
        "url",
        "word",
        ".name",
        ".type",
        ".status",
        ".state",
        ".tosca_id",
        ".tosca_name",
    }
    assert found[".type"] == "App"


def test_only_what_is_handed_over_is_read(scope: Scope) -> None:
    assert scope.known("HOST", ["cpus"]) == {"cpus": 2}
    assert scope.known("SELF", ["url", "nothing"]) == {"url": "u"}
    assert scope.reads.keys() == ["::machine::cpus", "::app::url"]


def test_a_secret_stays_one(scope: Scope) -> None:
    found = scope.known("SELF", ["key"])
    assert found is not None
    assert is_sensitive(found["key"])


def test_a_keyword_that_means_nothing(scope: Scope) -> None:
    assert scope.known("TARGET", None) is None
