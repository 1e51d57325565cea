"""Objects from JSON as clients send it, and what is none."""

from __future__ import annotations

import pytest

from ansible_ensemble.provision.objects import Job, Machine, Task
from ansible_ensemble.provision.objects.codec import Undecodable, decode, decode_stored, encode


def test_clients_leave_out_and_spell_as_they_like() -> None:
    text = b'{"name": "m1", "Profiles": null, "UUID": "u", "Newer": 1, "currenttask": -1, "Params": {"a": null}}'
    machine = decode(Machine, text)
    assert machine == Machine(name="m1", uuid="u", current_task=-1, params={"a": None})
    assert decode_stored(Machine, encode(machine)) == machine


def test_fields_inside_of_fields_are_spelled_as_they_like_too() -> None:
    task = decode(Task, b'{"Name": "t", "Templates": [{"name": "a", "Meta": null, "id": "x"}]}')
    assert [(template.name, template.id, template.meta) for template in task.templates] == [("a", "x", {})]


UNDECODABLE = [
    (Machine, b""),
    (Machine, b"{"),
    (Machine, b"[]"),
    (Machine, b"\xff"),
    (Machine, b'{"Name": 1}'),
    (Machine, b'{"Runnable": 1}'),
    (Machine, b'{"Meta": {"a": 1}}'),
    (Machine, b'{"CurrentTask": 9223372036854775808}'),
    (Machine, b'{"RetryTaskAttempt": -9223372036854775809}'),
    (Job, b'{"NextIndex": 1e30}'),
    (Task, b'{"Templates": [{"Name": []}]}'),
    (Machine, b'{"Params": ' * 100_000),
    (Machine, b'{"Params": {"a": ' + b"[" * 99 + b"]" * 99 + b"}}"),
]


@pytest.mark.parametrize(("kind", "text"), UNDECODABLE, ids=range(len(UNDECODABLE)))
def test_what_is_no_object(kind: type, text: bytes) -> None:
    with pytest.raises(Undecodable):
        decode(kind, text)


def test_what_is_nested_as_deep_as_anything_needs() -> None:
    assert decode(Machine, b'{"Params": {"a": ' + b"[" * 98 + b"]" * 98 + b"}}").params["a"]
    assert decode(Machine, b'{"Tasks": [' + b",".join([b'"["'] * 1000) + b"]}").tasks[0] == "["
