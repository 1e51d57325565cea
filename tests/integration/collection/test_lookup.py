"""The lookup reads values of instances."""

from __future__ import annotations

from collections.abc import Callable

import pytest


def look_up(ansible: Callable, term: str, fail: str = "") -> str:
    message = "msg={{ lookup('tosca.ensemble.attribute', 'TERM', ensemble='web') }}".replace("TERM", term)
    return str(ansible("ansible", "localhost", "-m", "ansible.builtin.debug", "-a", message, fail=fail).output)


@pytest.mark.parametrize(
    ("term", "found"),
    [
        ("db.engine", '"msg": "sqlite"'),
        ("db.port", '"msg": 5433'),
        ("db.tables.1.name", '"msg": "entry"'),
        ("db.note", '"msg": "{{ not_rendered }}"'),
        ("dbb.engine", "the ensemble has no instance dbb (did you mean db?)"),
        ("db.engin", "db.engin: there is no engin (did you mean engine?)"),
        ("db.tables.7", "db.tables.7: there is no 7"),
        ("db", "db names an instance, but none of its attributes"),
        ("db.engine.version", "db.engine.version: there is no version"),
    ],
)
def test_a_value_is_found_or_the_message_says_why_not(ansible: Callable, term: str, found: str) -> None:
    assert found in look_up(ansible, term)


def test_an_error_of_the_ensemble_is_one_message(ansible: Callable) -> None:
    output = look_up(ansible, "db.engine", fail="inventory")
    assert "the ensemble has no status" in output
    assert "Traceback" not in output
